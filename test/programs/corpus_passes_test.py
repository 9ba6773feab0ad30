"""The corpus models with passes switched off, in origin precision, against golden values of another runtime.

usage: corpus_passes_test.py BUILD [each]

Without more all passes are off at once; with `each` every pass that rewrites something in a model is off in turn, after
a conversion with all of them: what finds nothing changes nothing. The tolerance is that of corpus_test.py.
"""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))
sys.path.insert(0, str(ROOT / "test" / "dev"))
try:
    import numpy as np  # noqa: F401
    import onnx  # noqa: F401
except ImportError:
    print("SKIPPED: no python3-numpy or python3-onnx")
    sys.exit(77)
import corpus  # noqa: E402
from corpus_test import beyond, convert_and_run  # noqa: E402
from numpy_evaluator import evaluate  # noqa: E402
from programs import Programs  # noqa: E402


def pass_names():
    """The names of all passes of the pipeline."""
    text = (ROOT / "compiler" / "pipeline.cc").read_text()
    lists = re.findall(r"constexpr Pass k\w+\[\] = \{(.*?)\};", text, re.S)
    alone = re.findall(r'constexpr char k\w+\[\] = "(\w+Pass)";', text)  # passes in no list
    return sorted({name for part in lists for name in re.findall(r'\{"(\w+)"', part)} | set(alone))


def working_passes(folder, names):
    """The passes that rewrote something in the last conversion."""
    newest = max(folder.glob("FE/*/fusion_result.json"), key=lambda file: file.stat().st_mtime)
    result = json.loads(newest.read_text())["session_and_graph_id_0_0"]
    counts = result["graph_fusion"] | result["ub_fusion"]
    return [name for name in names if int(counts.get(name, {"effect_times": "0"})["effect_times"]) > 0]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    programs = Programs(sys.argv[1])
    names = pass_names()
    each = sys.argv[2:] == ["each"]
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["ASCEND_WORK_PATH"] = scratch  # where fusion_result.json goes
        for model in corpus.INPUT_SHAPES | corpus.CONTROL_FLOW:
            _, goldens = corpus.goldens(model)
            # Where evaluations in float32 differ among themselves, a float64 one says by how much.
            exact = goldens if model in corpus.CONTROL_FLOW else evaluate(*corpus.load(model)[:2], "float64")

            def check(passes, label):
                switches = ["--optimization_switch=" + ";".join(f"{name}:off" for name in passes)] if passes else []
                found = convert_and_run(programs, model, "origin", Path(scratch), *switches)
                misses = [beyond(f, g, e) if f.shape == g.shape else g.size for f, g, e in zip(found, goldens, exact)]
                ok = len(found) == len(goldens) and not any(misses)
                print(f"{'ok' if ok else 'WRONG'} {model} {label}: {misses} values beyond tolerance", flush=True)
                return not ok

            if not each:
                wrong += check(names, f"without all {len(names)} passes")
                continue
            wrong += check([], "with all passes")
            for name in working_passes(Path(scratch), names):
                wrong += check([name], f"without {name}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
