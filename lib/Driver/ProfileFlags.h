//===- ProfileFlags.h - Flags about profiles --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code and kernels are one module when they are optimised, so they are
// counted, and laid out by what was counted, by the same passes of LLVM. Where
// counters stand is LLVM's choice for -fprofile-instr-generate as well: clang's
// own would have to be put into leaves before they are checked.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROFILEFLAGS_H
#define SLUICE_LIB_DRIVER_PROFILEFLAGS_H

#include "sluice/CodeGen/KernelPipeline.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sluice::driver {

/// Notes what the flag `name`, as "-fprofile-use", asks for with the rest of
/// its word, as "=FILE". The last one counts.
llvm::Error takeProfileFlag(llvm::StringRef name, llvm::StringRef rest,
                            codegen::Profiling &profiling);

/// Finds the profile that is asked for, if any, and looks whether it is one.
llvm::Error findProfile(codegen::Profiling &profiling);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROFILEFLAGS_H
