//===- Emitter.h - From forms to LLVM IR ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the code of one direction, pack or unpack, in wide vectors, so that no
// optimising passes are needed afterwards:
//  1. loops that continue each other are merged, and small inner loops and
//     small children become one pattern of runs;
//  2. the innermost loop repeats a pattern: as many periods as pay are copied
//     by one straight line of vector moves and shuffles;
//  3. lists of places become a straight line too, or a loop over a table.
// Every access is exact: what lies in gaps is neither written nor, outside the
// touched range, read.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_EMITTER_H
#define SLUICE_PACKJIT_EMITTER_H

#include "Runs.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sluice::pack::jit {

/// A place on both sides, as addresses in the code.
struct Cursor {
  llvm::Value *strided;
  llvm::Value *packed;
};

/// Blocks of 4 or 8 bytes that packing collects for one store.
inline constexpr size_t collectedBlocks = 4;

/// One loop around a form. `known` is its count if that is a constant, else -1.
struct FormLoop {
  llvm::Value *count;
  int64_t known;
  int64_t stride;
};

/// The functions that compiled code calls; its context begins with them.
struct CodeContext {
  void *(*copy)(void *, const void *, size_t);
  /// Copy what is larger than the caches, with their own context.
  KernelFunction packLarge, unpackLarge;
  const void *largeContext;
};

/// Emits at the insertion point of `builder`, and leaves it behind the code.
class Emitter {
public:
  Emitter(llvm::IRBuilder<> &builder, const CodeTarget &target, bool isPack,
          llvm::Value *context)
      : builder(builder), target(target), isPack(isPack), context(context) {}

  /// `count` instances of `layout`.
  void emitLayout(const Layout &layout, llvm::Value *strided,
                  llvm::Value *count, llvm::Value *packed);

  /// At the function's begin: leaves more than the caches hold to the
  /// ready-made kernel, which writes past them.
  void emitLargeCall(int64_t size);

  llvm::IRBuilder<> &getBuilder() { return builder; }
  bool packs() const { return isPack; }

private:
  // Forms, in Emitter.cpp.
  void emitNest(llvm::SmallVector<FormLoop, 8> loops, const Form &form,
                Cursor at);
  void emitLoops(llvm::ArrayRef<FormLoop> loops, int64_t innerBytes, Cursor at,
                 llvm::function_ref<void(Cursor)> body);
  void emitForm(const Form &form, Cursor at);
  void emitCustom(const Form &form, llvm::Value *count, Cursor at);
  void emitSequence(const Form &form, Cursor at);

  // Repeated patterns, in Periodic.cpp.
  void emitTurn(const Pattern &turn, int64_t stride, Cursor at);
  void emitPeriodic(const Pattern &pattern, const FormLoop &loop, Cursor at);
  void emitFixedPeriods(const Pattern &pattern, const FormLoop &loop,
                        int64_t step, Cursor at);
  void emitCountedPeriods(const Pattern &pattern, const FormLoop &loop,
                          int64_t step, Cursor at);
  bool emitTranspose(llvm::ArrayRef<FormLoop> loops, const Pattern &pattern,
                     Cursor at);
  void emitTile(int64_t element, int64_t lanes, int64_t stridedStep,
                int64_t packedStep, Cursor at);

  // Tables of places, in Tables.cpp.
  void emitIndexedTable(const Form &form, Cursor at);
  void emitRunsTable(llvm::ArrayRef<StridedRun> runs, Cursor at);
  void emitVariableCopy(Cursor at, llvm::Value *length, int64_t longest);
  void emitMaskedMove(Cursor at, llvm::Value *length);
  llvm::Value *emitTable(llvm::ArrayRef<int64_t> values,
                         llvm::Type *&elementType);

  // Straight lines, in StraightLine.cpp.
  void emitStraightLine(llvm::ArrayRef<StridedRun> runs, Cursor at);
  void emitStep(const Step &step, Cursor at);
  void emitRun(int64_t strided, int64_t packed, int64_t length, Cursor at);
  void emitMove(llvm::Type *type, int64_t strided, int64_t packed, Cursor at);
  void emitLongRun(int64_t length, Cursor at);
  bool collects(int64_t length) const;
  void emitCollected(llvm::ArrayRef<llvm::Value *> blocks, int64_t length,
                     llvm::Value *packed);
  size_t emitCollectedSteps(llvm::ArrayRef<Step> steps, Cursor at);
  void emitPackWindow(const Step &step, Cursor at);
  void emitUnpackWindow(const Step &step, Cursor at);
  llvm::Value *loadLanes(llvm::Type *type, llvm::Value *from, int64_t lanes);
  void storeLanes(llvm::Value *value, llvm::Value *to,
                  const llvm::SmallVectorImpl<bool> &lanes);

  // Parts, in ControlFlow.cpp.
  llvm::Value *number(int64_t value) { return builder.getInt64(value); }
  llvm::Value *offset(llvm::Value *pointer, int64_t bytes);
  Cursor offset(Cursor at, int64_t strided, int64_t packed);
  /// Runs `body` `count` times, and returns where the next would begin.
  Cursor emitLoop(llvm::Value *count, int64_t stridedStep, int64_t packedStep,
                  Cursor at, llvm::function_ref<void(Cursor)> body);
  /// Runs `body` if `condition`; it returns what `at` becomes.
  Cursor emitIf(llvm::Value *condition, Cursor at,
                llvm::function_ref<Cursor(Cursor)> body);
  void emitCopyCall(Cursor at, llvm::Value *length);
  void beginBlock(const char *name);
  llvm::Type *moveType(int64_t bytes);
  llvm::Function *function() { return builder.GetInsertBlock()->getParent(); }

  llvm::IRBuilder<> &builder;
  const CodeTarget &target;
  bool isPack;
  llvm::Value *context;
  /// Runs are copied by moves of at most so many bytes, each by itself; 0: by
  /// the widest.
  int64_t narrowBytes = 0;
};

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_EMITTER_H
