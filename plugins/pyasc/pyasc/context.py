"""Contexts: a graph, how it is compiled, and what it runs on."""

import itertools
import os
import tempfile
import threading
import warnings
import weakref
from collections import OrderedDict

import numpy as np

from . import _core, dtypes, fusion, operators
from .arrays import as_numpy, bytes_of
from .config import CompileConfig
from .errors import DestroyedError
from .functional import Functions
from .graphs import CompiledGraph, Stage
from .results import Result
from .streams import PendingTensor, RunFuture, Stream
from .tensor import SymbolicTensor

_MAX_PROGRAMS = 16  # compiled input shapes of one context
_MAX_LOADED = 64  # programs of all contexts that are kept loaded
_CHANNELS_FIRST = {4: "NCHW", 5: "NCDHW"}

_numbers = itertools.count(1)
_loaded = OrderedDict()  # weak references to programs, the one used longest ago first
_loaded_lock = threading.Lock()
_warned = set()


def _warn_once(topic, text):
    if topic not in _warned:
        _warned.add(topic)
        warnings.warn(text, ResourceWarning if topic == "exit" else RuntimeWarning, stacklevel=3)


def _make_room():
    """Unloads the programs that were used longest ago; they are loaded again when they are needed."""
    with _loaded_lock:
        surplus = max(len(_loaded) - _MAX_LOADED, 0)
        oldest = [_loaded.popitem(last=False)[0] for _ in range(surplus)]
    for reference in oldest:
        program = reference()
        if program is not None:
            program.unload()
    if oldest:
        _warn_once("many", f"more than {_MAX_LOADED} compiled graphs are alive; those that were not used for longest are "
                   "unloaded and compiled again when they run. End each context by destroy() or a with block.")  # fmt: skip


