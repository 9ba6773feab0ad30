"""What flags change: command lines of others, and each flag by its effect on the om and on what it computes.

usage: flags_test.py BUILD
"""

import json
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import command_lines  # noqa: E402
import conversions  # noqa: E402
import onnx_wire as wire  # noqa: E402
from conversions import blocked, image  # noqa: E402


def check_command_lines(suite):
    for k, (model, line, fails) in enumerate(command_lines.LINES):
        out = suite.folder / f"line_{k}" / "out"
        path = suite.folder / f"{model}.onnx"
        words = line.replace("OUT", str(out)).replace("MODEL", str(path)).split()
        result = suite.programs.run(suite.programs.bin / "atc", f"--model={path}", *words, folder=suite.folder)
        oms = sorted(out.parent.glob("*.om")) if out.parent.exists() else []
        if fails is None:
            ran = result.status == 0 and len(oms) == 1 and "ATC run success" in result.text
            if ran and "~" not in line and "-1" not in line:
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
    # Nodes of the model, whether or not a pass takes them into others.
    suite.convert("interface_node", "--input_fp16_nodes=conv_1", fails="E10017")
    suite.convert("interface_fused", "--input_fp16_nodes=relu_1", fails="E10017")
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
    # What worked stays, although the run fails; MatMul is the name of AscendIR for what runs as MatMulV2.
    product = {"op": "MatMul", "name": "product", "input_desc": [tensor([3, 2], name="x"), tensor([3, 4], name="w")],
               "output_desc": [tensor([2, 4])], "attr": [{"name": "transpose_x1", "type": "bool", "value": True}]}  # fmt: skip
    (folder / "mixed.json").write_text(json.dumps([{"op": "Ad", "name": "absent"}, product]))
    result = singleop("mixed.json")
    suite.check("singleop of which one fails", result.status == 255 and "(E10501)" in result.text, result.text)
    x, w = image((3, 2)), image((3, 4))
    found = suite.run(folder / "ops" / "product.om", x=x, w=w)
    suite.check("MatMul", found and numpy.allclose(found[0], x.T @ w, rtol=1e-5, atol=1e-5))
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


conversions.main((check_command_lines, check_passes, check_precision, check_interface, check_files, check_singleop,
                  check_precheck), "every flag has its effect")  # fmt: skip
