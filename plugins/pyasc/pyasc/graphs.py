"""Compiled graphs as objects."""

from dataclasses import dataclass, field

from .dtypes import name_of


@dataclass(frozen=True)
class TensorInfo:
    """A tensor of a compiled graph: as the device holds it (format, shape) and as the model sees it (origin_...)."""

    dtype: str
    shape: tuple | None
    format: str
    origin_shape: tuple | None
    origin_format: str
    offset: int
    size: int

    @classmethod
    def from_dict(cls, d):
        shape, origin = d["shape"], d["origin_shape"]
        return cls(name_of(d["dtype"]), None if shape is None else tuple(shape), d["format"],
                   None if origin is None else tuple(origin), d["origin_format"], d["offset"], d["size"])  # fmt: skip


@dataclass(frozen=True)
class Node:
    """A node of a graph at one stage.

    Attributes
    ----------
    inputs : (node name, output number) or None, for each input
    outputs : TensorInfo for each output
    stream : number, -1 where the node is no task
    reasons : (aspect, rule) pairs: why its dtype, format, engine, stream are what they are
    origins : names of the nodes of the source that it stands for
    fused : the nodes that it was fused from, or None
    """

    name: str
    type: str
    inputs: tuple
    outputs: tuple
    attributes: dict
    stream: int
    engine: str
    reasons: tuple
    origins: tuple
    controls: tuple
    nested: dict = field(default_factory=dict)
    fused: tuple | None = None

    @classmethod
    def from_dict(cls, d):
        return cls(d["name"], d["type"], tuple(d["inputs"]), tuple(TensorInfo.from_dict(o) for o in d["outputs"]),
                   dict(d["attributes"]), d["stream"], d["engine"], tuple(d["reasons"]), tuple(d["origins"]),
                   tuple(d["controls"]), {n: CompiledGraph(g) for n, g in d["nested"].items()},
                   None if d["fused"] is None else tuple(Node.from_dict(n) for n in d["fused"]))  # fmt: skip

    def why(self, aspect):
        """The rules that decided one aspect: "dtype", "format", "engine", "stream", "fusion"."""
        return [rule for a, rule in self.reasons if a == aspect]


class CompiledGraph:
    """Nodes in topological order; `graph["conv"]` is one of them by name."""

    def __init__(self, nodes):
        self.nodes = [n if isinstance(n, Node) else Node.from_dict(n) for n in nodes]
        self._by_name = {n.name: n for n in self.nodes}

    def __getitem__(self, name):
        if name not in self._by_name:
            raise KeyError(f"there is no node {name!r}; the nodes are {', '.join(self._by_name)}")
        return self._by_name[name]

    def __contains__(self, name):
        return name in self._by_name

    def __iter__(self):
        return iter(self.nodes)

    def __len__(self):
        return len(self.nodes)

    def types(self):
        """{AscendIR type: number of nodes}"""
        counts = {}
        for node in self.nodes:
            counts[node.type] = counts.get(node.type, 0) + 1
        return counts

    @property
    def streams(self):
        """{stream: [names of its nodes]}"""
        streams = {}
        for node in self.nodes:
            if node.stream >= 0:
                streams.setdefault(node.stream, []).append(node.name)
        return dict(sorted(streams.items()))

    def from_source(self, origin):
        """The nodes that stand for a node of the source, by its name."""
        return [n for n in self.nodes if origin in n.origins or n.name == origin]

    def __repr__(self):
        return f"<CompiledGraph of {len(self)} nodes on {len(self.streams)} streams>"


@dataclass(frozen=True)
class Stage:
    """A stage of the compilation: its name, the graph after it, and its dumps as text by form."""

    name: str
    num_nodes: int
    graph: CompiledGraph | None = None
    dumps: dict = field(default_factory=dict)
