"""Models with gears: what atc makes of them, and that every gear computes what a conversion with its sizes does.

usage: gears_test.py BUILD
"""

import ctypes
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import conversions  # noqa: E402
import onnx_wire as wire  # noqa: E402

ORIGIN = "--precision_mode_v2=origin"
DATA = "ascend_mbatch_shape_data"
# model, its inputs, flags, flag of omrun, and for each gear the text of the choice and the shapes.
KINDS = {
    "batch": ("image", "image:-1,3,16,16", ["--dynamic_batch_size=1,4,2"], "--dymBatch",
              [("1", {"image": (1, 3, 16, 16)}), ("4", {"image": (4, 3, 16, 16)}), ("2", {"image": (2, 3, 16, 16)})]),
    "image": ("detector", "images:1,3,-1,-1", ["--dynamic_image_size=8,12;20,20;12,8"], "--dymHW",
              [("8,12", {"images": (1, 3, 8, 12)}), ("20,20", {"images": (1, 3, 20, 20)}), ("12,8", {"images": (1, 3, 12, 8)})]),
    "dims": ("two_images", "input2:-1,3,16,16;input1:2,3,-1,16", ["--dynamic_dims=1,16;3,8", "--input_format=ND"], "--dymDims",
             [("input1:2,3,16,16;input2:1,3,16,16", {"input1": (2, 3, 16, 16), "input2": (1, 3, 16, 16)}),
              ("input1:2,3,8,16;input2:3,3,16,16", {"input1": (2, 3, 8, 16), "input2": (3, 3, 16, 16)})]),
}  # fmt: skip


def convolution(x, w):
    """3 x 3 taps, one row and column of zeros around."""
    n, _, h, v = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((n, w.shape[0], h, v), np.float64)
    for i in range(3):
        for j in range(3):
            y += np.einsum("nchw,oc->nohw", padded[:, :, i:i + h, j:j + v], w[:, :, i, j])
    return y


def golden(x):
    """What conversions.write_model writes for its first input."""
    w1 = np.frombuffer(wire.floats(108, 1), "<f4").reshape(4, 3, 3, 3)
    w2 = np.frombuffer(wire.floats(36 * conversions.CHANNELS, 2), "<f4").reshape(conversions.CHANNELS, 4, 3, 3)
    return np.maximum(convolution(np.maximum(convolution(x, w1), 0), w2), 0)


def data(shapes):
    return {name: conversions.image(shape) for name, shape in shapes.items()}


def convert(suite, kind, name, *flags, fails=None):
    model, shapes, gears, _, _ = KINDS[kind]
    return suite.convert(name, f"--input_shape={shapes}", *gears, *flags, model=model, fails=fails)


def run(suite, om, choice, inputs):
    """The outputs; None after a fault."""
    if om is None:
        return None
    out = suite.folder / f"{om.stem}_out"
    for file in out.glob("*") if out.is_dir() else ():
        file.unlink()
    flags = []
    for name, array in inputs.items():
        np.save(suite.folder / f"{name}.npy", array)
        flags += ["--input", f"{name}={suite.folder / name}.npy"]
    result = suite.programs.omrun(om, "--output", out, *choice, *flags)
    suite.check(f"{om.name} {choice}", result.status == 0, result.text)
    return [np.load(file) for file in sorted(out.glob("out_*.npy"))] if result.status == 0 else None


def shape_text(shapes):
    return ";".join(f"{name}:{','.join(map(str, shape))}" for name, shape in shapes.items())


