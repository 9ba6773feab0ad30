"""Flags by what they change in the om and in what it computes, on models made for each.

usage: flag_effects_test.py BUILD
"""

import json
import shlex
import sys
import zipfile
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import conversions  # noqa: E402
import onnx_wire as wire  # noqa: E402

ORIGIN = "--precision_mode_v2=origin"
BOOL = 9  # of TensorProto


def matrix(seed):
    return wire.tensor(f"w{seed}", wire.FLOAT, [4, 4], wire.floats(16, seed))


def write(suite, name, nodes, initializers=(), outputs=("y",)):
    """A model of x float32[4,4] whose outputs are float32[4,4]."""
    graph = b"".join(wire.field(1, node) for node in nodes) + wire.field(2, name)
    graph += b"".join(wire.field(5, tensor) for tensor in initializers)
    graph += wire.field(11, wire.value_info("x", wire.FLOAT, [4, 4]))
    graph += b"".join(wire.field(12, wire.value_info(o, wire.FLOAT, [4, 4])) for o in outputs)
    model = wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13))
    (suite.folder / f"{name}.onnx").write_bytes(model)


def product(name, operand, seed):
    return wire.node("MatMul", [operand, f"w{seed}"], [name], name=name)


def data():
    return numpy.random.default_rng(5).uniform(-1, 1, (4, 4)).astype(numpy.float32)


def check_order(suite):
    """Two branches, written across each other and joined the other way round: every mode has an order of its own."""
    join = [wire.node("Concat", ["b2", "a2"], ["c"], wire.field(1, "axis") + wire.field(3, 0) + wire.field(20, 2), name="c"),
            product("y", "x", 6), wire.node("Identity", ["c"], ["z"], name="z")]  # fmt: skip
    nodes = [product("split", "x", 1), product("a1", "split", 2), product("b1", "split", 3), product("b2", "b1", 4),
             product("a2", "a1", 5), *join]  # fmt: skip
    write(suite, "branches", nodes, [matrix(k) for k in range(1, 7)], ["y", "z"])
    wanted = {"0": "split y a1 b1 a2 b2 c", "1": "split a1 a2 b1 b2 c y", "2": "y split b1 b2 a1 a2 c",
              "3": "split a1 b1 b2 a2 c y"}  # fmt: skip
    results = {}
    for mode, order in wanted.items():
        om = suite.convert(f"order_{mode}", ORIGIN, f"--topo_sorting_mode={mode}", model="branches")
        names = [name for name in suite.ops(om) if name in order.split()]
        suite.check(f"topo_sorting_mode={mode}", names == order.split(), names)
        checked = suite.programs.run(suite.programs.bin / "atc", f"--check_om={om}")
        suite.check(f"topo_sorting_mode={mode} is sound", checked.status == 0, checked.text)
        results[mode] = suite.run(om, x=data())
    for mode, found in results.items():
        same = found and all(numpy.array_equal(a, b) for a, b in zip(found, results["1"]))
        suite.check(f"topo_sorting_mode={mode} computes the same", same)
    for flags, mode in (((), "1"), (("--oo_level=O1",), "3")):
        names = [name for name in suite.ops(suite.convert("order", ORIGIN, *flags, model="branches"))]
        suite.check(f"default {flags}", [n for n in names if n in wanted[mode].split()] == wanted[mode].split(), names)


def check_optimizations(suite):
    """What is folded and what is dropped, unless flags say otherwise."""
    nodes = [wire.node("MatMul", ["w1", "w2"], ["k"], name="constant"), wire.node("MatMul", ["x", "k"], ["y"], name="y"),
             wire.node("Sin", ["x"], ["nothing"], name="unread")]  # fmt: skip
    write(suite, "optimized", nodes, [matrix(1), matrix(2)])
    plain = suite.convert("folded", ORIGIN, model="optimized")
    suite.check("folding and pruning", not {"constant", "unread"} & set(suite.ops(plain)), list(suite.ops(plain)))
    want = suite.run(plain, x=data())
    for flag, kept, gone in (("--oo_constant_folding=false", "constant", "unread"),
                             ("--oo_dead_code_elimination=false", "unread", "constant")):  # fmt: skip
        om = suite.convert("unfolded", ORIGIN, flag, model="optimized")
        names = set(suite.ops(om))
        suite.check(flag, kept in names and gone not in names, names)
        found = suite.run(om, x=data())
        suite.check(f"{flag} computes the same", found and numpy.allclose(found[0], want[0], rtol=1e-5, atol=1e-6))


