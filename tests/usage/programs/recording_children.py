import multiprocessing
import os
import signal
import subprocess
import sys


def once():
    from cuda.bindings import driver

    driver.cuInit(0)


def leave():
    once()
    os._exit(0)


def killed():
    once()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    contexts = [multiprocessing.get_context(method) for method in ("fork", "spawn", "forkserver")]
    for context in contexts:
        for target in (once, leave, killed):
            child = context.Process(target=target)  # type: ignore[attr-defined]
            child.start()
            child.join()
    code = "from cuda.bindings import driver; driver.cuInit(0)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd="/")
    if os.fork() == 0:
        once(), sys.exit()
    os.wait()
    once()
