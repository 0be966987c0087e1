//===- ChildJob.h - Work in a copy of the process ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check of a program cannot be stopped on its way, may need much memory, and
// if it meets a defect of a compiler may end its process. So it runs in a copy
// of the server, which can be killed, and has all libraries loaded already.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_CHILDJOB_H
#define SLUICE_LIB_DRIVER_EDITOR_CHILDJOB_H

#include "EventLoop.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/types.h>

namespace sluice::driver {

/// For a process with one thread that runs.
class ChildJob {
public:
  /// Starts `work` in a new process. `done` is called by the loop with what it
  /// wrote and with the status that waitpid gives; the job may be destroyed
  /// there. If no process can be started, `done` is called with status -1.
  ChildJob(EventLoop &loop, std::function<void(llvm::raw_ostream &os)> work,
           std::function<void(std::string output, int status)> done);
  /// Kills the process, and those it has started, if it still runs.
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
