//===- Lowering.h - From neutral modules to back ends ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of sluice-device-codegen: turns a neutral module
// (DeviceTarget.h) into code that LLVM's SPIR-V and NVPTX back ends select
// without failing, and runs them. Uses only LLVM, so that the tool starts fast.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_LOWERING_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_LOWERING_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice::codegen::lowering {

struct Refusal {
  std::string entry;
  std::string problem;
};

struct DeviceLoweringOptions {
  unsigned optimizationLevel = 3;
  std::string chip;
  std::string libdevice;
};

enum class CodeForm { SPIRV, PTX };

/// Numbers of the address spaces in a neutral module and in both forms.
enum AddressSpace : unsigned { Own = 0, Global = 1, Local = 3 };
constexpr unsigned spirvConstant = 2, ptxConstant = 4;

//===----------------------------------------------------------------------===//
// Steps for both forms
//===----------------------------------------------------------------------===//

/// The kernels of a module.
std::vector<llvm::Function *> kernelsOf(llvm::Module &module);

/// The bytes of an instance's variables that are not in registers.
uint64_t privateBytes(const llvm::Function &kernel);

/// How much the back end optimises a kernel.
enum class Effort { Level, None };

/// Removes the kernels that are not in `efforts`, and everything that only they
/// use.
void keepKernels(llvm::Module &module, const llvm::StringMap<Effort> &efforts);

/// Inlines all calls of functions with a body, except recursive ones.
void inlineCalls(llvm::Module &module);

/// Removes functions and globals that no kernel uses.
void removeUnused(llvm::Module &module);

/// Removes the kernels with a feature that no device of this form supports, and
/// reports the feature.
void refuseKernels(llvm::Module &module, CodeForm form,
                   std::vector<Refusal> &refusals);

/// Moves constants to address space `space` if all their uses allow it, in the
/// order of the module and up to `bytesAtMost` in total.
void moveConstants(llvm::Module &module, unsigned space, uint64_t bytesAtMost);

/// Expands memory copies and fills into loops and single accesses.
void expandMemoryCalls(llvm::Function &function);

/// Device-wide relaxed atomics; expands those that `form` lacks.
void lowerAtomics(llvm::Function &function, CodeForm form);

/// Replaces the calls of `name` by the values that `make` builds for them.
void replaceCalls(llvm::Module &module, llvm::StringRef name,
                  llvm::function_ref<llvm::Value *(llvm::CallInst &)> make);

/// Replaces undefined operands by zeros and removes `freeze`.
void removeUndefined(llvm::Function &function);

/// Expands intrinsics on integers to plain operations.
void expandIntegerIntrinsics(llvm::Function &function);

/// Widens integers of widths other than 8, 16, 32 and 64, and stores bits as
/// bytes in memory.
void widenIntegers(llvm::Function &function);

/// Splits structures in phis and selects, and bit vectors that are used as
/// integers. Phis become memory, which promotion turns back into values.
void splitValues(llvm::Function &function);

/// Expands reductions of vectors, element by element.
void expandReductions(llvm::Function &function);

/// Expands intrinsics on reals that are not libm functions.
void expandRealIntrinsics(llvm::Function &function);

/// Splits vector math functions, and computes those of half in float.
void splitMathCalls(llvm::Function &function);

/// Removes intrinsics that are only hints for optimisers.
void removeHints(llvm::Function &function);

//===----------------------------------------------------------------------===//
// The forms
//===----------------------------------------------------------------------===//

/// Makes SPIR-V in binary form from the kernels of a neutral module.
llvm::Expected<std::string> makeSPIRV(llvm::Module &module,
                                      const DeviceLoweringOptions &options,
                                      std::vector<Refusal> &refusals);

/// PTX as text.
llvm::Expected<std::string> makePTX(llvm::Module &module,
                                    const DeviceLoweringOptions &options,
                                    std::vector<Refusal> &refusals);

} // namespace sluice::codegen::lowering

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_LOWERING_H
