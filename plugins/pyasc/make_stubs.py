"""Writes context.pyi, the type stubs of pyasc.Context: its own methods and those made of the operator definitions.

usage: make_stubs.py PACKAGE_PARENT OUTPUT
"""

import inspect
import keyword
import sys

KINDS = {"int": "int", "float": "float", "bool": "bool", "str": "str", "dtype": "Any", "list of int": "Sequence[int]",
         "list of float": "Sequence[float]", "list of bool": "Sequence[bool]", "list of str": "Sequence[str]",
         "list of lists of int": "Sequence[Sequence[int]]"}  # fmt: skip
RETURNS = {"execute": "Result", "execute_async": "RunFuture", "input": "SymbolicTensor", "constant": "SymbolicTensor",
           "output": "SymbolicTensor", "graph": "CompiledGraph", "stages": "list[Stage]", "dump": "str",
           "load_onnx": "dict[str, SymbolicTensor]", "load_tf": "dict[str, SymbolicTensor]",
           "compile": "dict[str, Any]", "destroy": "None", "split": "tuple[SymbolicTensor, ...]",
           "__enter__": "Context", "__exit__": "bool"}  # fmt: skip
NONE = {"add_dependency", "set_dump_flag", "save_optimized_graph", "synchronize", "__init__", "__del__"}
HEAD = '''from typing import Any, Sequence

from .config import CompileConfig
from .functional import Functions
from .graphs import CompiledGraph, Stage
from .results import Result
from .streams import RunFuture, Stream
from .tensor import SymbolicTensor

Tensor = SymbolicTensor | Any
OPERATORS: dict[str, str]

def stage_names() -> list[str]: ...

class Context(Functions):
    name: str
    device_id: int
    config: CompileConfig
    stream: Stream
'''


def own_methods(cls):
    """(name, signature, is property) of the methods that the sources define."""
    for name, member in inspect.getmembers(cls):
        if name.startswith("_") and name not in ("__init__", "__enter__", "__exit__"):
            continue
        if isinstance(member, property):
            yield name, None
        elif inspect.isfunction(member) and not hasattr(member, "ascendir_type"):
            yield name, inspect.signature(member)


def own(name, signature):
    if signature is None:
        return f"    @property\n    def {name}(self) -> Any: ..."
    parameters = []
    for parameter in signature.parameters.values():
        text = str(parameter.replace(annotation=inspect.Parameter.empty))
        parameters.append(text)
    returns = "None" if name in NONE else RETURNS.get(name, "SymbolicTensor")
    return f"    def {name}({', '.join(parameters)}) -> {returns}: ..."


def generated(name, definition):
    def safe(word):
        return word + "_" if keyword.iskeyword(word) else word

    parameters = ["self"]
    for port, kind, _ in definition["inputs"]:
        what = "Sequence[Tensor]" if kind == "dynamic" else "Tensor"
        parameters.append(f"{safe(port)}: {what}" + (" | None = None" if kind == "optional" else ""))
    optional_seen = False
    for k, parameter in enumerate(parameters):  # what follows an optional input must have a default too
        optional_seen |= "= None" in parameter
        if optional_seen and "= None" not in parameter:
            parameters[k] += " = None"
    attributes = [f"{safe(a)}: {KINDS.get(kind, 'Any')}" + ("" if required else " = ...")
                  for a, required, kind, _ in definition["attributes"]]  # fmt: skip
    rest = [*attributes, "name: str | None = ...", "num_outputs: int | None = ..."]
    single = len([1 for _, kind, _ in definition["outputs"] if kind == "required"]) == 1 and len(definition["outputs"]) == 1
    returns = "SymbolicTensor" if single else "Any"
    text = f"    def {name}({', '.join(parameters)}, *, {', '.join(rest)}) -> {returns}:"
    return f'{text}\n        """AscendIR {definition["type"]}."""'


def main():
    sys.path.insert(0, sys.argv[1])
    import pyasc

    definitions = {d["type"]: d for d in pyasc.operators.definitions()}
    lines = [HEAD.rstrip("\n")]
    lines += [own(name, signature) for name, signature in own_methods(pyasc.Context)]
    lines += [generated(name, definitions[type_]) for name, type_ in sorted(pyasc.OPERATORS.items())]
    with open(sys.argv[2], "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
