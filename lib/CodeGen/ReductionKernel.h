//===- ReductionKernel.h - Parts of kernels that fold -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of kernels with reductions and kernels with scans: the layout of
// a chunk's copy, and the data about chunks for the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REDUCTIONKERNEL_H
#define SLUICE_LIB_CODEGEN_REDUCTIONKERNEL_H

#include "KernelBody.h"
#include "sluice-c/Reductions.h"
#include "sluice/Analysis/LeafReductions.h"

namespace sluice::codegen {

/// The offsets of the parts of a copy, one for each reduction and scan.
struct CopyLayout {
  /// `bytes`: the size of the memory. A scan has one element in the copy.
  llvm::SmallVector<llvm::Value *> offsets, bytes;
  /// The size of the whole copy: complete cache lines, which no other copy
  /// touches.
  llvm::Value *size = nullptr;
  /// If not 0, each memory that `hasLanes` has one element, of which a copy has
  /// this number plus one: instance x folds into element x & laneMask.
  llvm::Value *laneMask = nullptr;

  llvm::Value *numLanes(llvm::IRBuilder<> &b) const {
    return b.CreateAdd(laneMask, b.getInt64(1));
  }
};

/// The lanes of a sum: enough for several vectors of the widest registers,
/// which do not wait for each other. The results depend on this number.
constexpr uint64_t numSumLanes = SLUICE_CHUNK_STEP;

/// Whether instances fold one element in lanes: sums and products of
/// floating-point numbers, whose order matters and takes time.
bool hasLanes(const LeafReduction &reduction);

/// The chunk being emitted: its number, its instances, its copy, and the data
/// about all chunks for the runtime.
struct KernelEmitter::Chunk {
  llvm::Value *number, *first, *end, *copy, *description;
  const CopyLayout &layout;
};

/// `inputOf`: the inputs of the leaf from which sizes follow.
CopyLayout layOutCopies(llvm::ArrayRef<LeafReduction> reductions,
                        llvm::IRBuilder<> &b,
                        llvm::function_ref<llvm::Value *(unsigned)> inputOf);

/// Conditions that must not hold for the memory of a reduction or scan, each
/// with its error message.
llvm::SmallVector<std::pair<llvm::Value *, std::string>, 2>
wrongSizes(llvm::IRBuilder<> &b, const LeafReduction &reduction,
           llvm::Value *bytes, llvm::Value *numUnits);

/// `count / size`, rounded up.
llvm::Value *divideUp(llvm::IRBuilder<> &b, llvm::Value *count,
                      llvm::Value *size);

/// The units of a chunk, see SLUICE_CHUNK_STEP.
llvm::Value *unitsOfChunk(llvm::IRBuilder<> &b, llvm::Value *units,
                          llvm::Value *numChunks, bool scans);

llvm::SmallVector<LeafReduction> reductionsOfNode(const FlatNode &node,
                                                  const llvm::Module &module);

/// SluiceCopies of the C interface.
llvm::StructType *copiesType(llvm::LLVMContext &context);

/// Sets one element at `into`: to the neutral value, to `into` joined with the
/// element at `from`, or to the element at `from`.
void resetElement(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                  llvm::Value *into);
void foldElement(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                 llvm::Value *into, llvm::Value *from);
void copyElement(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                 llvm::Value *into, llvm::Value *from);

/// Resets all elements in the `bytes` bytes at `copy`.
void resetElements(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                   llvm::Value *copy, llvm::Value *bytes);

/// Sets `place` to the value at `before`, joined with the old value of `place`.
/// `slot` is temporary memory for an element.
void foldBefore(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                llvm::Value *before, llvm::Value *place, llvm::Value *slot);

/// Joins the elements of the lanes at `copy` by a binary tree: each of the
/// first half with the one that is half of them further, and so on.
void foldLanes(llvm::IRBuilder<> &b, const LeafReduction &reduction,
               llvm::Value *copy);

/// A variable of the function for an element.
llvm::AllocaInst *makeElement(llvm::IRBuilder<> &b,
                              const LeafReduction &reduction);

/// The scan of a chunk while its instances write elements.
class ChunkScan {
public:
  /// `isBehind`: all earlier chunks are complete, and `before` holds their
  /// total. `copy` is the chunk's own copy.
  ChunkScan(llvm::IRBuilder<> &b, const LeafReduction &scan,
            llvm::Value *isBehind, llvm::Value *copy, llvm::Value *before)
      : b(b), reduction(scan), isBehind(isBehind), copy(copy), before(before) {}

  void begin();
  /// The next elements.
  void scan(llvm::Value *elements, llvm::Value *count);
  /// `elements`: all of them.
  void end(llvm::Value *elements, llvm::Value *chunk);
  /// Scans all elements, one after another, in a chunk that is not behind.
  void scanAlone(llvm::Value *elements, llvm::Value *count, llvm::Value *chunk);

private:
  llvm::Value *scanVectors(llvm::Value *elements, llvm::Value *count,
                           llvm::Value *sum);
  void scanPart(llvm::Value *elements, llvm::Value *count, bool foldsBefore);
  void scanEach(llvm::Value *elements, llvm::Value *count, llvm::Value *sum,
                llvm::Value *all);
  void endExclusive(llvm::Value *elements, llvm::Value *chunk);
  bool isAssociative() const;

  llvm::IRBuilder<> &b;
  LeafReduction reduction;
  llvm::Value *isBehind, *copy, *before;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REDUCTIONKERNEL_H
