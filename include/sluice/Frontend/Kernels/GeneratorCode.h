//===- GeneratorCode.h - Generators without their calls ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks over regions call a generator with parts of any size, so it is compiled
// without knowing a call.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_KERNELS_GENERATORCODE_H
#define SLUICE_FRONTEND_KERNELS_GENERATORCODE_H

#include "sluice/Halide/Backend.h"

#include <map>
#include <string>
#include <vector>

namespace sluice::driver {

/// The function `symbol` in an object, which needs Halide's runtime in another
/// one.
struct GeneratorCode {
  std::string problem; ///< Empty: there is none.
  std::string symbol, object, runtime;
  std::vector<halide::ArgumentInfo> arguments;
};

/// Compiles a generator of this process for this machine. The objects are kept
/// while the process runs.
GeneratorCode
compileApart(const std::string &name,
             const std::map<std::string, std::string> &parameters);

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_KERNELS_GENERATORCODE_H
