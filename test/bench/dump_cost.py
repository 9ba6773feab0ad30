"""Shows what dumps add to the conversion of models with 100 MB of weights.

usage: dump_cost.py BUILD [--rounds N] [--kinds LIST] [--details LIST] [--precisions LIST] [--keep FOLDER]

Three kinds of models are made: `image`, a residual network of large convolutions; `text`, an encoder of about 1,000 nodes
as exporters write it, with its arithmetic on shapes; `small`, 2,100 nodes with many small weights. Each is converted
with DUMP_GE_GRAPH unset and at each detail, in turn; of each the fewest seconds count. A line shows elapsed and
processor seconds without dumps, what the dumps add, and the bytes that they wrote.
"""

import argparse
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from onnx_wire import FLOAT, INT64, field, ints, node, tensor, value_info  # noqa: E402

RANDOM = random.Random(1)
BLOCK = struct.pack("<262144f", *(RANDOM.uniform(-0.05, 0.05) for _ in range(262144)))


class Model:
    """An ONNX model under construction, opset 13, named as exporters name."""

    def __init__(self):
        self.nodes, self.weights, self.count, self.bytes = [], [], 0, 0

    def weight(self, *dims):
        size = 4
        for dim in dims:
            size *= dim
        start = self.count * 44 % len(BLOCK)  # no two are equal
        raw = (BLOCK[start:] + BLOCK * (size // len(BLOCK) + 1))[:size]
        return self.constant(FLOAT, list(dims), raw)

    def shape(self, *values):
        return self.constant(INT64, [len(values)], struct.pack(f"<{len(values)}q", *values))

    def index(self, value):
        return self.constant(INT64, [], struct.pack("<q", value))

    def constant(self, dtype, dims, raw):
        self.count += 1
        self.bytes += len(raw)
        self.weights.append(tensor(f"onnx::weight_{self.count}", dtype, dims, raw))
        return f"onnx::weight_{self.count}"

    def add(self, scope, kind, *inputs, attributes=()):
        self.count += 1
        name = f"/{scope}/{kind}_{self.count}"
        self.nodes.append(node(kind, inputs, [f"{name}_output_0"], *attributes, name=name))
        return f"{name}_output_0"

    def write(self, file, inputs, output, dims):
        self.nodes.append(node("Identity", [output], ["output"], name="/Identity"))
        graph = b"".join(field(1, n) for n in self.nodes) + field(2, "main_graph")
        graph += b"".join(field(5, w) for w in self.weights)
        graph += b"".join(field(11, value_info(n, t, d)) for n, t, d in inputs) + field(12, value_info("output", FLOAT, dims))
        Path(file).write_bytes(field(1, 8) + field(2, "pytorch") + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def image(file):
    """Blocks 3, 4, 6, 3 of three convolutions, each with its normalisation, of up to 2048 channels."""
    m = Model()

    def conv(scope, x, channels, out, side, stride=1, relu=True):
        w = m.weight(out, channels, side, side)
        x = m.add(scope, "Conv", x, w, attributes=(ints("kernel_shape", [side, side]), ints("strides", [stride, stride]), ints("pads", [side // 2] * 4)))  # fmt: skip
        x = m.add(scope, "BatchNormalization", x, *(m.weight(out) for _ in range(3)), positive(m, out))
        return m.add(scope, "Relu", x) if relu else x

    x = conv("conv1", "input", 3, 64, 7, 2)
    x = m.add("maxpool", "MaxPool", x, attributes=(ints("kernel_shape", [3, 3]), ints("strides", [2, 2]), ints("pads", [1] * 4)))  # fmt: skip
    channels = 64
    for layer, (blocks, width) in enumerate(((3, 64), (4, 128), (6, 256), (3, 512)), 1):
        for block in range(blocks):
            scope = f"layer{layer}/layer{layer}.{block}"
            stride = 2 if block == 0 and layer > 1 else 1
            y = conv(scope + "/conv1", x, channels, width, 1)
            y = conv(scope + "/conv2", y, width, width, 3, stride)
            y = conv(scope + "/conv3", y, width, 4 * width, 1, relu=False)
            if block == 0:
                x = conv(scope + "/downsample", x, channels, 4 * width, 1, stride, relu=False)
            channels = 4 * width
            x = m.add(scope, "Relu", m.add(scope, "Add", y, x))
    x = m.add("avgpool", "GlobalAveragePool", x)
    x = m.add("", "Flatten", x)
    x = m.add("fc", "Gemm", x, m.weight(2048, 1000), m.weight(1000))
    m.write(file, [("input", FLOAT, [1, 3, 224, 224])], x, [1, 1000])
    return m


def positive(m, count):
    return m.constant(FLOAT, [count], struct.pack(f"<{count}f", *(1 + 0.001 * i / count for i in range(count))))


def text(file, layers=14, width=384, heads=6, length=64):
    """Attention and products, each reshape with the Shape, Gather and Concat that compute it."""
    m = Model()

    def linear(scope, x, rows, columns):
        return m.add(scope, "Add", m.weight(columns), m.add(scope, "MatMul", x, m.weight(rows, columns)))

    def dim(scope, x, axis):
        picked = m.add(scope, "Gather", m.add(scope, "Shape", x), m.index(axis))
        return m.add(scope, "Unsqueeze", picked, m.shape(0))

    def reshaped(scope, x, *tail):
        axis = field(1, "axis") + field(3, 0) + field(20, 2)
        target = m.add(scope, "Concat", dim(scope, x, 0), dim(scope, x, 1), m.shape(*tail), attributes=(axis,))
        return m.add(scope, "Reshape", x, target)

    def turned(scope, x, *perm):
        return m.add(scope, "Transpose", x, attributes=(ints("perm", perm),))

    def norm(scope, x):
        axes = ints("axes", [(1 << 64) - 1])
        centred = m.add(scope, "Sub", x, m.add(scope, "ReduceMean", x, attributes=(axes,)))
        squares = m.add(scope, "Pow", centred, scalar(m, 2))
        root = m.add(scope, "Sqrt", m.add(scope, "Add", m.add(scope, "ReduceMean", squares, attributes=(axes,)), scalar(m, 1e-12)))
        return m.add(scope, "Add", m.add(scope, "Mul", m.add(scope, "Div", centred, root), m.weight(width)), m.weight(width))

    x = norm("embeddings", "input")
    for layer in range(layers):
        scope = f"encoder/layer.{layer}"
        each = [turned(scope, reshaped(f"{scope}/{part}", linear(f"{scope}/{part}", x, width, width), heads, width // heads), *perm)
                for part, perm in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))]  # fmt: skip
        scores = m.add(scope, "Div", m.add(scope, "MatMul", each[0], each[1]), scalar(m, (width / heads) ** 0.5))
        weights = m.add(scope, "Softmax", scores, attributes=(field(1, "axis") + field(3, 3) + field(20, 2),))
        y = turned(scope, m.add(scope, "MatMul", weights, each[2]), 0, 2, 1, 3)
        y = linear(f"{scope}/output", reshaped(scope, y, width), width, width)
        x = norm(f"{scope}/norm1", m.add(scope, "Add", y, x))
        y = linear(f"{scope}/up", x, width, 4 * width)
        erf = m.add(scope, "Add", m.add(scope, "Erf", m.add(scope, "Div", y, scalar(m, 2**0.5))), scalar(m, 1))
        y = m.add(scope, "Mul", m.add(scope, "Mul", y, erf), scalar(m, 0.5))
        x = norm(f"{scope}/norm2", m.add(scope, "Add", linear(f"{scope}/down", y, 4 * width, width), x))
    m.write(file, [("input", FLOAT, [1, length, width])], x, [1, length, width])
    return m


def scalar(m, value):
    return m.constant(FLOAT, [], struct.pack("<f", value))


def small(file, layers=700, width=188):
    m = Model()
    x = "input"
    for layer in range(layers):
        scope = f"layers.{layer}"
        x = m.add(scope, "Relu", m.add(scope, "Add", m.add(scope, "MatMul", x, m.weight(width, width)), m.weight(width)))
    m.write(file, [("input", FLOAT, [1, width])], x, [1, width])
    return m


KINDS = {"image": image, "text": text, "small": small}


def converted(program, model, precision, detail, folder):
    """Elapsed and processor seconds of one conversion, and the bytes that it dumped."""
    dumps = Path(folder) / "dumps"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DUMP_")}
    if detail:
        environment |= {"DUMP_GE_GRAPH": detail, "DUMP_GRAPH_PATH": str(dumps)}
    command = [program, f"--model={model}", "--framework=5", "--soc_version=Ascend910B3", f"--output={folder}/out",
               f"--precision_mode_v2={precision}"]  # fmt: skip
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    elapsed, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(done.stdout)
    size = sum(file.stat().st_size for file in dumps.rglob("*") if file.is_file()) if dumps.exists() else 0
    shutil.rmtree(dumps, ignore_errors=True)
    return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--details", default="2", help="of 1, 2 and 3: values of DUMP_GE_GRAPH")
    parser.add_argument("--precisions", default="fp16,origin")
    parser.add_argument("--keep", default="", help="a folder for the models, which are made once")
    given = parser.parse_args()
    program = Path(given.build).resolve() / "bin" / "atc"
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{'kind':6} {'nodes':>5} {'MB':>5} {'type':8} {'detail':6} {'elapsed s':>9} {'more':>8} {'processor s':>11} {'more':>8} {'dumps MB':>8}")
        for kind in given.kinds.split(","):
            model = Path(given.keep or scratch) / f"{kind}.onnx"
            made = KINDS[kind](model)
            for precision in given.precisions.split(","):
                runs = {detail: [] for detail in ["", *given.details.split(",")]}
                for _ in range(given.rounds):
                    for detail, times in runs.items():
                        times.append(converted(program, model, precision, detail, scratch))
                least = {detail: [min(column) for column in zip(*times)] for detail, times in runs.items()}
                elapsed, processor, _ = least[""]
                for detail in given.details.split(","):
                    a, b, size = least[detail]
                    print(f"{kind:6} {len(made.nodes):5} {made.bytes / 1e6:5.0f} {precision:8} {detail:6} {elapsed:9.3f} {100 * (a / elapsed - 1):+7.1f}% {processor:11.3f} {100 * (b / processor - 1):+7.1f}% {size / 1e6:8.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
