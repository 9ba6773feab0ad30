// --bisect: which rewrite first spoils the model.
#include "cmd/atc/run.h"
#include "cmd/atc/sample_inputs.h"
#include "cmd/atc/source.h"
#include "cmd/atc/validate.h"
#include "compiler/bisect.h"
#include "compiler/pipeline.h"

namespace atc::cli {

void FindWrongRewrite(Run& run) {
  CompileOptions options = CheckConversion(run.flags, &run.diagnostics, /*writes=*/false);
  const std::vector<SampleInput> samples = ParseSampleInputs(run.flags.Get("sample_inputs"));
  CheckTargetFlags(run.flags, options);
  options.progress = [&](std::string_view step) { run.Step(step); };
  const std::unique_ptr<Graph> graph = ReadSource(run, options);
  run.Step("bisect");
  const BisectResult result = Bisect(*graph, options, MakeSamples(*graph, samples, &run.diagnostics));
  run.flags.Given("json") ? GiveJson(run, result.Json()) : run.console.Print(result.Text());
  if (result.culprit) run.status = kDiffers;
}

}  // namespace atc::cli
