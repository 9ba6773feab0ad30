"""Exports Keras applications and small TensorFlow models (random weights), converts and runs them, compares with TensorFlow.

usage: compare_tensorflow.py [--build BUILD] [--keep FOLDER] [--forms frozen,lowered,grappler,saved] [MODEL...]

MODEL is a name of tensorflow_models.py; default all. Each is exported in the forms of tensorflow_export.py, where the
old form of control flow (lowered) is made of models that have some, and judged against TensorFlow:
  origin      --precision_mode_v2=origin: rtol 1e-3, atol 1e-4; integers exactly
  open batch  the frozen form with --input_shape=<input>:-1,... on two batches, likewise
  fp16        atc's default, the frozen form of models that decide nothing by a value: cosine at least 0.999
A Keras application may hold no Transpose and no TransData between convolutions: what there is is counted.
Sets up its own Python environment in BUILD/venv_tensorflow (pip: tensorflow). Exits 1 when a comparison fails.
"""

import argparse
import collections
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import compare_onnxruntime as base

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from programs import Programs, written_om  # noqa: E402

PACKAGES = ["tensorflow"]
FORMS = ("frozen", "lowered", "grappler", "saved")


class Conversion:
    """One model file, converted with the given flags, and run."""

    def __init__(self, programs, model, om, flags):
        self.programs, self.om = programs, om
        om.parent.mkdir(parents=True, exist_ok=True)
        result = programs.run(programs.bin / "atc", "--framework=3", f"--model={model}", "--soc_version=Ascend910B3",
                              f"--output={om.with_suffix('')}", *flags)  # fmt: skip
        self.fault = "" if result.status == 0 else "atc: " + essence(result.text)

    def run(self, feeds, count):
        """The outputs, or a text that says what went wrong."""
        import numpy as np

        if self.fault:
            return self.fault
        words, folder = [], self.om.with_suffix("")
        for k, (name, array) in enumerate(feeds.items()):
            file = self.om.with_name(f"{self.om.stem}_in_{k}.npy")
            np.save(file, array)
            words += ["--input", f"{name}={file}"]
        result = self.programs.omrun(written_om(self.om), *words, "--output", folder)
        if result.status != 0:
            return "omrun: " + essence(result.text)
        return [np.load(folder / f"out_{k}.npy") for k in range(count)]

    def operators(self):
        """How often each operator type is in the om's graph."""
        file = self.om.with_suffix(".json")
        self.programs.run(self.programs.bin / "atc", "--mode=1", f"--om={written_om(self.om)}", f"--json={file}")
        graphs = json.loads(file.read_text())["graph"]
        return collections.Counter(op["type"] for op in graphs[0]["op"])


