import re
from pathlib import Path

from cuda_shim.backends import hip_python, native

face = hip_python.load()
missing = []
for module, prefix in ((face.hip, "hip"), (face.hiprtc, "hiprtc")):
    stem = ("cyhip" if face.generation == 10 else "chip") + prefix[3:]
    assert module.__file__
    declared = Path(module.__file__).with_name(f"{stem}.pyx").read_text(encoding="utf-8")
    names = set(re.findall(r'__funptr, ?"(hip\w+)"', declared))
    assert len(names) > 10, names
    for name in sorted(names):
        try:
            native.function(name, None)
        except NotImplementedError:
            missing.append(name)
print(missing)
