"""Reads a frozen GraphDef without TensorFlow: its nodes, the functions that they call, and the shapes of its inputs."""

from collections import namedtuple

Node = namedtuple("Node", "name op inputs functions shape")  # shape: of a Placeholder, -1 for an open dim; else None


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _fields(data):
    """(number, value) of each field of a message: an integer, or the bytes of what has a length."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            value, at = _varint(data, at)
        elif tag & 7 == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = 8 if tag & 7 == 1 else 4
            value, at = data[at : at + size], at + size
        yield tag >> 3, value


def _all(data, number):
    return [value for field, value in _fields(data) if field == number]


def _shape(data):
    if any(_all(data, 3)):
        return None  # of unknown rank
    sizes = [next(iter(_all(dim, 1)), 0) for dim in _all(data, 2)]
    return [size - (1 << 64) if size >> 63 else size for size in sizes]


def _node(data):
    functions, shape = [], None
    for entry in _all(data, 5):
        attr = dict(_fields(entry)).get(2, b"")
        for number, value in _fields(attr):
            if number == 10:
                functions += [name.decode() for name in _all(value, 1)]
            if number == 7 and b"shape" in _all(entry, 1):
                shape = _shape(value)
    name, op = (_all(data, number)[0].decode() for number in (1, 2))
    return Node(name, op, [text.decode() for text in _all(data, 3)], functions, shape)


class GraphDef:
    def __init__(self, file):
        data = file.read_bytes()
        self.nodes = {node.name: node for node in map(_node, _all(data, 1))}
        self.functions = {}
        for library in _all(data, 2):
            for function in _all(library, 1):
                name = _all(_all(function, 1)[0], 1)[0].decode()
                self.functions[name] = [_node(node) for node in _all(function, 3)]

    def shape(self, name):
        """The shape of an input, None when its rank is unknown."""
        return self.nodes[name].shape

    def operators_before(self, name):
        """The types of all nodes that a node's value depends on, its own and those inside of functions included."""
        seen, found, waiting = set(), set(), [name]
        while waiting:
            node = self.nodes[waiting.pop().lstrip("^").split(":")[0]]
            if node.name in seen:
                continue
            seen.add(node.name)
            waiting += [text for text in node.inputs if not text.startswith("^")]
            inside = [node]
            while inside:
                one = inside.pop()
                if one.op not in found or one is node:
                    inside += [n for function in one.functions for n in self.functions.get(function, [])]
                found.add(one.op)
        return found
