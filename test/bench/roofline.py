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
from compare import Table, keep_others_waiting  # noqa: E402
from programs import Programs, written_om  # noqa: E402

BYTES = {"FLOAT": 4, "FLOAT16": 2, "INT64": 8, "INT32": 4, "INT8": 1, "UINT8": 1, "BOOL": 1}


class Machine:
    def __init__(self, build, threads):
        subprocess.run(["ninja", "-C", build, "bench_roofline"], check=True, stdout=subprocess.DEVNULL)
        lines = subprocess.run([build / "bin/bench_roofline", str(threads)], check=True, capture_output=True, text=True).stdout
        self.read = {}
        for line in lines.splitlines():
            word, *numbers = line.split()
            if word == "flops":
                self.flops = float(numbers[0])
            else:
                self.read[int(numbers[0])] = float(numbers[1])
        self.threads = threads

    def seconds(self, operations, size):
        """The least time of so many operations on so many bytes."""
        held = next((speed for level, speed in self.read.items() if size <= level * self.threads), list(self.read.values())[-1])
        return max(operations / self.flops, size / held)

    def __str__(self):
        speeds = ", ".join(f"{size >> 10} KiB {speed / 1e9:.0f}" for size, speed in self.read.items())
        return f"{self.threads} thread{'s' if self.threads > 1 else ''}: {self.flops / 1e9:.0f} GFLOP/s; read, of so much on each core, in GB/s: {speeds}"


def shapes(text):
    """"1,3;;2" as lists of dims; absent operands have none."""
    return [[int(d) for d in part.split(",") if d] for part in text.replace('"', "").split(";")]


def operations(row):
    inputs, outputs = shapes(row["Input Shapes"]), shapes(row["Output Shapes"])
    kind, out = row["OP Type"], outputs[0]
    if kind == "Conv2D" and len(inputs) > 1 and len(inputs[1]) == 4:
        filters, *kernel = inputs[1]
        pixels = math.prod(out[2:4]) if len(out) > 4 or row["Output Formats"].startswith("NCHW") else math.prod(out) // max(filters, 1)
        return 2 * (out[0] if len(out) > 3 else 1) * pixels * filters * math.prod(kernel)
    if kind in ("MatMulV2", "BatchMatMulV2") and len(inputs) > 1:
        return 2 * math.prod(out) * (inputs[0][-1] if inputs[0] else 1)
    if kind in ("onnx::LSTM", "onnx::GRU") and len(inputs) > 2:
        return 2 * inputs[0][0] * inputs[0][1] * (math.prod(inputs[1]) + math.prod(inputs[2]))
    return math.prod(out)


def size(row):
    total = 0
    for side in ("Input", "Output"):
        types = row[f"{side} Data Types"].split(";")
        for dims, dtype in zip(shapes(row[f"{side} Shapes"]), types):
            total += math.prod(dims) * BYTES.get(dtype, 4) if dims else 0
    return total


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


def report(model, tasks, machine, share):
    whole = sum(took for took, _ in tasks)
    kinds = defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    table = Table([f"{model}, {machine.threads} threads", "tasks", "us", "% of time", "GFLOP/s", "GB/s", "% of roofline"])
    hot = []
    for took, row in tasks:
        made, moved = operations(row), size(row)
        least = machine.seconds(made, moved) * 1e6
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
                tasks = profile(programs, str(written_om(scratch / "model.om")), str(scratch / "feed.npz"), threads, given.loop, str(scratch / "profile"))
            report(model, tasks, machine, given.share)


if __name__ == "__main__":
    main()
