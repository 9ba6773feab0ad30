"""Exports small PyTorch models (random weights) to ONNX, converts and runs them, and compares with ONNX Runtime.

usage: compare_pytorch.py [--build BUILD] [--keep FOLDER] [--opsets 11,17,20] [MODEL...]

MODEL is a name of pytorch_models.py; default all. Each is exported by both of PyTorch's exporters, the script one at each
opset, with its dynamic axes where it has some; then every feed is run by atc and omrun and judged against ONNX Runtime
without optimisation: rtol 1e-3, atol 1e-4 in --precision_mode_v2=origin; integers exactly.
Sets up its own Python environment in BUILD/venv_pytorch (pip: torch, torchvision, onnx, onnxscript, onnxruntime).
Exits 1 when a comparison fails.
"""

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import compare_onnxruntime as base

PACKAGES = ["torch", "torchvision", "onnx", "onnxscript", "onnxruntime", "numpy"]


def export(case, exporter, opset, file):
    import torch

    names = list(case.inputs)
    keywords = {"input_names": names, "dynamo": exporter == "dynamo"}
    if exporter == "script":
        keywords |= {"opset_version": opset, "dynamic_axes": case.dynamic or None}
    elif case.dynamic:
        symbols = {s: torch.export.Dim(s, min=1, max=512) for axes in case.dynamic.values() for s in axes.values()}
        keywords["dynamic_shapes"] = tuple({a: symbols[s] for a, s in case.dynamic.get(n, {}).items()} for n in names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(case.model, tuple(case.inputs.values()), str(file), verbose=False, **keywords)


def input_shape(case):
    """What --input_shape needs for the dynamic inputs: -1 for each open axis."""
    parts = []
    for name, axes in case.dynamic.items():
        dims = [-1 if k in axes else d for k, d in enumerate(case.inputs[name].shape)]
        parts.append(f"{name}:{','.join(map(str, dims))}")
    return ";".join(parts)


def judge(label, names, found, golden):
    import numpy as np

    problems = [] if len(found) == len(golden) else [f"{len(found)} outputs, expected {len(golden)}"]
    worst, size = 0.0, sum(g.size for g in golden)
    for name, f, g in zip(names, found, golden):
        if f.shape != g.shape or f.dtype != g.dtype:
            problems.append(f"{name}: {f.dtype} {list(f.shape)}, expected {g.dtype} {list(g.shape)}")
        elif not np.issubdtype(g.dtype, np.floating):
            if not np.array_equal(f, g):
                problems.append(f"{name}: {np.count_nonzero(f != g)} of {g.size} differ")
        elif g.size:
            worst = max(worst, float(np.max(np.abs(f.astype(float) - g))))
            if not np.allclose(f, g, rtol=1e-3, atol=1e-4, equal_nan=True):
                problems.append(f"{name}: error {np.max(np.abs(f.astype(float) - g)):.3g}")
    print(f"{'WRONG' if problems else 'ok   '} {label}: " + ("; ".join(problems) or f"error {worst:.2g} in {size} values"), flush=True)
    return not problems


def compare(name, build, folder, opsets):
    import onnx
    import torch
    from pytorch_models import MODELS

    torch.manual_seed(0)
    case = MODELS[name]()
    case.model.eval()
    variants = [(e, o) for e in case.exporters for o in (opsets if e == "script" else (0,))]
    results = []
    for exporter, opset in variants:
        label = f"{name} {exporter}" + (f" opset {opset}" if opset else "")
        here = folder / name / f"{exporter}{opset}"
        here.mkdir(parents=True, exist_ok=True)
        file = here / "model.onnx"
        try:
            export(case, exporter, opset, file)
        except Exception as fault:  # what PyTorch cannot export says nothing about OpenATC
            print(f"none  {label}: not exportable: {str(fault).strip().splitlines()[0][:100]}", flush=True)
            continue
        signature = onnx.load(str(file), load_external_data=False).graph
        held = {i.name for i in signature.input}
        for k, feed in enumerate([case.inputs, *case.others]):
            feeds = {n: t.numpy() for n, t in feed.items() if n in held}
            try:
                golden = base.onnxruntime_outputs(file, feeds)
            except Exception:  # the script exporter keeps some traced shapes as constants
                print(f"none  {label} feed {k}: the export does not hold for this shape", flush=True)
                continue
            try:
                found = base.convert_and_run(build, file, input_shape(case), feeds, here / f"feed{k}",
                                             ["--precision_mode_v2=origin"])  # fmt: skip
            except SystemExit as fault:
                print(f"WRONG {label} feed {k}: {fault}", flush=True)
                results.append(False)
                continue
            results.append(judge(f"{label} feed {k}", [o.name for o in signature.output], found, golden))
    return results


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=Path, default=base.ROOT / "build")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--opsets", type=lambda text: [int(o) for o in text.split(",")], default=[11, 17, 20])
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    base.environment(build / "venv_pytorch", PACKAGES)

    import onnxruntime
    from pytorch_models import MODELS

    onnxruntime.set_default_logger_severity(4)
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or Path(scratch)).resolve()
        for name in arguments.models or MODELS:
            results += compare(name, build, folder, arguments.opsets)
    print(f"{sum(results)} of {len(results)} comparisons within their bounds")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
