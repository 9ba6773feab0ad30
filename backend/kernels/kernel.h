// Fast operators on the CPU. A kernel is made once for the shapes, types and layouts of a task and then only runs.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

class NodeRunner;

namespace kernels {

// One input or output of a task.
struct Port {
  bool present = false;
  DataType dtype = DT_UNDEFINED;
  // Of DT_FLOAT, where it is not DT_UNDEFINED: a half type whose numbers alone the floats are. Kernels that compute in
  // floats read them as they are; what such a port is given has to be rounded.
  DataType rounded = DT_UNDEFINED;
  Shape shape;                       // origin view
  bool channels_last = false;        // stored in the slot of NC1HWC0: N, H, W, C without padding
  const Tensor* constant = nullptr;  // bytes known at load; they stay valid as long as the kernel
};

// Constants that kernels have brought into layouts of their own and share: one for the kernels of a model, while they
// are made. Kernels keep what they use.
class PreparedConstants;
std::shared_ptr<PreparedConstants> MakePreparedConstants();

struct KernelSpec {
  const Node& node;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  int threads = 1;                        // OpenMP team that the kernel may use; constant for its life
  PreparedConstants* prepared = nullptr;  // never null
  NodeRunner* nested = nullptr;           // runs the graphs that the node owns; nullptr: their reference kernels
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Addresses by port, nullptr where absent; `scratch` has scratch_bytes() bytes, aligned to 64, contents undefined.
  virtual void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) = 0;
  virtual size_t scratch_bytes() const { return 0; }
  // Whether a run reads input `port`, or the kernel keeps what lies there: false where a constant was brought into a form
  // of the kernel's own, so that nobody else needs to hold it.
  virtual bool Reads(size_t /*port*/) const { return true; }
  // Whether what it gives to ports of rounded floats is rounded; false: the caller does it.
  virtual bool RoundsOutputs() const { return false; }
  // Bytes that constants took in another layout or type, prepared at load for this kernel first.
  virtual size_t prepared_bytes() const { return 0; }
};

// A factory returns nullptr where it has no fast way; the reference kernel takes what nobody wants.
using Factory = std::unique_ptr<Kernel> (*)(const KernelSpec& spec);

std::unique_ptr<Kernel> MakeKernel(const KernelSpec& spec);
// nullptr where only the reference kernel serves.
std::unique_ptr<Kernel> MakeFastKernel(const KernelSpec& spec);

// The fast kernel that may serve operators of this type, by its name, where types, shapes and attributes allow it;
// "reference" where none does.
std::string_view FastKernelOf(std::string_view op_type);

// How the fast kernels of an operator come by floats of half operands.
enum class HalfUse : uint8_t {
  kNone,    // not at all, or nothing is known
  kMoves,   // they move elements as they are, of one type all
  kInside,  // they convert where they load and store
  kApart,   // they convert whole tensors, in walks of their own
};
HalfUse HalfUseOf(const Node& node);

// The factories, one a file of this folder or of onednn/.
std::unique_ptr<Kernel> MakeAttention(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeBatchNorm(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeByteMaxPooling(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeByteSoftmax(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeBytePooling(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeCast(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeElementwise(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeMaskedSoftmax(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeMovement(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeNormalization(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeOneDnnConvolution(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeOneDnnDeconvolution(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeOneDnnIntegerProduct(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeOneDnnMatMul(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeOneDnnPooling(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeOneDnnQuantizedUnit(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeOneDnnSoftmax(const KernelSpec& spec);
std::unique_ptr<Kernel> MakePointwise(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeRecurrent(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeReduction(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeReference(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeResize(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeResponseNorm(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeRotary(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeSmallProduct(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeTransData(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeWidened(const KernelSpec& spec);
std::unique_ptr<Kernel> MakeWinograd(const KernelSpec& spec);

}  // namespace kernels
}  // namespace atc
