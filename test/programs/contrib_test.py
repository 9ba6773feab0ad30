"""Operators of domain com.microsoft through atc and omrun, against golden values of ONNX Runtime.

usage: contrib_test.py BUILD [NAME ...]

The models with inputs and outputs are in contrib.npz; test/dev/contrib_goldens.py makes them. Each is converted in origin
precision with all passes and with those alone that decide shapes. Bytes may differ by one, where a quotient lies half way;
floats lie within 1e-5.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
try:
    import numpy as np
except ImportError:
    print("SKIPPED: no python3-numpy")
    sys.exit(77)
from programs import Programs, written_om  # noqa: E402

WAYS = {"all passes": [], "few passes": ["--oo_level=O1"]}


def fault_of(programs, folder, golden, flags):
    """What is wrong with one model; None where nothing is."""
    model, om, out = folder / "m.onnx", folder / "m.om", folder / "out"
    model.write_bytes(golden["model"].tobytes())
    result = programs.atc(model, om, "--precision_mode_v2=origin", *flags)
    if result.status != 0:
        return result.text[-400:]
    words = []
    for key in [key for key in golden if key.startswith("in/")]:
        np.save(folder / f"{key[3:]}.npy", golden[key])
        words += ["--input", f"{key[3:]}={folder / (key[3:] + '.npy')}"]
    result = programs.omrun(written_om(om), *words, "--output", out, "--outfmt", "NPY")
    if result.status != 0:
        return result.text[-400:]
    expected = [golden[key] for key in sorted(key for key in golden if key.startswith("out/"))]
    files = sorted(out.rglob("*.npy"))
    if len(files) != len(expected):
        return f"{len(files)} outputs, wanted {len(expected)}"
    for file, value in zip(files, expected):
        found = np.load(file)
        if found.dtype != value.dtype or found.shape != value.shape:
            return f"{found.dtype} {found.shape}, wanted {value.dtype} {value.shape}"
        most = 1 if value.dtype.kind in "iu" else 1e-5 * max(1.0, np.abs(value).max())
        if np.abs(found.astype(np.float64) - value.astype(np.float64)).max() > most:
            return f"{np.abs(found.astype(np.float64) - value.astype(np.float64)).max()} off"
    return None


def main():
    programs = Programs(sys.argv[1])
    goldens = {}
    with np.load(Path(__file__).with_name("contrib.npz")) as file:
        for key in file.files:
            name, rest = key.split("/", 1)
            goldens.setdefault(name, {})[rest] = file[key]
    faults = 0
    for name in sys.argv[2:] or sorted(goldens):
        for way, flags in WAYS.items():
            with tempfile.TemporaryDirectory() as folder:
                fault = fault_of(programs, Path(folder), goldens[name], flags)
            if fault:
                faults += 1
                print(f"{name}, {way}: {fault}")
    print(f"{len(goldens)} models, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
