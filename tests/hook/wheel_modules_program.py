"""Imports each module that is named on the command line, and prints as JSON where it comes from.

"served": a module of cuda_shim; "through": a file of the wheel; else the text of the ImportError.
"""

from __future__ import annotations

import importlib
import json
import sys


def answer(name: str) -> str:
    """The answer to the import of a module."""
    try:
        spec = importlib.import_module(name).__spec__
    except ImportError as error:
        return str(error)
    assert spec is not None
    return "served" if (spec.origin or "").startswith("cuda_shim:") else "through"


print(json.dumps({name: answer(name) for name in sys.argv[1:]}))
