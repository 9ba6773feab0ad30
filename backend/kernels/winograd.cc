// Convolutions of 3 x 3 taps and stride 1 over channels-last data by tiles (winograd_tiles.h): 36 products of matrices for
// the 16 results of a tile, or 16 for 4, where taking the sums directly makes 144 or 36. Sums are rounded differently, and
// a little more.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/kernels/convolution_parts.h"
#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/packed_product.h"
#include "backend/kernels/result_type.h"
#include "backend/kernels/shared_forms.h"
#include "backend/kernels/winograd_tiles.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

constexpr int64_t kAlign = 16;  // floats: stretches of scratch begin at cache lines

int64_t Rounded(int64_t count) { return (count + kAlign - 1) / kAlign * kAlign; }

// Tiles of `out` results along one axis, each by its first result; those of a dilated window lie between each other.
std::vector<int64_t> TileStarts(const WindowAxis& axis, int64_t out) {
  std::vector<int64_t> starts;
  for (int64_t phase = 0; phase < std::min(axis.dilation, axis.out); ++phase) {
    for (int64_t at = phase; at < axis.out; at += out * axis.dilation) starts.push_back(at);
  }
  return starts;
}

class WinogradKernel : public Kernel {
 public:
  WinogradKernel(const KernelSpec& spec, ConvolutionParts found, int64_t tile_out, const ShortTail& ends,
                 std::unique_ptr<ElementwiseProgram> tail)
      : found_(std::move(found)),
        ends_(ends),
        tail_(std::move(tail)),
        tile_out_(tile_out),
        tile_in_(TileIn(tile_out)),
        tile_taps_(TileTaps(tile_out)),
        threads_(spec.threads),
        x_dtype_(spec.inputs[static_cast<size_t>(found_.x)].dtype),
        y_type_(spec.outputs[0]),
        rows_(TileStarts(found_.sizes.axes[0], tile_out)),
        columns_(TileStarts(found_.sizes.axes[1], tile_out)) {
    Prepare(spec);
    CutIntoBlocks();
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(Wide() + Result() + Rounded(in_channels()) + threads_ * member_) * sizeof(float);
  }
  size_t prepared_bytes() const override { return made_products_ ? products_.size() * products_[0].bytes() : 0; }
  bool RoundsOutputs() const override { return true; }
  bool Reads(size_t port) const override {
    return static_cast<int>(port) != found_.w && static_cast<int>(port) != found_.bias;
  }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    auto* floats = reinterpret_cast<float*>(scratch);
    Places at{inputs,  outputs[0], static_cast<const float*>(inputs[found_.x]), static_cast<float*>(outputs[0]),
              nullptr, nullptr};
    if (ends_.add >= 0) at.add = static_cast<const float*>(inputs[ends_.add]);
    if (x_dtype_ != DT_FLOAT) {
      ParallelWidenTo(floats, inputs[found_.x], x_dtype_, static_cast<size_t>(found_.in.NumElements()), threads_);
      at.x = floats;
    }
    if (!y_type_.is_float()) at.y = floats + Wide();
    floats += Wide() + Result();
    std::memset(floats, 0, static_cast<size_t>(in_channels()) * sizeof(float));
    at.zeros = floats;
    floats += Rounded(in_channels());
    const int64_t items = blocks_ * parts_;
    ForTeam(items > 1 ? threads_ : 1, threads_, [&](int64_t member) {
      for (int64_t item = items * member / threads_; item < items * (member + 1) / threads_; ++item) {
        RunBlock(item / parts_, item % parts_, at, floats + member * member_);
      }
    });
  }

 private:
  struct Places {
    const void* const* inputs;
    void* output;
    const float* x;
    float* y;
    const float* zeros;  // a pixel of the padding
    const float* add;    // to the sums; it lies as y does
  };

  int64_t in_channels() const { return found_.sizes.in_channels; }
  int64_t out_channels() const { return found_.sizes.out_channels; }
  int64_t Wide() const { return x_dtype_ == DT_FLOAT ? 0 : Rounded(found_.in.NumElements()); }
  int64_t Result() const { return y_type_.is_float() ? 0 : Rounded(found_.out.NumElements()); }
  int64_t Tiles() const { return found_.sizes.batch * static_cast<int64_t>(rows_.size() * columns_.size()); }

  std::vector<PackedMatrix> Transformed(const Tensor& w) const {
    const int64_t terms = in_channels();
    std::vector<PackedMatrix> products;
    for (int64_t k = 0; k < tile_taps_; ++k) products.emplace_back(out_channels(), terms);
    std::array<float, 9 * PackedMatrix::kMostBlock> taps;
    std::array<float*, kMostTileTaps> to;
    for (int64_t block = 0; block < products[0].padded(); block += PackedMatrix::Block()) {
      const int64_t count = std::min(products[0].BlockWidth(block), out_channels() - block);
      for (int64_t c = 0; c < terms; ++c) {
        for (int64_t o = 0; o < count; ++o) {
          const float* filter = w.Data<float>() + ((block + o) * terms + c) * 9;
          for (int64_t p = 0; p < 9; ++p) taps[static_cast<size_t>(p * count + o)] = filter[p];
        }
        for (int64_t k = 0; k < tile_taps_; ++k)
          to[static_cast<size_t>(k)] = products[static_cast<size_t>(k)].Row(block, c);
        TransformFilters(tile_out_, taps.data(), count, to.data());
      }
    }
    return products;
  }

  void Prepare(const KernelSpec& spec) {
    const Tensor& constant = *spec.inputs[static_cast<size_t>(found_.w)].constant;
    products_ = *FormsOf(*spec.prepared)
                     .Get<std::vector<PackedMatrix>>(constant, "tiles of " + std::to_string(tile_out_), &made_products_,
                                                     [&] { return Transformed(Widen(constant)); });
    if (found_.bias < 0) return;
    const Tensor bias = Widen(*spec.inputs[static_cast<size_t>(found_.bias)].constant);
    bias_.assign(bias.Data<float>(), bias.Data<float>() + out_channels());
  }

  // Blocks of tiles whose transforms stay in the second-level cache, but of enough tiles to be worth the matrices that
  // are read for each block. Where there are too few for the team, its members share out the channels of results.
  void CutIntoBlocks() {
    constexpr int64_t kCacheFloats = 160 * 1024, kLeast = 24, kMost = 96;
    const int64_t padded = products_[0].padded();
    const int64_t size = std::clamp(kCacheFloats / (tile_taps_ * (in_channels() + padded)), kLeast, kMost);
    blocks_ = (Tiles() + size - 1) / size;
    if (blocks_ < threads_) {
      blocks_ = 1;
      parts_ = std::min<int64_t>(threads_, products_[0].blocks());
    } else {
      blocks_ = (blocks_ + threads_ - 1) / threads_ * threads_;
    }
    block_tiles_ = (Tiles() + blocks_ - 1) / blocks_;
    member_ = Rounded(tile_taps_ * block_tiles_ * in_channels()) + Rounded(tile_taps_ * block_tiles_ * padded);
  }

  // Image, row and column of a tile's first result.
  struct Tile {
    int64_t image, row, column;
  };
  Tile TileAt(int64_t number) const {
    const auto across = static_cast<int64_t>(columns_.size()), down = static_cast<int64_t>(rows_.size());
    return {number / (down * across), rows_[static_cast<size_t>(number / across % down)],
            columns_[static_cast<size_t>(number % across)]};
  }

  void RunBlock(int64_t block, int64_t part, const Places& at, float* scratch) const {
    const int64_t first = block * block_tiles_, tiles = std::min(block_tiles_, Tiles() - first);
    if (tiles <= 0) return;
    const auto [begin, end] = products_[0].Share(part, parts_);
    const int64_t terms = in_channels(), width = end - begin;
    float* transformed = scratch;
    float* sums = scratch + Rounded(tile_taps_ * block_tiles_ * terms);
    for (int64_t t = 0; t < tiles; ++t) ReadTile(TileAt(first + t), at, transformed + t * terms, tiles * terms);
    for (int64_t k = 0; k < tile_taps_; ++k) {
      products_[static_cast<size_t>(k)].MultiplyPart(begin, end, tiles, transformed + k * tiles * terms, terms, nullptr,
                                                     0, sums + k * tiles * width, width);
    }
    const int64_t channels = std::min(end, out_channels()) - begin;
    for (int64_t t = 0; t < tiles; ++t) {
      WriteTile(TileAt(first + t), at, sums + t * width, tiles * width, begin, channels);
    }
  }

  void ReadTile(const Tile& tile, const Places& at, float* to, int64_t stride) const {
    const WindowAxis &h = found_.sizes.axes[0], &v = found_.sizes.axes[1];
    const float* image = at.x + tile.image * h.in * v.in * in_channels();
    std::array<const float*, kMostTileTaps> pixels;
    for (int64_t i = 0; i < tile_in_; ++i) {
      const int64_t row = tile.row - h.pad_begin + i * h.dilation;
      for (int64_t j = 0; j < tile_in_; ++j) {
        const int64_t column = tile.column - v.pad_begin + j * v.dilation;
        const bool inside = row >= 0 && row < h.in && column >= 0 && column < v.in;
        pixels[static_cast<size_t>(i * tile_in_ + j)] =
            inside ? image + (row * v.in + column) * in_channels() : at.zeros;
      }
    }
    TransformInput(tile_out_, pixels.data(), in_channels(), to, stride);
  }

  // Of the channels from `begin` on.
  void WriteTile(const Tile& tile, const Places& at, const float* from, int64_t stride, int64_t begin,
                 int64_t channels) const {
    const WindowAxis &h = found_.sizes.axes[0], &v = found_.sizes.axes[1];
    std::array<int64_t, kMostTileOut * kMostTileOut> places;  // of elements in y, -1 beyond its edges
    for (int64_t i = 0; i < tile_out_; ++i) {
      const int64_t row = tile.row + i * h.dilation;
      for (int64_t j = 0; j < tile_out_; ++j) {
        const int64_t column = tile.column + j * v.dilation;
        const bool inside = row < h.out && column < v.out;
        places[static_cast<size_t>(i * tile_out_ + j)] =
            inside ? ((tile.image * h.out + row) * v.out + column) * out_channels() + begin : -1;
      }
    }
    const TileEnd end{bias_.empty() ? nullptr : bias_.data() + begin, at.add, ends_.clip};
    TransformOutput(tile_out_, from, stride, channels, end, at.y, places.data());
    if (tail_ == nullptr && y_type_.plain()) return;
    // What follows runs while the results are in the cache: rows of pixels where they lie side by side.
    for (size_t i = 0; i < static_cast<size_t>(tile_out_ * tile_out_);) {
      size_t next = i + 1;
      const bool inside = places[i] >= 0;
      int64_t count = channels;
      while (inside && next % static_cast<size_t>(tile_out_) != 0 && places[next] == places[i] + count)
        ++next, count += channels;
      if (inside) Finish(at, places[i], count);
      i = next;
    }
  }

  void Finish(const Places& at, int64_t begin, int64_t count) const {
    if (tail_) return tail_->RunRange(at.inputs, at.y, at.output, begin, count);
    y_type_.Give(at.output, at.y, begin, count);
  }

  ConvolutionParts found_;
  ShortTail ends_;
  std::unique_ptr<ElementwiseProgram> tail_;  // nullptr where that is all
  int64_t tile_out_, tile_in_, tile_taps_;
  int threads_;
  DataType x_dtype_;
  ResultType y_type_;
  std::vector<int64_t> rows_, columns_;
  std::vector<PackedMatrix> products_;
  bool made_products_ = false;  // for this kernel first
  std::vector<float> bias_;
  int64_t blocks_ = 1, parts_ = 1, block_tiles_ = 1;
  int64_t member_ = 0;  // floats of scratch for each member of the team
};

