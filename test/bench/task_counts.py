"""Prints, of ONNX models, the tasks of their om next to the operators that other optimisers leave.

usage: task_counts.py BUILD MODEL.onnx[=INPUT_SHAPES]...

INPUT_SHAPES is the value of --input_shape. Columns: operators of the model; tasks of the om in origin precision, without
Data, Const, Cast, TransData, NetOutput and events; operators after ONNX Runtime's extended optimisation and after
onnxslim, without constants and Cast. Needs the packages onnx, onnxruntime and onnxslim (pip); exits with 1 where a model
has more tasks than either leaves.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import om_wire  # noqa: E402
from programs import written_om  # noqa: E402

ASIDE = {"Cast", "Const", "Constant", "Data", "NetOutput", "Recv", "Send", "StreamActive", "TransData"}


def count(kinds):
    return Counter(kind for kind in kinds if kind not in ASIDE)


def nodes_of(graph):
    """Operator types of a graph and those nested in it."""
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            for nested in [attribute.g, *attribute.graphs] if attribute.HasField("g") or attribute.graphs else []:
                yield from nodes_of(nested)


def tasks(build, model, shapes, folder):
    om = folder / "model.om"
    command = [build / "bin/atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3",
               "--precision_mode_v2=origin", f"--output={om.with_suffix('')}"]  # fmt: skip
    subprocess.run(command + ([f"--input_shape={shapes}"] if shapes else []), check=True, stdout=subprocess.DEVNULL)
    graph = om_wire.read(written_om(om))[0]["graph"][0]
    # What emits no task is on no stream.
    return count(op["type"] for op in graph["op"] if op.get("stream_id", 0) >= 0)


def runtime(model, folder):
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(folder / "optimised.onnx")
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return count(nodes_of(onnx.load(folder / "optimised.onnx", load_external_data=False).graph))


def slim(model):
    import onnxslim

    return count(nodes_of(onnxslim.slim(str(model)).graph))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    import onnx

    build = Path(sys.argv[1]).resolve()
    worse = 0
    print(f"{'model':<32} {'model':>7} {'tasks':>7} {'ort':>7} {'slim':>7}")
    for argument in sys.argv[2:]:
        model, _, shapes = argument.partition("=")
        with tempfile.TemporaryDirectory() as scratch:
            scratch = Path(scratch)
            ours = tasks(build, model, shapes, scratch)
            others = []
            for optimise in (lambda: runtime(model, scratch), lambda: slim(model)):
                try:
                    others.append(optimise())
                except Exception as error:  # an optimiser that refuses a model says nothing of ours
                    print(f"{Path(model).name}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
                    others.append(None)
            before = count(nodes_of(onnx.load(model, load_external_data=False).graph))
            numbers = [sum(c.values()) if c is not None else -1 for c in (before, ours, *others)]
            print(f"{Path(model).name:<32} {numbers[0]:>7} {numbers[1]:>7} {numbers[2]:>7} {numbers[3]:>7}", flush=True)
            for name, other in zip(("ort", "slim"), others):
                if other is not None and sum(ours.values()) > sum(other.values()):
                    worse += 1
                    print(f"    more than {name}: {dict(ours.most_common())} against {dict(other.most_common())}")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
