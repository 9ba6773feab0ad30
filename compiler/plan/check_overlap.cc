#include "compiler/plan/check_overlap.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "compiler/ir/device_slot.h"
#include "compiler/plan/in_place.h"
#include "compiler/plan/order_proof.h"

namespace atc {
namespace {

// Bytes that belong to one value and those that alias it.
struct Piece {
  int64_t begin, end;
  NodeId writer;
  std::vector<NodeId> users;
  bool forever = false;    // an input or output of the model, or written by no task
  bool workspace = false;  // of the writer
};

// Whether a node without task says that its parts lie in its whole.
bool HasParts(const Node& node) { return node.attrs.Get<bool>("_no_task", false); }
// Of such a node: whether its inputs are the parts.
bool Joins(const Node& node) { return node.type() == "ConcatD" || node.type() == "Pack"; }

// The dims from the first one on that is not 1.
std::vector<int64_t> Significant(const Shape& shape) {
  const auto& dims = shape.dims();
  return {std::find_if(dims.begin(), dims.end(), [](int64_t dim) { return dim != 1; }), dims.end()};
}

// Whether tensors of the part's shape can lie one after the other in the whole: they are rows of it, or some of its rows.
bool CanLieIn(const Shape& part, const Shape& whole) {
  const std::vector<int64_t> p = Significant(part);
  const std::vector<int64_t> w = Significant(whole);
  if (w.empty()) return p.empty();
  if (p.size() == w.size()) return std::equal(p.begin() + 1, p.end(), w.begin() + 1);
  return std::equal(p.begin(), p.end(), w.end() - static_cast<ptrdiff_t>(std::min(p.size(), w.size()))) &&
         p.size() < w.size();
}

// `later` is written where `earlier` was; `question` is the first of those that ask whether its users are over by then.
struct Sharing {
  size_t earlier, later;
  int64_t begin, end;
  size_t question;
};

class OverlapCheck {
 public:
  OverlapCheck(const Graph& graph, int64_t memory_size) : graph_(graph), memory_size_(memory_size) {}

  std::vector<std::string> Run() {
    const std::vector<NodeId> launch = graph_.TopologicalOrder();
    place_.assign(graph_.node_capacity(), 0);
    for (uint32_t i = 0; i < launch.size(); ++i) place_[launch[i]] = i;
    for (const NodeId id : launch) {
      const Node& node = graph_.node(id);
      if (node.type() == "Const") continue;
      for (const ValueId output : node.outputs) LookAt(node, output);
      LookAtWorkspace(node);
      if (HasParts(node)) LookAtParts(node);
    }
    FindSharing();
    Judge(launch);
    return std::move(faults_);
  }

 private:
  // Whether it gives the bytes of its first input.
  bool IsView(const Node& node) const {
    return (node.Is(kShapeOnly) || KeepsSlot(graph_, node)) && graph_.Constant(node.inputs[0]) == nullptr;
  }

  void LookAt(const Node& node, ValueId output) {
    const Value& value = graph_.value(output);
    if (value.offset < 0 || value.offset + value.size > memory_size_ || value.offset % 32 != 0) {
      faults_.push_back("output " + std::to_string(value.index) + " of '" + node.name + "' lies at " +
                        std::to_string(value.offset) + ", " + std::to_string(value.size) + " bytes, memory has " +
                        std::to_string(memory_size_));
      return;
    }
    const auto bytes = static_cast<int64_t>(DataTypeBytes(value.desc.dtype, value.desc.shape.NumElements()));
    if (value.size < bytes) faults_.push_back("output of '" + node.name + "' has fewer bytes than it needs");
    if (IsView(node)) {
      if (graph_.value(node.inputs[0]).offset != value.offset) {
        faults_.push_back("'" + node.name + "' does not lie where its input lies");
      }
      return;
    }
    if (HasParts(node)) return;  // the bytes of its parts, or parts of its input's bytes
    Piece piece{value.offset, value.offset + value.size, node.id, {}, node.stream < 0};
    AddUsers(output, &piece);
    pieces_.push_back(std::move(piece));
  }

  void LookAtWorkspace(const Node& node) {
    for (size_t i = 0; i < node.workspace_bytes.size(); ++i) {
      const int64_t begin = i < node.workspace_offset.size() ? node.workspace_offset[i] : -1;
      const int64_t end = begin + node.workspace_bytes[i];
      if (begin < 0 || end > memory_size_ || begin % 32 != 0) {
        faults_.push_back("workspace " + std::to_string(i) + " of '" + node.name + "' lies at " + std::to_string(begin));
        continue;
      }
      Piece piece{begin, end, node.id, {}};
      piece.workspace = true;
      pieces_.push_back(std::move(piece));
    }
  }

