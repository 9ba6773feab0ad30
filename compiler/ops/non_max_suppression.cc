// TensorFlow's non-maximum suppression in all its versions: hard and soft, padded, from boxes or overlaps, and for all
// classes at once.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// Intersection over union of boxes whose corners are given in any order; 0 for boxes without area.
float Overlap(const float* a, const float* b) {
  const auto low = [](const float* box, int i) { return std::min(box[i], box[i + 2]); };
  const auto high = [](const float* box, int i) { return std::max(box[i], box[i + 2]); };
  const auto area = [&](const float* box) { return (high(box, 0) - low(box, 0)) * (high(box, 1) - low(box, 1)); };
  const float area_a = area(a), area_b = area(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = std::max(std::min(high(a, 0), high(b, 0)) - std::max(low(a, 0), low(b, 0)), 0.0f);
  const float width = std::max(std::min(high(a, 1), high(b, 1)) - std::max(low(a, 1), low(b, 1)), 0.0f);
  return height * width / (area_a + area_b - height * width);
}

struct Candidate {
  float score;
  int64_t box;
  size_t compared;  // with how many of the selected boxes it has been compared
  // The queue gives the largest: of equal scores the box that comes first.
  bool operator<(const Candidate& other) const {
    return score != other.score ? score < other.score : box > other.box;
  }
};

struct Rule {
  int64_t limit;
  float overlap;  // above it a box goes
  float least;    // scores up to it do not count
  float sigma;    // above 0: overlapping boxes lose score instead (soft NMS, Bodla et al. 2017)
};

struct Selected {
  std::vector<int64_t> boxes;
  std::vector<float> scores;
};

// `similarity(i, j)` of two boxes.
template <typename Similarity>
Selected Select(const float* scores, int64_t count, const Rule& rule, Similarity similarity) {
  std::priority_queue<Candidate> queue;
  for (int64_t i = 0; i < count; ++i) {
    if (scores[i] > rule.least) queue.push({scores[i], i, 0});
  }
  Selected selected;
  while (static_cast<int64_t>(selected.boxes.size()) < rule.limit && !queue.empty()) {
    Candidate next = queue.top();
    queue.pop();
    const float original = next.score;
    bool gone = false;
    for (size_t j = selected.boxes.size(); j-- > next.compared;) {
      const float overlap = similarity(next.box, selected.boxes[j]);
      if (rule.sigma > 0) {
        const double scale = -0.5 / static_cast<double>(rule.sigma);
        next.score *= static_cast<float>(math::Exp(scale * static_cast<double>(overlap) * static_cast<double>(overlap)));
        if (next.score <= rule.least) break;
      } else if (overlap > rule.overlap) {
        gone = true;
        break;
      }
    }
    next.compared = selected.boxes.size();
    if (gone) continue;
    if (next.score == original) {
      selected.boxes.push_back(next.box);
      selected.scores.push_back(next.score);
    } else if (next.score > rule.least) {
      queue.push(next);
    }
  }
  return selected;
}

float NumberOr(const KernelContext& ctx, size_t i, float fallback) {
  if (!ctx.HasInput(i)) return fallback;
  if (ctx.In(i).NumElements() != 1) ctx.Fail(ctx.node().def->InputName(i) + " must be one number");
  return static_cast<float>(ToDoubles(ctx.In(i))[0]);
}

bool Has(const Node& node, const char* attr) { return node.def->FindAttr(attr) != nullptr; }

// Which output counts the valid ones; 0: none does.
size_t CountOutput(const Node& node) {
  return node.type() == "tf::NonMaxSuppressionV4" ? 1 : node.type() == "tf::NonMaxSuppressionV5" ? 2 : 0;
}

void InferNms(InferContext& ctx) {
  const Node& node = ctx.node();
  int64_t length = kUnknownDim;
  const auto limit = ctx.KnownInts(2);
  if (Has(node, "pad_to_max_output_size") && ctx.Attr<bool>("pad_to_max_output_size") && limit && limit->size() == 1) {
    length = (*limit)[0];
  }
  ctx.SetOut(0, DT_INT32, {length});
  const size_t count = CountOutput(node);
  if (count == 2) ctx.SetOut(1, ctx.InType(1), {length});
  if (count > 0) ctx.SetOut(count, DT_INT32, {});
}

template <bool kOverlaps>
void NmsKernel(KernelContext& ctx) {
  const Node& node = ctx.node();
  const Tensor &boxes = ctx.In(0), &scores = ctx.In(1);
  const int64_t count = scores.NumElements();
  if (boxes.rank() != 2 || boxes.dim(0) != count || boxes.dim(1) != (kOverlaps ? count : 4)) {
    ctx.Fail("boxes " + ToString(boxes.shape()) + " do not fit " + std::to_string(count) + " scores");
  }
  if (boxes.dtype() != DT_FLOAT || scores.dtype() != DT_FLOAT) ctx.Fail("boxes and scores must be floats");
  const int64_t limit = OneInt(ctx, 2, "max_output_size");
  if (limit < 0) ctx.Fail("max_output_size is " + std::to_string(limit));
  const float attr = Has(node, "iou_threshold") ? ctx.Attr<float>("iou_threshold") : 0.5f;
  const Rule rule{std::min(limit, count), NumberOr(ctx, 3, attr),
                  NumberOr(ctx, 4, std::numeric_limits<float>::lowest()), NumberOr(ctx, 5, 0)};
  const float* data = boxes.Data<float>();
  const Selected selected = Select(scores.Data<float>(), count, rule, [&](int64_t i, int64_t j) {
    return kOverlaps ? data[i * count + j] : Overlap(data + 4 * i, data + 4 * j);
  });
  const bool pad = Has(node, "pad_to_max_output_size") && ctx.Attr<bool>("pad_to_max_output_size");
  const auto found = static_cast<int64_t>(selected.boxes.size());
  const int64_t length = pad ? limit : found;
  Tensor& out = ctx.Out(0, DT_INT32, {length});
  std::fill_n(out.MutableData<int32_t>(), length, 0);
  for (int64_t i = 0; i < found; ++i) out.MutableData<int32_t>()[i] = static_cast<int32_t>(selected.boxes[i]);
  const size_t counted = CountOutput(node);
  if (counted == 2) {
    float* kept = ctx.Out(1, DT_FLOAT, {length}).MutableData<float>();
    std::fill_n(kept, length, 0.0f);
    std::copy(selected.scores.begin(), selected.scores.end(), kept);
  }
  if (counted > 0) *ctx.Out(counted, DT_INT32, {}).MutableData<int32_t>() = static_cast<int32_t>(found);
}

// ---- CombinedNonMaxSuppression ----

// Rows of the result: max_total_size, or fewer where the classes cannot give as many.
int64_t Rows(const Node& node, int64_t per_class, int64_t total, int64_t classes) {
  return node.Attr<bool>("pad_per_class") ? std::min(total, per_class * classes) : total;
}

void InferCombined(InferContext& ctx) {
  const Shape &boxes = ctx.InShape(0), &scores = ctx.InShape(1);
  const int64_t batch = boxes.HasRank() && boxes.rank() > 0 ? boxes[0] : kUnknownDim;
  const auto per_class = ctx.KnownInts(2), total = ctx.KnownInts(3);
  int64_t rows = kUnknownDim;
  const bool classes_known = scores.HasRank() && scores.rank() == 3 && scores[2] >= 0;
  if (per_class && total && per_class->size() == 1 && total->size() == 1 &&
      (classes_known || !ctx.Attr<bool>("pad_per_class"))) {
    rows = Rows(ctx.node(), (*per_class)[0], (*total)[0], classes_known ? scores[2] : 0);
  }
  ctx.SetOut(0, DT_FLOAT, {batch, rows, 4});
  ctx.SetOut(1, DT_FLOAT, {batch, rows});
  ctx.SetOut(2, DT_FLOAT, {batch, rows});
  ctx.SetOut(3, DT_INT32, {batch});
}

struct Detection {
  float score;
  int64_t cls, box;
};

void CombinedKernel(KernelContext& ctx) {
  const Tensor &boxes = ctx.In(0), &scores = ctx.In(1);
  if (boxes.rank() != 4 || scores.rank() != 3 || boxes.dim(3) != 4 || boxes.dim(0) != scores.dim(0) ||
      boxes.dim(1) != scores.dim(1) || (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2))) {
    ctx.Fail("boxes " + ToString(boxes.shape()) + " and scores " + ToString(scores.shape()) +
             " must be [batch, boxes, 1 or classes, 4] and [batch, boxes, classes]");
  }
  if (boxes.dtype() != DT_FLOAT || scores.dtype() != DT_FLOAT) ctx.Fail("boxes and scores must be floats");
  const int64_t batch = scores.dim(0), count = scores.dim(1), classes = scores.dim(2), sets = boxes.dim(2);
  const int64_t per_class = OneInt(ctx, 2, "max_output_size_per_class"), total = OneInt(ctx, 3, "max_total_size");
  if (per_class < 0 || total < 0) ctx.Fail("the numbers of boxes wanted must not be negative");
  const Rule rule{std::min(per_class, count), NumberOr(ctx, 4, 0.5f), NumberOr(ctx, 5, 0), 0};
  const bool clip = ctx.Attr<bool>("clip_boxes");
  const int64_t rows = Rows(ctx.node(), per_class, total, classes);
  Tensor& out_boxes = ctx.Out(0, DT_FLOAT, {batch, rows, 4});
  Tensor& out_scores = ctx.Out(1, DT_FLOAT, {batch, rows});
  Tensor& out_classes = ctx.Out(2, DT_FLOAT, {batch, rows});
  Tensor& valid = ctx.Out(3, DT_INT32, {batch});
  for (Tensor* tensor : {&out_boxes, &out_scores, &out_classes}) {
    std::fill_n(tensor->MutableData<float>(), tensor->NumElements(), 0.0f);
  }
  std::vector<float> of_class(static_cast<size_t>(count));
  for (int64_t n = 0; n < batch; ++n) {
    const auto box_at = [&](int64_t i, int64_t cls) {
      return boxes.Data<float>() + ((n * count + i) * sets + (sets == 1 ? 0 : cls)) * 4;
    };
    std::vector<Detection> all;
    for (int64_t cls = 0; cls < classes; ++cls) {
      for (int64_t i = 0; i < count; ++i) of_class[i] = scores.Data<float>()[(n * count + i) * classes + cls];
      const Selected selected = Select(of_class.data(), count, rule, [&](int64_t i, int64_t j) {
        return Overlap(box_at(i, cls), box_at(j, cls));
      });
      for (size_t k = 0; k < selected.boxes.size(); ++k) all.push_back({selected.scores[k], cls, selected.boxes[k]});
    }
    std::stable_sort(all.begin(), all.end(), [](const Detection& a, const Detection& b) { return a.score > b.score; });
    const int64_t found = std::min<int64_t>(rows, static_cast<int64_t>(all.size()));
    for (int64_t r = 0; r < found; ++r) {
      const Detection& one = all[static_cast<size_t>(r)];
      for (int d = 0; d < 4; ++d) {
        const float corner = box_at(one.box, one.cls)[d];
        out_boxes.MutableData<float>()[(n * rows + r) * 4 + d] = clip ? std::clamp(corner, 0.0f, 1.0f) : corner;
      }
      out_scores.MutableData<float>()[n * rows + r] = one.score;
      out_classes.MutableData<float>()[n * rows + r] = static_cast<float>(one.cls);
    }
    valid.MutableData<int32_t>()[n] = static_cast<int32_t>(found);
  }
}

}  // namespace

