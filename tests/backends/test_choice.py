"""The choice of the backend: requested, found on the machine, or taken already; and its name for the program."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.backends.scripts import USE_STAND_IN, Run, last_line

pytest.importorskip("hip", reason="hip-python is not installed")

# A stand-in for AMD's library: its answers come from the environment, so that a test can have any GPU.
FAKE_ROCM = r"""
#include <cstdlib>
extern "C" int hipGetDeviceCount(int* count) {
    const char* devices = std::getenv("FAKE_DEVICES");
    if (!devices) std::abort();
    *count = std::atoi(devices);
    return *count ? 0 : 100;
}
extern "C" int hipRuntimeGetVersion(int* version) { *version = 7; return 0; }
extern "C" int hiprtcVersion(int* major, int* minor) { *major = 7; *minor = 0; return 0; }
"""

USE_FAKES = (
    USE_STAND_IN
    + """
from cuda_shim import backends
from cuda_shim.backends import hip_python, rocm
rocm.DEVICE_NODES = (os.environ.get("FAKE_NODE", "/dev/none"),)
def show():
    chosen = hip_python.load().backend
    print(chosen.name, chosen.libamdhip64, chosen.why, sep="|")
"""
)
SHOW = USE_FAKES + "show()"
ASK_VERSION = "\nprint(hip_python.load().hip.hipRuntimeGetVersion()[1])"


@pytest.fixture
def rocm(tmp_path: Path, environment: dict[str, str], compiler: list[str]) -> Path:
    """A folder with AMD's libraries, as ROCM_PATH names it, and a device node that can be opened."""
    folder = tmp_path / "rocm" / "lib"
    folder.mkdir(parents=True)
    source = tmp_path / "fake.cpp"
    source.write_text(FAKE_ROCM)
    for name in ("libamdhip64.so", "libhiprtc.so"):
        command = [*compiler, "-shared", "-fPIC", str(source), "-o", str(folder / name), f"-Wl,-soname,{name}.7"]
        subprocess.run(command, check=True)
    (tmp_path / "node").touch()
    # hip-python 10 goes by ROCM_PATH, 7 asks the loader.
    environment.update(ROCM_PATH=str(folder.parent), LD_LIBRARY_PATH=str(folder))
    environment.update(FAKE_NODE=str(tmp_path / "node"), FAKE_DEVICES="2")
    return folder


def test_without_a_gpu_the_cpu_is_used_and_reported_once(run: Run, stand_in: Path) -> None:
    result = run(SHOW + "\nshow()\nbackends.select('cpu')\nshow()")
    lines = result.stdout.splitlines()
    assert len(lines) == 3
    assert len(set(lines)) == 1
    name, library, why = lines[0].split("|")
    assert (name, why) == ("cpu", "no AMD GPU was found")
    assert library.endswith("/lib/libamdhip64.so")
    reported = [line for line in result.stderr.splitlines() if "building" not in line]
    assert reported == [
        "cuda_shim: no AMD GPU was found; kernels run on the host CPU (CUDA_SHIM_QUIET=1 silences this line)"
    ]


def test_children_do_not_report_again(run: Run, stand_in: Path) -> None:
    child = f"import subprocess, sys\nsys.exit(subprocess.call([sys.executable, '-c', {SHOW!r}]))"
    result = run(SHOW + "\n" + child)
    assert result.stdout.count("cpu|") == 2
    assert result.stderr.count("kernels run on the host CPU") == 1


@pytest.mark.parametrize("variables", [{"CUDA_SHIM_QUIET": "1"}, {"CUDA_SHIM_BACKEND": "cpu"}])
def test_quiet_or_asked_for_is_not_reported(run: Run, stand_in: Path, variables: dict[str, str]) -> None:
    result = run(SHOW, **variables)
    assert result.stdout.startswith("cpu|")
    assert "kernels run" not in result.stderr


