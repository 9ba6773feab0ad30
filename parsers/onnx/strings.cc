// Operators on strings: AscendIR has none that mean the same.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterStringsConverters(ConverterRegistry& registry) {
  registry.AddKeep("RegexFullMatch", 20);
  registry.AddKeep("StringConcat", 20);
  registry.AddKeep("StringNormalizer", 10);
  registry.AddKeep("StringSplit", 20);
  registry.AddKeep("TfIdfVectorizer", 9);
}

}  // namespace atc::onnx_parser
