//===- PythonForms.h - Finite-element forms, compiled ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks may be finite-element forms that a Python program generates. They are
// compiled when the program is built, so that its first run does not wait for a
// C compiler.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONFORMS_H
#define SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONFORMS_H

#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace sluice::driver {

/// The forms that tasks take from one generator.
struct FormRequest {
  std::string module, generator;
  /// Folders of modules, separated by ':'.
  std::string pythonPath;
  /// The entries used of the generator's result, sorted, each once.
  std::vector<std::string> kernels;
  /// Files of the module and of its imports from its folders.
  std::vector<std::string> sources;
};

/// The errors of kernels, by name.
using FormProblems = std::map<std::string, std::string>;

/// Runs the generator in a separate process, checks that it has the kernels,
/// and makes FFCx compile all its forms into the cache, where the program finds
/// them. Runs nothing if this was done before. Adds the files that were used to
/// `dependencies`. An error concerns the generator as a whole.
llvm::Expected<FormProblems>
compileForms(const FormRequest &request,
             std::vector<std::string> &dependencies);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONFORMS_H
