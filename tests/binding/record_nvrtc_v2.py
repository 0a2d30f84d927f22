"""Record what NVIDIA's own `cuda.bindings._v2.nvrtc` answers: python -m tests.binding.record_nvrtc_v2.

NVRTC needs no GPU: an environment with the wheels of cuda-bindings and NVRTC is enough.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests import environments

PROGRAM = Path(__file__).with_name("nvrtc_v2_program.py")
RECORDED = Path(__file__).with_name("nvrtc_v2.json")
_WHEELS = ("cuda-bindings==13.5.0", "nvidia-cuda-nvrtc==13.5.37", "numpy==2.4.6")

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        python = environments.make(Path(folder) / "nvidia", *_WHEELS)
        libraries = next(Path(folder).glob("nvidia/lib/python*/site-packages/nvidia/*/lib"))
        answers = json.loads(python.run(PROGRAM, LD_LIBRARY_PATH=str(libraries)))
    recording = {"script": "tests/binding/record_nvrtc_v2.py", "wheels": _WHEELS, "answers": answers}
    RECORDED.write_text(json.dumps(recording, indent=1) + "\n", encoding="utf-8")