def check_numbers(suite):
    """Each gear against the conversion with its sizes, bit by bit, and against NumPy."""
    for precision in ("origin", "fp16"):
        flags = (f"--precision_mode_v2={precision}",)
        for kind, (model, _, _, flag, gears) in KINDS.items():
            om = convert(suite, kind, f"{kind}_{precision}", *flags)
            for number, (choice, shapes) in enumerate(gears):
                inputs = data(shapes)
                found = run(suite, om, (flag, choice), inputs)
                fixed = suite.convert(f"{kind}_{precision}_{number}", f"--input_shape={shape_text(shapes)}", *flags, model=model)
                wanted = run(suite, fixed, (), inputs)
                same = found and wanted and all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))
                suite.check(f"{kind} {choice} in {precision} computes what a fixed shape does", same)
                exact = golden(next(iter(inputs.values())))
                close = 1e-5 if precision == "origin" else 2e-2
                suite.check(f"{kind} {choice} in {precision} is right", found and np.allclose(found[0], exact, rtol=close, atol=close))
            checked = suite.programs.run(suite.programs.bin / "atc", f"--check_om={om}")
            suite.check(f"{kind} is sound", checked.status == 0, checked.text)


def check_open_outputs(suite):
    """Outputs whose shape no gear tells, as values decide it."""
    found = wire.field(1, "found") + wire.field(2, wire.field(1, wire.field(1, wire.INT64)))
    graph = wire.field(1, wire.node("NonZero", ["x"], ["found"], name="nonzero")) + wire.field(1, wire.node("Neg", ["x"], ["y"], name="neg"))
    graph += wire.field(2, "places") + wire.field(11, wire.value_info("x", wire.FLOAT, [1, 3, 8, 8]))
    graph += wire.field(12, found) + wire.field(12, wire.value_info("y", wire.FLOAT, [1, 3, 8, 8]))
    (suite.folder / "places.onnx").write_bytes(wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13)))
    for kind, gears, flag, choices in (("batch", ["--input_shape=x:-1,3,8,8", "--dynamic_batch_size=1,4"], "--dymBatch", {"1": (1, 3, 8, 8), "4": (4, 3, 8, 8)}),
                                       ("image", ["--input_shape=x:1,3,-1,-1", "--dynamic_image_size=8,8;4,16"], "--dymHW", {"8,8": (1, 3, 8, 8), "4,16": (1, 3, 4, 16)}),
                                       ("dims", ["--input_shape=x:-1,3,8,-1", "--dynamic_dims=1,8;2,5", "--input_format=ND"], "--dymDims",
                                        {"x:1,3,8,8": (1, 3, 8, 8), "x:2,3,8,5": (2, 3, 8, 5)})):  # fmt: skip
        om = suite.convert(f"places_{kind}", *gears, ORIGIN, model="places")
        for choice, shape in choices.items():
            x = np.maximum(conversions.image(shape), 0)
            found = run(suite, om, (flag, choice), {"x": x})
            suite.check(f"nonzero of {kind} {choice}", found and np.array_equal(found[0], np.nonzero(x)) and np.array_equal(found[1], -x))


def check_by_data(suite):
    """The gear follows from the shapes of the samples where the runner is asked so."""
    om = convert(suite, "batch", "by_data", ORIGIN)
    for size in (1, 2, 4):
        x = conversions.image((size, 3, 16, 16))
        found = run(suite, om, ("--gear_auto",), {"image": x})
        suite.check(f"--gear_auto of {size}", found and np.allclose(found[0], golden(x), rtol=1e-5, atol=1e-5))


def check_flags(suite):
    """Other flags hold for every copy."""
    x = conversions.image((4, 3, 16, 16))
    for number, flags in enumerate((["--output_type=FP16", ORIGIN], ["--input_fp16_nodes=image"], ["--enable_single_stream=true", ORIGIN],
                                    ["--multi_stream_parallel_mode=LoadBalance:2", ORIGIN], ["--disable_reuse_memory=1", ORIGIN],
                                    ["--external_weight=2", ORIGIN], ["--enable_attr_compression=true", ORIGIN],
                                    ["--input_fp16_nodes=image", "--is_input_adjust_hw_layout=true", "--out_nodes=relu_2:0", "--is_output_adjust_hw_layout=true"],
                                    ["--oo_level=O1", ORIGIN])):  # fmt: skip
        om = convert(suite, "batch", f"flags_{number}", *flags)
        fixed = suite.convert(f"flags_{number}_fixed", "--input_shape=image:4,3,16,16", *flags, model="image")
        half = any("input_fp16" in flag for flag in flags)
        blocked = any("is_input" in flag for flag in flags)
        given = x.astype(np.float16) if half else x
        if blocked:
            given = conversions.blocked(given)
        found, wanted = run(suite, om, ("--dymBatch", "4"), {"image": given}), run(suite, fixed, (), {"image": given})
        same = found and wanted and found[0].dtype == wanted[0].dtype and np.array_equal(found[0], wanted[0])
        suite.check(f"gears with {flags}", same)


