//===- ChildJob.cpp - Work in a copy of the process -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildJob.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sluice::driver;

/// Runs in the new process; never returns.
[[noreturn]] static void
runChild(pid_t parent, int file,
         const std::function<void(llvm::raw_ostream &os)> &work) {
  // Puts the process and everything it starts into its own group, and ends it
  // with the server.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(1);
  // Only the server reads from the editor and writes to it.
  int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(nothing, STDOUT_FILENO) < 0)
    ::_exit(1);
  int status = 0;
  {
    llvm::raw_fd_ostream os(file, /*shouldClose=*/false);
    try {
      work(os);
    } catch (...) {
      status = 1;
    }
    os.flush();
    if (os.has_error())
      status = 1;
    os.clear_error();
  }
  // Skips the orderly shutdown, which is the server's task.
  ::_exit(status);
}

ChildJob::ChildJob(EventLoop &loop,
                   std::function<void(llvm::raw_ostream &os)> work,
                   std::function<void(std::string output, int status)> done)
    : loop(loop), done(std::move(done)) {
  llvm::outs().flush();
  llvm::errs().flush();
  int ends[2];
  pid_t parent = ::getpid();
  bool hasPipe = ::pipe2(ends, O_CLOEXEC) == 0;
  if (hasPipe)
    process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    runChild(parent, ends[1], work);
  }
  if (hasPipe)
    ::close(ends[1]);
  if (process < 0) {
    if (hasPipe)
      ::close(ends[0]);
    // Does not call `done` before the caller has this object.
    loop.setTimer("job " + std::to_string(uintptr_t(this)),
                  EventLoop::Clock::now(), [this] { finish(-1); });
    return;
  }
  file = ends[0];
  loop.watch(file, [this] { read(); });
}

void ChildJob::read() {
  char part[65536];
  ssize_t count = ::read(file, part, sizeof part);
  if (count < 0 && errno == EINTR)
    return;
  if (count > 0) {
    output.append(part, size_t(count));
    return;
  }
  finish(end());
}

/// Waits for the process, which will write nothing more.
int ChildJob::end() {
  loop.forget(file);
  ::close(file);
  file = -1;
  int status = -1;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  process = -1;
  return status;
}

void ChildJob::finish(int status) {
  // The callback may destroy this job.
  auto call = std::move(done);
  call(std::move(output), status);
}

ChildJob::~ChildJob() {
  loop.clearTimer("job " + std::to_string(uintptr_t(this)));
  if (process < 0)
    return;
  // Also kills the process itself, which may not have created its group yet.
  ::kill(-process, SIGKILL);
  ::kill(process, SIGKILL);
  (void)end();
}
