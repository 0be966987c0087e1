//===- TypeMap.cpp - A literal version of MPI's type definitions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays are the simplest: every element of the whole array is examined in
// order, and either belongs to the part or does not.
//
//===----------------------------------------------------------------------===//

#include "TypeMap.h"

using namespace farc;

static TypeMap mapOfStruct(const Contents &given) {
  TypeMap map;
  for (int64_t i = 0; i != given.integers[0]; ++i)
    map.addBlock(typeMapOf(*given.datatypes[i]), given.integers[i + 1],
                 given.addresses[i]);
  map.pad();
  return map;
}

/// Calls `visit` with the index of every element of an array, in memory order.
template <typename Visit>
static void forEachIndex(const std::vector<int64_t> &sizes, Order order,
                         Visit visit) {
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  for (int64_t linear = 0; linear != total; ++linear) {
    int64_t rest = linear;
    for (size_t k = 0; k != sizes.size(); ++k) {
      size_t i = order == ORDER_FORTRAN ? k : sizes.size() - 1 - k;
      index[i] = rest % sizes[i];
      rest /= sizes[i];
    }
    visit(index, linear);
  }
}

static std::vector<int64_t> part(const Contents &given, int64_t begin,
                                 int64_t length) {
  auto first = given.integers.begin() + begin;
  return {first, first + length};
}

/// The elements of an array that `isMine` accepts.
template <typename IsMine>
static TypeMap mapOfArray(const TypeMap &base,
                          const std::vector<int64_t> &sizes, Order order,
                          IsMine isMine) {
  TypeMap map;
  int64_t total = 0;
  forEachIndex(sizes, order, [&](const auto &index, int64_t linear) {
    total = linear + 1;
    if (isMine(index))
      map.add(base, linear * base.extent());
  });
  map.mark(0, total * base.extent());
  return map;
}

static TypeMap mapOfSubarray(const Contents &given, const TypeMap &base) {
  int64_t n = given.integers[0];
  auto subsizes = part(given, 1 + n, n);
  auto starts = part(given, 1 + 2 * n, n);
  return mapOfArray(base, part(given, 1, n), Order(given.integers.back()),
                    [&](const std::vector<int64_t> &index) {
                      for (int64_t i = 0; i != n; ++i)
                        if (index[i] < starts[i] ||
                            index[i] >= starts[i] + subsizes[i])
                          return false;
                      return true;
                    });
}

/// The process of a dimension that owns `index`.
static int64_t ownerOf(int64_t index, int64_t size, Distribution distribution,
                       int64_t argument, int64_t processes) {
  bool isDefault = argument == DISTRIBUTE_DFLT_DARG;
  switch (distribution) {
  case DISTRIBUTE_NONE:
    return 0;
  case DISTRIBUTE_BLOCK:
    return index / (isDefault ? (size + processes - 1) / processes : argument);
  case DISTRIBUTE_CYCLIC:
    return index / (isDefault ? 1 : argument) % processes;
  }
  return -1;
}

static TypeMap mapOfDarray(const Contents &given, const TypeMap &base) {
  int64_t n = given.integers[2];
  auto sizes = part(given, 3, n);
  auto kinds = part(given, 3 + n, n);
  auto arguments = part(given, 3 + 2 * n, n);
  auto processes = part(given, 3 + 3 * n, n);
  return mapOfArray(base, sizes, Order(given.integers.back()),
                    [&](const std::vector<int64_t> &index) {
                      int64_t owner = 0;
                      for (int64_t i = 0; i != n; ++i)
                        owner =
                            owner * processes[i] +
                            ownerOf(index[i], sizes[i], Distribution(kinds[i]),
                                    arguments[i], processes[i]);
                      return owner == given.integers[1];
                    });
}

/// The four indexed types: `length(i)` and `place(i)` belong to block i.
template <typename Length, typename Place>
static TypeMap mapOfList(const TypeMap &base, int64_t count, Length length,
                         Place place) {
  TypeMap map;
  for (int64_t i = 0; i != count; ++i)
    map.addBlock(base, length(i), place(i));
  return map;
}

static TypeMap mapOfUnary(DatatypeName name, const Contents &given,
                          const TypeMap &base) {
  const std::vector<int64_t> &numbers = given.integers;
  int64_t n = numbers.empty() ? 0 : numbers[0];
  auto listed = [&](int64_t i) { return numbers[i + 1]; };
  auto same = [&](int64_t) { return numbers[1]; };
  auto bytes = [&](int64_t i) { return given.addresses[i]; };
  switch (name) {
  case CONTIGUOUS:
    return mapOfList(
        base, 1, [&](int64_t) { return n; }, [](int64_t) { return 0; });
  case VECTOR:
    return mapOfList(base, n, same,
                     [&](int64_t i) { return i * numbers[2] * base.extent(); });
  case HVECTOR:
    return mapOfList(base, n, same,
                     [&](int64_t i) { return i * given.addresses[0]; });
  case INDEXED:
    return mapOfList(base, n, listed, [&](int64_t i) {
      return numbers[i + 1 + n] * base.extent();
    });
  case HINDEXED:
    return mapOfList(base, n, listed, bytes);
  case INDEXEDBLOCK:
    return mapOfList(base, n, same,
                     [&](int64_t i) { return numbers[i + 2] * base.extent(); });
  case HINDEXEDBLOCK:
    return mapOfList(base, n, same, bytes);
  case SUBARRAY:
    return mapOfSubarray(given, base);
  case DARRAY:
    return mapOfDarray(given, base);
  default:
    return base;
  }
}

TypeMap farc::typeMapOf(const Datatype &type) {
  DatatypeName name = type.getDatatypeName();
  if (name == PRIMITIVE) {
    TypeMap map;
    map.elements.push_back({0, type.getSize()});
    map.upper = type.getSize();
    map.alignment = type.getAlignment();
    map.isEmpty = false;
    return map;
  }
  Contents given = type.getContents();
  if (name == STRUCT)
    return mapOfStruct(given);
  TypeMap map = mapOfUnary(name, given, typeMapOf(*given.datatypes[0]));
  if (name == RESIZED)
    map.mark(given.addresses[0], given.addresses[0] + given.addresses[1]);
  return map;
}