def nodes(suite, om):
    target = suite.folder / "graph.json"
    result = suite.programs.run(suite.programs.bin / "atc", "--mode=1", f"--om={om}", f"--json={target}")
    suite.check("--mode=1", result.status == 0, result.text)
    return {graph["name"]: {op["name"]: op for op in graph["op"]} for graph in json.loads(target.read_text())["graph"]}


def check_graph(suite):
    """The nodes that GE makes, under its names."""
    om = convert(suite, "image", "graph", ORIGIN)
    graphs = nodes(suite, om)
    suite.check("graphs", {"Batch_0", "Batch_1", "Batch_2"} < set(graphs), list(graphs))
    root = next(ops for ops in graphs.values() if "ascend_mbatch_shape_case" in ops)
    wanted = {"images": "Data", DATA: "Data", "ascend_mbatch_shape_const": "Const", "ascend_mbatch_shape_mapindex": "MapIndex",
              "ascend_mbatch_shape_case": "Case"}  # fmt: skip
    suite.check("root", {n: op["type"] for n, op in root.items() if op["type"] != "NetOutput"} == wanted, list(root))
    suite.check("largest shape", root["images"]["output_desc"][0]["shape"]["dim"] in ([1, 3, 20, 20], ["1", "3", "20", "20"]), root["images"])
    text = json.dumps(root["ascend_mbatch_shape_case"])
    for attribute in ("_batch_num", "_pred_value_2", "mbatch-dynamic-type", "user_designate_shape_order"):
        suite.check(attribute, attribute in text, text)
    for number in range(3):
        ops = graphs[f"Batch_{number}"]
        suite.check(f"names of gear {number}", all(f"_ascend_mbatch_batch_{number}" in name for name in ops), list(ops))
        suite.check(f"labels of gear {number}", "_batch_label" in json.dumps(next(iter(ops.values()))))
    shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={om}")
    suite.check("--mode=6", "dynamic_image_size[8,12; 20,20; 12,8]" in shown.text, shown.text)
    shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={om}", "--json")
    suite.check("--mode=6 --json", json.loads(shown.text)["gears"] == "dynamic_image_size[8,12; 20,20; 12,8]", shown.text)


def check_size(suite):
    """Weights are there once, in the file and when loaded, and the copies lie over each other."""
    w = [64, 64, 3, 3]
    graph = b"".join(wire.field(1, wire.node("Conv", [f"t{i}", f"w{i}"], [f"t{i + 1}"], wire.ints("pads", [1, 1, 1, 1]), name=f"conv{i}"))
                     for i in range(8)) + wire.field(2, "deep")  # fmt: skip
    graph += b"".join(wire.field(5, wire.tensor(f"w{i}", wire.FLOAT, w, wire.floats(64 * 64 * 9, i))) for i in range(8))
    graph += wire.field(11, wire.value_info("t0", wire.FLOAT, [1, 64, 16, 16])) + wire.field(12, wire.value_info("t8", wire.FLOAT, [1, 64, 16, 16]))
    (suite.folder / "deep.onnx").write_bytes(wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13)))
    for precision in ("origin", "fp16"):
        sizes, prepared = {}, {}
        for name, flags in (("gears", ["--input_shape=t0:-1,64,16,16", "--dynamic_batch_size=1,2,3,4"]), ("fixed", ["--input_shape=t0:4,64,16,16"])):
            om = suite.convert(f"deep_{name}", *flags, f"--precision_mode_v2={precision}", model="deep")
            shown = suite.programs.run(suite.programs.bin / "atc", "--mode=6", f"--om={om}", "--json")
            sizes[name] = json.loads(shown.text)
            ran = suite.programs.omrun(om, *(["--dymBatch", "4"] if name == "gears" else []))
            suite.check(f"deep {name}", ran.status == 0, ran.text)
            words = ran.text.split()
            prepared[name] = int(words[words.index("prepared") + 2])
        small = 4096
        suite.check(f"weights in the file in {precision}", sizes["gears"]["weight_size"] <= sizes["fixed"]["weight_size"] + small, sizes)
        suite.check(f"memory in {precision}", sizes["gears"]["memory_size"] <= sizes["fixed"]["memory_size"] + small, sizes)
        # A filter may be wanted in two forms, by what suits a batch.
        suite.check(f"prepared weights in {precision}", prepared["gears"] <= 2.1 * prepared["fixed"], prepared)


