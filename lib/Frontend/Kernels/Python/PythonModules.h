//===- PythonModules.h - Looks at Python modules, without running them ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes in Python kernels should be found when the program is built. A
// helper process parses the modules, without executing any of their code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONMODULES_H
#define SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONMODULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::driver {

/// How a function may be called.
struct PythonFunction {
  int64_t line = 0;
  /// Positional arguments; `most` is -1 where there is no bound.
  int64_t least = 0, most = 0;
  /// Keyword-only parameters without a default.
  std::vector<std::string> keywords;
  bool isAsync = false, isGenerator = false;
  /// False if it is decorated or defined twice: anything may be true then.
  bool isKnown = false;
};

/// What running a module would define.
struct PythonModule {
  std::string path;
  llvm::StringMap<PythonFunction> functions;
  llvm::StringSet<> names;
  /// Names may come from elsewhere, too.
  bool isOpen = false;
  /// Dotted names, with the leading dots of relative ones.
  std::vector<std::string> imports;
};

/// Why a module is not Python.
class PythonSyntaxError : public llvm::ErrorInfo<PythonSyntaxError> {
public:
  static char ID;
  PythonSyntaxError(std::string path, unsigned line, unsigned column,
                    std::string text)
      : path(std::move(path)), line(line), column(column),
        text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  std::string path;
  unsigned line, column;
  std::string text;
};

/// Modules that were looked at.
class PythonModules {
public:
  /// The module in the file at `path`. What is known of a file is kept in the
  /// cache by its content, so Python is started for new files only.
  llvm::Expected<const PythonModule *> inspect(const std::string &path);
  /// The files of modules that this one imports from `folders`, and theirs,
  /// with its own; sorted. Files that are not Python are left out.
  std::vector<std::string> closure(const std::string &path,
                                   llvm::ArrayRef<std::string> folders);

private:
  std::map<std::string, std::unique_ptr<PythonModule>> modules;
};

/// The file of module `name` ("kern", "package.part") in one of the folders;
/// the folder in `found`. Empty if there is none. `tried` receives the files
/// that would have been found first, had they been there.
std::string findPythonModule(llvm::StringRef name,
                             llvm::ArrayRef<std::string> folders,
                             std::string *found = nullptr,
                             std::vector<std::string> *tried = nullptr);

/// Debian's Python, which programs embed as well.
inline constexpr const char *pythonExecutable = "/usr/bin/python3";
/// A module of ours beside libSluicePython.
std::string pythonHelper(llvm::StringRef name);

/// Runs Python with a program of ours, shielded from the environment's
/// settings. What it printed to stdout; an error has what it said.
llvm::Expected<std::string> runPython(llvm::StringRef program,
                                      llvm::ArrayRef<std::string> arguments);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_PYTHON_PYTHONMODULES_H
