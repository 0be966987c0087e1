//===- TrialBuild.cpp - Building where a crash does no harm ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child is a forked copy of the process with one thread. It sends the
// result through a pipe: a length, then the bytes. If another thread held a
// lock of the driver at the time of the fork, the child may wait for ever; it
// is then killed, and the result is unknown.
//
//===----------------------------------------------------------------------===//

#include "TrialBuild.h"

#include "sluice/Base/Text.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::device;
using namespace sluice::device::opencl;

/// The maximum time of a build; a child that takes longer probably waits for a
/// lock and is killed.
static constexpr auto limit = std::chrono::seconds(60);

/// Sanitizers do not support fork in a process with several threads.
static constexpr bool hasSanitizer =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

static bool writeAll(int file, const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size) {
    ssize_t written = ::write(file, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    size -= size_t(written);
  }
  return true;
}

/// Runs in the child. Exit handlers and signal handlers of the program are not
/// run.
[[noreturn]] static void child(const std::function<std::string()> &build,
                               int output, int messages) {
  for (int signal : {SIGABRT, SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGTRAP})
    ::signal(signal, SIG_DFL);
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  if (messages >= 0)
    ::dup2(messages, 2);
  std::string binary = build();
  uint64_t size = binary.size();
  bool isSent = writeAll(output, &size, sizeof(size)) &&
                writeAll(output, binary.data(), binary.size());
  ::_exit(isSent ? 0 : 1);
}

/// Reads until the other end is closed; false if that took too long.
static bool readAll(int file, std::string &text) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return false;
    pollfd wanted = {file, POLLIN, 0};
    if (::poll(&wanted, 1, int(left.count())) <= 0)
      continue;
    char bytes[65536];
    ssize_t count = ::read(file, bytes, sizeof(bytes));
    if (count == 0)
      return true;
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      return true;
    if (count > 0)
      text.append(bytes, size_t(count));
  }
}

/// The first line that the child wrote to standard error before it died.
static std::string firstLine(int messages) {
  char text[512] = {};
  if (messages < 0 || ::pread(messages, text, sizeof(text) - 1, 0) <= 0)
    return {};
  text[std::strcspn(text, "\n")] = 0;
  return text;
}

TrialBuild opencl::buildInChild(const std::function<std::string()> &build) {
  TrialBuild result;
  int ends[2];
  if (hasSanitizer || ::pipe2(ends, O_CLOEXEC) != 0)
    return result;
  int messages = ::memfd_create("sluice-build", MFD_CLOEXEC);
  pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    child(build, ends[1], messages);
  }
  ::close(ends[1]);
  std::string text;
  bool isInTime = process > 0 && readAll(ends[0], text);
  ::close(ends[0]);
  int status = 0;
  if (process > 0) {
    if (!isInTime)
      ::kill(process, SIGKILL);
    while (::waitpid(process, &status, 0) < 0)
      if (errno != EINTR) {
        status = 0; // The program has all children waited for elsewhere.
        break;
      }
  }
  uint64_t size = 0;
  if (isInTime && text.size() >= sizeof(size)) {
    std::memcpy(&size, text.data(), sizeof(size));
    if (text.size() - sizeof(size) == size)
      result.binary = text.substr(sizeof(size));
  } else if (isInTime && WIFSIGNALED(status)) {
    std::string said = firstLine(messages);
    result.death =
        concat("signal ", WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)),
               ")", said.empty() ? "" : ": ", said);
  }
  if (messages >= 0)
    ::close(messages);
  return result;
}
