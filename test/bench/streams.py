"""Compares one stream with several on the simulated device.

usage: streams.py BUILD [--loops N] [--rounds N] [--models NAME,...]

Graphs of four kinds whose branches hold kernels of several sizes, and the models of the corpus where they are at hand,
are converted for one stream and for each mode, and run in turn, forwards and backwards, so that no mode has the quiet
moments for itself. The table shows for each mode the smallest time of all runs in ms and, below 1 where several streams
are faster, its part of the time on one stream.
"""

import argparse
import json
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from onnx_wire import FLOAT, field, floats, ints, node, tensor, value_info  # noqa: E402
from programs import Programs, corpus_model  # noqa: E402

MODES = {"one": ["--enable_single_stream=true"], "cv": ["--multi_stream_parallel_mode=cv"],
         "LoadBalance:2": ["--multi_stream_parallel_mode=LoadBalance:2"],
         "MainStream:2": ["--multi_stream_parallel_mode=MainStream:2"]}  # fmt: skip
CORPUS = {"ppocr_rec": "x:1,3,48,320", "ppocr_cls": "x:1,3,48,192", "blazeface_front": "", "mlsd_320_tiny": "",
          "melspectrogram": "input:1,16000", "embedding": "input_1:1,76,32,1"}  # fmt: skip


