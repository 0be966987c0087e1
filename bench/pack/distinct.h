//===- distinct.h - Types by the thousand, no two alike ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that build datatypes in loops commit tens of thousands of them.
// Kind and number give a layout whose normal form no other number has, so that
// nothing is found again in a cache.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_PACK_DISTINCT_H
#define SLUICE_BENCH_PACK_DISTINCT_H

#include "layouts.h"

namespace bench {

enum class Kind { Vector, Struct, Indexed };
constexpr int numKinds = 3;

/// Numbers at which layouts begin to repeat, and what a buffer must hold.
constexpr int distinctNumbers = 50000;
constexpr int64_t distinctSpan = int64_t(distinctNumbers + 64) * 16;

template <class Api>
typename Api::Type makeDistinct(Api &api, Kind kind, int number) {
  number %= distinctNumbers;
  const auto doubles = api.basic(Basic::Double);
  switch (kind) {
  case Kind::Vector:
    return api.vector(3, 1, 2 + number, doubles);
  case Kind::Struct:
    return api.structure(
        {{1, 0, api.basic(Basic::Int)}, {2, 8 + 8 * int64_t(number), doubles}});
  case Kind::Indexed:
    return api.indexedBlock(1, {0, 2, 5, 7 + number, 11 + number}, doubles);
  }
  return doubles;
}

/// The kind of that name, or null.
inline const Kind *kindNamed(const std::string &name) {
  static constexpr Kind kinds[] = {Kind::Vector, Kind::Struct, Kind::Indexed};
  const char *const names[] = {"vectors", "structs", "lists"};
  for (int i = 0; i < numKinds; ++i)
    if (name == names[i])
      return &kinds[i];
  return nullptr;
}

} // namespace bench

#endif // SLUICE_BENCH_PACK_DISTINCT_H
