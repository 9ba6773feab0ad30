"""Writes seeded families of ONNX models of any size, shaped as models of different kinds are."""

import random
import struct

from onnx_wire import FLOAT, field, node, tensor, value_info

WIDTH = 16  # of every value: float32[1, WIDTH]


class Model:
    """A graph under construction; `left` operators are still wanted."""

    def __init__(self, seed, operators):
        self.random = random.Random(seed)
        self.left = operators
        self.nodes = []
        self.weights = {}
        self.count = 0

    def weight(self, rows):
        """A matrix [rows, WIDTH]; a few are shared by many operators."""
        name = f"w{rows}_{self.random.randrange(4)}"
        if name not in self.weights:
            own = random.Random(name)
            raw = struct.pack(f"<{rows * WIDTH}f", *(own.uniform(-1, 1) for _ in range(rows * WIDTH)))
            self.weights[name] = tensor(name, FLOAT, [rows, WIDTH], raw)
        return name

    def add(self, kind, inputs, *attributes):
        self.count += 1
        self.left -= 1
        output = f"v{self.count}"
        self.nodes.append(node(kind, inputs, [output], *attributes, name=f"{kind}_{self.count}"))
        return output

    def step(self, value):
        """One operator of one input."""
        kind = self.random.choice(["MatMul", "Tanh", "Relu", "Softmax", "Sigmoid", "Neg", "MatMul"])
        return self.add(kind, [value, self.weight(WIDTH)] if kind == "MatMul" else [value])

    def chain(self, value, length):
        for _ in range(length):
            value = self.step(value)
        return value

    def join(self, values):
        """One value of several: a sum of two, else their concatenation and a product."""
        if len(values) == 1:
            return self.step(values[0])
        if len(values) == 2:
            return self.add("Tanh", [self.add("Add", values)])
        axis = field(1, "axis") + field(3, 1) + field(20, 2)
        return self.add("Tanh", [self.add("MatMul", [self.add("Concat", values, axis), self.weight(WIDTH * len(values))])])

    def write(self, file, outputs):
        graph = b"".join(field(1, n) for n in self.nodes) + field(2, "family")
        graph += b"".join(field(5, w) for w in self.weights.values())
        graph += field(11, value_info("x", FLOAT, [1, WIDTH]))
        graph += b"".join(field(12, value_info(o, FLOAT, [1, WIDTH])) for o in outputs)
        model = field(1, 8) + field(2, "families") + field(7, graph) + field(8, field(1, "") + field(2, 13))
        with open(file, "wb") as stream:
            stream.write(model)


def chain(m):
    return [m.chain("x", m.left)]


def inception(m):
    at = "x"
    while m.left > 0:
        at = m.join([m.chain(at, m.random.randint(1, 4)) for _ in range(m.random.randint(2, 8))])
    return [at]


def two_tower(m):
    half = m.left // 2
    return [m.join([m.chain("x", half), m.chain("x", half)])]


def multi_head(m):
    at = "x"
    while m.left > 0:
        heads = []
        for _ in range(8):
            key = m.add("Add", [m.step(at), m.step(at)])
            heads.append(m.add("Mul", [m.add("Softmax", [key]), m.step(at)]))
        at = m.add("Add", [m.join(heads), at])
        at = m.add("Tanh", [at])
    return [at]


def encoder_decoder(m):
    wanted = m.left
    at, levels = "x", []
    while 2 * m.left > wanted:
        at = m.chain(at, 2)
        levels.append(at)
    while levels:
        at = m.join([at, levels.pop()])
    return [at]


def random_near(m, reach=32):
    values = ["x"]
    while m.left > 0:
        last = values[-reach:]
        values.append(m.join([m.random.choice(last) for _ in range(m.random.randint(1, 3))]))
    return values[-2:]


def random_far(m):
    values = ["x"]
    while m.left > 0:
        values.append(m.join([m.random.choice(values) for _ in range(m.random.randint(1, 3))]))
    return values[-2:]


def many_outputs(m):
    values = [m.step("x") for _ in range(4)]
    while m.left > 0:
        values.append(m.join(m.random.sample(values[-16:], m.random.randint(1, 2))))
    return values[-4:]


FAMILIES = {
    "chain": chain,
    "inception": inception,
    "two-tower": two_tower,
    "multi-head": multi_head,
    "encoder-decoder": encoder_decoder,
    "random near": random_near,
    "random far": random_far,
    "many outputs": many_outputs,
}


def write_family(file, family, seed, operators):
    model = Model(seed, operators)
    model.write(file, FAMILIES[family](model))
