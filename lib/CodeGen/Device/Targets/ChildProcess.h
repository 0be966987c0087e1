//===- ChildProcess.h - Running programs with limits -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's back ends and the translator to SPIR abort on unsupported code, and
// may hang. They run as child processes, without a shell, with limits on time
// and memory, and leave no files. Several threads may run children at the same
// time (LLVM's own functions set an alarm for the whole process).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_CHILDPROCESS_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include <string>

namespace sluice::codegen {

struct ChildResult {
  bool hasSucceeded = false;
  /// Describes the failure: the end of the child's output, the signal, or the
  /// limit.
  std::string problem;
};

/// Runs `program` (a path) with `arguments` and waits for it. Writes its output
/// to the file `log`, which is created.
ChildResult runChild(const std::string &program,
                     llvm::ArrayRef<std::string> arguments,
                     const std::string &log, double secondsAtMost);

/// A folder for temporary files, removed with its contents.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  std::string file(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// Returns the whole file, or an error that names it.
llvm::Expected<std::string> readFile(const std::string &path);
llvm::Error writeFile(const std::string &path, llvm::StringRef text);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_CHILDPROCESS_H
