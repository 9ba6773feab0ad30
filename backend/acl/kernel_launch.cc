// acl_rt_kernel.h: kernels of a program's own.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/acl/block_loop.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Stream;
using atc::runtime::Task;

namespace {

constexpr size_t kWord = sizeof(uint64_t);
constexpr size_t kMostArguments = 32;

struct Library {
  void* handle = nullptr;
  ~Library() {
    if (handle != nullptr) dlclose(handle);
  }
};

struct Kernel {
  std::shared_ptr<Library> library;
  std::string name;
  void* function = nullptr;
};

// Arguments as they are handed over: words, and buffers that some of them point to.
struct Arguments {
  struct Word {
    uint64_t value = 0;
    std::shared_ptr<std::vector<std::byte>> buffer;  // null for a plain value
  };
  std::mutex mutex;
  std::vector<Word> words;
  bool final = false;
};

template <class T, HandleKind kKind>
HandleTable<T>& Table() {
  static auto* table = new HandleTable<T>(kKind);
  return *table;
}
auto& Binaries() { return Table<std::vector<std::byte>, HandleKind::kBinary>(); }
auto& Libraries() { return Table<Library, HandleKind::kBinaryHandle>(); }
auto& Kernels() { return Table<Kernel, HandleKind::kKernel>(); }
auto& ArgumentLists() { return Table<Arguments, HandleKind::kKernelArgs>(); }

// A call of a C function with so many words, chosen by their number.
template <size_t... kIndex>
void CallWith(void* function, const uint64_t* words, std::index_sequence<kIndex...>) {
  reinterpret_cast<void (*)(decltype(static_cast<void>(kIndex), uint64_t{})...)>(function)(words[kIndex]...);
}
using Caller = void (*)(void*, const uint64_t*);
template <size_t kCount>
void Call(void* function, const uint64_t* words) {
  CallWith(function, words, std::make_index_sequence<kCount>());
}
template <size_t... kCount>
constexpr std::array<Caller, sizeof...(kCount)> MakeCallers(std::index_sequence<kCount...>) {
  return {&Call<kCount>...};
}
constexpr auto kCallers = MakeCallers(std::make_index_sequence<kMostArguments + 1>());

aclError Open(const std::string& path, aclrtBinHandle* handle) {
  auto library = std::make_shared<Library>();
  library->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle == nullptr) {
    const char* why = dlerror();
    return Fail(ACL_ERROR_INVALID_FILE, std::string("the library of kernels cannot be opened: ") + (why == nullptr ? "" : why));
  }
  *handle = Libraries().Add(std::move(library));
  return ACL_SUCCESS;
}

// Through a file of memory alone, since the loader takes files.
aclError OpenBytes(const void* data, size_t bytes, aclrtBinHandle* handle) {
  const int file = memfd_create("kernels", MFD_CLOEXEC);
  if (file < 0) return Fail(ACL_ERROR_INTERNAL_ERROR, "no memory file for the library of kernels");
  const bool written = write(file, data, bytes) == static_cast<ssize_t>(bytes);
  const aclError code = written ? Open("/proc/self/fd/" + std::to_string(file), handle)
                                : Fail(ACL_ERROR_INTERNAL_ERROR, "the library of kernels could not be copied");
  close(file);
  return code;
}

struct Launch {
  std::shared_ptr<Kernel> kernel;
  std::vector<uint64_t> words;
  std::vector<std::shared_ptr<std::vector<std::byte>>> buffers;  // kept until it has run
  uint32_t blocks = 0;
};

aclError Queue(std::shared_ptr<Launch> launch, aclrtStream stream) {
  if (launch->blocks == 0) return Fail(ACL_ERROR_INVALID_PARAM, "a kernel is launched over 1 block or more");
  if (launch->words.size() > kMostArguments) {
    return Fail(ACL_ERROR_INVALID_PARAM, "a kernel takes at most " + std::to_string(kMostArguments) + " arguments, not " +
                                             std::to_string(launch->words.size()));
  }
  std::shared_ptr<Stream> on;
  if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
  Task task;
  task.kernel = launch->kernel->name;
  task.run = [launch = std::move(launch)](Stream&) -> aclError {
    RunBlocks(launch->blocks, [&] { kCallers[launch->words.size()](launch->kernel->function, launch->words.data()); });
    return ACL_SUCCESS;
  };
  return on->Enqueue(std::move(task));
}

