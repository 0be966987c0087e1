//===- LowerCallsPhases.h - The phases of lowering HPVM-C -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. For every unit, in order:
//   1. LowerCallsNodes.cpp     node functions get one parameter for each input
//   2. LowerCalls.cpp          calls become intrinsics
// then, on the linked module:
//   3. LowerCallsResults.cpp   internal nodes get the results that they bind;
//                              get_global_id and similar become queries
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_LOWER_LOWERCALLSPHASES_H
#define SLUICE_LIB_FRONTEND_HPVM_LOWER_LOWERCALLSPHASES_H

#include "sluice/Frontend/Clang/Compile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class CallBase;
class Function;
class StructType;
class Value;
} // namespace llvm

namespace sluice {

/// Marks a function whose result follows from its output binds.
inline constexpr llvm::StringLiteral openResultsAttribute = "hpvm.open-results";
/// Marks a node function written in C without a hint.
inline constexpr llvm::StringLiteral noHintAttribute = "hpvm.no-hint";

/// Gives all node functions of a unit their canonical form.
void lowerNodeFunctions(CompiledUnit &unit, Diagnostics &diagnostics);

/// Turns the unit's HPVM-C calls into intrinsics.
void lowerCalls(CompiledUnit &unit, Diagnostics &diagnostics);

/// Completes the linked module.
void finishNodeFunctions(llvm::Module &module, Diagnostics &diagnostics);

/// The HPVM-C function that a call names, such as "bindIn"; empty if none.
llvm::StringRef calledHPVM(const llvm::CallBase &call);
/// A call's record; null if `call` has none.
const CallRecord *recordOf(const llvm::CallBase &call,
                           const CompiledUnit &unit);

/// Makes a function of another type that takes over the name, the attributes,
/// the debug information and all uses of `function`, which keeps its body.
llvm::Function *replaceFunction(llvm::Function &function,
                                llvm::ArrayRef<llvm::Type *> parameters,
                                llvm::StructType *result);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HPVM_LOWER_LOWERCALLSPHASES_H
