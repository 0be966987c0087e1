//===- OpProgram.cpp - A complete ready-made kernel -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena, and the entry points of all ready-made kernels.
//
//===----------------------------------------------------------------------===//

#include "OpProgram.h"

#include "../Form/CheckedArithmetic.h"
#include "StreamingWriter.h"

#include <algorithm>

using namespace sluice::pack;
using namespace sluice::pack::kernels;

void *Arena::allocate(size_t bytes, size_t alignment) {
  size_t padding = -reinterpret_cast<uintptr_t>(free) % alignment;
  if (padding + bytes > left) {
    left = std::max<size_t>(bytes + alignment, 2048);
    blocks.push_back(std::make_unique_for_overwrite<std::byte[]>(left));
    free = blocks.back().get();
    padding = -reinterpret_cast<uintptr_t>(free) % alignment;
  }
  std::byte *result = free + padding;
  free = result + bytes;
  left -= padding + bytes;
  return result;
}

/// The end of the bytes that `count` instances use, given the origin of the
/// first one.
static Limits touchedBytes(const Form &form, int64_t extent, int64_t count,
                           const std::byte *first) {
  return {first + form.high + std::max<int64_t>((count - 1) * extent, 0),
          nullptr};
}

static void packStreamed(const OpProgram &program, const std::byte *first,
                         int64_t count, std::byte *out, Limits limits) {
  StreamingWriter stream(out, *program.table);
  limits.stream = &stream;
  stream.pack(*program.root, first, count * program.rootCount, limits);
}

static void packProgram(const std::byte *in, int64_t count, std::byte *out,
                        const void *context) {
  auto &program = *static_cast<const OpProgram *>(context);
  if (count <= 0) [[unlikely]]
    return;
  const Layout &layout = program.layout;
  const std::byte *first = addressAt(in, layout.offset);
  Limits limits = touchedBytes(*layout.form, layout.extent, count, first);
  int64_t total = count * layout.form->size;
  if (total >= program.streamedBytes) [[unlikely]]
    return packStreamed(program, first, count, out, limits);
  limits.outEnd = out + total;
  const Op &root = *program.root;
  root.functions.pack(root, first, count * program.rootCount, out, limits);
}

static void unpackProgram(const std::byte *in, int64_t count, std::byte *out,
                          const void *context) {
  auto &program = *static_cast<const OpProgram *>(context);
  if (count <= 0) [[unlikely]]
    return;
  const Layout &layout = program.layout;
  int64_t total = count * layout.form->size;
  Limits limits = {in + total, nullptr};
  limits.storesLines = total >= program.streamedBytes;
  const Op &root = *program.root;
  root.functions.unpack(root, in, count * program.rootCount,
                        addressAt(out, layout.offset), limits);
  if (limits.storesLines) [[unlikely]]
    program.table->fenceLines();
}

/// Whether instances follow each other without gaps.
static bool isConsecutive(const Layout &layout) {
  return layout.form->kind == FormKind::Block &&
         layout.form->size == layout.extent;
}

static void packConsecutive(const std::byte *in, int64_t count, std::byte *out,
                            const void *context) {
  auto &program = *static_cast<const OpProgram *>(context);
  if (count > 0)
    program.table->copy(out, addressAt(in, program.layout.offset),
                        count * program.layout.extent);
}

static void unpackConsecutive(const std::byte *in, int64_t count,
                              std::byte *out, const void *context) {
  auto &program = *static_cast<const OpProgram *>(context);
  if (count > 0)
    program.table->copy(addressAt(out, program.layout.offset), in,
                        count * program.layout.extent);
}

static void doNothing(const std::byte *, int64_t, std::byte *, const void *) {}

Kernel sluice::pack::readyMadeKernel(const Layout &layout,
                                     const Processor &processor,
                                     KernelEffort effort) {
  Kernel kernel;
  kernel.origin = KernelOrigin::ReadyMade;
  if (layout.form->kind == FormKind::Empty) {
    kernel.pack = kernel.unpack = doNothing;
    kernel.canImprove = false;
    kernel.name = "no bytes";
    return kernel;
  }
  if (layout.form->hasCustom) {
    kernel.name = "none: packed by generated code only";
    return kernel;
  }
  auto program = std::make_shared<OpProgram>();
  program->layout = layout;
  if (effort == KernelEffort::Full)
    program->layout.form = cutIntoEqualBlocks(layout.form);
  program->streamedBytes = processor.lastLevelBytes / 2;
  program->table = &functionsOf(processor);
  kernel.name = chooseOps(*program, processor, effort);
  // The C library copies long blocks; it is hard to outperform.
  kernel.canImprove =
      layout.form->kind != FormKind::Block ||
      (layout.form->size < 256 && layout.extent != layout.form->size);
  bool consecutive = isConsecutive(layout);
  kernel.pack = consecutive ? packConsecutive : packProgram;
  kernel.unpack = consecutive ? unpackConsecutive : unpackProgram;
  kernel.context = std::move(program);
  return kernel;
}
