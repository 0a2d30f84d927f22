import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

setup(
    ext_modules=cythonize(
        [Extension(name, [name + ".pyx"], extra_compile_args=["-O0", "-w"]) for name in sys.argv.pop().split(",")],
        compiler_directives={"language_level": 3},
        compile_time_env={"HIP_PYTHON": True},
    )
)
