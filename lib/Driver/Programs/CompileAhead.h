//===- CompileAhead.h - Compiling sources in advance ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user who is typing waits for checks, and these mostly read C++ headers,
// again for each source. Another thread compiles the sources without graphs.
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

/// Compiles sources from last to first in its own thread, while a caller takes
/// them from first to last. No process may be forked during its lifetime.
class CompileAhead {
public:
  /// Starts with those of `paths` whose text mentions no graphs.
  CompileAhead(llvm::ArrayRef<std::string> paths,
               const CompileOptions &options);
  ~CompileAhead();
  CompileAhead(const CompileAhead &) = delete;

  /// Returns the unit of a source in `context`, with clang's warnings. Waits if
  /// the source is being compiled. Returns none if the caller must compile it:
  /// the source has errors or contains graphs after all, or the thread has not
  /// reached it. Must be called by one thread, once for each source.
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
