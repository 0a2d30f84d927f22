import ctypes
import signal
import sys
import threading
import time

library, caller = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL(sys.argv[1])
assert library.cuInit(0) == 0


class OfProgram(Exception):
    pass


class OfThread(BaseException):
    pass


def late(number, frame):
    raise OfProgram("too late")


def leave(number, frame):
    sys.exit(3)


def interrupted(name, most=10**9):
    """Print the status that C gets, and the exception that its Python caller gets."""
    status = (ctypes.c_int * 2)(-5, -5)
    error = None
    try:
        getattr(caller, name)(ctypes.c_long(most), status)
        for _ in range(1000):
            pass
    except (OfProgram, OfThread, KeyboardInterrupt, SystemExit) as raised:
        error = raised
    print(name, status[0], *([status[1]] if name == "go_on" else []), repr(error))


for handler in (late, signal.default_int_handler, leave):
    signal.signal(signal.SIGALRM, handler)
    for name in ("ask_driver", "ask_nvrtc", "go_on"):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        interrupted(name)
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.05)
interrupted("ask_text", 20000)
signal.setitimer(signal.ITIMER_REAL, 0.3)
interrupted("compile")

thread = threading.Thread(target=interrupted, args=["ask_driver"])
thread.start()
time.sleep(0.1)
ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(OfThread))
thread.join()

earlier = signal.signal(signal.SIGALRM, lambda number, frame: None)
signal.setitimer(signal.ITIMER_REAL, 0.05)
interrupted("ask_driver", 20000)  # a handler that returns changes nothing
