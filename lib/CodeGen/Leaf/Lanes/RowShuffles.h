//===- RowShuffles.h - Rows to vectors of lanes and back --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code for a row of accesses (LaneRows.h) of all lanes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_ROWSHUFFLES_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_ROWSHUFFLES_H

#include "LaneRows.h"

#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

class RowShuffles {
public:
  /// `place`: where the first element of the row is, of the first lane if the
  /// stride is known, else of each lane. Lanes that are off in `mask`, if it is
  /// not null, load what the first lane does.
  RowShuffles(llvm::IRBuilder<> &builder, const LaneRow &row,
              llvm::Value *place, unsigned numLanes, unsigned registerBytes,
              llvm::Value *mask = nullptr);

  /// Loads the row; returns the values of its accesses as vectors of lanes.
  llvm::SmallVector<llvm::Value *> load();
  void store(llvm::ArrayRef<llvm::Value *> values);

private:
  /// A vector in parts that fit registers, or in one smaller part.
  using Parts = llvm::SmallVector<llvm::Value *, 4>;

  llvm::IRBuilder<> &builder;
  const LaneRow &row;
  llvm::Value *place, *mask;
  unsigned numLanes, most;

  llvm::Value *rowOf(unsigned lane);
  llvm::Instruction *marked(llvm::Instruction *access);
  llvm::Align align() const;
  Parts merge(const Parts &a, const Parts &b);
  Parts mergeAll(llvm::SmallVector<Parts> all);
  llvm::Value *slice(const Parts &all, unsigned begin, unsigned length);
  llvm::SmallVector<llvm::Value *> loadPeriod(unsigned period);
  void storePeriod(llvm::ArrayRef<llvm::Value *> values);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_ROWSHUFFLES_H
