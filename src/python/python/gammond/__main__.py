"""The program `gammond`: `python -m gammond` and the console script."""

import os
import signal
import sys

from . import _gammond


def _script(arguments: list[str]) -> str | None:
    """Returns the script of ``gammond gnubg -p FILE``, also under gnubg's own name, or None."""
    named = os.path.splitext(os.path.basename(arguments[0]))[0] in ("gnubg", "gnubg-cli")
    words = arguments[1:]
    if not named and "gnubg" not in words:
        return None
    for word, value in zip(words, [*words[1:], ""]):
        if word in ("-p", "--python") and value:
            return value
        if word.startswith("--python="):
            return word.partition("=")[2]
    return None


def _run_script(script: str, arguments: list[str]) -> None:
    """Runs a script as gnubg's Python does: `import gnubg` imports one session of the console."""
    import runpy

    from .compat import gnubg, use_nets

    for word, value in zip(arguments, [*arguments[1:], ""]):
        if word == "--nets" or word.startswith("--nets="):
            use_nets(word.partition("=")[2] or value)
    sys.modules["gnubg"] = gnubg
    sys.argv = [script]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, {"gnubg": gnubg}, "__main__")


def main() -> None:
    """Runs the program on the arguments of this process and exits with its exit code."""
    # Python defers signals until its own code runs again: the program handles them itself.
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            handler = signal.SIG_DFL if name == "SIGINT" else signal.SIG_IGN
            signal.signal(getattr(signal, name), handler)
    arguments = ["gammond", *sys.argv[1:]]
    if os.path.isfile(sys.argv[0]) and not sys.argv[0].endswith("__main__.py"):
        arguments[0] = sys.argv[0]
    script = _script(arguments)
    if script is not None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _run_script(script, arguments)
        return
    code = _gammond.run_program(arguments)
    sys.stdout.flush()
    # Threads of the program may still run: the interpreter must not wait for them.
    os._exit(code)


if __name__ == "__main__":
    main()