def essence(text):
    """The line of a failed run that tells most."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if "(E" in line or line.startswith("E") or "error" in line]
    return (told or lines or ["no message"])[0][:300]


def judge(label, found, golden, half):
    import numpy as np
    from measures import cosine

    problems, worst, least = [], 0.0, 1.0
    if isinstance(found, str):
        problems = [found]
    else:
        for k, (f, g) in enumerate(zip(found, golden)):
            if f.shape != g.shape or f.dtype != g.dtype:
                problems.append(f"output {k}: {f.dtype} {list(f.shape)}, expected {g.dtype} {list(g.shape)}")
            elif not np.issubdtype(g.dtype, np.floating):
                if not half and not np.array_equal(f, g):
                    problems.append(f"output {k}: {np.count_nonzero(f != g)} of {g.size} differ")
            elif half:
                least = min(least, cosine(f, g))
                if not cosine(f, g) >= 0.999:
                    problems.append(f"output {k}: cosine {cosine(f, g):.6f}")
            elif g.size:
                worst = max(worst, float(np.nanmax(np.abs(f.astype(float) - g))))
                misses = int(np.sum(~np.isclose(f, g, rtol=1e-3, atol=1e-4, equal_nan=True)))
                if misses:
                    problems.append(f"output {k}: error {np.max(np.abs(f.astype(float) - g)):.3g} of {np.abs(g).max():.3g}, "
                                    f"{misses} of {g.size}")  # fmt: skip
    size = sum(g.size for g in golden)
    fine = f"cosine {least:.6f}" if half else f"error {worst:.2g} in {size} values"
    print(f"{'WRONG' if problems else 'ok   '} {label}: " + ("; ".join(problems) or fine), flush=True)
    return not problems


def shape_flag(inputs, batch):
    dims = {n: [batch, *x.shape[1:]] if batch else x.shape for n, x in inputs.items()}
    return "--input_shape=" + ";".join(f"{n}:{','.join(map(str, d))}" for n, d in dims.items())


def export(case, form, folder):
    """(model file or folder, flags, prefix of the names of inputs)."""
    import tensorflow_export as to

    if form == "saved":
        to.save(case, folder / "saved")
        return folder / "saved", [], "serving_default_"
    graph, outputs = to.frozen(to.traced(case, case.open_batch), form == "lowered")
    if form == "grappler":
        graph = to.optimised(graph, outputs)
    file = folder / f"{form}.pb"
    file.write_bytes(graph.SerializeToString())
    return file, ["--out_nodes=" + ";".join(outputs)], ""


def golden_of(case, feeds):
    import tensorflow as tf
    import tensorflow_export as to

    return [t.numpy() for t in to.call(case.model, [tf.constant(x) for x in feeds.values()])]


def compare(name, programs, folder, forms):
    import numpy as np
    from tensorflow_models import MODELS

    case = MODELS[name]()
    golden = golden_of(case, case.inputs)
    results = []
    for form in forms:
        if form == "lowered" and not case.loops:
            continue
        here = folder / name / form
        here.mkdir(parents=True, exist_ok=True)
        try:
            model, flags, prefix = export(case, form, here)
        except Exception as fault:  # what TensorFlow cannot export says nothing about OpenATC
            print(f"none  {name} {form}: not exportable: {str(fault).strip().splitlines()[0][:200]}", flush=True)
            continue
        feeds = {prefix + n: x for n, x in case.inputs.items()}

        def converted(mode, batch):
            how = [*flags, f"--precision_mode_v2={mode}", shape_flag(feeds, batch)]
            return Conversion(programs, model, here / f"{mode}{'_open' if batch else ''}.om", how)

        conversion = converted("origin", None)
        results.append(judge(f"{name} {form} origin", conversion.run(feeds, len(golden)), golden, False))
        if form != "frozen":
            continue
        if case.applications and not conversion.fault:
            counts = conversion.operators()
            print("      " + ", ".join(f"{n} {counts[n]}" for n in ("Conv2D", "Transpose", "TransposeD", "TransData")), flush=True)
        if case.half:
            results.append(judge(f"{name} {form} fp16", converted("fp16", None).run(feeds, len(golden)), golden, True))
        if case.open_batch:
            conversion = converted("origin", -1)
            for batch in (1, 3):
                some = {n: np.concatenate([x, x])[:batch] for n, x in case.inputs.items()}
                results.append(judge(f"{name} {form} open batch {batch}", conversion.run({prefix + n: x for n, x in some.items()}, len(golden)),
                                     golden_of(case, some), False))  # fmt: skip
    return results


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=Path, default=base.ROOT / "build")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--forms", type=lambda text: text.split(","), default=FORMS)
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    base.environment(build / "venv_tensorflow", PACKAGES)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

    import keras
    from tensorflow_models import MODELS

    results = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or Path(scratch)).resolve()
        for name in arguments.models or MODELS:
            begin = time.monotonic()
            results += compare(name, Programs(build), folder, arguments.forms)
            keras.backend.clear_session()
            print(f"      {name}: {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{sum(results)} of {len(results)} comparisons within their bounds")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