def check_branches(suite):
    """The branch that a constant takes is there alone, unless flags say that its owner stays."""
    def branch(name, kind):
        result = f"{name}_y"
        return (wire.field(1, wire.node(kind, ["x"], [result], name=f"{name}_node")) + wire.field(2, name) +
                wire.field(12, wire.value_info(result, wire.FLOAT, [4, 4])))
    sides = [wire.graph_attribute(name, branch(name, kind)) for name, kind in (("then_branch", "Exp"), ("else_branch", "Sin"))]
    write(suite, "branched", [wire.node("If", ["taken"], ["y"], *sides, name="choice")], [wire.tensor("taken", BOOL, [], b"\x01")])
    results = []
    for flags, stays in (((), False), (("--oo_level=O1",), False), (("--oo_dead_code_elimination=false",), True),
                         (("--optimization_switch=CondRemovePass:off",), True),
                         (("--oo_dead_code_elimination=false", "--optimization_switch=CondRemovePass:on"), False)):  # fmt: skip
        om = suite.convert(f"branched_{len(results)}", ORIGIN, *flags, model="branched")
        names = set(suite.ops(om))
        suite.check(f"{flags} decides a branch", ("choice" in names) == stays, names)
        results.append(suite.run(om, x=data()))
    suite.check("branches compute the same", all(r and numpy.allclose(r[0], numpy.exp(data()), rtol=1e-5) for r in results))


def check_pass_switches(suite):
    """Every way to switch passes shows in the graph, and is counted where it is asked for."""
    nodes = [wire.node("MatMul", ["x", "w1"], ["a"], name="product"), wire.node("Relu", ["a"], ["r"], name="relu"),
             wire.node("LogSoftmax", ["r"], ["s"], name="twin_1"), wire.node("LogSoftmax", ["r"], ["t"], name="twin_2"),
             wire.node("MatMul", ["s", "w2"], ["y"], name="left"), wire.node("MatMul", ["t", "w2"], ["z"], name="right")]  # fmt: skip
    write(suite, "switched", nodes, [matrix(1), matrix(2)], ["y", "z"])
    heavy, equal = "HeavyElementwiseFusionPass", "CommonSubexpressionEliminationPass"
    (suite.folder / "lines.cfg").write_text(f"{heavy}:off\n")
    (suite.folder / "all.cfg").write_text('{"Switch":{"UBFusion":{"ALL":"off"}}}')
    (suite.folder / "one.cfg").write_text(f'{{"Switch":{{"UBFusion":{{"ALL":"off","{heavy}":"on"}}}}}}')
    fused, merged = {"relu"}, {"twin_2", "right"}  # nodes that go
    cases = ((), fused | merged), (("--fusion_switch_file=lines.cfg",), merged), (("--fusion_switch_file=all.cfg",), merged), (
        ("--fusion_switch_file=one.cfg",), fused | merged), ((f"--optimization_switch={heavy}:off;{equal}:off",), set()), (
        ("--fusion_switch_file=lines.cfg", f"--optimization_switch={heavy}:on"), fused | merged), (
        ("--oo_level=O1",), set()), (("--oo_level=O1", f"--optimization_switch={equal}:on"), merged), (
        ("--oo_level=O3",), fused | merged)  # fmt: skip
    results = []
    for flags, gone in cases:
        om = suite.convert("switched", ORIGIN, "--export_compile_stat=1", *flags, model="switched")
        left = {name for name in ("relu", "twin_2", "right") if name in suite.ops(om)}
        suite.check(f"{flags} shows in the graph", left == (fused | merged) - gone, left)
        report = json.loads((suite.folder / "fusion_result.json").read_text())["session_and_graph_id_0_0"]
        counts = {k: (int(v["match_times"]), int(v["effect_times"])) for group in report.values() for k, v in group.items()}
        for name, nodes_gone, times in ((heavy, fused, 1), (equal, merged, 2)):
            want = (times, times) if nodes_gone <= gone else None
            suite.check(f"{flags} counts {name}", counts.get(name) == want, counts)
        results.append(suite.run(om, x=data()))
    for found in results:
        suite.check("switches change no number", found and all(numpy.array_equal(a, b) for a, b in zip(found, results[0])))


def check_dumps_aside(suite):
    """Dumps of single operators, and of the model that --save_original_model keeps."""
    one = [{"op": "Relu", "name": "relu_op", "input_desc": [described("ND", [4])], "output_desc": [described("ND", [4])]}]
    (suite.folder / "ops.json").write_text(json.dumps(one))
    dumps = suite.folder / "dumped"
    environment = {"DUMP_GE_GRAPH": "2", "DUMP_GRAPH_LEVEL": "Build|OriginalGraph", "DUMP_GRAPH_PATH": str(dumps)}
    suite.programs.run(suite.programs.bin / "atc", "--singleop=ops.json", "--output=ops", "--soc_version=Ascend910B3",
                       folder=suite.folder, environment=environment)  # fmt: skip
    names = {path.name for path in dumps.glob("*/ge_onnx_*")}
    suite.check("dumps of an operator", any(n.endswith("_aclop_graph_0_Build.pbtxt") for n in names), names)
    suite.convert("original", "--save_original_model=true", environment=environment)
    names = {path.name.split("_graph_0_")[1] for path in dumps.glob("*/ge_proto_*")}
    suite.check("dump of the original", "OriginalGraph.txt" in names, names)


