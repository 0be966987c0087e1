//===- PrivateMemory.h - Variables of an instance, lane by lane -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array of a leaf's own is there once for each lane. Lanes lie side by side:
//
//   of an instance:   a0 a1 a2 ...
//   of four lanes:    a0 a0 a0 a0 a1 a1 a1 a1 a2 a2 a2 a2 ...
//
// so that all lanes access an element as a vector. The offset of an instance,
// times the number of lanes, is the offset of the first lane. This holds where
// accesses agree on where elements begin and end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_PRIVATEMEMORY_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_PRIVATEMEMORY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace llvm {
class AnyMemIntrinsic;
class DominatorTree;
class Module;
} // namespace llvm

namespace sluice::codegen {

/// The variables in memory whose contents begin anew in each round of a loop,
/// and the pointers to them.
class PrivateMemory {
public:
  PrivateMemory(const llvm::Loop &loop, const llvm::DominatorTree &dominators);

  llvm::ArrayRef<llvm::AllocaInst *> variables() const { return found; }
  /// Addresses in them that are computed before the loop, in this order.
  llvm::ArrayRef<llvm::GetElementPtrInst *> addressesBefore() const {
    return outside;
  }
  /// Whether `value` is a pointer to private memory.
  bool contains(const llvm::Value *value) const {
    return places.count(value) != 0;
  }
  /// Bytes of one instance.
  uint64_t numBytes() const;
  /// Whether an access through the private `pointer` stays in its variable also
  /// where no instance would make it.
  bool isAlwaysInside(const llvm::Value *pointer, llvm::Type *type) const;

  /// Whether `inst` fills or copies private memory.
  bool isCopy(const llvm::Instruction &inst) const {
    return llvm::is_contained(intrinsics, &inst);
  }
  bool hasCopies() const { return !intrinsics.empty(); }
  /// Makes accesses to elements of fills and copies of private memory; true if
  /// there were any: what is known of the memory must then be found anew.
  bool expandIntrinsics();

private:
  /// An offset `rest`, or any that differs from it by a multiple of `modulus`;
  /// 0: just this one.
  struct Place {
    int64_t modulus = 0, rest = 0;

    bool operator==(const Place &) const = default;
  };
  struct Pointer {
    unsigned owner; ///< a variable that it may point to
    std::optional<Place> place;
  };
  /// Bytes of a period that are accessed together.
  struct Element {
    int64_t begin, size;
    llvm::Type *type;
  };
  struct Layout {
    int64_t period = 0; ///< 0: nothing repeats
    llvm::SmallVector<Element> elements;
  };

  const llvm::Loop &loop;
  llvm::SmallVector<llvm::AllocaInst *> found;
  llvm::SmallVector<llvm::GetElementPtrInst *> outside;
  llvm::MapVector<const llvm::Value *, Pointer> places;
  /// Variables to which one pointer may point.
  llvm::EquivalenceClasses<unsigned> groups;
  llvm::DenseMap<unsigned, Layout> layouts;
  llvm::SmallVector<llvm::Instruction *> accesses;
  llvm::SmallVector<llvm::AnyMemIntrinsic *> intrinsics;

  unsigned groupOf(const llvm::Value *pointer) const {
    return groups.getLeaderValue(places.find(pointer)->second.owner);
  }
  bool isOfOneRound(llvm::ArrayRef<const llvm::Instruction *> starts,
                    llvm::ArrayRef<const llvm::Instruction *> users,
                    const llvm::DominatorTree &dominators) const;
  bool follow(llvm::AllocaInst &variable, unsigned number,
              const llvm::DominatorTree &dominators);
  bool followUser(llvm::Instruction &user, const llvm::Use &use,
                  unsigned number);
  bool mixes(const llvm::Instruction &user) const;
  std::optional<Place> placeOf(const llvm::Value *pointer) const;
  std::optional<Place> computePlace(const llvm::Value *pointer) const;
  void findPlaces();
  bool layOut(unsigned group);
  bool addElement(Layout &layout, const llvm::Instruction &access) const;
  void forget(llvm::function_ref<bool(unsigned)> isBad);
  void addGap(llvm::SmallVectorImpl<Element> &copied, int64_t begin,
              int64_t end) const;
  llvm::SmallVector<Element> elementsFrom(const llvm::Value *pointer,
                                          int64_t length) const;
  llvm::Type *onlyElement(const llvm::Value *pointer) const;
  bool expandLong(llvm::AnyMemIntrinsic &intrinsic);
  bool expand(llvm::AnyMemIntrinsic &intrinsic);
};

/// Has loops of leaves with variables in memory that fill or copy stay loops:
/// as calls they would not say any more that instances are independent.
class KeepCopyingLoops : public llvm::PassInfoMixin<KeepCopyingLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_PRIVATEMEMORY_H