class _Program:
    """A graph compiled for one set of input shapes, with what a run needs at hand."""

    def __init__(self, compile_, device, tensors):
        self._compile = compile_
        self._device = device
        self._lock = threading.RLock()
        self._model = None
        self._compilation = None
        self._reference = weakref.ref(self)
        self.tensors = tensors
        self.compilation()

    def compilation(self):
        with self._lock:
            if self._compilation is None:
                self._compilation = self._compile(_core.Capture())
            return self._compilation

    def model(self):
        with self._lock:
            if self._model is None:
                self._model = _core.DeviceModel(self.compilation(), self._device)
                self.inputs = [(p.name, dtypes.numpy_of(p.dtype)) for p in self._model.inputs]
                self.output_types = [dtypes.numpy_of(p.dtype) for p in self._model.outputs]
                with _loaded_lock:
                    _loaded[self._reference] = True
                fresh = True
            else:
                fresh = False
                with _loaded_lock:
                    if self._reference in _loaded:
                        _loaded.move_to_end(self._reference)
            model = self._model
        if fresh:
            _make_room()
        return model

    def unload(self):
        with _loaded_lock:
            _loaded.pop(self._reference, None)
        with self._lock:
            model, self._model, self._compilation = self._model, None, None
        if model is not None:
            model.unload()


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
        self._compile_lock = threading.Lock()
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
        for program in self._programs.values():
            program.unload()
        self._programs.clear()
        self._builder = None
        self._inputs.clear()

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
            _warn_once("dropped", "a pyasc context was dropped without destroy(); its device memory is freed only now. "
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

    def input(self, name, shape, dtype="float32"):
        """Declares an input.

        Parameters
        ----------
        name : str
        shape : sequence of int
            None or -1 for a dim that each run may choose.
        dtype : str or NumPy type
        """
        self._check_alive()
        dims = [-1 if d is None else int(d) for d in shape]
        value = self._builder.input(name, dtypes.number_of(dtype), dims)
        self._inputs[name] = (value, dtypes.number_of(dtype), dims)
        return SymbolicTensor(self, value)

    def constant(self, value, dtype=None, name=""):
        """A tensor of fixed values; the array is copied."""
        self._check_alive()
        array = as_numpy(value, dtype)
        made = self._builder.constant(bytes_of(array), dtypes.number_of(array.dtype), list(array.shape), name)
        return SymbolicTensor(self, made)

    def output(self, tensor, name=None):
        """Makes a tensor an output. Without any such call the tensors that nothing uses are the outputs."""
        self._check_alive()
        self._own(tensor)
        self._outputs[tensor.value] = name or tensor.name
        return tensor

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

    def load_tf(self, path, input_shape=None):
        """Reads a frozen TensorFlow graph, or the folder of a SavedModel, as load_onnx reads its models."""
        return self._load(_core.GraphBuilder.from_tensorflow, path, input_shape, "NHWC")

    def _load(self, reader, path, input_shape, input_format="NCHW"):
        self._check_alive()
        if self._inputs or self._made:
            raise ValueError(f"{self.name} has a graph already; load the model into another Context")
        flags = self.config.to_flags() + [f"--input_format={input_format}"] + ([f"--input_shape={input_shape}"] if input_shape else [])
        self._builder = reader(os.fspath(path), _core.options(flags))
        for name, value in self._builder.inputs():
            info = self._builder.describe(value)
            self._inputs[name] = (value, info.dtype, info.shape)
        outputs = {}
        for name, value in self._builder.outputs():
            self._outputs[value] = name
            outputs[name] = SymbolicTensor(self, value)
        return outputs

    @property
    def inputs(self):
        """The inputs by name."""
        self._check_alive()
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
        tensors = [None if i is None else self._operand(i) for i in inputs]
        if "data_format" not in attributes and type_ in _HAVE_DATA_FORMAT:
            rank = next((t.ndim for t in tensors if t is not None and t.ndim in _CHANNELS_FIRST), None)
            if rank is not None:
                attributes = {**attributes, "data_format": _CHANNELS_FIRST[rank]}
        values = self._builder.add(type_, [None if t is None else t.value for t in tensors], attributes, name or "",
                                   num_outputs)  # fmt: skip
        self._used.update(t.value for t in tensors if t is not None)
        self._made += values
        made = tuple(SymbolicTensor(self, v, layout) for v in values)
        scopes = fusion._stack()
        if scopes:
            self._scoped.append((made[0].node, tuple(scopes)))
        return made if always_tuple or len(made) > 1 else made[0]

    # ---- compiling ----

    def set_dump_flag(self, dump_path):
        """Graphs of every stage are written below this folder by each compilation from now on; None ends it."""
        self._check_alive()
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

    def _program(self, shapes, config=None):
        """The program for these input shapes, compiled if there is none."""
        config = config or self.config
        switches, layouts = fusion.current()
        settings = (tuple(sorted(switches.items())), tuple(sorted(layouts.items())))
        outputs = tuple(self._chosen_outputs())
        key = (shapes, outputs, tuple(config.to_flags()), self._dump_path)
        with self._compile_lock:
            for (known, program_settings), program in reversed(self._programs.items()):
                # Outside of any scope a compiled graph is what it is.
                if known == key and (not fusion._stack() or program_settings == settings):
                    self._programs.move_to_end((known, program_settings))
                    return program
            disabled, formats = self._node_settings(layouts)
            builder, options, dump = self._builder, _core.options(config.to_flags(switches)), self._dump_path

            def compile_(capture):
                return _core.Compilation(builder, named_shapes, list(outputs), options, dump, capture, node_settings)

            named_shapes = list(zip(self._inputs, shapes))
            node_settings = _core.NodeSettings(disabled, formats)
            tensors = {value: place for place, (value, _) in enumerate(outputs)}
            program = _Program(compile_, self.device_id, tensors)
            program.names = {name: place for place, (_, name) in enumerate(outputs)}
            self._programs[(key, settings)] = program
            while len(self._programs) > _MAX_PROGRAMS:
                self._programs.popitem(last=False)[1].unload()
            self._fast = None
            return program

    def compile(self, input_shapes=None, config=None):
        """Compiles now, for the declared shapes or for {input name: shape}. Returns {figure: value} of the compilation."""
        self._check_alive()
        program = self._program(self._shapes(input_shapes or {}), config)
        return dict(program.compilation().numbers)

    def _shapes(self, given):
        for name in given:
            if name not in self._inputs:
                raise KeyError(f"there is no input '{name}'; the inputs are {', '.join(self._inputs) or 'none'}")
        return tuple(tuple(given.get(name, dims)) for name, (_, _, dims) in self._inputs.items())

    def _latest(self):
        """The program that was used last; compiles for the declared shapes where there is none."""
        self._check_alive()
        with self._compile_lock:
            if self._programs:
                return next(reversed(self._programs.values()))
        return self._program(self._shapes({}))

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

    def graph(self, stage=None):
        """The graph as the compiler left it, or as it was after a stage (see stage_names)."""
        if stage is None:
            return CompiledGraph(self._latest().compilation().nodes)
        return self.stages([stage])[0].graph

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

    def dump(self, stage="Build", form="readable"):
        """One dump as text."""
        return self.stages([stage], [form])[0].dumps[form]

    @property
    def journal(self):
        """Every rewrite, in order: stage, pass, pattern, number, nodes before and after."""
        return self._latest().compilation().journal

    @property
    def pass_counts(self):
        """{pass: (matches, effects)}"""
        return self._latest().compilation().counts

    # ---- running ----

    def _arrays(self, feeds):
        """(arrays in the order of the inputs, shapes, pending tensors by place)."""
        arrays, shapes, pending = [], [], {}
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
        array = value if type(value) is np.ndarray else as_numpy(value)
        wanted = dtypes.numpy_of(dtype)
        if array.dtype != wanted:
            if hasattr(value, "dtype") and not np.can_cast(array.dtype, wanted, "same_kind"):
                raise TypeError(f"input '{name}' takes {dtypes.name_of(dtype)}; {array.dtype} was given")
            array = array.astype(wanted)
        if dims is not None and (len(dims) != array.ndim or any(d not in (-1, n) for d, n in zip(dims, array.shape))):
            raise ValueError(f"input '{name}' takes {list(dims)}; an array of {list(array.shape)} was given")
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)

    def _complain(self, feeds):
        names = {k.name if isinstance(k, SymbolicTensor) else k for k in feeds}
        missing = [n for n in self._inputs if n not in names]
        unknown = [str(n) for n in names if n not in self._inputs]
        raise KeyError("; ".join(([f"missing inputs: {', '.join(missing)}"] if missing else [])
                                 + ([f"there is no input {', '.join(unknown)}"] if unknown else []))
                       + f". The inputs are {', '.join(self._inputs) or 'none'}")  # fmt: skip

    def _run(self, program, arrays):
        model = program.model()
        return Result(program.names, _Lookup(self, program.tensors), model.run(arrays, program.output_types))

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
        self._check_alive()
        arrays, shapes, pending = self._arrays(feeds or {})
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
        self._check_alive()
        arrays, shapes, pending = self._arrays(feeds or {})
        program = None if pending else self._program(shapes, config)
        out = dict(out or {})

        def job():
            ready, ready_shapes = self._resolve(arrays, pending) if pending else (arrays, shapes)
            result = self._run(program or self._program(ready_shapes, config), ready)
            for key, array in out.items():
                np.copyto(array, result[key])
            return result

        reads = [a for a in arrays if a is not None]
        return self.stream.submit(job, reads, list(out.values()), pending.values(), f"execute_async of {self.name}")

    def add_dependency(self, stream, depends_on):
        """What is queued on `stream` from now on runs after what is queued on `depends_on` now. Both are streams or
        contexts."""
        stream, depends_on = (s.stream if isinstance(s, Context) else s for s in (stream, depends_on))
        if not isinstance(stream, Stream) or not isinstance(depends_on, Stream):
            raise TypeError("stream and depends_on are the streams of contexts: ctx.stream")
        stream.wait_for(depends_on)

    def synchronize(self):
        """Waits for everything that is queued."""
        self._check_alive()
        self.stream.synchronize()


class _Lookup:
    """{symbolic tensor: place} without holding tensors."""

    __slots__ = ("_context", "_places")

    def __init__(self, context, places):
        self._context, self._places = weakref.ref(context), places

    def __contains__(self, tensor):
        return tensor.context is self._context() and tensor.value in self._places

    def __getitem__(self, tensor):
        return self._places[tensor.value]


_HAVE_DATA_FORMAT = {d["type"] for d in _core.definitions() if any(a[0] == "data_format" for a in d["attributes"])}
OPERATORS = operators.install(Context)


def stage_names():
    """The stages of a compilation, in order, under the names of their dumps."""
    return _core.stage_names()
