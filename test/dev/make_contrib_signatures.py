"""Adds the signatures of ONNX Runtime's own operators that are read to parsers/onnx/signatures.txt, or makes them anew.

usage: make_contrib_signatures.py parsers/onnx/signatures.txt

Run it after make_signatures.py. The schemas are those of an installed onnxruntime package (pip).
"""

import re
import sys
from pathlib import Path

from onnxruntime.capi import onnxruntime_pybind11_state as runtime

# By domain; "" is ai.onnx, where the runtime keeps one that is not the standard's.
OPERATORS = {
    "": ["SimplifiedLayerNormalization"],
    "com.microsoft": [
        "Attention", "BiasGelu", "DequantizeLinear", "DynamicQuantizeMatMul", "EmbedLayerNormalization", "FastGelu",
        "FusedConv", "FusedGemm", "FusedMatMul", "Gelu", "MatMulIntegerToFloat", "MultiHeadAttention", "QGemm", "QLinearAdd", "QLinearAveragePool",
        "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMul", "QLinearSigmoid", "QLinearSoftmax",
        "QLinearWhere", "QuantizeLinear", "QuickGelu", "RotaryEmbedding", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
        "TransposeMatMul",
    ],
}  # fmt: skip


def types_of(strings):
    return tuple(sorted(re.fullmatch(r"tensor\((.*)\)", text)[1] for text in strings))


def main():
    path = Path(sys.argv[1])
    ours = {f"{domain or 'ai.onnx'} {name}" for domain, names in OPERATORS.items() for name in names}
    lines = [line for line in path.read_text().splitlines() if " ".join(line.split(" ")[:2]) not in ours]
    sets = {tuple(line.split(" ")[1:]): line.split(" ")[0] for line in lines if re.match(r"#\d", line)}
    last = max(i for i, line in enumerate(lines) if re.match(r"#\d", line))

    def type_text(types):
        if len(types) == 1:
            return types[0]
        if types not in sets:
            sets[types] = f"#{len(sets)}"
            lines.insert(last + 1 + sum(line.startswith("#") for line in lines[last + 1 :]), f"{sets[types]} {' '.join(types)}")
        return sets[types]

    def port(p, variables):
        mark = {"Single": "", "Optional": "?"}.get(str(p.option).split(".")[-1])
        if mark is None:
            mark = "*1" + ("" if p.isHomogeneous else "!")
        kind = p.typeStr if p.typeStr in variables else type_text(types_of([p.typeStr]))
        return f"{p.name}{mark}:{kind}"

    for s in sorted(runtime.get_all_operator_schema(), key=lambda s: (s.domain, s.name, s.since_version)):
        if s.name not in OPERATORS.get(s.domain, []):
            continue
        variables = {t.type_param_str: types_of(t.allowed_type_strs) for t in s.type_constraints}
        attributes = " ".join(
            f"{name}={str(a.type).split('.')[-1].lower()}{'!' if a.required else ''}" for name, a in sorted(s.attributes.items())
        )
        bound = " ".join(f"{name}={type_text(types)}" for name, types in sorted(variables.items()))
        ports = [" ".join(port(p, variables) for p in side) for side in (s.inputs, s.outputs)]
        parts = [f"{s.domain or 'ai.onnx'} {s.name} {s.since_version}", *ports, attributes, bound]
        lines.append(" | ".join(parts).replace("  ", " ").rstrip())
    path.write_text("\n".join(lines) + "\n")


main()
