"""Makes the TensorFlow models with golden values that the tests keep.

usage: tensorflow_goldens.py [--build BUILD] FOLDER      (the tests read test/parsers/tensorflow)

  models.npz   the models of tensorflow_models.py that are marked so, in the forms of tensorflow_export.py:
               "<model>/<form>/graph", ".../outputs" (names, one a line), ".../<input>", ".../out_<i>"
  saved/       SavedModels with their variables: as Keras exports them, with several signatures and an index that Snappy
               compresses, as text, and of TensorFlow 1; saved.npz has "<model>/<signature>/<input>" and ".../out_<i>"
  dense.pbtxt  a frozen graph as text, whose values are those of keras_dense in saved.npz
Uses the Python environment of compare_tensorflow.py and cramjam beside it.
"""

import argparse
import os
import shutil
import struct
import sys
import zipfile
from pathlib import Path

import compare_onnxruntime as base
import compare_tensorflow as compare

LITTLE = 120_000  # bytes of a graph that is kept


def add(archive, name, array):
    import numpy as np

    with archive.open(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), "w") as member:
        np.lib.format.write_array(member, np.ascontiguousarray(array).reshape(array.shape))


def packed(path):
    return zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)


def write_models(file):
    import numpy as np
    import tensorflow_export as to
    from tensorflow_models import MODELS

    with packed(file) as archive:
        for name, make in MODELS.items():
            if make.__name__ == "make" and not name.startswith("detector"):
                continue  # an application
            case = make()
            if not case.keep:
                continue
            golden = compare.golden_of(case, case.inputs)
            for form in ("frozen", "lowered", "grappler"):
                if form == "lowered" and not case.loops:
                    continue
                graph, outputs = to.frozen(to.traced(case, case.open_batch), form == "lowered")
                if form == "grappler":
                    graph = to.optimised(graph, outputs)
                data = graph.SerializeToString(deterministic=True)
                print(f"{name}/{form}: {len(data)} bytes", flush=True)
                if form != "frozen" and len(data) > LITTLE:
                    continue
                add(archive, f"{name}/{form}/graph", np.frombuffer(data, np.uint8))
                add(archive, f"{name}/{form}/outputs", np.frombuffer("\n".join(outputs).encode(), np.uint8))
                for input_name, array in case.inputs.items():
                    add(archive, f"{name}/{form}/{input_name}", array)
                for i, value in enumerate(golden):
                    add(archive, f"{name}/{form}/out_{i}", value)


# ---- the index of a checkpoint, written again with Snappy ----


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(crc):
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def entries(block):
    """(key, value) of each entry of a block."""
    end = len(block) - 4 - 4 * struct.unpack("<I", block[-4:])[0]
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        rest, at = read_varint(block, at)
        size, at = read_varint(block, at)
        key = key[:shared] + block[at : at + rest]
        yield key, block[at + rest : at + rest + size]
        at += rest + size


def block_of(pairs):
    data, restarts = b"", []
    for key, value in pairs:
        restarts.append(len(data))
        data += varint(0) + varint(len(key)) + varint(len(value)) + key + value
    return data + b"".join(struct.pack("<I", r) for r in restarts) + struct.pack("<I", len(restarts))


def compress_index(path):
    """Writes the index of a checkpoint anew, each block compressed; TensorFlow's own writer leaves them as they are."""
    import cramjam

    old, new = path.read_bytes(), b""

    def put(block):
        nonlocal new
        body = bytes(cramjam.snappy.compress_raw(block)) + b"\x01"
        handle = varint(len(new)) + varint(len(body) - 1)
        new += body + struct.pack("<I", masked(crc32c(body)))
        return handle

    handles = old[-48:-8]
    at = 0
    for _ in range(2):
        _, at = read_varint(handles, at)
    offset, at = read_varint(handles, at)
    size, at = read_varint(handles, at)
    places = []
    for key, handle in entries(old[offset : offset + size]):
        start, after = read_varint(handle, 0)
        length, _ = read_varint(handle, after)
        places.append((key, put(old[start : start + length])))
    footer = put(block_of([])) + put(block_of(places))
    path.write_bytes(new + footer.ljust(40, b"\0") + old[-8:])


# ---- SavedModels ----


