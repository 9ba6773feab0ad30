#include "cmd/omrun/sample.h"

#include <catch2/catch.hpp>

#include "cmd/omrun/feed.h"
#include "cmd/omrun/batch.h"
#include "cmd/omrun/options.h"
#include "cmd/omrun/shape_text.h"
#include "folder.h"

namespace atc::omrun {
namespace {

const std::vector<TensorInfo> kInputs = {
    {"x", ACL_FLOAT, ACL_FORMAT_ND, {1, 2}, 8},
    {"in:0", ACL_INT32, ACL_FORMAT_ND, {2}, 8},
    {"a=b", ACL_FLOAT, ACL_FORMAT_ND, {-1, 2}, 0},
};
const Signature kSignature = {kInputs, {{"y", ACL_FLOAT, ACL_FORMAT_ND, {1, 2}, 8}}, {}};

// x.npy (float32 [1, 2]), i.npy (int32 [2]), d.npy (float32 [3, 2]), d.bin (24 bytes), and many/s0 to s2.npy.
struct Files : Folder {
  Files() {
    Write("x.npy", FormatNpy(MakeFloats({1, 2}, {1, 2})));
    Write("i.npy", FormatNpy(MakeTensor<int32_t>(ACL_INT32, {2}, {3, 4})));
    Write("d.npy", FormatNpy(MakeFloats({3, 2}, {1, 2, 3, 4, 5, 6})));
    Write("d.bin", std::vector<std::byte>(24));
    for (int i = 0; i < 3; ++i) {
      Write("many/s" + std::to_string(i) + ".npy", FormatNpy(MakeFloats({1, 2}, {float(i), float(10 + i)})));
    }
    Write("many/notes.md", "no tensor");
  }
};

std::vector<Tensor> Load(const Options& options, size_t sample = 0) {
  const Samples samples = MakeSamples(kSignature, options);
  return LoadSample(samples.all.at(sample), kInputs, samples.filling);
}
std::string Fault(const Options& options) {
  return ErrorOf([&] { Load(options); });
}

}  // namespace

TEST_CASE("arguments are split at an input's name, not at any '='") {
  const auto split = [](const char* text) { return SplitArgument(text, kInputs); };
  using Pair = std::pair<std::optional<size_t>, std::string>;
  CHECK(split("x=f.npy") == Pair{0, "f.npy"});
  CHECK(split("x:f.npy") == Pair{0, "f.npy"});
  CHECK(split("x=dir/q=1/f.npy") == Pair{0, "dir/q=1/f.npy"});
  CHECK(split("in:0=f.npy") == Pair{1, "f.npy"});
  CHECK(split("in:0:f.npy") == Pair{1, "f.npy"});
  CHECK(split("a=b=f=1.npy") == Pair{2, "f=1.npy"});
  CHECK(split("q=1/f.npy") == Pair{std::nullopt, "q=1/f.npy"});
  CHECK(split("f.npy") == Pair{std::nullopt, "f.npy"});
  CHECK(split("in=f.npy") == Pair{1, "f.npy"});  // the node alone
  const std::vector<TensorInfo> outputs = {{"mm:0:y", ACL_FLOAT, ACL_FORMAT_ND, {}, 4}, {"mm:1:z", ACL_FLOAT, ACL_FORMAT_ND, {}, 4}};
  CHECK(SplitArgument("z=f.npy", outputs).first == std::optional<size_t>(1));
  CHECK(SplitArgument("mm:0:y:f.npy", outputs).first == std::optional<size_t>(0));
  CHECK_FALSE(SplitArgument("mm=f.npy", outputs).first);  // either
}

TEST_CASE("files go to named inputs, the others in order; lists joined by commas are several") {
  const Files files;
  Options options;
  options.inputs = {files / "x.npy", "a=b=" + files / "d.npy", files / "i.npy"};
  const Samples samples = MakeSamples(kSignature, options);
  CHECK_FALSE(samples.named);
  REQUIRE(samples.all.size() == 1);
  CHECK(samples.all[0].inputs[0].text == files / "x.npy");
  CHECK(samples.all[0].inputs[1].text == files / "i.npy");
  CHECK(Load(options)[2].dims == Dims{3, 2});
  options.inputs = {files / "x.npy" + "," + files / "i.npy" + "," + files / "d.npy"};
  CHECK(ValuesOf<int32_t>(Load(options)[1]) == std::vector<int32_t>{3, 4});
}

TEST_CASE("folders and patterns give a sample a file, and a single source serves all") {
  const Files files;
  Options options;
  for (const char* many : {"many", "many/s*.npy"}) {
    options.inputs = {"x=" + files / many, "in:0=5,6", "a=b=" + files / "d.npy"};
    const Samples samples = MakeSamples(kSignature, options);
    CHECK(samples.named);
    REQUIRE(samples.all.size() == 3);
    CHECK(samples.all[2].name == "s2");
    CHECK(ValuesOf<float>(Load(options, 2)[0]) == std::vector<float>{2, 12});
    CHECK(ValuesOf<int32_t>(Load(options, 2)[1]) == std::vector<int32_t>{5, 6});
  }
  options.fill_given = true;
  options.inputs = {"x=" + files / "many/z*.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("no file matches the pattern"));
  files.Write("two/a.npy", "");
  files.Write("two/b.npy", "");
  options.inputs = {"x=" + files / "many", "in:0=" + files / "two"};
  CHECK_THAT(Fault(options), Catch::Contains("input 'x' has 3 files, input 'in:0' has 2"));
}

TEST_CASE("a mismatch names input, shapes, types and bytes") {
  const Files files;
  Options options;
  options.fill_given = true;
  options.inputs = {"x=" + files / "d.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("input 'x' does not fit: expected float32 [1, 2], 8 bytes, found float32 "
                                             "[3, 2], 24 bytes in '" +
                                             files / "d.npy"));
  options.inputs = {"x=" + files / "i.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("found int32 [2], 8 bytes"));
  options.inputs = {"x=" + files / "d.bin"};
  CHECK_THAT(Fault(options), Catch::Contains("found 24 bytes"));
  options.inputs = {"a=b=" + files / "i.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("expected float32 [?, 2], found int32"));
}

TEST_CASE("wrong names, too many files and missing ones are told") {
  const Files files;
  Options options;
  options.inputs = {"y=" + files / "x.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("neither an input 'y'") && Catch::Contains("'in:0'"));
  options.inputs = {files / "x.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("input 'in:0' is missing: expected int32 [2], 8 bytes"));
  options.inputs = {"x=" + files / "x.npy", "x=" + files / "x.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("twice for input 'x'"));
  options.inputs = {"1.npy", "2.npy", "3.npy", "4.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("'4.npy' has no input to go to"));
  options.fill_given = true;
  options.inputs = {"x=none.npy"};
  CHECK_THAT(Fault(options), Catch::Contains("cannot open 'none.npy'"));
}

TEST_CASE("open shapes come from the file, from --shape, or are 1") {
  const Files files;
  Options options;
  options.fill_given = true;
  CHECK(Load(options)[2].dims == Dims{1, 2});
  for (const char* shape : {"a=b=5,2", "a=b:5x2"}) {
    options.shapes = {shape};
    CHECK(Load(options)[2].dims == Dims{5, 2});
  }
  options.shapes = {"x:1,2;a=b:5,2"};
  CHECK(Load(options)[2].dims == Dims{5, 2});
  options.inputs = {"a=b=" + files / "d.bin"};  // 24 bytes are no 5x2 floats
  CHECK_THAT(Fault(options), Catch::Contains("does not fit"));
  options.shapes = {};
  CHECK(Load(options)[2].dims == Dims{3, 2});  // one open dim follows from the bytes
  options.shapes = {"a=b=5,3"};
  CHECK_THAT(Fault(options), Catch::Contains("--shape [5, 3] for input 'a=b' does not fit its shape [?, 2]"));
  options.shapes = {"a=b=5,"};
  CHECK_THAT(Fault(options), Catch::Contains("no list of dims"));
}

TEST_CASE("ranges of shapes give a sample for each combination") {
  const auto all = ParseShapeRange("a=b:1~2,2;x:1,2", kInputs);
  REQUIRE(all.size() == 2);
  CHECK(all[1].name == "2_2__1_2");
  CHECK(*all[1].dims[2] == Dims{2, 2});
  CHECK(ParseShapeRange("a=b:1-7-4,2", kInputs)[1].name == "7_2");
  CHECK_THAT(ErrorOf([] { ParseShapeRange("a=b:1,3", kInputs); }), Catch::Contains("does not fit its shape [?, 2]"));
  CHECK_THAT(ErrorOf([] { ParseShapeRange("a=b:1~x,2", kInputs); }), Catch::Contains("'1~x' is no dim"));
  CHECK_THAT(ErrorOf([] { ParseShapeRange("a=b:1~20000,2", kInputs); }), Catch::Contains("more than 10000"));
}

TEST_CASE("manifests name the samples, their files and what to compare with") {
  const Files files;
  files.Write("a.json", R"([{"inputs": {"x": "x.npy", "in:0": [5, 6], "a=b": "zero"}, "outputs": {"y": "x.npy"}},
                            {"name": "two", "inputs": ["many/s1.npy", "i.npy", "d.npy"]}])");
  files.Write("a.csv", "name,x,\"in:0\",a=b,expected:y\r\n,x.npy,\"5,6\",zero,x.npy\ntwo,many/s1.npy,i.npy,d.npy,\n");
  files.Write("a.txt", "# samples\nx.npy 5,6 zero -> x.npy\n\nmany/s1.npy i.npy d.npy  # the second\n");
  for (const char* name : {"a.json", "a.csv", "a.txt"}) {
    INFO(name);
    Options options;
    options.manifest = files / name;
    const Samples samples = MakeSamples(kSignature, options);
    CHECK(samples.named);
    REQUIRE(samples.all.size() == 2);
    CHECK(samples.all[0].name == "x");
    CHECK(samples.all[0].references == std::vector<std::string>{files / "x.npy"});
    CHECK(samples.all[1].name == (std::string(name) == "a.txt" ? "s1" : "two"));
    CHECK(samples.all[1].references.empty());
    CHECK(ValuesOf<int32_t>(Load(options)[1]) == std::vector<int32_t>{5, 6});
    CHECK(Load(options, 1)[2].dims == Dims{3, 2});
  }
}

TEST_CASE("faults of a manifest name the place, what was found and what is wanted") {
  const Files files;
  struct Case {
    const char *name, *text, *message;
  };
  const Case cases[] = {
      {"a.json", "[{", "is no JSON"},
      {"a.json", "{}", "no list of samples"},
      {"a.json", "[]", "names no sample"},
      {"a.json", R"([{"x": 1}])", "sample 0: it is no object with \"inputs\""},
      {"a.json", R"([{"inputs": {"q": "x.npy"}}])", "the model has no input 'q'; it has 'x', 'in:0', 'a=b'"},
      {"a.json", R"([{"inputs": ["a", "b", "c", "d"]}])", "names 4 inputs, the model has 3"},
      {"a.json", R"([{"inputs": {"x": "gone.npy"}}])", "which is not there"},
      {"a.json", R"([{"inputs": {}, "label": 1}])", "\"label\" is unknown"},
      {"a.json", R"([{"inputs": {}, "outputs": {"y": "gone.npy"}}])", "output 'y' is to be compared with"},
      {"a.csv", "x,q\n", "line 1: the model has no input 'q'"},
      {"a.csv", "x,in:0\nx.npy\n", "line 2: it has 1 cells, the titles are 2"},
      {"a.csv", "x\n\"x.npy\n", "a quotation mark that is not closed"},
      {"a.txt", "-> x.npy\n", "line 1: it has no input before ->"},
      {"a.txt", "a b c d\n", "is not there"},
      {"a.yml", "", "is no .json, .csv or .txt"},
      {"a.txt", "x.npy\n", "input 'in:0' is missing in sample"},
  };
  for (const Case& c : cases) {
    INFO(c.name << ": " << c.text);
    files.Write(c.name, c.text);
    Options options;
    options.manifest = files / c.name;
    std::string fault = Fault(options);
    if (std::string(c.message).find("missing in sample") != std::string::npos) {
      files.Write(c.name, "x.npy\nx.npy\n");
      fault = Fault(options);
    }
    CHECK_THAT(fault, Catch::Contains(c.message));
  }
}

TEST_CASE("names of samples are told apart, and are names of files") {
  const Files files;
  files.Write("a.json", R"([{"name": "a/b", "inputs": {}}, {"name": "a/b", "inputs": {}}, {"name": "..", "inputs": {}}])");
  Options options;
  options.manifest = files / "a.json";
  options.fill_given = true;
  const Samples samples = MakeSamples(kSignature, options);
  CHECK(samples.all[0].name == "a_b");
  CHECK(samples.all[1].name == "a_b-2");
  CHECK(samples.all[2].name == "sample..");
}

TEST_CASE("samples are joined along dim 0, the last run is filled up, and outputs are parted again") {
  const Files files;
  const std::vector<TensorInfo> inputs = {{"x", ACL_FLOAT, ACL_FORMAT_ND, {2, 2}, 16}, {"k", ACL_FLOAT, ACL_FORMAT_ND, {3}, 12}};
  const std::vector<TensorInfo> parts = PartsOf(inputs, 2);
  CHECK(parts[0].dims == Dims{1, 2});
  CHECK(parts[0].bytes == 8);
  CHECK(parts[1].dims == Dims{3});
  Options options;
  options.inputs = {"x=" + files / "many", "k=1,2,3"};
  const Samples samples = MakeSamples({parts, {}, {}}, options);
  Feed feed(samples, inputs, parts, 2);
  REQUIRE(feed.groups() == 2);
  CHECK(feed.count_of(1) == 1);
  CHECK(ValuesOf<float>((*feed.Load(0))[0]) == std::vector<float>{0, 10, 1, 11});
  CHECK(ValuesOf<float>((*feed.Load(1))[0]) == std::vector<float>{2, 12, 2, 12});
  CHECK(ValuesOf<float>((*feed.Load(1))[1]) == std::vector<float>{1, 2, 3});

  const Tensor output = MakeFloats({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(ValuesOf<float>(Part(output, 2, 0, 2, "y")[1]) == std::vector<float>{4, 5, 6, 7});
  const std::vector<Tensor> columns = Part(output, 2, 1, 2, "y");
  CHECK(columns[1].dims == Dims{2, 2});
  CHECK(ValuesOf<float>(columns[1]) == std::vector<float>{2, 3, 6, 7});
  CHECK_THAT(ErrorOf([&] { Part(output, 3, 0, 3, "y"); }), Catch::Contains("output 'y' [2, 4] has no dim 0 that is a multiple"));
  CHECK_THAT(ErrorOf([&] { PartsOf(inputs, 5); }), Catch::Contains("--batch 5: no input"));
}

}  // namespace atc::omrun
