//===- Generator.h - One generator, from parameters to an object ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything here runs the user's code and throws the exceptions that Halide
// throws. Only for the process of a job (Job.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_HALIDE_GENERATOR_H
#define SLUICE_LIB_HALIDE_GENERATOR_H

#include "Halide.h"
#include "sluice/Halide/Backend.h"

#include <optional>
#include <stdexcept>

namespace sluice::halide {

/// Thrown for a parameter that the generator does not have, or for a value that
/// it cannot have.
struct ParameterError : std::runtime_error {
  ParameterError(const std::string &name, const std::string &text)
      : std::runtime_error(text), name(name) {}
  std::string name;
};

/// The parameters of a generator besides Halide's own.
std::vector<ParameterInfo> parametersOf(const Request &request);

/// Creates a generator of the process with the parameters of the request.
std::unique_ptr<Halide::Internal::GeneratorBase>
createGenerator(const Request &request);
void setParameters(Halide::Internal::GeneratorBase &generator,
                   const Parameters &parameters);

/// The arguments of the function `symbol` in a lowered module.
std::vector<ArgumentInfo> argumentsOf(const Halide::Module &module,
                                      const std::string &symbol);

/// The first check of `function` that a call certainly fails.
Violation checkCall(const Halide::Internal::LoweredFunc &function,
                    const KnownCall &call);

/// A hash of everything that the object of a lowered module depends on.
std::string hashCode(const Halide::Module &module);

/// A message of Halide without its frame.
std::string plainText(std::string message);

} // namespace sluice::halide

#endif // SLUICE_LIB_HALIDE_GENERATOR_H