aclError Start(aclrtFuncHandle function, uint32_t blocks, std::shared_ptr<Launch>* launch) {
  if (function == nullptr) return NullArgument("funcHandle");
  *launch = std::make_shared<Launch>();
  (*launch)->kernel = Kernels().Find(function);
  if (!(*launch)->kernel) return BadHandle("funcHandle", "a kernel");
  (*launch)->blocks = blocks;
  return ACL_SUCCESS;
}

aclError TakeWords(const void* data, size_t bytes, std::vector<uint64_t>* words) {
  if (bytes > 0 && data == nullptr) return NullArgument("argsData");
  if (bytes % kWord != 0) {
    return Fail(ACL_ERROR_INVALID_PARAM, "arguments are words of 8 bytes, " + std::to_string(bytes) + " bytes were given");
  }
  words->resize(bytes / kWord);
  if (bytes > 0) std::memcpy(words->data(), data, bytes);
  return ACL_SUCCESS;
}

template <class Change>
aclError Edit(aclrtArgsHandle handle, Change&& change) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("argsHandle");
    const auto found = ArgumentLists().Find(handle);
    if (!found) return BadHandle("argsHandle", "a list of arguments");
    std::lock_guard lock(found->mutex);
    return change(*found);
  });
}

// A parameter's handle is its place, counted from 1.
aclError FindWord(Arguments& list, aclrtParamHandle handle, Arguments::Word** word) {
  const auto place = reinterpret_cast<uintptr_t>(handle);
  if (place == 0 || place > list.words.size()) return BadHandle("paramHandle", "a parameter of the list");
  *word = &list.words[place - 1];
  return ACL_SUCCESS;
}

aclError SetWord(Arguments::Word* word, const void* param, size_t bytes) {
  if (param == nullptr) return NullArgument("param");
  if (bytes == 0 || bytes > kWord) {
    return Fail(ACL_ERROR_INVALID_PARAM, "a parameter has 1 to 8 bytes, not " + std::to_string(bytes));
  }
  word->value = 0;
  std::memcpy(&word->value, param, bytes);
  return ACL_SUCCESS;
}

}  // namespace

aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options, aclrtBinHandle* binHandle) {
  return Guard([&]() -> aclError {
    if (binPath == nullptr) return NullArgument("binPath");
    if (binHandle == nullptr) return NullArgument("binHandle");
    // A bare name would be looked for among the system's libraries.
    return Open(std::filesystem::absolute(binPath).string(), binHandle);
  });
}

aclError aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
  return Guard([&]() -> aclError {
    if (data == nullptr) return NullArgument("data");
    if (binHandle == nullptr) return NullArgument("binHandle");
    return OpenBytes(data, length, binHandle);
  });
}

aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen) {
  return GuardValue<aclrtBinary>(nullptr, [&]() -> aclrtBinary {
    if (data == nullptr || dataLen == 0) return NullArgument("data"), nullptr;
    const auto* bytes = static_cast<const std::byte*>(data);
    return Binaries().Add(std::make_shared<std::vector<std::byte>>(bytes, bytes + dataLen));
  });
}

