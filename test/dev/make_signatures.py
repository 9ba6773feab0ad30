"""Writes parsers/onnx/signatures.txt from the schemas of an installed onnx package, the newer the better.

usage: make_signatures.py > parsers/onnx/signatures.txt

The test "signatures are those of the ONNX library" compares the result with another source: the schemas that come with
the C++ library.
"""

from collections import Counter

from onnx import defs

NEWEST_OPSET = 28  # of ai.onnx; what a newer package adds waits until it is read by the converters
KINDS = {
    "INT": "int", "INTS": "ints", "FLOAT": "float", "FLOATS": "floats", "STRING": "string", "STRINGS": "strings",
    "TENSOR": "tensor", "GRAPH": "graph", "SPARSE_TENSOR": "sparse", "TYPE_PROTO": "type",
}  # fmt: skip
HEADER = """# Signatures of the ONNX operators: one line a version of an operator, made by test/dev/make_signatures.py.
#   domain operator version | inputs | outputs | attributes | type variables
# A port is name:type; "?" after its name: may be absent; "*N": stands for all further ones, at least N; "*N!": these
# may differ in type. An attribute is name=kind, "!" for a required one. A type is one of ONNX's, without "tensor()",
# or #N, a set named at the top.
"""


def plain(text):
    """tensor(float) -> float, seq(tensor(float)) -> seq:float, optional(seq(tensor(float))) -> opt:seq:float."""
    prefix = ""
    for long, mark in (("optional(", "opt:"), ("seq(", "seq:"), ("tensor(", "")):
        if text.startswith(long):
            prefix += mark
            text = text[len(long) : -1]
    return prefix + text.replace(" ", "")


def types_of(strings):
    return tuple(sorted(plain(s) for s in strings))


def main():
    schemas = [s for s in defs.get_all_schemas_with_history() if not s.deprecated]
    schemas = [s for s in schemas if s.domain or s.since_version <= NEWEST_OPSET]
    schemas.sort(key=lambda s: (s.domain or "ai.onnx", s.name, s.since_version))
    sets = Counter(types_of(t.allowed_type_strs) for s in schemas for t in s.type_constraints)
    named = sorted(t for t, uses in sets.items() if len(t) > 1)
    number = {t: i for i, t in enumerate(named)}

    def type_text(types):
        return f"#{number[types]}" if types in number else ",".join(types)

    def port(p, variables):
        option = str(p.option).split(".")[-1]
        mark = {"Single": "", "Optional": "?"}.get(option)
        if mark is None:
            mark = f"*{p.min_arity}" + ("" if p.is_homogeneous else "!")
        kind = p.type_str if p.type_str in variables else type_text(types_of(p.types))
        return f"{p.name or 'x'}{mark}:{kind}"

    print(HEADER, end="")
    for types in named:
        print(f"#{number[types]} {' '.join(types)}")
    for s in schemas:
        variables = {t.type_param_str: types_of(t.allowed_type_strs) for t in s.type_constraints}
        inputs = " ".join(port(p, variables) for p in s.inputs)
        outputs = " ".join(port(p, variables) for p in s.outputs)
        attributes = " ".join(
            f"{a.name}={KINDS[str(a.type).split('.')[-1]]}{'!' if a.required else ''}"
            for _, a in sorted(s.attributes.items()))
        bound = " ".join(f"{name}={type_text(types)}" for name, types in sorted(variables.items()))
        parts = [f"{s.domain or 'ai.onnx'} {s.name} {s.since_version}", inputs, outputs, attributes, bound]
        print(" | ".join(parts).replace("  ", " ").rstrip())


main()
