"""The same model and flags give the same om, whatever the folder, threads, locale, zone or CPU.

usage: reproducible_test.py BUILD
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import onnx_wire  # noqa: E402
from programs import Programs, corpus_model  # noqa: E402

ENVIRONMENTS = {
    "1 thread": {"OMP_NUM_THREADS": "1"},
    "2 threads": {"OMP_NUM_THREADS": "2"},
    "AVX2": {"DNNL_MAX_CPU_ISA": "AVX2"},
    "another zone and home": {"TZ": "Asia/Tokyo", "HOME": "/nowhere"},
}


def comma_locale(folder):
    """Environment of a locale that writes decimal commas, compiled into the folder; {} where that cannot be done."""
    target = folder / "de_DE.UTF-8"
    if shutil.which("localedef"):
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", target], capture_output=True)
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"} if target.is_dir() else {}


def digests(programs, model, flags, folder):
    """{variant: SHA-256 of the om}."""
    variants = {"plain": {}, **ENVIRONMENTS, "decimal commas": comma_locale(folder) or {"LC_ALL": "C"}}
    found = {}
    for k, (name, environment) in enumerate(variants.items()):
        place = folder / f"{k}" / ("deeper/" * k)  # each from another folder, given relatively and absolutely
        place.mkdir(parents=True)
        shutil.copy(model, place / "model.onnx")
        given = "model.onnx" if k % 2 else place / "model.onnx"
        om = place / "model.om"
        result = programs.atc(given, "model.om" if k % 2 else om, *flags, environment=environment, folder=place)
        if result.status != 0:
            sys.exit(f"{name}: exit status {result.status}\n{result.text}")
        found[name] = hashlib.sha256(om.read_bytes()).hexdigest()
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    programs = Programs(sys.argv[1])
    wrong = False
    with tempfile.TemporaryDirectory() as scratch:
        small = Path(scratch) / "small.onnx"
        onnx_wire.write_small_model(small)
        models = {"small": (small, [])}
        recogniser = corpus_model("ppocr_rec")
        if recogniser:
            models["ppocr_rec"] = (recogniser, ["--input_shape=x:1,3,48,320"])
        for name, (model, shape) in models.items():
            for mode in ("fp16", "origin"):
                with tempfile.TemporaryDirectory() as folder:
                    found = digests(programs, model, [*shape, f"--precision_mode_v2={mode}"], Path(folder))
                same = len(set(found.values())) == 1
                wrong |= not same
                print(f"{name} {mode}: {len(found)} conversions, {'the same bytes' if same else 'DIFFERENT bytes'}")
                if not same:
                    print("\n".join(f"  {digest[:16]} {variant}" for variant, digest in found.items()))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
