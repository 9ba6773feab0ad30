"""omrun --dump_tensors and --compare_dumps: what every node made, against NumPy, and the first one that differs.

usage: tensors_test.py BUILD
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from onnx_wire import FLOAT, field, ints, node, tensor, value_info  # noqa: E402
from programs import Programs  # noqa: E402


def check(condition, what):
    if not condition:
        sys.exit(f"tensors_test: {what}")


def write_model(file, weights, bias):
    """Conv, Relu, and two branches (Sigmoid, Tanh) whose sum is the output; `bias` is added before the branches."""
    nodes = [
        node("Conv", ["x", "w"], ["c"], ints("kernel_shape", [3, 3]), ints("pads", [1, 1, 1, 1]), name="conv"),
        node("Relu", ["c"], ["r"], name="relu"),
        node("GlobalAveragePool", ["r"], ["g"], name="pool"),
        node("Add", ["g", "b"], ["a"], name="shift"),
        node("Softmax", ["a"], ["s"], name="softmax"),
        node("ReduceMax", ["a"], ["m"], name="most"),
        node("Mul", ["s", "m"], ["y"], name="join"),
    ]
    graph = b"".join(field(1, n) for n in nodes) + field(2, "branches")
    graph += field(5, tensor("w", FLOAT, weights.shape, weights.tobytes())) + field(5, tensor("b", FLOAT, bias.shape, bias.tobytes()))
    graph += field(11, value_info("x", FLOAT, [1, 3, 8, 8])) + field(12, value_info("y", FLOAT, [1, 4, 1, 1]))
    Path(file).write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def convolved(x, w):
    """Relu of the convolution with padding 1, in double."""
    padded = np.pad(x.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros((1, w.shape[0], 8, 8))
    for i in range(3):
        for j in range(3):
            out += np.einsum("nchw,oc->nohw", padded[:, :, i : i + 8, j : j + 8], w[:, :, i, j].astype("f8"))
    return np.maximum(out, 0)


def run(result, what, status=0):
    check(result.status == status, f"{what} ended with {result.status}:\n{result.text}")
    return result


def check_values(folder, x, w):
    index = json.loads((folder / "index.json").read_text())["tensors"]
    check([t["order"] for t in index] == sorted(t["order"] for t in index), "not in the order of the plan")
    check(len({t["file"] for t in index}) == len(index), "two tensors in one file")
    # The task that ends with the Relu, whatever was fused before it, in the layout of the source.
    relu = [t for t in index if t["origins"] and t["origins"][-1] == "relu" and t["type"] not in ("Cast", "TransData")]
    check(len(relu) >= 1, f"no task for the Relu in {index}")
    value = np.load(folder / relu[-1]["file"])
    check(value.shape == (1, 4, 8, 8) and np.allclose(value, convolved(x, w), rtol=1e-4, atol=1e-5), "the Relu's values")
    check(relu[-1]["dtype"] == "float32" and relu[-1]["shape"] == [1, 4, 8, 8], f"{relu[-1]}")


def main():
    programs = Programs(sys.argv[1])
    random = np.random.default_rng(5)
    x, w = random.standard_normal((1, 3, 8, 8), "f4"), random.standard_normal((4, 3, 3, 3), "f4")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.save(folder / "x.npy", x)
        write_model(folder / "m.onnx", w, np.zeros((1, 4, 1, 1), "f4"))
        write_model(folder / "off.onnx", w, np.full((1, 4, 1, 1), 0.5, "f4"))
        origin, half = ["--precision_mode_v2=origin"], ["--precision_mode_v2=fp16"]
        for om, model, flags in (("a", "m", origin), ("half", "m", half), ("off", "off", origin)):
            run(programs.atc(folder / f"{model}.onnx", folder / f"{om}.om", *flags), f"the conversion to {om}")
            run(programs.omrun(folder / f"{om}.om", "--input", folder / "x.npy", "--dump_tensors", folder / om), f"the run of {om}")
        check_values(folder / "a", x, w)

        # The same om twice, and on one core and two: no difference.
        run(programs.omrun(folder / "a.om", "-i", folder / "x.npy", "--cores=1", "-o", folder / "out", "--dump", "true"), "the second run")
        same = run(programs.omrun("--compare_dumps", f"{folder / 'a'},{folder / 'out' / 'dump'}", "--rtol=1e-6"), "comparing the same")
        check("by the nodes of the plan" in same.text and "all agree" in same.text, same.text)
        # Two types of one source, by its nodes: within what float16 loses in 27 products, beyond a closer tolerance.
        halves = run(programs.omrun(f"--compare_dumps={folder / 'a'},{folder / 'half'}", "--atol=0.05", "--rtol=0.02"), "comparing types")
        check("by the nodes of the source model" in halves.text, halves.text)
        close = run(programs.omrun(f"--compare_dumps={folder / 'a'},{folder / 'half'}", "--rtol=1e-7", "--json", folder / "d.json"),
                    "comparing types closely", 2)  # fmt: skip
        check("first    " in close.text and "differs from" in close.text, close.text)
        report = json.loads((folder / "d.json").read_text())
        check(report["by_origins"] and report["first_difference"] is not None, f"{report}")
        # Another constant: the first node that differs is the one that adds it, not one behind it.
        other = run(programs.omrun(f"--compare_dumps={folder / 'a'},{folder / 'off'}"), "comparing another constant", 2)
        first = other.text[other.text.index("first ") :]
        check("'shift'" in first.split("of the source model")[0], other.text)

        # Single nodes, and faults without files.
        run(programs.omrun(folder / "a.om", "--dump_tensors", folder / "one", "--dump_nodes", "relu"), "one node")
        names = {name for t in json.loads((folder / "one" / "index.json").read_text())["tensors"] for name in t["origins"]}
        check("relu" in names and "join" not in names, f"nodes {names}")
        none = run(programs.omrun(folder / "a.om", "--dump_tensors", folder / "none", "--dump_nodes", "nobody"), "no node", 1)
        check("'nobody'" in none.text and not (folder / "none").exists(), none.text)
        wrong = run(programs.omrun(f"--compare_dumps={folder / 'a'},{folder}"), "no dump", 1)
        check("it has no index.json" in wrong.text, wrong.text)
        check("takes two folders" in run(programs.omrun("--compare_dumps=a"), "one folder", 1).text, "one folder")
    print("tensors_test: passed")


if __name__ == "__main__":
    main()
