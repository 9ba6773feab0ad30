/* Kernel functions in C++: what a source of one includes, and how it is launched over blocks.
 *
 *   #include "acl/openatc_kernel.h"
 *   extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, int32_t count) {
 *     const int32_t part = count / GetBlockNum();
 *     ... elements part * GetBlockIdx() to part * (GetBlockIdx() + 1) ...
 *   }
 *   ACLRT_LAUNCH_KERNEL(add_custom)(8, stream, x, y, z, count);
 *
 * Not part of ACL. Kernels here are plain functions of the host, called once for each block. */
#ifndef ACL_OPENATC_KERNEL_H_
#define ACL_OPENATC_KERNEL_H_

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "acl_rt.h"

#define __global__
#define __aicore__
#define __gm__
#define GM_ADDR std::uint8_t *

inline std::int64_t GetBlockIdx() { return openatcGetBlockIdx(); }
inline std::int64_t GetBlockNum() { return openatcGetBlockNum(); }

namespace openatc {

/* Calls a function over blocks on a stream, its arguments copied. */
template <typename... Parameters>
class KernelLauncher {
 public:
  explicit KernelLauncher(void (*kernel)(Parameters...)) : kernel_(kernel) {}

  template <typename... Arguments>
  aclError operator()(std::uint32_t blocks, aclrtStream stream, Arguments... arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters), "the kernel takes another number of arguments");
    static_assert((std::is_trivially_copyable<Parameters>::value && ...), "arguments are copied byte by byte");
    const Call call{kernel_, std::tuple<Parameters...>(Convert<Parameters>(arguments)...)};
    return openatcLaunchBlocks(&RunBlock, &call, sizeof(call), blocks, stream);
  }

 private:
  struct Call {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> arguments;
  };
  /* Addresses of the device come as void *. */
  template <typename Parameter, typename Argument>
  static Parameter Convert(Argument argument) {
    if constexpr (std::is_pointer<Parameter>::value) {
      return reinterpret_cast<Parameter>(argument);
    } else {
      return static_cast<Parameter>(argument);
    }
  }
  static void RunBlock(void *args) {
    const Call &call = *static_cast<const Call *>(args);
    std::apply(call.kernel, call.arguments);
  }

  void (*kernel_)(Parameters...);
};

template <typename... Parameters>
KernelLauncher<Parameters...> Launcher(void (*kernel)(Parameters...)) {
  return KernelLauncher<Parameters...>(kernel);
}

}  // namespace openatc

#define ACLRT_LAUNCH_KERNEL(kernel) ::openatc::Launcher(kernel)

#endif /* ACL_OPENATC_KERNEL_H_ */
