//===- InlineMath.h - Math functions that become vector code ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libm's functions keep loops over instances scalar: they set errno, and are
// calls. Those that leaves use most have bodies of ours without branches,
// calls and tables, which are inlined and turned into vectors with the loops.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_INLINEMATH_H
#define SLUICE_CODEGEN_INLINEMATH_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Argument;
class CallBase;
class CallInst;
} // namespace llvm

namespace sluice::codegen {

/// Whose math functions leaves call.
enum class MathLibrary {
  Inline, ///< ours, where there is one; a unit in the last place may differ
  Libm,   ///< libm's, to the bit
  Errno   ///< libm's, which set errno
};

struct MathOptions {
  MathLibrary library = MathLibrary::Inline;
  /// Where the processor computes `a * b + c` with one rounding, functions may.
  bool mayFuse = true;
  /// They do.
  bool isFused = false;
  /// Calls of libm's functions may become those of a library of vector
  /// functions.
  bool hasVectorLibrary = false;
};

/// Rewrites the calls of math functions in `function` and in what it calls.
/// Results depend on the operands and on `isFused` only, not on where and how
/// wide code runs. Calls of which all operands may turn out to be constants
/// wait until loops have been unrolled; constants may come instead of arguments
/// for which `isKnown` holds.
void inlineMath(llvm::Function &function, const MathOptions &options,
                llvm::function_ref<bool(const llvm::Argument &)> isKnown);

/// Whether a call waits: it is one of a function of ours without effects.
bool isLateMath(const llvm::CallBase &call);

/// Replaces calls that wait, and slow paths, by what they return for constants:
/// the bits that they would return at run time.
class FoldMath : public llvm::PassInfoMixin<FoldMath> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Inlines calls that wait. Runs once loops have been unrolled, and before they
/// are vectorised; without optimisation, at the end.
class InlineLateMath : public llvm::PassInfoMixin<InlineLateMath> {
public:
  /// `cleansUp`: what is inlined is simplified, and the code around it.
  explicit InlineLateMath(bool cleansUp = true) : cleansUp(cleansUp) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  bool cleansUp;
};

/// Decides how many roundings `a * b + c` has where either one or two would do:
/// one if `isFused`, the processor has an instruction for it, for `float` and
/// `double`; else two. LLVM would choose anew where some of them are constants,
/// which differ among variants of a leaf.
void splitMultiplyAdd(llvm::Module &module, bool isFused);

/// Keeps LLVM from computing mathematical intrinsics of constants in a
/// function, which it does with the libm at hand, until `inlineMath` has seen
/// them. Returns the calls that were not kept from it before.
llvm::SmallVector<llvm::CallInst *> keepMath(llvm::Function &function);

/// Ends what `inlineMath` needs until loops are vectorised: slow paths of
/// functions are inlined into vectors, or removed. Runs after all vectorisers.
class InlineVectorVariants : public llvm::PassInfoMixin<InlineVectorVariants> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_INLINEMATH_H