def check_framework(suite):
    """Where the model came from stands in the om."""
    om = suite.convert("framework")
    shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={om}")
    suite.check("framework_type", "framework_type[Onnx]" in shown.text, shown.text)


def check_sources(suite):
    """TensorFlow models say so in the om, single operators name no framework."""
    (suite.folder / "relu.pbtxt").write_text(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value '
        '{ shape { dim { size: 2 } } } } } node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }')  # fmt: skip
    line = ["--model=relu.pbtxt", "--framework=3", "--soc_version=Ascend910B3", "--output=relu_tf", "--save_original_model=true"]
    suite.programs.run(suite.programs.bin / "atc", *line, folder=suite.folder)
    for om in ("relu_tf.om", "relu_tf_original.om"):
        shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={suite.folder / om}")
        suite.check(f"framework_type of {om}", "framework_type[TensorFlow]" in shown.text, shown.text)
    one = [{"op": "Relu", "name": "relu_op", "input_desc": [described("ND", [4])], "output_desc": [described("ND", [4])]}]
    (suite.folder / "ops.json").write_text(json.dumps(one))
    suite.programs.run(suite.programs.bin / "atc", "--singleop=ops.json", "--output=ops", "--soc_version=Ascend910B3",
                       folder=suite.folder)  # fmt: skip
    shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={suite.folder / 'ops/relu_op.om'}")
    suite.check("framework_type of an operator", "framework_type[]" in shown.text, shown.text)


def check_examples(suite):
    """Every line that the help gives as an example runs, in its order; each flag's own example is read."""
    conversions.write_model(suite.folder / "rec.onnx", {"x": [-1, 3, 48, -1]})
    shown = suite.programs.run(suite.programs.bin / "atc", "--help").text
    lines = [line.strip() for line in shown.splitlines() if line.startswith("  atc ")]
    suite.check("examples", len(lines) >= 5, lines)
    for line in lines:
        words = shlex.split(line)[1:]
        done = suite.programs.run(suite.programs.bin / "atc", *words, folder=suite.folder)
        suite.check(line, done.status == 0 and "ATC run success" in done.text, done.text)


def check_weight_compression(suite):
    """Nodes that the file names and the model has not are told, all at once; the model is converted."""
    (suite.folder / "compress.txt").write_text("conv_1;conv_3;nowhere\n")
    result = suite.programs.atc(suite.folder / "classifier.onnx", suite.folder / "compressed.om",
                                "--compress_weight_conf=compress.txt", folder=suite.folder)  # fmt: skip
    told = "(W11002)" in result.text and "conv_3, nowhere" in result.text and "conv_1," not in result.text
    suite.check("compress_weight_conf", result.status == 0 and told and "(W10001)" in result.text, result.text)


def check_implmode(suite):
    """--op_select_implmode marks the operators of its list, or all."""

    def marked(*flags):
        ops = suite.ops(suite.convert("implmode", ORIGIN, *flags, model="typed"))
        return {name for name, op in ops.items() for attr in op.get("attr", []) if attr["key"] == "_op_precision_mode"}

    high = "--op_select_implmode=high_precision"
    suite.check("implmode alone", marked(high) == set(), marked(high))
    suite.check("implmode for a type", marked(high, "--optypelist_for_implmode=SoftmaxV2") == {"s"})
    suite.check("implmode for all", marked(high + "_for_all") >= {"s", "p"}, marked(high + "_for_all"))


def check_compression(suite):
    """Attributes as numbers: a smaller om that says and computes the same."""
    x = conversions.image()
    plain = suite.convert("attributes")
    small = suite.convert("compressed", "--enable_attr_compression=TRUE")
    raw = small.read_bytes()
    suite.check("compressed", b"attr_name_enum" in raw and b"_ir_attr_names" in raw, "no tables")
    suite.check("compressed is smaller", raw.count(b"_ir_attr_names") == 1 < plain.read_bytes().count(b"_ir_attr_names"))
    a, b = suite.ops(plain), suite.ops(small)
    suite.check("mode 1 of a compressed om", a == b)
    suite.check("compressed runs", numpy.array_equal(suite.run(plain, actual_input_1=x)[0], suite.run(small, actual_input_1=x)[0]))
    shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={small}")
    suite.check("mode 6 of a compressed om", "soc_version[Ascend910B3]" in shown.text, shown.text)


