"""What a user can get wrong ends in a message and a status, and leaves nothing behind.

usage: failures_test.py BUILD

Every case runs a program in a folder of its own. It must end by itself with the documented status (255 for atc, 1 for
omrun), say something that names what is wrong, not be ended by a signal, and leave the output folder as it was.
"""

import os
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import onnx_wire  # noqa: E402
from programs import Programs, Result, TIMEOUT_S, written_om  # noqa: E402

CUTS = 48  # places at which a file is cut; the first and last bytes, and the rest spread evenly


def snapshot(folder):
    """{path below the folder: size}."""
    return {str(p.relative_to(folder)): p.stat().st_size for p in sorted(folder.rglob("*")) if p.is_file()}


def cut_places(size):
    return sorted({0, 1, 4, 255, 256, 257, size - 1, *(size * k // CUTS for k in range(CUTS))} - {size})


def npy(file, array_type, shape, raw):
    """Writes a .npy of version 1.0."""
    header = f"{{'descr': '{array_type}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + raw)
    return file


class Cases:
    def __init__(self, programs, folder):
        self.programs, self.folder, self.faults, self.count = programs, folder, [], 0

    def judge(self, name, result, status, words, before, place):
        """Records what is wrong with one case; `words` must all be in the text (case aside)."""
        self.count += 1
        fault = None
        if result.signal:
            fault = f"ended by {result.signal}"
        elif result.status != status:
            fault = f"exit status {result.status}, expected {status}"
        elif not all(word.lower() in result.text.lower() for word in words):
            fault = f"the message does not hold {words}"
        elif snapshot(place) != before:
            fault = f"left {sorted(set(snapshot(place)) ^ set(before))} behind"
        if fault:
            self.faults.append(f"{name}: {fault}\n    {result.text.strip()[-600:]}")

    def atc(self, name, model, words, *flags, output=None, before=None):
        """A conversion that must fail."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        held = snapshot(place)
        om = output or place / "out.om"
        # Files that a conversion may leave in the working folder (reports) are no part of this: it runs elsewhere.
        with tempfile.TemporaryDirectory() as here:
            result = self.programs.atc(model, om, *flags, folder=here, before=before)
        self.judge(name, result, 255, ["ATC run failed", *words], held, place)

    def omrun(self, name, om, words, *flags, before=None):
        """A run that must fail; flags may name the folder as {out}."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        held = snapshot(place)
        flags = [str(flag).replace("{out}", str(place)) for flag in flags]
        self.judge(name, self.programs.omrun(om, *flags, before=before), 1, words, held, place)


def no_room():
    """In the child: files may not grow beyond 2 KiB, and writing past it is an error rather than a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))


def interrupted(command, delay_s, place):
    """The result of a program that gets Ctrl-C a while after its first line, or None when it was done before.

    Before that line it has not begun: the system is still loading it, and nobody could answer the signal.
    """
    child = subprocess.Popen([str(w) for w in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=place,
                             bufsize=0)  # fmt: skip
    first = child.stdout.readline().decode("utf-8", "replace")
    time.sleep(delay_s)
    if child.poll() is not None:
        child.communicate()
        return None
    child.send_signal(signal.SIGINT)
    text = first + child.communicate(timeout=TIMEOUT_S)[0].decode("utf-8", "replace")
    return Result(child.returncode, text)


def bad_models(cases, model):
    folder = cases.folder
    data = model.read_bytes()
    for name, content in (("empty", b""), ("text", b"this is no model\n" * 40), ("zeros", bytes(4096))):
        file = folder / f"{name}.onnx"
        file.write_bytes(content)
        cases.atc(f"a file of {name}", file, [file.name])
    for cut in cut_places(len(data)):
        file = folder / f"cut{cut}.onnx"
        file.write_bytes(data[:cut])
        cases.atc(f"a model cut after {cut} of {len(data)} bytes", file, [])
    cases.atc("a model that is not there", folder / "missing.onnx", ["missing.onnx"])
    cases.atc("a folder as model", folder, [])


def bad_conversions(cases, model):
    cases.atc("a shape of another rank", model, ["x"], "--input_shape=x:1,3,8")
    cases.atc("a shape that does not fit the weights", model, [], "--input_shape=x:1,4,8,8")
    cases.atc("an input that the model does not have", model, ["nobody"], "--input_shape=nobody:1,3,8,8")
    cases.atc("a chip that does not exist", model, ["Ascend1"], "--soc_version=Ascend1")
    cases.atc("an output below a file", model, [], output=model / "below" / "out.om")
    cases.atc("a full disk", model, [], before=no_room)
    if os.geteuid() == 0:
        cases.atc("an output folder that takes no files", model, [], output="/proc/out.om")
    else:
        locked = cases.folder / "locked"
        locked.mkdir(mode=0o555)
        cases.atc("a read-only output folder", model, [], output=locked / "out.om")


def bad_runs(cases, om):
    folder = cases.folder
    good = npy(folder / "good.npy", "<f4", (1, 3, 8, 8), bytes(768))
    data = om.read_bytes()
    for cut in cut_places(len(data)):
        file = folder / f"cut{cut}.om"
        file.write_bytes(data[:cut])
        name = f"an om cut after {cut} of {len(data)} bytes"
        cases.omrun(name, file, [file.name], "--input", f"x={good}", "--output", "{out}")
    text = folder / "text.om"
    text.write_text("this is no om\n" * 40)
    cases.omrun("a text file as om", text, ["text.om"])
    cases.omrun("an om that is not there", folder / "missing.om", ["missing.om"])
    out = ["--output", "{out}"]
    cases.omrun("an input file that is not there", om, ["missing.npy"], "--input", f"x={folder / 'missing.npy'}", *out)
    cases.omrun("an input that the model does not have", om, ["nobody"], "--input", f"nobody={good}", *out)
    wrong = npy(folder / "wrong.npy", "<f4", (1, 3, 8, 9), bytes(864))
    cases.omrun("an input of another shape", om, ["x", "8", "9"], "--input", f"x={wrong}", *out)
    wrong = npy(folder / "integers.npy", "<i4", (1, 3, 8, 8), bytes(768))
    cases.omrun("an input of another dtype", om, ["x", "int32", "float"], "--input", f"x={wrong}", *out)
    short = folder / "short.npy"
    short.write_bytes(good.read_bytes()[:-5])
    cases.omrun("an input file that is cut", om, ["short.npy"], "--input", f"x={short}", *out)
    cases.omrun("an output folder below a file", om, [], "--input", f"x={good}", "--output", good / "below")


def interruptions(cases):
    """Ctrl-C at several moments; one that comes too late tells nothing, one in time must leave nothing."""
    model = cases.folder / "long.onnx"
    onnx_wire.write_long_model(model)
    caught = 0
    for delay_s in (0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
        place = Path(tempfile.mkdtemp(dir=cases.folder))
        result = interrupted(cases.programs.atc_command(model, place / "out.om"), delay_s, place)
        if result:
            caught += 1
            cases.judge(f"Ctrl-C after {delay_s} s of a conversion", result, 255, ["interrupt"], {}, place)
    if caught == 0:
        cases.faults.append("Ctrl-C: every conversion was over before the signal came")


def endless_loop(cases):
    """A loop that never ends converts, since it is not run for that, and its run ends by Ctrl-C."""
    place = Path(tempfile.mkdtemp(dir=cases.folder))
    model, om = place / "endless.onnx", place / "endless.om"
    onnx_wire.write_endless_model(model)
    result = cases.programs.atc(model, om, folder=place)
    om = written_om(om)
    if result.status != 0 or not om.is_file():
        cases.faults.append(f"an endless loop does not convert: {result.text}")
        return
    held = snapshot(place)
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen([str(cases.programs.bin / "omrun"), str(om)], stdout=said, stderr=said, cwd=place)
        # It is begun when it answers signals itself, by a thread that waits for those that are blocked.
        end = time.monotonic() + TIMEOUT_S
        status = Path(f"/proc/{child.pid}/status")
        while not int(re.search(r"SigBlk:\s*(\w+)", status.read_text())[1], 16) & 1 << signal.SIGINT - 1:
            if child.poll() is not None or time.monotonic() > end:
                break
            time.sleep(0.02)
        time.sleep(1)
        ended = child.poll() is not None
        child.send_signal(signal.SIGINT)
        try:
            child.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        said.seek(0)
        result = Result(child.returncode, said.read())
    cases.judge("Ctrl-C in a loop that never ends", result, 1, ["interrupt"], held, place)
    if ended:
        cases.faults.append(f"a loop that never ends has ended: {result.text}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    programs = Programs(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        model, om = folder / "small.onnx", folder / "small.om"
        onnx_wire.write_small_model(model)
        result = programs.atc(model, om, folder=folder)
        if result.status != 0 or not om.is_file():
            sys.exit(f"the model itself does not convert:\n{result.text}")
        cases = Cases(programs, folder)
        bad_models(cases, model)
        bad_conversions(cases, model)
        interruptions(cases)
        endless_loop(cases)
        bad_runs(cases, om)
    print(f"{cases.count} cases, {len(cases.faults)} of them wrong")
    print("\n".join(cases.faults))
    sys.exit(1 if cases.faults else 0)


if __name__ == "__main__":
    main()