def check_same_bytes(suite):
    """Equal input gives equal bytes."""
    first, second = (convert(suite, "dims", f"{folder}/same", ORIGIN) for folder in ("a", "b"))
    suite.check("equal bytes", first.read_bytes() == second.read_bytes())


def check_looks(suite):
    """What looks into a conversion sees the copies."""
    model, shapes, gears, _, _ = KINDS["batch"]
    line = [suite.programs.bin / "atc", f"--model={suite.folder / 'image.onnx'}", "--framework=5", "--soc_version=Ascend910B3",
            f"--input_shape={shapes}", *gears]  # fmt: skip
    explained = suite.programs.run(*line, "--explain_node=conv_1")
    suite.check("--explain_node", all(f"conv_1_ascend_mbatch_batch_{i}" in explained.text for i in range(3)), explained.text)
    for flag in ("--stages", "--precision_report", "--format_report", "--stream_report"):
        looked = suite.programs.run(*line, flag)
        suite.check(flag, looked.status == 0, looked.text)
    bisected = suite.programs.run(*line, "--bisect", "--sample_inputs=image:-1~1")
    suite.check("--bisect", bisected.status == 0, bisected.text)
    np.save(suite.folder / "three.npy", conversions.image((3, 3, 16, 16)))
    bisected = suite.programs.run(*line, "--bisect", f"--sample_inputs=image:{suite.folder / 'three.npy'}")
    suite.check("--bisect with a sample of no gear", "E10001" in bisected.text and "1; 4; 2" in bisected.text, bisected.text)
    a, b = convert(suite, "batch", "looked", ORIGIN), suite.folder / "looked.om"
    suite.check("--diff", suite.programs.run(suite.programs.bin / "atc", "--diff", a, b).status == 0)
    dumps = suite.folder / "dumps"
    dumped = suite.programs.run(*line, f"--output={suite.folder / 'dumped'}",
                                environment={"DUMP_GE_GRAPH": "2", "DUMP_GRAPH_PATH": str(dumps)})  # fmt: skip
    suite.check("dumps", dumped.status == 0, dumped.text)
    text = next(dumps.rglob("ge_onnx_*_PreRunAfterNormalizeGraph.pbtxt")).read_text()
    suite.check("the dump shows the copies", "conv_1_ascend_mbatch_batch_2" in text and "ascend_mbatch_shape_mapindex" in text)
    text = next(dumps.rglob("ge_onnx_*_PreRunBegin.pbtxt")).read_text()
    suite.check("the source has none", "ascend_mbatch" not in text)


