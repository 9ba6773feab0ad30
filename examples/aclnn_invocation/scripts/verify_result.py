"""Compares what the operator wrote with the golden values: one step of fp16 (relative 1e-3) is allowed.

usage: verify_result.py output/output_z.bin output/golden.bin
"""

import sys

import numpy as np


def main(output, golden):
    got, want = (np.fromfile(path, np.float16).astype(np.float64) for path in (output, golden))
    if got.shape != want.shape:
        print(f"test fail: {got.size} elements, {want.size} are wanted")
        return 1
    off = np.abs(got - want) > 1e-3 * np.abs(want)
    if off.any():
        place = int(np.argmax(off))
        print(f"test fail: {int(off.sum())} elements differ, the first at {place}: {got[place]}, {want[place]} is wanted")
        return 1
    print("test pass")
    return 0


sys.exit(main(*sys.argv[1:]))
