//===- InChild.cpp - Work that may crash, in a process of its own ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Toolchain/InChild.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice::driver;

[[noreturn]] static void beChild(function_ref<void(raw_ostream &)> work,
                                 int output, unsigned seconds) {
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGALRM,
                     SIGTERM, SIGINT})
    std::signal(signal, SIG_DFL);
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  alarm(seconds);
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  {
    raw_fd_ostream os(output, /*shouldClose=*/false);
    work(os);
  }
  _exit(0);
}

static std::string readAll(int file) {
  std::string text;
  char part[4096];
  for (;;) {
    ssize_t count = read(file, part, sizeof part);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(part, count);
  }
}

Expected<ChildResult>
sluice::driver::runInChild(function_ref<void(raw_ostream &)> work,
                           unsigned seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return createStringError("cannot make a pipe to a child process");
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return createStringError("cannot start a child process");
  }
  if (child == 0) {
    close(ends[0]);
    beChild(work, ends[1], seconds);
  }
  close(ends[1]);
  ChildResult result;
  result.text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  result.isComplete = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return result;
}
