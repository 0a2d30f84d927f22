"""Activate cuda_shim where its start-up file is not installed, then be the sitecustomize it stands before.

``python -m cuda_shim run`` puts this folder first on PYTHONPATH when it finds no ``cuda_shim.pth``.  The
folder takes itself off ``sys.path``, and the package is imported from the folder above this one.  Then the
``sitecustomize`` that Python would have imported takes our place; if there is none, this ends with the ImportError that
``site`` expects in that case.
"""

import os
import sys


def _activate(folder: str) -> None:
    """Import cuda_shim from ``folder``, which need not be on a search path, and let the environment activate it.

    ``hip_on_host`` is imported with it: modules of both are found through the packages from then on.
    """
    sys.path.insert(0, folder)
    try:
        import hip_on_host  # noqa: F401 - for its path
        from cuda_shim.startup import activate
    finally:
        sys.path.remove(folder)
    activate()


_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _folder]
_activate(os.path.dirname(os.path.dirname(_folder)))
del sys.modules[__name__]
__import__("sitecustomize")
