"""Converting a model takes little memory of its own: at most 150 MB + 2 x the largest tensor, however large the model.

usage: memory_test.py BUILD
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from onnx_wire import FLOAT, field, floats, node, tensor, value_info  # noqa: E402
from programs import TIMEOUT_S, Programs  # noqa: E402

CHANNELS = 1024
WEIGHT_BYTES = CHANNELS * CHANNELS * 4
LAYERS = 60  # 252 MB of weights
LIMIT_BYTES = 150_000_000 + 2 * WEIGHT_BYTES


def write_model(file, kind):
    """A chain of layers: "conv" is Conv, BatchNormalization and Relu, whose filters are scaled; "matmul" is MatMul, Add
    and Tanh. Names of several lengths put the weights at every alignment in the file."""
    shape = [1, CHANNELS, 2, 2] if kind == "conv" else [2, CHANNELS]
    parts, last = [field(2, kind)], "x"
    for k in range(LAYERS):
        weight = floats(4096, k) * (WEIGHT_BYTES // (4 * 4096))
        name = f"weight_{k}" + "_" * (k % 4)
        dims = [CHANNELS, CHANNELS, 1, 1] if kind == "conv" else [CHANNELS, CHANNELS]
        parts.append(field(5, tensor(name, FLOAT, dims, weight)))
        vectors = [f"{v}_{k}" for v in ("scale", "bias", "mean", "variance")[: 4 if kind == "conv" else 1]]
        for vector in vectors:
            parts.append(field(5, tensor(vector, FLOAT, [CHANNELS], b"\0\0\x80\x3f" * CHANNELS)))
        layer = (
            [node("Conv", [last, name], [f"c{k}"]), node("BatchNormalization", [f"c{k}", *vectors], [f"n{k}"])]
            if kind == "conv"
            else [node("MatMul", [last, name], [f"c{k}"]), node("Add", [f"c{k}", *vectors], [f"n{k}"])]
        )
        last = f"y{k}"
        layer.append(node("Relu" if kind == "conv" else "Tanh", [f"n{k}"], [last]))
        parts += [field(1, n) for n in layer]
    parts += [field(11, value_info("x", FLOAT, shape)), field(12, value_info(last, FLOAT, shape))]
    with open(file, "wb") as stream:
        stream.write(field(1, 8) + field(7, b"".join(parts)) + field(8, field(1, "") + field(2, 13)))


def anonymous_bytes(pid):
    """Anonymous resident memory of a process; 0 once it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("RssAnon:"))


def peak_of(command):
    """(exit status, largest anonymous memory seen) of a program."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    begin, peak = time.monotonic(), 0
    while process.poll() is None:
        peak = max(peak, anonymous_bytes(process.pid))
        if time.monotonic() - begin > TIMEOUT_S:
            process.kill()
        time.sleep(0.002)
    return process.returncode, peak


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if anonymous_bytes("self") == 0:
        print("SKIPPED: this system does not tell anonymous memory in /proc")
        sys.exit(77)
    programs = Programs(sys.argv[1])
    wrong = False
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("conv", "matmul"):
            model = Path(scratch) / f"{kind}.onnx"
            write_model(model, kind)
            for mode in ("fp16", "origin"):
                command = programs.atc_command(model, Path(scratch) / "m.om", f"--precision_mode_v2={mode}")
                status, peak = peak_of(command)
                ok = status == 0 and 0 < peak <= LIMIT_BYTES
                wrong |= not ok
                print(f"{'ok' if ok else 'WRONG'} {kind} {mode}: exit status {status}, {peak / 1e6:.1f} MB of at most "
                      f"{LIMIT_BYTES / 1e6:.1f} MB for {model.stat().st_size / 1e6:.0f} MB of model")  # fmt: skip
            model.unlink()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
