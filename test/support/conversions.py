"""Conversions of small models with flags, for tests of what the flags change."""

import json
import sys
import tempfile
from pathlib import Path

import numpy

import command_lines
import onnx_wire as wire
from programs import Programs, written_om

CHANNELS = 5


def write_model(file, inputs):
    """Two convolutions with a ReLU behind each on the first input; other inputs of its rank are added, the rest summed."""
    dims = {}
    for name, sizes in inputs.items():
        dims[name] = [s if s > 0 else f"{name}_{i}" for i, s in enumerate(sizes)]

    def info(name, sizes):
        shape = b"".join(wire.field(1, wire.field(1 if isinstance(s, int) else 2, s)) for s in sizes)
        return wire.field(1, name) + wire.field(2, wire.field(1, wire.field(1, wire.FLOAT) + wire.field(2, shape)))

    first, *others = inputs
    pads = wire.ints("pads", [1, 1, 1, 1])
    nodes = [
        wire.node("Conv", [first, "w1"], ["c1"], pads, name="conv_1"),
        wire.node("Relu", ["c1"], ["r1"], name="relu_1"),
        wire.node("Conv", ["r1", "w2"], ["c2"], pads, name="conv_2"),
        wire.node("Relu", ["c2"], ["r2"], name="relu_2"),
    ]
    outputs = [("r2", ["n", CHANNELS, "h", "w"])]
    for k, name in enumerate(others):
        nodes.append(wire.node("Relu", [name], [f"o{k}"], name=f"other_{k}"))
        outputs.append((f"o{k}", [f"o{k}_{i}" for i in range(len(inputs[name]))]))
    graph = b"".join(wire.field(1, n) for n in nodes) + wire.field(2, Path(file).stem)
    graph += wire.field(5, wire.tensor("w1", wire.FLOAT, [4, 3, 3, 3], wire.floats(108, 1)))
    graph += wire.field(5, wire.tensor("w2", wire.FLOAT, [CHANNELS, 4, 3, 3], wire.floats(36 * CHANNELS, 2)))
    graph += b"".join(wire.field(11, info(n, d)) for n, d in dims.items())
    graph += b"".join(wire.field(12, info(n, d)) for n, d in outputs)
    Path(file).write_bytes(wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13)))


class Suite:
    def __init__(self, build, folder):
        self.programs = Programs(build)
        self.folder = Path(folder)
        self.faults = []
        for name, text in command_lines.FILES.items():
            (self.folder / name).write_text(text)
        for name, inputs in command_lines.MODELS.items():
            write_model(self.folder / f"{name}.onnx", inputs)

    def check(self, what, ok, detail=""):
        if not ok:
            self.faults.append(f"{what}: {detail}")

    def convert(self, name, *flags, model="classifier", fails=None, **how):
        """The om, or None after the error `fails`."""
        om = self.folder / f"{name}.om"
        result = self.programs.atc(self.folder / f"{model}.onnx", om, *flags, folder=self.folder, **how)
        if fails is None:
            self.check(name, result.status == 0, result.text)
            return written_om(om) if result.status == 0 else None
        self.check(name, result.status == 255 and f"({fails})" in result.text, f"expected {fails}\n{result.text}")
        return None

    def run(self, om, **inputs):
        """Outputs of the om for these arrays, by number; None where there is no om."""
        if om is None:
            return None
        out = self.folder / f"{om.stem}_out"
        flags = []
        for name, array in inputs.items():
            numpy.save(self.folder / f"{name}.npy", array)
            flags += ["--input", f"{name}={self.folder / name}.npy"]
        result = self.programs.omrun(om, "--output", out, *flags)
        self.check(om.name, result.status == 0, result.text)
        return [numpy.load(file) for file in sorted(out.glob("out_*.npy"))] if result.status == 0 else None

    def ops(self, om):
        """{name: operator} of the main graph, from --mode=1; those of no om are none."""
        if om is None:
            return {}
        target = self.folder / f"{om.stem}.json"
        result = self.programs.run(self.programs.bin / "atc", "--mode=1", f"--om={om}", f"--json={target}")
        self.check(om.name, result.status == 0, result.text)
        return {op["name"]: op for op in json.loads(target.read_text())["graph"][0]["op"]}


def image(dims=(1, 3, 16, 16)):
    return numpy.random.default_rng(7).uniform(-1, 1, dims).astype(numpy.float32)


def blocked(array):
    """NCHW as N, C1, H, W, 16."""
    n, c, h, w = array.shape
    filled = numpy.zeros((n, (c + 15) // 16 * 16, h, w), array.dtype)
    filled[:, :c] = array
    return filled.reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2)


def main(parts, message):
    """Runs the parts of a test, each a function of a Suite; exits 1 after the list of faults."""
    if len(sys.argv) != 2:
        sys.exit("usage: give the build folder")
    with tempfile.TemporaryDirectory() as scratch:
        suite = Suite(sys.argv[1], scratch)
        for part in parts:
            part(suite)
    print("\n".join(suite.faults) if suite.faults else message)
    sys.exit(1 if suite.faults else 0)
