"""Changes the command of a launch, or cancels it.

The program (the first word) must stay the same; the folder must lie in that of the game or in the data
directory. What is left out stays as it is.
"""


def before_launch(payload):
    game, settings = payload["game"], payload["settings"]
    if settings["blocked_tag"] in (game.get("tags") or []):
        return {"cancel": True, "error": f"{game['name']} has the tag {settings['blocked_tag']!r}."}
    if game["platform"] != settings["platform"]:
        return {}
    return {"args": payload["args"] + settings["words"].split(), "cwd": payload["cwd"]}