def check_small_channel(suite):
    """The image of three channels in blocks of four; the second convolution's data are blocked already."""
    x = conversions.image()
    formats = {}
    for value in "01":
        om = suite.convert(f"channels_{value}", f"--enable_small_channel={value}")
        formats[value] = {name: (op["input_desc"][0]["layout"], op["input_desc"][0]["shape"]["dim"])
                          for name, op in suite.ops(om).items() if op["type"] == "Conv2D"}  # fmt: skip
        formats[value]["result"] = suite.run(om, actual_input_1=x)[0]
        checked = suite.programs.run(suite.programs.bin / "atc", f"--check_om={om}")
        suite.check("small channels are sound", checked.status == 0, checked.text)
    suite.check("plain blocks", formats["0"]["conv_1"] == ("NC1HWC0", [1, 1, 16, 16, 16]), formats["0"]["conv_1"])
    suite.check("small blocks", formats["1"]["conv_1"] == ("NC1HWC0_C04", [1, 1, 16, 16, 4]), formats["1"]["conv_1"])
    suite.check("later blocks", formats["1"]["conv_2"] == formats["0"]["conv_2"], formats["1"]["conv_2"])
    suite.check("small channels compute the same", numpy.array_equal(formats["0"]["result"], formats["1"]["result"]))


def check_quant_dumpable(suite):
    """A quantised product: with the flag the float that is quantised is a result of its own."""
    scalar = lambda name, value: wire.tensor(name, wire.FLOAT, [], numpy.float32(value).tobytes())  # noqa: E731
    zero = wire.tensor("z", 3, [], bytes(1))  # int8
    weights = wire.tensor("w", 3, [4, 4], bytes(range(1, 17)))
    nodes = [wire.node("QuantizeLinear", ["x", "sx", "z"], ["xq"], name="xq"),
             wire.node("DequantizeLinear", ["xq", "sx", "z"], ["xd"], name="xd"),
             wire.node("DequantizeLinear", ["w", "sw", "z"], ["wd"], name="wd"),
             wire.node("MatMul", ["xd", "wd"], ["p"], name="product"),
             wire.node("QuantizeLinear", ["p", "sp", "z"], ["pq"], name="pq"),
             wire.node("DequantizeLinear", ["pq", "sp", "z"], ["y"], name="yd")]  # fmt: skip
    write(suite, "quantized", nodes, [scalar("sx", 1 / 64), scalar("sw", 1 / 16), scalar("sp", 1 / 8), zero, weights])
    inside = suite.convert("quantized_inside", ORIGIN, model="quantized")
    open_ = suite.convert("quantized_open", ORIGIN, "--quant_dumpable=1", model="quantized")
    floats = [[name for name, op in suite.ops(om).items() if op["type"] not in ("Const", "Data", "NetOutput")
               and op["output_desc"][0]["dtype"] == "DT_FLOAT"] for om in (inside, open_)]  # fmt: skip
    suite.check("8 bits", floats[0] == ["yd"], floats[0])
    suite.check("quant_dumpable", floats[1] == ["xd", "product", "yd"], floats[1])
    found = [suite.run(om, x=data())[0] for om in (inside, open_)]
    suite.check("quant_dumpable computes the same, to a quantum", numpy.abs(found[0] - found[1]).max() <= 1 / 8)


def described(layout, shape, origin_layout=None, origin_shape=None, kind="float16", **more):
    if origin_layout is None:
        return {"format": layout, "type": kind, "shape": shape, **more}
    return {"format": layout, "type": kind, "shape": shape, "origin_format": origin_layout, "origin_shape": origin_shape, **more}


def fractal(matrix, columns=16):
    """Rows and columns in fractals: [.., N1, M1, 16, columns]."""
    *batch, m, n = matrix.shape
    rows, cols = (m + 15) // 16, (n + columns - 1) // columns
    filled = numpy.zeros((*batch, rows * 16, cols * columns), matrix.dtype)
    filled[..., :m, :n] = matrix
    cut = filled.reshape(*batch, rows, 16, cols, columns)
    k = len(batch)
    return cut.transpose(*range(k), k + 2, k, k + 1, k + 3).copy()


