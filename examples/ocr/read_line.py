"""Decodes the recogniser's output and prints the text.

usage: read_line.py OUTPUT.npy DICTIONARY.txt

OUTPUT.npy is float[1,T,C]: for each of T steps along the line the probability of each of C classes.
Class 0 is the CTC blank, then come the lines of the dictionary, then the space. Greedy CTC: the best class of
each step, repetitions merged, blanks dropped.
"""

import sys

import numpy as np


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    scores = np.load(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        classes = [""] + file.read().splitlines() + [" "]
    if scores.ndim != 3 or scores.shape[0] != 1 or scores.shape[2] != len(classes):
        sys.exit(f"read_line.py: {sys.argv[1]} has shape {list(scores.shape)}, expected [1, steps, {len(classes)}]")
    best = scores[0].argmax(axis=1)
    changed = np.concatenate([[True], best[1:] != best[:-1]])
    print("".join(classes[c] for c in best[changed]))


main()
