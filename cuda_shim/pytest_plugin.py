"""pytest plugin: tests that import ``cuda`` run on HIP, for the whole run or one test at a time.

``--cuda-shim=on`` (or ``cuda_shim = on`` in the ini file) enables the shim before any conftest or test module
is imported.  Without it the fixtures enable it for one test, or for the session, and put everything back.

    def test_saxpy(hip_backend): ...
    @pytest.mark.hip_backend(backend="cpu", cuda="12.9", strict=True)
    def test_strict(): ...
    @pytest.mark.hip_backend(cpu_devices=3, cpu_check=True)
    def test_in_a_process_of_its_own(): ...
    @pytest.mark.hip_backend_off
    def test_without(): ...
    def test_everywhere(cuda_backend): ...        # once on each backend that this machine has

pytest imports this module at every start, before coverage can measure anything, so it imports only modules of cuda_shim
that a test or an option asks for.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cuda_shim.errors import AlreadyImported
    from cuda_shim.pytest_processes import Processes
    from cuda_shim.session import Handle

__all__ = ["cuda_backend", "hip_backend", "hip_backend_session"]

_MODES = ("off", "on", "require")
_MARKER = (
    "hip_backend(backend=None, cuda=None, strict=None, require=False, **settings): "
    "run the test with cuda.* served on HIP, as enable() does; a test for a backend that this machine lacks is "
    "skipped, with require=True it fails; where a process reads a setting only once (backend, cpu_devices, "
    "cpu_check …) and the run has another value, the test gets a process of its own"
)
_OFF_MARKER = "hip_backend_off: run the test with cuda.* not served, whatever the run does"

#: Settings of the run that have an option and a line in the ini file, by their names; others are environment variables.
_SETTINGS = ("backend", "cuda", "strict", "cpu_devices", "cpu_threads", "cpu_warp_size", "cpu_check", "cpu_debug")

#: The run's own hold on the shim, kept where every hook finds it.
_HANDLE = pytest.StashKey["Handle"]()
_AVAILABLE = pytest.StashKey[list[str]]()
_REQUIRED = pytest.StashKey[str]()
_PROCESSES: pytest.StashKey[Processes] = pytest.StashKey()

#: The values of the environment variables that the run's own settings have changed.
_ENVIRONMENT = pytest.StashKey["dict[str, str | None]"]()

_ASK_NVIDIA = """
import sys
from cuda.bindings import driver
sys.exit(driver.cuInit(0)[0] != 0 or driver.cuDeviceGetCount()[1] < 1)
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and its ini setting."""
    group = parser.getgroup("cuda_shim", "CUDA Python on HIP")
    group.addoption(
        "--cuda-shim",
        choices=_MODES,
        help="serve cuda.* on HIP from the first import on (on), and stop where no backend answers (require); "
        "off: never, even if CUDA_SHIM=1 is set. Default: the ini setting cuda_shim, else the environment",
    )
    parser.addini("cuda_shim", "default of --cuda-shim: off, on or require", default="")
    for name in _SETTINGS:
        flag = f"--cuda-shim-{name.replace('_', '-')}"
        group.addoption(flag, help=f"the setting {name} of the run, as CUDA_SHIM_{name.upper()} in the environment")
        parser.addini(f"cuda_shim_{name}", f"default of {flag}", default="")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Enable the shim before conftest files, which may import ``cuda`` as well, are loaded."""
    early_config.stash[_ENVIRONMENT] = {}
    _give_settings(early_config)
    mode = early_config.known_args_namespace.cuda_shim or early_config.getini("cuda_shim")
    if not mode:
        return
    if mode not in _MODES:
        raise pytest.UsageError(f"cuda_shim = {mode} is not allowed; use {', '.join(_MODES)}")
    import cuda_shim

    if mode == "off":
        cuda_shim.disable()
        if "CUDA_SHIM" in os.environ:  # off in the children of tests, too, and in the workers of xdist
            early_config.stash[_ENVIRONMENT]["CUDA_SHIM"] = os.environ.pop("CUDA_SHIM")
        return
    try:
        early_config.stash[_HANDLE] = cuda_shim.enable()
        if mode == "require":
            early_config.stash[_REQUIRED] = _required()
    except cuda_shim.ShimError as error:
        raise pytest.UsageError(f"--cuda-shim={mode}: {error}") from None


def _give_settings(config: pytest.Config) -> None:
    """Put the settings of options and ini file into the environment, which the workers of xdist inherit."""
    for name in _SETTINGS:
        option = getattr(config.known_args_namespace, f"cuda_shim_{name}")
        value = option or config.getini(f"cuda_shim_{name}")
        if not value:
            continue
        from cuda_shim import settings
        from cuda_shim.errors import SettingError

        option_name = f"--cuda-shim-{name.replace('_', '-')}" if option else f"cuda_shim_{name}"
        try:
            checked = settings.setting(name).check(value, option_name)
        except SettingError as error:
            raise pytest.UsageError(str(error)) from None
        variable = settings.setting(name).variable
        config.stash[_ENVIRONMENT][variable] = os.environ.get(variable)
        os.environ[variable] = checked


