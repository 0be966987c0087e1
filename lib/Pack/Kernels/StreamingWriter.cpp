//===- StreamingWriter.cpp - Packed bytes written around the caches -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffer stays in the first-level cache, so staging costs little compared
// with the memory traffic it saves.
//
//===----------------------------------------------------------------------===//

#include "StreamingWriter.h"

#include <algorithm>
#include <cstring>

using namespace sluice::pack::kernels;

StreamingWriter::StreamingWriter(Byte *out, const FunctionTable &table)
    : table(table), out(out) {
  restart();
}

StreamingWriter::~StreamingWriter() {
  flush();
  table.fenceLines();
}

void StreamingWriter::restart() {
  drained = end = int64_t(reinterpret_cast<uintptr_t>(out) % line);
  lapEnd = -1;
}

Byte *StreamingWriter::position() const {
  if (lapEnd < 0)
    return out + (end - drained);
  return out + (lapEnd - drained) + (end - lapEnd % line);
}

void StreamingWriter::reserve() {
  if (end + chunk <= capacity)
    return;
  drain(lag);
  lapEnd = end;
  end %= line;
}

void StreamingWriter::drain(int64_t distance) {
  int64_t ready = end - distance;
  if (ready < 0)
    return;
  if (lapEnd >= 0) {
    int64_t rest = lapEnd % line;
    drainUntil(lapEnd - rest);
    std::memcpy(buffer, buffer + lapEnd - rest, size_t(rest));
    drained = 0;
    lapEnd = -1;
  }
  drainUntil(ready - ready % line);
}

void StreamingWriter::drainUntil(int64_t limit) {
  if (limit <= drained)
    return;
  if (drained % line != 0) {
    int64_t head = line - drained % line;
    std::memcpy(out, buffer + drained, size_t(head));
    out += head;
    drained += head;
  }
  table.storeLines(out, buffer + drained, limit - drained);
  out += limit - drained;
  drained = limit;
}

void StreamingWriter::flush() {
  drain(0);
  std::memcpy(out, buffer + drained, size_t(end - drained));
  out += end - drained;
  restart();
}

void StreamingWriter::pack(const Op &op, const Byte *in, int64_t count,
                           const Limits &limits) {
  if (op.packLines && count * op.size >= worthLines) {
    int64_t packed = packLines(op, in, count, limits);
    in += packed * op.stride;
    count -= packed;
  }
  if (op.size <= maxPiece)
    return stage(op, in, count, limits);
  for (int64_t i = 0; i != count; ++i, in += op.stride)
    if (op.packStreamed) {
      op.packStreamed(op, in, 1, position(), limits);
    } else {
      flush();
      Limits direct = limits;
      direct.stream = nullptr;
      op.functions.pack(op, in, 1, out, direct);
      out += op.size;
      restart();
    }
}

int64_t StreamingWriter::packLines(const Op &op, const Byte *in, int64_t count,
                                   const Limits &limits) {
  int64_t head = 0;
  auto place = reinterpret_cast<uintptr_t>(position());
  while ((place + uintptr_t(head * op.size)) % line != 0)
    if (++head == line)
      return 0;
  if (head > count || (head != 0 && op.size > maxPiece))
    return 0;
  stage(op, in, head, limits);
  flush();
  int64_t lines = (count - head) / op.lineGroup * op.lineGroup;
  op.packLines(op, in + head * op.stride, lines, out, limits);
  out += lines * op.size;
  restart();
  return head + lines;
}

void StreamingWriter::stage(const Op &op, const Byte *in, int64_t count,
                            const Limits &limits) {
  Limits staged = limits;
  staged.stream = nullptr;
  staged.outEnd = buffer + sizeof(buffer);
  int64_t most = chunk / op.size;
  while (count > 0) {
    int64_t taken = std::min(count, most);
    reserve();
    op.functions.pack(op, in, taken, buffer + end, staged);
    end += taken * op.size;
    drain(lag);
    in += taken * op.stride;
    count -= taken;
  }
}

void StreamingWriter::write(const Byte *in, int64_t size) {
  while (size > 0) {
    int64_t taken = std::min(size, chunk);
    reserve();
    std::memcpy(buffer + end, in, size_t(taken));
    end += taken;
    drain(lag);
    in += taken;
    size -= taken;
  }
}