def test_a_device_that_answers_is_used(run: Run, stand_in: Path, rocm: Path) -> None:
    result = run(SHOW + ASK_VERSION)
    choice, version = result.stdout.splitlines()
    assert choice.startswith("rocm|"), result.stderr
    assert choice.endswith("libamdhip64.so|2 AMD GPUs found")
    assert version == "7"
    assert result.stderr == ""


def test_rocm_path_leads_to_it_where_the_loader_does_not(
    run: Run, stand_in: Path, rocm: Path, no_rocm: dict[str, str]
) -> None:
    result = run(SHOW + ASK_VERSION, LD_LIBRARY_PATH=no_rocm["LD_LIBRARY_PATH"])
    assert result.stdout.splitlines() == [f"rocm|{rocm}/libamdhip64.so|2 AMD GPUs found", "7"], result.stderr


def test_a_device_is_asked_for_in_another_process_and_once(run: Run, stand_in: Path, rocm: Path) -> None:
    # Without FAKE_DEVICES the library aborts any process that asks it: only a remembered answer can come back.
    assert run(SHOW).stdout.startswith("rocm|")
    assert run(SHOW, FAKE_DEVICES=None).stdout.startswith("rocm|")
    hidden = run(SHOW, FAKE_DEVICES="0", HIP_VISIBLE_DEVICES="")
    assert hidden.stdout.startswith("cpu|")


def test_a_library_that_crashes_when_asked_does_not_take_us_along(run: Run, stand_in: Path, rocm: Path) -> None:
    result = run(SHOW, FAKE_DEVICES=None)
    assert result.stdout.startswith("cpu|"), result.stderr
    assert "failed when asked for its devices" in result.stderr


def test_no_device_behind_the_library(run: Run, stand_in: Path, rocm: Path) -> None:
    result = run(SHOW, FAKE_DEVICES="0")
    assert result.stdout.startswith("cpu|")
    assert "libamdhip64.so sees no usable GPU (hipGetDeviceCount: status 100, 0 devices)" in result.stderr


def test_a_gpu_without_amds_library(run: Run, stand_in: Path, rocm: Path, no_rocm: dict[str, str]) -> None:
    result = run(SHOW, **no_rocm)
    assert result.stdout.split("|")[0] == "cpu"
    assert "AMD's HIP library was not found (" in result.stderr


def test_asking_for_rocm_never_falls_back(run: Run, stand_in: Path, no_rocm: dict[str, str]) -> None:
    result = run(SHOW, CUDA_SHIM_BACKEND="rocm", **no_rocm)
    assert result.returncode != 0
    line = last_line(result.stderr)
    assert "BackendNotFound: backend rocm (CUDA_SHIM_BACKEND): " in line
    assert "libamdhip64.so" in line
    assert "cpu backend" in line


def test_asking_for_rocm_takes_the_library_and_leaves_the_device_to_hip(run: Run, stand_in: Path, rocm: Path) -> None:
    result = run(SHOW + ASK_VERSION, CUDA_SHIM_BACKEND="rocm", FAKE_DEVICES=None, FAKE_NODE=None)
    choice, version = result.stdout.splitlines()
    assert choice.startswith("rocm|"), result.stderr
    assert choice.endswith("|CUDA_SHIM_BACKEND")
    assert version == "7"


def test_asking_for_the_cpu_beats_a_gpu(run: Run, stand_in: Path, rocm: Path) -> None:
    assert run(SHOW, CUDA_SHIM_BACKEND="cpu").stdout.startswith("cpu|")
    assert run(USE_FAKES + "backends.select('cpu')\nshow()").stdout.split("|")[2] == "selected by the program\n"


def test_select_refuses_what_does_not_exist(run: Run, stand_in: Path) -> None:
    result = run(USE_FAKES + "backends.select('gpu')")
    assert last_line(result.stderr).endswith("SettingError: backend=gpu is not allowed; use auto, rocm, cpu")


def test_a_decided_backend_stays(run: Run, stand_in: Path) -> None:
    result = run(USE_FAKES + "backends.select('cpu')\nshow()\nbackends.select(None)\nshow()\nbackends.select('rocm')")
    assert result.stdout.count("cpu|") == 2
    assert "backend rocm cannot be selected: cpu already answers" in last_line(result.stderr)


