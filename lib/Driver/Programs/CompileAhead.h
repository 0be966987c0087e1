//===- CompileAhead.h - Sources compiled while others are -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who types waits for checks, and these do little but read C++ headers, again
// for each source. Another thread reads those sources that have no graphs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PROGRAMS_COMPILEAHEAD_H
#define SLUICE_LIB_DRIVER_PROGRAMS_COMPILEAHEAD_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Frontend/Clang/Compile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/thread.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace sluice::driver {

/// Compiles sources from the last to the first in a thread of its own, for
/// somebody who takes them from the first to the last. No process may be forked
/// while it lives.
class CompileAhead {
public:
  /// Begins with those of `paths` whose text says nothing of graphs.
  CompileAhead(llvm::ArrayRef<std::string> paths,
               const CompileOptions &options);
  ~CompileAhead();
  CompileAhead(const CompileAhead &) = delete;

  /// The unit of a source in `context`, and clang's warnings; waits for it if
  /// it is being compiled. None if it is to be compiled by the caller: there
  /// are errors, it has graphs nevertheless, or the thread has not come to it.
  /// Called by one thread, once for each source.
  std::optional<CompiledUnit> take(const std::string &path,
                                   llvm::LLVMContext &context,
                                   std::vector<Diagnostic> &warnings);

private:
  struct Work {
    enum { Waiting, Running, Done, Refused } state = Waiting;
    CompiledUnit unit; ///< without its module
    llvm::SmallVector<char, 0> bitcode;
    std::vector<Diagnostic> warnings;
  };

  void run();
  bool compile(const std::string &path, Work &work) const;

  const CompileOptions options;
  std::vector<std::string> paths;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Work> works;
  bool isOver = false;
  std::optional<llvm::thread> thread;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PROGRAMS_COMPILEAHEAD_H