  void LookAtParts(const Node& node) {
    const bool joins = Joins(node);
    ValueId whole = joins ? node.outputs[0] : kNoId;
    for (const ValueId input : node.inputs) {
      if (!joins && whole == kNoId && graph_.Constant(input) == nullptr) whole = input;
    }
    if (whole == kNoId) return faults_.push_back("'" + node.name + "' has no task and parts a constant");
    const Value& all = graph_.value(whole);
    int64_t at = all.offset;
    for (const ValueId id : joins ? node.inputs : node.outputs) {
      const Value& part = graph_.value(id);
      if (part.offset != at || !CanLieIn(part.desc.shape, all.desc.shape)) {
        faults_.push_back("'" + node.name + "' has no task, and a part of it lies at " + std::to_string(part.offset) +
                          ", not at " + std::to_string(at));
      }
      at += static_cast<int64_t>(DataTypeBytes(part.desc.dtype, part.desc.shape.NumElements()));
    }
    if (at - all.offset != static_cast<int64_t>(DataTypeBytes(all.desc.dtype, all.desc.shape.NumElements()))) {
      faults_.push_back("'" + node.name + "' has no task, and its parts are not its whole");
    }
  }

  void AddUsers(ValueId first, Piece* piece) const {
    std::vector<ValueId> open = {first};
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      for (const Use& use : graph_.value(value).uses) {
        const Node& user = graph_.node(use.node);
        if (user.type() == "NetOutput") {
          piece->forever = true;
        } else if (HasParts(user) || (use.input == 0 && IsView(user))) {
          open.insert(open.end(), user.outputs.begin(), user.outputs.end());
        } else if (user.stream >= 0) {
          piece->users.push_back(use.node);
        }
      }
    }
    // The last one of a stream speaks for the others.
    std::sort(piece->users.begin(), piece->users.end(), [&](NodeId a, NodeId b) {
      const int32_t s = graph_.node(a).stream;
      const int32_t t = graph_.node(b).stream;
      return s != t ? s < t : place_[a] > place_[b];
    });
    const auto one_stream = [&](NodeId a, NodeId b) { return graph_.node(a).stream == graph_.node(b).stream; };
    piece->users.erase(std::unique(piece->users.begin(), piece->users.end(), one_stream), piece->users.end());
  }

  // Pieces in launch order of their writers, each over what was written to its bytes last: when that is over by then,
  // so is all that was there before. What must stay for ever counts as written first, so that it meets all.
  void FindSharing() {
    std::stable_partition(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.forever; });
    struct Held {
      int64_t end;
      size_t piece;
    };
    std::map<int64_t, Held> memory;  // by begin
    const auto cut = [&](int64_t at) {
      auto it = memory.upper_bound(at);
      if (it == memory.begin()) return;
      it = std::prev(it);
      if (it->first == at || it->second.end <= at) return;
      memory.emplace(at, it->second);
      it->second.end = at;
    };
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      if (piece.begin == piece.end) continue;
      cut(piece.begin);
      cut(piece.end);
      const auto first = memory.lower_bound(piece.begin);
      auto it = first;
      bool covered = false;  // by what stays
      for (; it != memory.end() && it->first < piece.end; ++it) {
        sharing_.push_back({it->second.piece, i, it->first, it->second.end, 0});
        covered |= pieces_[it->second.piece].forever;
      }
      if (covered) continue;
      memory.erase(first, it);
      memory.emplace(piece.begin, Held{piece.end, i});
    }
  }

  void Judge(const std::vector<NodeId>& launch) {
    std::vector<Ordered> questions;
    for (Sharing& sharing : sharing_) {
      sharing.question = questions.size();
      const Piece& earlier = pieces_[sharing.earlier];
      if (earlier.forever) continue;
      const NodeId writer = pieces_[sharing.later].writer;
      questions.emplace_back(earlier.writer, writer);
      for (const NodeId user : earlier.users) questions.emplace_back(user, writer);
    }
    std::vector<Ordered> waits;
    {
      const auto before = TasksBefore(graph_, launch);
      for (const NodeId id : launch) {
        const Node& node = graph_.node(id);
        if (node.stream < 0) continue;
        for (const NodeId from : before[id]) {
          if (graph_.node(from).stream != node.stream) waits.emplace_back(from, id);
        }
      }
    }
    const std::vector<bool> kept = OrderProof(graph_, launch, std::move(waits)).Implied(questions);
    for (const Sharing& sharing : sharing_) {
      const Piece& earlier = pieces_[sharing.earlier];
      const Piece& later = pieces_[sharing.later];
      bool over = !earlier.forever;
      for (size_t i = 0; over && i < earlier.users.size() + 1; ++i) {
        over = kept[sharing.question + i] ||
               (i > 0 && earlier.users[i - 1] == later.writer && !later.workspace && !earlier.workspace &&
                LiesInPlace(graph_, graph_.node(later.writer)));
      }
      if (over) continue;
      faults_.push_back("'" + graph_.node(earlier.writer).name + "' and '" + graph_.node(later.writer).name +
                        "' share bytes " + std::to_string(sharing.begin) + " to " + std::to_string(sharing.end) +
                        " while both are needed");
    }
  }

  const Graph& graph_;
  const int64_t memory_size_;
  std::vector<uint32_t> place_;  // by node, in launch order
  std::vector<Piece> pieces_;
  std::vector<Sharing> sharing_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> CheckOverlap(const Graph& graph, int64_t memory_size) {
  return OverlapCheck(graph, memory_size).Run();
}

}  // namespace atc
