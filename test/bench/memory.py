"""Lists how near the memory plans of the corpus come to their lower bounds.

usage: memory.py BUILD [--precisions LIST] [--modes LIST] [--models NAME,...]

Each model of the corpus, ONNX and TensorFlow, where it is at hand, is converted in each precision and stream mode and
checked with --check_om. A line shows the bytes planned, how far they are above the bound, the bound's kind, and what the check says.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from programs import Programs, corpus_model  # noqa: E402

MEMORY = re.compile(r"memory (\d+) B .*?([\d.]+) % above the lower bound of (\d+) B \((.*?)\)")
ROOT = Path(__file__).resolve().parent.parent.parent


def corpus():
    folder = Path(os.environ.get("OPENATC_CORPUS", ROOT.parent / "shared" / "corpus"))
    if (folder / "models.tsv").is_file():
        rows = [line.split("\t") for line in (folder / "models.tsv").read_text().splitlines()[1:]]
        for row in rows:
            if file := corpus_model(row[0]):
                yield row[0], [f"--model={file}", "--framework=5", *([f"--input_shape={row[4]}"] if row[4] else [])]
    for file in sorted((folder / "tf").glob("*.pb")) if folder.is_dir() else []:
        yield f"tf/{file.stem}", [f"--model={file}", "--framework=3", *shapes(folder / "tf" / file.stem)]


def shapes(golden):
    """--input_shape from the golden inputs of a TensorFlow model."""
    if not (golden / "names.json").is_file():
        return []
    names = json.loads((golden / "names.json").read_text())["inputs"]
    parts = [re.match(r"(.*?):\w*\[(.*)\]$", name) for name in names]
    return ["--input_shape=" + ";".join(f"{part[1]}:{part[2].replace('x', ',')}" for part in parts)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--precisions", default="origin,fp16")
    parser.add_argument("--modes", default="none,cv,LoadBalance:4")
    parser.add_argument("--models", default="")
    given = parser.parse_args()
    programs = Programs(given.build)
    print(f"{'model':28} {'precision':9} {'mode':14} {'bytes':>12} {'above':>8} {'bound':8} {'check':>24}")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in corpus():
            if given.models and not any(name.startswith(wanted) for wanted in given.models.split(",")):
                continue
            for precision in given.precisions.split(","):
                for mode in given.modes.split(","):
                    om = Path(folder) / "model.om"
                    parallel = [] if mode == "none" else [f"--multi_stream_parallel_mode={mode}"]
                    done = programs.run(programs.bin / "atc", *flags, *parallel, f"--precision_mode_v2={precision}", f"--output={om.with_suffix('')}", "--soc_version=Ascend910B3")  # fmt: skip
                    found = MEMORY.search(done.text)
                    if done.status != 0 or not found:
                        reason = "shapes stay unknown" if done.status == 0 else (re.findall(r"E\d{5}", done.text) or ["failed"])[0]
                        print(f"{name:28} {precision:9} {mode:14} {reason}", flush=True)
                        break
                    checked = programs.run(programs.bin / "atc", f"--check_om={om}").text.strip().splitlines()
                    above = float(found[2])
                    worst = max(worst, above)
                    print(f"{name:28} {precision:9} {mode:14} {int(found[1]):12} {above:6.1f} % {found[4][:8]:8} {checked[0] if checked else ''}", flush=True)
    print(f"most above the bound: {worst:.1f} %")


if __name__ == "__main__":
    main()
