//===- StridedDatatypes.cpp - Layouts of blocks at equal distances --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contiguous, vector and hvector, and the common part of all types with one
// base type.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/StridedDatatypes.h"
#include "DatatypeArithmetic.h"
#include "DatatypeElements.h"

#include <algorithm>

using namespace farc;
using sluice::concat;
using sluice::pack::PlacedForm;

UnaryDatatype::UnaryDatatype(const char *constructor, const Datatype *given) {
  if (!given)
    Arithmetic(constructor).impossible("the base type is null");
  base.reset(given->clone());
}

Contents UnaryDatatype::contentsOf(std::vector<int64_t> integers,
                                   std::vector<int64_t> addresses) const {
  Contents contents{std::move(integers), std::move(addresses), {}};
  contents.datatypes.emplace_back(base->clone());
  return contents;
}

std::string UnaryDatatype::textOf(const std::string &head, bool summary) const {
  return concat(head, '[', base->toString(summary), ']');
}

ContiguousDatatype::ContiguousDatatype(int64_t count, const Datatype *given)
    : UnaryDatatype("ctg", given), count(count) {
  Arithmetic("ctg").requireNotNegative(count, "the count");
  BoundsUnion all("ctg");
  all.addDepth(*base);
  if (count > 0)
    all.addBlock(*base, count, 0);
  bounds = all.finish(false);
}

ContiguousDatatype *ContiguousDatatype::clone() const {
  return new ContiguousDatatype(*this);
}

Contents ContiguousDatatype::getContents() const {
  return contentsOf({count}, {});
}

std::string ContiguousDatatype::toString(bool summary) const {
  return textOf(concat("ctg(", count, ')'), summary);
}

PlacedForm ContiguousDatatype::normalForm() const {
  return repeat(base->normalForm(), count, base->getExtent());
}

void ContiguousDatatype::forEachElement(int64_t offset,
                                        const ElementVisitor &visit) const {
  forEachElementOfBlock(*base, offset, count, visit);
}

HVectorDatatype::HVectorDatatype(int64_t count, int64_t blocklen,
                                 int64_t stride, const Datatype *base)
    : HVectorDatatype("hvec", count, blocklen, stride, base, false) {}

HVectorDatatype::HVectorDatatype(const char *constructor, int64_t count,
                                 int64_t blocklen, int64_t stride,
                                 const Datatype *given, bool inElements)
    : UnaryDatatype(constructor, given), count(count), blocklen(blocklen),
      stride(stride) {
  Arithmetic compute(constructor);
  compute.requireNotNegative(count, "the count");
  compute.requireNotNegative(blocklen, "the block length");
  bytes = inElements ? compute.multiply(stride, base->getExtent()) : stride;
  BoundsUnion all(constructor);
  all.addDepth(*base);
  if (count > 0 && blocklen > 0) {
    int64_t lastBlock = compute.multiply(count - 1, bytes);
    int64_t lastInstance = compute.multiply(blocklen - 1, base->getExtent());
    int64_t zero = 0;
    all.add(
        *base, compute.multiply(count, blocklen),
        compute.add(std::min(zero, lastBlock), std::min(zero, lastInstance)),
        compute.add(std::max(zero, lastBlock), std::max(zero, lastInstance)));
  }
  bounds = all.finish(false);
}

HVectorDatatype *HVectorDatatype::clone() const {
  return new HVectorDatatype(*this);
}

Contents HVectorDatatype::getContents() const {
  return contentsOf({count, blocklen}, {stride});
}

std::string HVectorDatatype::toString(bool summary) const {
  return textOf(concat("hvec(", count, ' ', blocklen, ' ', stride, ')'),
                summary);
}

PlacedForm HVectorDatatype::normalForm() const {
  PlacedForm block = repeat(base->normalForm(), blocklen, base->getExtent());
  return repeat(block, count, bytes);
}

void HVectorDatatype::forEachElement(int64_t offset,
                                     const ElementVisitor &visit) const {
  if (bounds.size == 0)
    return;
  for (int64_t i = 0; i != count; ++i)
    forEachElementOfBlock(*base, offset + i * bytes, blocklen, visit);
}

VectorDatatype::VectorDatatype(int64_t count, int64_t blocklen, int64_t stride,
                               const Datatype *base)
    : HVectorDatatype("vec", count, blocklen, stride, base, true) {}

VectorDatatype *VectorDatatype::clone() const {
  return new VectorDatatype(*this);
}

Contents VectorDatatype::getContents() const {
  return contentsOf({getCount(), getBlocklen(), getStride()}, {});
}

std::string VectorDatatype::toString(bool summary) const {
  return textOf(
      concat("vec(", getCount(), ' ', getBlocklen(), ' ', getStride(), ')'),
      summary);
}