void RegisterNonMaxSuppressionOps(OpRegistry& registry) {
  const auto nms = [](const char* type) {
    return OpDef(type).In("boxes").In("scores").In("max_output_size").On(Unit::kAiCpu).Infer(InferNms)
        .Kernel(NmsKernel<false>);
  };
  registry.Add(nms("NonMaxSuppressionV3").In("iou_threshold").In("score_threshold").Out("selected_indices")
                   .Attr("offset", 0));
  registry.Add(nms("tf::NonMaxSuppression").Out("selected_indices").Attr("iou_threshold", 0.5f));
  registry.Add(nms("tf::NonMaxSuppressionV2").In("iou_threshold").Out("selected_indices"));
  registry.Add(nms("tf::NonMaxSuppressionV4").In("iou_threshold").In("score_threshold").Out("selected_indices")
                   .Out("valid_outputs").Attr("pad_to_max_output_size", false));
  registry.Add(nms("tf::NonMaxSuppressionV5").In("iou_threshold").In("score_threshold").In("soft_nms_sigma")
                   .Out("selected_indices").Out("selected_scores").Out("valid_outputs")
                   .Attr("pad_to_max_output_size", false));
  registry.Add(OpDef("tf::NonMaxSuppressionWithOverlaps").In("overlaps").In("scores").In("max_output_size")
                   .In("overlap_threshold").In("score_threshold").Out("selected_indices").On(Unit::kAiCpu)
                   .Infer(InferNms).Kernel(NmsKernel<true>));
  registry.Add(OpDef("tf::CombinedNonMaxSuppression").In("boxes").In("scores").In("max_output_size_per_class")
                   .In("max_total_size").In("iou_threshold").In("score_threshold").Out("nmsed_boxes")
                   .Out("nmsed_scores").Out("nmsed_classes").Out("valid_detections").Attr("pad_per_class", false)
                   .Attr("clip_boxes", true).On(Unit::kAiCpu).Infer(InferCombined).Kernel(CombinedKernel));
}

}  // namespace atc
