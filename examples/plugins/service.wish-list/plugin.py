"""Adds games to the library as it is shown. They cannot be edited, and go when the plugin goes.

An entry has the fields of a game as they are posted to `/api/game`. Its `id` must stay the same from run to
run. A game without a file can be seen and not started.
"""

import json
import pathlib


def library_source(payload):
    wishes = json.loads(pathlib.Path(__file__).with_name("wishes.json").read_text())
    games = [
        {"id": wish["name"].lower(), "name": wish["name"], "platform": wish["platform"]} for wish in wishes
    ]
    return {"games": games}
