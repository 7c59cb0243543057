"""Learns of what happens: app_startup, app_shutdown, scan_finished, playtime_milestone, game_added,
game_removed and game_updated. What is returned does not matter."""

import json
import urllib.request


def events(payload):
    address = payload.pop("settings")["address"]
    body = json.dumps(payload).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=3).close()
    return {}
