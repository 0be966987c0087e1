//===- ResizedDatatype.cpp - New bounds, and duplicates -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two constructors that copy the same bytes as their base type.
//
//===----------------------------------------------------------------------===//

#include "DatatypeArithmetic.h"
#include "sluice/Pack/StridedDatatypes.h"

using namespace farc;
using sluice::concat;
using sluice::pack::PlacedForm;

static Bounds boundsOf(const char *constructor, const Datatype &base) {
  BoundsUnion all(constructor);
  all.addDepth(base);
  all.addBlock(base, 1, 0);
  return all.finish(false);
}

ResizedDatatype::ResizedDatatype(const Datatype *given, int64_t lowerBound,
                                 int64_t extent)
    : UnaryDatatype("resized", given) {
  bounds = boundsOf("resized", *base);
  bounds.lower = lowerBound;
  bounds.upper = Arithmetic("resized").add(lowerBound, extent);
  bounds.isMarked = true;
}

ResizedDatatype *ResizedDatatype::clone() const {
  return new ResizedDatatype(*this);
}

Contents ResizedDatatype::getContents() const {
  return contentsOf({}, {getLowerBound(), getExtent()});
}

std::string ResizedDatatype::toString(bool summary) const {
  return textOf(concat("resized(", getLowerBound(), ',', getExtent(), ')'),
                summary);
}

PlacedForm ResizedDatatype::normalForm() const { return base->normalForm(); }

void ResizedDatatype::forEachElement(int64_t offset,
                                     const ElementVisitor &visit) const {
  base->forEachElement(offset, visit);
}

DupDatatype::DupDatatype(const Datatype *given) : UnaryDatatype("dup", given) {
  bounds = boundsOf("dup", *base);
}

DupDatatype *DupDatatype::clone() const { return new DupDatatype(*this); }

Contents DupDatatype::getContents() const { return contentsOf({}, {}); }

std::string DupDatatype::toString(bool summary) const {
  return textOf("dup", summary);
}

PlacedForm DupDatatype::normalForm() const { return base->normalForm(); }

void DupDatatype::forEachElement(int64_t offset,
                                 const ElementVisitor &visit) const {
  base->forEachElement(offset, visit);
}
