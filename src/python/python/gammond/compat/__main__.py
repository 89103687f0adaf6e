"""``python -m gammond.compat install-names``: installs modules `gnubg_nn` and `gnubg` that import gammond's."""

import argparse
import sysconfig
from pathlib import Path

NAMES = ("gnubg_nn", "gnubg")
MARK = "# Written by gammond.compat: remove it with `python -m gammond.compat remove-names`.\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m gammond.compat")
    parser.add_argument("command", choices=["install-names", "remove-names"])
    parser.add_argument("--folder", type=Path, default=Path(sysconfig.get_paths()["purelib"]))
    args = parser.parse_args()
    for name in NAMES:
        file = args.folder / f"{name}.py"
        ours = file.exists() and file.read_text().startswith(MARK)
        if args.command == "remove-names":
            if ours:
                file.unlink()
                print(f"removed {file}")
            continue
        if (file.exists() and not ours) or (args.folder / name).exists():
            print(f"{name}: another package has this name in {args.folder}; uninstall it first")
            return 1
        body = (
            f"import sys\n\nfrom gammond.compat import {name}\n\n"
            f"sys.modules[__name__] = {name}\n"
        )
        file.write_text(MARK + body)
        print(f"installed {file}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
