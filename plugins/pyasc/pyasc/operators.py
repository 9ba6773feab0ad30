"""The methods of a context, one for each AscendIR operator, made of the operator definitions."""

import functools
import keyword
import re
from pathlib import Path

import numpy as np

from . import _core
from .arrays import as_numpy, bytes_of
from .dtypes import name_of, number_of
from .errors import DependencyError, DestroyedError, Error, LayoutError

_HIDDEN = {"Const", "Data", "NetOutput", "Send", "Recv", "NoOp", "TransData", "FusedAttention", "FusedElementwise",
           "FusedSoftmax", "If", "onnx::Loop", "onnx::Scan", "onnx::SequenceMap"}  # fmt: skip


# The words of the operator table, which tells the kinds of required attributes.
_KINDS = {"Int": "int", "Float": "float", "Bool": "bool", "String": "str", "Type": "dtype", "Tensor": "tensor",
          "ListInt": "list of int", "ListFloat": "list of float", "ListBool": "list of bool",
          "ListString": "list of str", "ListListInt": "list of lists of int"}  # fmt: skip


def _table():
    """{(type, attribute): kind} of required attributes."""
    kinds = {}
    for line in Path(__file__).with_name("ascendir.tsv").read_text().splitlines():
        fields = line.split("\t")
        for attribute in fields[4].split(" ; ") if len(fields) > 4 else ():
            name, required, rest = attribute.partition("!=")
            if required and rest.split(" ")[0] in _KINDS:
                kinds[fields[0], name] = _KINDS[rest.split(" ")[0]]
    return kinds


@functools.lru_cache(None)
def definitions():
    """The operator definitions, with the kinds of required attributes where the table has them."""
    kinds = _table()
    known = _core.definitions()
    for d in known:
        d["attributes"] = [(name, required, kind or kinds.get((d["type"], name)), default)
                           for name, required, kind, default in d["attributes"]]  # fmt: skip
    return known


def naming(method):
    """What goes wrong with the arguments of an operator method names the method, and the node where it has a name."""

    @functools.wraps(method)
    def checked(self, *arguments, **keywords):
        self._check_alive()
        try:
            return method(self, *arguments, **keywords)
        except (Error, LayoutError, DestroyedError, DependencyError):
            raise
        except Exception as fault:
            what, name = str(fault), keywords.get("name")
            label = f"{checked.__name__}()" + (f" '{name}'" if name is not None else "")
            if what.startswith(label):
                raise
            kind = type(fault) if type(fault) in (ValueError, IndexError, KeyError) else TypeError
            raise kind(f"{label}: {fault.args[0] if kind is KeyError and fault.args else what}") from fault

    return checked


# Types whose name a method of another type has: Context.layer_norm makes the newer LayerNormV3.
_RENAMED = {"LayerNorm": "layer_norm_v1"}


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


def _shown(kind, default):
    """A default as a user writes it."""
    if kind == "dtype":
        return repr(name_of(default))
    if kind == "tensor":
        return "none" if not default[2] else f"a tensor of {name_of(default[0])} {list(default[1])}"
    return f"{default:.6g}" if kind == "float" else repr(default)


_TRAITS = {
    "elementwise": "Each element of the result depends on the elements at its place alone; operands broadcast.",
    "shape only": "Moves no data: the result is the first input under another shape.",
    "stateful": "Never folded or merged with another of its kind: each run may give something else.",
    "host shape": "Reads only the shapes of its inputs.",
}


def _documentation(definition):
    lines = [f"AscendIR operator {definition['type']}.", ""]
    notes = [_TRAITS[t] for t in definition["traits"] if t in _TRAITS]
    lines += ["Parameters", "----------"]
    for name, kind, keeps in definition["inputs"]:
        what = {"required": "tensor", "optional": "tensor, optional", "dynamic": "list of tensors"}[kind]
        lines.append(f"{_identifier(name)} : {what}")
        if keeps:
            lines.append("    A parameter: keeps its type whatever precision is chosen.")
    for name, required, kind, default in definition["attributes"]:
        described = f"{kind or 'value'}, required" if required else f"{kind}, default {_shown(kind, default)}"
        lines.append(f"{_identifier(name)} : {described}")
        if kind == "dtype":
            lines.append('    A name ("float16"), a NumPy type or a number.')
    lines += ["name : str, optional", "    Name of the node."]
    kinds = [kind for _, kind, _ in definition["outputs"]]
    if "optional" in kinds or "dynamic" in kinds:
        optional = "needed: its inputs do not tell" if "dynamic" in kinds else "those that it always has unless given"
        lines += [f"num_outputs : int{'' if 'dynamic' in kinds else ', optional'}", f"    How many results; {optional}."]
    lines += ["", "Returns", "-------"]
    for name, kind, _ in definition["outputs"]:
        what = {"required": "", "optional": ", where num_outputs asks for it", "dynamic": "s, as a tuple"}[kind]
        lines.append(f"{name} : SymbolicTensor{what}")
    if notes:
        lines += ["", "Notes", "-----", *notes]
    return "\n".join(lines)


