"""Finds the corpus and reads its models and golden values."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx

# The models without control flow, and the input shape that each is converted for ("" where the file fixes it).
INPUT_SHAPES = {
    "blazeface_front": "",
    "embedding": "input_1:1,76,32,1",
    "melspectrogram": "input:1,16000",
    "mlsd_320_tiny": "",
    "ppocr_cls": "x:1,3,48,192",
    "ppocr_rec": "x:1,3,48,320",
}
STRAIGHT = list(INPUT_SHAPES)
# The models with control flow.
CONTROL_FLOW = {
    "hey_jarvis": "",
    "silero_v5": "input:1,512;state:2,1,128",
}


def folder():
    """The corpus; exits with status 77 when there is none."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "corpus"
    place = Path(os.environ.get("OPENATC_CORPUS", beside))
    if not (place / "models.tsv").is_file():
        print(f"SKIPPED: no corpus at {place}; set OPENATC_CORPUS (see test/README.md)")
        sys.exit(77)
    return place


def model_file(name):
    """The ONNX file, fetched when it is not there yet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "openatc-corpus"
    file = cache / f"{name}.onnx"
    if not file.is_file():
        subprocess.run([str(folder() / "fetch.sh")], check=True, stdout=subprocess.DEVNULL)
    return file


def names_of(name):
    """(input names, output names) of the golden files, in their order."""
    names = json.loads((folder() / "onnx_golden" / name / "names.json").read_text())
    return tuple([entry.rsplit(":", 1)[0] for entry in names[kind]] for kind in ("inputs", "outputs"))


def goldens(name):
    """({input name: array}, [output arrays])."""
    place = folder() / "onnx_golden" / name
    inputs, outputs = names_of(name)
    feeds = {n: np.load(place / f"in_{i}.npy") for i, n in enumerate(inputs)}
    return feeds, [np.load(place / f"out_{i}.npy") for i in range(len(outputs))]


def load(name):
    """(model, {input name: array}, [golden output arrays])."""
    feeds, outputs = goldens(name)
    return onnx.load(str(model_file(name))), feeds, outputs
