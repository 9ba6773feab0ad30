"""How far fp16 may take a model's outputs: an independent evaluation with rounding between tasks.

usage: numpy_fp16.py [NAME...]    models of the corpus, by name (default: all that need no control flow)

Finds the corpus at $OPENATC_CORPUS or ../shared/corpus beside the checkout, its models where its fetch.sh puts them.
For each output prints, against the golden values: the largest error of the fp32 evaluation (which shows that the
evaluator is right) and of a float64 one (which shows how exact the golden values are), then cosine and largest error
of the fp16 ones, with each node a task and with fused tasks, and the bounds that a converted model has to keep.
Exits 1 when the fp32 evaluation misses its own bound.
"""

import sys
from pathlib import Path

import numpy as np

import corpus
from numpy_evaluator import evaluate

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from measures import cosine  # noqa: E402


def max_error(a, b):
    return float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)), initial=0))


def outside(found, golden, exact):
    """How many values lie outside rtol 1e-3, atol 1e-4 of the golden ones, widened by twice the golden values' error.

    The golden values are fp32 too, with their own order of summation: two fp32 evaluations that are each off by that
    much differ by up to twice as much. It matters where values near zero are differences of large ones.
    """
    allowed = 1e-4 + 1e-3 * np.abs(golden.astype(np.float64)) + 2 * max_error(golden, exact)
    return int(np.sum(~(np.abs(found.astype(np.float64) - golden) <= allowed)))


def half_bounds(golden, half):
    """(largest error, least cosine) that an fp16 conversion may have, given the independent fp16 evaluation.

    Error: 1.5 x that of the evaluation plus one fp16 step at the output's largest magnitude. Cosine: 0.999; -1, any,
    where the evaluation does not reach that itself, so that fp16 does not carry the output (an output that keeps only
    local maxima, for instance: rounding moves them).
    """
    step = float(np.spacing(np.float16(np.max(np.abs(golden), initial=0))))
    return 1.5 * max_error(half, golden) + step, 0.999 if cosine(half, golden) >= 0.999 else -1.0


def main():
    wrong = False
    for name in sys.argv[1:] or corpus.STRAIGHT:
        model, feeds, goldens = corpus.load(name)
        modes = ("float32", "float64", "half", "half_fused")
        results = zip(*(evaluate(model, feeds, mode) for mode in modes))
        for output, golden, (plain, exact, half, fused) in zip(model.graph.output, goldens, results):
            misses = outside(plain, golden, exact)
            wrong |= plain.shape != golden.shape or misses > 0
            error, least = half_bounds(golden, half)
            print(f"{name} {output.name} {list(golden.shape)}, largest value {max_error(golden, 0 * golden):.3g}")
            print(f"  fp32         error {max_error(plain, golden):.3g}, {misses} of {golden.size} outside tolerance")
            print(f"  float64      error {max_error(exact, golden):.3g}: that of the golden values")
            print(f"  fp16 by node error {max_error(half, golden):.3g}, cosine {cosine(half, golden):.6f}")
            print(f"  fp16 fused   error {max_error(fused, golden):.3g}, cosine {cosine(fused, golden):.6f}")
            print(f"  bounds       error {error:.3g}, cosine {least}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
