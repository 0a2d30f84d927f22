"""Recording of a session's calls: the listeners that its settings ask for, and the profile of one block.

This is read when a program imports ``cuda``, so it imports other modules when recording is asked for.
"""

from __future__ import annotations

from cuda_shim.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from cuda_shim.settings import Settings
    from cuda_shim.usage.call_counter import CallCounter
    from cuda_shim.usage.call_tracer import CallTracer
    from cuda_shim.usage.profile import Profile
    from cuda_shim.usage.timeline import Timeline

__all__ = ["OUTPUTS", "ProfiledBlock", "Recording"]

#: The settings that ask for recordings, which may begin at any time.
OUTPUTS = ("report", "profile", "trace")


class Recording:
    """The recording of the calls of one session."""

    def __init__(self) -> None:
        self.timeline: Timeline | None = None
        self._counter: CallCounter | None = None
        self._tracer: CallTracer | None = None

    def begin(self, chosen: Settings) -> None:
        """Begin the recordings that the settings ask for and that have not begun yet. Raises SettingError."""
        destinations = {name: text for name in OUTPUTS if (text := chosen.text(name)) not in ("", "0")}
        if destinations:
            from cuda_shim.usage import report_folder

            for name, destination in destinations.items():
                report_folder.join(name, destination)
        if "report" in destinations and self._counter is None:
            from cuda_shim.instrumentation import functions
            from cuda_shim.usage.call_counter import CallCounter

            self._counter = CallCounter()
            functions.install(self._counter)
        timed = "profile" in destinations or "trace" in destinations
        # Errors found in kernels are reported with the line of the program that launched them.
        if timed or chosen.cpu_check or chosen.cpu_debug or chosen.cpu_debug_thread:
            self.trace(timed)

    def trace(self, timed: bool) -> bool:
        """Trace each call from now on, with its times if `timed`. Returns False when that is done already."""
        if self._tracer is not None and (self.timeline is not None or not timed):
            return False
        from cuda_shim.instrumentation import functions
        from cuda_shim.usage.call_tracer import CallTracer

        if timed:
            from cuda_shim.usage import report_folder
            from cuda_shim.usage.timeline import Timeline

            self.timeline = Timeline(report_folder.path())
        untimed, self._tracer = self._tracer, CallTracer(self.timeline)
        functions.install(self._tracer, replaced=untimed)
        return True

    @property
    def traces_without_times(self) -> bool:
        """True while calls are traced for the CPU runtime's findings alone."""
        return self._tracer is not None and self.timeline is None

    def flush(self) -> None:
        """Have everything in the timeline that is measured."""
        if self._tracer is not None:
            self._tracer.flush()

    def stop_tracing(self) -> None:
        """Trace no more calls."""
        if self._tracer is None:
            return
        from cuda_shim.instrumentation import functions

        functions.uninstall(self._tracer)
        self._tracer.stop()
        if self.timeline is not None:
            self.timeline.close()
        self._tracer = self.timeline = None

    def end(self) -> None:
        """End all recordings."""
        if self._counter is not None:
            from cuda_shim.instrumentation import functions

            functions.uninstall(self._counter)
            self._counter = None
        self.stop_tracing()


class ProfiledBlock:
    """A context manager that measures the calls in a block; it has the profile once the block has ended."""

    def __init__(self, recording: Recording | None) -> None:
        """Measure the calls that `recording` sees. Raises SettingError without a session."""
        if recording is None:
            raise SettingError("cuda_shim is not enabled, so it sees no calls: call cuda_shim.enable() first")
        self._recording = recording
        self.profile: Profile | None = None

    def __enter__(self) -> ProfiledBlock:
        """Begin. Raises SettingError when no folder for the measurements can be made."""
        from cuda_shim.usage import report_folder

        report_folder.join("profile", "record")
        self._was_traced = self._recording.traces_without_times
        self._is_first = self._recording.trace(timed=True)
        self._recording.flush()  # calls before the block are no part of it
        timeline = self._recording.timeline
        self._start = 0 if timeline is None else timeline.size()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from cuda_shim.usage import report_folder
        from cuda_shim.usage.profile import Profile

        _finish_work()
        self._recording.flush()
        self.profile = Profile.of_folder(report_folder.path(), self._start)
        if self._is_first:
            self._recording.stop_tracing()
        if self._was_traced:
            self._recording.trace(timed=False)


def _finish_work() -> None:
    """Wait for the current device: work that still runs is to be measured."""
    from cuda_shim import backends

    if backends.decided() is not None:
        import ctypes

        from cuda_shim.backends import native

        native.function("hipDeviceSynchronize", ctypes.c_int)()