def check_storage_formats(suite):
    """Operators of --singleop whose tensors lie as the NPU lays them out: bytes of that layout in, and out."""
    folder, half = suite.folder, numpy.float16
    random = numpy.random.default_rng(3)
    x = random.integers(-4, 5, (1, 3, 5, 5)).astype(half)
    w = random.integers(-4, 5, (4, 3, 1, 1)).astype(half)
    filter_z = numpy.zeros((1, 1, 16, 16), half)  # [C1*H*W, N1, N0, C0]
    filter_z[0, 0, :4, :3] = w[:, :, 0, 0]
    a, b = random.integers(-4, 5, (2, 20, 30)).astype(half), random.integers(-4, 5, (2, 30, 18)).astype(half)
    image5 = ("NC1HWC0", [1, 1, 5, 5, 16])
    conv = {"op": "Conv2D", "name": "conv", "input_desc": [
                described(*image5, "NCHW", [1, 3, 5, 5], name="x"),
                described("FRACTAL_Z", [1, 1, 16, 16], "NCHW", [4, 3, 1, 1], name="w")],
            "output_desc": [described(*image5, "NCHW", [1, 4, 5, 5])],
            "attr": [{"name": "strides", "type": "list_int", "value": [1, 1, 1, 1]},
                     {"name": "pads", "type": "list_int", "value": [0, 0, 0, 0]}]}  # fmt: skip
    product_op = {"op": "BatchMatMulV2", "name": "matmul", "input_desc": [
                      described("FRACTAL_NZ", [2, 2, 2, 16, 16], "ND", [2, 20, 30], name="a"),
                      described("FRACTAL_NZ", [2, 2, 2, 16, 16], "ND", [2, 30, 18], name="b")],
                  "output_desc": [described("FRACTAL_NZ", [2, 2, 2, 16, 16], "ND", [2, 20, 18])]}  # fmt: skip
    relu = {"op": "Relu", "name": "relu", "input_desc": [described("NHWC", [1, 5, 5, 3], "NCHW", [1, 3, 5, 5], name="x")],
            "output_desc": [described("NCHW", [1, 3, 5, 5])]}  # fmt: skip

    def singleop(*ops):
        (folder / "storage.json").write_text(json.dumps(ops))
        return suite.programs.run(suite.programs.bin / "atc", "--singleop=storage.json", "--output=storage",
                                  "--soc_version=Ascend910B3", folder=folder)  # fmt: skip

    done = singleop(conv, product_op, relu)
    suite.check("storage formats", done.status == 0, done.text)
    want = numpy.einsum("oc,nchw->nohw", w[:, :, 0, 0].astype(float), x.astype(float)).astype(half)
    found = suite.run(folder / "storage/conv.om", x=conversions.blocked(x), w=filter_z)
    suite.check("NC1HWC0 and FRACTAL_Z", found and numpy.array_equal(found[0], conversions.blocked(want)))
    found = suite.run(folder / "storage/matmul.om", a=fractal(a), b=fractal(b))
    want = numpy.matmul(a.astype(float), b.astype(float)).astype(half)
    suite.check("FRACTAL_NZ", found and numpy.array_equal(found[0], fractal(want)))
    found = suite.run(folder / "storage/relu.om", x=x.transpose(0, 2, 3, 1).copy())
    suite.check("NHWC stored, NCHW seen", found and numpy.array_equal(found[0], numpy.maximum(x, 0)))
    shown = suite.programs.omrun(folder / "storage/conv.om")
    suite.check("the om tells its formats", shown.text.count("NC1HWC0") >= 2, shown.text)
    wrong = described("NC1HWC0", [1, 2, 5, 5, 16], "NCHW", [1, 3, 5, 5])
    none = described("FRACTAL_Z", [1, 1, 16, 16], "ND", [16, 16])
    open_ = described("NC1HWC0", [-1, 1, 5, 5, 16], "NCHW", [-1, 3, 5, 5])
    for tensor, code in ((wrong, "E10027"), (none, "E10055"), (open_, "E10055")):
        done = singleop({"op": "Relu", "input_desc": [tensor], "output_desc": [tensor]})
        suite.check(f"{tensor}", done.status == 255 and f"({code})" in done.text, done.text)


def check_gears(suite):
    """What needs the model is told of gears, and before AIPP is refused."""
    gears = "--dynamic_batch_size=1,2"
    suite.convert("gears", "--input_shape=input1:-1,3,16,16", gears, model="two_images", fails="E10001")
    om = suite.convert("gears", "--input_shape=input1:-1,3,16,16;input2:-1,3,16,16", gears, model="two_images")
    suite.check("gears", {"ascend_mbatch_shape_case", "ascend_mbatch_shape_mapindex"} <= set(suite.ops(om)), suite.ops(om))
    suite.convert("gears", "--input_shape=input3:-1,3,16,16", gears, model="two_images", fails="E10016")
    suite.convert("gears", "--input_shape=conv_1:-1,3,16,16", gears, model="two_images", fails="E10017")
    suite.convert("gears", "--input_shape=input1:-1,3;input2:-1,3", gears, model="two_images", fails="E10049")
    shapes = "--input_shape=input1:1,3,16,16;input2:1,3,16,16"
    for name, content, code in (("name", 'related_input_name: "input3"', "E10052"), ("rank", "related_input_rank: 2", "E10052"),
                                ("half", "related_input_rank: 1", "E10034")):  # fmt: skip
        (suite.folder / f"{name}.cfg").write_text(f"aipp_op {{ aipp_mode: static input_format: RGB888_U8 {content} }}")
        suite.convert("aipp", shapes, f"--insert_op_conf={name}.cfg", "--input_fp16_nodes=input2", model="two_images",
                      fails=code)  # fmt: skip


