"""Opens om files and ge_onnx dumps with the viewer's own reader and compares what it shows with an independent reading.

The same reading is compared with what `atc --mode=1` writes as JSON.

usage: netron_test.py BUILD

Converts two small models, one of them with an If, and the corpus's OCR recogniser when it is there, then compares graphs, nodes,
edges, shapes, attributes and the bytes of initializers. The viewer comes from its wheel (pip, pinned, checksummed,
kept in BUILD/netron) and runs under node. Exits with 77 and says why where pip or node is missing.
"""

import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import om_wire  # noqa: E402
import onnx_wire  # noqa: E402
from programs import written_om  # noqa: E402

HERE = Path(__file__).resolve().parent
NETRON = "netron==9.2.1"
WHEEL_SHA256 = "f92ba01caaa1720199dcc3814d34adcd67245d18327161c03f70f449f7337347"

# The viewer's names of ge.proto.DataType 0..31.
DTYPES = """? float32 float16 int8 uint8 int16 uint16 int32 int64 uint32 uint64 boolean float64 string dual_sub_int8
            dual_sub_uint8 complex<float32> complex<float64> qint8 qint16 qint32 quint8 quint16 resource stringref dual
            variant bfloat16 int4 uint1 int2 uint2""".split()
HIDDEN_ATTRIBUTES = ("device", "original_op_names")  # the viewer shows these elsewhere or not at all


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def find_pip():
    for command in ([sys.executable, "-m", "pip"], ["python3", "-m", "pip"], ["pip3"], ["pip"]):
        if shutil.which(command[0]) and subprocess.run([*command, "--version"], capture_output=True).returncode == 0:
            return command
    return None