def check_refusals(suite):
    """What a run cannot do names the gears."""
    om = convert(suite, "batch", "refusals", ORIGIN)
    for flags, words in (((), "several gears"), (("--dymBatch", "3"), "1; 4; 2"), (("--dymHW", "1,2"), "--gear_batch")):
        result = suite.programs.omrun(om, *flags)
        suite.check(f"omrun {flags}", result.status not in (0, None) and words in result.text, result.text)
    convert_ = lambda code, shapes, *flags: suite.convert("refused", f"--input_shape={shapes}", *flags, model="two_images", fails=code)
    convert_("E10001", "input1:-1,3,16,16", "--dynamic_batch_size=1,2")
    convert_("E10016", "input3:-1,3,16,16", "--dynamic_batch_size=1,2")
    convert_("E10017", "conv_1:-1,3,16,16", "--dynamic_batch_size=1,2")
    convert_("E10049", "input1:-1,3;input2:-1,3", "--dynamic_batch_size=1,2")
    convert_("E10035", "input1:-1,3,16,16;input2:-1,3,16,16", "--dynamic_batch_size=1")
    convert_("E10013", "input1:-1,3,16,16;input2:-1,3,16,16", "--dynamic_batch_size=1,4294967297")
    # The convolution takes 3 channels.
    convert_("E14001", "input1:1,-1,16,16;input2:1,3,16,16", "--dynamic_dims=3;4")


class Dims(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 128), ("count", ctypes.c_size_t), ("dims", ctypes.c_int64 * 128)]

    def list(self):
        return list(self.dims[:self.count])


class Batch(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t), ("sizes", ctypes.c_uint64 * 128)]


class Hw(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t), ("sizes", ctypes.c_uint64 * 2 * 128)]


class Device:
    """A model by the calls of ACL, with buffers of the largest gear."""

    def __init__(self, acl, om):
        self.acl, self.id = acl, ctypes.c_uint32()
        self.check(acl.aclmdlLoadFromFile(str(om).encode(), ctypes.byref(self.id)))
        self.desc = ctypes.c_void_p(acl.aclmdlCreateDesc())
        self.check(acl.aclmdlGetDesc(self.desc, self.id))
        self.sizes = [acl.aclmdlGetInputSizeByIndex(self.desc, i) for i in range(acl.aclmdlGetNumInputs(self.desc))]
        self.out_sizes = [acl.aclmdlGetOutputSizeByIndex(self.desc, i) for i in range(acl.aclmdlGetNumOutputs(self.desc))]
        self.inputs, self.memory = self.dataset(self.sizes)
        self.outputs, self.results = self.dataset(self.out_sizes)
        index = ctypes.c_size_t()
        self.check(acl.aclmdlGetInputIndexByName(self.desc, DATA.encode(), ctypes.byref(index)))
        self.told = index.value

    @staticmethod
    def check(code):
        assert code == 0, code

    def dataset(self, sizes):
        dataset, memory = ctypes.c_void_p(self.acl.aclmdlCreateDataset()), []
        for size in sizes:
            address = ctypes.c_void_p()
            self.check(self.acl.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(size), 0))
            memory.append(address)
            self.check(self.acl.aclmdlAddDatasetBuffer(dataset, ctypes.c_void_p(self.acl.aclCreateDataBuffer(address, ctypes.c_size_t(size)))))
        return dataset, memory

    def give(self, number, array):
        self.check(self.acl.aclrtMemcpy(self.memory[number], ctypes.c_size_t(array.nbytes), array.ctypes.data_as(ctypes.c_void_p),
                                        ctypes.c_size_t(array.nbytes), 1))  # fmt: skip

    def run(self):
        return self.acl.aclmdlExecute(self.id, self.inputs, self.outputs)

    def dims(self, call, number):
        dims = Dims()
        self.check(getattr(self.acl, call)(self.desc, ctypes.c_size_t(number), ctypes.byref(dims)))
        return dims.list()

    def result(self, number=0):
        shape = self.dims("aclmdlGetCurOutputDims", number)
        array = np.empty(shape, np.float32)
        self.check(self.acl.aclrtMemcpy(array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes), self.results[number],
                                        ctypes.c_size_t(array.nbytes), 2))  # fmt: skip
        return array


def load_acl(build):
    acl = ctypes.CDLL(str(Path(build).resolve() / "lib" / "libascendcl.so"))
    for name in ("aclmdlCreateDesc", "aclmdlCreateDataset", "aclCreateDataBuffer"):
        getattr(acl, name).restype = ctypes.c_void_p
    for name in ("aclmdlGetInputSizeByIndex", "aclmdlGetOutputSizeByIndex", "aclmdlGetNumInputs", "aclmdlGetNumOutputs"):
        getattr(acl, name).restype = ctypes.c_size_t
    assert acl.aclInit(None) == 0 and acl.aclrtSetDevice(0) == 0
    return acl


