// --bisect: which rewrite first spoils the model.
#include <algorithm>

#include "cmd/atc/run.h"
#include "cmd/atc/sample_inputs.h"
#include "cmd/atc/source.h"
#include "cmd/atc/validate.h"
#include "compiler/bisect.h"
#include "compiler/clone_gears.h"
#include "compiler/ir/error.h"
#include "compiler/ir/gears.h"
#include "compiler/pipeline.h"

namespace atc::cli {
namespace {

// The copies of gears are rewritten alike: the search is made in the first one that takes the shapes of the samples.
void FixGear(const std::vector<SampleInput>& samples, Graph& graph, CompileOptions& options) {
  const GearOptions gears = GearOptionsOf(options);
  if (gears.kind == GearKind::kNone) return;
  const std::vector<NodeId> inputs = graph.Inputs();
  const std::vector<Tensor> tensors = MakeSamples(graph, samples, nullptr);
  const auto from_file = [&](const std::string& name) {
    return std::any_of(samples.begin(), samples.end(),
                       [&](const SampleInput& s) { return s.name == name && !s.file.empty(); });
  };
  for (const std::vector<Shape>& shapes : SourceGearShapes(graph, options)) {
    bool fits = true;
    for (size_t i = 0; i < inputs.size(); ++i)
      fits &= !from_file(graph.node(inputs[i]).name) || tensors[i].shape() == shapes[i];
    if (!fits) continue;
    for (size_t i = 0; i < inputs.size(); ++i) {
      TensorDesc& desc = graph.desc(graph.node(inputs[i]).outputs[0]);
      desc.SetShape(shapes[i]);
      desc.ranges.clear();
      desc.symbols.clear();
    }
    for (const char* key : {"ge.dynamicBatchSize", "ge.dynamicImageSize", "ge.dynamicDims"})
      options.ge_options.erase(key);
    return;
  }
  throw Error("E10001",
              {{"value", samples[0].file},
               {"parameter", "--sample_inputs"},
               {"reason", "The samples have the shapes of no gear, which are " + GearsText(gears.sizes) + "."}});
}

}  // namespace

void FindWrongRewrite(Run& run) {
  CompileOptions options = CheckConversion(run.flags, &run.diagnostics, /*writes=*/false);
  const std::vector<SampleInput> samples = ParseSampleInputs(run.flags.Get("sample_inputs"));
  CheckTargetFlags(run.flags, options);
  options.progress = [&](std::string_view step) { run.Step(step); };
  const std::unique_ptr<Graph> graph = ReadSource(run, options);
  FixGear(samples, *graph, options);
  run.Step("bisect");
  const BisectResult result = Bisect(*graph, options, MakeSamples(*graph, samples, &run.diagnostics));
  run.flags.Given("json") ? GiveJson(run, result.Json()) : run.console.Print(result.Text());
  if (result.culprit) run.status = kDiffers;
}

}  // namespace atc::cli
