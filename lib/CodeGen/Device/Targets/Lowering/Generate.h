//===- Generate.h - Running one of LLVM's back ends ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target machines of the device back ends, and their output.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_GENERATE_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_GENERATE_H

#include "Lowering.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace sluice::codegen::lowering {

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(llvm::StringRef triple, llvm::StringRef chip,
              llvm::StringRef features, unsigned optimizationLevel);

/// Sets the data layout and triple of this machine in the module.
void setTarget(llvm::Module &module, llvm::TargetMachine &machine);

/// Runs the machine's back end.
llvm::Expected<std::string> generate(llvm::Module &module,
                                     llvm::TargetMachine &machine,
                                     llvm::CodeGenFileType type);

} // namespace sluice::codegen::lowering

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_GENERATE_H
