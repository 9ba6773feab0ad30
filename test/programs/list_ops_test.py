"""Compares atc --list_ops with the table that is checked in, and tries its filters.

usage: list_ops_test.py BUILD
"""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))
from programs import Programs  # noqa: E402

TABLE = ROOT / "parsers" / "onnx" / "OPERATORS.md"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    programs = Programs(sys.argv[1])
    with tempfile.TemporaryDirectory() as empty:

        def listed(*flags):
            done = programs.run(programs.bin / "atc", *flags, environment={"ASCEND_OPP_PATH": empty})
            return done.status, done.text

        status, text = listed("--list_ops")
        assert status == 0, text
        if text != TABLE.read_text():
            sys.exit(f"{TABLE.relative_to(ROOT)} is out of date: write it anew with\n"
                     f"  ASCEND_OPP_PATH=/nowhere {programs.bin}/atc --list_ops > {TABLE.relative_to(ROOT)}")  # fmt: skip
        status, text = listed("--list_ops", "--json")
        assert status == 0, text
        operators = json.loads(text)
        assert len(operators) > 200 and all(one["opsets"] and one["ascendir"] and one["engines"] for one in operators)
        assert not any(name == "unknown" for one in operators for name in one["device"])
        status, text = listed("--list_ops=conv*", "--json")
        assert [one["operator"] for one in json.loads(text)] == ["Conv", "ConvInteger", "ConvTranspose"], text
        status, text = listed("--list_ops=ai.onnx.ml::*", "--json")
        assert {one["domain"] for one in json.loads(text)} == {"ai.onnx.ml"}, text
        status, text = listed("--list_ops=NoSuchThing")
        assert status != 0 and "NoSuchThing" in text, text
    print("the list of operators is as checked in")


main()
