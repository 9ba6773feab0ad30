"""Writes input/input_x.bin, input/input_y.bin ([8, 2048] fp16) and output/golden.bin, what NumPy makes of them.

usage: gen_data.py Add|Mul|Sub|AddCustom
"""

import sys
from pathlib import Path

import numpy as np

FUNCTIONS = {"Add": np.add, "AddCustom": np.add, "Mul": np.multiply, "Sub": np.subtract}


def main(name):
    rng = np.random.default_rng(1)
    x, y = (rng.uniform(1, 100, (8, 2048)).astype(np.float16) for _ in range(2))
    golden = FUNCTIONS[name](x.astype(np.float32), y.astype(np.float32)).astype(np.float16)
    for folder in ("input", "output"):
        Path(folder).mkdir(exist_ok=True)
    x.tofile("input/input_x.bin")
    y.tofile("input/input_y.bin")
    golden.tofile("output/golden.bin")


main(sys.argv[1] if len(sys.argv) > 1 else "Add")
