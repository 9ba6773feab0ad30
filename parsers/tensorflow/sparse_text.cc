// Segments, sparse tensors and text.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

void RegisterSparseTextConverters(ConverterRegistry& registry) {
  for (const char* op : {"Bincount", "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum",
                         "SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum", "SparseToDense",
                         "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum"}) {
    registry.AddPass(op, op);
  }
  for (const char* op : {"SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"}) {
    registry.AddKeep(std::string(op) + "WithNumSegments");
  }
  registry.AddKeep("DenseBincount");
  registry.AddPassWithAttrs("SparseBincount", "SparseBincount");
  registry.AddPass("SparseFillEmptyRows", "SparseFillEmptyRows", 4);
  registry.AddPass("SparseReshape", "SparseReshape", 2);
  registry.AddKeep("StringNGrams", 2);
  registry.AddKeep("StringSplit", 3);
  registry.AddKeep("StringSplitV2", 3);
  registry.AddKeep("StringToHashBucketFast");
}

}  // namespace atc::tf_parser
