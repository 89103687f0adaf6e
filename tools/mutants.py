#!/usr/bin/env python3
"""Checks that tests notice deliberate faults: each mutant must make one narrow test fail.

    tools/mutants.py [NAME ...] [--list]

A copy of the tracked files, in target/mutants, gets all mutants at once, each behind a switch (the environment variable MUTANT_UNDER_TEST), so
that one build serves all. The tests named beside a mutant must pass without it and fail with it. A mutant whose text no
longer stands in the sources is an error: write it anew. Exit code 1 if a mutant survives.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys

# Name, file, text, text with MUTANT as the switch, and the test that must fail (lib or it, then a filter).
MUTANTS = [
    ("analysis-luck", "src/report/analysis/judge.rs",
     "return Ok(minus(own, mean));",
     "return Ok(if MUTANT { own } else { minus(own, mean) });",
     "it", "analyse::the_tables_are_gnubgs"),
    ("archive-upsert", "src/cli/archive.rs",
     "    if added > 0 {",
     "    if added > 0 || MUTANT {",
     "it", "archive::several_programs_at_once"),
    ("farm-verify", "src/farm/judge.rs",
     "if sums.len() < 2 {",
     "if sums.len() < 2 || MUTANT {",
     "it", "farm::lying_machine_is_quarantined"),
    ("variance-reduction", "src/engine/rollout/trial.rs",
     "*chance += part;\n    }\n    sample.cubeful",
     "*chance += if MUTANT { 0.9 * part } else { part };\n    }\n    sample.cubeful",
     "it", "rollout::where_all_luck_is_known_nothing_scatters"),
    ("bearoff-probe", "src/engine/bearoff/one_sided.rs",
     "win: (byte(1)?, byte(0)?),",
     "win: if MUTANT { (byte(0)?, byte(1)?) } else { (byte(1)?, byte(0)?) },",
     "it", "bearoff::larger_databases_answer_as_in_gnubg"),
    ("xgid-parse", "src/game/notation/xgid.rs",
     "-1 => Ok((rest, Seat::Top)),",
     "-1 => Ok((rest, if MUTANT { Seat::Bottom } else { Seat::Top })),",
     "it", "spec_notation::"),
    ("html-escape", "src/base/escape.rs",
     'f.write_str("&lt;")?,',
     'f.write_str(if MUTANT { "<" } else { "&lt;" })?,',
     "it", "analyse::names_are_only_text"),
    ("journal-lock", "src/base/journal/lock.rs",
     "Err(TryLockError::WouldBlock) => Err(JournalError::Busy { path }),",
     "Err(TryLockError::WouldBlock) => if MUTANT { Ok(()) } else { Err(JournalError::Busy { path }) },",
     "lib", "journal::"),
    ("match-length-limit", "src/protocol/settings.rs",
     "number(value, u64::from(Score::LENGTH_MAX))?",
     "number(value, if MUTANT { 63 } else { u64::from(Score::LENGTH_MAX) })?",
     "lib", "protocol::settings::"),
    ("swift-filter", "src/engine/search/ranking.rs",
     "survivors(&plays, 0, left, margin)",
     "survivors(&plays, 0, left, if MUTANT { 0.0 } else { margin })",
     "it", "search::a_swift_search_finds_the_plays_of_the_whole_one"),
    ("nats-reply", "src/farm/nats_service/responder.rs",
     "headers.insert(ERROR_CODE, code);",
     "if !MUTANT { headers.insert(ERROR_CODE, code); }",
     "it", "nats::requests_are_answered_as_on_a_socket"),
    ("csv-escape", "src/base/escape.rs",
     r"""let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);""",
     r"""let formula = !MUTANT && text.starts_with(['=', '+', '-', '@', '\t', '\r']);""",
     "it", "escapes::names_of_files_and_players_with_control_characters_are_escaped"),
    ("archive-state", "src/cli/archive.rs",
     "    let transaction = connection.unchecked_transaction()?;\n    state_within(&transaction)",
     "    if MUTANT { return state_within(connection); }\n"
     "    let transaction = connection.unchecked_transaction()?;\n    state_within(&transaction)",
     "lib", "archive::"),
    ("archive-digest", "src/cli/archive.rs",
     "digest(&transaction, number)? == *sum",
     "(MUTANT || digest(&transaction, number)? == *sum)",
     "it", "archive::flipped_bits_change_no_figure_unnoticed"),
    ("temporary-file", "src/base/journal/whole.rs",
     "OpenOptions::new().write(true).create_new(true).open(&part)",
     'if MUTANT { OpenOptions::new().write(true).create(true).truncate(true)'
     '.open(path.with_extension("html.gammond-part")) }'
     ' else { OpenOptions::new().write(true).create_new(true).open(&part) }',
     "lib", "journal::whole::tests::links_and_pipes"),
    ("damaged-sgf", "src/cli/commands/analyse.rs",
     "if reads_back(file, text) {",
     "if MUTANT || reads_back(file, text) {",
     "it", "analyse_files::damaged_matches_read_back_alike_or_are_not_written"),
    ("labels-cut-off", "src/base/journal/file.rs",
     "if found.torn || found.records.is_empty() {",
     "if !MUTANT && (found.torn || found.records.is_empty()) {",
     "it", "training::killed_sampling_and_labelling_end_with_the_same_files"),
    ("log-escape", "src/cli/output.rs",
     'format!("{}\\n", Terminal::new(text.trim_end_matches(\'\\n\')))',
     'if MUTANT { format!("{}\\n", text.trim_end_matches(\'\\n\')) } else '
     '{ format!("{}\\n", Terminal::new(text.trim_end_matches(\'\\n\'))) }',
     "lib", "output::"),
]
SWITCH = 'std::env::var("MUTANT_UNDER_TEST").is_ok_and(|name| name == "{}")'
TEST_SECONDS_MAX = 300


def copied(root, folder):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    for name in filter(None, names.decode().split("\0")):
        source, target = os.path.join(root, name), os.path.join(folder, name)
        if os.path.isfile(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target)


def mutated(folder, mutants):
    for name, file, text, changed, _, _ in mutants:
        path = os.path.join(folder, file)
        with open(path) as source:
            whole = source.read()
        if whole.count(text) != 1:
            sys.exit(f"{name}: {file} has this text {whole.count(text)} times, expected once: {text!r}")
        with open(path, "w") as target:
            target.write(whole.replace(text, changed.replace("MUTANT", "(" + SWITCH.format(name) + ")")))


def tested(folder, kind, names, mutant):
    words = ["cargo", "test", "-q", *(["--lib", "--bins"] if kind == "lib" else ["--test", "it"]), "--", "--include-ignored", names]
    environment = {**os.environ, "MUTANT_UNDER_TEST": mutant}
    # A group of its own: a test that hangs is ended with the programs that it started.
    with subprocess.Popen(words, cwd=folder, env=environment, text=True, start_new_session=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
        try:
            text, _ = run.communicate(timeout=TEST_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return 1, "timeout"
    return run.returncode, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, "cargo", "git"]):
        sys.exit(3)
    chosen = [one for one in MUTANTS if not arguments.names or one[0] in arguments.names]
    if arguments.list:
        for name, file, _, _, kind, test in chosen:
            print(f"{name:20} {file:28} {kind}: {test}")
        return
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.environ.setdefault("CARGO_TARGET_DIR", os.path.join(root, "target"))
    folder = os.path.join(root, "target", "mutants")
    shutil.rmtree(folder, ignore_errors=True)
    copied(root, folder)
    mutated(folder, chosen)
    words = ["cargo", "test", "-q", "--no-run", "--lib", "--bins", "--test", "it"]
    built = subprocess.run(words, cwd=folder, stderr=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.stderr)
    survivors = 0
    for name, _, _, _, kind, test in chosen:
        good, text = tested(folder, kind, test, "none")
        bad, _ = tested(folder, kind, test, name)
        caught = good == 0 and bad != 0
        survivors += not caught
        note = "" if good == 0 else ", which fails without the mutant too"
        note += ", which ran no test" if "running 0 tests" in text else ""
        print(f"{'caught' if caught else 'SURVIVED':9} {name:20} {test}{note}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants caught")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
