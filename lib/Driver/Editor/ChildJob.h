//===- ChildJob.h - Work in a copy of the process ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check of a program cannot be interrupted, may need much memory, and may
// crash its process if it meets a defect of a compiler. So it runs in a copy of
// the server, which can be killed and has all libraries loaded already.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_CHILDJOB_H
#define SLUICE_LIB_DRIVER_EDITOR_CHILDJOB_H

#include "EventLoop.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/types.h>

namespace sluice::driver {

/// Must be used in a process with only one running thread.
class ChildJob {
public:
  /// Starts `work` in a new process. When it ends, the loop calls `done` with
  /// its output and the status from waitpid; `done` may destroy the job. If no
  /// process can be started, the loop calls `done` with status -1.
  ChildJob(EventLoop &loop, std::function<void(llvm::raw_ostream &os)> work,
           std::function<void(std::string output, int status)> done);
  /// If the process still runs, kills it and the processes that it started.
  ~ChildJob();
  ChildJob(const ChildJob &) = delete;
  ChildJob &operator=(const ChildJob &) = delete;

private:
  void read();
  void finish(int status);
  int end();

  EventLoop &loop;
  std::function<void(std::string, int)> done;
  std::string output;
  pid_t process = -1;
  int file = -1;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_CHILDJOB_H
