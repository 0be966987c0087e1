//===- NaiveTypeMap.cpp - The type map of a layout, for tests -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per constructor, each a transcription of the definition in MPI
// 3.1, section 4.1. A layout's arguments are read from its contents in the
// order of MPI_Type_get_contents.
//
//===----------------------------------------------------------------------===//

#include "NaivePacker.h"

#include <algorithm>

using namespace sluice::pack;
using namespace sluice::pack::naive;

namespace {

/// Thrown inside this file when the type map exceeds the limit.
struct LimitReached {};

class Expander {
public:
  explicit Expander(int64_t limit) : left(limit) {}

  TypeMap expand(const farc::Datatype &type);

private:
  void spend(int64_t steps);
  void place(TypeMap &map, const TypeMap &part, int64_t displacement);
  /// `count` copies, one extent apart, the first at `displacement`.
  void placeBlock(TypeMap &map, const TypeMap &part, int64_t count,
                  int64_t displacement);
  TypeMap primitive(const farc::Datatype &type);
  TypeMap vector(const farc::Contents &contents, const TypeMap &base,
                 int64_t strideBytes);
  TypeMap indexed(const farc::Contents &contents, const TypeMap &base);
  TypeMap hindexed(const farc::Contents &contents, const TypeMap &base);
  TypeMap indexedBlock(const farc::Contents &contents, const TypeMap &base);
  TypeMap hindexedBlock(const farc::Contents &contents, const TypeMap &base);
  TypeMap structure(const farc::Contents &contents);
  TypeMap array(const TypeMap &base, const std::vector<int64_t> &sizes,
                const std::vector<std::vector<int64_t>> &chosen,
                farc::Order order);
  TypeMap subarray(const farc::Contents &contents, const TypeMap &base);
  TypeMap distributedArray(const farc::Contents &contents, const TypeMap &base);

  int64_t left;
};

} // namespace

void Expander::spend(int64_t steps) {
  left -= steps;
  if (left < 0)
    throw LimitReached();
}

void Expander::place(TypeMap &map, const TypeMap &part, int64_t displacement) {
  spend(1 + static_cast<int64_t>(part.elements.size()));
  int64_t low = displacement + part.lowerBound;
  int64_t high = displacement + part.upperBound;
  bool replaces = !map.hasParts || (part.isMarked && !map.isMarked);
  if (replaces) {
    map.lowerBound = low;
    map.upperBound = high;
  } else if (part.isMarked == map.isMarked) {
    map.lowerBound = std::min(map.lowerBound, low);
    map.upperBound = std::max(map.upperBound, high);
  }
  map.hasParts = true;
  map.isMarked |= part.isMarked;
  if (!part.elements.empty())
    map.alignment = std::max(map.alignment, part.alignment);
  for (const Element &element : part.elements)
    map.elements.push_back({displacement + element.offset, element.size});
}

void Expander::placeBlock(TypeMap &map, const TypeMap &part, int64_t count,
                          int64_t displacement) {
  for (int64_t i = 0; i != count; ++i)
    place(map, part, displacement + i * part.extent());
}

/// C's alignment of a primitive type: complex numbers have that of their parts.
static int64_t alignmentOf(const farc::Datatype &type) {
  using Primitive = farc::PrimitiveDatatype;
  auto kind = static_cast<const Primitive &>(type).getType();
  switch (kind) {
  case Primitive::C_FLOAT_COMPLEX:
  case Primitive::FORTRAN_COMPLEX:
  case Primitive::COMPLEX8:
    return 4;
  case Primitive::C_DOUBLE_COMPLEX:
  case Primitive::FORTRAN_DOUBLE_COMPLEX:
  case Primitive::COMPLEX16:
    return 8;
  case Primitive::C_LONG_DOUBLE_COMPLEX:
  case Primitive::COMPLEX32:
    return 16;
  default:
    return type.getSize();
  }
}

TypeMap Expander::primitive(const farc::Datatype &type) {
  TypeMap map;
  map.elements.push_back({0, type.getSize()});
  map.upperBound = type.getSize();
  map.alignment = alignmentOf(type);
  return map;
}

TypeMap Expander::vector(const farc::Contents &contents, const TypeMap &base,
                         int64_t strideBytes) {
  TypeMap map;
  for (int64_t i = 0; i != contents.integers[0]; ++i) {
    spend(1);
    placeBlock(map, base, contents.integers[1], i * strideBytes);
  }
  return map;
}

TypeMap Expander::indexed(const farc::Contents &contents, const TypeMap &base) {
  TypeMap map;
  int64_t count = contents.integers[0];
  for (int64_t i = 0; i != count; ++i)
    placeBlock(map, base, contents.integers[1 + i],
               contents.integers[1 + count + i] * base.extent());
  return map;
}

TypeMap Expander::hindexed(const farc::Contents &contents,
                           const TypeMap &base) {
  TypeMap map;
  for (int64_t i = 0; i != contents.integers[0]; ++i)
    placeBlock(map, base, contents.integers[1 + i], contents.addresses[i]);
  return map;
}

TypeMap Expander::indexedBlock(const farc::Contents &contents,
                               const TypeMap &base) {
  TypeMap map;
  for (int64_t i = 0; i != contents.integers[0]; ++i)
    placeBlock(map, base, contents.integers[1],
               contents.integers[2 + i] * base.extent());
  return map;
}

TypeMap Expander::hindexedBlock(const farc::Contents &contents,
                                const TypeMap &base) {
  TypeMap map;
  for (int64_t i = 0; i != contents.integers[0]; ++i)
    placeBlock(map, base, contents.integers[1], contents.addresses[i]);
  return map;
}

