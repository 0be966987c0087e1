//===- ChildProcess.cpp - Runs another program with limits ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

extern char **environ;

/// A back end that needs more than this has lost its way.
static constexpr rlim_t memoryLimit = rlim_t(8) << 30;

/// Sanitizers reserve far more memory than they use.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static constexpr bool isSanitized = true;
#else
static constexpr bool isSanitized = false;
#endif

/// Starts the program with its output in `log`; an error number, or 0.
static int start(pid_t &child, const std::string &program,
                 ArrayRef<std::string> arguments, const std::string &log) {
  SmallVector<char *> words{const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  scope_exit free([&] { posix_spawn_file_actions_destroy(&files); });
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  return posix_spawn(&child, program.c_str(), &files, nullptr, words.data(),
                     environ);
}

static void limit(pid_t child, double seconds) {
  rlimit none{0, 0}, memory{memoryLimit, memoryLimit};
  rlim_t whole = rlim_t(seconds) + 1;
  rlimit time{whole, whole};
  // A child that has ended already needs no limits.
  (void)prlimit(child, RLIMIT_CORE, &none, nullptr);
  if (!isSanitized)
    (void)prlimit(child, RLIMIT_AS, &memory, nullptr);
  (void)prlimit(child, RLIMIT_CPU, &time, nullptr);
}

/// Waits until the child has ended; false: killed at the limit.
static bool waitFor(pid_t child, double seconds, int &status) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(seconds));
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      return true;
    if (ended < 0 && errno != EINTR) {
      // Somebody else took the child's status: it counts as failed.
      status = 1 << 8;
      return true;
    }
    if (Clock::now() >= end)
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return false;
}

/// The line that says what failed: LLVM prints the reason before the traces of
/// its stack, and errors begin with a known word.
static std::string lastWords(const std::string &log) {
  Expected<std::string> text = readFile(log);
  if (!text) {
    consumeError(text.takeError());
    return "";
  }
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  StringRef found;
  for (StringRef line : lines) {
    line = line.trim();
    bool isTrace = line.starts_with("PLEASE submit") ||
                   line.starts_with("Stack dump") || line.starts_with("#") ||
                   (!line.empty() && isDigit(line[0]));
    if (isTrace)
      break;
    found = line;
  }
  return found.substr(0, 400).str();
}

ChildResult codegen::runChild(const std::string &program,
                              ArrayRef<std::string> arguments,
                              const std::string &log, double secondsAtMost) {
  std::string name = sys::path::filename(program).str();
  pid_t child = 0;
  if (int error = start(child, program, arguments, log))
    return {false, "cannot run '" + program + "': " + strerror(error)};
  limit(child, secondsAtMost);
  int status = 0;
  if (!waitFor(child, secondsAtMost, status))
    return {false, "'" + name + "' was stopped after " +
                       std::to_string(int(secondsAtMost)) + " seconds"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {true, ""};
  std::string words = lastWords(log);
  if (WIFSIGNALED(status) && words.empty())
    words = std::string("it ended with the signal '") +
            strsignal(WTERMSIG(status)) + "'";
  if (words.empty())
    words = "it ended with status " + std::to_string(WEXITSTATUS(status));
  return {false, "'" + name + "' failed: " + words};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Expected<TemporaryFolder> TemporaryFolder::create() {
  SmallString<128> path;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("sluice-device", path))
    return createStringError("cannot make a folder for temporary files: " +
                             error.message());
  return TemporaryFolder(path.str().str());
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : path(std::move(other.path)) {
  other.path.clear();
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    (void)sys::fs::remove_directories(path);
}

std::string TemporaryFolder::file(StringRef name) const {
  SmallString<128> whole(path);
  sys::path::append(whole, name);
  return whole.str().str();
}

Expected<std::string> codegen::readFile(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Error codegen::writeFile(const std::string &path, StringRef text) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  return Error::success();
}
