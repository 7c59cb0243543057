"""Loads a plugin and calls one of its hooks.

Arguments: the program of the plugin, the name of the hook. The payload is read from standard input as one
JSON object; what the hook returns is written to standard output. A hook that is missing or returns
something else than an object leaves the payload as it is.
"""

import importlib.util
import json
import os
import sys


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


main()
