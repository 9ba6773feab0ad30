"""--report: the page is whole, says what the conversion did, and its pictures do not contradict each other.

usage: html_report_test.py BUILD
"""

import sys
import tempfile
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import onnx_wire  # noqa: E402
from onnx_wire import FLOAT, field, floats, node, tensor, value_info  # noqa: E402
from programs import Programs  # noqa: E402

VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """Tags that close, boxes of each picture, rows of the tables, addresses of other files."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.boxes, self.rows, self.links = [], [], {}, [], []
        self.picture = None
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> stays open" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.links += [v for k, v in attrs.items() if k in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "svg":
            self.picture = attrs["aria-label"]
            self.boxes[self.picture] = []
        elif tag == "rect":
            self.boxes[self.picture].append([float(attrs[k]) for k in ("x", "y", "width", "height")])
        elif tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if "td" in self.open:
            self.rows[-1][-1] += data


def write_branches(file):
    """y = sum of three products of x[64,64], of which one has a name that HTML and UTF-8 would stumble over."""
    names = ["left", 'a<b>&"c\udcff', "right"]
    graph = field(2, "branches")
    for i, name in enumerate(names):
        graph += field(1, node("MatMul", ["x", f"w{i}"], [f"m{i}"], name=name.encode("utf-8", "surrogateescape")))
        graph += field(5, tensor(f"w{i}", FLOAT, [64, 64], floats(64 * 64, i)))
    graph += field(1, node("Sum", ["m0", "m1", "m2"], ["y"], name="sum"))
    graph += field(11, value_info("x", FLOAT, [64, 64])) + field(12, value_info("y", FLOAT, [64, 64]))
    file.write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13)))


def overlap(a, b):
    apart = 0.02  # figures have two digits
    return all(a[k] + a[k + 2] > b[k] + apart and b[k] + b[k + 2] > a[k] + apart for k in (0, 1))


def page_of(programs, flags, file, *more):
    result = programs.run(*flags, f"--report={file}", *more)
    assert result.status == 0, result.text
    page = Page(file.read_text(encoding="utf-8"))
    assert not page.faults and not page.links, (page.faults, page.links)
    return page


def main():
    programs = Programs(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        small, branches = folder / "small.onnx", folder / "branches.onnx"
        onnx_wire.write_small_model(small)
        write_branches(branches)
        flags = [[programs.bin / "atc", f"--model={m}", "--framework=5", "--soc_version=Ascend910B3"] for m in (small, branches)]

        page = page_of(programs, flags[0], folder / "small.html")
        assert not list(folder.glob("*.om")), "looking writes an om"
        assert ["time of each stage", "predicted run", "memory plan"] == list(page.boxes), list(page.boxes)
        assert any("Conv_node" in row[-1] and "Relu_node" in row[-1] for row in page.rows if len(row) == 8), page.rows
        text = (folder / "small.html").read_text(encoding="utf-8")
        assert "<h2>Formats</h2>" in text and "Results by storage format" in text, text
        moves = [row for row in page.rows if len(row) == 9]
        assert moves and all(row[1] in ("TransData", "Transpose") and row[6] in ("view", "task") for row in moves), page.rows
        clashes = [pair for pair in combinations(page.boxes["memory plan"], 2) if overlap(*pair)]
        assert page.boxes["memory plan"] and not clashes, f"buffers overlap: {clashes}"

        page = page_of(programs, flags[1], folder / "sub" / "branches.html", "--multi_stream_parallel_mode=LoadBalance:3",
                       f"--output={folder}/branches")  # fmt: skip
        assert (folder / "branches.om").exists()
        assert any('a<b>&"c\ufffd' in row[0] for row in page.rows if len(row) == 8), page.rows
        lanes = {box[1] for box in page.boxes["predicted run"] if box[3] == 26}
        streams = {row[3] for row in page.rows if len(row) == 8} - {""}
        assert len(lanes) == len(streams) > 1, (lanes, streams)
        clashes = [pair for pair in combinations(page.boxes["predicted run"], 2) if overlap(*pair)]
        assert not clashes, f"tasks of one stream overlap: {clashes}"

        wrong = programs.run(*flags[0], "--report=/proc/none/x.html")
        assert wrong.status == 255 and "/proc/none" in wrong.text, wrong.text
    print("pages are whole")


if __name__ == "__main__":
    main()
