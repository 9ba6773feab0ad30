"""The TensorFlow models of the corpus through atc and omrun, against golden values of another runtime.

usage: corpus_tf_test.py BUILD [NAME ...]

Each model is converted three times: for the shapes of its golden inputs in origin precision, the same with an open
batch, and in fp16. In origin every output lies within rtol 1e-3, atol 1e-4 of the golden one (3e-3 for the models whose
golden values are known to be that far off); in fp16 the cosine is at least 0.999. Outputs that count or choose (integers,
and what follows from a selection of boxes) are judged in origin alone, as fp16 may choose otherwise.
A model without golden values is converted and run on text.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dev"))
try:
    import numpy as np
except ImportError:
    print("SKIPPED: no python3-numpy")
    sys.exit(77)
try:
    import corpus
except ImportError:
    print("SKIPPED: no python3-onnx, which finding the corpus needs")
    sys.exit(77)
from programs import Programs, written_om  # noqa: E402

LOOSE = {"movenet-lightning": 3e-3, "posenet": 3e-3}
CHOOSES = {"faceboxes", "handtrack", "movenet-lightning"}
# The golden values of these outputs come from another non-maximum suppression than TensorFlow's (9 boxes, where
# TensorFlow 2.21 selects 100). What TensorFlow gives instead: output, and its first values.
OTHERWISE = {
    "handtrack": {0: [1.9882352] * 4, 1: [0.06057277, 0.05726735, 0.05440938, 0.04513641], 3: None, 4: None, 5: [100],
                  6: [9238, 9439, 9238, 9539]},
}  # fmt: skip
# The file fixes the batch: Reshapes to constant shapes, or a Placeholder of batch 1.
FIXED_BATCH = {"blazeface-front", "handskeleton", "handtrack", "meet", "movenet-lightning", "posenet", "selfie"}


def entries(place, kind):
    """(name, element type, dims) of each tensor."""
    for text in json.loads((place / "names.json").read_text())[kind]:
        name, dtype, dims = re.fullmatch(r"(.*):(\w+)\[(.*)\]", text).groups()
        yield name, dtype, [int(d) for d in dims.split("x") if d]


def shape_flag(place, open_batch):
    items = []
    for name, _, dims in entries(place, "inputs"):
        dims = [-1] + dims[1:] if open_batch and dims else dims
        items.append(f"{name}:{','.join(map(str, dims))}")
    return "--input_shape=" + ";".join(items)


def run_model(programs, model, place, om, mode, open_batch):
    """The outputs as arrays, or a text that says what went wrong."""
    outs = [n if re.search(r":\d+$", n) else n + ":0" for n, _, _ in entries(place, "outputs")]
    result = programs.run(programs.bin / "atc", "--framework=3", f"--model={model}", "--soc_version=Ascend910B3",
                          f"--output={om.with_suffix('')}", f"--precision_mode_v2={mode}", shape_flag(place, open_batch),
                          "--out_nodes=" + ";".join(outs))  # fmt: skip
    if result.status != 0:
        return f"atc ended with {result.status}\n{result.text}"
    feeds = []
    for i, (name, _, _) in enumerate(entries(place, "inputs")):
        feeds += ["--input", f"{name}={fitting(programs, om, place / f'in_{i}.npy', name)}"]
    out = om.with_suffix("")
    result = programs.omrun(written_om(om), *feeds, "--output", out)
    if result.status != 0:
        return f"omrun ended with {result.status}\n{result.text}"
    return [np.load(out / f"out_{k}.npy") for k in range(len(outs))]


def fitting(programs, om, file, name):
    """The input in the element type that the model takes: the golden files hold images as int32."""
    data = np.load(file)
    if data.dtype != np.int32:
        return file
    text = programs.omrun(written_om(om)).text  # on random data, if it can; the signature comes first
    dtype = re.search(rf"input \d+\s+{re.escape(name)}\s+(\w+)", text)
    if dtype is None or dtype[1] == "int32":
        return file
    cast = om.with_suffix(".npy")
    np.save(cast, data.astype(dtype[1]))
    return cast


def cosine(a, b):
    a, b = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    norm = np.linalg.norm(a) * np.linalg.norm(b)
    return 1.0 if norm == 0 and not a.any() and not b.any() else float(a @ b / max(norm, 1e-300))


def agrees(name, how, mode, found, goldens):
    if isinstance(found, str):
        print(f"WRONG {name} {how}: {found}", flush=True)
        return False
    good = True
    for k, (value, golden) in enumerate(zip(found, goldens)):
        if k in OTHERWISE.get(name, {}):
            first = OTHERWISE[name][k]
            ok = mode != "origin" or first is None or np.allclose(value.ravel()[: len(first)], first, rtol=1e-3, atol=1e-4)
            good &= ok
            print(f"{'ok' if ok else 'WRONG'} {name} {how} output {k}: first values {value.ravel()[:4]}", flush=True)
            continue
        rtol = LOOSE.get(name, 1e-3)
        misses = int(np.sum(~np.isclose(value, golden, rtol=rtol, atol=max(1e-4, LOOSE.get(name, 0))))) \
            if value.shape == golden.shape else golden.size  # fmt: skip
        near = cosine(value, golden) if value.shape == golden.shape else 0.0
        # Below fp16's smallest normal number a half keeps few bits, or none: there only the tolerance can hold.
        tiny = misses == 0 and np.abs(golden).max() < 2**-14
        ok = value.shape == golden.shape and (misses == 0 if mode == "origin" else near >= 0.999 or tiny or name in CHOOSES)
        good &= ok
        print(f"{'ok' if ok else 'WRONG'} {name} {how} output {k}: {misses} of {golden.size} beyond tolerance, "
              f"cosine {near:.6f}, shape {value.shape}", flush=True)  # fmt: skip
    return good


def text_model_runs(programs, model, scratch):
    om = scratch / "text.om"
    result = programs.run(programs.bin / "atc", "--framework=3", f"--model={model}", "--soc_version=Ascend910B3",
                          f"--output={om.with_suffix('')}", "--input_shape=Placeholder:-1")  # fmt: skip
    print(f"{'ok' if result.status == 0 else 'WRONG'} {model.stem}: converts", flush=True)
    if result.status != 0:
        print(result.text)
    return result.status == 0


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    programs = Programs(sys.argv[1])
    folder = corpus.folder() / "tf"
    wanted = sys.argv[2:]
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        for model in sorted(folder.glob("*.pb")):
            name, place = model.stem, folder / model.stem
            if wanted and name not in wanted:
                continue
            if not place.is_dir():
                good &= text_model_runs(programs, model, Path(scratch))
                continue
            goldens = [np.load(place / f"out_{k}.npy") for k in range(len(list(entries(place, "outputs"))))]
            for how, mode, open_batch in (("origin", "origin", False), ("open batch", "origin", True), ("fp16", "fp16", False)):
                if open_batch and name in FIXED_BATCH:
                    continue
                found = run_model(programs, model, place, Path(scratch) / f"{name}_{how.replace(' ', '_')}.om", mode, open_batch)
                good &= agrees(name, how, mode, found, goldens)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
