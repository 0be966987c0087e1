//===- find_hand.h - The loop for a layout ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by the programs that pack, and by those that send what they packed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_FIND_HAND_H
#define SLUICE_BENCH_PACK_FIND_HAND_H

#include "hand_loops.h"
#include "layouts.h"

namespace bench {

/// `vector:8` of `vector:8:65536`; other names are whole.
inline std::string handName(const std::string &layout) {
  return layout.substr(0, layout.rfind(':') == layout.find(':')
                              ? std::string::npos
                              : layout.rfind(':'));
}

inline const Hand &findHand(std::span<const Hand> loops,
                            const std::string &layout) {
  const std::string name = handName(layout);
  for (const Hand &hand : loops)
    if (name == hand.layout)
      return hand;
  std::fprintf(stderr, "no loop is written for '%s'\n", layout.c_str());
  std::exit(1);
}

/// What the loop counts: blocks of a vector, else instances.
inline int64_t handCount(const std::string &layout) {
  int block;
  long long bytes;
  if (std::sscanf(layout.c_str(), "vector:%d:%lld", &block, &bytes) == 2)
    return bytes / 8 / block;
  Places places;
  return makeLayout(places, layout).count;
}

} // namespace bench

#endif // SLUICE_BENCH_PACK_FIND_HAND_H
