//===- TunedParameters.h - Files of generators' parameters ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of published meta-programs, which `sluice tune` writes:
//
//   [blur]            ; a task or a generator
//   p1 = 4
//   [halide_fft 0]    ; several variants of a generator or a task
//   p1 = 1
//   [halide_fft 1]
//   p1 = 8
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_TUNEDPARAMETERS_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_TUNEDPARAMETERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

struct TunedSection {
  /// Task or generator.
  std::string name;
  /// Its number; sections without one come first.
  std::optional<unsigned> number;
  unsigned line = 0;
  std::map<std::string, std::string> parameters;
};

/// An error in a file, at a line.
struct TunedProblem {
  unsigned line = 0;
  std::string text;
};

/// Reads the sections of `text`, in the order of their numbers. `names` are
/// those of the graph's tasks and generators: each section must be for one of
/// them.
std::vector<TunedSection>
parseTunedParameters(llvm::StringRef text, llvm::ArrayRef<std::string> names,
                     std::vector<TunedProblem> &problems);

/// ", did you mean 'x'?" if one of `names` is similar to `name`, otherwise "".
std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<std::string> names);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_TUNEDPARAMETERS_H
