//===- LowerCalls.h - HPVM-C calls to canonical HPVM IR -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical HPVM IR is where the front ends meet: calls of llvm.hpvm.*
// intrinsics, and node functions with one parameter for every input and one
// field of the result for every output, with the types of the source.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_HPVM_LOWERCALLS_H
#define SLUICE_FRONTEND_HPVM_LOWERCALLS_H

#include "sluice/Frontend/HPVM/Compile.h"

namespace sluice {

/// Brings the modules of a program into canonical form and links them in the
/// given order. Units read from IR have no records and are linked as they are.
/// Names of static functions stay distinct. Null if a unit cannot be lowered
/// or linked; what is wrong is added to `diagnostics`, everything that is
/// found in one run. With `keepsBroken`, the module of a program whose calls of
/// HPVM-C could not all be lowered is returned as it is, for looking at the
/// rest. Clears `units`.
std::unique_ptr<llvm::Module> linkUnits(std::vector<CompiledUnit> &units,
                                        llvm::LLVMContext &context,
                                        Diagnostics &diagnostics,
                                        bool keepsBroken = false);

/// Replaces jumps to labels whose addresses were taken (`goto *p`) by switches,
/// and these addresses by numbers, so that the functions may be copied.
void lowerComputedGotos(llvm::Module &module);

} // namespace sluice

#endif // SLUICE_FRONTEND_HPVM_LOWERCALLS_H
