//===- PythonModules.h - Inspecting Python modules ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes in Python kernels should be found when the program is built. A
// helper process parses the modules, without executing any of their code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONMODULES_H
#define SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONMODULES_H

#include "sluice/Frontend/Kernels/PythonSources.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::driver {

/// Modules that were inspected.
class PythonModules {
public:
  /// The module in the file at `path`. Results are cached by the file's
  /// content, so Python is started only for new files.
  llvm::Expected<const PythonModule *> inspect(const std::string &path);
  /// The files of modules that this one imports from `folders`, directly and
  /// indirectly, with its own file; sorted. Leaves out files that are not valid
  /// Python.
  std::vector<std::string> closure(const std::string &path,
                                   llvm::ArrayRef<std::string> folders);

private:
  std::map<std::string, std::unique_ptr<PythonModule>> modules;
};

/// The file of module `name` ("kern", "package.part") in one of the folders,
/// which is stored in `found`. Empty if there is none. Adds to `tried` the
/// files that would have been found first, had they existed.
std::string findPythonModule(llvm::StringRef name,
                             llvm::ArrayRef<std::string> folders,
                             std::string *found = nullptr,
                             std::vector<std::string> *tried = nullptr);

/// Debian's Python, which programs embed as well.
inline constexpr const char *pythonExecutable = "/usr/bin/python3";
/// The path of one of Sluice's modules next to libSluicePython.
std::string pythonHelper(llvm::StringRef name);

/// Runs Python with one of Sluice's programs, shielded from the environment's
/// settings. Returns its stdout, or an error with its message.
llvm::Expected<std::string> runPython(llvm::StringRef program,
                                      llvm::ArrayRef<std::string> arguments);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONMODULES_H
