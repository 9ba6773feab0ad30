"""Makes test/programs/corpus_tf.npz: what TensorFlow gives where the corpus's golden values contradict themselves.

usage: corpus_tf_goldens.py CORPUS OUT.npz

Needs pip's tensorflow (any 2.x). Members are named "<model>/out_<i>". See OTHERWISE in corpus_tf_test.py for the reason.
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
from corpus_tf_test import OTHERWISE, entries  # noqa: E402


def outputs(model, place):
    """The values of all outputs, as TensorFlow's session computes them for the golden inputs."""
    proto = tf.compat.v1.GraphDef.FromString(model.read_bytes())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(proto, name="")
    feeds = {}
    for i, (name, _, _) in enumerate(entries(place, "inputs")):
        tensor = graph.get_tensor_by_name(name + ":0")
        feeds[tensor] = np.load(place / f"in_{i}.npy").astype(tensor.dtype.as_numpy_dtype)
    names = [n if re.search(r":\d+$", n) else n + ":0" for n, _, _ in entries(place, "outputs")]
    return tf.compat.v1.Session(graph=graph).run(names, feeds)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]) / "tf"
    with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as archive:
        for name, numbers in OTHERWISE.items():
            values = outputs(folder / f"{name}.pb", folder / name)
            for k in sorted(numbers):
                member = zipfile.ZipInfo(f"{name}/out_{k}.npy", (1980, 1, 1, 0, 0, 0))
                with archive.open(member, "w") as file:
                    np.lib.format.write_array(file, values[k])


if __name__ == "__main__":
    main()
