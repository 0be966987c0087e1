//===- BlockDivisions.h - Divisions of the instance number ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reason for loops over blocks: quotients and remainders of the number that
// a loop over instances counts, see BlockLoops.h.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BLOCKDIVISIONS_H
#define SLUICE_LIB_CODEGEN_LEAF_BLOCKDIVISIONS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace sluice::codegen {

/// Longer blocks bring no further gain. A loop with shorter blocks stays
/// unchanged if the block size is not known when the leaf is compiled.
constexpr uint64_t longVector = 16;

/// An operation of a leaf on its number `i`: `(i << shift) op constant`, or `i
/// op n` with an `n` that does not change in the loop.
struct Division {
  llvm::Instruction *instruction;
  llvm::PHINode *number;
  unsigned shift;
  uint64_t block;   ///< instances in a row with the same quotient; 0: `size`
  bool isRemainder; ///< True if it counts within a block; otherwise it is
                    ///< constant there.
  const llvm::SCEV *size = nullptr;
  bool isMask = false; ///< `size` must be a power of two
  /// The numbers may wrap around or be negative, which the program finds out.
  bool mayWrap = false;

  bool isSigned() const;
};

/// The divisions of one loop, and the size of blocks for them.
class BlockDivisions {
public:
  BlockDivisions(llvm::Loop &loop, llvm::DominatorTree &dominators,
                 llvm::ScalarEvolution &evolution,
                 llvm::AssumptionCache &assumptions)
      : loop(loop), dominators(dominators), evolution(evolution),
        assumptions(assumptions) {}

  /// Makes phis of sums such as `i + n` that are divided and grow by one.
  void addNumbers();
  /// Finds by how much the phis of the header grow; false if that is not known.
  bool findSteps();
  /// Whether blocks pay.
  bool find();

  llvm::MapVector<llvm::PHINode *, int64_t> steps;
  llvm::SmallVector<Division> divisions;
  llvm::PHINode *number = nullptr; ///< the one that is divided
  uint64_t block = 0;
  const llvm::SCEV *size = nullptr; ///< If `block` is 0: the size, known before
                                    ///< the loop.

private:
  llvm::Loop &loop;
  llvm::DominatorTree &dominators;
  llvm::ScalarEvolution &evolution;
  llvm::AssumptionCache &assumptions;

  std::optional<Division> divisionOf(llvm::Instruction &instruction);
  std::optional<Division> maskOf(llvm::Instruction &instruction,
                                 llvm::Value *value, const llvm::APInt &mask);
  std::optional<Division> unknownMask(llvm::Instruction &instruction);
  std::optional<Division> unknownDivision(llvm::Instruction &instruction);
  std::optional<Division> withSize(Division division);
  bool staysAboveZero(const llvm::PHINode &phi, bool isUnsigned);
  bool isServedBy(const Division &division, const Division &wanted) const {
    return division.number == wanted.number && division.size == wanted.size &&
           (wanted.size || division.block % wanted.block == 0);
  }
  unsigned gainOf(const Division &wanted) const;
  bool choose(unsigned least);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BLOCKDIVISIONS_H
