//===- TypeMap.h - A literal version of MPI's type definitions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: the list of all elements of a type in pack order, and its bounds
// as the minimum and maximum over all instances, computed one by one from the
// constructors' arguments. It uses only getContents of the classes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_TYPEMAP_H
#define SLUICE_LIB_PACK_TESTING_TYPEMAP_H

#include "sluice/Pack/Datatype.h"

#include <algorithm>

namespace farc {

struct TypeMap {
  struct Element {
    int64_t place;
    int64_t size;
    bool operator==(const Element &) const = default;
  };
  std::vector<Element> elements;
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t alignment = 1;
  bool isMarked = false;
  bool isEmpty = true;

  int64_t extent() const { return upper - lower; }
  int64_t size() const {
    int64_t sum = 0;
    for (const Element &element : elements)
      sum += element.size;
    return sum;
  }
  int64_t trueLower() const {
    int64_t least = elements.empty() ? 0 : elements.front().place;
    for (const Element &element : elements)
      least = std::min(least, element.place);
    return least;
  }
  int64_t trueUpper() const {
    int64_t most = elements.empty() ? 0 : trueLower();
    for (const Element &element : elements)
      most = std::max(most, element.place + element.size);
    return most;
  }

  /// Adds one instance of another type.
  void add(const TypeMap &other, int64_t place) {
    for (const Element &element : other.elements)
      elements.push_back({element.place + place, element.size});
    if (!other.elements.empty())
      alignment = std::max(alignment, other.alignment);
    if (isMarked && !other.isMarked)
      return;
    bool isFirst = isEmpty || isMarked != other.isMarked;
    int64_t low = other.lower + place;
    int64_t high = other.upper + place;
    lower = isFirst ? low : std::min(lower, low);
    upper = isFirst ? high : std::max(upper, high);
    isMarked = other.isMarked;
    isEmpty = false;
  }
  void addBlock(const TypeMap &other, int64_t blocklen, int64_t place) {
    for (int64_t i = 0; i != blocklen; ++i)
      add(other, place + i * other.extent());
  }
  void mark(int64_t newLower, int64_t newUpper) {
    lower = newLower;
    upper = newUpper;
    isMarked = true;
    isEmpty = false;
  }
  void pad() {
    while (!isMarked && extent() % alignment != 0)
      ++upper;
  }
};

/// The type map of a type of this library's classes.
TypeMap typeMapOf(const Datatype &type);

} // namespace farc

#endif // SLUICE_LIB_PACK_TESTING_TYPEMAP_H
