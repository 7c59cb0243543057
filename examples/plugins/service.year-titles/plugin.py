"""Changes how games are shown. The library itself stays as it is.

The list must have as many games as before, in any order.
"""


def library(payload):
    left, right = payload["settings"]["style"].split("1994")
    for game in payload["games"]:
        year = str(game.get("year") or "")[:4]
        if year.isdigit():
            game["name"] = f"{game['name']} {left}{year}{right}"
    return {"games": payload["games"]}
