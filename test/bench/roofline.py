"""Holds the tasks of models against what the cores can do at most: multiply-adds a second, bytes a second.

usage: roofline.py BUILD [--models NAME,...] [--threads N] [--loop N] [--share PERCENT] [--folder DIR]

Measures the machine first (ninja bench_roofline), then runs each model of compare.py with a profile. A task can take no
less than its operations at the measured peak, nor than its bytes (inputs, weights, outputs) at the measured speed of the
level of memory that holds so many; the larger of the two over the time that it took is its percentage. Operations of
convolutions are those of direct sums: where a kernel needs fewer (by tiles), it may be above 100. What tasks write was
in a cache before as often as not, so that small tasks may be above 100 as well.
Prints, of each model, kinds of tasks and the tasks that take more than a share of the time (3 %).
"""

import argparse
import csv
import math
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import bench_models  # noqa: E402
import om_wire  # noqa: E402
from compare import Table, keep_others_waiting  # noqa: E402
from programs import Programs, written_om  # noqa: E402

BYTES = {"FLOAT": 4, "FLOAT16": 2, "BF16": 2, "INT64": 8, "INT32": 4, "INT16": 2, "INT8": 1, "UINT8": 1, "BOOL": 1}
OM_TYPES = {1: "FLOAT", 2: "FLOAT16", 3: "INT8", 4: "UINT8", 5: "INT16", 7: "INT32", 9: "INT64", 11: "BOOL"}  # of ge_ir.proto
OWNERS = {"If", "Case", "While", "onnx::Loop", "onnx::Scan"}
ASIDE = {"Const", "Data", "NetOutput"}


class Machine:
    def __init__(self, build, threads):
        subprocess.run(["ninja", "-C", build, "bench_roofline"], check=True, stdout=subprocess.DEVNULL)
        lines = subprocess.run([build / "bin/bench_roofline", str(threads)], check=True, capture_output=True, text=True).stdout
        self.read = {}
        for line in lines.splitlines():
            word, *numbers = line.split()
            if word == "flops":
                self.flops = self.byteops = float(numbers[0])
            elif word == "byteops":
                self.byteops = float(numbers[0])
            else:
                self.read[int(numbers[0])] = float(numbers[1])
        self.threads = threads

    def seconds(self, operations, size, of_bytes=False):
        """The least time of so many operations, of floats or of bytes, on so many bytes."""
        held = next((speed for level, speed in self.read.items() if size <= level * self.threads), list(self.read.values())[-1])
        return max(operations / (self.byteops if of_bytes else self.flops), size / held)

    def __str__(self):
        speeds = ", ".join(f"{size >> 10} KiB {speed / 1e9:.0f}" for size, speed in self.read.items())
        return f"{self.threads} thread{'s' if self.threads > 1 else ''}: {self.flops / 1e9:.0f} GFLOP/s, {self.byteops / 1e9:.0f} Gop/s of bytes; read, of so much on each core, in GB/s: {speeds}"


def shapes(text):
    """"1,3;;2" as lists of dims; absent operands have none."""
    return [[int(d) for d in part.split(",") if d] for part in text.replace('"', "").split(";")]


class Work:
    """An operator with the shapes and types of its operands."""

    def __init__(self, kind, inputs, outputs, types, out_types, plain=False):
        self.kind, self.inputs, self.outputs, self.types, self.out_types = kind, inputs, outputs, types, out_types
        self.plain = plain  # the output has its channels behind the batch

    @staticmethod
    def of_row(row):
        """Of a line of op_summary.csv."""
        return Work(row["OP Type"], shapes(row["Input Shapes"]), shapes(row["Output Shapes"]), row["Input Data Types"].split(";"),
                    row["Output Data Types"].split(";"), row["Output Formats"].startswith("NCHW"))  # fmt: skip

    @staticmethod
    def of_op(op):
        """Of an operator in an om, without those that it owns; a dim that is open counts as 1."""

        def dims(descs):
            return [[max(d, 1) for d in desc.get("shape", {}).get("dim", [])] for desc in descs]

        def types(descs):
            return [OM_TYPES.get(desc.get("dtype"), "") for desc in descs]

        ins, outs = op.get("input_desc", []), op.get("output_desc", [])
        layout = outs[0].get("layout", "") if outs else ""
        return Work(op["type"], dims(ins), dims(outs), types(ins), types(outs), layout.startswith("NCHW"))

    def of_bytes(self):
        return self.kind in ("Conv2D", "MatMulV2", "BatchMatMulV2") and self.types[0] in ("INT8", "UINT8")

    def weights(self):
        """The first operand behind the data that is no parameter of its scaling."""
        return next((dims for dims in self.inputs[1:] if len(dims) > 1), [])

    def keys(self):
        """How many positions an attention looks at: the mask tells, or the keys, or the data that has them as well."""
        out = self.outputs[0]
        floats = [dims for dims, dtype in zip(self.inputs, self.types) if dtype in ("FLOAT", "FLOAT16", "BF16", "BOOL") and math.prod(dims) > 1]
        if len(floats) > 1 and len(floats[-1]) == 4 and floats[-1][1] in (1, out[1], out[-2]) and floats[-1][-1] != out[-1]:
            return floats[-1][-1]
        return floats[1][-2] if len(floats) > 2 else floats[0][-2]

    def operations(self):
        inputs, out = self.inputs, self.outputs[0] if self.outputs else []
        if self.kind == "Conv2D" and len(self.weights()) == 4:
            filters, *kernel = self.weights()
            pixels = math.prod(out[2:4]) if len(out) > 4 or self.plain else math.prod(out) // max(filters, 1)
            return 2 * (out[0] if len(out) > 3 else 1) * pixels * filters * math.prod(kernel)
        if self.kind in ("MatMulV2", "BatchMatMulV2") and len(inputs) > 1:
            return 2 * math.prod(out) * (inputs[0][-1] if inputs[0] else 1)
        if self.kind == "FusedAttention":
            return 4 * math.prod(out) * self.keys()
        if self.kind in ("onnx::LSTM", "onnx::GRU", "onnx::RNN") and len(inputs) > 2 and len(inputs[0]) > 1:
            return 2 * inputs[0][0] * inputs[0][1] * (math.prod(inputs[1]) + math.prod(inputs[2]))
        return math.prod(out)

    def size(self):
        operands = zip([*self.inputs, *self.outputs], [*self.types, *self.out_types])
        return sum(math.prod(dims) * BYTES.get(dtype, 4) for dims, dtype in operands if dims)

    def least(self, machine):
        """Operations, bytes, and seconds that they take at least."""
        made, moved = self.operations(), self.size()
        return made, moved, machine.seconds(made, moved, self.of_bytes())


