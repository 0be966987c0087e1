//===- HalideTarget.h - Halide's names of CPUs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide and clang use different names for CPUs and their features. Code for
// the CPU that the user chose needs a translation.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDETARGET_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDETARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace sluice::driver {

/// "x86-64-linux-sse41" for a CPU that clang knows, or for "native". Leaves out
/// features that Halide does not know.
llvm::Expected<std::string> halideTarget(llvm::StringRef cpu);

/// The target that the parameter `target` of a generator requests: "host" and
/// features, or a complete one. Fails for targets whose code cannot be called.
llvm::Expected<std::string> requestedTarget(llvm::StringRef text);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDETARGET_H
