//===- Loops.cpp - Ops made of other ops ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These only call other ops, so one version suffices for all instruction sets.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "StreamingWriter.h"

#include <algorithm>

using namespace sluice::pack::kernels;

static void packLoop(const Op &op, const Byte *in, int64_t count, Byte *out,
                     const Limits &limits) {
  auto &loop = static_cast<const LoopOp &>(op);
  for (int64_t i = 0; i != count; ++i, in += op.stride, out += op.size)
    packPart(*loop.child, in, loop.childCount, out, limits);
}
static void unpackLoop(const Op &op, const Byte *in, int64_t count, Byte *out,
                       const Limits &limits) {
  auto &loop = static_cast<const LoopOp &>(op);
  const Op &child = *loop.child;
  for (int64_t i = 0; i != count; ++i, in += op.size, out += op.stride)
    child.functions.unpack(child, in, loop.childCount, out, limits);
}
const OpFunctions sluice::pack::kernels::loopFunctions = {packLoop, unpackLoop};

static void packPlaces(const Op &op, const Byte *in, int64_t count, Byte *out,
                       const Limits &limits) {
  auto &list = static_cast<const PlacesOp &>(op);
  const Op &child = *list.child;
  int64_t step = child.size * list.childCount;
  for (int64_t i = 0; i != count; ++i, in += op.stride)
    for (int64_t place = 0; place != list.places; ++place, out += step)
      packPart(child, in + list.offsets[place], list.childCount, out, limits);
}
static void unpackPlaces(const Op &op, const Byte *in, int64_t count, Byte *out,
                         const Limits &limits) {
  auto &list = static_cast<const PlacesOp &>(op);
  const Op &child = *list.child;
  int64_t step = child.size * list.childCount;
  for (int64_t i = 0; i != count; ++i, out += op.stride)
    for (int64_t place = 0; place != list.places; ++place, in += step)
      child.functions.unpack(child, in, list.childCount,
                             out + list.offsets[place], limits);
}
const OpFunctions sluice::pack::kernels::placesFunctions = {packPlaces,
                                                            unpackPlaces};

static void packSequence(const Op &op, const Byte *in, int64_t count, Byte *out,
                         const Limits &limits) {
  auto &sequence = static_cast<const SequenceOp &>(op);
  for (int64_t i = 0; i != count; ++i, in += op.stride)
    for (int64_t part = 0; part != sequence.count; ++part) {
      auto [child, childCount, offset] = sequence.parts[part];
      packPart(*child, in + offset, childCount, out, limits);
      out += child->size * childCount;
    }
}
static void unpackSequence(const Op &op, const Byte *in, int64_t count,
                           Byte *out, const Limits &limits) {
  auto &sequence = static_cast<const SequenceOp &>(op);
  for (int64_t i = 0; i != count; ++i, out += op.stride)
    for (int64_t part = 0; part != sequence.count; ++part) {
      auto [child, childCount, offset] = sequence.parts[part];
      child->functions.unpack(*child, in, childCount, out + offset, limits);
      in += child->size * childCount;
    }
}
const OpFunctions sluice::pack::kernels::sequenceFunctions = {packSequence,
                                                              unpackSequence};

void sluice::pack::kernels::streamBlocks(const Op &op, const Byte *in,
                                         int64_t count, Byte *,
                                         const Limits &limits) {
  for (int64_t i = 0; i != count; ++i, in += op.stride)
    limits.stream->write(in, op.size);
}

void sluice::pack::kernels::streamRows(const Op &op, const Byte *in,
                                       int64_t count, Byte *,
                                       const Limits &limits) {
  auto &rows = static_cast<const RowsOp &>(op);
  for (int64_t i = 0; i != count; ++i, in += op.stride)
    limits.stream->pack(*rows.blocks, in, rows.rowCount, limits);
}

void sluice::pack::kernels::streamIndexed(const Op &op, const Byte *in,
                                          int64_t count, Byte *,
                                          const Limits &limits) {
  auto &whole = static_cast<const IndexedOp &>(op);
  int64_t entry = whole.wide ? 8 : 4;
  int64_t piece =
      std::max<int64_t>(1, StreamingWriter::maxPiece / whole.blockSize);
  for (int64_t i = 0; i != count; ++i, in += op.stride)
    for (int64_t place = 0; place < whole.places; place += piece) {
      IndexedOp part = whole;
      part.places = std::min(piece, whole.places - place);
      part.size = part.places * part.blockSize;
      part.offsets = static_cast<const Byte *>(whole.offsets) + place * entry;
      part.packStreamed = nullptr;
      limits.stream->pack(part, in, 1, limits);
    }
}

template <class Number>
static void streamRunsOf(const RunsOp &runs, const Byte *in,
                         StreamingWriter &stream) {
  auto *offsets = static_cast<const Number *>(runs.offsets);
  auto *lengths = static_cast<const Number *>(runs.lengths);
  for (int64_t run = 0; run != runs.runs; ++run)
    stream.write(in + offsets[run], lengths[run]);
}

void sluice::pack::kernels::streamRuns(const Op &op, const Byte *in,
                                       int64_t count, Byte *,
                                       const Limits &limits) {
  auto &runs = static_cast<const RunsOp &>(op);
  for (int64_t i = 0; i != count; ++i, in += op.stride)
    runs.wide ? streamRunsOf<int64_t>(runs, in, *limits.stream)
              : streamRunsOf<int32_t>(runs, in, *limits.stream);
}
