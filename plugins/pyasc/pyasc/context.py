"""Contexts: a graph, how it is compiled, and what it runs on."""

import functools
import itertools
import os
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np

from . import _core, dtypes, fusion, operators
from .arrays import as_numpy, bytes_of
from .config import CompileConfig
from .errors import DestroyedError
from .feeds import converted, copy_result, dims_of, named_array, writable
from .functional import Functions
from .graphs import CompiledGraph, Stage
from .programs import Program, warn_once
from .results import Result
from .streams import PendingTensor, RunFuture, Stream
from .tensor import SymbolicTensor

_MAX_PROGRAMS = 16  # compiled input shapes of one context
_CHANNELS_FIRST = {4: "NCHW", 5: "NCDHW"}

_numbers = itertools.count(1)
def _alive(method):
    """Faults of a method whose context another thread destroys meanwhile are DestroyedError, as before and after."""

    @functools.wraps(method)
    def checked(self, *arguments, **keywords):
        self._check_alive()
        try:
            return method(self, *arguments, **keywords)
        except Exception:
            self._check_alive()
            raise

    return checked


class Context(Functions):
    """Owns a graph, its compiled forms, and a stream of the device.

    Parameters
    ----------
    device_id : int
    config : CompileConfig, optional

    Notes
    -----
    Operators are methods: `ctx.relu(x)`. `execute` compiles at the first call, and again for other input shapes.
    End a context by `destroy`, or use it in a `with` block: a context that is only dropped frees its device memory when
    Python collects it.
    """

    def __init__(self, device_id=0, config=None):
        self._alive = False
        if config is not None and not isinstance(config, CompileConfig):
            raise TypeError(f"config must be a CompileConfig, not {type(config).__name__}")
        if isinstance(device_id, bool) or not isinstance(device_id, int) or not 0 <= device_id < 2**31:
            raise ValueError(f"device_id is the number of a device, from 0 on, not {device_id!r}")
        self.device_id = device_id
        self.config = config or CompileConfig()
        self.name = f"context {next(_numbers)}"
        self._builder = _core.GraphBuilder("pyasc")
        self._inputs = OrderedDict()  # name: (value, dtype number, declared dims)
        self._made = []  # values of nodes, in order
        self._used = set()
        self._outputs = OrderedDict()  # value: name; empty: the values that nothing uses
        self._scoped = []  # (node, scopes that were open)
        self._programs = OrderedDict()
        self._compile_lock = threading.RLock()
        self._compiling = False
        self._dump_path = ""
        self.stream = Stream(self.name)
        self._alive = True

    # ---- life ----

    def destroy(self):
        """Waits for what is queued, then frees the device memory. Calling it again does nothing."""
        if not getattr(self, "_alive", False):
            return
        self._alive = False
        self.stream.close()
        with self._compile_lock:
            # New containers: another thread may be reading the old ones.
            programs, self._programs = self._programs, OrderedDict()
            self._builder, self._inputs = None, OrderedDict()
        for program in programs.values():
            program.unload()

    @property
    def destroyed(self):
        return not self._alive

    def __enter__(self):
        self._check_alive()
        return self

    def __exit__(self, *exception):
        self.destroy()
        return False

    def __del__(self):
        if getattr(self, "_alive", False) and self._programs:
            warn_once("dropped", "a pyasc context was dropped without destroy(); its device memory is freed only now. "
                       "Use it in a with block.")  # fmt: skip
            self.destroy()

    def __repr__(self):
        if not self._alive:
            return f"<{self.name}, destroyed>"
        return f"<{self.name} on device {self.device_id}: {self._builder.num_nodes} nodes>"

    def _check_alive(self):
        if not self._alive:
            raise DestroyedError(f"{self.name} was destroyed; make another Context")

    # ---- building ----

    @_alive
    def input(self, name, shape, dtype="float32"):
        """Declares an input.

        Parameters
        ----------
        name : str
        shape : sequence of int
            None or -1 for a dim that each run may choose.
        dtype : str or NumPy type
        """
        if not isinstance(name, str) or not name:
            raise TypeError(f"the name of an input is a text that is not empty, not {name!r}")
        dims = dims_of(name, shape)
        number = dtypes.number_of(dtype)
        value = self._builder.input(name, number, dims)
        self._inputs[name] = (value, number, dims)
        return SymbolicTensor(self, value)

    @_alive
    def constant(self, value, dtype=None, name=""):
        """A tensor of fixed values; the array is copied."""
        if isinstance(value, SymbolicTensor):
            raise TypeError(f"{value.name} is a symbolic tensor, not a constant")
        array = as_numpy(value, dtype)
        number = dtypes.number_of(array.dtype)
        made = self._builder.constant(bytes_of(array), number, list(array.shape), name)
        return SymbolicTensor(self, made)

    @_alive
    def output(self, tensor, name=None):
        """Makes a tensor an output. Without any such call the tensors that nothing uses are the outputs."""
        self._own(tensor)
        name = name or tensor.name
        if not isinstance(name, str):
            raise TypeError(f"the name of an output is a text, not {name!r}")
        for value, taken in self._outputs.items():
            if taken == name and value != tensor.value:
                raise ValueError(f"there is an output '{name}' already")
        if self._outputs.get(tensor.value, name) != name:
            raise ValueError(f"{tensor.name} is the output '{self._outputs[tensor.value]}' already; a second name takes a "
                             f"tensor of its own: ctx.identity({tensor.name})")  # fmt: skip
        self._outputs[tensor.value] = name
        return tensor

    @_alive
    def load_onnx(self, path, input_shape=None):
        """Reads an ONNX model into this context, which must be empty.

        Parameters
        ----------
        path : str
        input_shape : str, optional
            As --input_shape has it: "x:1,3,224,224".

        Returns
        -------
        outputs : dict of SymbolicTensor by name; the inputs are `ctx.inputs`.
        """
        return self._load(_core.GraphBuilder.from_onnx, path, input_shape)

    @_alive
    def load_tf(self, path, input_shape=None):
        """Reads a frozen TensorFlow graph, or the folder of a SavedModel, as load_onnx reads its models."""
        return self._load(_core.GraphBuilder.from_tensorflow, path, input_shape, "NHWC")

    def _load(self, reader, path, input_shape, input_format="NCHW"):
        if self._inputs or self._made:
            raise ValueError(f"{self.name} has a graph already; load the model into another Context")
        flags = self.config.to_flags() + [f"--input_format={input_format}"] + ([f"--input_shape={input_shape}"] if input_shape else [])
        self._builder = reader(os.fspath(path), _core.options(flags))
        self._scoped = []
        for name, value in self._builder.inputs():
            info = self._builder.describe(value)
            self._inputs[name] = (value, info.dtype, info.shape)
        outputs = {}
        for name, value in self._builder.outputs():
            self._outputs[value] = name
            outputs[name] = SymbolicTensor(self, value)
        return outputs

    @property
    @_alive
    def inputs(self):
        """The inputs by name."""
        return {name: SymbolicTensor(self, value) for name, (value, *_) in self._inputs.items()}

    def _own(self, tensor):
        if not isinstance(tensor, SymbolicTensor):
            raise TypeError(f"a symbolic tensor is wanted, not {type(tensor).__name__}")
        if tensor.context is not self:
            raise ValueError(f"{tensor.name} belongs to {tensor.context.name}, not to {self.name}: run that context and "
                             f"feed its result here")  # fmt: skip

    def _operand(self, value, like=None):
        """A symbolic tensor of whatever was given; numbers take the type of `like`, arrays when they are of its kind."""
        if isinstance(value, SymbolicTensor):
            self._own(value)
            return value
        if value is None:
            raise TypeError("a tensor or an array is wanted, not None")
        array = as_numpy(value)
        if like is not None:
            wanted = dtypes.numpy_of(dtypes.number_of(like.dtype))
            plain = not hasattr(value, "dtype")
            if array.dtype != wanted and (plain or array.dtype.kind == wanted.kind):
                array = array.astype(wanted)
        return self.constant(array)

    def _add(self, type_, inputs, attributes, name=None, num_outputs=1, layout=None, always_tuple=False):
        """Adds a node; one symbolic tensor, or a tuple of several."""
        self._check_alive()
        if name is not None and not isinstance(name, str):
            raise TypeError(f"the name of a node is a text, not {name!r}")
        tensors = [None if i is None else self._operand(i) for i in inputs]
        if "data_format" not in attributes and type_ in _HAVE_DATA_FORMAT:
            rank = next((t.ndim for t in tensors if t is not None and t.ndim in _CHANNELS_FIRST), None)
            if rank is not None:
                attributes = {**attributes, "data_format": _CHANNELS_FIRST[rank]}
        values = self._builder.add(type_, [None if t is None else t.value for t in tensors], attributes, name or "",
                                   num_outputs, _REQUIRED_KINDS.get(type_, {}))  # fmt: skip
        self._used.update(t.value for t in tensors if t is not None)
        self._made += values
        made = tuple(SymbolicTensor(self, v, layout) for v in values)
        scopes = fusion._stack()
        if scopes:
            self._scoped.append((made[0].node, tuple(scopes)))
        return made if always_tuple or len(made) > 1 else made[0]

    # ---- compiling ----

    @_alive
    def set_dump_flag(self, dump_path):
        """Graphs of every stage are written below this folder by each compilation from now on; None ends it."""
        self._dump_path = os.fspath(dump_path) if dump_path else ""

    def _chosen_outputs(self):
        if self._outputs:
            return list(self._outputs.items())
        names = [(v, self._builder.describe(v)) for v in self._made if v not in self._used]
        if not names:
            raise ValueError(f"{self.name} computes nothing: add an operator, or mark a tensor by ctx.output")
        return [(v, i.node + (f":{i.index}" if i.index else "")) for v, i in names]

    def _node_settings(self, open_layouts):
        """(passes switched off by node, formats by node) of the scopes in which nodes were made, then of open ones."""
        disabled, formats = {}, {}
        for node, scopes in self._scoped:
            off = set()
            for scope in scopes:
                for name, on in {**fusion._MODES.get(scope._mode, {}), **scope._switches}.items():
                    (off.discard if on else off.add)(name)
                formats.update(scope._layouts)
            if off:
                disabled[node] = sorted(off)
        formats.update(open_layouts)
        return sorted(disabled.items()), sorted(formats.items())

    def _program(self, shapes, config=None, scopes=None):
        """The program for these input shapes, compiled if there is none, in the scopes that are open or were."""
        config = config or self.config
        if not isinstance(config, CompileConfig):
            raise TypeError(f"config must be a CompileConfig, not {type(config).__name__}")
        scopes = tuple(fusion._stack()) if scopes is None else scopes
        switches, layouts = fusion.merged(scopes)
        settings = (tuple(sorted(switches.items())), tuple(sorted(layouts.items())))
        outputs = tuple(self._chosen_outputs())
        key = (shapes, outputs, tuple(config.to_flags()), self._dump_path)
        with self._compile_lock:
            if self._compiling:
                raise RuntimeError(f"{self.name} is being compiled: a stream pass cannot compile or run the graph that it "
                                   f"is part of")  # fmt: skip
            for (known, program_settings), program in reversed(self._programs.items()):
                # Outside of any scope a compiled graph is what it is.
                if known == key and (not scopes or program_settings == settings):
                    self._programs.move_to_end((known, program_settings))
                    return program
            disabled, formats = self._node_settings(layouts)
            builder, options, dump = self._builder, _core.options(config.to_flags(switches)), self._dump_path

            def compile_(capture):
                return _core.Compilation(builder, named_shapes, list(outputs), options, dump, capture, node_settings)

            named_shapes = list(zip(self._inputs, shapes))
            node_settings = _core.NodeSettings(disabled, formats)
            tensors = {value: place for place, (value, _) in enumerate(outputs)}
            self._compiling = True
            try:
                program = Program(compile_, self.device_id, tensors)
            finally:
                self._compiling = False
            self._check_alive()
            program.names = {name: place for place, (_, name) in enumerate(outputs)}
            self._programs[(key, settings)] = program
            while len(self._programs) > _MAX_PROGRAMS:
                self._programs.popitem(last=False)[1].unload()
            return program

    @_alive
    def compile(self, input_shapes=None, config=None):
        """Compiles now, for the declared shapes or for {input name: shape}. Returns {figure: value} of the compilation."""
        program = self._program(self._shapes(input_shapes or {}), config)
        return dict(program.compilation().numbers)

    def _shapes(self, given):
        for name in given:
            if name not in self._inputs:
                raise KeyError(f"there is no input '{name}'; the inputs are {', '.join(self._inputs) or 'none'}")
        shapes = []
        for name, (_, _, dims) in self._inputs.items():
            shape = dims_of(name, given.get(name, dims)) if name in given else dims
            if dims is not None and (len(dims) != len(shape) or any(d not in (-1, n) for d, n in zip(dims, shape))):
                raise ValueError(f"input '{name}' takes {list(dims)}; {list(shape)} was given")
            shapes.append(None if shape is None else tuple(shape))
        return tuple(shapes)

    def _latest(self):
        """The program that was used last; compiles for the declared shapes where there is none."""
        with self._compile_lock:
            if self._programs:
                return next(reversed(self._programs.values()))
        return self._program(self._shapes({}))

    @_alive
    def save_optimized_graph(self, path):
        """Writes the compiled graph as an om, which omrun and atc read; whole or not at all."""
        om = self._latest().compilation().om
        path = os.fspath(path)
        folder = os.path.dirname(path) or "."
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(om)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    @_alive
    def graph(self, stage=None):
        """The graph as the compiler left it, or as it was after a stage (see stage_names)."""
        if stage is None:
            return CompiledGraph(self._latest().compilation().nodes)
        return self.stages([stage])[0].graph

    @_alive
    def stages(self, names=None, forms=()):
        """Stage objects, in order, with the graphs after the named stages (default: all).

        `forms`: which dumps to keep as text: "onnx", "ge_proto", "readable".
        """
        known = _core.stage_names()
        for name in names or ():
            if name not in known:
                raise KeyError(f"there is no stage {name!r}; there are: {', '.join(known)}")
        compilation = self._latest()._compile(_core.Capture(list(names or ["*"]), True, list(forms)))
        return [Stage(s.name, s.num_nodes, CompiledGraph(s.nodes), dict(s.texts)) for s in compilation.stages
                if not names or s.name in names]  # fmt: skip

    @_alive
    def dump(self, stage="Build", form="readable"):
        """One dump as text."""
        return self.stages([stage], [form])[0].dumps[form]

    @property
    @_alive
    def journal(self):
        """Every rewrite, in order: stage, pass, pattern, number, nodes before and after."""
        return self._latest().compilation().journal

    @property
    @_alive
    def pass_counts(self):
        """{pass: (matches, effects)}"""
        return self._latest().compilation().counts

    # ---- running ----

    def _arrays(self, feeds):
        """(arrays in the order of the inputs, shapes, pending tensors by place)."""
        arrays, shapes, pending = [], [], {}
        if not isinstance(feeds, Mapping):
            raise TypeError(f"arrays are given as {{input: array}}, not as {type(feeds).__name__}")
        if len(feeds) != len(self._inputs):
            self._complain(feeds)
        by_name = {(k.name if isinstance(k, SymbolicTensor) else k): v for k, v in feeds.items()}
        for place, (name, (_, dtype, dims)) in enumerate(self._inputs.items()):
            if name not in by_name:
                self._complain(feeds)
            value = by_name[name]
            if isinstance(value, PendingTensor):
                pending[place] = value
                arrays.append(None)
                shapes.append(tuple(dims))
                continue
            arrays.append(self._fit(name, value, dtype, dims))
            shapes.append(arrays[-1].shape)
        return arrays, tuple(shapes), pending

    def _fit(self, name, value, dtype, dims):
        wanted = dtypes.numpy_of(dtype, f"input '{name}'")
        array = value if type(value) is np.ndarray else named_array(f"input '{name}'", value)
        if array.dtype != wanted:
            array = converted(f"input '{name}'", array, wanted, plain=not hasattr(value, "dtype"))
        if dims is not None and (len(dims) != array.ndim or any(d not in (-1, n) for d, n in zip(dims, array.shape))):
            raise ValueError(f"input '{name}' takes {list(dims)}; an array of {list(array.shape)} was given")
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)

    def _complain(self, feeds):
        names = {k.name if isinstance(k, SymbolicTensor) else k for k in feeds}
        if len(names) < len(feeds):
            raise KeyError("an input is given twice, by its name and by its tensor")
        missing = [n for n in self._inputs if n not in names]
        unknown = [str(n) for n in names if n not in self._inputs]
        raise KeyError("; ".join(([f"missing inputs: {', '.join(missing)}"] if missing else [])
                                 + ([f"there is no input {', '.join(unknown)}"] if unknown else []))
                       + f". The inputs are {', '.join(self._inputs) or 'none'}")  # fmt: skip

    def _run(self, program, arrays):
        while True:
            model = program.model()
            try:
                results = model.run(arrays, program.output_types)
            except _core.UnloadedError:  # another thread has made room, or has destroyed this context
                self._check_alive()
                continue
            return Result(program.names, _Lookup(self, program.tensors), results)

    @_alive
    def execute(self, feeds=None, config=None):
        """Runs the graph and waits for it.

        Parameters
        ----------
        feeds : {input name or symbolic tensor: array}
        config : CompileConfig, optional
            In place of the context's.

        Returns
        -------
        Result : arrays by symbolic tensor and by name
        """
        arrays, shapes, pending = self._arrays({} if feeds is None else feeds)
        self.stream.enter([a for a in arrays if a is not None], pending.values(), f"execute of {self.name}")
        if pending:
            arrays, shapes = self._resolve(arrays, pending)
        return self._run(self._program(shapes, config), arrays)

    def _resolve(self, arrays, pending):
        names = list(self._inputs)
        for place, tensor in pending.items():
            _, dtype, dims = self._inputs[names[place]]
            arrays[place] = self._fit(names[place], RunFuture.result(tensor.future)[tensor.key], dtype, dims)
        return arrays, tuple(a.shape for a in arrays)

    @_alive
    def execute_async(self, feeds=None, out=None, config=None):
        """Queues a run on the context's stream.

        Parameters
        ----------
        feeds : as for execute; `other_future[tensor]` is an input too
        out : {output name or symbolic tensor: array}, optional
            Arrays that the results are also written into.

        Returns
        -------
        concurrent.futures.Future of a Result

        Raises
        ------
        DependencyError
            Where it uses what another context's queued work makes, and nothing orders the two.
        """
        arrays, shapes, pending = self._arrays({} if feeds is None else feeds)
        scopes = tuple(fusion._stack())
        program = None if pending else self._program(shapes, config, scopes)
        out = {key: writable(key, array) for key, array in (out or {}).items()}
        if program is not None and out:  # unknown names are told at once
            known = Result(program.names, _Lookup(self, program.tensors), [None] * len(program.names))
            for key in out:
                known[key]

        def job():
            self._check_alive()
            ready, ready_shapes = self._resolve(arrays, pending) if pending else (arrays, shapes)
            result = self._run(program or self._program(ready_shapes, config, scopes), ready)
            for key, array in out.items():
                copy_result(key, array, result[key])
            return result

        reads = [a for a in arrays if a is not None]
        return self.stream.submit(_alive_job(self, job), reads, list(out.values()), pending.values(),
                                  f"execute_async of {self.name}")  # fmt: skip

    def add_dependency(self, stream, depends_on):
        """What is queued on `stream` from now on runs after what is queued on `depends_on` now. Both are streams or
        contexts."""
        stream, depends_on = (s.stream if isinstance(s, Context) else s for s in (stream, depends_on))
        self._check_alive()
        if not isinstance(stream, Stream) or not isinstance(depends_on, Stream):
            raise TypeError("stream and depends_on are the streams of contexts: ctx.stream")
        stream.wait_for(depends_on)

    @_alive
    def synchronize(self):
        """Waits for everything that is queued."""
        self.stream.synchronize()


def _alive_job(context, job):
    return lambda: _alive(lambda _: job())(context)


class _Lookup:
    """{symbolic tensor: place} without holding tensors."""

    __slots__ = ("_context", "_places")

    def __init__(self, context, places):
        self._context, self._places = weakref.ref(context), places

    def __contains__(self, tensor):
        return tensor.context is self._context() and tensor.value in self._places

    def __getitem__(self, tensor):
        return self._places[tensor.value]


_REQUIRED_KINDS = {d["type"]: {name: kind for name, required, kind, _ in d["attributes"] if required and kind}
                   for d in operators.definitions()}  # fmt: skip
_HAVE_DATA_FORMAT = {d["type"] for d in operators.definitions() if any(a[0] == "data_format" for a in d["attributes"])}
OPERATORS = operators.install(Context)


def stage_names():
    """The stages of a compilation, in order, under the names of their dumps."""
    return _core.stage_names()
