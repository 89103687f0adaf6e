"""The program `gammond`: `python -m gammond` and the console script."""

import os
import signal
import sys

from . import _gammond


def main() -> None:
    """Runs the program on the arguments of this process and exits with its exit code."""
    # Python only notes signals until its own code runs again: the program handles them itself.
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            handler = signal.SIG_DFL if name == "SIGINT" else signal.SIG_IGN
            signal.signal(getattr(signal, name), handler)
    arguments = ["gammond", *sys.argv[1:]]
    if os.path.isfile(sys.argv[0]) and not sys.argv[0].endswith("__main__.py"):
        arguments[0] = sys.argv[0]
    code = _gammond.run_program(arguments)
    sys.stdout.flush()
    # Threads of the program may still run: the interpreter must not wait for them.
    os._exit(code)


if __name__ == "__main__":
    main()