def _identifier(name):
    """Python's keywords cannot name parameters ('else' of SelectV2)."""
    return name + "_" if keyword.iskeyword(name) else name


def _attribute(kind, value):
    """A value as the core takes it: data types by number, arrays as lists or, where a tensor is wanted, as its parts."""
    if kind == "dtype":
        return number_of(value)
    if kind == "tensor" or (kind is None and isinstance(value, np.ndarray)):
        array = as_numpy(value)
        return number_of(array.dtype), list(array.shape), bytes(bytes_of(array))
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _make_method(definition, name):
    type_ = definition["type"]
    ports = [(_identifier(n), kind) for n, kind, _ in definition["inputs"]]
    attributes = {_identifier(n): n for n, *_ in definition["attributes"]}
    kinds = {n: kind for n, _, kind, _ in definition["attributes"]}
    required = sum(kind == "required" for _, kind, _ in definition["outputs"])
    dynamic = any(kind == "dynamic" for _, kind, _ in definition["outputs"])

    @naming
    def method(self, *inputs, name=None, num_outputs=None, **keywords):
        inputs = list(inputs)
        if len(inputs) > len(ports):
            raise TypeError(f"{type_} takes {len(ports)} tensors ({', '.join(n for n, _ in ports)}); "
                            f"{len(inputs)} were given")  # fmt: skip
        for place, (port, kind) in enumerate(ports):
            if port in keywords:
                if place < len(inputs):
                    raise TypeError(f"{type_}: '{port}' is given twice")
                inputs += [None] * (place - len(inputs)) + [keywords.pop(port)]
        values = []
        for value, (port, kind) in zip(inputs, ports):
            if kind == "dynamic" and not isinstance(value, (tuple, list)):
                raise TypeError(f"{type_}: '{port}' is a list of tensors")
            values += list(value) if kind == "dynamic" else [value]
        chosen = {}
        for key, value in keywords.items():
            if key not in attributes:
                raise TypeError(f"{type_} has no parameter '{key}'; it has: "
                                f"{', '.join([n for n, _ in ports] + list(attributes))}")  # fmt: skip
            kind = "dtype" if key == "dst_type" and not isinstance(value, int) else kinds[attributes[key]]
            chosen[attributes[key]] = _attribute(kind, value)
        if dynamic and num_outputs is None:
            raise TypeError(f"{type_} needs num_outputs: how many tensors it gives is not in its inputs")
        if num_outputs is not None and (not isinstance(num_outputs, int) or not 1 <= num_outputs < 2**31):
            raise ValueError(f"{type_}: num_outputs is a whole number from 1 on, not {num_outputs!r}")
        return self._add(type_, values, chosen, name=name, num_outputs=num_outputs or max(required, 1))

    method.__name__ = name
    method.__qualname__ = f"Context.{name}"
    method.__doc__ = _documentation(definition)
    method.__text_signature__ = None
    method.ascendir_type = type_
    return method


def install(cls):
    """Gives `cls` a method for every operator that it has no method of its own for; returns {method name: type}."""
    shown = [d for d in definitions() if d["type"] not in _HIDDEN]
    taken = set(dir(cls))
    made = {}

    def add(name, definition):
        if name in taken or not name.isidentifier():
            return
        taken.add(name)
        made[name] = definition["type"]
        setattr(cls, name, _make_method(definition, name))

    for definition in shown:
        add(_RENAMED.get(definition["type"]) or method_name(definition["type"]), definition)
    # Newer versions first, AscendIR's own operators before those that keep ONNX's meaning.
    for definition in sorted(shown, key=lambda d: ("::" in d["type"], d["type"]), reverse=False):
        for name in _shorter(definition["type"]):
            add(name, definition)
    return made
