//===- places.h - Irregular places, the same in every program ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of indices for irregular layouts, made at compile time, so that a
// hand-written loop may know them too.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_PLACES_H
#define SLUICE_BENCH_PACK_PLACES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace bench {

/// A linear congruential generator (Knuth's MMIX), its upper bits.
class Random {
public:
  constexpr explicit Random(uint64_t seed) : state(seed) {}
  constexpr uint32_t below(uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state >> 33) % bound);
  }

private:
  uint64_t state;
};

/// `N` ascending places, 2 to 5 apart: no two of them adjacent.
template <int N> constexpr std::array<int, N> ascendingPlaces() {
  std::array<int, N> places = {};
  Random random(N);
  int at = 0;
  for (int &place : places) {
    place = at;
    at += 2 + static_cast<int>(random.below(4));
  }
  return places;
}

/// The first `count` of a random permutation of `range` places.
inline std::vector<int> shuffledPlaces(int count, int range) {
  std::vector<int> places(static_cast<size_t>(range));
  std::iota(places.begin(), places.end(), 0);
  Random random(static_cast<uint64_t>(count));
  for (int i = range - 1; i > 0; --i)
    std::swap(places[i], places[random.below(static_cast<uint32_t>(i) + 1)]);
  places.resize(static_cast<size_t>(count));
  return places;
}

} // namespace bench

#endif // SLUICE_BENCH_PACK_PLACES_H
