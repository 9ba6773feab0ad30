"""Prints how conversion grows with the graph: time, memory, and the exponents of growth.

usage: scale.py BUILD [--sizes 1000,10000,100000,1000000] [--modes none,LoadBalance:64] [--families chain,...]
                      [--convert 1000,10000,100000]

Needs the targets bench_scale and bench_convert in BUILD. Streams, memory and events are measured on graphs of --sizes;
whole conversions, from an ONNX file to the om and back, at the sizes of --convert (0: none). Times are those of the
processor, so that other work on the machine counts little. The exponent is the slope over all sizes of log time against
log size.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from onnx_families import FAMILIES, write_family  # noqa: E402

KINDS = ["chain", "inception", "two-tower", "multi-head", "encoder-decoder", "random near", "random far", "labelled"]


def slope(sizes, values):
    """Least squares over logarithms."""
    x = [math.log(s) for s in sizes]
    y = [math.log(max(v, 1e-9)) for v in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    square = sum((a - mean_x) ** 2 for a in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / square if square else float("nan")


def run(*command):
    """(the JSON that a program prints, its processor time in seconds)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scale(program, families, modes, sizes):
    print(f"{'family':16} {'mode':15} {'nodes':>8} {'streams':>7} {'stream s':>9} {'memory s':>9} {'event s':>9} "
          f"{'check s':>9} {'peak MB':>8} {'over bound':>11} {'edges':>8} {'GE':>8} {'events':>8} faults")  # fmt: skip
    worst = 0
    for family in families:
        for mode in modes:
            totals, peaks = [], []
            for size in sizes:
                r, _ = run(program, family, size, mode)
                totals.append(r["streams_s"] + r["memory_s"] + r["events_s"])
                peaks.append(r["peak_bytes"])
                over = 100 * (r["memory_size"] / r["lower_bound"] - 1)
                print(f"{family:16} {mode:15} {size:8} {r['streams']:7} {r['streams_s']:9.3f} {r['memory_s']:9.3f} "
                      f"{r['events_s']:9.3f} {r['check_s']:9.3f} {r['peak_bytes'] / 1e6:8.0f} "
                      f"{over:8.1f} %{'=' if r['exact'] else '<'} {r['edges']:8} {r['ge_events']:8} {r['events']:8} "
                      f"{r['faults']}", flush=True)  # fmt: skip
            if len(sizes) > 1:
                exponent = slope(sizes, totals)
                worst = max(worst, exponent)
                print(f"{'':16} {'':15} exponent of time {exponent:.2f}, of peak memory {slope(sizes, peaks):.2f}")
    print("'=': the bound is exact; '<': a sweep, the true one may be higher")
    print(f"largest exponent {worst:.2f}")


def convert(program, modes, sizes, folder):
    print(f"\n{'family':16} {'mode':15} {'operators':>9} {'nodes':>8} {'om MB':>7} {'convert s':>10} {'read s':>8} {'CPU s':>8}")
    for family in FAMILIES:
        for mode in modes:
            times = []
            for size in sizes:
                model = Path(folder) / "model.onnx"
                write_family(model, family, 1, size)
                r, cpu = run(program, model, mode)
                times.append(cpu)
                print(f"{family:16} {mode:15} {size:9} {r['nodes']:8} {r['om_bytes'] / 1e6:7.1f} {r['convert_s']:10.2f} "
                      f"{r['read']:8.2f} {cpu:8.2f}", flush=True)  # fmt: skip
            if len(sizes) > 1:
                print(f"{'':16} {'':15} exponent of processor time {slope(sizes, times):.2f}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("build")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--modes", default="none,LoadBalance:64")
    parser.add_argument("--families", default=",".join(KINDS))
    parser.add_argument("--convert", default="1000,10000,100000")
    given = parser.parse_args()
    programs = Path(given.build) / "bin"
    modes = given.modes.split(",")
    sizes = [int(s) for s in given.sizes.split(",") if s != "0"]
    if sizes:
        scale(programs / "bench_scale", given.families.split(","), modes, sizes)
    sizes = [int(s) for s in given.convert.split(",") if s != "0"]
    if sizes:
        with tempfile.TemporaryDirectory() as folder:
            convert(programs / "bench_convert", modes, sizes, folder)


main()
