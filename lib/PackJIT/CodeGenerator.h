//===- CodeGenerator.h - From layouts to object code ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the module of a layout and lowers it with LLVM's code generator for
// this processor. Optimising passes run only on users' code, which may rely on
// them.
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

/// The features of the processor that the code may use.
CodeTarget targetFor(const Processor &processor);
/// The processor and its features with LLVM's names, for cache keys.
std::string processorKey(const Processor &processor);

/// Sets the target processor of `module`.
Status prepareModule(llvm::Module &module, const Processor &processor);
/// Simplifies users' unoptimised code: variables in memory, recomputed
/// addresses.
void optimizeUserCode(llvm::Module &module, const Processor &processor);

/// An error if code for `form` would be too large, or not faster than the
/// ready-made kernel.
Status checkCodeSize(const Form &form, const CodeTarget &target);

/// The verified module of `layout`. Returns errors that a user's code
/// generation reports or throws.
Result<std::unique_ptr<llvm::Module>> buildModule(const Layout &layout,
                                                  const Processor &processor,
                                                  llvm::LLVMContext &context);

enum class CodeFormat { Object, Assembly };
/// Lowers `module`. `isOwnCode`: it contains only code from the emitter.
/// Returns errors that LLVM reports while lowering.
Result<llvm::SmallVector<char, 0>> lower(llvm::Module &module,
                                         const Processor &processor,
                                         CodeFormat format, bool isOwnCode);

/// Lowers an empty function, so that LLVM creates its lazily created static
/// objects; see ExitGuard.
void warmUp();

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_CODEGENERATOR_H
