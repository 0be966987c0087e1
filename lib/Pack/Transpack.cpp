//===- Transpack.cpp - From one layout straight into another --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing and unpacking through a piece of memory that stays in the cache.
//
//===----------------------------------------------------------------------===//

#include "CheckedArithmetic.h"
#include "sluice/Pack/Packer.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::pack;

static constexpr int64_t chunkBytes = 64 << 10;

Status sluice::pack::transpack(Packer &from, const void *in, int64_t inCount,
                               Packer &to, void *out, int64_t outCount) {
  if (inCount < 0 || outCount < 0)
    return Status::invalidArgument("expected counts of at least 0, but got " +
                                   std::to_string(inCount) + " and " +
                                   std::to_string(outCount));
  int64_t total = checkedMultiply(from.layout().size(), inCount);
  int64_t room = checkedMultiply(to.layout().size(), outCount);
  if (total != room)
    return Status::invalidArgument(
        "expected layouts of the same size, but one gives " +
        std::to_string(total) + " bytes (" + std::to_string(inCount) + " x " +
        std::to_string(from.layout().size()) + ") and the other takes " +
        std::to_string(room) + " (" + std::to_string(outCount) + " x " +
        std::to_string(to.layout().size()) + ")");
  auto chunk =
      std::make_unique<std::byte[]>(size_t(std::min(total, chunkBytes)));
  for (int64_t position = 0; position < total;) {
    int64_t length = std::min(total - position, chunkBytes);
    from.packPart(in, inCount, position, length, chunk.get());
    to.unpackPart(chunk.get(), position, length, out, outCount);
    position += length;
  }
  return Status();
}
