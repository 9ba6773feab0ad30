"""What flags change: command lines of others, and each flag by its effect on the om and on what it computes.

usage: flags_test.py BUILD
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import command_lines  # noqa: E402
import onnx_wire as wire  # noqa: E402
from programs import Programs, written_om  # noqa: E402

CHANNELS = 5


def write_model(file, inputs):
    """Two convolutions with a ReLU behind each on the first input; other inputs of its rank are added, the rest summed."""
    dims = {}
    for name, sizes in inputs.items():
        dims[name] = [s if s > 0 else f"{name}_{i}" for i, s in enumerate(sizes)]

    def info(name, sizes):
        shape = b"".join(wire.field(1, wire.field(1 if isinstance(s, int) else 2, s)) for s in sizes)
        return wire.field(1, name) + wire.field(2, wire.field(1, wire.field(1, wire.FLOAT) + wire.field(2, shape)))

    first, *others = inputs
    pads = wire.ints("pads", [1, 1, 1, 1])
    nodes = [
        wire.node("Conv", [first, "w1"], ["c1"], pads, name="conv_1"),
        wire.node("Relu", ["c1"], ["r1"], name="relu_1"),
        wire.node("Conv", ["r1", "w2"], ["c2"], pads, name="conv_2"),
        wire.node("Relu", ["c2"], ["r2"], name="relu_2"),
    ]
    outputs = [("r2", ["n", CHANNELS, "h", "w"])]
    for k, name in enumerate(others):
        nodes.append(wire.node("Relu", [name], [f"o{k}"], name=f"other_{k}"))
        outputs.append((f"o{k}", [f"o{k}_{i}" for i in range(len(inputs[name]))]))
    graph = b"".join(wire.field(1, n) for n in nodes) + wire.field(2, Path(file).stem)
    graph += wire.field(5, wire.tensor("w1", wire.FLOAT, [4, 3, 3, 3], wire.floats(108, 1)))
    graph += wire.field(5, wire.tensor("w2", wire.FLOAT, [CHANNELS, 4, 3, 3], wire.floats(36 * CHANNELS, 2)))
    graph += b"".join(wire.field(11, info(n, d)) for n, d in dims.items())
    graph += b"".join(wire.field(12, info(n, d)) for n, d in outputs)
    Path(file).write_bytes(wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13)))


class Suite:
    def __init__(self, build, folder):
        self.programs = Programs(build)
        self.folder = Path(folder)
        self.faults = []
        for name, text in command_lines.FILES.items():
            (self.folder / name).write_text(text)
        for name, inputs in command_lines.MODELS.items():
            write_model(self.folder / f"{name}.onnx", inputs)

    def check(self, what, ok, detail=""):
        if not ok:
            self.faults.append(f"{what}: {detail}")

    def convert(self, name, *flags, model="classifier", fails=None, **how):
        """The om, or None after the error `fails`."""
        om = self.folder / f"{name}.om"
        result = self.programs.atc(self.folder / f"{model}.onnx", om, *flags, folder=self.folder, **how)
        if fails is None:
            self.check(name, result.status == 0, result.text)
            return written_om(om) if result.status == 0 else None
        self.check(name, result.status == 255 and f"({fails})" in result.text, f"expected {fails}\n{result.text}")
        return None

    def run(self, om, **inputs):
        """Outputs of the om for these arrays, by number; None where there is no om."""
        if om is None:
            return None
        out = self.folder / f"{om.stem}_out"
        flags = []
        for name, array in inputs.items():
            numpy.save(self.folder / f"{name}.npy", array)
            flags += ["--input", f"{name}={self.folder / name}.npy"]
        result = self.programs.omrun(om, "--output", out, *flags)
        self.check(om.name, result.status == 0, result.text)
        return [numpy.load(file) for file in sorted(out.glob("out_*.npy"))] if result.status == 0 else None

    def ops(self, om):
        """{name: operator} of the main graph, from --mode=1; those of no om are none."""
        if om is None:
            return {}
        target = self.folder / f"{om.stem}.json"
        result = self.programs.run(self.programs.bin / "atc", "--mode=1", f"--om={om}", f"--json={target}")
        self.check(om.name, result.status == 0, result.text)
        return {op["name"]: op for op in json.loads(target.read_text())["graph"][0]["op"]}


def image(dims=(1, 3, 16, 16)):
    return numpy.random.default_rng(7).uniform(-1, 1, dims).astype(numpy.float32)


def blocked(array):
    """NCHW as N, C1, H, W, 16."""
    n, c, h, w = array.shape
    filled = numpy.zeros((n, (c + 15) // 16 * 16, h, w), array.dtype)
    filled[:, :c] = array
    return filled.reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2)


def check_command_lines(suite):
    for k, (model, line, fails) in enumerate(command_lines.LINES):
        out = suite.folder / f"line_{k}" / "out"
        path = suite.folder / f"{model}.onnx"
        words = line.replace("OUT", str(out)).replace("MODEL", str(path)).split()
        result = suite.programs.run(suite.programs.bin / "atc", f"--model={path}", *words, folder=suite.folder)
        oms = sorted(out.parent.glob("*.om")) if out.parent.exists() else []
        if fails is None:
            ran = result.status == 0 and len(oms) == 1 and "ATC run success" in result.text
            if ran and "~" not in line and ":-1" not in line:
                ran = suite.programs.omrun(oms[0]).status == 0
        else:
            ran = result.status == 255 and f"({fails})" in result.text and not oms
        suite.check(f"line {k}", ran, f"{line}\n{result.text}")


def check_passes(suite):
    folder = suite.folder

    def counts(name, *flags):
        suite.convert(name, "--export_compile_stat=1", *flags)
        report = json.loads((folder / "fusion_result.json").read_text())["session_and_graph_id_0_0"]
        return {k: int(v["effect_times"]) for group in report.values() for k, v in group.items()}

    heavy = "HeavyElementwiseFusionPass"
    suite.check("all passes", counts("passes").get(heavy) == 2)
    (folder / "lines.cfg").write_text(f"{heavy}:off\n")
    suite.check("switched by line", heavy not in counts("passes_line", "--fusion_switch_file=lines.cfg"))
    suite.check("switched by group", heavy not in counts("passes_json", "--fusion_switch_file=fusion_switch.cfg"))
    suite.check("O1", heavy not in counts("passes_o1", "--oo_level=O1"))
    on = f"--optimization_switch={heavy}:on"
    suite.check("the switch wins", counts("passes_on", "--fusion_switch_file=lines.cfg", on).get(heavy) == 2)
    (folder / "fusion_result.json").unlink()
    suite.convert("passes_unasked")
    suite.check("nothing unasked", not (folder / "fusion_result.json").exists())
    work = folder / "work"
    suite.convert("passes_work", environment={"ASCEND_WORK_PATH": str(work)})
    suite.check("work path", len(list(work.glob("FE/*/fusion_result.json"))) == 1)


def check_precision(suite):
    def dtype(om, name):
        return suite.ops(om).get(name, {"output_desc": [{"dtype": None}]})["output_desc"][0]["dtype"]

    switch = "--fusion_switch_file=fusion_switch.cfg"
    plain = suite.convert("precision", switch)
    suite.check("default", dtype(plain, "conv_1") == "DT_FLOAT16")
    kept = suite.convert("kept", switch, "--keep_dtype=exceptionlist.cfg")
    suite.check("kept by name", dtype(kept, "conv_1") == "DT_FLOAT")
    suite.check("kept by type", dtype(kept, "relu_2") == "DT_FLOAT")
    suite.check("the rest", dtype(kept, "conv_2") == "DT_FLOAT16")
    # Kept operators are not taken into others.
    suite.check("kept and fused", dtype(suite.convert("kept_fused", "--keep_dtype=exceptionlist.cfg"), "conv_1") == "DT_FLOAT")
    mode = suite.convert("mode", switch, "--op_precision_mode=op_precision.ini")
    suite.check("op_precision_mode", dtype(mode, "conv_1") == "DT_FLOAT" and dtype(mode, "conv_2") == "DT_FLOAT16")
    (suite.folder / "custom.cfg").write_text("conv_2::InputDtype:float16,float16,OutputDtype:float16\n")
    custom = suite.convert("custom", switch, "--precision_mode_v2=origin", "--customize_dtypes=custom.cfg")
    suite.check("customize_dtypes", dtype(custom, "conv_2") == "DT_FLOAT16" and dtype(custom, "relu_2") == "DT_FLOAT")
    mixed = suite.convert("mixed", switch, "--precision_mode_v2=mixed_float16", "--modify_mixlist=mixlist.json")
    suite.check("modify_mixlist", dtype(mixed, "conv_1") == "DT_FLOAT16" and dtype(mixed, "relu_1") == "DT_FLOAT")
    raw = {"compile options": {"graph": {"ge.exec.precision_mode_v2": "origin"}}}
    (suite.folder / "raw.json").write_text(json.dumps(raw))
    suite.check("raw_ge_options", dtype(suite.convert("raw", "--raw_ge_options=raw.json"), "conv_1") == "DT_FLOAT")


def check_interface(suite):
    x = image().astype(numpy.float16)
    origin = "--precision_mode_v2=origin"
    want = suite.run(suite.convert("interface", origin), actual_input_1=x.astype(numpy.float32))
    half = "--input_fp16_nodes=actual_input_1"
    plain = suite.run(suite.convert("interface_half", origin, half), actual_input_1=x)
    suite.check("fp16 input", plain and numpy.array_equal(plain[0], want[0]))
    layout = suite.convert("interface_in", origin, half, "--is_input_adjust_hw_layout=true")
    found = suite.run(layout, actual_input_1=blocked(x))
    suite.check("NC1HWC0 input", found and numpy.array_equal(found[0], want[0]))
    flags = ["--out_nodes=relu_2:0", "--is_output_adjust_hw_layout=true"]
    found = suite.run(suite.convert("interface_out", origin, *flags), actual_input_1=x.astype(numpy.float32))
    expected = blocked(want[0].astype(numpy.float16))
    suite.check("NC1HWC0 output", found and found[0].dtype == numpy.float16 and numpy.array_equal(found[0], expected))
    suite.convert("interface_missing", "--input_fp16_nodes=actual_input_2", fails="E10016")
    suite.convert("interface_node", "--input_fp16_nodes=conv_1", fails="E10017")
    suite.convert("interface_words", half, "--is_input_adjust_hw_layout=true,true", fails="E10001")
    suite.convert("interface_yes", half, "--is_input_adjust_hw_layout=yes", fails="E10005")


def check_files(suite):
    folder = suite.folder
    x = image()
    want = suite.run(suite.convert("inside"), actual_input_1=x)
    for kind, count in (("1", 2), ("2", 1)):
        om = suite.convert(f"outside_{kind}/m", f"--external_weight={kind}")
        weights = list((om.parent / "weight").iterdir())
        suite.check(f"external_weight={kind}", len(weights) == count, weights)
        found = suite.run(om, actual_input_1=x)
        suite.check(f"external_weight={kind} runs", found and numpy.array_equal(found[0], want[0]))
    suite.convert("saved", "--save_original_model=true")
    types = {op["type"] for op in suite.ops(folder / "saved_original.om").values()}
    suite.check("save_original_model", {"Conv2D", "Relu"} <= types and "Cast" not in types, types)
    named = suite.convert("named", "--input_shape=input:1,3,-1,-1", "--host_env_os=linux", "--host_env_cpu=aarch64",
                          model="input")  # fmt: skip
    suite.check("host_env_cpu", (folder / "named_linux_aarch64.om").exists(), named)


def tensor(shape, kind="float", **more):
    return {"format": "ND", "type": kind, "shape": shape, **more}


def check_singleop(suite):
    folder = suite.folder
    conv = {"op": "Conv2D", "name": "my_conv", "input_desc": [
        {"format": "NCHW", "type": "float", "shape": [1, 3, 8, 8], "name": "x"},
        {"format": "NCHW", "type": "float", "shape": [4, 3, 1, 1], "is_const": True,
         "const_value": [float(i) for i in range(12)]}],
        "output_desc": [{"format": "NCHW", "type": "float", "shape": [1, 4, 8, 8]}],
        "attr": [{"name": "strides", "type": "list_int", "value": [1, 1, 1, 1]},
                 {"name": "pads", "type": "list_int", "value": [0, 0, 0, 0]}]}  # fmt: skip
    add = {"op": "Add", "input_desc": [tensor([2, 3], "int32", name="a"), tensor([2, 3], "int32", name="b")],
           "output_desc": [tensor([2, 3], "int32")]}  # fmt: skip
    half = {"op": "Relu", "name": "half", "input_desc": [tensor([4], "float16", name="x")],
            "output_desc": [tensor([4], "float16")]}  # fmt: skip
    (folder / "ops.json").write_text(json.dumps([conv, add, half]))

    def singleop(file, *flags):
        return suite.programs.run(suite.programs.bin / "atc", f"--singleop={file}", "--output=ops",
                                  "--soc_version=Ascend910B3", *flags, folder=folder)  # fmt: skip

    result = singleop("ops.json")
    suite.check("singleop", result.status == 0, result.text)
    names = sorted(p.name for p in (folder / "ops").glob("*.om"))
    suite.check("singleop names", names == ["1_Add_3_2_2_3_3_2_2_3_3_2_2_3.om", "half.om", "my_conv.om"], names)
    a, b = numpy.arange(6, dtype=numpy.int32).reshape(2, 3), numpy.full((2, 3), 7, numpy.int32)
    found = suite.run(folder / "ops" / "1_Add_3_2_2_3_3_2_2_3_3_2_2_3.om", a=a, b=b)
    suite.check("Add", found and numpy.array_equal(found[0], a + b))
    x = image((1, 3, 8, 8))
    found = suite.run(folder / "ops" / "my_conv.om", x=x)
    want = numpy.einsum("oc,nchw->nohw", numpy.arange(12, dtype=numpy.float32).reshape(4, 3), x)
    suite.check("Conv2D", found and numpy.allclose(found[0], want, rtol=1e-5, atol=1e-5))
    found = suite.run(folder / "ops" / "half.om", x=numpy.array([-1, 2, -3, 4], numpy.float16))
    suite.check("Relu", found and found[0].dtype == numpy.float16 and found[0].tolist() == [0, 2, 0, 4])
    wrong = [
        ("nowhere.json", None, "E10001"),
        ("wrong.json", "{", "E10025"),
        ("wrong.json", "{}", "E10023"),
        ("wrong.json", '[{"input_desc": []}]', "E10026"),
        ("wrong.json", '[{"op": "Add", "input_desc": [{"type": "float", "shape": []}]}]', "E10027"),
        ("wrong.json", '[{"op": "Add", "input_desc": [{"format": "ND", "type": "flaot", "shape": []}]}]', "E10027"),
        ("wrong.json", '[{"op": "Add", "attr": [{"type": "int", "value": 1}]}]', "E10029"),
        ("wrong.json", '[{"op": "Add", "attr": [{"name": "a", "type": "int", "value": "x"}]}]', "E10030"),
        ("wrong.json", '[{"op": "Ad"}]', "E10501"),
        ("wrong.json", '[{"op": "Add"}]', "E14001"),
        ("wrong.json", json.dumps([{**add, "output_desc": [tensor([3, 3], "int32")]}]), "E14001"),
        ("wrong.json", json.dumps([{**add, "name": "../x"}]), "E10023"),
    ]
    for file, content, code in wrong:
        if content is not None:
            (folder / file).write_text(content)
        result = singleop(file)
        suite.check(f"singleop {content}", result.status == 255 and f"({code})" in result.text, f"{code}: {result.text}")


def check_precheck(suite):
    folder = suite.folder

    def precheck(model, *flags, **how):
        return suite.programs.run(suite.programs.bin / "atc", "--mode=3", f"--model={model}", "--framework=5",
                                  "--soc_version=Ascend910B3", *flags, folder=folder, **how)  # fmt: skip

    result = precheck("classifier.onnx")
    report = json.loads((folder / "check_result.json").read_text())
    suite.check("precheck", result.status == 0 and report["result"] == "success" and report["total"] == 4, result.text)
    graph = b"".join(wire.field(1, wire.node(kind, ["x"], [f"y{k}"], name=name))
                     for k, (kind, name) in enumerate([("Relu", "a"), ("Wrap", "b"), ("Relu", "a")]))  # fmt: skip
    graph += wire.field(2, "bad") + wire.field(11, wire.value_info("x", wire.FLOAT, [4]))
    graph += wire.field(12, wire.value_info("y0", wire.FLOAT, [4]))
    (folder / "bad.onnx").write_bytes(wire.field(1, 8) + wire.field(7, graph) + wire.field(8, wire.field(1, "") + wire.field(2, 13)))
    result = precheck("bad.onnx", "--check_report=reports/bad.json")
    report = json.loads((folder / "reports/bad.json").read_text())
    causes = [[cause["code"] for cause in op.get("cause", [])] for op in report["op"]]
    suite.check("precheck of a bad model", result.status == 255 and causes == [[], [1], [9]] and
                (report["total"], report["pass"], report["fail"]) == (3, 1, 2), f"{report}\n{result.text}")  # fmt: skip
    precheck("classifier.onnx", environment={"ASCEND_WORK_PATH": str(folder / "checks")})
    suite.check("work path", (folder / "checks/check_result.json").exists())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        suite = Suite(sys.argv[1], scratch)
        for part in (check_command_lines, check_passes, check_precision, check_interface, check_files, check_singleop,
                     check_precheck):  # fmt: skip
            part(suite)
    print("\n".join(suite.faults) if suite.faults else "every flag has its effect")
    sys.exit(1 if suite.faults else 0)


main()
