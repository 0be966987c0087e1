//===- SubarrayDatatype.cpp - A block of an array -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built dimension by dimension from the fastest-changing one, as MPI 3.1
// section 4.1.3 defines it: rows of the block, planes of rows, and so on, at
// the strides of the whole array.
//
//===----------------------------------------------------------------------===//

#include "DatatypeArithmetic.h"
#include "ListText.h"
#include "sluice/Pack/ArrayDatatypes.h"
#include "sluice/Pack/IndexedDatatypes.h"

using namespace farc;
using sluice::concat;

void ArrayDatatype::setMeaning(TypeRef type) {
  meaning = std::move(type);
  bounds.size = meaning->getSize();
  bounds.lower = meaning->getLowerBound();
  bounds.upper = meaning->getUpperBound();
  bounds.trueLower = meaning->getTrueLowerBound();
  bounds.trueUpper = meaning->getTrueUpperBound();
  bounds.alignment = base->getAlignment();
  bounds.depth = meaning->getDepth();
  bounds.isMarked = true;
}

sluice::pack::PlacedForm ArrayDatatype::normalForm() const {
  return meaning->normalForm();
}

void ArrayDatatype::forEachElement(int64_t offset,
                                   const ElementVisitor &visit) const {
  meaning->forEachElement(offset, visit);
}

static std::vector<int64_t> gather(int64_t dimensions, const int64_t *sizes,
                                   const int64_t *subsizes,
                                   const int64_t *starts) {
  Arithmetic compute("subarray");
  if (dimensions < 1)
    compute.impossible("there must be at least one dimension, but there are ",
                       dimensions);
  if (!sizes || !subsizes || !starts)
    compute.impossible("an array of sizes or starts is null");
  std::vector<int64_t> all(sizes, sizes + dimensions);
  all.insert(all.end(), subsizes, subsizes + dimensions);
  all.insert(all.end(), starts, starts + dimensions);
  return all;
}

SubarrayDatatype::SubarrayDatatype(int64_t dimensions, const int64_t *sizes,
                                   const int64_t *subsizes,
                                   const int64_t *starts, Order order,
                                   const Datatype *base)
    : ArrayDatatype("subarray", base),
      arguments(std::make_shared<const std::vector<int64_t>>(
          gather(dimensions, sizes, subsizes, starts))),
      order(order) {
  check();
  setMeaning(build());
}

void SubarrayDatatype::check() const {
  Arithmetic compute("subarray");
  if (order != ORDER_C && order != ORDER_FORTRAN)
    compute.impossible("there is no array order ", int(order));
  for (int64_t i = 0; i != getDimensions(); ++i) {
    if (sizeOf(i) < 1)
      compute.impossible("the size of dimension ", i,
                         " must be at least 1, but is ", sizeOf(i));
    if (subsizeOf(i) < 1 || subsizeOf(i) > sizeOf(i))
      compute.impossible("the subsize of dimension ", i,
                         " must be from 1 to its size ", sizeOf(i), ", but is ",
                         subsizeOf(i));
    if (startOf(i) < 0 || startOf(i) > sizeOf(i) - subsizeOf(i))
      compute.impossible("the start of dimension ", i, " must be from 0 to ",
                         sizeOf(i) - subsizeOf(i), ", but is ", startOf(i));
  }
}

BuiltinDatatype::TypeRef SubarrayDatatype::build() const {
  Arithmetic compute("subarray");
  int64_t dimensions = getDimensions();
  int64_t stride = base->getExtent();
  int64_t offset = 0;
  TypeRef block = base;
  for (int64_t k = 0; k != dimensions; ++k) {
    int64_t i = order == ORDER_FORTRAN ? k : dimensions - 1 - k;
    block =
        std::make_shared<HVectorDatatype>(subsizeOf(i), 1, stride, block.get());
    offset = compute.add(offset, compute.multiply(startOf(i), stride));
    stride = compute.multiply(stride, sizeOf(i));
  }
  HIndexedBlockDatatype placed(1, 1, &offset, block.get());
  return std::make_shared<ResizedDatatype>(&placed, 0, stride);
}

SubarrayDatatype *SubarrayDatatype::clone() const {
  return new SubarrayDatatype(*this);
}

Envelope SubarrayDatatype::getEnvelope() const {
  return {SUBARRAY, 3 * getDimensions() + 2, 0, 1};
}

Contents SubarrayDatatype::getContents() const {
  std::vector<int64_t> integers{getDimensions()};
  integers.insert(integers.end(), arguments->begin(), arguments->end());
  integers.push_back(order);
  return contentsOf(std::move(integers), {});
}

std::string SubarrayDatatype::toString(bool summary) const {
  std::string head =
      concat("subarray(", order == ORDER_C ? "c" : "fortran", ": ");
  appendList(head, getDimensions(), summary,
             [this](std::string &out, int64_t i) {
               out += concat(sizeOf(i), ',', subsizeOf(i), ',', startOf(i));
             });
  return textOf(head + ')', summary);
}