def _required() -> str:
    """Return the backend that answers, found in another process: none is loaded in this one before a test wants it."""
    from cuda_shim.backends import available
    from cuda_shim.errors import BackendNotFound
    from cuda_shim.pytest_processes import in_fork

    def find_backend() -> str:
        try:
            return f"+{available.require()}"
        except BackendNotFound as error:
            return f"-{error}"

    status, answer = in_fork(find_backend)
    if not answer.startswith("+"):
        raise BackendNotFound(answer[1:] or f"the search for a backend ended with wait status {status}")
    return answer[1:]


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the one of xdist where that is not there to do it."""
    config.addinivalue_line("markers", _MARKER)
    config.addinivalue_line("markers", _OFF_MARKER)
    if not config.pluginmanager.hasplugin("xdist"):
        config.addinivalue_line("markers", "xdist_group(name): tests that one worker of pytest-xdist is to run")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let go of the shim: a run may be one of several in a process."""
    handle = config.stash.get(_HANDLE, None)
    if handle is not None:
        handle.disable()
    for variable, before in config.stash.get(_ENVIRONMENT, {}).items():
        if before is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = before


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Fork the process of tests that need their own, while nothing has been called in this one."""
    if session.config.option.collectonly:
        return
    own = {item.nodeid: settings for item in session.items if (settings := _own_process(session.config, item))}
    if not own:
        return
    from cuda_shim import backends, pytest_processes

    if backends.decided() is None:  # else HIP was called during the collection: these tests will report that
        session.config.stash[_PROCESSES] = pytest_processes.Processes(session.items, own)


def _own_process(config: pytest.Config, item: pytest.Item) -> dict[str, str]:
    """Return the settings of a test that this process cannot give it."""
    on_for_the_run = _HANDLE in config.stash or _is_waiting()
    if item.get_closest_marker("hip_backend_off"):
        return {"off": "1"} if on_for_the_run else {}
    marker = item.get_closest_marker("hip_backend")
    arguments = dict(marker.kwargs) if marker else {}
    backend = getattr(item, "callspec", None) and item.callspec.params.get("cuda_backend")  # type: ignore[attr-defined]
    if isinstance(backend, _Backend) and backend != "nvidia":
        arguments["backend"] = str(backend)
    if not arguments:
        return {}
    from cuda_shim.pytest_processes import own_settings

    return own_settings(arguments, on_for_the_run)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test that needs a process of its own there."""
    processes = item.config.stash.get(_PROCESSES, None)
    if processes is None or item.nodeid not in processes.own:
        return None
    processes.run(item, nextitem)
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let the process of those tests end."""
    processes = session.config.stash.get(_PROCESSES, None)
    if processes is not None:
        del session.config.stash[_PROCESSES]
        processes.end()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Return one line where the shim is on, nothing where it is off."""
    if "cuda_shim.session" not in sys.modules and not _is_waiting():
        return None
    import cuda_shim

    state = cuda_shim.status()
    if not state["enabled"]:
        return None
    from cuda_shim import backends

    decided = backends.decided()
    name = decided.name if decided is not None else config.stash.get(_REQUIRED, state["backend"])
    return f"cuda_shim: HIP backend {name}, CUDA {state['cuda']} ({state['cuda_reason']})"


def _is_waiting() -> bool:
    activation = sys.modules.get("cuda_shim.activation")
    return activation is not None and activation.installed_finder() is not None


@pytest.fixture
def hip_backend(request: pytest.FixtureRequest) -> Iterator[Handle]:
    """``cuda.*`` served on HIP during one test, by the settings of its marker; everything is restored after it.

    Fails where the test's module, or another loaded one, holds names of another package's ``cuda``.
    """
    marker = request.node.get_closest_marker("hip_backend")
    with _enabled(request.config, dict(marker.kwargs) if marker else {}) as handle:
        yield handle


@pytest.fixture(scope="session")
def hip_backend_session(request: pytest.FixtureRequest) -> Iterator[Handle]:
    """``cuda.*`` served on HIP from the first test that asks for it to the end of the run."""
    with _enabled(request.config, {}) as handle:
        yield handle


class _Backend(str):
    """A parameter of ``cuda_backend``; its class distinguishes it from the parameters of other people's fixtures."""


def _parameter(name: str) -> Any:
    # A process can load one HIP library, so the workers of xdist share the backends out.
    return pytest.param(_Backend(name), id=name, marks=pytest.mark.xdist_group(f"cuda_shim-{name}"))


