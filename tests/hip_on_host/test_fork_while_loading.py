"""A child that is forked while other threads load modules can load modules."""

from __future__ import annotations

from tests.hip_on_host.kernel_modules import compile_module


def test_children_load_modules(run_hip) -> None:
    """glibc's loader has a lock of its own, which fork() does not take."""
    path = compile_module("basic")
    out = run_hip(f"""
import signal, threading
image = open({str(path)!r}, "rb").read()
going = True
def load():
    while going:
        check(hip.hipModuleUnload(check(hip.hipModuleLoadData(image))))
threads = [threading.Thread(target=load) for _ in range(4)]
for thread in threads: thread.start()
ends = []
for _ in range(60):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        check(hip.hipModuleUnload(check(hip.hipModuleLoadData(image))))
        os._exit(0)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
going = False
for thread in threads: thread.join()
print(set(ends))
""")
    assert out.split() == ["{0}"]
