#include "compiler/om/summary.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "compiler/ir/error.h"
#include "compiler/om/writer.h"
#include "test/compiler/om/sample_model.h"

namespace atc {
namespace {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    close(mkstemp(path_));
    std::ofstream(path_) << content;
  }
  ~TemporaryFile() { unlink(path_); }
  std::string path() const { return path_; }

 private:
  char path_[32] = "/tmp/openatc_summary_XXXXXX";
};

TEST_CASE("the summary of an om gives its attributes and the sizes of its partitions") {
  OmModel model = SampleModel();
  model.memory_size = 4096;
  model.zero_copy_memory_size = 512;
  model.stream_num = 2;
  model.event_num = 1;
  model.attrs.Set("atc_cmdline", "atc --model=m.onnx");
  model.attrs.Set("soc_version", "Ascend910B3");
  const std::string bytes = WriteOm(model);
  const OmSummary summary = ReadOmSummary(TemporaryFile(bytes).path());
  CHECK(summary.atc_cmdline == "atc --model=m.onnx");
  CHECK(summary.soc_version == "Ascend910B3");
  CHECK(summary.memory_size == 4096);
  CHECK(summary.stream_num == 2);
  CHECK(summary.event_num == 1);
  REQUIRE(summary.om_info_list.size() == 5);
  CHECK(summary.om_info_list[0] == summary.weight_size);
  CHECK(summary.om_info_list[1] == 0);
  CHECK(summary.om_info_list[3] > 0);
  CHECK(summary.modeldef_size > 0);
  CHECK(static_cast<size_t>(summary.modeldef_size + summary.weight_size + summary.om_info_list[3]) < bytes.size());
}

TEST_CASE("what is no om has no summary") {
  const std::string om = WriteOm(SampleModel());
  for (const std::string& content : {std::string(), std::string("text"), om.substr(0, 300), om.substr(0, 500)}) {
    const TemporaryFile file(content);
    try {
      ReadOmSummary(file.path());
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E10041");
    }
  }
}

}  // namespace
}  // namespace atc