aclError aclrtDestroyBinary(aclrtBinary binary) {
  return Guard([&]() -> aclError {
    if (binary == nullptr) return NullArgument("binary");
    return Binaries().Remove(binary) ? ACL_SUCCESS : BadHandle("binary", "a library of kernels");
  });
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle) {
  return Guard([&]() -> aclError {
    if (binary == nullptr) return NullArgument("binary");
    if (binHandle == nullptr) return NullArgument("binHandle");
    const auto bytes = Binaries().Find(binary);
    return bytes ? OpenBytes(bytes->data(), bytes->size(), binHandle) : BadHandle("binary", "a library of kernels");
  });
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  return Guard([&]() -> aclError {
    if (binHandle == nullptr) return NullArgument("binHandle");
    const auto library = Libraries().Remove(binHandle);
    if (!library) return BadHandle("binHandle", "a loaded library of kernels");
    Kernels().RemoveIf([&](const Kernel& kernel) { return kernel.library == library; });
    return ACL_SUCCESS;
  });
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName, aclrtFuncHandle* funcHandle) {
  return Guard([&]() -> aclError {
    if (binHandle == nullptr) return NullArgument("binHandle");
    if (kernelName == nullptr) return NullArgument("kernelName");
    if (funcHandle == nullptr) return NullArgument("funcHandle");
    const auto library = Libraries().Find(binHandle);
    if (!library) return BadHandle("binHandle", "a loaded library of kernels");
    auto kernel = std::make_shared<Kernel>();
    kernel->library = library;
    kernel->name = kernelName;
    kernel->function = dlsym(library->handle, kernelName);
    if (kernel->function == nullptr) {
      return Fail(ACL_ERROR_KERNEL_NOT_FOUND, std::string("the library has no function '") + kernelName + "' (extern \"C\")");
    }
    *funcHandle = Kernels().Add(std::move(kernel));
    return ACL_SUCCESS;
  });
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name) {
  return Guard([&]() -> aclError {
    if (name == nullptr) return NullArgument("name");
    const auto kernel = Kernels().Find(funcHandle);
    if (!kernel) return BadHandle("funcHandle", "a kernel");
    if (kernel->name.size() >= maxLen) {
      return Fail(ACL_ERROR_INVALID_PARAM, "the name needs room for " + std::to_string(kernel->name.size() + 1) + " bytes");
    }
    std::memcpy(name, kernel->name.c_str(), kernel->name.size() + 1);
    return ACL_SUCCESS;
  });
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle) {
  return Guard([&]() -> aclError {
    if (argsHandle == nullptr) return NullArgument("argsHandle");
    if (funcHandle == nullptr) return NullArgument("funcHandle");
    if (!Kernels().Find(funcHandle)) return BadHandle("funcHandle", "a kernel");
    *argsHandle = ArgumentLists().Add(std::make_shared<Arguments>());
    return ACL_SUCCESS;
  });
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize, aclrtParamHandle* paramHandle) {
  return Edit(argsHandle, [&](Arguments& list) -> aclError {
    if (list.final) return Fail(ACL_ERROR_INVALID_PARAM, "the arguments were finalized");
    Arguments::Word word;
    if (const aclError code = SetWord(&word, param, paramSize); code != ACL_SUCCESS) return code;
    list.words.push_back(std::move(word));
    if (paramHandle != nullptr) *paramHandle = reinterpret_cast<aclrtParamHandle>(list.words.size());
    return ACL_SUCCESS;
  });
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle* paramHandle) {
  uint64_t none = 0;
  return paramHandle == nullptr ? NullArgument("paramHandle")
                                : aclrtKernelArgsAppend(argsHandle, &none, sizeof(none), paramHandle);
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void** bufferAddr) {
  return Edit(argsHandle, [&](Arguments& list) -> aclError {
    if (bufferAddr == nullptr) return NullArgument("bufferAddr");
    Arguments::Word* word = nullptr;
    if (const aclError code = FindWord(list, paramHandle, &word); code != ACL_SUCCESS) return code;
    word->buffer = std::make_shared<std::vector<std::byte>>(dataSize);
    word->value = reinterpret_cast<uintptr_t>(word->buffer->data());
    *bufferAddr = word->buffer->data();
    return ACL_SUCCESS;
  });
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void* param,
                                   size_t paramSize) {
  return Edit(argsHandle, [&](Arguments& list) -> aclError {
    Arguments::Word* word = nullptr;
    if (const aclError code = FindWord(list, paramHandle, &word); code != ACL_SUCCESS) return code;
    return SetWord(word, param, paramSize);
  });
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  return Edit(argsHandle, [&](Arguments& list) -> aclError {
    list.final = true;
    return ACL_SUCCESS;
  });
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                           aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Launch> launch;
    if (const aclError code = Start(funcHandle, numBlocks, &launch); code != ACL_SUCCESS) return code;
    if (const aclError code = TakeWords(argsData, argsSize, &launch->words); code != ACL_SUCCESS) return code;
    return Queue(std::move(launch), stream);
  });
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData, size_t argsSize,
                             aclrtLaunchKernelCfg* cfg, aclrtStream stream) {
  return aclrtLaunchKernel(funcHandle, numBlocks, argsData, argsSize, stream);
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Launch> launch;
    if (const aclError code = Start(funcHandle, numBlocks, &launch); code != ACL_SUCCESS) return code;
    if (argsHandle == nullptr) return NullArgument("argsHandle");
    const auto list = ArgumentLists().Find(argsHandle);
    if (!list) return BadHandle("argsHandle", "a list of arguments");
    {
      std::lock_guard lock(list->mutex);
      if (!list->final) return Fail(ACL_ERROR_INVALID_PARAM, "the arguments were not finalized (aclrtKernelArgsFinalize)");
      for (const Arguments::Word& word : list->words) {
        launch->words.push_back(word.value);
        if (word.buffer) launch->buffers.push_back(word.buffer);
      }
    }
    const aclError code = Queue(std::move(launch), stream);
    if (code == ACL_SUCCESS) ArgumentLists().Remove(argsHandle);
    return code;
  });
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Launch> launch;
    if (const aclError code = Start(funcHandle, numBlocks, &launch); code != ACL_SUCCESS) return code;
    if (placeHolderNum > 0 && placeHolderArray == nullptr) return NullArgument("placeHolderArray");
    if (hostArgs == nullptr) return NullArgument("hostArgs");
    const auto* bytes = static_cast<const std::byte*>(hostArgs);
    auto copy = std::make_shared<std::vector<std::byte>>(bytes, bytes + argsSize);
    size_t end = argsSize;  // of the arguments: the data begin where the first of them lies
    for (size_t i = 0; i < placeHolderNum; ++i) {
      const aclrtPlaceHolderInfo& info = placeHolderArray[i];
      if (info.addrOffset + kWord > argsSize || info.dataOffset >= argsSize) {
        return Fail(ACL_ERROR_INVALID_PARAM, "a place of the arguments reaches past their " + std::to_string(argsSize) + " bytes");
      }
      const uint64_t address = reinterpret_cast<uintptr_t>(copy->data()) + info.dataOffset;
      std::memcpy(copy->data() + info.addrOffset, &address, kWord);
      end = std::min<size_t>(end, info.dataOffset);
    }
    if (const aclError code = TakeWords(copy->data(), end / kWord * kWord, &launch->words); code != ACL_SUCCESS) return code;
    launch->buffers.push_back(std::move(copy));
    return Queue(std::move(launch), stream);
  });
}

aclError openatcLaunchBlocks(void (*block)(void* args), const void* args, size_t argsSize, uint32_t numBlocks,
                             aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (block == nullptr) return NullArgument("block");
    if (args == nullptr && argsSize > 0) return NullArgument("args");
    if (numBlocks == 0) return Fail(ACL_ERROR_INVALID_PARAM, "a kernel is launched over 1 block or more");
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    // In words, so that whatever the arguments are lies aligned.
    auto copy = std::make_shared<std::vector<std::max_align_t>>((argsSize + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    if (argsSize > 0) std::memcpy(copy->data(), args, argsSize);
    Task task;
    task.kernel = "openatcLaunchBlocks";
    task.run = [block, copy, numBlocks](Stream&) -> aclError {
      RunBlocks(numBlocks, [&] { block(copy->data()); });
      return ACL_SUCCESS;
    };
    return on->Enqueue(std::move(task));
  });
}

uint32_t openatcGetBlockIdx(void) { return CurrentBlock().index; }
uint32_t openatcGetBlockNum(void) { return CurrentBlock().count; }
