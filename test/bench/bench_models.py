"""The models that compare.py measures, made or found once and kept in a folder with all dims fixed.

They come from the corpus beside the checkout (OPENATC_CORPUS, else ../shared/corpus): the light models of the ONNX
backend tests, the models that its fetch.sh brings, and those that its author_models.py writes.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from programs import corpus_model  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


class Model:
    """`dims`: the shape of each input that the file leaves open; `values`: what inputs hold that must not be random;
    `open_file`: the file keeps its open dims, since engines refuse it with others."""

    def __init__(self, name, kind, source, dims=None, values=None, open_file=False):
        self.name, self.kind, self.source, self.dims, self.values = name, kind, source, dims or {}, values or {}
        self.open_file = open_file

    def __repr__(self):
        return self.name


_IMAGE = {"input": [1, 3, 224, 224]}
_TEXT = {"input_ids": [1, 128], "attention_mask": [1, 128], "token_type_ids": [1, 128]}
MODELS = [
    Model("resnet50", "fp32", ("light", "light_resnet50")),
    Model("mobilenet_v2", "fp32", ("author", "mobilenet_v2"), _IMAGE),
    Model("squeezenet", "fp32", ("light", "light_squeezenet")),
    Model("inception_v1", "fp32", ("light", "light_inception_v1")),
    Model("shufflenet", "fp32", ("light", "light_shufflenet")),
    Model("ppocr_rec", "fp32", ("corpus", "ppocr_rec"), {"x": [1, 3, 48, 320]}),
    Model("ppocr_cls", "fp32", ("corpus", "ppocr_cls"), {"x": [1, 3, 48, 192]}),
    Model("mlsd_320", "fp32", ("corpus", "mlsd_320_tiny")),
    Model("blazeface", "fp32", ("corpus", "blazeface_front")),
    Model("bert_l6_h384", "fp32", ("author", "bert_l6_h384"), _TEXT, {"attention_mask": 1, "token_type_ids": 0}),
    Model("gru_audio", "fp32", ("author", "gru_audio"), {"mel": [1, 80, 100]}),
    Model("silero_v5", "fp32", ("corpus", "silero_v5"), {"input": [1, 512], "state": [2, 1, 128], "sr": []}, {"sr": 16000},
          open_file=True),  # fmt: skip
    Model("mobilenet_v2_qdq", "int8", ("author", "mobilenet_v2_qdq"), _IMAGE),
    Model("resnet50_qdq", "int8", ("author", "resnet50_qdq"), _IMAGE),
    Model("resnet50_author", "conversion", ("author", "resnet50"), _IMAGE),
]
# Models that are worth counting tasks of, though not all of them worth measuring.
MORE_MODELS = [
    Model("alexnet", "fp32", ("light", "light_bvlc_alexnet")),
    Model("densenet121", "fp32", ("light", "light_densenet121")),
    Model("inception_v2", "fp32", ("light", "light_inception_v2")),
    Model("vgg19", "fp32", ("light", "light_vgg19")),
    Model("zfnet512", "fp32", ("light", "light_zfnet512")),
    Model("embedding", "fp32", ("corpus", "embedding"), {"input_1": [1, 76, 32, 1]}),
    Model("hey_jarvis", "fp32", ("corpus", "hey_jarvis")),
    Model("melspectrogram", "fp32", ("corpus", "melspectrogram"), {"input": [1, 16000]}),
    Model("mobilenet_v2_fp16", "fp16", ("author", "mobilenet_v2_fp16"), _IMAGE),
]


def corpus():
    return Path(os.environ.get("OPENATC_CORPUS", ROOT.parent / "shared" / "corpus"))


def _light(name, folder):
    """From the corpus, else from the backend tests in the onnx package, which has more of them."""
    import onnx

    packaged = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / f"{name}.onnx"
    archive = corpus() / "onnx_backend_tests.tar.zst"
    found = subprocess.run(["tar", "--zstd", "-xf", archive, "-C", folder, f"light/{name}.onnx"],
                           stderr=subprocess.DEVNULL).returncode == 0  # fmt: skip
    if not found and not packaged.is_file():
        raise FileNotFoundError(f"{name}: neither in {archive} nor in the package onnx")
    return folder / "light" / f"{name}.onnx" if found else packaged


def _authored(name, folder):
    file = folder / "authored" / f"{name}.onnx"
    if not file.is_file():
        subprocess.run([sys.executable, corpus() / "tools" / "author_models.py", file.parent, name], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
    return file


def _fix_dims(model, source, file):
    import onnx

    proto = onnx.load(source)
    constants = {i.name for i in proto.graph.initializer}
    for value in proto.graph.input:
        dims = model.dims.get(value.name)
        if value.name in constants or dims is None or model.open_file:
            continue
        shape = value.type.tensor_type.shape
        del shape.dim[:]
        for dim in dims:
            shape.dim.add().dim_value = dim
    onnx.save(proto, file)


def prepare(model, folder):
    """The file of `model` with fixed dims, in `folder`; throws FileNotFoundError or CalledProcessError without it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{model.name}.onnx"
    if file.is_file():
        return file
    where, name = model.source
    source = {"light": _light, "author": _authored, "corpus": lambda n, _: corpus_model(n)}[where](name, folder)
    if source is None:
        raise FileNotFoundError(f"{name}: {corpus()}/fetch.sh brings it")
    _fix_dims(model, source, file)
    return file


def make_feed(model, file, seed=1):
    """Seeded arrays for the inputs of the prepared file, by name in its order."""
    import numpy as np
    import onnx

    random = np.random.default_rng(seed)
    graph = onnx.load(file, load_external_data=False).graph
    constants = {i.name for i in graph.initializer}
    feed = {}
    for value in graph.input:
        if value.name in constants:
            continue
        tensor = value.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        dims = model.dims.get(value.name, [d.dim_value for d in tensor.shape.dim])
        if value.name in model.values:
            feed[value.name] = np.full(dims, model.values[value.name], dtype)
        elif np.issubdtype(dtype, np.integer):
            feed[value.name] = random.integers(0, 100, dims).astype(dtype)
        else:
            feed[value.name] = random.random(dims).astype(dtype)
    return feed
