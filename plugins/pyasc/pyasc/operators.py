"""The methods of a context, one for each AscendIR operator, made of the operator definitions."""

import re

from . import _core
from .dtypes import number_of

_HIDDEN = {"Const", "Data", "NetOutput", "Send", "Recv", "NoOp", "TransData", "FusedElementwise", "If", "onnx::Loop",
           "onnx::Scan", "onnx::SequenceMap"}  # fmt: skip


def method_name(type_):
    """The Python name of an AscendIR type.

    >>> method_name("BatchMatMulV2"), method_name("Conv2D"), method_name("onnx::LSTM")
    ('batch_matmul_v2', 'conv2d', 'onnx_lstm')
    """
    prefix, _, name = type_.rpartition("::")
    name = name.replace("MatMul", "Matmul").replace("PRelu", "Prelu")
    name = re.sub(r"V(\d+)$", r"_v\1", name)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z]\d)(?=[A-Z][a-z])", "_", name)
    name = name.lower().replace("__", "_")
    return f"{prefix.lower()}_{name}" if prefix else name


def _shorter(type_):
    """Names without version or origin, for operators that have no other claim on them."""
    prefix, _, name = type_.rpartition("::")
    yield method_name(name)
    bare = re.sub(r"V\d+$", "", name)
    if bare != name:
        yield method_name(bare)


def _signature(definition):
    ports = [n + (" = None" if kind == "optional" else "...") if kind != "required" else n
             for n, kind in definition["inputs"]]  # fmt: skip
    return ", ".join(ports)


def _documentation(definition):
    lines = [f"AscendIR operator {definition['type']}.", "", "Parameters", "----------"]
    for name, kind in definition["inputs"]:
        what = {"required": "tensor", "optional": "tensor, optional", "dynamic": "list of tensors"}[kind]
        lines.append(f"{name} : {what}")
    for name, required, kind, default in definition["attributes"]:
        lines.append(f"{name} : " + ("required" if required else f"{kind}, default {default!r}"))
    lines += ["name : str, optional", "    Name of the node.", "", "Returns", "-------"]
    outputs = [n + (" (optional)" if kind == "optional" else "") for n, kind in definition["outputs"]]
    lines.append(", ".join(outputs) + " : SymbolicTensor")
    return "\n".join(lines)


def _identifier(name):
    """Python's keywords cannot name parameters ('else' of SelectV2)."""
    import keyword

    return name + "_" if keyword.iskeyword(name) else name


def _make_method(definition, name):
    type_ = definition["type"]
    ports = [(_identifier(n), kind) for n, kind in definition["inputs"]]
    attributes = {_identifier(n): n for n, *_ in definition["attributes"]}
    kinds = {n: kind for n, _, kind, _ in definition["attributes"]}
    required = sum(kind == "required" for _, kind in definition["outputs"])
    dynamic = any(kind == "dynamic" for _, kind in definition["outputs"])

    def method(self, *inputs, name=None, num_outputs=None, **keywords):
        inputs = list(inputs)
        if len(inputs) > len(ports):
            raise TypeError(f"{method.__name__}() takes {len(ports)} tensors ({', '.join(n for n, _ in ports)}); "
                            f"{len(inputs)} were given")  # fmt: skip
        for place, (port, kind) in enumerate(ports):
            if port in keywords:
                if place < len(inputs):
                    raise TypeError(f"{method.__name__}() got '{port}' twice")
                inputs += [None] * (place - len(inputs)) + [keywords.pop(port)]
        values = []
        for value, (port, kind) in zip(inputs, ports):
            values += list(value) if kind == "dynamic" else [value]
        chosen = {}
        for key, value in keywords.items():
            if key not in attributes:
                raise TypeError(f"{method.__name__}() has no parameter '{key}'; it has: "
                                f"{', '.join([n for n, _ in ports] + list(attributes))}")  # fmt: skip
            if kinds[attributes[key]] == "dtype" or (key == "dst_type" and not isinstance(value, int)):
                value = number_of(value)
            chosen[attributes[key]] = value
        if dynamic and num_outputs is None:
            raise TypeError(f"{method.__name__}() needs num_outputs: how many tensors it gives is not in its inputs")
        return self._add(type_, values, chosen, name=name, num_outputs=num_outputs or max(required, 1))

    method.__name__ = name
    method.__qualname__ = f"Context.{name}"
    method.__doc__ = _documentation(definition)
    method.__text_signature__ = None
    method.ascendir_type = type_
    return method


def install(cls):
    """Gives `cls` a method for every operator that it has no method of its own for; returns {method name: type}."""
    definitions = [d for d in _core.definitions() if d["type"] not in _HIDDEN]
    taken = set(dir(cls))
    made = {}

    def add(name, definition):
        if name in taken or not name.isidentifier():
            return
        taken.add(name)
        made[name] = definition["type"]
        setattr(cls, name, _make_method(definition, name))

    for definition in definitions:
        add(method_name(definition["type"]), definition)
    # Newer versions first, AscendIR's own operators before those that keep ONNX's meaning.
    for definition in sorted(definitions, key=lambda d: ("::" in d["type"], d["type"]), reverse=False):
        for name in _shorter(definition["type"]):
            add(name, definition)
    return made
