#include "compiler/digests.h"

#include "compiler/dump/forms.h"
#include "compiler/io/byte_sink.h"
#include "compiler/io/mapped_file.h"
#include "compiler/io/sha256.h"
#include "compiler/om/container.h"

namespace atc {
namespace {

class DigestSink : public ByteSink {
 public:
  using ByteSink::Write;
  void Write(const void* data, size_t size) override {
    hash_.Add({static_cast<const std::byte*>(data), size});
    bytes_ += static_cast<int64_t>(size);
  }
  Digest Take() { return {hash_.Hex(), bytes_}; }

 private:
  Sha256 hash_;
  int64_t bytes_ = 0;
};

Digest Of(const std::byte* data, size_t size) { return {Sha256Hex({data, size}), static_cast<int64_t>(size)}; }

}  // namespace

Digest FileDigest(const std::string& path) {
  const Buffer file = MapFile(path);
  return Of(file.data, file.size);
}

Digest WeightsDigest(const std::string& om) {
  const Buffer file = MapFile(om);
  const OmContainer container = ParseContainer({file.data, file.size}, om);
  const Partition* weights = container.Find(PartitionType::kWeights);
  return weights == nullptr ? Of(nullptr, 0) : Of(file.data + weights->offset, weights->size);
}

Digest GraphDigest(const Graph& graph) {
  DigestSink sink;
  WriteProtoText(GraphList(graph), /*detail=*/2, sink);
  return sink.Take();
}

}  // namespace atc
