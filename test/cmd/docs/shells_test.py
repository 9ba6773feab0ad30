"""Completions in the shells that they are for, and man pages through a checker.

usage: shells_test.py BUILD

bash must be there; zsh, fish and mandoc are used where they are, and what is not is told.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
SHARE = BUILD / "share"
failures = []


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: found {found}, wanted {wanted}")


def complete_bash(words, cwd):
    """What bash offers for the last of `words`; '=' is a word of its own, as bash hands it to completions."""
    program = words[0]
    script = f"""
source {SHARE}/bash-completion/completions/{program}
COMP_WORDS=({' '.join("'" + w + "'" for w in words)})
COMP_CWORD={len(words) - 1}
_{program}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    run = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=cwd)
    expect(f"bash, stderr for {words}", run.stderr, "")
    return sorted(line for line in run.stdout.splitlines() if line)


def test_bash():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.onnx", "b c.onnx", "m.om"):
            Path(folder, name).touch()
        Path(folder, "out").mkdir()
        cases = [
            (["atc", "--mo"], ["--mode=", "--model=", "--modify_mixlist="]),
            (["atc", "--vers"], ["--version"]),
            (["atc", "--mode", "=", ""], ["0", "1", "3", "30", "5", "6", "7"]),
            (["atc", "--mode", "="], ["0", "1", "3", "30", "5", "6", "7"]),
            (["atc", "--mode", "3"], ["3", "30"]),
            (["atc", "--framework=5", "--model", "=", "a"], ["a.onnx"]),
            (["atc", "--model", "b"], ["b c.onnx"]),
            (["atc", "--mdl_bank_path", "=", ""], ["out"]),
            (["atc", "--soc_version", "=", "Ascend310P"],
             ["Ascend310P1", "Ascend310P3", "Ascend310P5", "Ascend310P7"]),
            (["atc", "--input_shape", "=", "x"], []),
            (["atc", "--help", "input_sh"], ["input_shape", "input_shape_range"]),
            (["atc", "--precision_mode_v2=mixed_f"], ["mixed_float16"]),
            (["omrun", ""], ["m.om", "out"]),
            (["omrun", "m.om", "--outfmt", ""], ["BIN", "JSON", "NPY", "TXT"]),
            (["omrun", "m.om", "--at"], ["--atol="]),
            (["omrun", "m.om", "--output", ""], ["out"]),
        ]
        for words, wanted in cases:
            expect(f"bash, {words}", complete_bash(words, folder), sorted(wanted))


def run_quiet(what, command, **options):
    run = subprocess.run(command, capture_output=True, text=True, **options)
    if run.returncode != 0 or run.stderr.strip():
        failures.append(f"{what}: {command}: status {run.returncode}: {run.stderr}{run.stdout}")
    return run.stdout


def test_zsh():
    for program in ("atc", "omrun"):
        file = SHARE / "zsh/site-functions" / f"_{program}"
        run_quiet("zsh", ["zsh", "-fn", file])
        # compinit finds the function and takes it for the program.
        shown = run_quiet("zsh", ["zsh", "-fc", f"fpath=({file.parent} $fpath); autoload -U compinit; compinit -D -u; "
                                                f"print $_comps[{program}]"])
        expect("zsh", shown.strip(), f"_{program}")


def test_fish():
    for program in ("atc", "omrun"):
        run_quiet("fish", ["fish", "--no-config", "-n", SHARE / "fish/vendor_completions.d" / f"{program}.fish"])
    file = SHARE / "fish/vendor_completions.d/atc.fish"
    shown = run_quiet("fish", ["fish", "--no-config", "-c", f"source {file}; complete -C 'atc --framework='"])
    expect("fish", sorted(line.split("\t")[0] for line in shown.splitlines()),
           [f"--framework={n}" for n in "0135"])


def test_mandoc():
    for program in ("atc", "omrun"):
        shown = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", SHARE / "man/man1" / f"{program}.1"],
                               capture_output=True, text=True).stdout
        # A page without a date is the same on any day.
        found = [line for line in shown.splitlines() if "missing date" not in line]
        expect(f"mandoc, {program}.1", found, [])


TESTS = {"bash": test_bash, "zsh": test_zsh, "fish": test_fish, "mandoc": test_mandoc}
if not SHARE.is_dir():
    sys.exit(f"{SHARE} is missing; build the target documents")
for tool, test in TESTS.items():
    if shutil.which(tool):
        test()
    else:
        print(f"SKIPPED: {tool} is not here")
print("\n".join(failures) if failures else "the shells take the completions")
sys.exit(1 if failures else 0)
