//===- CodeGenerator.h - From layouts to object code ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the module of a layout and lowers it with LLVM's code generator for
// this processor. No optimising passes run but for users' own code, which is
// written without regard to them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_CODEGENERATOR_H
#define SLUICE_PACKJIT_CODEGENERATOR_H

#include "Runs.h"

#include "sluice/Base/Status.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sluice::pack::jit {

/// The names of the functions in each object.
inline constexpr const char *packName = "sluice_pack";
inline constexpr const char *unpackName = "sluice_unpack";

/// What of the processor the code may use.
CodeTarget targetFor(const Processor &processor);
/// Names the processor and its features as LLVM does, for keys of caches.
std::string processorKey(const Processor &processor);

/// Says in `module` for which processor it is.
Status prepareModule(llvm::Module &module, const Processor &processor);
/// Simplifies what users write without regard to speed: variables in memory,
/// addresses computed anew.
void optimizeUserCode(llvm::Module &module, const Processor &processor);

/// An error if code for `form` would be too large, or no faster than the
/// ready-made kernel.
Status checkCodeSize(const Form &form, const CodeTarget &target);

/// The module of `layout`; verified. Passes on what a user's code generation
/// reports or throws as an error.
Result<std::unique_ptr<llvm::Module>> buildModule(const Layout &layout,
                                                  const Processor &processor,
                                                  llvm::LLVMContext &context);

enum class CodeFormat { Object, Assembly };
/// Lowers `module`. `isOwnCode`: it has nothing but what the emitter emits.
/// The errors that LLVM reports while lowering are returned.
Result<llvm::SmallVector<char, 0>> lower(llvm::Module &module,
                                         const Processor &processor,
                                         CodeFormat format, bool isOwnCode);

/// Lowers an empty function, so that LLVM makes the static objects it makes
/// when they are first needed; see ExitGuard.
void warmUp();

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_CODEGENERATOR_H
