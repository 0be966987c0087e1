//===- IndexedDatatypes.cpp - Layouts of listed blocks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The four indexed constructors are one list of blocks; they differ in the unit
// of the displacements and in whether all blocks have the same length.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/IndexedDatatypes.h"
#include "DatatypeArithmetic.h"
#include "DatatypeElements.h"
#include "ListText.h"

#include <unordered_map>

using namespace farc;
using namespace sluice::pack;
using sluice::concat;

static std::shared_ptr<const std::vector<int64_t>>
copyOf(const Arithmetic &compute, const char *what, int64_t count,
       const int64_t *numbers) {
  if (count > 0 && !numbers)
    compute.impossible("the array of ", what, " is null, but the count is ",
                       count);
  return std::make_shared<const std::vector<int64_t>>(
      numbers, numbers + (count > 0 ? count : 0));
}

ListedDatatype::ListedDatatype(const Arguments &given, const Datatype *basetype)
    : UnaryDatatype(given.constructor, basetype), blocklen(given.blocklen),
      unitBytes(given.unit == Bytes ? 1 : base->getExtent()) {
  Arithmetic compute(given.constructor);
  compute.requireNotNegative(given.count, "the count");
  bool haveOneLength = given.blocklen >= 0 && !given.blocklens;
  if (!haveOneLength)
    blocklens = copyOf(compute, "block lengths", given.count, given.blocklens);
  displacements =
      copyOf(compute, "displacements", given.count, given.displacements);
  computeBounds(given.constructor);
}

void ListedDatatype::computeBounds(const char *constructor) {
  Arithmetic compute(constructor);
  BoundsUnion all(constructor);
  all.addDepth(*base);
  for (int64_t i = 0; i != getCount(); ++i) {
    int64_t length = getBlocklen(i);
    compute.requireNotNegative(length, "the length of block ", i);
    int64_t place = compute.multiply(getDisplacement(i), unitBytes);
    if (length > 0)
      all.addBlock(*base, length, place);
  }
  bounds = all.finish(false);
}

PlacedForm ListedDatatype::normalForm() const {
  PlacedForm element = base->normalForm();
  int64_t extent = base->getExtent();
  if (!blocklens) {
    std::vector<int64_t> places;
    places.reserve(displacements->size());
    for (int64_t i = 0; i != getCount(); ++i)
      places.push_back(placeOf(i));
    return placeAt(repeat(element, blocklen, extent), places);
  }
  // Most lists have few lengths, so each length's block is formed once.
  std::unordered_map<int64_t, PlacedForm> blocks;
  std::vector<PlacedForm> parts;
  parts.reserve(displacements->size());
  for (int64_t i = 0; i != getCount(); ++i) {
    int64_t length = getBlocklen(i);
    if (length == 0)
      continue;
    auto [block, isNew] = blocks.try_emplace(length);
    if (isNew)
      block->second = repeat(element, length, extent);
    parts.push_back({block->second.offset + placeOf(i), block->second.form});
  }
  return sequence(parts);
}

void ListedDatatype::forEachElement(int64_t offset,
                                    const ElementVisitor &visit) const {
  for (int64_t i = 0; i != getCount(); ++i)
    forEachElementOfBlock(*base, offset + placeOf(i), getBlocklen(i), visit);
}

std::string ListedDatatype::listText(const char *name, bool summary) const {
  std::string head = concat(name, '(');
  if (!blocklens)
    head += concat(blocklen, getCount() == 0 ? ":" : ": ");
  appendList(head, getCount(), summary, [this](std::string &out, int64_t i) {
    out += std::to_string(getDisplacement(i));
    if (blocklens)
      out += concat(',', getBlocklen(i));
  });
  return textOf(head + ')', summary);
}

std::vector<int64_t> ListedDatatype::lengthContents() const {
  std::vector<int64_t> integers{getCount()};
  if (!blocklens)
    integers.push_back(blocklen);
  else
    integers.insert(integers.end(), blocklens->begin(), blocklens->end());
  return integers;
}

static std::vector<int64_t> joined(std::vector<int64_t> first,
                                   const std::vector<int64_t> &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

IndexedDatatype::IndexedDatatype(int64_t count, const int64_t *blocklens,
                                 const int64_t *displacements,
                                 const Datatype *base)
    : ListedDatatype({"idx", count, blocklens, -1, displacements, Extents},
                     base) {}

IndexedDatatype *IndexedDatatype::clone() const {
  return new IndexedDatatype(*this);
}

Envelope IndexedDatatype::getEnvelope() const {
  return {INDEXED, 2 * getCount() + 1, 0, 1};
}

Contents IndexedDatatype::getContents() const {
  return contentsOf(joined(lengthContents(), displacementList()), {});
}

std::string IndexedDatatype::toString(bool summary) const {
  return listText("idx", summary);
}

HIndexedDatatype::HIndexedDatatype(int64_t count, const int64_t *blocklens,
                                   const int64_t *displacements,
                                   const Datatype *base)
    : ListedDatatype({"hidx", count, blocklens, -1, displacements, Bytes},
                     base) {}

HIndexedDatatype *HIndexedDatatype::clone() const {
  return new HIndexedDatatype(*this);
}

Envelope HIndexedDatatype::getEnvelope() const {
  return {HINDEXED, getCount() + 1, getCount(), 1};
}

Contents HIndexedDatatype::getContents() const {
  return contentsOf(lengthContents(), displacementList());
}

std::string HIndexedDatatype::toString(bool summary) const {
  return listText("hidx", summary);
}

/// The block length, checked before it can represent a common length.
static int64_t checkedLength(const char *constructor, int64_t blocklen) {
  Arithmetic(constructor).requireNotNegative(blocklen, "the block length");
  return blocklen;
}

IndexedBlockDatatype::IndexedBlockDatatype(int64_t count, int64_t blocklen,
                                           const int64_t *displacements,
                                           const Datatype *base)
    : ListedDatatype({"idxb", count, nullptr, checkedLength("idxb", blocklen),
                      displacements, Extents},
                     base) {}

IndexedBlockDatatype *IndexedBlockDatatype::clone() const {
  return new IndexedBlockDatatype(*this);
}

Envelope IndexedBlockDatatype::getEnvelope() const {
  return {INDEXEDBLOCK, getCount() + 2, 0, 1};
}

Contents IndexedBlockDatatype::getContents() const {
  return contentsOf(joined(lengthContents(), displacementList()), {});
}

std::string IndexedBlockDatatype::toString(bool summary) const {
  return listText("idxb", summary);
}

HIndexedBlockDatatype::HIndexedBlockDatatype(int64_t count, int64_t blocklen,
                                             const int64_t *displacements,
                                             const Datatype *base)
    : ListedDatatype({"hidxb", count, nullptr, checkedLength("hidxb", blocklen),
                      displacements, Bytes},
                     base) {}

HIndexedBlockDatatype *HIndexedBlockDatatype::clone() const {
  return new HIndexedBlockDatatype(*this);
}

Envelope HIndexedBlockDatatype::getEnvelope() const {
  return {HINDEXEDBLOCK, 2, getCount(), 1};
}

Contents HIndexedBlockDatatype::getContents() const {
  return contentsOf(lengthContents(), displacementList());
}

std::string HIndexedBlockDatatype::toString(bool summary) const {
  return listText("hidxb", summary);
}
