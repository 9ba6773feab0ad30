"""Prints, of ONNX models, the tasks of their om next to the operators that other optimisers leave.

usage: task_counts.py BUILD [--models FOLDER] [MODEL.onnx[=INPUT_SHAPES] | NAME]...

NAME is one of bench_models.py; without any, all models of the corpus and of the scripts that author some are counted.
FOLDER keeps them (BUILD/bench_models). INPUT_SHAPES is the value of --input_shape. Columns: operators of the model;
tasks of the om in origin precision, without Data, Const, Cast, TransData, NetOutput and events, and how many TransData
and Transpose there are; operators after ONNX Runtime's extended optimisation and after onnxslim, without constants and
Cast. Needs the packages onnx, onnxruntime and onnxslim (pip); exits with 1 where a model has more tasks than either
leaves.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import bench_models  # noqa: E402
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


def kinds_of_tasks(build, model, shapes, folder):
    """How many tasks of each type the om of `model` has."""
    om = folder / "model.om"
    command = [build / "bin/atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3",
               "--precision_mode_v2=origin", f"--output={om.with_suffix('')}"]  # fmt: skip
    subprocess.run(command + ([f"--input_shape={shapes}"] if shapes else []), check=True, stdout=subprocess.DEVNULL)
    graph = om_wire.read(written_om(om))[0]["graph"][0]
    # What emits no task is on no stream.
    return Counter(op["type"] for op in graph["op"] if op.get("stream_id", 0) >= 0)


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


def models_of(arguments, folder):
    """(name, file, input shapes) of each model that is asked for; one that cannot be had is told on stderr."""
    known = {model.name: model for model in bench_models.MODELS + bench_models.MORE_MODELS}
    for argument in arguments or known:
        if argument not in known:
            file, _, shapes = argument.partition("=")
            yield Path(file).stem, file, shapes
            continue
        model = known[argument]
        try:
            file = bench_models.prepare(model, folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{argument}: left out, {error}", file=sys.stderr)
            continue
        shapes = ";".join(f"{name}:{','.join(map(str, dims))}" for name, dims in model.dims.items() if dims)
        yield argument, file, shapes if model.open_file else ""


def left_by(optimise, name):
    """What an optimiser leaves; None where it refuses the model, which says nothing of ours."""
    try:
        return optimise()
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
        return None


def main():
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    import onnx

    build = Path(arguments.pop(0)).resolve()
    folder = build / "bench_models"
    if arguments[:1] == ["--models"]:
        folder, arguments = Path(arguments[1]), arguments[2:]
    worse = []
    print(f"{'model':<28} {'model':>6} {'tasks':>6} {'ort':>6} {'slim':>6} {'trans':>6}")
    for name, model, shapes in models_of(arguments, folder):
        with tempfile.TemporaryDirectory() as scratch:
            scratch = Path(scratch)
            all_tasks = kinds_of_tasks(build, model, shapes, scratch)
            ours = count(all_tasks.elements())
            others = {"ort": left_by(lambda: runtime(model, scratch), name), "slim": left_by(lambda: slim(model), name)}
        before = count(nodes_of(onnx.load(model, load_external_data=False).graph))
        numbers = ["-" if c is None else c.total() for c in (before, ours, *others.values())]
        numbers.append(all_tasks["TransData"] + all_tasks["Transpose"] + all_tasks["TransposeD"])
        print(f"{name:<28} " + " ".join(f"{number:>6}" for number in numbers), flush=True)
        for optimiser, other in others.items():
            if other is not None and ours.total() > other.total():
                worse.append(name)
                print(f"    more than {optimiser}: {dict(ours.most_common())} against {dict(other.most_common())}")
    print(f"{len(set(worse))} models with more tasks than another optimiser leaves")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
