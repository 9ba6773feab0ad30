"""Dumps are written beside the conversion: the same files on one core, on all and without threads; whole ones alone after a signal.

usage: dump_threads_test.py BUILD
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))
import onnx_wire  # noqa: E402
from programs import TIMEOUT_S, Programs  # noqa: E402

LAYERS = 120  # the dumps are some megabytes: their writers are behind the conversion
FORMS = {"DUMP_GE_GRAPH": "2", "DUMP_GRAPH_LEVEL": "1", "DUMP_GRAPH_FORMAT": "ge_proto|onnx|readable"}


def one_core():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def no_threads():
    """A stack of a thread, as large as that of the program, has no place then."""
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 36, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 34, 1 << 34))


def begin(programs, model, folder, before=None):
    folder.mkdir()
    environment = {**os.environ, **FORMS, "DUMP_GRAPH_PATH": str(folder / "dumps")}
    command = [str(word) for word in programs.atc_command(model, folder / "m.om")]
    return subprocess.Popen(command, env=environment, cwd=folder, preexec_fn=before, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip


def written(folder):
    """{name: bytes} of all that is there: the om and the dumps, or what is left of them."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def differences(programs, model, scratch):
    """Faults of conversions that run at the same time, so that the machine is loaded."""
    ways = {"all_cores": None, "one_core": one_core, "no_threads": no_threads}
    running = {way: begin(programs, model, scratch / way, before) for way, before in ways.items()}
    faults = []
    for way, process in running.items():
        text = process.communicate(timeout=TIMEOUT_S)[0]
        if process.returncode != 0:
            return [f"{way}: exit status {process.returncode}\n{text}"]
    expected = written(scratch / "all_cores")
    if len(expected) < 60:
        faults.append(f"only {len(expected)} files are written")
    for way in ways:
        found = written(scratch / way)
        if found.keys() != expected.keys():
            faults.append(f"{way}: other files: {sorted(found.keys() ^ expected.keys())}")
        faults += [f"{way}: {name} is another" for name in expected if found.get(name) != expected[name]]
    return faults


def leftovers(programs, model, folder, number, files, expected):
    """Faults of a conversion that the signal ends after so many files: what is there is as without the signal."""
    process = begin(programs, model, folder)
    end = time.monotonic() + TIMEOUT_S
    while process.poll() is None and len(list(folder.glob("dumps/*/ge_*"))) < files and time.monotonic() < end:
        time.sleep(0.001)
    process.send_signal(number)
    text = process.communicate(timeout=TIMEOUT_S)[0]
    how = f"{number.name} after {files} files"
    faults = []
    if process.returncode != 255 or "Interrupted" not in text:
        faults.append(f"{how}: exit status {process.returncode}\n{text}")
    found = written(folder)
    faults += [f"{how}: {name} is left" for name in found if name not in expected]
    faults += [f"{how}: {name} is not whole" for name in found if found[name] != expected.get(name, found[name])]
    return faults


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    programs = Programs(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        model = scratch / "long.onnx"
        onnx_wire.write_long_model(model, LAYERS)
        faults = differences(programs, model, scratch)
        expected = written(scratch / "all_cores")
        for number in (signal.SIGINT, signal.SIGTERM):
            for files in (2, 20):
                faults += leftovers(programs, model, scratch / f"{number.name}{files}", number, files, expected)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
