"""Runs large models of seeded families under every mode of streams, and compares their bits with those of one stream.

usage: families.py BUILD [--operators 5000] [--families 20] [--modes none,cv,...] [--precision origin]

Of each kind of model several are made, with other seeds. Every om is proven by atc --check_om. A line for each model and
mode: streams, events, how far the memory is above its bound, what went wrong. The exit status is 1 if anything did.
"""

import argparse
import random
import re
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from onnx_families import FAMILIES, WIDTH, write_family  # noqa: E402
from programs import Programs  # noqa: E402

SINGLE = "single"
MODES = ["none", "cv", "LoadBalance:2", "LoadBalance:8", "LoadBalance:64", "MainStream:2", "MainStream:8", "MainStream:64"]


def flags_of(mode):
    if mode == SINGLE:
        return ["--enable_single_stream=true"]
    return [] if mode == "none" else [f"--multi_stream_parallel_mode={mode}"]


def write_input(file, seed):
    """A float32 array [1, WIDTH] in NumPy's format, between -1 and 1."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {WIDTH}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    values = random.Random(seed)
    data = struct.pack(f"<{WIDTH}f", *(values.uniform(-1, 1) for _ in range(WIDTH)))
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


class Case:
    """One model under all modes."""

    def __init__(self, programs, family, seed, operators, precision, folder):
        self.programs, self.precision, self.folder = programs, precision, folder
        self.model = folder / "model.onnx"
        write_family(self.model, family, seed, operators)
        write_input(folder / "x.npy", seed)

    def run(self, mode):
        """(figures to print, the bytes of all outputs or None, what went wrong)."""
        om = self.folder / "model.om"
        om.unlink(missing_ok=True)
        done = self.programs.atc(self.model, om, f"--precision_mode_v2={self.precision}", *flags_of(mode))
        if done.status != 0:
            return "", None, f"atc ended with {done.status}: {done.text}"
        above = re.search(r"([\d.]+ % above the lower bound of \d+ B)(?: \((exact)\))?", done.text)
        proof = self.programs.run(self.programs.bin / "atc", "--check_om", om)
        if proof.status != 0:
            return "", None, proof.text
        out = self.folder / "out"
        for old in out.glob("*.npy") if out.is_dir() else []:
            old.unlink()
        done = self.programs.omrun(om, "--input", f"x={self.folder / 'x.npy'}", "--output", out)
        if done.status != 0:
            return "", None, f"omrun ended with {done.status}: {done.text}"
        plan = re.search(r"streams (\d+), events (\d+)", done.text)
        figures = f"{plan[1]:>4} streams {plan[2]:>6} events  {above[0] if above else ''}"
        return figures, b"".join(file.read_bytes() for file in sorted(out.glob("out_*.npy"))), ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("build")
    parser.add_argument("--operators", type=int, default=5000)
    parser.add_argument("--families", type=int, default=20)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--precision", default="origin")
    given = parser.parse_args()
    programs = Programs(given.build)
    kinds = list(FAMILIES)
    faults = 0
    for number in range(given.families):
        family, seed = kinds[number % len(kinds)], 1 + number // len(kinds)
        with tempfile.TemporaryDirectory() as folder:
            case = Case(programs, family, seed, given.operators, given.precision, Path(folder))
            expected = None
            for mode in [SINGLE, *given.modes.split(",")]:
                figures, found, fault = case.run(mode)
                expected = found if mode == SINGLE else expected
                if not fault and (not found or found != expected):
                    fault = "the bits are not those of one stream"
                faults += bool(fault)
                print(f"{family:16} seed {seed}  {mode:15} {figures} {'FAULT: ' + fault if fault else ''}", flush=True)
    print(f"{given.families} models under {1 + len(given.modes.split(','))} modes, {faults} faults")
    return 1 if faults else 0


sys.exit(main())
