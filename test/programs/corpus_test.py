"""The corpus models through atc and omrun, against golden values of another runtime.

usage: corpus_test.py BUILD

In origin precision every output lies within rtol 1e-3, atol 1e-4 of the golden one. Both are fp32 evaluations in
different orders of summation, so the tolerance is widened by what two such may differ by: twice the largest error of the
golden values against a float64 evaluation.
In fp16, the default, the largest error is at most 1.5 x that of an independent NumPy evaluation with fp16 rounding after
each node, plus one fp16 step of the output's maximum; the cosine is at least 0.999. Where that evaluation itself does
not reach it (outputs that pick maxima, which fp16 moves), the cosine may fall short of 1 by 1.5 x as much as the worse
of two evaluations, with rounding after each node and after each fused task.
Models with control flow, which the NumPy evaluation does not know, are held to the tolerance alone in origin precision
and to a cosine of 0.999 in fp16.
With the golden inputs no overflow of fp16 is forecast for the models that are evaluated fast.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dev"))
try:
    import numpy as np
    import onnx  # noqa: F401
except ImportError:
    print("SKIPPED: no python3-numpy or python3-onnx")
    sys.exit(77)
import corpus  # noqa: E402
import numpy_fp16  # noqa: E402
from numpy_evaluator import evaluate  # noqa: E402
from programs import Programs, written_om  # noqa: E402


def convert_and_run(programs, name, mode, folder, *more_flags):
    """The outputs of the converted model as arrays."""
    shape = (corpus.INPUT_SHAPES | corpus.CONTROL_FLOW)[name]
    flags = [f"--precision_mode_v2={mode}"] + ([f"--input_shape={shape}"] if shape else [])
    flags += more_flags
    result = programs.atc(corpus.model_file(name), folder / f"{name}_{mode}.om", *flags)
    if result.status != 0:
        sys.exit(f"{name} {mode}: atc ended with {result.status}\n{result.text}")
    place = corpus.folder() / "onnx_golden" / name
    inputs = [arg for file in sorted(place.glob("in_*.npy")) for arg in ("--input", str(file))]
    out = folder / f"{name}_{mode}"
    result = programs.omrun(written_om(folder / f"{name}_{mode}.om"), *inputs, "--output", out)
    if result.status != 0:
        sys.exit(f"{name} {mode}: omrun ended with {result.status}\n{result.text}")
    return [np.load(out / f"out_{i}.npy") for i in range(len(list(out.glob("out_*.npy"))))]


def beyond(found, golden, exact):
    """How many values lie outside the tolerance for origin precision."""
    allowed = 1e-4 + 1e-3 * np.abs(golden.astype(np.float64)) + 2 * numpy_fp16.max_error(golden, exact)
    return int(np.sum(~(np.abs(found.astype(np.float64) - golden) <= allowed)))


def least_cosine(golden, *halves):
    return min(0.999, 1 - 1.5 * max(1 - numpy_fp16.cosine(half, golden) for half in halves))


def control_flow_agrees(programs, name, scratch):
    """Whether a model with control flow gives its golden values; prints a line for each output."""
    _, goldens = corpus.goldens(name)
    origin = convert_and_run(programs, name, "origin", scratch)
    fp16 = convert_and_run(programs, name, "fp16", scratch)
    agrees = len(origin) == len(fp16) == len(goldens)
    for k, golden in enumerate(goldens[: min(len(origin), len(fp16))]):
        misses = int(np.sum(~np.isclose(origin[k], golden, rtol=1e-3, atol=1e-4)))
        cosine = numpy_fp16.cosine(fp16[k], golden)
        ok = origin[k].shape == golden.shape and misses == 0 and cosine >= 0.999
        agrees &= ok
        print(
            f"{'ok' if ok else 'WRONG'} {name} output {k}: origin error {numpy_fp16.max_error(origin[k], golden):.3g}, "
            f"{misses} of {golden.size} beyond tolerance; fp16 cosine {cosine:.6f} of at least 0.999",
            flush=True,
        )
    return agrees


def forecast_agrees(programs, name, scratch):
    """Whether no overflow of fp16 is forecast with the golden inputs, and whether none happens."""
    inputs, _ = corpus.names_of(name)
    place = corpus.folder() / "onnx_golden" / name
    samples = ";".join(f"{tensor}:{place / f'in_{i}.npy'}" for i, tensor in enumerate(inputs))
    shape = (corpus.INPUT_SHAPES | corpus.CONTROL_FLOW)[name]
    file = scratch / f"{name}.json"
    flags = [f"--precision_report={file}", f"--sample_inputs={samples}"] + ([f"--input_shape={shape}"] if shape else [])
    result = programs.atc(corpus.model_file(name), scratch / f"{name}_forecast.om", *flags)
    report = json.loads(file.read_text()) if result.status == 0 else {"overflow": {"verdict": result.text}, "nodes": []}
    overflow = report["overflow"]
    agrees = overflow["verdict"] is None and overflow["outputs_finite"] and all(node["reason"] for node in report["nodes"])
    print(f"{'ok' if agrees else 'WRONG'} {name}: forecast {overflow['verdict']}", flush=True)
    return agrees


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    programs = Programs(sys.argv[1])
    wrong = False
    with tempfile.TemporaryDirectory() as scratch:
        for name in corpus.STRAIGHT:
            model, feeds, goldens = corpus.load(name)
            exact = evaluate(model, feeds, "float64")
            half = evaluate(model, feeds, "half")
            fused = evaluate(model, feeds, "half_fused")
            origin = convert_and_run(programs, name, "origin", Path(scratch))
            fp16 = convert_and_run(programs, name, "fp16", Path(scratch))
            for k, golden in enumerate(goldens):
                misses = beyond(origin[k], golden, exact[k])
                strict = int(np.sum(~np.isclose(origin[k], golden, rtol=1e-3, atol=1e-4)))
                limit, _ = numpy_fp16.half_bounds(golden, half[k])
                least = least_cosine(golden, half[k], fused[k])
                error, cosine = numpy_fp16.max_error(fp16[k], golden), numpy_fp16.cosine(fp16[k], golden)
                ok = origin[k].shape == golden.shape and misses == 0 and error <= limit and cosine >= least
                wrong |= not ok
                print(
                    f"{'ok' if ok else 'WRONG'} {name} output {k}: origin error "
                    f"{numpy_fp16.max_error(origin[k], golden):.3g}, {misses} of {golden.size} beyond tolerance "
                    f"({strict} without widening); fp16 error {error:.3g} of at most {limit:.3g}, cosine {cosine:.6f} of "
                    f"at least {least:.6f}",
                    flush=True,
                )
        for name in ("blazeface_front", "embedding", "melspectrogram", "silero_v5"):
            wrong |= not forecast_agrees(programs, name, Path(scratch))
        for name in corpus.CONTROL_FLOW:
            wrong |= not control_flow_agrees(programs, name, Path(scratch))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
