//===- RowShuffles.cpp - Rows to vectors of lanes and back ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that stand for lane 0, 1, 2 ... 7 are merged with those half as many
// lanes away, element by element, until there is one row of vectors:
//
//   0 4    a0 a4 b0 b4 ...
//   2 6    a2 a6 b2 b6 ...        a0 a2 a4 a6 b0 b2 ...
//   1 5    a1 a5 b1 b5 ...   ->   a1 a3 a5 a7 b1 b3 ...   ->   a0 a1 a2 a3 ...
//   3 7    a3 a7 b3 b7 ...
//
//===----------------------------------------------------------------------===//

#include "RowShuffles.h"

#include "llvm/ADT/bit.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace sluice::codegen {

static unsigned lengthOf(const Value *vector) {
  return cast<FixedVectorType>(vector->getType())->getNumElements();
}

RowShuffles::RowShuffles(IRBuilder<> &builder, const LaneRow &row, Value *place,
                         unsigned numLanes, unsigned registerBytes, Value *mask)
    : builder(builder), row(row), place(place), mask(mask), numLanes(numLanes),
      most(registerBytes / unsigned(row.anchor->getDataLayout()
                                        .getTypeStoreSize(row.type())
                                        .getFixedValue())) {}

/// The address of the first element of a lane.
Value *RowShuffles::rowOf(unsigned lane) {
  if (!row.stride)
    return builder.CreateExtractElement(place, lane);
  Value *offset = builder.getInt64(uint64_t(*row.stride * int64_t(lane)));
  if (mask && lane != 0)
    offset = builder.CreateSelect(builder.CreateExtractElement(mask, lane),
                                  offset, builder.getInt64(0));
  return builder.CreateGEP(builder.getInt8Ty(), place, offset);
}

Instruction *RowShuffles::marked(Instruction *access) {
  MDNode *type = row.anchor->getMetadata(LLVMContext::MD_tbaa);
  for (const Instruction *member : row.accesses)
    type = MDNode::getMostGenericTBAA(
        type, member->getMetadata(LLVMContext::MD_tbaa));
  access->setMetadata(LLVMContext::MD_tbaa, type);
  return access;
}

Align RowShuffles::align() const {
  Align result = getLoadStoreAlignment(row.anchor);
  for (const Instruction *access : row.accesses)
    result = std::min(result, getLoadStoreAlignment(access));
  return result;
}

/// The elements of two vectors in turns.
RowShuffles::Parts RowShuffles::merge(const Parts &a, const Parts &b) {
  unsigned length = lengthOf(a.front());
  bool isSmall = 2 * length <= most;
  Parts result;
  for (auto [left, right] : zip_equal(a, b))
    for (unsigned half = 0; half != (isSmall ? 1 : 2); ++half) {
      SmallVector<int> order;
      unsigned begin = half * length / 2;
      for (unsigned i = 0; i != (isSmall ? length : length / 2); ++i) {
        order.push_back(int(begin + i));
        order.push_back(int(length + begin + i));
      }
      result.push_back(builder.CreateShuffleVector(left, right, order));
    }
  return result;
}

RowShuffles::Parts RowShuffles::mergeAll(SmallVector<Parts> all) {
  while (all.size() > 1) {
    size_t half = all.size() / 2;
    for (size_t i = 0; i != half; ++i)
      all[i] = merge(all[i], all[i + half]);
    all.resize(half);
  }
  return all.front();
}

/// The elements [begin, begin + length); lengths are powers of two.
Value *RowShuffles::slice(const Parts &all, unsigned begin, unsigned length) {
  unsigned own = lengthOf(all.front());
  if (own > length) {
    SmallVector<int> order;
    for (unsigned i = 0; i != length; ++i)
      order.push_back(int(begin % own + i));
    return builder.CreateShuffleVector(all[begin / own], order);
  }
  ArrayRef<Value *> parts(all);
  return concatenateVectors(builder, parts.slice(begin / own, length / own));
}

/// All elements between the first and the last, of which every so many are a
/// lane's. The last register begins early, so that it ends with the last one:
/// what lies behind that may be no memory.
SmallVector<Value *> RowShuffles::loadPeriod(unsigned period) {
  const unsigned length = (numLanes - 1) * period + row.size();
  const unsigned each = std::min(most, bit_floor(length));
  auto *type = FixedVectorType::get(row.type(), each);
  const uint64_t bytes =
      row.anchor->getDataLayout().getTypeStoreSize(row.type()).getFixedValue();
  Parts parts;
  for (unsigned begin = 0; begin < length; begin += each) {
    const unsigned first = std::min(begin, length - each);
    // The row's own accesses say how the first part is aligned, and no other.
    parts.push_back(marked(builder.CreateAlignedLoad(
        type, builder.CreateConstGEP1_32(row.type(), place, first),
        commonAlignment(align(), first * bytes))));
  }
  Value *all = concatenateVectors(builder, parts);
  SmallVector<Value *> result;
  for (unsigned number = 0; number != row.size(); ++number) {
    SmallVector<int> order;
    for (unsigned lane = 0; lane != numLanes; ++lane) {
      const unsigned element = number + lane * period;
      const unsigned begin = element / each * each;
      order.push_back(int(element + begin - std::min(begin, length - each)));
    }
    result.push_back(builder.CreateShuffleVector(all, order));
  }
  return result;
}

void RowShuffles::storePeriod(ArrayRef<Value *> values) {
  unsigned period = row.size();
  Value *all = concatenateVectors(builder, values);
  SmallVector<int> order;
  for (unsigned i = 0; i != numLanes * period; ++i)
    order.push_back(int(i % period * numLanes + i / period));
  marked(builder.CreateAlignedStore(builder.CreateShuffleVector(all, order),
                                    place, align()));
}

SmallVector<Value *> RowShuffles::load() {
  if (std::optional<unsigned> period = row.period())
    return loadPeriod(*period);
  auto *type = FixedVectorType::get(row.type(), row.size());
  SmallVector<Parts> rows;
  for (unsigned lane = 0; lane != numLanes; ++lane)
    rows.push_back(
        {marked(builder.CreateAlignedLoad(type, rowOf(lane), align()))});
  Parts all = mergeAll(rows);
  SmallVector<Value *> result;
  for (unsigned number = 0; number != row.size(); ++number)
    result.push_back(slice(all, number * numLanes, numLanes));
  return result;
}

void RowShuffles::store(ArrayRef<Value *> values) {
  if (row.period()) {
    storePeriod(values);
    return;
  }
  SmallVector<Parts> columns;
  for (Value *value : values) {
    Parts parts;
    unsigned length = std::min(numLanes, most);
    for (unsigned begin = 0; begin != numLanes; begin += length)
      parts.push_back(numLanes == length ? value
                                         : slice({value}, begin, length));
    columns.push_back(std::move(parts));
  }
  Parts all = mergeAll(columns);
  for (unsigned lane = 0; lane != numLanes; ++lane)
    marked(builder.CreateAlignedStore(slice(all, lane * row.size(), row.size()),
                                      rowOf(lane), align()));
}

} // namespace sluice::codegen