def test_sixteen_threads_decide_once(run: Run, stand_in: Path) -> None:
    script = USE_FAKES + (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(16) as pool:\n"
        "    print(len({id(face) for face in pool.map(lambda _: hip_python.load(), range(64))}))"
    )
    result = run(script)
    assert result.stdout.strip() == "1", result.stderr
    assert result.stderr.count("kernels run on the host CPU") == 1


def test_a_closed_stderr_does_no_harm(run: Run, stand_in: Path) -> None:
    assert run("import sys\nsys.stderr = None\n" + SHOW).stdout.startswith("cpu|")
    assert run("import sys\nsys.stderr.close()\n" + SHOW).stdout.startswith("cpu|")


def test_the_environment_of_the_runtime(run: Run, stand_in: Path, tmp_path: Path) -> None:
    names = ("CUDA_SHIM_CPU_CXX", "CUDA_SHIM_CPU_DEVICE_HEADERS")
    script = SHOW + f"\nfor name in {names}: print(os.environ[name])"
    _, compiler, headers = run(script).stdout.splitlines()
    assert Path(compiler.split()[0]).is_absolute()
    assert headers == str(stand_in / "device")
    chosen = run(script, CUDA_SHIM_CPU_CXX="my-cxx", CUDA_SHIM_CPU_DEVICE_HEADERS="/my/headers")
    assert chosen.stdout.splitlines()[1:] == ["my-cxx", "/my/headers"]


def test_a_child_with_sources_of_its_own_uses_them(run: Run, stand_in: Path, tmp_path: Path) -> None:
    moved = tmp_path / "other"
    moved.symlink_to(stand_in)
    print_headers = "\nprint(os.environ['CUDA_SHIM_CPU_DEVICE_HEADERS'], flush=True)"
    child = (
        f"\nimport subprocess, sys\nos.environ['STAND_IN'] = {str(moved)!r}"
        f"\nsubprocess.run([sys.executable, '-c', {SHOW + print_headers!r}], check=True)"
    )
    lines = run(SHOW + print_headers + child).stdout.splitlines()
    assert lines[1] == str(stand_in / "device")
    assert lines[3] == str(moved / "device")


def test_describe_never_raises_and_loads_nothing(run: Run, stand_in: Path, program: Callable[[str, str], Path]) -> None:
    script = USE_FAKES + (
        "from cuda_shim.backends import description\n"
        "for seen in description.describe(settings.current()):\n"
        "    print(seen.name, f'problem, {seen.needed}, {seen.problem}' if seen.problem else seen.text, sep=': ')\n"
        "assert backends.decided() is None\n"
        "assert 'libamdhip64' not in open('/proc/self/maps').read()"
    )
    healthy = run(script)
    assert healthy.returncode == 0, healthy.stderr
    assert "backend: cpu (no AMD GPU was found), nothing loaded yet" in healthy.stdout
    assert "cpu runtime: not built yet" in healthy.stdout
    hidden = "import sys\nfor name in ('rocm', 'hip', 'ziglang'): sys.modules[name] = None\n"
    broken = run(hidden + script, PATH="/nonexistent", CUDA_SHIM_CACHE_DIR="/dev/null")
    assert broken.returncode == 0, broken.stderr
    for seen in (
        "hip-python: problem, True, hip-python is not installed: pip install hip-python\n",
        "cache: problem, True, cache folder /dev/null is not a folder",
        "cpu compiler: problem, True, backend cpu: no C++ compiler was found",
    ):
        assert seen in broken.stdout


def test_describe_after_the_choice(run: Run, stand_in: Path) -> None:
    result = run(
        SHOW + "\nfrom cuda_shim.backends import description\nprint(description.describe(settings.current())[1].text)"
    )
    assert result.stdout.splitlines()[1].startswith("cpu (no AMD GPU was found): /"), result.stderr
