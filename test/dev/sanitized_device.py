"""Builds the device with sanitizers and runs its API cases under them: runtime, C API and executor as programs of tests, the
operator calls and the threads over models from Python.

usage: sanitized_device.py address|thread [FOLDER]    FOLDER: of the build, build/sanitize-device or build/tsan by default

address: address and undefined behaviour, presets `sanitize-device`. thread: races, preset `tsan`, on one core of the machine,
so that teams have one member: libgomp's own synchronisation is not seen by the sanitizer, and its threads would be reported
wherever they share anything. What the sanitized parts call is compiled as always (OPENATC_SANITIZED_FOLDERS in the presets);
tsan_suppressions.txt names the libraries that are not ours. Exit status 1 for any report, failed case, or fewer than 400.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {"address": ["test_backend_runtime", "test_backend_acl", "test_backend_executor"],
            "thread": ["test_backend_runtime", "test_backend_acl"]}  # fmt: skip
PRESET = {"address": ("sanitize-device", "libasan.so"), "thread": ("tsan", "libtsan.so")}
LEAST = 400
PYTHON = "/usr/bin/python3"


def environment(kind, library=None):
    env = dict(os.environ)
    env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    # Python keeps much of its memory until it ends: leaks are looked for in the programs alone.
    env["ASAN_OPTIONS"] = f"detect_leaks={0 if library else 1}"
    env["TSAN_OPTIONS"] = f"suppressions={ROOT / 'test/dev/tsan_suppressions.txt'}:exitcode=66:ignore_noninstrumented_modules=1"
    if library:
        # With the C++ library, since Python is C: the sanitizer looks for what it intercepts when the program starts.
        names = (library, "libstdc++.so.6")
        paths = (subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip() for name in names)
        env["LD_PRELOAD"] = ":".join(paths)
    return env


def run(kind, command, library=None):
    """Runs one program of cases; returns how many cases it had, or None where it failed."""
    if kind == "thread":
        command = ["taskset", "-c", "0", *command]
    done = subprocess.run([str(c) for c in command], cwd=ROOT, env=environment(kind, library), capture_output=True, text=True)
    output = done.stdout + done.stderr
    name = " ".join(Path(str(c)).name for c in command)
    report = re.search(r"ERROR: AddressSanitizer|runtime error:|WARNING: ThreadSanitizer|LeakSanitizer", output)
    if done.returncode != 0 or report:
        print(f"{name}: exit status {done.returncode}\n{output[-6000:]}")
        return None
    counted = re.search(r"in (\d+) test cases", output) or re.search(r"^(\d+) cases", output, re.M) or re.search(r"(\d+) cases", output)
    cases = int(counted[1]) if counted else 1
    print(f"{name}: {cases} cases, nothing reported", flush=True)
    return cases


def main(kind, folder=None):
    preset, library = PRESET[kind]
    build = Path(folder) if folder else ROOT / "build" / preset
    subprocess.run(["cmake", "--preset", preset, "-B", build], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, *PROGRAMS[kind], "ascendcl", "atc"], check=True)
    ascendcl, aclnn = build / "lib/libascendcl.so", ROOT / "test/backend/aclnn"
    signatures = ROOT / "backend/aclnn/signatures.tsv"
    results = [run(kind, [build / "bin" / program]) for program in PROGRAMS[kind]]
    for script in ("contract", "operators"):
        results.append(run(kind, [PYTHON, aclnn / f"{script}_test.py", ascendcl, signatures], library))
    results.append(run(kind, [PYTHON, ROOT / "test/backend/acl/null_arguments_test.py", ascendcl, ROOT / "backend/acl/include", build / "aclnn_include/aclnnop"], library))
    results.append(run(kind, [PYTHON, ROOT / "test/programs/model_stress_test.py", build, 20], library))
    total = sum(cases or 0 for cases in results)
    print(f"{kind}: {total} cases, {results.count(None)} programs with faults")
    return 1 if None in results or total < LEAST else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in PRESET:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
