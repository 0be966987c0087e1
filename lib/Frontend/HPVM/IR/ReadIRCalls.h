//===- ReadIRCalls.h - HPVM-C calls in IR ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HPVM programs may also be given as LLVM IR instead of C. The importer needs
// the same data about calls in both cases.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_IR_READIRCALLS_H
#define SLUICE_LIB_FRONTEND_HPVM_IR_READIRCALLS_H

#include "sluice/Frontend/Clang/Compile.h"

namespace sluice {

/// Records the variadic HPVM-C calls of a module from other compilers, and the
/// node functions that contain them, as CallReader does from source. The
/// parameters of a node function are taken as its ports.
void recordCalls(CompiledUnit &unit, HPVMVersion version,
                 Diagnostics &diagnostics);

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HPVM_IR_READIRCALLS_H
