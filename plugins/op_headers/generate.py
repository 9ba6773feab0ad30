"""Writes the headers of operators that sources of passes include, from the table of operators.

usage: generate.py TABLE FOLDER

FOLDER/op_proto/all_ops.h    a class ge::op::<type> each, as REG_OP makes it
FOLDER/es/es_<type>.h        a function ge::es::<type> each
FOLDER/es/es_<package>_ops.h, es_all_ops.h    all of a package, all
"""

import sys
from dataclasses import dataclass
from pathlib import Path

# How a function takes an attribute.
PARAMETERS = {
    "Bool": "bool",
    "Float": "float",
    "Int": "int64_t",
    "ListBool": "const std::vector<uint8_t>&",
    "ListFloat": "const std::vector<float>&",
    "ListInt": "const std::vector<int64_t>&",
    "ListListInt": "const std::vector<std::vector<int64_t>>&",
    "ListString": "const std::vector<const char*>&",
    "ListType": "const std::vector<ge::DataType>&",
    "String": "const char*",
    "Tensor": "std::unique_ptr<ge::Tensor>",
    "Type": "ge::DataType",
}
# Graph builders make these themselves.
WITHOUT_FUNCTION = {"Data", "NetOutput", "RefData", "Variable"}
KEYWORDS = set("auto bool break case char class const default do double else enum float for goto if inline int long "
               "namespace new operator private public register return short signed static struct switch template this "
               "throw try typedef union unsigned using void while".split())  # fmt: skip


@dataclass
class Port:
    name: str
    kind: str  # "", "?" optional, "*" dynamic


@dataclass
class Attr:
    name: str
    type: str
    default: str | None  # None: required


@dataclass
class Op:
    type: str
    package: str
    inputs: list
    outputs: list
    attrs: list
    graphs: list  # (name, whether there may be several)


def ports(text):
    return [Port(p.rstrip("?*"), p[-1] if p[-1] in "?*" else "") for p in text.split()]


def read(table):
    """The operators of the table, in its order."""
    ops = []
    for line in table.read_text().splitlines():
        if line.startswith("#"):
            continue
        op_type, package, inputs, outputs, rest = (line.split("\t") + [""] * 4)[:5]
        op = Op(op_type, package, ports(inputs), ports(outputs), [], [])
        for item in filter(None, rest.split(" ; ")):
            if item.endswith("(graph)") or item.endswith("(graphs)"):
                name, _, kind = item.partition("(")
                op.graphs.append((name, kind == "graphs)"))
                continue
            name, _, declared = item.partition("=")
            attr_type, _, default = declared.partition(" ")
            op.attrs.append(Attr(name.rstrip("!"), attr_type, None if name.endswith("!") else default))
        ops.append(op)
    return ops


def declaration(op):
    """The REG_OP chain of an operator."""
    parts = []
    for port in op.inputs:
        macro = {"": "INPUT", "?": "OPTIONAL_INPUT", "*": "DYNAMIC_INPUT"}[port.kind]
        parts.append(f".{macro}({port.name}, TensorType::ALL())")
    for port in op.outputs:
        parts.append(f".{'DYNAMIC_OUTPUT' if port.kind == '*' else 'OUTPUT'}({port.name}, TensorType::ALL())")
    for attr in op.attrs:
        if attr.default is None:
            parts.append(f".REQUIRED_ATTR({attr.name}, {attr.type})")
        else:
            parts.append(f".ATTR({attr.name}, {attr.type}, {attr.default})")
    for name, several in op.graphs:
        parts.append(f".{'DYNAMIC_GRAPH' if several else 'GRAPH'}({name})")
    return f"REG_OP({op.type})\n    " + "\n    ".join(parts + [".OP_END()"]) + "\n"


def named(name, prefix, taken=()):
    if name in taken:
        return f"{prefix}_{name}" if prefix != "out" else f"ref_{name}"
    return f"{prefix}_{name}" if name in KEYWORDS else name


def parameters(op):
    """Parameters of the function, without defaults before one that has none."""
    inputs = {p.name for p in op.inputs}
    found = []  # (declaration, default or None)
    if not op.inputs:
        found.append(("const EsGraphBuilder& owner_builder", None))
    for port in op.inputs:
        name = named(port.name, "in")
        if port.kind == "*":
            found.append((f"const std::vector<EsTensorHolder>& {name}", None))
        else:
            found.append((f"const EsTensorLike& {name}", "nullptr" if port.kind == "?" else None))
    if op.inputs and all(p.kind == "?" for p in op.inputs):
        found.append(("const EsGraphBuilder* owner_builder", "nullptr"))
    for port in op.outputs:
        if port.kind == "*":
            found.append((f"int64_t {named(port.name, 'out', inputs)}_num", None))
    for name, several in op.graphs:
        graph = "std::vector<std::unique_ptr<ge::Graph>>" if several else "std::unique_ptr<ge::Graph>"
        found.append((f"{graph} {named(name, 'subgraph')}", None))
    for attr in sorted(op.attrs, key=lambda a: a.default is not None):
        default = "nullptr" if attr.type == "Tensor" and attr.default is not None else attr.default
        found.append((f"{PARAMETERS[attr.type]} {named(attr.name, 'attr', inputs)}", default))
    last = max((i for i, (_, default) in enumerate(found) if default is None), default=-1)
    return ", ".join(d if i <= last or default is None else f"{d} = {default}" for i, (d, default) in enumerate(found))