def signature_goldens(archive, folder, name, feeds):
    """Runs each signature that TensorFlow finds in the folder."""
    import tensorflow as tf
    from tensorflow.python.saved_model import loader_impl

    meta = loader_impl.parse_saved_model(str(folder)).meta_graphs[0]
    loaded = tf.saved_model.load(str(folder))
    for signature, inputs in feeds.items():
        definition = meta.signature_def[signature]
        results = loaded.signatures[signature](**{k: tf.constant(v) for k, v in inputs.items()})
        for key, array in inputs.items():
            add(archive, f"{name}/{signature}/{definition.inputs[key].name.split(':')[0]}", array)
        for i, key in enumerate(sorted(results)):
            add(archive, f"{name}/{signature}/out_{i}", results[key].numpy())


def write_saved(folder):
    import keras
    import numpy as np
    import tensorflow as tf
    import tensorflow_export as to
    from google.protobuf import text_format
    from tensorflow.core.protobuf import saved_model_pb2
    from tensorflow_models import Case, f32, ids, settle

    saved = folder / "saved"
    shutil.rmtree(saved, ignore_errors=True)
    saved.mkdir(parents=True)
    with packed(folder / "saved.npz") as archive:
        inputs = {"x": f32(3, 5)}
        dense = keras.Sequential([keras.Input((5,), name="x"), keras.layers.Dense(4, activation="relu"),
                                  keras.layers.BatchNormalization(), keras.layers.Dense(2)])  # fmt: skip
        settle(dense, inputs)
        dense.export(str(saved / "keras_dense"), verbose=False)
        loaded = tf.saved_model.load(str(saved / "keras_dense"))
        key = next(iter(loaded.signatures["serving_default"].structured_input_signature[1]))  # the exporter's name of x
        signature_goldens(archive, saved / "keras_dense", "keras_dense", {"serving_default": {key: inputs["x"]}})
        graph, _ = to.frozen(to.traced(Case(dense, inputs), True))
        (folder / "dense.pbtxt").write_text(text_format.MessageToString(graph))

        module = tf.Module()
        module.table, module.scale = tf.Variable(f32(50, 6)), tf.Variable(np.float32(1.5))
        module.shift = tf.Variable(np.arange(6, dtype=np.int32))
        module.encode = tf.function(lambda tokens: {"code": tf.gather(module.table, tokens) * module.scale},
                                    input_signature=[tf.TensorSpec([None], tf.int32, "tokens")])  # fmt: skip
        module.decode = tf.function(lambda code: {"near": tf.argmax(tf.matmul(code, module.table, transpose_b=True), -1),
                                                  "moved": code + tf.cast(module.shift, tf.float32)},
                                    input_signature=[tf.TensorSpec([None, 6], tf.float32, "code")])  # fmt: skip
        signatures = {"encode": module.encode, "decode": module.decode}
        feeds = {"encode": {"tokens": ids(4)}, "decode": {"code": f32(3, 6)}}
        tf.saved_model.save(module, str(saved / "signatures"), signatures=signatures)
        index = saved / "signatures/variables/variables.index"
        compress_index(index)
        signature_goldens(archive, saved / "signatures", "signatures", feeds)  # TensorFlow reads the new index

        shutil.copytree(saved / "signatures", saved / "text")
        binary = saved / "text/saved_model.pb"
        text = text_format.MessageToString(saved_model_pb2.SavedModel.FromString(binary.read_bytes()))
        binary.with_suffix(".pbtxt").write_text(text)
        binary.unlink()
        signature_goldens(archive, saved / "text", "text", feeds)

        v1 = tf.compat.v1
        with v1.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 3], "x")
            w = v1.get_variable("layer/w", initializer=f32(3, 4), use_resource=False)
            b = v1.get_variable("layer/b", initializer=f32(4), use_resource=True)
            y = v1.nn.relu(v1.matmul(x, w) + b, name="layer/y")
            session.run(v1.global_variables_initializer())
            v1.saved_model.simple_save(session, str(saved / "version_1"), {"x": x}, {"y": y})
        signature_goldens(archive, saved / "version_1", "version_1", {"serving_default": {"x": f32(2, 3)}})
    for file in list(saved.rglob("fingerprint.pb")) + list(saved.rglob("assets")):
        shutil.rmtree(file) if file.is_dir() else file.unlink()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=Path, default=base.ROOT / "build")
    parser.add_argument("--only", choices=("models", "saved"))
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    base.environment(arguments.build.resolve() / "venv_tensorflow", [*compare.PACKAGES, "cramjam"])
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    if arguments.only != "saved":
        write_models(arguments.folder / "models.npz")
    if arguments.only != "models":
        write_saved(arguments.folder)


if __name__ == "__main__":
    sys.exit(main())
