"""Learns of the end of every session. What is written to standard error goes to the log of the program."""

import sys


def after_session(payload):
    minutes = payload["seconds"] // 60
    how = "well" if payload["exit_code"] == 0 else f"with code {payload['exit_code']}"
    print(f"{payload['game']}: {minutes} minutes, ended {how}", file=sys.stderr)
    return {}
