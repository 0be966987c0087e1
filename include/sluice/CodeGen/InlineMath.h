//===- InlineMath.h - Math functions that become vector code --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libm's functions keep loops over instances scalar: they set errno, and are
// calls. For the functions that leaves use most, Sluice has bodies without
// branches, calls and tables, which are inlined and vectorised with the loops.
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

/// The source of the math functions that leaves call.
enum class MathLibrary {
  Inline, ///< Sluice's, where there is one; may differ in the last place
  Libm,   ///< libm's, bitwise equal
  Errno   ///< libm's, which set errno
};

struct MathOptions {
  MathLibrary library = MathLibrary::Inline;
  /// Functions may use `a * b + c` with one rounding, if the processor can.
  bool mayFuse = true;
  /// Functions do so.
  bool isFused = false;
  /// Calls of libm's functions may become calls of a library of vector
  /// functions.
  bool hasVectorLibrary = false;
};

/// Rewrites the calls of math functions in `function` and in its callees.
/// Results depend only on the operands and on `isFused`, not on where and how
/// wide code runs. Calls whose operands may all turn out to be constants are
/// delayed until loops have been unrolled; arguments for which `isKnown` holds
/// may later become constants.
void inlineMath(llvm::Function &function, const MathOptions &options,
                llvm::function_ref<bool(const llvm::Argument &)> isKnown);

/// Whether a call is delayed: it calls one of Sluice's functions without side
/// effects.
bool isLateMath(const llvm::CallBase &call);

/// Replaces delayed calls and slow paths by their results for constants:
/// bitwise the results at run time.
class FoldMath : public llvm::PassInfoMixin<FoldMath> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Inlines delayed calls. Runs after loops have been unrolled and before they
/// are vectorised; without optimisation, at the end.
class InlineLateMath : public llvm::PassInfoMixin<InlineLateMath> {
public:
  /// `cleansUp`: simplify the inlined code and the code around it.
  explicit InlineLateMath(bool cleansUp = true) : cleansUp(cleansUp) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  bool cleansUp;
};

/// Decides how many roundings `a * b + c` has where either one or two are
/// allowed: one if `isFused` (the processor has an instruction for it, for
/// `float` and `double`), else two. LLVM would decide again where operands are
/// constants, which differ among variants of a leaf.
void splitMultiplyAdd(llvm::Module &module, bool isFused);

/// The same for `leaves` and what they may call. Host code has no variants: on
/// processors with that instruction it keeps the choice, since LLVM computes
/// sums of products by vectors, where `#pragma omp simd reduction` allows it,
/// only as long as it has it.
void splitMultiplyAddOfLeaves(llvm::Module &module, bool isFused,
                              llvm::ArrayRef<llvm::Function *> leaves);

/// Prevents LLVM from evaluating mathematical intrinsics of constants in a
/// function with the local libm, until `inlineMath` has seen them. Returns the
/// calls that were not protected before.
llvm::SmallVector<llvm::CallInst *> keepMath(llvm::Function &function);

/// Completes `inlineMath` after vectorisation: slow paths of functions are
/// inlined into vector code, or removed. Runs after all vectorisers.
class InlineVectorVariants : public llvm::PassInfoMixin<InlineVectorVariants> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_INLINEMATH_H