NO_GEAR, NO_ROOM, PARAM = 145013, 145012, 100000


def check_acl_batch(suite, acl):
    model = Device(acl, convert(suite, "batch", "acl_batch", ORIGIN))
    size_t, u64 = ctypes.c_size_t, ctypes.c_uint64
    channels = conversions.CHANNELS
    suite.check("sizes of the largest", (model.sizes, model.out_sizes) == ([4 * 3 * 256 * 4, 4], [4 * channels * 256 * 4]), model.sizes)
    suite.check("open dims", model.dims("aclmdlGetInputDims", 0) == [-1, 3, 16, 16] and model.dims("aclmdlGetOutputDims", 0) == [-1, channels, 16, 16])
    suite.check("the largest until one is chosen", model.dims("aclmdlGetCurOutputDims", 0) == [4, channels, 16, 16])
    batch, hw, count = Batch(), Hw(), size_t(9)
    model.check(acl.aclmdlGetDynamicBatch(model.desc, ctypes.byref(batch)))
    suite.check("batches", list(batch.sizes[:batch.count]) == [1, 4, 2])
    model.check(acl.aclmdlGetDynamicHW(model.desc, size_t(-1), ctypes.byref(hw)))
    model.check(acl.aclmdlGetInputDynamicGearCount(model.desc, size_t(-1), ctypes.byref(count)))
    suite.check("no other gears", hw.count == 0 and count.value == 0)
    for size in (2, 1, 4):
        x = conversions.image((size, 3, 16, 16))
        model.give(0, x)
        model.check(acl.aclmdlSetDynamicBatchSize(model.id, model.inputs, size_t(model.told), u64(size)))
        model.check(model.run())
        suite.check(f"ACL with batch {size}", np.allclose(model.result(), golden(x), rtol=1e-5, atol=1e-5))
    set_batch = lambda dataset, index, value: acl.aclmdlSetDynamicBatchSize(model.id, dataset, size_t(index), u64(value))
    suite.check("no gear", set_batch(model.inputs, model.told, 3) == NO_GEAR)
    suite.check("a batch of 0", set_batch(model.inputs, model.told, 0) == PARAM)
    suite.check("no such buffer", set_batch(model.inputs, 7, 2) == PARAM)
    suite.check("the buffer of a sample", set_batch(model.inputs, 0, 2) == PARAM)
    suite.check("more than a size can be", set_batch(model.inputs, model.told, 2**63 + 4) == NO_GEAR)
    suite.check("no dataset", set_batch(None, model.told, 2) == PARAM)
    suite.check("another kind", acl.aclmdlSetDynamicHWSize(model.id, model.inputs, size_t(model.told), u64(1), u64(1)) == NO_GEAR)
    suite.check("the choice before stays", model.dims("aclmdlGetCurOutputDims", 0) == [4, channels, 16, 16])
    # What a program writes itself is as good; 8 bytes are one size too.
    x = conversions.image((2, 3, 16, 16))
    model.give(0, x)
    model.give(model.told, np.array([2], np.uint32))
    model.check(model.run())
    model.check(set_batch(model.inputs, model.told, 2))
    suite.check("a size that the program writes", np.allclose(model.result(), golden(x), rtol=1e-5, atol=1e-5))
    model.give(model.told, np.array([3], np.uint32))
    suite.check("a run of no gear", model.run() != 0)
    acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
    text = (acl.aclGetRecentErrMsg() or b"").decode()
    suite.check("names the gears", "3 is no gear" in text and "1; 4; 2" in text, text)
    model.check(set_batch(model.inputs, model.told, 2))
    model.check(model.run())
    suite.check("and can run again", np.allclose(model.result(), golden(x), rtol=1e-5, atol=1e-5))
    small, _ = model.dataset([model.sizes[0], 3])
    suite.check("no room for the size", set_batch(small, 1, 2) == NO_ROOM)
    model.check(acl.aclmdlUnload(model.id))