def check_environment(suite):
    write(suite, "misfit", [wire.node("Relu", ["x"], ["r"], name="r"), product("bad", "r", 1),
                            wire.node("Relu", ["r"], ["y"], name="y")],
          [wire.tensor("w1", wire.FLOAT, [5, 4], wire.floats(20, 1))], ["y", "bad"])  # fmt: skip
    suite.convert("misfit", ORIGIN, model="misfit", fails="E14001")
    om = suite.convert("misfit", ORIGIN, model="misfit", environment={"IGNORE_INFER_ERROR": "1"})
    told = suite.programs.atc(suite.folder / "misfit.onnx", om, ORIGIN, folder=suite.folder, environment={"IGNORE_INFER_ERROR": "1"}).text
    suite.check("of a node that is fused, too, it is told once", told.count("The shapes of 'bad' are left unknown") == 1, told)
    suite.check("IGNORE_INFER_ERROR", om is not None and om.exists() and "bad" in suite.ops(om), om)
    failed = suite.programs.omrun(om, "--seed", "1")
    suite.check("the run finds the fault", failed.status != 0 and "bad" in failed.text, failed.text)
    names = []
    for threads in ("1", "2", "0"):
        environment = {"MAX_COMPILE_CORE_NUMBER": threads}
        om = suite.convert(f"threads_{threads}/m", "--external_weight=1", environment=environment)
        names.append(sorted(p.name for p in (om.parent / "weight").iterdir()))
    suite.check("MAX_COMPILE_CORE_NUMBER", names[0] == names[1] == names[2] and len(names[0]) == 2, names)


