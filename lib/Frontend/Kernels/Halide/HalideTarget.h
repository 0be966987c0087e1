//===- HalideTarget.h - CPUs as Halide names them -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide and clang name CPUs and their features differently. Code for the CPU
// that the user chose needs the translation.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDETARGET_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDETARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace sluice::driver {

/// "x86-64-linux-sse41" for a CPU that clang knows, or "native". Features that
/// Halide does not know are left out.
llvm::Expected<std::string> halideTarget(llvm::StringRef cpu);

/// The target that the parameter `target` of a generator asks for: "host" and
/// features, or a whole one; fails for targets whose code cannot be called.
llvm::Expected<std::string> requestedTarget(llvm::StringRef text);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDETARGET_H