def check_acl_image(suite, acl):
    model = Device(acl, convert(suite, "image", "acl_image", ORIGIN))
    size_t, u64 = ctypes.c_size_t, ctypes.c_uint64
    hw = Hw()
    model.check(acl.aclmdlGetDynamicHW(model.desc, size_t(-1), ctypes.byref(hw)))
    suite.check("image sizes", [list(pair) for pair in hw.sizes[:hw.count]] == [[8, 12], [20, 20], [12, 8]])
    wide, _ = model.dataset([model.sizes[0], 16])
    for dataset, told in ((model.inputs, model.told), (wide, 1)):
        for h, w in ((8, 12), (12, 8), (20, 20)):
            x = conversions.image((1, 3, h, w))
            model.check(acl.aclmdlSetDynamicHWSize(model.id, dataset, size_t(told), u64(h), u64(w)))
            if dataset is model.inputs:
                model.give(0, x)
                model.check(model.run())
                suite.check(f"ACL with {h} x {w}", np.allclose(model.result(), golden(x), rtol=1e-5, atol=1e-5))
            else:
                suite.check(f"dims of {h} x {w}", model.dims("aclmdlGetCurOutputDims", 0)[2:] == [h, w])
    small, _ = model.dataset([model.sizes[0], 7])
    suite.check("no room for the sizes", acl.aclmdlSetDynamicHWSize(model.id, small, size_t(1), u64(8), u64(12)) == NO_ROOM)
    suite.check("the sizes the other way round", acl.aclmdlSetDynamicHWSize(model.id, model.inputs, size_t(1), u64(20), u64(8)) == NO_GEAR)


def check_acl_dims(suite, acl):
    model = Device(acl, convert(suite, "dims", "acl_dims", ORIGIN))
    size_t = ctypes.c_size_t
    count, gears = size_t(), (Dims * 2)()
    model.check(acl.aclmdlGetInputDynamicGearCount(model.desc, size_t(-1), ctypes.byref(count)))
    model.check(acl.aclmdlGetInputDynamicDims(model.desc, size_t(-1), gears, count))
    # Those of all inputs in the order of the model, although --input_shape has another.
    suite.check("dims", [g.list() for g in gears] == [[2, 3, 16, 16, 1, 3, 16, 16], [2, 3, 8, 16, 3, 3, 16, 16]], [g.list() for g in gears])
    for gear in gears:
        shapes = gear.list()
        x, y = conversions.image(tuple(shapes[:4])), conversions.image(tuple(shapes[4:]))
        model.give(0, x)
        model.give(1, y)
        model.check(acl.aclmdlSetInputDynamicDims(model.id, model.inputs, size_t(model.told), ctypes.byref(gear)))
        model.check(model.run())
        suite.check(f"ACL with {shapes}", np.allclose(model.result(0), golden(x), rtol=1e-5, atol=1e-5) and
                    np.array_equal(model.result(1), np.maximum(y, 0)))  # fmt: skip
    wrong = Dims()
    wrong.count = 8
    for i, dim in enumerate([2, 3, 8, 16, 1, 3, 16, 16]):
        wrong.dims[i] = dim
    suite.check("dims of no gear", acl.aclmdlSetInputDynamicDims(model.id, model.inputs, size_t(model.told), ctypes.byref(wrong)) == NO_GEAR)


def check_acl(suite):
    acl = load_acl(sys.argv[1])
    for check in (check_acl_batch, check_acl_image, check_acl_dims):
        check(suite, acl)
    acl.aclrtResetDevice(0)
    acl.aclFinalize()


if __name__ == "__main__":
    sys.exit(conversions.main((check_numbers, check_open_outputs, check_by_data, check_flags, check_graph, check_size, check_same_bytes, check_looks, check_refusals,
                               check_acl), "every gear computes what it should"))  # fmt: skip
