//===- PythonSources.h - Python files among a program's sources -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of tasks over regions may be written in Python. The files are
// parsed when the program is compiled, and imported when it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_KERNELS_PYTHONSOURCES_H
#define SLUICE_FRONTEND_KERNELS_PYTHONSOURCES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// How a function may be called.
struct PythonFunction {
  int64_t line = 0;
  /// The number of positional arguments; `most` is -1 if there is no limit.
  int64_t least = 0, most = 0;
  /// Keyword-only parameters without a default.
  std::vector<std::string> keywords;
  bool isAsync = false, isGenerator = false;
  /// False if it is decorated or defined twice: nothing is known about it then.
  bool isKnown = false;
};

/// The definitions that running a module would make.
struct PythonModule {
  std::string path;
  llvm::StringMap<PythonFunction> functions;
  llvm::StringSet<> names;
  /// Names may also come from elsewhere.
  bool isOpen = false;
  /// Dotted names, with the leading dots of relative ones.
  std::vector<std::string> imports;
};

/// The reason why a module is not valid Python.
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

/// The reason why tasks cannot be written in Python here; empty if they can.
std::string whyNoPython();

/// What the file at `path` defines, without running it.
llvm::Expected<PythonModule> inspectPython(const std::string &path);

/// What is wrong with a call that passes `count` arguments, as the end of a
/// sentence that begins with the function; empty: nothing is known to be wrong.
std::string problemOfCall(const PythonFunction &function, int64_t count,
                          llvm::StringRef caller = "task");

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_KERNELS_PYTHONSOURCES_H
