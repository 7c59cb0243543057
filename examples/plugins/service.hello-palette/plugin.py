"""A command of the palette: greets and counts the games."""


def command(payload):
    if payload["command"] != "hello":
        return {}
    games = payload["library"]
    favorites = [game["name"] for game in games if game["favorite"]]
    text = f"Hello {payload['settings']['name']}, you have {len(games)} games."
    return {
        "games": len(games),
        "favorites": favorites,
        "notification": {"level": "success", "message": text},
    }
