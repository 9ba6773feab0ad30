// Memory for what kernels prepare at load and keep: weights in layouts of their own.
#pragma once

#include <cstddef>
#include <memory>

namespace atc::kernels {

// `size` bytes aligned to 64, contents undefined, which the pointer keeps. They come from large pieces on large pages: a
// model's weights are many tensors, and a page of 4 KiB costs more to be had than to be filled. A piece is given back when
// nobody keeps any of it. Several threads may ask at a time. Throws std::bad_alloc.
std::shared_ptr<std::byte> AllocatePrepared(size_t size);

}  // namespace atc::kernels