def body(op):
    """The call that the function makes."""
    inputs = {p.name for p in op.inputs}
    owners = [named(p.name, "in") for p in op.inputs]
    if not op.inputs:
        owners = ["&owner_builder"]
    elif all(p.kind == "?" for p in op.inputs):
        owners.append("owner_builder")
    lines = [f'  OpCall call("{op.type}", ResolveBuilder({", ".join(owners)}));']
    for port in op.inputs:
        name = named(port.name, "in")
        call = "DynamicInput" if port.kind == "*" else "Input"
        lines.append(f'  call.{call}("{port.name}", {name}{", true" if port.kind == "?" else ""});')
    for port in op.outputs:
        if port.kind == "*":
            lines.append(f'  call.DynamicOutput("{port.name}", {named(port.name, "out", inputs)}_num);')
        else:
            lines.append(f'  call.Output("{port.name}");')
    for attr in op.attrs:
        value = named(attr.name, "attr", inputs)
        if attr.type == "String":
            value = f"AscendString({value})"
        elif attr.type == "ListBool":
            value = f"std::vector<bool>({value}.begin(), {value}.end())"
        elif attr.type == "Tensor":
            value = f"std::move({value})"
        lines.append(f'  call.Attr("{attr.name}", {value});')
    for name, several in op.graphs:
        lines.append(f'  call.Subgraph{"s" if several else ""}("{name}", std::move({named(name, "subgraph")}));')
    return lines


def results(op):
    """(declaration of a struct or "", result type, lines that return it)"""
    inputs = {p.name for p in op.inputs}
    first = []  # where each output begins, as an expression
    at, counted = 0, []
    for port in op.outputs:
        first.append(" + ".join([str(at)] + counted))
        if port.kind == "*":
            counted.append(f"static_cast<int32_t>({named(port.name, 'out', inputs)}_num)")
        else:
            at += 1
    values = [
        f"call.Outs({f}, {named(p.name, 'out', inputs)}_num)" if p.kind == "*" else f"call.Out({f})"
        for p, f in zip(op.outputs, first)
    ]
    if len(op.outputs) == 1:
        kind = "std::vector<EsTensorHolder>" if op.outputs[0].kind == "*" else "EsTensorHolder"
        return "", kind, [f"  return {values[0]};"]
    if not op.outputs:
        return "", "EsTensorHolder", ["  return call.Out(0);"]
    struct = f"struct {op.type}Output {{\n"
    for port in op.outputs:
        kind = "std::vector<EsTensorHolder>" if port.kind == "*" else "EsTensorHolder"
        struct += f"  {kind} {named(port.name, 'out', inputs)};\n"
    return struct + "};\n\n", f"{op.type}Output", ["  return {" + ", ".join(values) + "};"]


def function(op):
    struct, kind, returned = results(op)
    lines = [f"inline {kind} {op.type}({parameters(op)}) {{"] + body(op) + returned + ["}"]
    return struct + "\n".join(lines) + "\n"


def write(path, text):
    """Leaves a file that is right already as it is, so that nothing is built again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ops = read(Path(sys.argv[1]))
    proto, es = Path(sys.argv[2]) / "op_proto", Path(sys.argv[2]) / "es"
    for folder in (proto, es):
        folder.mkdir(parents=True, exist_ok=True)
    head = "// Generated from the table of operators.\n#pragma once\n\n"
    text = head + '#include "graph/operator_reg.h"\n\n' + "namespace ge {\n\n" + "\n".join(declaration(op) for op in ops)
    write(proto / "all_ops.h", text + "\n}  // namespace ge\n")
    packages = {}
    for op in ops:
        if op.type in WITHOUT_FUNCTION:
            continue
        text = head + '#include "ge/es_op_call.h"\n\nnamespace ge {\nnamespace es {\n\n' + function(op)
        write(es / f"es_{op.type}.h", text + "\n}  // namespace es\n}  // namespace ge\n")
        packages.setdefault(op.package, []).append(f'#include "es_{op.type}.h"\n')
    for package, includes in packages.items():
        write(es / f"es_{package}_ops.h", head + "".join(includes))
    write(es / "es_all_ops.h", head + "".join(f'#include "es_{p}_ops.h"\n' for p in sorted(packages)))


if __name__ == "__main__":
    main()
