"""Converts models, runs them, and compares with ONNX Runtime or with the corpus's golden values.

usage: compare_onnxruntime.py [--build BUILD] [--keep FOLDER] [MODEL...]

MODEL is the name of a corpus model, the name of a model that the corpus's author_models.py writes (resnet50,
mobilenet_v2, mobilenet_v2_fp16, bert_l6_h384), or FILE.onnx[@INPUT_SHAPE] (INPUT_SHAPE as atc takes it). Default: all
the named ones. Each is converted twice:
  origin   --precision_mode_v2=origin: within rtol 1e-3, atol 1e-4 (widened by the error of the reference itself)
  fp16     atc's default: within the bounds of numpy_fp16.py, from an independent evaluation with fp16 rounding
A model that is fp16 in the file has the second bounds in both.
Corpus models are judged by their golden values; the others by ONNX Runtime on seeded random inputs.
Sets up its own Python environment in BUILD/venv (pip: numpy, onnx, onnxruntime). Exits 1 when a comparison fails.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["numpy", "onnx", "onnxruntime"]

# Models that author_models.py writes, and the shapes to convert them for.
AUTHORED = {
    "bert_l6_h384": "input_ids:1,128;attention_mask:1,128;token_type_ids:1,128",
    "mobilenet_v2": "input:1,3,224,224",
    "mobilenet_v2_fp16": "input:1,3,224,224",
    "resnet50": "",
}
# Integer inputs need values that mean something: (low, high), high excluded.
INTEGER_RANGES = {"input_ids": (0, 8000), "attention_mask": (1, 2), "token_type_ids": (0, 2)}


def environment(place, packages):
    """Runs the program again under the Python environment PLACE, made when it is not there yet; returns once inside it."""
    python = place / "bin" / "python"
    if Path(sys.prefix).resolve() == place.resolve():
        return
    if not python.exists():
        print(f"$ python3 -m venv {place}; pip install {' '.join(packages)}", flush=True)
        venv.create(place, with_pip=True)
    have = subprocess.run([python, "-c", "import " + ", ".join(packages)], capture_output=True)
    if have.returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    os.execv(python, [str(python), str(Path(sys.argv[0]).resolve()), *sys.argv[1:]])


def shapes_of(text):
    """{name: shape} of an --input_shape text; names may hold colons."""
    pairs = (part.rsplit(":", 1) for part in text.split(";") if part)
    return {name: [int(d) for d in dims.split(",") if d] for name, dims in pairs}


def random_feeds(model, input_shape):
    """Seeded inputs for the model's signature; floats are normally distributed."""
    import numpy as np
    from numpy_evaluator import NUMPY_TYPES

    generator = np.random.RandomState(0)
    fixed = {i.name for i in model.graph.initializer}
    given = shapes_of(input_shape)
    feeds = {}
    for entry in model.graph.input:
        if entry.name in fixed:
            continue
        tensor = entry.type.tensor_type
        shape = given.get(entry.name) or [d.dim_value for d in tensor.shape.dim]
        dtype = NUMPY_TYPES[tensor.elem_type]
        if np.issubdtype(dtype, np.floating):
            feeds[entry.name] = generator.standard_normal(shape).astype(dtype)
        else:
            low, high = INTEGER_RANGES.get(entry.name, (0, 2))
            feeds[entry.name] = generator.randint(low, high, shape).astype(dtype)
    return feeds


def onnxruntime_outputs(file, feeds):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def authored_file(name, folder):
    import corpus

    file = folder / f"{name}.onnx"
    if not file.exists():
        subprocess.run([sys.executable, corpus.folder() / "tools" / "author_models.py", folder, name], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
    return file


def case_of(name, folder):
    """(ONNX file, --input_shape, feeds, reference outputs)."""
    import corpus
    import onnx

    if name in corpus.INPUT_SHAPES:
        feeds, golden = corpus.goldens(name)
        return corpus.model_file(name), corpus.INPUT_SHAPES[name], feeds, golden
    if name in AUTHORED:
        file, shape = authored_file(name, folder), AUTHORED[name]
    else:
        file, _, shape = name.partition("@")
    feeds = random_feeds(onnx.load(str(file)), shape)
    return Path(file), shape, feeds, onnxruntime_outputs(file, feeds)


def call(command):
    """Runs a program; its output is shown when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")
        raise SystemExit(f"exit status {done.returncode} from: {' '.join(map(str, command))}")


def convert_and_run(build, file, shape, feeds, folder, flags):
    """The outputs of omrun."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    call([build / "bin/atc", f"--model={file}", "--framework=5", "--soc_version=Ascend910B3",
          f"--output={folder / 'model'}", *([f"--input_shape={shape}"] if shape else []), *flags])  # fmt: skip
    inputs = []
    for k, (name, array) in enumerate(feeds.items()):
        np.save(folder / f"in_{k}.npy", array)
        inputs += ["--input", f"{name}={folder / f'in_{k}.npy'}"]
    om = next(folder.glob("model*.om"))  # a model whose shapes stay open is named for the host
    call([build / "bin/omrun", om, *inputs, "--output", folder])
    count = sum(1 for _ in folder.glob("out_*.npy"))
    return [np.load(folder / f"out_{k}.npy") for k in range(count)]


def judge(label, names, found, golden, references, half):
    """Prints one line an output; True when all are within their bounds."""
    from numpy_fp16 import cosine, half_bounds, max_error, outside

    good = len(found) == len(golden)
    if not good:
        print(f"{label}: {len(found)} outputs, expected {len(golden)}")
    for name, f, g, exact, rounded in zip(names, found, golden, references["float64"], references["half"]):
        if f.shape != g.shape:
            line, fine = f"shape {list(f.shape)}, expected {list(g.shape)}", False
        elif half:
            error, least = half_bounds(g, rounded)
            fine = max_error(f, g) <= error and cosine(f, g) >= least
            line = f"error {max_error(f, g):.3g} (at most {error:.3g})"
            line += f", cosine {cosine(f, g):.6f} "
            line += f"(at least {least})" if least > 0 else f"(not judged: {cosine(rounded, g):.6f} by NumPy in fp16)"
        else:
            misses = outside(f, g, exact)
            fine = misses == 0
            line = f"error {max_error(f, g):.3g}, {misses} of {g.size} outside tolerance"
        print(f"{'ok   ' if fine else 'WRONG'} {label} {name}: {line}", flush=True)
        good &= fine
    return good


def compare(name, build, folder):
    import onnx
    from numpy_evaluator import evaluate

    file, shape, feeds, golden = case_of(name, folder)
    model = onnx.load(str(file))
    names = [o.name for o in model.graph.output]
    references = {mode: evaluate(model, feeds, mode) for mode in ("float64", "half")}
    fp16_in_file = any(i.data_type == onnx.TensorProto.FLOAT16 for i in model.graph.initializer)
    good = True
    for mode, flags in (("origin", ["--precision_mode_v2=origin"]), ("fp16", [])):
        found = convert_and_run(build, file, shape, feeds, folder / Path(file).stem / mode, flags)
        good &= judge(f"{name} {mode}", names, found, golden, references, mode == "fp16" or fp16_in_file)
    return good


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    environment(arguments.build.resolve() / "venv", PACKAGES)

    import corpus

    models = arguments.models or [*corpus.STRAIGHT, *AUTHORED]
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        results = [compare(name, arguments.build.resolve(), folder) for name in models]
    print(f"{sum(results)} of {len(results)} models within their bounds")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
