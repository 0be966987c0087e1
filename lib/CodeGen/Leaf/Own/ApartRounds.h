//===- ApartRounds.h - Loops whose rounds do not meet in memory -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nobody says of a loop in a leaf that its rounds are independent, as instances
// are. They are if each round writes places of its own, which no other round
// reads. Where that depends on sizes and pointers, code before the loop finds
// out. So it does of accesses that are to move over others of their round.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_OWN_APARTROUNDS_H
#define SLUICE_LIB_CODEGEN_LEAF_OWN_APARTROUNDS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace llvm {
class AAResults;
class Instruction;
class Loop;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace sluice::codegen {

class PrivateMemory;
struct LaneRefusal;

class ApartRounds {
public:
  ApartRounds(llvm::Loop &loop, const PrivateMemory &memory,
              llvm::ScalarEvolution &evolution, llvm::AAResults &aliases)
      : loop(loop), memory(memory), evolution(evolution), aliases(aliases) {}

  /// Whether no two rounds access the same place, of which one writes to it,
  /// unless the condition of `emitMeet` holds. Else sets `refusal`. `carried`,
  /// which reads what the round before has written, does not count.
  bool find(LaneRefusal &refusal, const llvm::Instruction *carried = nullptr);
  /// Emits before the loop the condition under which rounds may meet; null:
  /// they never do.
  llvm::Value *emitMeet();

  /// Instead: whether nothing in the blocks of `accesses` meets one of them in
  /// any round, unless the condition of `emitOverlap` holds.
  bool findApart(llvm::ArrayRef<llvm::Instruction *> accesses);
  /// Emits that condition before the loop; null: they never meet.
  llvm::Value *emitOverlap();
  /// Tells all passes what holds where the condition does not.
  void markApart() const;

private:
  class Emitter;

  /// An offset that grows evenly: `start`, and for each loop a step in bytes.
  struct Walk {
    const llvm::SCEV *start;
    const llvm::SCEV *ownStep = nullptr; ///< null: each round goes there
    /// The steps of loops inside, and how often they are made.
    llvm::SmallVector<std::pair<const llvm::SCEV *, const llvm::SCEV *>> inside;
  };
  /// Accesses to places that lie a constant apart.
  struct Group {
    llvm::Instruction *first;
    const llvm::SCEV *base, *offset;
    int64_t low, high; ///< bytes before and behind the first one's place
    bool isWritten;
  };

  llvm::Loop &loop;
  const PrivateMemory &memory;
  llvm::ScalarEvolution &evolution;
  llvm::AAResults &aliases;
  llvm::SmallVector<Group> groups;
  llvm::DenseMap<const llvm::Instruction *, unsigned> groupOf;
  /// Groups of which one is written and that may overlap.
  llvm::SmallVector<std::pair<unsigned, unsigned>> pairs;
  /// The same of all groups of two bases, one of each, where pairs are many.
  llvm::SmallVector<std::pair<const llvm::SCEV *, const llvm::SCEV *>> bases;
  /// Loads from where nothing is known.
  llvm::SmallVector<llvm::Instruction *> others;

  bool addAccess(llvm::Instruction &access);
  bool joinPairs();
  int64_t constantStep(const llvm::SCEV *offset) const;
  bool areClose(const Group &a, const Group &b) const;
  std::optional<unsigned> findGroup(llvm::Instruction &access);
  const llvm::SCEV *roundsOf(const llvm::Loop &inner) const;
  bool walkOf(const llvm::SCEV *offset, Walk &walk) const;
  bool isBounded(const llvm::SCEV *number) const;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_OWN_APARTROUNDS_H
