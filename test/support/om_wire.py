"""Reads an om file with nothing but its documented layout: header, partition table, protobuf wire format.

It shares no code and no generated classes with the converter, so that what the viewer shows can be compared with it.
"""

import struct

# message: {field number: (name, kind)}; kind is a message's name, "bytes", "text", "int", "bool", "float";
# "*" in front marks a repeated field, "%" a map from text to that message.
SCHEMA = {
    "ModelDef": {1: ("name", "text"), 2: ("version", "int"), 7: ("graph", "*GraphDef"), 11: ("attr", "%AttrDef")},
    "GraphDef": {
        1: ("name", "text"),
        4: ("input", "*text"),
        5: ("output", "*text"),
        6: ("op", "*OpDef"),
        11: ("attr", "%AttrDef"),
    },
    "OpDef": {
        1: ("name", "text"),
        2: ("type", "text"),
        5: ("input", "*text"),
        10: ("attr", "%AttrDef"),
        21: ("id", "int"),
        22: ("stream_id", "int"),
        33: ("input_desc", "*TensorDescriptor"),
        34: ("output_desc", "*TensorDescriptor"),
        35: ("subgraph_name", "*text"),
    },
    "TensorDescriptor": {
        1: ("name", "text"),
        2: ("dtype", "int"),
        3: ("shape", "ShapeDef"),
        4: ("layout", "text"),
        5: ("attr", "%AttrDef"),
        10: ("size", "int"),
        11: ("weight_size", "int"),
        18: ("data_offset", "int"),
    },
    "ShapeDef": {1: ("dim", "*int")},
    "TensorDef": {1: ("desc", "TensorDescriptor"), 2: ("data", "bytes")},
    "NamedAttrs": {1: ("name", "text"), 2: ("attr", "%AttrDef")},
    "AttrDef": {
        1: ("list", "ListValue"),
        2: ("s", "bytes"),
        3: ("i", "int"),
        4: ("f", "float"),
        5: ("b", "bool"),
        7: ("bt", "bytes"),
        10: ("func", "NamedAttrs"),
        11: ("td", "TensorDescriptor"),
        12: ("t", "TensorDef"),
        13: ("g", "GraphDef"),
        14: ("list_list_int", "ListListInt"),
        15: ("dt", "int"),
        16: ("list_list_float", "bytes"),
    },
    "ListValue": {
        2: ("s", "*bytes"),
        3: ("i", "*int"),
        4: ("f", "*float"),
        5: ("b", "*bool"),
        7: ("bt", "*bytes"),
        20: ("val_type", "int"),
    },
    "ListListInt": {1: ("list_list_i", "*ListInt")},
    "ListInt": {1: ("list_i", "*int")},
}
SCALARS = {
    "bool": (0, bool),
    "bytes": (2, bytes),
    "float": (5, lambda raw: struct.unpack("<f", raw)[0]),
    "int": (0, lambda v: v - (1 << 64) if v >> 63 else v),
    "text": (2, lambda raw: bytes(raw).decode()),
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def raw_fields(data):
    """(number, wire type, value) of each field."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 2, 5):
            size = {1: 8, 5: 4}.get(wire)
            if size is None:
                size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("a field runs over the end of its message")
            value, at = data[at : at + size], at + size
        else:
            raise ValueError(f"wire type {wire}")
        yield tag >> 3, wire, value


def unpacked(kind, wire, value):
    """The values of one field of a scalar kind, packed or not."""
    expected, convert = SCALARS[kind]
    if wire == expected:
        return [convert(value)]
    if wire != 2:
        raise ValueError(f"wire type {wire} for {kind}")
    values, at = [], 0
    while at < len(value):
        if expected == 0:
            item, at = varint(value, at)
        else:
            item, at = value[at : at + 4], at + 4
        values.append(convert(item))
    return values


def decode(name, data):
    """The message as a dict of the fields that are present; repeated ones and maps are always there."""
    schema = SCHEMA[name]
    message = {field: [] if kind[0] == "*" else {} for field, kind in schema.values() if kind[0] in "*%"}
    for number, wire, value in raw_fields(data):
        if number not in schema:
            continue
        field, kind = schema[number]
        if kind[0] == "%":
            entry = {n: v for n, _, v in raw_fields(value)}
            message[field][bytes(entry.get(1, b"")).decode()] = decode(kind[1:], entry.get(2, b""))
        elif kind.lstrip("*") in SCALARS:
            values = unpacked(kind.lstrip("*"), wire, value)
            if kind[0] == "*":
                message[field] += values
            else:
                message[field] = values[-1]
        elif kind[0] == "*":
            message[field].append(decode(kind[1:], value))
        else:
            message[field] = decode(kind, value)
    return message


def read(file):
    """(ModelDef as a dict, weights as bytes) of the first model in the file."""
    with open(file, "rb") as stream:
        data = memoryview(stream.read())
    magic, header = bytes(data[:4]), struct.unpack_from("<I", data, 4)[0]
    length = struct.unpack_from("<Q", data, 184)[0]
    if magic != b"IMOD" or header != 256 or length != len(data) - header:
        raise ValueError(f"{file}: magic {magic}, header of {header} bytes, length {length} in {len(data)} bytes")
    count = struct.unpack_from("<I", data, header)[0]
    at = header + 8 + 24 * count  # partitions stand back to back in the order of the table
    partitions = {}
    for k in range(count):
        kind, offset, size = struct.unpack_from("<QQQ", data, header + 8 + 24 * k)
        if offset != at - header - 8 - 24 * count:
            raise ValueError(f"{file}: partition {kind} at offset {offset} does not follow the one before it")
        partitions[kind] = data[at : at + size]
        at += size
    if at > len(data):
        raise ValueError(f"{file}: partitions end at {at}, the file at {len(data)}")
    return decode("ModelDef", partitions[0]), bytes(partitions.get(1, b""))