TypeMap Expander::structure(const farc::Contents &contents) {
  TypeMap map;
  for (int64_t i = 0; i != contents.integers[0]; ++i)
    placeBlock(map, expand(*contents.datatypes[i]), contents.integers[1 + i],
               contents.addresses[i]);
  if (map.isMarked)
    return map;
  int64_t units = (map.extent() + map.alignment - 1) / map.alignment;
  map.upperBound = map.lowerBound + units * map.alignment;
  return map;
}

/// The elements of an array with indices `chosen[d]` in each dimension `d`, in
/// array order; marks the bounds of the whole array.
TypeMap Expander::array(const TypeMap &base, const std::vector<int64_t> &sizes,
                        const std::vector<std::vector<int64_t>> &chosen,
                        farc::Order order) {
  size_t rank = sizes.size();
  // The dimensions, fastest first, and the distance of neighbours in each.
  std::vector<size_t> dimensions(rank);
  std::vector<int64_t> distances(rank);
  int64_t distance = base.extent();
  for (size_t i = 0; i != rank; ++i) {
    dimensions[i] = order == farc::ORDER_C ? rank - 1 - i : i;
    distances[i] = distance;
    distance *= sizes[dimensions[i]];
  }
  // Fastest last: each slower dimension repeats the previous list.
  std::vector<int64_t> displacements = {0};
  for (size_t i = 0; i != rank; ++i) {
    std::vector<int64_t> next;
    for (int64_t index : chosen[dimensions[i]])
      for (int64_t displacement : displacements) {
        spend(1);
        next.push_back(index * distances[i] + displacement);
      }
    displacements = std::move(next);
  }
  TypeMap map;
  for (int64_t displacement : displacements)
    place(map, base, displacement);
  map.isMarked = true;
  map.lowerBound = 0;
  map.upperBound = distance;
  return map;
}

TypeMap Expander::subarray(const farc::Contents &contents,
                           const TypeMap &base) {
  const int64_t *next = contents.integers.data();
  int64_t rank = *next++;
  std::vector<int64_t> sizes(next, next + rank);
  std::vector<std::vector<int64_t>> chosen(rank);
  for (int64_t d = 0; d != rank; ++d) {
    int64_t size = next[rank + d], start = next[2 * rank + d];
    spend(size);
    for (int64_t i = 0; i != size; ++i)
      chosen[d].push_back(start + i);
  }
  return array(base, sizes, chosen, static_cast<farc::Order>(next[3 * rank]));
}

/// The global indices of one dimension at one process coordinate.
static std::vector<int64_t> indicesAt(int64_t coordinate, int64_t processes,
                                      int64_t size, int64_t distribution,
                                      int64_t argument) {
  std::vector<int64_t> indices;
  bool chooses = argument == farc::DISTRIBUTE_DFLT_DARG;
  int64_t block = argument;
  if (distribution == farc::DISTRIBUTE_NONE)
    block = size;
  else if (chooses)
    block = distribution == farc::DISTRIBUTE_BLOCK
                ? (size + processes - 1) / processes
                : 1;
  for (int64_t i = 0; i != size; ++i)
    if (i / block % processes == coordinate)
      indices.push_back(i);
  return indices;
}

TypeMap Expander::distributedArray(const farc::Contents &contents,
                                   const TypeMap &base) {
  const int64_t *integers = contents.integers.data();
  int64_t process = integers[1], rank = integers[2];
  const int64_t *sizes = integers + 3, *distributions = sizes + rank,
                *arguments = distributions + rank,
                *processes = arguments + rank;
  std::vector<std::vector<int64_t>> chosen(rank);
  // The grid of processes is always in C order.
  for (int64_t d = rank - 1; d >= 0; --d) {
    spend(sizes[d]);
    chosen[d] = indicesAt(process % processes[d], processes[d], sizes[d],
                          distributions[d], arguments[d]);
    process /= processes[d];
  }
  return array(base, std::vector<int64_t>(sizes, sizes + rank), chosen,
               static_cast<farc::Order>(processes[rank]));
}

TypeMap Expander::expand(const farc::Datatype &type) {
  farc::DatatypeName combiner = type.getEnvelope().combiner;
  if (combiner == farc::PRIMITIVE)
    return primitive(type);
  farc::Contents contents = type.getContents();
  if (combiner == farc::STRUCT)
    return structure(contents);
  TypeMap base = expand(*contents.datatypes.at(0));
  TypeMap map;
  switch (combiner) {
  case farc::CONTIGUOUS:
    placeBlock(map, base, contents.integers[0], 0);
    return map;
  case farc::VECTOR:
    return vector(contents, base, contents.integers[2] * base.extent());
  case farc::HVECTOR:
    return vector(contents, base, contents.addresses[0]);
  case farc::INDEXED:
    return indexed(contents, base);
  case farc::HINDEXED:
    return hindexed(contents, base);
  case farc::INDEXEDBLOCK:
    return indexedBlock(contents, base);
  case farc::HINDEXEDBLOCK:
    return hindexedBlock(contents, base);
  case farc::SUBARRAY:
    return subarray(contents, base);
  case farc::DARRAY:
    return distributedArray(contents, base);
  case farc::RESIZED:
    base.isMarked = true;
    base.lowerBound = contents.addresses[0];
    base.upperBound = contents.addresses[0] + contents.addresses[1];
    return base;
  default: // DUP
    return base;
  }
}

std::optional<TypeMap> naive::typeMapOf(const farc::Datatype &type,
                                        int64_t limit) {
  try {
    return Expander(limit).expand(type);
  } catch (const LimitReached &) {
    return std::nullopt;
  }
}
