"""Writes the dictionary that some builds of the recogniser carry in the ONNX file's metadata.

usage: dictionary_of.py MODEL.onnx DICTIONARY.txt

ModelProto.metadata_props is field 14, a StringStringEntryProto {key = 1, value = 2}; the key is "character".
The few lines of wire format below spare the quickstart the onnx package.
"""

import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field; bytes for length-delimited ones, int for the others."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = 8 if kind == 1 else 4
            if kind == 2:
                size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        yield tag >> 3, value


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        model = memoryview(file.read())
    for number, value in fields(model):
        entry = dict(fields(value)) if number == 14 else {}
        if bytes(entry.get(1, b"")) == b"character":
            with open(sys.argv[2], "wb") as file:
                file.write(bytes(entry[2]))
            return
    sys.exit(f"dictionary_of.py: {sys.argv[1]} has no metadata entry 'character'")


main()
