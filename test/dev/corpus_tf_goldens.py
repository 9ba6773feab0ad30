"""Makes test/programs/corpus_tf.npz: what TensorFlow gives where the corpus's golden values contradict themselves or lack.

usage: corpus_tf_goldens.py CORPUS OUT.npz

Needs pip's tensorflow (any 2.x). Members are named "<model>/out_<i>". See OTHERWISE and TEXTS in corpus_tf_test.py.
"""

import os
import re
import sys
import zipfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from corpus_tf_test import OTHERWISE, TEXTS, entries  # noqa: E402


def graph_of(model):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(tf.compat.v1.GraphDef.FromString(model.read_bytes()), name="")
    return graph


def outputs(model, place):
    """The values of all outputs, as TensorFlow's session computes them for the golden inputs."""
    graph, feeds = graph_of(model), {}
    for i, (name, _, _) in enumerate(entries(place, "inputs")):
        tensor = graph.get_tensor_by_name(name + ":0")
        feeds[tensor] = np.load(place / f"in_{i}.npy").astype(tensor.dtype.as_numpy_dtype)
    names = [n if re.search(r":\d+$", n) else n + ":0" for n, _, _ in entries(place, "outputs")]
    return tf.compat.v1.Session(graph=graph).run(names, feeds)


def outputs_of_texts(model, entry, texts, names):
    values = tf.compat.v1.Session(graph=graph_of(model)).run(names, {entry + ":0": np.array(texts, object)})
    return [np.char.decode(v.astype(bytes), "utf-8") if v.dtype == object else v for v in values]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]) / "tf"
    with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name, k, value):
            with archive.open(zipfile.ZipInfo(f"{name}/out_{k}.npy", (1980, 1, 1, 0, 0, 0)), "w") as file:
                np.lib.format.write_array(file, value)

        for name, numbers in OTHERWISE.items():
            values = outputs(folder / f"{name}.pb", folder / name)
            for k in sorted(numbers):
                add(name, k, values[k])
        for name, how in TEXTS.items():
            for k, value in enumerate(outputs_of_texts(folder / f"{name}.pb", *how)):
                add(name, k, value)


if __name__ == "__main__":
    main()
