"""Flags by what they change in the om and in what it computes, on models made for each.

usage: flag_effects_test.py BUILD
"""

import json
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import conversions  # noqa: E402
import onnx_wire as wire  # noqa: E402

ORIGIN = "--precision_mode_v2=origin"


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


def check_framework(suite):
    """Where the model came from stands in the om."""
    om = suite.convert("framework")
    shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={om}")
    suite.check("framework_type", "framework_type[Onnx]" in shown.text, shown.text)


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
    """What needs the model is told before gears and AIPP are refused."""
    gears = "--dynamic_batch_size=1,2"
    suite.convert("gears", "--input_shape=input1:-1,3,16,16", gears, model="two_images", fails="E10001")
    suite.convert("gears", "--input_shape=input1:-1,3,16,16;input2:-1,3,16,16", gears, model="two_images", fails="E10055")
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
    suite.check("IGNORE_INFER_ERROR", om is not None and om.exists() and "bad" in suite.ops(om), om)
    failed = suite.programs.omrun(om, "--seed", "1")
    suite.check("the run finds the fault", failed.status != 0 and "bad" in failed.text, failed.text)
    names = []
    for threads in ("1", "2", "0"):
        environment = {"MAX_COMPILE_CORE_NUMBER": threads}
        om = suite.convert(f"threads_{threads}/m", "--external_weight=1", environment=environment)
        names.append(sorted(p.name for p in (om.parent / "weight").iterdir()))
    suite.check("MAX_COMPILE_CORE_NUMBER", names[0] == names[1] == names[2] and len(names[0]) == 2, names)


conversions.main((check_order, check_optimizations, check_framework, check_compression, check_small_channel,
                  check_quant_dumpable, check_storage_formats, check_gears, check_environment), "every flag changes what it should")  # fmt: skip
