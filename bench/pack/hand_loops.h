//===- hand_loops.h - Loops written by hand, by layout and variant -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop knows its layout's sizes as constants and packs nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_HAND_LOOPS_H
#define SLUICE_BENCH_PACK_HAND_LOOPS_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace bench {

/// `count` is the number of blocks of a vector, of instances of another type.
using HandFunction = void (*)(const std::byte *__restrict in,
                              std::byte *__restrict out, int64_t count);

struct Hand {
  const char *layout; ///< "vector:8" for all its sizes
  HandFunction pack, unpack;
};

/// What gcc makes of plain loops; there is one for every layout.
std::span<const Hand> plainLoops();
/// One statement per place of a short list.
std::span<const Hand> straightLines();
/// With AVX-512's permutations; empty where it was not compiled for.
std::span<const Hand> avx512Loops();
/// The same with stores that pass the caches by. Null functions where such
/// stores would write part of a line.
std::span<const Hand> streamingLoops();

} // namespace bench

#endif // SLUICE_BENCH_PACK_HAND_LOOPS_H
