import json  # noqa: F401 - for the code behind this
import os
import sys

import cuda_shim
import cuda_shim.mapping
import cuda_shim.session  # noqa: F401 - imported before the first snapshot


def snapshot():
    root = sys.modules.get("cuda")
    return {
        "modules": {n: id(m) for n, m in sys.modules.items() if n == "cuda" or n.startswith("cuda.")},
        "attributes": {} if root is None else {n: id(v) for n, v in vars(root).items() if not n.startswith("__")},
        "meta_path": [id(f) for f in sys.meta_path],
        "environment": {n: v for n, v in os.environ.items() if "CUDA" in n},
    }