def check_packages(suite):
    """OM2 packages of the vendor's tools: --mode=1 gives the graph for viewers that they hold."""
    graph = {"graph": [{"name": "g", "op": [{"name": "relu"}]}]}
    members = {"manifest.json": "{}", "data/model_1/debug/ge_visual_00000000_graph_0.json": "{}",
               "data/model_0/debug/op_attr.json": "{}",
               "data/model_0/debug/ge_visual_00000000_graph_0.json": json.dumps(graph)}  # fmt: skip

    def to_json(name, content):
        with zipfile.ZipFile(suite.folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, text in content.items():
                archive.writestr(member, text)
        return suite.programs.run(suite.programs.bin / "atc", "--mode=1", f"--om={name}", "--json=package.json", folder=suite.folder)

    done = to_json("m.om2", members)
    suite.check("OM2", done.status == 0 and json.loads((suite.folder / "package.json").read_text()) == graph, done.text)
    done = to_json("empty.om2", {"manifest.json": "{}"})
    suite.check("OM2 without a graph", done.status == 255 and "(E10001)" in done.text and "E10041" in done.text, done.text)
    cut = (suite.folder / "m.om2").read_bytes()[:-30]
    (suite.folder / "cut.om2").write_bytes(cut)
    for mode, code in ((["--mode=1", "--json=package.json"], "E10001"), (["--mode=6"], "E10041")):
        done = suite.programs.run(suite.programs.bin / "atc", "--om=cut.om2", *mode, folder=suite.folder)
        suite.check(f"damaged OM2 {mode}", done.status == 255 and f"({code})" in done.text, done.text)


def check_shapes_and_outputs(suite):
    """What goes in and what comes out: shapes, ranges, outputs and their types."""
    x = conversions.image((2, 3, 16, 16))
    line = "--input_shape=images:2,3,16,16"
    fixed = suite.convert("fixed", ORIGIN, line, model="detector")
    want = suite.run(fixed, images=x)
    by_position = suite.run(suite.convert("position", ORIGIN, "--input_shape=2,3,16,16", model="detector"), images=x)
    suite.check("input_shape by position", by_position and numpy.array_equal(by_position[0], want[0]))
    for name, flag in (("range", "--input_shape=images:1~4,3,16,16"), ("old_range", "--input_shape_range=images:[1~4,3,16,16]"),
                       ("any", "--input_shape=images:-1,3,-1,-1"), ("hint", "--input_shape=images:-1,3,16,16")):  # fmt: skip
        more = ["--input_hint_shape=0:[2,3,16,16]"] if name == "hint" else []
        om = suite.convert(name, ORIGIN, flag, *more, model="detector")
        found = suite.run(om, images=x)
        suite.check(flag, om.stem != name and found and numpy.allclose(found[0], want[0], rtol=1e-5, atol=1e-6), om)
        big = numpy.concatenate([x, x, x])
        numpy.save(suite.folder / "big.npy", big)
        done = suite.programs.omrun(om, "--input", f"images={suite.folder}/big.npy")
        suite.check(f"{flag} and 6 images", (done.status == 0) == ("~" not in flag), done.text)
    out = suite.run(suite.convert("named", ORIGIN, line, "--out_nodes=relu_1:0;relu_2:0", model="detector"), images=x)
    suite.check("out_nodes", out and len(out) == 2 and out[0].shape == (2, 4, 16, 16) and numpy.array_equal(out[1], want[0]))
    out = suite.run(suite.convert("tensors", ORIGIN, line, "--out_nodes=r1", model="detector"), images=x)
    suite.check("out_nodes by tensor", out and len(out) == 1 and out[0].shape == (2, 4, 16, 16))
    for kind, dtype in (("FP16", "float16"), ("FP32", "float32"), ("UINT8", "uint8"), ("INT8", "int8"), ("DOUBLE", "float64"),
                        ("INT32", "int32"), ("INT64", "int64"), ("UINT16", "uint16")):  # fmt: skip
        out = suite.run(suite.convert("typed", ORIGIN, line, f"--output_type={kind}", model="detector"), images=x)
        suite.check(f"output_type={kind}", out and out[0].dtype == dtype, out and out[0].dtype)
    flags = ["--out_nodes=relu_1:0;relu_2:0", "--output_type=relu_1:0:FP16;relu_2:0:UINT8"]
    out = suite.run(suite.convert("typed", ORIGIN, line, *flags, model="detector"), images=x)
    suite.check("output_type by node", out and [o.dtype.name for o in out] == ["float16", "uint8"])


def check_plan(suite):
    """Memory and streams, by the model's own numbers."""

    def number(om, word):
        shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={om}").text
        return int(shown.split(f"{word}[")[1].split("]")[0].split()[0])

    shared = suite.convert("shared", model="branches")
    apart = suite.convert("apart", "--disable_reuse_memory=1", model="branches")
    suite.check("disable_reuse_memory", number(shared, "memory_size") < number(apart, "memory_size"))
    named = suite.convert("no_reuse", model="branches", environment={"OP_NO_REUSE_MEM": "split,b1,a1"})
    suite.check("OP_NO_REUSE_MEM", number(shared, "memory_size") < number(named, "memory_size"))
    for flag, streams in (("--enable_single_stream=true", 1), ("--multi_stream_parallel_mode=LoadBalance:2", 2),
                          ("--multi_stream_parallel_mode=MainStream:3", 2)):  # fmt: skip
        found = number(suite.convert("streams", flag, model="branches"), "stream_num")
        suite.check(flag, found == streams if streams == 1 else found >= streams, found)
    both = ["--enable_single_stream=true", "--multi_stream_parallel_mode=cv"]
    suite.convert("streams", *both, model="branches", fails="E10056")


def check_types(suite):
    """Each word of the precision flags by the types of a product and of what is not heavy."""
    write(suite, "typed", [product("p", "x", 1), wire.node("Softmax", ["p"], ["y"], name="s")], [matrix(1)])
    half, full, brain = "DT_FLOAT16", "DT_FLOAT", "DT_BF16"
    wanted = {"force_fp16": (half, half), "force_fp32": (full, full), "cube_fp16in_fp32out": (full, full),
              "allow_mix_precision": (half, None), "allow_mix_precision_fp16": (half, None),
              "allow_mix_precision_bf16": (brain, None), "allow_fp32_to_fp16": (half, full), "allow_fp32_to_bf16": (brain, full),
              "must_keep_origin_dtype": (full, full), "fp16": (half, half), "origin": (full, full), "mixed_float16": (half, None),
              "mixed_bfloat16": (brain, None)}  # fmt: skip
    for word, types in wanted.items():
        flag = "precision_mode" if "_" in word and not word.startswith("mixed") else "precision_mode_v2"
        ops = suite.ops(suite.convert("typed", f"--{flag}={word}", model="typed"))
        found = [ops[name]["output_desc"][0]["dtype"] for name in ("p", "s") if name in ops]
        suite.check(f"{flag}={word}", len(found) == 2 and all(t in (None, f) for t, f in zip(types, found)), (found, list(ops)))
        if word in ("cube_fp16in_fp32out", "force_fp32"):
            casts = [op["output_desc"][0]["dtype"] for op in ops.values() if op["type"] == "Cast"]
            suite.check(f"{word}: operands pass through float16", half in casts, list(ops))
    for flag in ("precision_mode=allow_mix_precision_bf16", "precision_mode=allow_fp32_to_bf16", "precision_mode_v2=mixed_bfloat16"):
        suite.convert("typed", f"--{flag}", "--soc_version=Ascend310P3", model="typed", fails="E20101")
    for word in ("cube_hif8", "mixed_hif8"):
        suite.convert("typed", f"--precision_mode_v2={word}", model="typed", fails="E10055")
    big = wire.tensor("w1", wire.FLOAT, [4, 4], numpy.full((4, 4), 1e6, numpy.float32).tobytes())
    write(suite, "big", [product("y", "x", 1)], [big])
    x = numpy.full((4, 4), 1 / 1024, numpy.float32)
    clipped = suite.run(suite.convert("clipped", model="big"), x=x)
    infinite = suite.run(suite.convert("infinite", "--is_weight_clip=0", model="big"), x=x)
    suite.check("is_weight_clip=1", clipped and numpy.allclose(clipped[0], 4 * 65504 / 1024, rtol=1e-3), clipped)
    for clip, words in (("1", "it is clipped, as --is_weight_clip is 1"), ("0", "--is_weight_clip=1 would clip it")):
        told = suite.programs.atc(suite.folder / "big.onnx", suite.folder / "told.om", "--precision_report", f"--is_weight_clip={clip}")
        suite.check(f"what is told with is_weight_clip={clip}", words in told.text, told.text)
    suite.check("is_weight_clip=0", infinite and numpy.isinf(infinite[0]).all(), infinite)


def check_words(suite):
    """Logs and what is printed."""
    out = suite.programs.atc(suite.folder / "typed.onnx", suite.folder / "shown.om", "--display_model_info=1").text
    suite.check("display_model_info", "Display Model Info start" in out and "task_info_size[" in out, out)
    home = suite.folder / "home"
    home.mkdir()
    environment = {"HOME": str(home), "ASCEND_SLOG_PRINT_TO_STDOUT": "1"}
    out = suite.programs.atc(suite.folder / "typed.onnx", suite.folder / "m.om", "--log=info", environment=environment).text
    suite.check("log to stdout", "[INFO]" in out and not list(home.rglob("*")), out)
    suite.programs.atc(suite.folder / "typed.onnx", suite.folder / "m.om", "--log=info", environment={"HOME": str(home)})
    logs = [p for p in home.rglob("*.log")]
    suite.check("log to a file", len(logs) == 1 and "[INFO]" in logs[0].read_text(), logs)


def check_unknown_operators(suite):
    """ENABLE_NETWORK_ANALYSIS_DEBUG: the rest of a TensorFlow network is analysed and dumped all the same."""
    kind = 'attr { key: "%s" value { type: DT_FLOAT } } '
    text = 'node { name: "x" op: "Placeholder" ' + kind % "dtype"
    text += 'attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } } '
    text += 'node { name: "odd" op: "NoSuchOperator" input: "x" ' + kind % "T" + "} "
    text += 'node { name: "y" op: "Relu" input: "odd" ' + kind % "T" + "}"
    (suite.folder / "odd.pbtxt").write_text(text)
    command = [suite.programs.bin / "atc", "--model=odd.pbtxt", "--framework=3", "--soc_version=Ascend910B3", "--output=odd"]
    plain = suite.programs.run(*command, folder=suite.folder)
    suite.check("an unknown operator", plain.status == 255 and "(E13010)" in plain.text, plain.text)
    dumps = suite.folder / "dumps"
    environment = {"ENABLE_NETWORK_ANALYSIS_DEBUG": "1", "DUMP_GE_GRAPH": "2", "DUMP_GRAPH_PATH": str(dumps)}
    done = suite.programs.run(*command, folder=suite.folder, environment=environment)
    suite.check("analysis goes on", done.status == 255 and "(E13010)" in done.text and "NoSuchOperator" in done.text, done.text)
    files = {p.name.split("graph_0_")[1] for p in dumps.rglob("ge_proto_*")}
    suite.check("analysis is dumped", "PreRunAfterOptimizeAfterStage1.txt" in files and not list(suite.folder.glob("odd*.om")), files)


conversions.main((check_packages, check_shapes_and_outputs, check_order, check_plan, check_types, check_words,
                  check_unknown_operators, check_optimizations, check_branches, check_pass_switches, check_dumps_aside, check_framework, check_sources, check_examples,
                  check_weight_compression, check_implmode, check_compression, check_small_channel,
                  check_quant_dumpable, check_storage_formats, check_gears, check_environment), "every flag changes what it should")  # fmt: skip
