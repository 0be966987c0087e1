//===- LaneShapes.h - How values differ between lanes -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring instances run as the lanes of vectors. Values that all lanes
// share stay scalar. So do numbers and addresses that grow by a constant from
// lane to lane: only the value of the first lane is computed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANESHAPES_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANESHAPES_H

#include "LaneRegions.h"
#include "PrivateMemory.h"

#include "llvm/IR/Instructions.h"

#include <optional>

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace sluice::codegen {

class LaneShapes {
public:
  /// `steps`: by how much the phis of the outer loop's header grow.
  LaneShapes(const LaneRegions &regions,
             const llvm::DenseMap<const llvm::PHINode *, int64_t> &steps,
             const PrivateMemory &memory, llvm::ScalarEvolution &evolution);

  /// Memory that each lane has for itself. A uniform pointer to it points to
  /// the same element of all lanes.
  const PrivateMemory &ownMemory() const { return memory; }

  /// The step of a value from lane to lane (0: all active lanes share the
  /// value); nothing if there is no known step.
  std::optional<int64_t> stride(const llvm::Value *value) const;
  bool isUniform(const llvm::Value *value) const { return stride(value) == 0; }
  bool isVarying(const llvm::Value *value) const { return !stride(value); }

  /// Active lanes may leave `block` in different directions.
  bool isDivergent(const llvm::BasicBlock *block) const;
  /// Active lanes may leave `loop` in different rounds.
  bool isDivergent(const llvm::Loop *loop) const;
  /// Whoever runs `block`, all lanes that came to the outer loop do.
  bool isForAll(const llvm::BasicBlock *block) const {
    return alike.lookup(block) && !isInDivergentLoop(block);
  }
  /// The value that `phi`, not of a loop's header, has on whichever way; null:
  /// none for all.
  llvm::Value *onlyValue(const llvm::PHINode &phi) const;

private:
  /// Not known yet, or what `stride` says.
  struct Shape {
    bool isKnown = false;
    std::optional<int64_t> stride;

    bool operator==(const Shape &) const = default;
  };

  const LaneRegions &regions;
  const PrivateMemory &memory;
  llvm::ScalarEvolution &evolution;
  llvm::DenseMap<const llvm::Value *, Shape> shapes;
  /// Blocks that all lanes come to that are active in the header of the
  /// divergent loop around it, or none.
  llvm::DenseMap<const llvm::BasicBlock *, bool> alike;

  static Shape varying() { return {true, std::nullopt}; }
  static Shape linear(int64_t stride) { return {true, stride}; }
  static Shape join(Shape a, Shape b);

  Shape shapeOf(const llvm::Value *value) const;
  Shape compute(llvm::Instruction &instruction) const;
  Shape computePhi(llvm::PHINode &phi) const;
  Shape computeAddress(const llvm::GetElementPtrInst &address) const;
  Shape computeExtension(llvm::CastInst &cast) const;
  Shape computeBinary(const llvm::BinaryOperator &binary) const;
  Shape computeOther(const llvm::Instruction &instruction) const;
  bool isTakenAlike(const llvm::BasicBlock *from,
                    const llvm::BasicBlock *to) const;
  bool computeAlike(llvm::BasicBlock *block) const;
  bool isInDivergentLoop(const llvm::BasicBlock *block) const;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANESHAPES_H