class Model:
    """Builds an ONNX model; values are names, shapes those of activations."""

    def __init__(self, name):
        self.name, self.nodes, self.weights, self.inputs, self.count = name, [], [], [], 0

    def fresh(self, kind):
        self.count += 1
        return f"{kind.lower()}_{self.count}"

    def input(self, dims):
        name = f"x{len(self.inputs)}"
        self.inputs.append(value_info(name, FLOAT, dims))
        return name

    def weight(self, dims):
        name = self.fresh("w")
        size = 1
        for dim in dims:
            size *= dim
        scale = 1 / max(1, size // dims[0]) ** 0.5
        values = struct.unpack(f"<{size}f", floats(size, self.count))
        self.weights.append(tensor(name, FLOAT, dims, struct.pack(f"<{size}f", *(v * scale for v in values))))
        return name

    def op(self, kind, inputs, *attributes):
        name = self.fresh(kind)
        self.nodes.append(node(kind, inputs, [name], *attributes, name=name))
        return name

    def conv(self, x, channels, out, size):
        y = self.op("Conv", [x, self.weight([out, channels, size, size])], ints("kernel_shape", [size, size]),
                    ints("pads", [size // 2] * 4))  # fmt: skip
        return self.op("Relu", [y])

    def dense(self, x, width, out, end="Tanh"):
        return self.op(end, [self.op("MatMul", [x, self.weight([width, out])])])

    def write(self, folder, output, dims):
        graph = b"".join(field(1, n) for n in self.nodes) + field(2, self.name)
        graph += b"".join(field(5, w) for w in self.weights) + b"".join(field(11, i) for i in self.inputs)
        graph += field(12, value_info(output, FLOAT, dims))
        file = Path(folder) / f"{self.name}.onnx"
        file.write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
        return file


def axis(value):
    return field(1, "axis") + field(3, value) + field(20, 2)


def inception(folder, name, channels, side, blocks):
    m = Model(name)
    x = m.input([1, channels, side, side])
    part = channels // 4
    for _ in range(blocks):
        ends = [m.conv(x, channels, part, 1), m.conv(m.conv(x, channels, part, 1), part, part, 3),
                m.conv(m.conv(m.conv(x, channels, part, 1), part, part, 3), part, part, 3),
                m.conv(m.op("MaxPool", [x], ints("kernel_shape", [3, 3]), ints("pads", [1] * 4)), channels, part, 1)]  # fmt: skip
        x = m.op("Concat", ends, axis(1))
    return m.write(folder, x, [1, channels, side, side])


def towers(folder, name, rows, width, depth):
    m = Model(name)
    ends = []
    for _ in range(2):
        x = m.input([rows, width])
        for _ in range(depth):
            x = m.dense(x, width, width)
        ends.append(x)
    return m.write(folder, m.op("Mul", ends), [rows, width])


def heads(folder, name, rows, width, count, layers):
    m = Model(name)
    x = m.input([rows, width])
    part = width // count
    for _ in range(layers):
        ends = []
        for _ in range(count):
            q, k, v = (m.op("MatMul", [x, m.weight([width, part])]) for _ in range(3))
            score = m.op("Softmax", [m.op("MatMul", [q, m.op("Transpose", [k], ints("perm", [1, 0]))])], axis(1))
            ends.append(m.op("MatMul", [score, v]))
        x = m.op("Add", [x, m.dense(m.op("Concat", ends, axis(1)), width, width)])
    return m.write(folder, x, [rows, width])


def encoder_decoder(folder, name, channels, side, depth):
    m = Model(name)
    x = m.conv(m.input([1, channels, side, side]), channels, channels, 3)
    skips = []
    for _ in range(depth):
        skips.append(m.conv(m.conv(x, channels, channels, 1), channels, channels, 3))
        x = m.conv(m.op("MaxPool", [x], ints("kernel_shape", [3, 3]), ints("pads", [1] * 4)), channels, channels, 3)
    for skip in reversed(skips):
        x = m.op("Add", [m.conv(x, channels, channels, 3), skip])
    return m.write(folder, x, [1, channels, side, side])


def graphs(folder):
    for size, channels, side in (("tiny", 32, 8), ("small", 64, 14), ("large", 256, 28)):
        yield inception(folder, f"inception_{size}", channels, side, 4), ""
    for size, rows, width in (("tiny", 1, 64), ("small", 8, 256), ("large", 64, 512)):
        yield towers(folder, f"towers_{size}", rows, width, 8), ""
    for size, rows, width in (("tiny", 16, 64), ("small", 64, 128), ("large", 256, 256)):
        yield heads(folder, f"heads_{size}", rows, width, 4, 3), ""
    for size, channels, side in (("tiny", 16, 8), ("small", 32, 16), ("large", 64, 56)):
        yield encoder_decoder(folder, f"encdec_{size}", channels, side, 4), ""
    for name, shape in CORPUS.items():
        if model := corpus_model(name):
            yield model, shape


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build")
    arguments.add_argument("--loops", type=int, default=40)
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--models", default="")
    options = arguments.parse_args()
    programs = Programs(options.build)
    wanted = [name for name in options.models.split(",") if name]
    print(f"{'model':18}" + "".join(f"{mode:>24}" for mode in MODES))
    with tempfile.TemporaryDirectory() as folder:
        for model, shape in graphs(folder):
            if wanted and not any(model.stem.startswith(name) for name in wanted):
                continue
            oms = {}
            for mode, flags in MODES.items():
                om = Path(folder) / f"{model.stem}_{mode.replace(':', '')}.om"
                result = programs.atc(model, om, *flags, "--precision_mode_v2=origin", *([f"--input_shape={shape}"] if shape else []))
                if result.status != 0:
                    print(f"{model.stem:18} {result.text}")
                    break
                oms[mode] = om
            best, streams, report = {}, {}, Path(folder) / "report.json"
            for turn in range(options.rounds):
                for mode in oms if turn % 2 == 0 else reversed(oms):
                    run = programs.omrun(oms[mode], f"--loop={options.loops}", "--warmup=3", f"--json={report}")
                    if run.status != 0:
                        print(f"{model.stem:18} {mode}: {run.text}")
                        continue
                    found = json.loads(report.read_text())
                    best[mode] = min(best.get(mode, 1e9), found["latency_ms"]["min"])
                    streams[mode] = found["streams"]
            if "one" not in best:
                continue
            print(f"{model.stem:18}" + "".join(f"{best[m]:12.3f} x{best[m] / best['one']:.2f} ({streams[m]:2})" for m in best), flush=True)


if __name__ == "__main__":
    main()
