//===- Stream.cpp - Packed bytes on their way past the caches -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffer stays in the first-level cache, so staging costs little beside the
// memory it saves.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

using namespace sluice::pack::kernels;

static void storeLines(Byte *out, const Byte *in, int64_t size) {
#if defined(__SSE2__)
  for (int64_t i = 0; i < size; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i *>(out + i),
                     _mm_load_si128(reinterpret_cast<const __m128i *>(in + i)));
#else
  std::memcpy(out, in, size_t(size));
#endif
}

Stream::Stream(Byte *out)
    : out(out), begin(reinterpret_cast<uintptr_t>(out) % line), end(begin) {}

Stream::~Stream() {
  flush();
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

void Stream::pack(const Op &op, const Byte *in, int64_t count,
                  const Limits &limits) {
  if (op.size > largestPiece) {
    for (int64_t i = 0; i != count; ++i, in += op.stride)
      if (op.packStreamed) {
        op.packStreamed(op, in, 1, out + (end - begin), limits);
      } else {
        flush();
        Limits direct = limits;
        direct.stream = nullptr;
        op.functions.pack(op, in, 1, out, direct);
        out += op.size;
        begin = end = reinterpret_cast<uintptr_t>(out) % line;
      }
    return;
  }
  while (count > 0) {
    int64_t fitting = std::min(count, (capacity - end) / op.size);
    if (fitting == 0) {
      drain();
      continue;
    }
    stage(op, in, fitting, limits);
    in += fitting * op.stride;
    count -= fitting;
  }
}

void Stream::stage(const Op &op, const Byte *in, int64_t count,
                   const Limits &limits) {
  Limits staged = limits;
  staged.stream = nullptr;
  staged.outEnd = buffer + sizeof(buffer);
  op.functions.pack(op, in, count, buffer + end, staged);
  end += count * op.size;
}

void Stream::write(const Byte *in, int64_t size) {
  while (size > 0) {
    int64_t fitting = std::min(size, capacity - end);
    if (fitting == 0) {
      drain();
      continue;
    }
    std::memcpy(buffer + end, in, size_t(fitting));
    end += fitting;
    in += fitting;
    size -= fitting;
  }
}

void Stream::drain() {
  if (begin != 0 && end >= line) {
    std::memcpy(out, buffer + begin, size_t(line - begin));
    out += line - begin;
    begin = line;
  }
  int64_t lines = (end - begin) / line * line;
  storeLines(out, buffer + begin, lines);
  out += lines;
  std::memmove(buffer, buffer + begin + lines, size_t(end - begin - lines));
  end -= begin + lines;
  begin = 0;
}

void Stream::flush() {
  std::memcpy(out, buffer + begin, size_t(end - begin));
  out += end - begin;
  begin = end = reinterpret_cast<uintptr_t>(out) % line;
}