// The cycles that a run takes by tiles of `out` x `out` results, and directly, by counted operations: vectors of 16 floats,
// of which a core multiplies and adds one a cycle, and the matrices' floats, of which it reads two a cycle from the outer
// caches.
struct Tiling {
  int64_t out;
  double of_input, of_output;  // cycles that a vector of the channels of a tile takes to be transformed
};
constexpr Tiling kTilings[] = {{4, 280, 240}, {2, 90, 70}};

double Vectors(int64_t channels) { return static_cast<double>((channels + 15) / 16); }

double DirectCycles(const ConvSizes& sizes) {
  const auto pixels = static_cast<double>(sizes.batch * sizes.axes[0].out * sizes.axes[1].out);
  return (pixels + 8) * 9 * static_cast<double>(sizes.in_channels) * Vectors(sizes.out_channels);
}

double TiledCycles(const ConvSizes& sizes, const Tiling& tiling) {
  int64_t tiles = sizes.batch;
  for (const WindowAxis& axis : sizes.axes) tiles *= static_cast<int64_t>(TileStarts(axis, tiling.out).size());
  const double in = static_cast<double>(sizes.in_channels), out = Vectors(sizes.out_channels),
               t = static_cast<double>(tiles);
  return static_cast<double>(TileTaps(tiling.out)) * in * out * (t + 8) +
         t * (Vectors(sizes.in_channels) * tiling.of_input + out * tiling.of_output);
}

