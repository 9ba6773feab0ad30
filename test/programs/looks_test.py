"""--stages, --diff, --explain_node, --bisect, --precision_report and --format_report, as a user calls them.

usage: looks_test.py BUILD
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import onnx_families  # noqa: E402
import onnx_wire  # noqa: E402
from onnx_wire import FLOAT, field, node, tensor, value_info  # noqa: E402
from programs import Programs  # noqa: E402

FAULTS = []


def check(condition, what):
    if not condition:
        FAULTS.append(what)
        print(what)


def write_scaled_model(file, scale, size=4):
    """y = (x * scale) + x on float32[4] and a scale of `size` elements, named nodes."""
    graph = field(1, node("Mul", ["x", "s"], ["p"], name="scale/mul"))
    graph += field(1, node("Add", ["p", "x"], ["y"], name="head/add")) + field(2, "scaled")
    graph += field(5, tensor("s", FLOAT, [size], struct.pack(f"<{size}f", *[scale] * size)))
    graph += field(11, value_info("x", FLOAT, [4])) + field(12, value_info("y", FLOAT, [4]))
    with open(file, "wb") as stream:
        stream.write(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def write_npy(file, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    data = struct.pack(f"<{len(values)}f", *values)
    Path(file).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def test_stages(programs, folder, model, flags):
    result = programs.run(*flags, "--stages=json")
    check(result.status == 0, f"--stages: exit {result.status}\n{result.text}")
    stages = {stage["name"]: stage for stage in json.loads(result.text)["stages"]}
    check(list(stages)[:2] == ["GraphPreRunBegin", "PreRunBegin"], f"the first stages are {list(stages)[:2]}")
    check(list(stages)[-2:] == ["Build", "PreRunAfterBuild"], f"the last stages are {list(stages)[-2:]}")
    fusion = stages["OptimizeOriginalGraph_FeGraphFusionAfter"]
    check(fusion["rewrites"].get("HeavyElementwiseFusionPass"), f"the fusion stage rewrites {fusion['rewrites']}")
    check(any("Relu" in name for name in fusion["removed"]), f"the fusion stage removes {fusion['removed']}")
    check(stages["OptimizeOriginalGraph_FeOpDtypeJudgeAfter"]["changes"].get("dtype"), "no types change")
    check(all(stage["nodes"] > 0 and stage["milliseconds"] >= 0 for stage in stages.values()), "a stage without nodes")
    check(not list(folder.glob("*.om")), "looking writes an om")
    for report in ("stages", "precision_report", "format_report", "stream_report"):
        bare = programs.run(*flags, f"--{report}", "--json")
        check(bare.status == 0 and json.loads(bare.text)["schema"] == 1, f"--{report} --json:\n{bare.text}")
        # Where an om is written too, what is told besides leaves stdout to the report.
        beside = subprocess.run([*map(str, flags), f"--{report}=json", f"--output={folder}/beside"], capture_output=True)
        check(beside.returncode == 0 and json.loads(beside.stdout)["schema"] == 1, f"--{report}=json --output: {beside}")
        programs.run(*flags, f"--{report}", f"--json={folder}/{report}.out")
        check(json.loads((folder / f"{report}.out").read_text())["schema"] == 1, f"--{report} --json=FILE")
    # What a stage does to the plan is told too, as its dump shows it.
    check(stages["AfterCalcOpParam"]["changes"].get("size"), f"sizes: {stages['AfterCalcOpParam']}")
    check(stages["AfterAssignMemory"]["changes"].get("offset"), f"offsets: {stages['AfterAssignMemory']}")
    write_scaled_model(folder / "misfit.onnx", 2, 3)
    misfit = [programs.bin / "atc", f"--model={folder}/misfit.onnx", "--framework=5", "--soc_version=Ascend910B3"]
    failed = programs.run(*misfit, f"--stages={folder}/failed.json")
    told = json.loads((folder / "failed.json").read_text())
    check(failed.status == 255 and told["failed"] == "AfterInfershape", f"where it failed: {told['failed']}")
    check(told["stages"][-1]["name"] == "AfterInfershape" and told["stages"][-1]["nodes"] is None, "the stage that failed")
    check(all(stage["nodes"] for stage in told["stages"][:-1]), "stages before the one that failed")
    text = programs.run(*flags, "--stages").text
    check("OptimizeStage1_1" in text and "total" in text, f"no table:\n{text}")
    ends = {match.end() for match in re.finditer(r"^\S+ +[\d.]+ +\d+(?=  )", text, re.MULTILINE)}
    ends = {end - (text.rfind("\n", 0, end) + 1) for end in ends}
    check(len(ends) == 1, f"the columns are not aligned:\n{text}")


def test_diff(programs, folder, model):
    fp16, origin = folder / "fp16.om", folder / "origin.om"
    programs.atc(model, fp16)
    programs.atc(model, origin, "--precision_mode_v2=origin")
    same = programs.run(programs.bin / "atc", "--diff", fp16, fp16)
    check(same.status == 0 and "equal" in same.text, f"an om differs from itself: {same.status}\n{same.text}")
    other = programs.run(programs.bin / "atc", "--diff", fp16, origin, "--json")
    check(other.status == 1, f"--diff of two types: exit {other.status}")
    diff = json.loads(other.text)
    kinds = diff["counts"]
    check(kinds.get("dtype") and kinds.get("node"), f"differences of types: {kinds}")
    check(any(d["kind"] == "dtype" and d["a"] == "DT_FLOAT16" and d["b"] == "DT_FLOAT" for d in diff["differences"]),
          "no type is told of")  # fmt: skip
    for scale in (2, 3):
        write_scaled_model(folder / f"by{scale}.onnx", scale)
        programs.atc(folder / f"by{scale}.onnx", folder / f"by{scale}.om", "--precision_mode_v2=origin")
    scales = programs.run(programs.bin / "atc", "--diff", folder / "by2.om", folder / "by3.om", "--json")
    weights = [d["node"] for d in json.loads(scales.text)["differences"] if d["kind"] == "weight"]
    check(weights == ["s"], f"other weights: {scales.text}")
    missing = programs.run(programs.bin / "atc", "--diff", fp16, folder / "none.om")
    check(missing.status == 2, f"--diff of a missing file: exit {missing.status}")
    (folder / "text.txt").write_text("no graph")
    check(programs.run(programs.bin / "atc", "--diff", fp16, folder / "text.txt").status == 2, "--diff takes any text")
    alone = programs.run(programs.bin / "atc", "--diff", fp16)
    check(alone.status == 255 and "missing its argument" in alone.text, f"--diff of one file:\n{alone.text}")

    environment = {"DUMP_GE_GRAPH": "1", "DUMP_GRAPH_LEVEL": "AfterInfershape|Build", "DUMP_GRAPH_PATH": str(folder / "d")}
    programs.atc(model, fp16, environment=environment)
    for form in ("ge_proto_*_{}.txt", "ge_onnx_*_{}.pbtxt"):
        before, after = (next((folder / "d").glob("*/" + form.format(s))) for s in ("AfterInfershape", "graph_0_Build"))
        check(programs.run(programs.bin / "atc", "--diff", before, before).status == 0, f"{before.name} differs from itself")
        dumps = programs.run(programs.bin / "atc", "--diff", before, after, "--json")
        check(dumps.status == 1, f"--diff of dumps: exit {dumps.status}\n{dumps.text}")
        kinds = json.loads(dumps.text)["counts"]
        check({"node", "stream", "dtype"} <= set(kinds), f"stages differ in {kinds}")
        om = programs.run(programs.bin / "atc", "--diff", after, fp16, "--json")
        kinds = json.loads(om.text)["counts"] if om.status == 1 else {}
        check(om.status in (0, 1) and not set(kinds) - {"attribute"}, f"{form}: Build and its om differ: {kinds}")


def test_explain(programs, folder, flags):
    result = programs.run(*flags, "--explain_node=scale/mul", "--json")
    check(result.status == 0, f"--explain_node: exit {result.status}\n{result.text}")
    told = json.loads(result.text)
    check(told["sources"] == ["scale/mul"], f"sources: {told['sources']}")
    fused = next((n for n in told["nodes"] if n["type"] == "FusedElementwise"), {"sources": [], "task": -1, "reasons": []})
    check(fused["task"] >= 0 and set(fused["sources"]) == {"scale/mul", "head/add"}, f"nodes: {told['nodes']}")
    check(any(r["pass"] == "ElementwiseChainFusionPass" for r in told["rewrites"]), f"rewrites: {told['rewrites']}")
    check(any(r.startswith("dtype: ") for r in fused["reasons"]), "no reason for its type")
    task = programs.run(*flags, f"--explain_node=#{fused['task']}", "--json")
    check("head/add" in json.loads(task.text)["sources"], f"from the task back:\n{task.text}")
    for flag in ("--explain_node=", "--report="):
        check("E10004" in programs.run(*flags, flag).text, f"{flag} without a value is taken")
    (folder / "op.json").write_text(json.dumps([{"op": "Relu", "input_desc": [{"format": "ND", "shape": [3], "type": "float16"}],
                                                 "output_desc": [{"format": "ND", "shape": [3], "type": "float16"}]}]))  # fmt: skip
    single = programs.run(flags[0], f"--singleop={folder}/op.json", f"--output={folder}/ops", "--soc_version=Ascend910B3", "--stages")
    check("W10001" in single.text and "--stages" in single.text, f"--stages of single operators is ignored in silence:\n{single.text}")
    wrong = programs.run(*flags, "--explain_node=scale/mull")
    check(wrong.status == 255 and "E10016" in wrong.text and "'scale/mul'" in wrong.text, f"no hint:\n{wrong.text}")
    om = folder / "scaled.om"
    programs.run(*flags, f"--output={om.with_suffix('')}")
    finished = programs.run(programs.bin / "atc", f"--om={om}", "--explain_node=head/add")
    check(finished.status == 0 and "#" in finished.text, f"of an om:\n{finished.text}")


def write_mixed_model(file):
    """What is folded, twice there, without effect, dead, fused and served by a Cast."""
    nodes = [node("Mul", ["c1", "c2"], ["c"], name="folded"), node("Tanh", ["x"], ["a"], name="twin"),
             node("Tanh", ["x"], ["b"], name="twin"), node("Add", ["a", "c"], ["d"], name="sum"),
             node("Mul", ["d", "b"], ["e"], name="product"), node("MatMul", ["e", "m"], ["f"], name="heavy"),
             node("Relu", ["f"], ["y"], name="relu"), node("Identity", ["x"], ["i"], name="gone"),
             node("Exp", ["i"], ["unused"], name="dead"), node("Neg", ["i"], ["z"], name="other")]  # fmt: skip
    graph = b"".join(field(1, n) for n in nodes) + field(2, "mixed")
    for name, dims, seed in (("c1", [4], 1), ("c2", [4], 2), ("m", [4, 4], 3)):
        graph += field(5, tensor(name, FLOAT, dims, onnx_wire.floats(4 ** len(dims), seed)))
    graph += field(11, value_info("x", FLOAT, [2, 4])) + b"".join(field(12, value_info(n, FLOAT, [2, 4])) for n in "yz")
    Path(file).write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def test_explain_each(programs, folder):
    """Of each kind of node its source, the passes that it took part in, and what does its work."""
    write_mixed_model(folder / "mixed.onnx")
    flags = [programs.bin / "atc", f"--model={folder}/mixed.onnx", "--framework=5", "--soc_version=Ascend910B3"]
    equal, chain, heavy = "CommonSubexpressionEliminationPass", "ElementwiseChainFusionPass", "HeavyElementwiseFusionPass"
    for name, sources, passes, nodes in (
            ("folded", ["folded"], {"ConstantFoldingPass"}, {"folded_folded_FLOAT16"}),
            ("twin", ["twin"], {equal, chain}, {"product", "trans_Cast_0"}),
            ("twin_0", ["twin"], {equal, chain}, {"product", "trans_Cast_0"}),
            ("sum", ["sum"], {chain}, {"product", "trans_Cast_0"}),
            ("relu", ["relu"], {heavy}, {"heavy", "trans_Cast_2", "Node_Output"}),
            ("gone", ["gone"], {"IdentityPass"}, {"x"}), ("dead", ["dead"], {"PrunePass"}, set()),
            ("c1", ["c1"], {"PrunePass"}, set()),
            # Of two Casts of x one is left, for all.
            ("trans_Cast_0", ["other", "product", "sum", "twin"], {"TransOpBreadthFusionPass"}, {"trans_Cast_0"}),
            ("trans_Cast_3", ["other"], set(), {"trans_Cast_3"})):  # fmt: skip
        result = programs.run(*flags, f"--explain_node={name}", "--json")
        told = json.loads(result.text) if result.status == 0 else {"sources": result.text, "rewrites": [], "nodes": []}
        check(told["sources"] == sources, f"{name} comes from {told['sources']}")
        found = {rewrite["pass"] for rewrite in told["rewrites"]}
        check(passes <= found, f"{name} took part in {found}")
        check({n["name"] for n in told["nodes"]} == nodes, f"{name}: {[n['name'] for n in told['nodes']]}")
        for made in told["nodes"]:
            check(made["reasons"] or made["type"] == "NetOutput", f"no reason of {made['name']}")
            if made["task"] >= 0:
                back = json.loads(programs.run(*flags, f"--explain_node=#{made['task']}", "--json").text)
                check(set(sources) <= set(back["sources"]), f"from task {made['task']} back to {back['sources']}")


def test_explain_edges(programs, folder):
    """All that stands between a node and the interface serves the node, in whatever order Cast and TransData end up."""
    graph = field(1, node("Conv", ["x", "w"], ["c"], name="conv")) + field(1, node("Relu", ["c"], ["r"], name="relu"))
    graph += field(1, node("Identity", ["r"], ["y"], name="same")) + field(2, "edges")
    graph += field(5, tensor("w", FLOAT, [4, 3, 3, 3], struct.pack("<108f", *[0.5] * 108)))
    graph += field(11, value_info("x", FLOAT, [1, 3, 8, 8])) + field(12, value_info("y", FLOAT, [1, 4, 6, 6]))
    (folder / "edges.onnx").write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
    flags = [programs.bin / "atc", f"--model={folder}/edges.onnx", "--framework=5", "--soc_version=Ascend910B3"]
    on_edges = {"trans_Cast_0", "trans_TransData_0", "trans_TransData_1", "trans_Cast_1"}
    for name in ("conv", "relu"):
        told = json.loads(programs.run(*flags, f"--explain_node={name}", "--json").text)
        check(on_edges | {"conv"} <= {n["name"] for n in told["nodes"]}, f"{name}: {[n['name'] for n in told['nodes']]}")
    for name in on_edges:
        told = json.loads(programs.run(*flags, f"--explain_node={name}", "--json").text)
        check({"conv", "relu"} <= set(told["sources"]), f"{name} comes from {told['sources']}")


def test_names(programs, folder):
    """What names hold ends no line of a report and reaches no terminal as it is; JSON has them whole."""
    relu, softmax = "re\x1b[31mlu\nnew", "so\tft\x7f"
    graph = field(1, node("Relu", ["x\r"], ["z"], name=relu)) + field(1, node("Softmax", ["z"], ["y"], name=softmax))
    graph += field(2, "names") + field(11, value_info("x\r", FLOAT, [1, 3, 8, 8]))
    graph += field(12, value_info("y", FLOAT, [1, 3, 8, 8]))
    model = folder / "names.onnx"
    model.write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
    flags = (programs.bin / "atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3")
    asked = [f"--explain_node={relu}", "--stages", "--precision_report", "--format_report", "--stream_report",
             "--bisect", "--summary", f"--explain_node={relu}x"]
    for look in asked:
        text = programs.run(*flags, look).text
        wild = sorted({character for character in text if ord(character) < 32 and character != "\n" or character == "\x7f"})
        check(not wild and "\nnew" not in text.replace("\n        new", ""), f"{look!r} shows {wild}:\n{text!r}")
    told = json.loads(programs.run(*flags, f"--explain_node={relu}", "--json").text)
    check(told["sources"] == [relu], f"the JSON of a name has {told['sources']}")


def test_no_graph(programs, folder):
    """Texts without a graph are no dumps, whichever side of a comparison they are on."""
    for content in ("", "\n\n", "# nothing\n", 'name: "x"\n', "ir_version: 6\n"):
        text = folder / "nothing.txt"
        text.write_text(content)
        compared = programs.run(programs.bin / "atc", "--diff", text, text)
        check(compared.status == 2 and "E13018" in compared.text, f"--diff takes {content!r}:\n{compared.text}")
        written = programs.run(programs.bin / "atc", "--mode=5", f"--om={text}", f"--json={folder}/nothing.json")
        check(written.status == 255 and not (folder / "nothing.json").exists(), f"--mode=5 takes {content!r}:\n{written.text}")


def test_lost(programs, folder, flags):
    """What cannot be printed is told on stderr, unless its reader has gone; looks at conversions take no om."""
    looks = [[*flags, "--precision_report"], [*flags, "--stages=json"], [programs.bin / "atc", "--list_ops"]]
    for command in looks if Path("/dev/full").exists() else []:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([str(word) for word in command], stdout=full, stderr=subprocess.PIPE, timeout=60)
        check(done.returncode == 255 and b"E13004" in done.stderr and b"(standard output)" in done.stderr,
              f"{command[-1]} to a full disk: exit {done.returncode} {done.stderr}")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([str(word) for word in looks[0]], stdout=writing, stderr=subprocess.PIPE, timeout=60)
    os.close(writing)
    check(done.returncode == 0 and not done.stderr, f"a reader that has gone: exit {done.returncode} {done.stderr}")
    for look in ("--stages", "--precision_report", "--format_report", "--report=x.html"):
        told = programs.run(programs.bin / "atc", f"--om={folder}/any.om", look)
        check(told.status == 255 and "not of a finished om" in told.text, f"{look} of an om:\n{told.text}")


def test_explain_nested(programs, folder):
    """A source node of a branch is found by its name there; what stages add has a rewrite that made it."""
    onnx_wire.write_choice_model(folder / "choice.onnx")
    flags = [programs.bin / "atc", f"--model={folder}/choice.onnx", "--framework=5", "--soc_version=Ascend910B3"]
    result = programs.run(*flags, "--explain_node=mul", "--json")
    told = json.loads(result.text) if result.status == 0 else {"names": result.text, "sources": [], "nodes": []}
    check(len(told["names"]) == 1 and told["names"][0].endswith("_then_branch/mul"), f"mul of a branch: {told['names']}")
    check(told["sources"] == told["names"] and told["nodes"], f"mul of a branch: {told}")
    stages = json.loads(programs.run(*flags, "--stages=json").text)["stages"]
    nested = [name for stage in stages for name in stage["added"] + stage["removed"] if "_branch/" in name]
    check(not [name for name in nested if name.count("_then_branch/") > 1], f"a graph is named twice: {nested}")

    mixed = [programs.bin / "atc", f"--model={folder}/mixed.onnx", "--framework=5", "--soc_version=Ascend910B3"]
    for stage in json.loads(programs.run(*mixed, "--stages=json").text)["stages"]:
        for added in stage["added"]:
            told = json.loads(programs.run(*mixed, f"--explain_node={added.rsplit(' (', 1)[0]}", "--json").text)
            made = [r["stage"] for r in told["rewrites"] if added.rsplit(" (", 1)[0] in r["after"]]
            check(stage["name"] in made, f"{added} is added at {stage['name']}, told of at {made}")


def test_diff_kinds(programs, folder):
    """Streams, events, offsets and formats of real om and dumps."""
    family = folder / "family.onnx"
    onnx_families.write_family(family, "multi-head", 1, 40)
    programs.atc(family, folder / "one.om", "--enable_single_stream=true")
    programs.atc(family, folder / "many.om", "--multi_stream_parallel_mode=LoadBalance:3")
    programs.atc(family, folder / "alone.om", "--enable_single_stream=true", "--disable_reuse_memory=1")
    for a, b, kinds in (("one", "many", {"stream", "control", "model", "node"}), ("one", "alone", {"offset", "model"})):
        done = programs.run(programs.bin / "atc", "--diff", folder / f"{a}.om", folder / f"{b}.om", "--json")
        found = json.loads(done.text)["counts"] if done.status == 1 else done.text
        check(done.status == 1 and kinds <= set(found), f"{a} and {b} differ in {found}")
        text = programs.run(programs.bin / "atc", "--diff", folder / f"{a}.om", folder / f"{b}.om").text
        check(all(kind in text for kind in kinds), f"{a} and {b}, as text:\n{text}")
    environment = {"DUMP_GE_GRAPH": "2", "DUMP_GRAPH_LEVEL": "RunningPrecision|RunningFormat", "DUMP_GRAPH_PATH": f"{folder}/f"}
    programs.atc(folder / "small.onnx", folder / "formats.om", environment=environment)
    before, after = (next((folder / "f").glob(f"*/ge_proto_*_PreRunAfterRefineRunning{s}.txt")) for s in ("Precision", "Format"))
    found = json.loads(programs.run(programs.bin / "atc", "--diff", before, after, "--json").text)["counts"]
    check({"format", "shape", "node"} <= set(found), f"formats differ in {found}")


def test_precision(programs, folder, flags):
    result = programs.run(*flags, "--precision_report=json", "--sample_inputs=x:0~10")
    check(result.status == 0, f"--precision_report: exit {result.status}\n{result.text}")
    report = json.loads(result.text)
    check(any(n["outputs"] == "DT_FLOAT16" and n["reason"] for n in report["nodes"]), "no reasons")
    overflow = report["overflow"]
    check(overflow["constants"] is None, f"constants: {overflow}")
    # 30000 * 10 + 10 leaves fp16; the exact bounds are 0 and 300010.
    check(overflow["ranges"] and overflow["ranges"]["high"] == 300010, f"ranges: {overflow}")
    check(overflow["samples"] and 65504 < overflow["samples"]["high"] <= 300010, f"samples: {overflow}")
    small = json.loads(programs.run(*flags, "--precision_report=json", "--sample_inputs=x:0~1").text)["overflow"]
    check(small["ranges"] is None and small["samples"] is None, f"small inputs: {small}")
    write_npy(folder / "x.npy", [1, 2, 3, -4])
    array = json.loads(programs.run(*flags, "--precision_report=json", f"--sample_inputs=x:{folder}/x.npy").text)
    check(array["overflow"]["samples"]["low"] == -120004, f"from a file: {array['overflow']}")
    write_npy(folder / "five.npy", [1, 2, 3, 4, 5])
    unfit = programs.run(*flags, "--precision_report", f"--sample_inputs=x:{folder}/five.npy")
    check(overflow["verdict"] == overflow["samples"] and not overflow["outputs_finite"], f"verdict: {overflow}")
    check(small["verdict"] is None and small["outputs_finite"], f"verdict on small inputs: {small}")
    asked = programs.run(*flags, "--precision_report=json", "--precision_mode_v2=origin", "--input_fp16_nodes=x", "--output_type=FP16")
    # By hand: the input is fp16 and widened at once, the chain computes in float, its result is narrowed for the output.
    types = {n["type"]: (n["outputs"] or n["inputs"], n["reason"]) for n in json.loads(asked.text)["nodes"] if n["type"] != "Cast"}
    wanted = {"Data": ("DT_FLOAT16", "--input_fp16_nodes: DT_FLOAT16"),
              "FusedElementwise": ("DT_FLOAT", "must_keep_origin_dtype: DT_FLOAT"),
              "NetOutput": ("DT_FLOAT16", "output 0 as --output_type asks: DT_FLOAT16"),
              "Const": ("DT_FLOAT", "a constant as the model has it")}  # fmt: skip
    check(types == wanted, f"types that were asked for: {types}")
    casts = [n["outputs"] for n in json.loads(asked.text)["nodes"] if n["type"] == "Cast"]
    check(casts == ["DT_FLOAT", "DT_FLOAT16"], f"Casts: {casts}")
    check(unfit.status == 255 and "E10001" in unfit.text, f"five elements for four:\n{unfit.text}")


def test_formats(programs, folder, flags):
    result = programs.run(*flags, "--format_report=json")
    check(result.status == 0, f"--format_report: exit {result.status}\n{result.text}")
    report = json.loads(result.text)
    moves = {move["from"].split()[0]: move for move in report["moves"]}
    check(set(moves) == {"NCHW", "NC1HWC0"}, f"what moves: {report['moves']}")
    causes = {form: (move["because_of"], move["rule"]) for form, move in moves.items()}
    wanted = {"NCHW": ("x", "the interface keeps its layout"),
              "NC1HWC0": ("Reshape_node", "origin layout: no form of Reshape in NC1HWC0")}  # fmt: skip
    check(causes == wanted, f"causes: {causes}")
    check(all(0 < move["npu_predicted_us"] < report["npu_predicted_us"] for move in moves.values()), "no predictions")
    check(not any(move["device_alias"] for move in moves.values()), "channels first and last lie alike")
    check(report["formats"].get("NC1HWC0", 0) >= 2, f"formats: {report['formats']}")
    text = programs.run(*flags, "--format_report").text
    check("because of" in text and "predicted" in text, f"no table:\n{text}")
    written = folder / "formats.json"
    check(programs.run(*flags, f"--format_report={written}").status == 0, "--format_report=FILE fails")
    check(json.loads(written.read_text())["moves"] == report["moves"], "the file tells something else")
    short = programs.run(*flags, "--format_repor=json")
    check(short.status == 255, f"its name is shortened: exit {short.status}")


def test_bisect(programs, folder, small, flags):
    bisect = programs.run(*small, "--bisect", "--json")
    check(bisect.status == 0 and json.loads(bisect.text)["culprit"] is None, f"--bisect:\n{bisect.text}")
    # 30001 * 60000 leaves half floats, whatever is rewritten.
    (folder / "x.bin").write_bytes(struct.pack("<4f", *[60000.0] * 4))
    types = programs.run(*flags, "--bisect", f"--sample_inputs=x:{folder}/x.bin", "--json")
    told = json.loads(types.text) if types.status == 0 else {"verdict": types.text, "culprit": None}
    check(told["verdict"] == "types" and told["culprit"] is None, f"an overflow of types: {told['verdict']}")
    (folder / "short.bin").write_bytes(bytes(12))
    short = programs.run(*flags, "--bisect", f"--sample_inputs=x:{folder}/short.bin")
    check(short.status == 255 and "12 bytes" in short.text and "16 bytes" in short.text, f"a short file:\n{short.text}")


def test_bisect_quantized(programs, folder):
    """Sums in the middle between two quantised values (x.5 steps here) may become either: no rewrite is to blame."""
    q = [node("QuantizeLinear", ["x", "one"], ["xq"], name="q0"), node("DequantizeLinear", ["xq", "one"], ["xd"], name="d0")]
    q += [node("DequantizeLinear", ["wq", "tenth"], ["wd"], name="dw"), node("MatMul", ["xd", "wd"], ["p"], name="product")]
    q += [node("QuantizeLinear", ["p", "fifth"], ["pq"], name="q1"), node("DequantizeLinear", ["pq", "fifth"], ["y"], name="d1")]
    graph = b"".join(field(1, one) for one in q) + field(2, "quantized")
    for name, value in (("one", 1.0), ("tenth", 0.1), ("fifth", 0.2)):
        graph += field(5, tensor(name, FLOAT, [], struct.pack("<f", value)))
    weights = [(7 * i) % 11 - 5 for i in range(64)]
    for name, dims, data in (("wq", [8, 8], struct.pack("<64b", *weights)),):
        graph += field(5, tensor(name, 3, dims, data))
    graph += field(11, value_info("x", FLOAT, [16, 8])) + field(12, value_info("y", FLOAT, [16, 8]))
    (folder / "quantized.onnx").write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
    (folder / "steps.bin").write_bytes(struct.pack("<128f", *[(5 * i) % 17 - 8 for i in range(128)]))
    done = programs.run(programs.bin / "atc", f"--model={folder}/quantized.onnx", "--framework=5", "--soc_version=Ascend910B3",
                        "--bisect", f"--sample_inputs=x:{folder}/steps.bin", "--json")  # fmt: skip
    check(done.status == 0 and json.loads(done.text)["culprit"] is None, f"quantised sums:\n{done.text}")


def main():
    programs = Programs(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        small, scaled = folder / "small.onnx", folder / "scaled.onnx"
        onnx_wire.write_small_model(small)
        write_scaled_model(scaled, 30000)
        flags = [[programs.bin / "atc", f"--model={m}", "--framework=5", "--soc_version=Ascend910B3"] for m in (small, scaled)]
        test_stages(programs, folder, small, flags[0])
        test_diff(programs, folder, small)
        test_diff_kinds(programs, folder)
        test_explain(programs, folder, flags[1])
        test_explain_each(programs, folder)
        test_explain_nested(programs, folder)
        test_explain_edges(programs, folder)
        test_names(programs, folder)
        test_no_graph(programs, folder)
        test_lost(programs, folder, flags[1])
        test_precision(programs, folder, flags[1])
        test_formats(programs, folder, flags[0])
        test_bisect(programs, folder, *flags)
        test_bisect_quantized(programs, folder)
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
