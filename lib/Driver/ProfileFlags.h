//===- ProfileFlags.h - Flags about profiles --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code and kernels are optimised as one module, so the same LLVM passes
// instrument both and use their profiles. LLVM also chooses the places of the
// counters for -fprofile-instr-generate: clang's own counters would have to be
// in leaves before leaves are checked.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROFILEFLAGS_H
#define SLUICE_LIB_DRIVER_PROFILEFLAGS_H

#include "sluice/CodeGen/KernelPipeline.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sluice::driver {

/// Records the request of the flag `name`, as "-fprofile-use", with the rest of
/// its word, as "=FILE". The last flag wins.
llvm::Error takeProfileFlag(llvm::StringRef name, llvm::StringRef rest,
                            codegen::Profiling &profiling);

/// Finds the requested profile, if any, and checks that it is one.
llvm::Error findProfile(codegen::Profiling &profiling);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROFILEFLAGS_H
