"""Loads a plugin and calls one of its hooks.

Arguments: the program of the plugin, the name of the hook. The payload is read from standard input as one
JSON object; what the hook returns is written to standard output. A hook that is missing or returns
something else than an object leaves the payload as it is. An exception of the plugin ends the program with
status 1, after a report on standard error.
"""

import importlib.util
import json
import os
import sys
import traceback


def main():
    entry, hook = sys.argv[1], sys.argv[2]
    payload = json.loads(sys.stdin.buffer.read())
    sys.path[0] = os.path.dirname(entry)
    spec = importlib.util.spec_from_file_location("plugin", entry)
    plugin = importlib.util.module_from_spec(spec)
    sys.modules["plugin"] = plugin
    spec.loader.exec_module(plugin)
    function = getattr(plugin, hook, None)
    result = function(payload) if callable(function) else payload
    if not isinstance(result, dict):
        result = payload
    sys.stdout.write(json.dumps(result))
    sys.stdout.flush()


def report(error):
    """Says where in the plugin an exception comes from. Files have no folder: a message for clients ends at
    the first absolute path, and the reason, which is last, would be lost."""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename != __file__ and not frame.filename.startswith("<"):
            name = os.path.basename(frame.filename)
            print(f"{name}:{frame.lineno} in {frame.name}:", file=sys.stderr)
    print(f"{type(error).__name__}: {error}", file=sys.stderr)


try:
    main()
except Exception as error:
    report(error)
    sys.exit(1)
