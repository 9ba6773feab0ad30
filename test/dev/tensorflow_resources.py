"""Makes the SavedModels of test/parsers/tensorflow/resources/ and resources.npz, what TensorFlow gives for them: lookup
tables, partitioned variables, several graphs, variables that are written, functions that call functions.

usage: tensorflow_resources.py FOLDER

Needs pip's tensorflow (any 2.x).
"""

import pathlib
import shutil
import sys

import numpy as np
import tensorflow as tf
from tensorflow_cases import RAW, f32

v1 = tf.compat.v1
VALUES = {}


def keep(name, inputs, outputs):
    """Inputs by name, outputs in the order of their names."""
    for key, value in inputs.items():
        VALUES[f"{name}/{key}"] = np.asarray(value)
    for i, (_, value) in enumerate(sorted(outputs.items())):
        VALUES[f"{name}/out_{i}"] = np.asarray(value)


def save(folder, name, module, signatures, inputs):
    path = str(folder / name)
    tf.saved_model.save(module, path, signatures=signatures)
    loaded = tf.saved_model.load(path)
    for key in signatures:
        function = loaded.signatures[key]
        # Inputs have the names of the nodes.
        keep(f"{name}/{key}", {f"{key}_{k}": v for k, v in inputs.items()}, function(**{k: tf.constant(v) for k, v in inputs.items()}))


class Tables(tf.Module):
    def __init__(self, folder):
        super().__init__()
        vocabulary = folder / "vocabulary.txt"
        vocabulary.write_text("apple\t3\npear\t5\nplum\t7\n")
        lookup = tf.lookup
        self.words = tf.constant(["plum", "fig", "apple", "pear"])
        self.numbers = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(tf.constant([7, -2, 40], tf.int64), tf.constant([0.5, 1.5, 2.5])), -1.0)
        self.lines = lookup.StaticHashTable(lookup.TextFileInitializer(
            str(vocabulary), tf.string, 0, tf.int64, lookup.TextFileIndex.LINE_NUMBER, delimiter="\t"), -1)  # fmt: skip
        self.prices = lookup.StaticHashTable(lookup.TextFileInitializer(str(vocabulary), tf.string, 0, tf.int64, 1, delimiter="\t"), 0)
        self.buckets = lookup.StaticVocabularyTable(lookup.KeyValueTensorInitializer(tf.constant(["pear", "plum"]), tf.constant([0, 1], tf.int64)), 4)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64, "x")])
    def serve(self, x):
        words = tf.gather(self.words, x % 4)
        return {"a": self.numbers.lookup(x), "b": self.lines.lookup(words), "c": self.prices.lookup(words), "d": self.buckets.lookup(words), "e": self.numbers.size()}


class Writes(tf.Module):
    """Each run of a converted model is a first one."""

    def __init__(self):
        super().__init__()
        self.rows = tf.Variable(f32(4, 3))
        self.total = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([2, 3], tf.float32, "x")])
    def serve(self, x):
        self.total.assign_add(tf.reduce_sum(x))
        self.total.assign(self.total * 3.0)
        before = self.rows.read_value()
        RAW.ResourceScatterAdd(resource=self.rows.handle, indices=tf.constant([2, 2]), updates=x)
        RAW.ResourceScatterDiv(resource=self.rows.handle, indices=tf.constant([0, 1]), updates=x * x + 1.0)
        RAW.ResourceScatterNdSub(ref=self.rows.handle, indices=tf.constant([[3, 0], [3, 2]]), updates=x[:, 1])
        RAW.ResourceScatterMul(resource=self.rows.handle, indices=tf.constant([1]), updates=tf.constant(2.5))
        return {"a": before, "b": self.rows.read_value(), "c": self.total.read_value()}


@tf.function
def halves(x):
    left, right = tf.split(x, 2, 1)
    values, places = tf.math.top_k(right, 2)
    return left, values, places


@tf.function
def nested(x, flag):
    left, values, places = halves(x)
    distinct, numbers = tf.unique(tf.reshape(places, [-1]))
    chosen = tf.cond(flag, lambda: halves(x * 2.0)[1], lambda: values)
    count, total = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + halves(x * tf.cast(i, tf.float32))[0]), [0, left])
    branch = tf.switch_case(count, [lambda: x, lambda: x + 1.0, lambda: x * 2.0, lambda: tf.reverse(x, [1])])
    return distinct, numbers, chosen, total, branch


class Functions(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([2, 6], tf.float32, "x")])
    def serve(self, x):
        names = "abcde"
        return dict(zip(names, nested(x, tf.reduce_sum(x) > 0.0)))


def partitioned(folder):
    """Variables in three parts, saved as parts; one of the old kind."""
    x = f32(2, 10)
    with tf.Graph().as_default(), v1.Session() as session:
        feed = v1.placeholder(tf.float32, [2, 10], "x")
        with v1.variable_scope("layer", partitioner=v1.fixed_size_partitioner(3)):
            weights = v1.get_variable("w", [10, 4], initializer=v1.random_uniform_initializer(-1.0, 1.0, seed=3), use_resource=False)
        bias = v1.get_variable("b", initializer=tf.constant(f32(4)), use_resource=True)
        y = tf.matmul(feed, tf.convert_to_tensor(weights)) + bias
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(folder / "partitioned"), {"x": feed}, {"y": y})
        keep("partitioned/serving_default", {"x": x}, {"y": session.run(y, {feed: x})})


def tagged(folder):
    """Two graphs over one variable."""
    x = f32(3)
    builder = v1.saved_model.Builder(str(folder / "tagged"))
    for tags, factor in ((["train"], 10.0), (["serve", "gpu"], 2.0)):
        with tf.Graph().as_default(), v1.Session() as session:
            feed = v1.placeholder(tf.float32, [3], "x")
            y = feed * v1.get_variable("w", initializer=tf.constant([1.0, 2.0, 3.0])) * factor
            session.run(v1.global_variables_initializer())
            signature = {"serving_default": v1.saved_model.predict_signature_def({"x": feed}, {"y": y})}
            if tags == ["train"]:
                builder.add_meta_graph_and_variables(session, tags, signature)
            else:
                builder.add_meta_graph(tags, signature)
            keep("tagged/" + tags[0], {"x": x}, {"y": session.run(y, {feed: x})})
    builder.save()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    folder = root / "resources"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tables = Tables(folder)
    save(folder, "tables", tables, {"serving_default": tables.serve}, {"x": np.array([7, 3, -2, 40, 8], np.int64)})
    (folder / "vocabulary.txt").unlink()
    writes = Writes()
    save(folder, "writes", writes, {"serving_default": writes.serve}, {"x": f32(2, 3)})
    functions = Functions()
    save(folder, "functions", functions, {"serving_default": functions.serve}, {"x": f32(2, 6)})
    partitioned(folder)
    tagged(folder)
    for fingerprint in folder.glob("*/fingerprint.pb"):
        fingerprint.unlink()  # it changes from run to run and says nothing
    np.savez_compressed(root / "resources.npz", **VALUES)


if __name__ == "__main__":
    main()
