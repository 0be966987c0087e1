//===- Transpack.cpp - From one layout directly into another --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packed stream is never stored as a whole, and often not at all:
//
// 1. If one side is consecutive bytes, the other side's kernel does the copy.
// 2. If one side has long runs, each run is packed or unpacked in place, as a
//    part of the other side's stream; unless that is a transpose.
// 3. Otherwise the stream goes through a piece of memory that stays in the
//    cache, with the kernels of both sides.
//
//===----------------------------------------------------------------------===//

#include "../Form/CheckedArithmetic.h"
#include "../Form/FormBuilding.h"
#include "../Layouts/Address.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/DatatypeBase.h"
#include "sluice/Pack/Packer.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::pack;

/// Runs of at least this many bytes justify a call of the other side's kernel.
static constexpr int64_t longRun = 1024;
static constexpr int64_t chunkBytes = 64 << 10;

namespace {

/// One side of the copy.
struct TranspackSide {
  Packer &packer;
  std::byte *memory;
  int64_t count;

  const Layout &layout() const { return packer.layout(); }
  const Form &form() const { return *layout().form; }

  bool isConsecutive() const {
    return form().kind == FormKind::Block &&
           (count == 1 || layout().extent == layout().size());
  }
  /// On average.
  bool hasLongRuns() const {
    return !form().hasCustom && form().size / form().runs >= longRun;
  }
  /// Whether neighbours in memory are far apart in the stream, as in a
  /// transpose: then much of the stream must be available to fill a cache line.
  bool isScattered() const {
    return form().kind == FormKind::Strided &&
           form().children.front()->high < 64 &&
           std::abs(form().dimensions.back().stride) >= 256;
  }
};

} // namespace

/// Calls `copy(address, position, length)` for each run of `side`.
template <typename Copy>
static void forEachRunOf(const TranspackSide &side, Copy copy) {
  int64_t position = 0;
  for (int64_t i = 0; i != side.count; ++i)
    forEachRun(side.form(), side.layout().offset + i * side.layout().extent,
               [&](int64_t offset, int64_t length) {
                 copy(addressAt(side.memory, offset), position, length);
                 position += length;
               });
}

static int64_t chunkFor(const TranspackSide &from, const TranspackSide &to) {
  int64_t chunk = chunkBytes;
  if (from.isScattered() || to.isScattered())
    chunk = std::max(chunk, thisProcessor().level2Bytes / 2);
  // Whole instances need no partial work.
  for (const TranspackSide *side : {&from, &to})
    if (int64_t size = side->layout().size(); size <= chunk / 4)
      return chunk / size * size;
  return chunk;
}

static void copyInChunks(const TranspackSide &from, const TranspackSide &to,
                         int64_t total) {
  int64_t chunk = std::min(chunkFor(from, to), total);
  auto memory = std::make_unique_for_overwrite<std::byte[]>(size_t(chunk));
  for (int64_t position = 0; position < total; position += chunk) {
    int64_t length = std::min(total - position, chunk);
    from.packer.packPart(from.memory, from.count, position, length,
                         memory.get());
    to.packer.unpackPart(memory.get(), position, length, to.memory, to.count);
  }
}

static void copyAcross(const TranspackSide &from, const TranspackSide &to,
                       int64_t total) {
  if (from.isConsecutive())
    return to.packer.unpack(addressAt(from.memory, from.layout().offset),
                            to.memory, to.count);
  if (to.isConsecutive())
    return from.packer.pack(from.memory, from.count,
                            addressAt(to.memory, to.layout().offset));
  if (from.hasLongRuns() && !to.isScattered())
    return forEachRunOf(
        from, [&](std::byte *run, int64_t position, int64_t length) {
          to.packer.unpackPart(run, position, length, to.memory, to.count);
        });
  if (to.hasLongRuns() && !from.isScattered())
    return forEachRunOf(
        to, [&](std::byte *run, int64_t position, int64_t length) {
          from.packer.packPart(from.memory, from.count, position, length, run);
        });
  copyInChunks(from, to, total);
}

/// "3 x 24", or the same with the product.
static std::string sizeText(const TranspackSide &side) {
  return concat(side.count, " x ", side.layout().size(), " bytes");
}

Status sluice::pack::transpack(Packer &from, const void *in, int64_t inCount,
                               Packer &to, void *out, int64_t outCount) {
  TranspackSide source{from, static_cast<std::byte *>(const_cast<void *>(in)),
                       inCount};
  TranspackSide target{to, static_cast<std::byte *>(out), outCount};
  if (inCount < 0 || outCount < 0)
    return Status::invalidArgument(concat(
        "expected counts of at least 0, but got ", inCount, " and ", outCount));
  int64_t total, room;
  if (__builtin_mul_overflow(from.layout().size(), inCount, &total) ||
      __builtin_mul_overflow(to.layout().size(), outCount, &room) ||
      total != room)
    return Status::invalidArgument(
        concat("expected two layouts of the same size, but got ",
               sizeText(source), " for ", sizeText(target)));
  if (total == 0)
    return Status();
  for (const TranspackSide *side : {&source, &target})
    if (farc::isNoAddress(side->memory,
                          side->layout().offset + side->layout().form->low))
      return Status::invalidArgument(
          concat("a buffer is null, but has ", sizeText(*side)));
  try {
    copyAcross(source, target, total);
  } catch (const farc::Error &error) {
    return Status::misuse(error.what());
  }
  return Status();
}
