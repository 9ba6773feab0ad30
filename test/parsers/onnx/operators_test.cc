// Every operator of every version that the ONNX library knows has a converter.
#include <onnx/defs/schema.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {
namespace {

TEST_CASE("every operator version of the ONNX library has a converter") {
  std::vector<std::string> missing;
  size_t versions = 0;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (schema.deprecated()) continue;
    ++versions;
    if (ConverterRegistry::Get().Find(schema.Name(), schema.SinceVersion(), schema.domain()) == nullptr) {
      missing.push_back(schema.domain() + "::" + std::to_string(schema.SinceVersion()) + "::" + schema.Name());
    }
  }
  CHECK(versions > 400);
  std::sort(missing.begin(), missing.end());
  CHECK(missing == std::vector<std::string>{});
}

}  // namespace
}  // namespace atc::onnx_parser
