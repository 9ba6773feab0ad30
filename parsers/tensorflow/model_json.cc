#include "parsers/tensorflow/model_json.h"

#include "compiler/io/reflect_json.h"
#include "parsers/tensorflow/read_model.h"

namespace atc {

void WriteTensorFlowJson(const std::string& path, ByteSink& out) try {
  WriteJson(tf_parser::ReadWholeGraph(path), JsonStyle{}, out);
} catch (Error& error) {
  error.At(tf_parser::Called(path));
  throw;
}

}  // namespace atc
