#!/usr/bin/env python3
"""Runs every block of a Markdown page, word for word, so that it stays true.

    tools/readme.py [--rewrite] PAGE.md[#HEADING]...

HEADING is a link's name of a section of the second level, whose blocks alone are run (`README.md#five-minutes`).
`sh` and `python` blocks are run and must end with 0; `console` blocks hold `$ command` lines with what they
print, which is compared (or, with --rewrite, written anew). Other blocks are for reading. A comment before a
block changes that:

    <!-- ci: background -->     the block runs until the page is done
    <!-- ci: skip, REASON -->   it is not run, and the reason is printed

Commands run in the repository's root; `gammond` must be in PATH.
"""
import os, re, signal, subprocess, sys, tempfile, time

FENCE = re.compile(r"^```(\w*)\s*$")
# A block that takes longer is hung: the longest builds the program, or builds and runs all tests.
LIMIT_S = 3600
# Lines of a failed block's output that are shown.
SHOWN_MAX = 100


def shell(command):
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=LIMIT_S)
    return done.returncode, done.stdout + done.stderr


def recorded(block, page, failed):
    """The lines of a console block with what its commands print now."""
    found, at = [], 0
    while at < len(block):
        line = block[at]
        at += 1
        if not line.startswith("$ "):
            continue
        _, output = shell(line[2:])
        found.append(line)
        found.extend(text.rstrip() for text in output.splitlines())
    if found != [line.rstrip() for line in block]:
        failed.append(f"{page}: what is recorded differs:\n  " + "\n  ".join(found))
    return found


def slug(heading):
    return re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")


def run(page, rewrite):
    page, _, section = page.partition("#")
    lines = open(page).read().splitlines()
    if section and section not in (slug(line[3:]) for line in lines if line.startswith("## ")):
        sys.exit(f"{page} has no section {section}")
    out, failed, background, order, at, inside = [], [], [], "", 0, not section
    while at < len(lines):
        line = lines[at]
        out.append(line)
        at += 1
        if section and line.startswith("## "):
            inside = slug(line[3:]) == section
        comment = re.match(r"<!-- ci: (.*) -->", line)
        if comment:
            order = comment.group(1)
            continue
        fence = FENCE.match(line)
        if not fence:
            if line.strip():
                order = ""
            continue
        end = at
        while lines[end] != "```":
            end += 1
        block, kind = lines[at:end], fence.group(1)
        at = end + 1
        if not inside:
            pass
        elif order.startswith("skip"):
            print(f"-- {page}: {order}")
        elif kind == "console":
            block = recorded(block, page, failed)
            print(f"-- {page}: {sum(line.startswith('$ ') for line in block)} recorded commands")
        elif kind == "sh" and order == "background":
            print(f"-- {page}: in the background: {block[0]}")
            background.append(subprocess.Popen(["bash", "-c", "\n".join(block)], start_new_session=True))
            time.sleep(3)
        elif kind in ("sh", "python"):
            words = ["bash", "-ec"] if kind == "sh" else ["python3", "-c"]
            print(f"-- {page}: {kind}: {block[0]}", flush=True)
            with tempfile.TemporaryFile("w+") as said:
                code = subprocess.run(words + ["\n".join(block)], stdin=subprocess.DEVNULL, stdout=said,
                                      timeout=LIMIT_S).returncode
                said.seek(0)
                shown = said.read().splitlines()[-SHOWN_MAX:] if code else []
            if code:
                failed.append(f"{page}: ends with {code}:\n  " + "\n  ".join(block + shown))
        order = ""
        out.extend(block + ["```"])
    for process in background:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
    if rewrite:
        open(page, "w").write("\n".join(out) + "\n")
        failed = [text for text in failed if "recorded differs" not in text]
    for text in failed:
        print(text)
    return not failed


def main():
    rewrite = "--rewrite" in sys.argv
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, "bash"]):
        sys.exit(3)
    pages = [word for word in sys.argv[1:] if not word.startswith("--")]
    if not all([run(page, rewrite) for page in pages]):
        sys.exit(1)


main()
