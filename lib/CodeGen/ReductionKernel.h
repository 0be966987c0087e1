//===- ReductionKernel.h - Parts of kernels that fold -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels with reductions and kernels with scans have in common: where
// the parts of a chunk's copy stand, and what the runtime is told of chunks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REDUCTIONKERNEL_H
#define SLUICE_LIB_CODEGEN_REDUCTIONKERNEL_H

#include "KernelBody.h"
#include "sluice/Analysis/LeafReductions.h"

namespace sluice::codegen {

/// Where the parts of a copy stand, one for each reduction and scan.
struct CopyLayout {
  /// `bytes`: of the memory. A scan has one element in the copy.
  llvm::SmallVector<llvm::Value *> offsets, bytes;
  /// Of the whole copy: whole lines of the cache, which no other copy touches.
  llvm::Value *size = nullptr;
};

/// The chunk that is emitted: its number, its instances, its copy, and what the
/// runtime is told of all of them.
struct KernelEmitter::Chunk {
  llvm::Value *number, *first, *end, *copy, *description;
  const CopyLayout &layout;
};

/// `inputOf`: inputs of the leaf, which sizes follow from.
CopyLayout layOutCopies(llvm::ArrayRef<LeafReduction> reductions,
                        llvm::IRBuilder<> &b,
                        llvm::function_ref<llvm::Value *(unsigned)> inputOf);

/// What must not be true of the memory of a reduction or scan, and the message
/// that says so.
llvm::SmallVector<std::pair<llvm::Value *, std::string>, 2>
wrongSizes(llvm::IRBuilder<> &b, const LeafReduction &reduction,
           llvm::Value *bytes, llvm::Value *numUnits);

/// `count / size`, rounded up.
llvm::Value *divideUp(llvm::IRBuilder<> &b, llvm::Value *count,
                      llvm::Value *size);

llvm::SmallVector<LeafReduction> reductionsOfNode(const FlatNode &node,
                                                  const llvm::Module &module);

/// SluiceCopies of the C interface.
llvm::StructType *copiesType(llvm::LLVMContext &context);

/// One element at `into` becomes what changes nothing, `into` joined with that
/// at `from`, or that.
void resetElement(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                  llvm::Value *into);
void foldElement(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                 llvm::Value *into, llvm::Value *from);
void copyElement(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                 llvm::Value *into, llvm::Value *from);

/// Resets all elements in the `bytes` bytes at `copy`.
void resetElements(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                   llvm::Value *copy, llvm::Value *bytes);

/// `place` becomes what stands at `before`, joined with what stood in `place`.
/// `slot` is for an element.
void foldBefore(llvm::IRBuilder<> &b, const LeafReduction &reduction,
                llvm::Value *before, llvm::Value *place, llvm::Value *slot);

/// A variable of the function for an element.
llvm::AllocaInst *makeElement(llvm::IRBuilder<> &b,
                              const LeafReduction &reduction);

/// The scan of a chunk, as its instances write elements.
class ChunkScan {
public:
  /// `isBehind`: all chunks before are through, and `before` holds what they
  /// come to. `copy` is the chunk's own.
  ChunkScan(llvm::IRBuilder<> &b, const LeafReduction &scan,
            llvm::Value *isBehind, llvm::Value *copy, llvm::Value *before)
      : b(b), reduction(scan), isBehind(isBehind), copy(copy), before(before) {}

  void begin();
  /// The next elements.
  void scan(llvm::Value *elements, llvm::Value *count);
  /// `elements`: all of them.
  void end(llvm::Value *elements, llvm::Value *chunk);
  /// All at once, one after another, in a chunk that is not behind.
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
