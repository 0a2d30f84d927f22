"""Recording of a session's calls: those counted for the report, and those watched for profiles and checks.

This is read when a program imports ``cuda``, so it imports other modules when recording is asked for.
"""

from __future__ import annotations

from cuda_shim.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from cuda_shim.settings import Settings
    from cuda_shim.usage.profile import Profile
    from cuda_shim.usage.timeline import Timeline
    from cuda_shim.usage.watching import Watch

__all__ = ["RECORDS", "Profiled", "Recording"]

#: The settings that ask for recordings, which may begin at any time.
RECORDS = ("report", "profile", "trace")


class Recording:
    """The recording of the calls of one session."""

    def __init__(self) -> None:
        self.counting = False
        self.timeline: Timeline | None = None
        self._watcher: Watch | None = None

    def begin(self, chosen: Settings) -> None:
        """Begin the recordings that the settings ask for and that have not begun yet. Raises SettingError."""
        wanted = {name: text for name in RECORDS if (text := chosen.text(name)) not in ("", "0")}
        if wanted:
            from cuda_shim.usage import recorder

            for name, destination in wanted.items():
                recorder.adopt(name, destination)
        if "report" in wanted and not self.counting:
            from cuda_shim.binding.functions import counting

            counting.start(recorder.add)
            self.counting = True
        timed = "profile" in wanted or "trace" in wanted
        # Errors found in kernels are reported with the line of the program that launched them.
        if timed or chosen.cpu_check or chosen.cpu_debug or chosen.cpu_debug_thread:
            self.watch(timed)

    def watch(self, timed: bool) -> bool:
        """Look at each call from now on, and note when, if that is wanted. False when that is done already."""
        if self._watcher is not None and (self.timeline is not None or not timed):
            return False
        from cuda_shim.binding.functions import counting
        from cuda_shim.usage.watching import Watch

        if timed:
            from cuda_shim.usage import recorder
            from cuda_shim.usage.timeline import Timeline

            self.timeline = Timeline(recorder.folder())
        self._watcher = Watch(self.timeline)
        counting.watch(self._watcher)
        return True

    def flush(self) -> None:
        """Have everything in the timeline that is measured."""
        if self._watcher is not None:
            self._watcher.flush()

    def unwatch(self) -> None:
        """Look at calls no more."""
        if self._watcher is None:
            return
        from cuda_shim.binding.functions import counting

        counting.unwatch()
        self._watcher.stop()
        if self.timeline is not None:
            self.timeline.close()
        self._watcher = self.timeline = None

    def end(self) -> None:
        """End all recordings."""
        if self.counting:
            from cuda_shim.binding.functions import counting

            counting.stop()
            self.counting = False
        self.unwatch()


class Profiled:
    """A context manager that measures the calls in a block; it has the profile once the block has ended."""

    def __init__(self, recording: Recording | None) -> None:
        """Measure the calls that `recording` sees. Raises SettingError without a session."""
        if recording is None:
            raise SettingError("cuda_shim is not enabled, so it sees no calls: call cuda_shim.enable() first")
        self._recording = recording
        self.profile: Profile | None = None

    def __enter__(self) -> Profiled:
        """Begin. Raises SettingError when no folder for the measurements can be made."""
        from cuda_shim.usage import recorder

        recorder.adopt("profile", "record")
        self._watched_before = self._recording.timeline is None and self._recording._watcher is not None
        self._began = self._recording.watch(timed=True)
        self._recording.flush()  # calls before the block are no part of it
        timeline = self._recording.timeline
        self._start = 0 if timeline is None else timeline.size()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from cuda_shim.usage import recorder
        from cuda_shim.usage.profile import Profile

        _finish_work()
        self._recording.flush()
        self.profile = Profile.of_folder(recorder.folder(), self._start)
        if self._began:
            self._recording.unwatch()
        if self._watched_before:
            self._recording.watch(timed=False)


def _finish_work() -> None:
    """Wait for the current device: work that still runs is to be measured."""
    from cuda_shim import backends

    if backends.decided() is not None:
        import ctypes

        from cuda_shim.backends import native

        native.function("hipDeviceSynchronize", ctypes.c_int)()