class Owners:
    """The least of tasks that own graphs: of what decides, its cheapest branch; of a loop, one turn."""

    def __init__(self, om, machine):
        self.machine = machine
        self.graphs = {graph["name"]: graph["op"] for graph in om_wire.read(Path(om))[0]["graph"]}
        self.owners = {op["name"]: op for ops in self.graphs.values() for op in ops if op["type"] in OWNERS}  # fused nodes have graphs too

    def owns(self, name):
        return name in self.owners

    def least(self, name):
        op = self.owners[name]
        found = [self.of_graph(graph) for graph in op["subgraph_name"] if graph in self.graphs]
        if op["type"] in ("If", "Case"):
            return min(found, key=lambda work: work[2])
        return tuple(map(sum, zip(*found)))

    def of_graph(self, name):
        works = [self.least(op["name"]) if self.owns(op["name"]) else Work.of_op(op).least(self.machine)
                 for op in self.graphs[name] if op["type"] not in ASIDE and op.get("stream_id", 0) >= 0]  # fmt: skip
        return tuple(map(sum, zip(*works))) if works else (0, 0, 0.0)


def profile(programs, om, feed, threads, loop, folder):
    subprocess.run([str(programs.bin / "omrun"), om, "--input", feed, "--cores", str(threads), "--loop", str(loop), "--profile", folder],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    tasks = {}
    for file in sorted(Path(folder).rglob("op_summary*.csv")):
        with open(file, newline="") as table:
            for row in csv.DictReader(table):
                took = float(row["Task Duration(us)"])
                kept = tasks.setdefault((row["Task ID"], row["Op Name"]), (took, row))
                if took < kept[0]:
                    tasks[(row["Task ID"], row["Op Name"])] = (took, row)
    return list(tasks.values())


def report(model, tasks, machine, owners, share):
    whole = sum(took for took, _ in tasks)
    kinds = defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    table = Table([f"{model}, {machine.threads} threads", "tasks", "us", "% of time", "GFLOP/s", "GB/s", "% of roofline"])
    hot = []
    for took, row in tasks:
        name = row["Op Name"]
        made, moved, least = owners.least(name) if owners.owns(name) else Work.of_row(row).least(machine)
        least *= 1e6
        seen = kinds[row["OP Type"]]
        for i, value in enumerate((1, took, least, made)):
            seen[i] += value
        if took > whole * share / 100:
            hot.append((took, row, made, moved, least))
    for kind, (count, took, least, made) in sorted(kinds.items(), key=lambda item: -item[1][1]):
        if took > whole * 0.01:
            table.add(kind, count, took, 100 * took / whole, made / took / 1e3, "", 100 * least / took)
    for took, row, made, moved, least in hot:
        table.add(row["Op Name"][-40:], f"{row['Input Shapes'][:44]}".replace('"', ""), took, 100 * took / whole, made / took / 1e3, moved / took / 1e3, 100 * least / took)
    print(table.text(), flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("build", type=Path)
    parser.add_argument("--models", default="")
    parser.add_argument("--threads", type=int, default=0, help="default: 1, then all")
    parser.add_argument("--loop", type=int, default=30)
    parser.add_argument("--share", type=float, default=3)
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "openatc-bench"))
    given = parser.parse_args()
    build, folder = given.build.resolve(), Path(given.folder)
    programs = Programs(build)
    keep_others_waiting()
    wanted = [name for name in given.models.split(",") if name]
    for threads in [given.threads] if given.threads else sorted({1, len(os.sched_getaffinity(0))}):
        machine = Machine(build, threads)
        print(machine, end="\n\n")
        for model in bench_models.MODELS:
            if (wanted and model.name not in wanted) or model.kind == "conversion":
                continue
            try:
                file = bench_models.prepare(model, folder)
            except (FileNotFoundError, subprocess.CalledProcessError) as error:
                print(f"{model} is left out: {error}", file=sys.stderr)
                continue
            with tempfile.TemporaryDirectory() as scratch:
                scratch = Path(scratch)
                given_shapes = ";".join(f"{name}:{','.join(map(str, dims))}" for name, dims in model.dims.items())
                flags = [f"--input_shape={given_shapes}"] if model.open_file else []
                done = programs.atc(file, scratch / "model.om", "--precision_mode_v2=origin", *flags)
                if done.status != 0:
                    sys.exit(done.text)
                np.savez(scratch / "feed.npz", **bench_models.make_feed(model, file))
                om = str(written_om(scratch / "model.om"))
                tasks = profile(programs, om, str(scratch / "feed.npz"), threads, given.loop, str(scratch / "profile"))
                owners = Owners(om, machine)
            report(model, tasks, machine, owners, given.share)


if __name__ == "__main__":
    main()