def fetch_viewer(build):
    """The folder with the viewer's sources."""
    folder = build / "netron"
    if (folder / "netron" / "om.js").is_file():
        return folder / "netron"
    pip = find_pip()
    if pip is None:
        skip("needs pip to fetch the viewer")
    with tempfile.TemporaryDirectory(dir=build) as scratch:
        done = subprocess.run([*pip, "download", "--quiet", "--no-deps", "--dest", scratch, NETRON],
                              capture_output=True, text=True)  # fmt: skip
        if done.returncode != 0:
            skip(f"pip cannot fetch {NETRON}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
        wheel = next(Path(scratch).glob("*.whl"))
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SHA256:
            sys.exit(f"{wheel.name} does not have the expected SHA-256")
        unpacked = Path(scratch) / "unpacked"
        zipfile.ZipFile(wheel).extractall(unpacked)
        (unpacked / "package.json").write_text('{"type": "module"}\n')
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.rename(folder)
    return folder / "netron"


# ---- what the viewer should show, from the independent reading ---------------------------------------------------


def type_text(desc):
    """As the viewer writes a tensor type; None without a shape."""
    if "shape" not in desc:
        return None
    dims = desc["shape"]["dim"]
    return DTYPES[desc.get("dtype", 0)] + (f"[{','.join(str(d) if d else '?' for d in dims)}]" if dims else "")


def byte_text(raw):
    return raw.decode() if all(32 <= c <= 128 for c in raw) else {"hex": raw.hex()}


def attribute(attr):
    """(type, value) as the viewer shows them; value {} for what it shows in a panel of its own."""
    shown = "list s i f b bt func t g dt list_list_int".split()
    kind = next((k for k in attr if k in shown), None)
    if kind is None:
        return None, None
    value = attr[kind]
    if kind == "list":
        for name, shown in (("s", "string[]"), ("b", "boolean[]"), ("i", "int64[]"), ("f", "float32[]")):
            if value[name]:
                if name == "s":
                    return shown, ", ".join(item.decode("latin-1") for item in value[name])
                return shown, [str(v) if name == "i" else v for v in value[name]]
        return None, []
    if kind == "list_list_int":
        return None, [[str(v) for v in row["list_i"]] for row in value["list_list_i"]]
    simple = {"b": "boolean", "f": "float32", "s": "string"}
    if kind == "s":
        return "string", byte_text(value)
    if kind in simple:
        return simple[kind], value
    if kind == "i":
        return "int64", str(value)
    if kind == "dt":
        return "DataType", DTYPES[value] if value else "undefined"
    return {"t": "tensor", "g": "graph", "func": None, "bt": "tensor"}[kind], {}


def expected_graph(graph, weights):
    initializers, constants, nodes = {}, {}, []
    for op in graph["op"]:
        if op["type"] == "Const" and "value" in op["attr"]:
            tensor = op["attr"]["value"]["t"]
            desc = tensor["desc"]
            offset, size = desc.get("data_offset", 0), desc.get("weight_size", 0)
            data = tensor.get("data") or weights[offset : offset + size]
            constants[op["name"] + ":0"] = {
                "type": type_text(desc),
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
    for op in graph["op"]:
        if op["type"] == "Const" and "value" in op["attr"]:
            continue
        inputs = [i for i in op["input"] if i and not i.endswith(":-1")]
        initializers.update({i: constants[i] for i in inputs if i in constants})
        hidden = (*HIDDEN_ATTRIBUTES, *(n for n, a in op["attr"].items() if n == "relu_flag" and a.get("b")))
        shown = {n: a for n, a in op["attr"].items() if n not in hidden}
        nodes.append({
            "name": op["name"],
            "type": op["type"],
            "inputs": inputs,
            "outputs": [[f"{op['name']}:{k}", type_text(d)] for k, d in enumerate(op["output_desc"])],
            "control": sum(i.endswith(":-1") for i in op["input"]),
            "attributes": {n: dict(zip(("type", "value"), attribute(a))) for n, a in shown.items()},
        })  # fmt: skip
    return {"name": graph["name"], "nodes": nodes, "initializers": initializers}


# ---- the comparison ----------------------------------------------------------------------------------------------


def differences(place, shown, expected):
    """Lines that name what differs."""
    if isinstance(shown, dict) and isinstance(expected, dict):
        for key in sorted(shown.keys() | expected.keys()):
            if key not in shown or key not in expected:
                yield f"{place}.{key}: only {'in the file' if key in expected else 'in the viewer'}"
            else:
                yield from differences(f"{place}.{key}", shown[key], expected[key])
    elif isinstance(shown, list) and isinstance(expected, list):
        if len(shown) != len(expected):
            yield f"{place}: the viewer shows {len(shown)}, the file holds {len(expected)}"
        for k, (a, b) in enumerate(zip(shown, expected)):
            yield from differences(f"{place}[{k}]", a, b)
    elif isinstance(shown, float) or isinstance(expected, float):
        if struct.pack("<f", shown) != struct.pack("<f", expected):
            yield f"{place}: the viewer shows {shown}, the file holds {expected}"
    elif shown != expected:
        yield f"{place}: the viewer shows {shown!r}, the file holds {expected!r}"


def check(build, viewer, om, weights_wanted):
    """Differences between the viewer's, ours, and atc's reading; initializers must hold the given tensors."""
    done = subprocess.run(["node", HERE / "dump_om.mjs", viewer, om], capture_output=True, text=True)
    if done.returncode != 0:
        return [f"{om.name}: the viewer cannot open it: {done.stderr.strip()}"]
    shown = json.loads(done.stdout)
    model, weights = om_wire.read(om)
    expected = [expected_graph(graph, weights) for graph in model["graph"]]
    found = list(differences(om.name, shown["graphs"], expected))
    hashes = {i["sha256"] for graph in shown["graphs"] for i in graph["initializers"].values()}
    for name, raw in weights_wanted.items():
        if hashlib.sha256(raw).hexdigest() not in hashes:
            found.append(f"{om.name}: no initializer holds the bytes of {name}")
    nodes = sum(len(g["nodes"]) for g in shown["graphs"])
    initializers = sum(len(g["initializers"]) for g in shown["graphs"])
    if nodes == 0 or initializers == 0:
        found.append(f"{om.name}: the viewer shows {nodes} nodes and {initializers} initializers")
    found += json_differences(build, om)
    print(f"{om.name}: {len(shown['graphs'])} graphs, {nodes} nodes, {initializers} initializers")
    return found


def json_differences(build, om):
    """Differences between `atc --mode=1` and our reading: names, types, edges and shapes of every operator."""
    file = om.with_suffix(".json")
    command = [build / "bin/atc", "--mode=1", f"--om={om}", f"--json={file}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    fields = ("name", "type", "input")
    written = [
        {"name": graph["name"], "op": [
            {**{f: op.get(f, [] if f == "input" else "") for f in fields},
             "shapes": [d.get("shape", {}).get("dim", []) for d in op.get("output_desc", [])]}
            for op in graph.get("op", [])]}
        for graph in json.loads(file.read_text())["graph"]
    ]  # fmt: skip
    held = [
        {"name": graph["name"], "op": [
            {**{f: op.get(f, "") for f in fields},
             "shapes": [d.get("shape", {"dim": []})["dim"] for d in op["output_desc"]]}
            for op in graph["op"]]}
        for graph in om_wire.read(om)[0]["graph"]
    ]  # fmt: skip
    return [line.replace("the viewer shows", "the JSON holds") for line in differences(file.name, written, held)]


# ---- dumps of stages ---------------------------------------------------------------------------------------------


def read_text(lines):
    """A message in text form as a list of (field, value); messages are lists themselves, texts without their quotes."""
    fields = []
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            fields.append((line[:-2], read_text(lines)))
        else:
            name, value = line.split(": ", 1)
            fields.append((name, value[1:-1] if value.startswith('"') else value))
    return fields


def all_of(message, field):
    return [value for name, value in message if name == field]


def text_node(node):
    attributes = {}
    for attr in all_of(node, "attribute"):
        (name,), (kind,) = all_of(attr, "name"), all_of(attr, "type")
        key = {"INT": "i", "FLOAT": "f", "STRING": "s", "INTS": "ints", "FLOATS": "floats", "STRINGS": "strings"}.get(kind)
        values = all_of(attr, key) if key else None
        attributes[name] = values if kind.endswith("S") else values[0] if values else {}
    (name,), (kind,) = all_of(node, "name"), all_of(node, "op_type")
    return {"name": name, "type": kind, "inputs": all_of(node, "input"), "attributes": attributes}


def check_dumps(build, viewer, model, folder, stages, *flags):
    """Differences between the viewer's reading and the text of each dump, and what no dump shows though it should."""
    environment = {"DUMP_GE_GRAPH": "2", "DUMP_GRAPH_LEVEL": stages, "DUMP_GRAPH_PATH": str(folder / f"{model.stem}_dumps")}
    subprocess.run([build / "bin/atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3",
                    f"--output={folder / 'dumped'}", *flags], check=True, env={**os.environ, **environment})  # fmt: skip
    found, controls, streams, shapes = [], 0, set(), 0
    dumps = sorted((folder / f"{model.stem}_dumps").glob("*/ge_onnx_*.pbtxt"))
    for dump in dumps:
        done = subprocess.run(["node", HERE / "dump_pbtxt.mjs", viewer, dump], capture_output=True, text=True)
        if done.returncode != 0:
            found.append(f"{dump.name}: the viewer cannot open it: {done.stderr.strip()}")
            continue
        shown = json.loads(done.stdout)["graphs"][0]
        (graph,) = all_of(read_text(iter(dump.read_text().splitlines())), "graph")
        # A fused graph and the node that it stands for have one name.
        held = {(node["name"], node["type"]): node for node in map(text_node, all_of(graph, "node"))}
        if {(node["name"], node["type"]) for node in shown["nodes"]} != held.keys():
            found.append(f"{dump.name}: the viewer shows other nodes than the file holds")
        for node in shown["nodes"]:
            expected = held.get((node["name"], node["type"]), {})
            # Inputs that are not connected have no name; the viewer leaves them out.
            wanted = {**expected, "inputs": [i for i in expected.get("inputs", []) if i]}
            # Numbers with a fraction are compared as numbers.
            for name, value in wanted.get("attributes", {}).items():
                if isinstance(node["attributes"].get(name), float):
                    wanted["attributes"][name] = float(value)
            del node["outputs"]
            found += differences(f"{dump.name}.{node['name']}", node, wanted)
            controls += sum(i.endswith(":-1") for i in node["inputs"])
            streams.add(node["attributes"].get("stream_id"))
            shapes += sum("desc_shape:" in name and len(value) > 0 for name, value in node["attributes"].items())
    print(f"{model.name}: {len(dumps)} dumps, {shapes} shapes, streams {sorted(streams - {None})}, {controls} control edges")
    if not dumps or not shapes:
        found.append(f"{model.name}: no dumps, or none with shapes")
    return found, controls, streams


def convert(build, model, om, *flags):
    subprocess.run([build / "bin/atc", f"--model={model}", "--framework=5", "--soc_version=Ascend910B3",
                    f"--output={om.with_suffix('')}", *flags], check=True)  # fmt: skip
    return written_om(om)


def branches_model(folder):
    """Two chains of products that meet: enough to do for two streams."""
    nodes, weights = [], b""
    for branch in "ab":
        last = "x"
        for k in range(3):
            name = f"{branch}{k}"
            weights += onnx_wire.field(5, onnx_wire.tensor("w" + name, onnx_wire.FLOAT, [512, 512], onnx_wire.floats(4096, k) * 64))
            nodes.append(onnx_wire.node("MatMul", [last, "w" + name], [name], name="matmul_" + name))
            last = name
    nodes.append(onnx_wire.node("Add", ["a2", "b2"], ["y"], name="sum"))
    graph = b"".join(onnx_wire.field(1, n) for n in nodes) + onnx_wire.field(2, "branches") + weights
    graph += onnx_wire.field(11, onnx_wire.value_info("x", onnx_wire.FLOAT, [512, 512]))
    graph += onnx_wire.field(12, onnx_wire.value_info("y", onnx_wire.FLOAT, [512, 512]))
    opset = onnx_wire.field(8, onnx_wire.field(1, "") + onnx_wire.field(2, 13))
    (folder / "branches.onnx").write_bytes(onnx_wire.field(1, 8) + onnx_wire.field(7, graph) + opset)
    return folder / "branches.onnx"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    if shutil.which("node") is None:
        skip("needs node to run the viewer's reader")
    viewer = fetch_viewer(build)
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        small = folder / "small.onnx"
        tensors = onnx_wire.write_small_model(small)
        om = convert(build, small, folder / "small_origin.om", "--precision_mode_v2=origin")
        found += check(build, viewer, om, tensors)
        found += check(build, viewer, convert(build, small, folder / "small_fp16.om"), {})
        choice = folder / "choice.onnx"
        tensors = onnx_wire.write_choice_model(choice)
        om = convert(build, choice, folder / "choice.om", "--precision_mode_v2=origin")
        found += check(build, viewer, om, tensors)
        names = [graph["name"] for graph in om_wire.read(om)[0]["graph"]]
        if names != ["choice", "If_node_0_then_branch", "If_node_1_else_branch"]:
            found.append(f"{om.name}: holds the graphs {names}")
        dumped, controls, streams = check_dumps(build, viewer, small, folder, "1")
        found += dumped
        dumped, controls, streams = check_dumps(build, viewer, branches_model(folder), folder, "AfterInfershape|Build",
                                                "--multi_stream_parallel_mode=LoadBalance:2")  # fmt: skip
        found += dumped
        if controls == 0 or not {"0", "1"} <= streams:
            found.append(f"no control edges ({controls}) or streams ({streams}) in the dumps of two branches")
        found += check_dumps(build, viewer, choice, folder, "Build")[0]
        cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        recogniser = cache / "openatc-corpus" / "ppocr_rec.onnx"
        if recogniser.is_file():
            om = convert(build, recogniser, folder / "rec.om", "--input_shape=x:1,3,48,320")
            found += check(build, viewer, om, {})
    print("\n".join(found[:50]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