// The tiles that take clearly less than direct sums, if any. Their matrices take 4 or 1.8 times the memory of the filter,
// and as much longer to be prepared: each vector of that has to save kWorth cycles in a run. So the small tiles are taken
// where the large ones hardly save more, as where those reach far beyond the edges.
std::optional<int64_t> ChooseTile(const ConvSizes& sizes) {
  constexpr double kWorth = 20, kLess = 0.85;
  const double direct = DirectCycles(sizes),
               matrix = static_cast<double>(sizes.in_channels) * Vectors(sizes.out_channels);
  std::optional<int64_t> best;
  double least = direct + kWorth * 9 * matrix;
  for (const Tiling& tiling : kTilings) {
    const double cycles = TiledCycles(sizes, tiling);
    const double cost = cycles + kWorth * static_cast<double>(TileTaps(tiling.out)) * matrix;
    if (cycles >= kLess * direct || cost >= least) continue;
    best = tiling.out;
    least = cost;
  }
  return best;
}

}  // namespace

std::unique_ptr<Kernel> MakeWinograd(const KernelSpec& spec) {
  std::optional<ConvolutionParts> found = FindConvolution(spec);
  if (!found || !found->channels_last || found->sizes.groups != 1 || found->sizes.axes.size() != 2) return nullptr;
  for (const WindowAxis& axis : found->sizes.axes) {
    if (axis.kernel != 3 || axis.stride != 1) return nullptr;
  }
  const std::optional<int64_t> tile = ChooseTile(found->sizes);
  if (!tile) return nullptr;
  std::unique_ptr<ElementwiseProgram> tail;
  const std::optional<ShortTail> ends = FindShortTail(spec, *found->heavy.heavy);
  if (!ends) {
    tail = ElementwiseProgram::Make(spec, found->heavy.heavy);
    if (tail == nullptr) return nullptr;
  }
  return std::make_unique<WinogradKernel>(spec, std::move(*found), *tile, ends.value_or(ShortTail()), std::move(tail));
}

}  // namespace atc::kernels
