#include "compiler/dump/forms.h"

namespace atc {
namespace {

void WriteAlone(const GraphList& graphs, int detail, void (*write)(const StageSnapshot&, NodeTexts*, ByteSink&),
                ByteSink& out) {
  NodeTexts texts;
  write(*SnapshotTaker(detail).Take(graphs), &texts, out);
}

}  // namespace

void WriteOnnxText(const GraphList& graphs, int detail, ByteSink& out) {
  WriteAlone(graphs, detail, WriteOnnxText, out);
}

void WriteProtoText(const GraphList& graphs, int detail, ByteSink& out) {
  WriteAlone(graphs, detail, WriteProtoText, out);
}

}  // namespace atc
