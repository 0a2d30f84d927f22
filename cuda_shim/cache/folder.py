"""The user's private cache folder: its path, whether it may be trusted, the contents of its notes.

It holds libraries that this process will load, so a folder that belongs to another user, or that others can write, is
refused. Everything in it can be made again: clearing it costs time and nothing else. Functions that change the cache
are in `entries`; this module imports only modules that the first HIP call needs.

    runtime/   the built libamdhip64 and libhiprtc, one folder for each source, machine and compiler
    kernels/   compiled kernels, written by libhiprtc
    zig/       zig's own cache, where zig is the compiler
    *.note     answers that take a process to get (compiler versions, device counts)

The C++ runtime finds the same folder by the same rule (common/settings.cpp) and trusts it by the same rule
(common/files.cpp); a test holds the two against each other.
"""

from __future__ import annotations

import os
import stat

from cuda_shim.errors import BackendNotFound
from cuda_shim.frozen_record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.settings import Settings

__all__ = ["NOTE_SUFFIX", "Cache", "cache_of"]

NOTE_SUFFIX = ".note"


class Cache(Record):
    """The cache whose folder is `root`, an absolute path; "" where no folder is known. It need not exist yet.

    `setting` names the choice of the folder, as the user gave it: the flag, the argument or the variable.
    """

    root: str
    setting: str = "CUDA_SHIM_CACHE_DIR"

    def path(self, *parts: str) -> str:
        """Return a path below the cache; raises BackendNotFound where no folder is known."""
        if not self.root:
            raise BackendNotFound(
                "there is no folder for the cache: neither HOME nor XDG_CACHE_HOME is set, and the user has no "
                f"home folder: set {self.setting}"
            )
        return os.path.join(self.root, *parts)

    def steps(self, folder: str) -> list[str]:
        """Return the cache's root, and every folder on the way from there to `folder`, which is the last."""
        folders = [self.path()]
        below = os.path.relpath(folder, folders[0])
        for part in [] if below == os.curdir else below.split(os.sep):
            folders.append(os.path.join(folders[-1], part))
        return folders

    def can_be_written(self) -> bool:
        """Return whether the folder, or the nearest above it that is there, can be written now."""
        folder = self.root
        while folder and not os.path.exists(folder):
            folder = os.path.dirname(folder)
        return bool(folder) and os.access(folder, os.W_OK | os.X_OK)

    def trusts(self, folder: str) -> bool:
        """Return whether `folder`, below the root, exists and may be loaded from. Raises BackendNotFound if not."""
        if not self.root:
            return False
        self.check_ancestors()
        for step in self.steps(folder):
            self.check(step)
        return os.path.isdir(folder)

    def read_note(self, name: str) -> list[tuple[str, str]]:
        """Return the remembered (key, answer) pairs of a note; none if the cache is missing or not trusted."""
        try:
            if not self.trusts(self.root):
                return []
            with open(self.path(name + NOTE_SUFFIX), encoding="utf-8", errors="surrogateescape") as note:
                lines = note.read().splitlines()
        except (OSError, BackendNotFound):
            return []
        pairs = (line.partition("\t") for line in lines)
        return [(key, answer) for key, tab, answer in pairs if tab]

    def check(self, folder: str) -> None:
        """Raise BackendNotFound when an existing `folder` is not the user's own or others can write to it.

        It may be a symbolic link that the user or root has laid.
        """
        try:
            link, target = os.lstat(folder), os.stat(folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._refused(folder, f"cannot be accessed ({error.strerror})") from None
        user = os.geteuid()
        if not stat.S_ISDIR(target.st_mode):
            raise self._refused(folder, "is not a folder")
        if target.st_uid != user or link.st_uid not in (user, 0):
            owner = link.st_uid if target.st_uid == user else target.st_uid
            raise self._refused(folder, f"belongs to another user (uid {owner})")
        if target.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise self._refused(folder, "can be written by others", f"run: chmod 700 {folder}")

    def check_ancestors(self) -> None:
        """Raise BackendNotFound where another user can exchange the root or a folder above it.

        In a sticky folder, such as /tmp, only the owner can. The folders of the path as it is written are checked, and
        those that its links lead to.
        """
        for path in dict.fromkeys((self.root, os.path.realpath(self.root))):
            folder = os.path.dirname(path)
            while folder:
                reason = _why_unsafe(folder)
                if reason:
                    raise self._refused(self.root, f"can be replaced by others: {folder} above it {reason}")
                folder = os.path.dirname(folder) if folder != "/" else ""

    def _refused(self, folder: str, reason: str, advice: str = "") -> BackendNotFound:
        advice = advice or f"set {self.setting} to a folder of your own"
        return BackendNotFound(f"cache folder {folder} {reason}, so nothing is loaded from it: {advice}")


def _why_unsafe(folder: str) -> str:
    """Return why others can rename files in a folder, "" where they cannot or it does not exist."""
    try:
        about = os.stat(folder)
    except OSError:
        return ""
    user = os.geteuid()
    if about.st_uid not in (user, 0) and not _has_no_name(about.st_uid):
        return f"belongs to another user (uid {about.st_uid})"
    if about.st_mode & stat.S_ISVTX:
        return ""
    # A group of the user's own has the user's number.
    shared = about.st_mode & stat.S_IWGRP and not about.st_gid == os.getegid() == user
    return "can be written by others" if shared or about.st_mode & stat.S_IWOTH else ""


def _has_no_name(user: int) -> bool:
    """Return whether a number stands for all users that have none here, root among them, as in a user's container."""
    try:
        with open("/proc/sys/kernel/overflowuid", encoding="ascii") as file:
            overflow = int(file.read())
        with open("/proc/self/uid_map", encoding="ascii") as file:
            ranges = [tuple(map(int, line.split())) for line in file]
    except (OSError, ValueError):
        return False
    return user == overflow and not any(first <= user < first + count for first, _, count in ranges)


def cache_of(chosen: Settings) -> Cache:
    """Return the cache by the setting `cache_dir`, else XDG_CACHE_HOME/cuda-shim, else ~/.cache/cuda-shim.

    A relative `cache_dir` starts at the working folder, a leading ~ is the home folder; a relative XDG_CACHE_HOME
    is ignored, as its specification asks. Without any of them there is no cache folder.
    """
    folder, setting = chosen.cache_dir, chosen.origin("cache_dir")
    if folder == "~" or folder.startswith("~/"):
        home = _home()
        return Cache(os.path.normpath(home + folder[1:]) if home else "", setting)
    if folder:
        return Cache(os.path.abspath(folder), setting)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = _home()
        base = os.path.join(home, ".cache") if home else ""
    return Cache(os.path.normpath(os.path.join(base, "cuda-shim")) if base else "", setting)


def _home() -> str:
    """Return the user's home folder by HOME, else by the user database; "" where neither names an absolute path."""
    home = os.environ.get("HOME", "")
    if not home:
        import pwd

        try:
            home = pwd.getpwuid(os.geteuid()).pw_dir
        except KeyError:
            return ""
    return home if os.path.isabs(home) else ""
