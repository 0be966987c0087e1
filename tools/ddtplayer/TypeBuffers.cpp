//===- TypeBuffers.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On x86-64, an instruction evicts a line from all caches. On other machines, a
// buffer larger than the caches is read.
//
//===----------------------------------------------------------------------===//

#include "TypeBuffers.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Kernel.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

using namespace sluice;
using namespace sluice::player;

static constexpr int64_t lineBytes = 64;

ByteSpan sluice::player::spanOf(const TypeShape &shape, int64_t count) {
  if (count == 0 || shape.size == 0)
    return {};
  int64_t last = (count - 1) * shape.extent;
  int64_t low = shape.trueLowerBound + std::min<int64_t>(last, 0);
  int64_t high =
      shape.trueLowerBound + shape.trueExtent + std::max<int64_t>(last, 0);
  return {low, high};
}

Result<Region> Region::of(ByteSpan span) {
  Region region;
  region.low = span.low;
  region.size = size_t(span.bytes());
  // The start of the mapping and the address are both multiples of a line.
  size_t padding = size_t(((span.low % lineBytes) + lineBytes) % lineBytes);
  region.mappedSize = region.size + padding + lineBytes;
  void *mapped = mmap(nullptr, region.mappedSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return Status::error(StatusCode::Exhausted,
                         concat("no memory for a buffer of ", region.mappedSize,
                                " bytes: ", systemErrorText(errno)));
  region.mapped = static_cast<std::byte *>(mapped);
  region.first = region.mapped + padding;
  return region;
}

Region::~Region() {
  if (mapped)
    munmap(mapped, mappedSize);
}

Region::Region(Region &&other) noexcept { *this = std::move(other); }

Region &Region::operator=(Region &&other) noexcept {
  std::swap(mapped, other.mapped);
  std::swap(mappedSize, other.mappedSize);
  std::swap(first, other.first);
  std::swap(size, other.size);
  std::swap(low, other.low);
  return *this;
}

void Region::fillPattern(uint8_t seed) const {
  for (size_t i = 0; i < size; ++i)
    first[i] = std::byte(((i + seed) * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

void Region::fillGaps() const {
  if (size)
    std::memset(first, int(gapByte), size);
}

#if defined(__x86_64__)
void Region::evict() const {
  for (size_t i = 0; i < mappedSize; i += lineBytes)
    _mm_clflush(mapped + i);
  _mm_mfence();
}
#else
void Region::evict() const {
  static std::vector<unsigned char> others(
      size_t(2 * pack::thisProcessor().lastLevelBytes), 1);
  volatile unsigned char *lines = others.data();
  for (size_t i = 0; i < others.size(); i += lineBytes)
    lines[i] = lines[i] + 1;
}
#endif
