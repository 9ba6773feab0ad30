// A pass that takes each Sub apart, rightly but for the one called "n137": OPENATC_TEST_FAULT says in which way that is
// wrong.
#include <cstdlib>
#include <string>

#include "es_all_ops.h"
#include "ge/fusion/pass/decompose_pass.h"

using namespace ge;
using namespace fusion;

class SubByNeg : public DecomposePass {
 public:
  using DecomposePass::DecomposePass;

 protected:
  GraphUniqPtr Replacement(const GNode& node) override {
    AscendString name;
    if (node.GetName(name) != GRAPH_SUCCESS) return nullptr;
    const char* wanted = std::getenv("OPENATC_TEST_FAULT");
    const std::string fault = wanted != nullptr && name == "n137" ? wanted : "none";
    auto builder = es::EsGraphBuilder("replacement");
    auto [a, b] = builder.CreateInputs<2>();
    if (fault == "swapped inputs") return builder.BuildAndReset({es::Add(b, es::Neg(a))});
    if (fault == "dropped node") return builder.BuildAndReset({es::Add(a, b)});
    if (fault == "wrong constant") return builder.BuildAndReset({es::Add(es::Add(a, es::Neg(b)), builder.CreateScalar(0.25f))});
    return builder.BuildAndReset({es::Add(a, es::Neg(b))});
  }
};
REG_DECOMPOSE_PASS(SubByNeg, {"Sub"}).Stage(CustomPassStage::kAfterInferShape);