@pytest.fixture(params=[_parameter(name) for name in ("nvidia", "rocm", "cpu")])
def cuda_backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test once on each backend that this machine has; the value is the backend's name.

    "nvidia" is cuda-python itself on an NVIDIA GPU, with the shim off; "rocm" and "cpu" are HIP's.  One process
    can load one HIP library, so where both are there the second is skipped, unless the workers of
    ``pytest -n 2 --dist loadgroup`` take one each.
    """
    name = str(request.param)
    if name not in _available(request.config):
        pytest.skip(f"this machine has no backend {name}: python -m cuda_shim doctor says why")
    if name == "nvidia":
        import cuda_shim

        if cuda_shim.is_enabled():
            pytest.skip("the shim is on, for the session or the run, and hides NVIDIA's packages")
        yield name
        return
    from cuda_shim import backends

    decided = backends.decided()
    if decided is not None and decided.name != name:
        pytest.skip(f"{decided.name} answers HIP calls in this process; pytest -n 2 --dist loadgroup runs both")
    with _enabled(request.config, {"backend": name}):
        yield name


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the runs on backends that are not there, and give marked tests their fixture."""
    absent = []
    for item in items:
        backend = getattr(item, "callspec", None) and item.callspec.params.get("cuda_backend")  # type: ignore[attr-defined]
        if isinstance(backend, _Backend) and _available(config) and backend not in _available(config):
            absent.append(item)
        fixtures = getattr(item, "fixturenames", None)
        if fixtures is not None and item.get_closest_marker("hip_backend") and "hip_backend" not in fixtures:
            fixtures.insert(0, "hip_backend")
    if absent:
        config.hook.pytest_deselected(items=absent)
        items[:] = [item for item in items if item not in absent]


def _available(config: pytest.Config) -> list[str]:
    """Return the backends that can run here, looked for once a run."""
    if _AVAILABLE not in config.stash:
        from cuda_shim.backends import available

        # With the shim on for the whole run, only the shim answers.
        shim_alone = _HANDLE in config.stash or _is_waiting()
        nvidia = [] if shim_alone or not _nvidia_answers() else ["nvidia"]
        config.stash[_AVAILABLE] = nvidia + available.hip_backends()
    return config.stash[_AVAILABLE]


def _nvidia_answers() -> bool:
    """Return whether NVIDIA's cuda-python is installed and finds a GPU; asked in another process."""
    if not any(os.path.exists(node) for node in ("/dev/nvidiactl", "/dev/dxg")):
        return False
    import subprocess

    command = [sys.executable, "-c", _ASK_NVIDIA]
    done = subprocess.run(command, env={**os.environ, "CUDA_SHIM": "0"}, capture_output=True, check=False)
    return done.returncode == 0


def _enabled(config: pytest.Config, arguments: dict[str, Any]) -> Handle:
    """Enable the shim for a fixture, or end its test with the reason against it."""
    import cuda_shim

    require = arguments.pop("require", False)
    skip = False
    try:
        return _take(arguments)
    except cuda_shim.AlreadyImported as error:
        message = _refusal(config, error)
    except cuda_shim.SettingError as error:
        message = f"hip_backend: {error}"
    except cuda_shim.BackendNotFound as error:
        message, skip = f"hip_backend: {error}", not require
    if skip:
        pytest.skip(message)
    pytest.fail(message, pytrace=False)


def _take(arguments: dict[str, Any]) -> Handle:
    """Return a handle on a shim whose backend answers."""
    import cuda_shim
    from cuda_shim.backends import available

    if cuda_shim.is_enabled():  # for the whole run: its settings cannot change
        answers = available.require()
        if arguments.get("backend", answers) not in (answers, "auto"):
            raise cuda_shim.BackendNotFound(f"{answers} answers HIP calls in this run, not {arguments['backend']}")
    try:
        handle = cuda_shim.enable(**arguments)
    except cuda_shim.AlreadyImported as error:
        if error.importers:
            raise
        # An earlier test's own imports, which are restored when this one is over, are in use no longer.
        handle = cuda_shim.enable(**arguments, force=True)
    try:
        available.require()
    except cuda_shim.BackendNotFound:
        handle.disable()
        raise
    return handle


def _refusal(config: pytest.Config, error: AlreadyImported) -> str:
    """Name the files that imported too early."""
    root = str(config.rootpath) + os.sep
    files = []
    for name in error.importers:
        file = getattr(sys.modules.get(name), "__file__", None)
        files.append(file.removeprefix(root) if file else name)
    verb = "holds" if len(files) == 1 else "hold"
    return (
        f"{', '.join(files)} {verb} names of {', '.join(error.modules)}, imported before the fixture could serve "
        "them: use --cuda-shim=on, or import inside the test"
    )
