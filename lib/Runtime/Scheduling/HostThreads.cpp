//===- HostThreads.cpp - Distinguishing host threads from the runtime's ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the names and states of the process's threads from /proc; see proc(5).
//
//===----------------------------------------------------------------------===//

#include "HostThreads.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <pthread.h>
#include <unistd.h>

using namespace sluice;

static const std::string runtimePrefix = "sluice-";

void sluice::nameRuntimeThread(std::thread &thread, const std::string &role) {
  pthread_setname_np(thread.native_handle(), (runtimePrefix + role).c_str());
}

/// The name of the thread with this folder in /proc; none if the thread is
/// ending.
static std::optional<std::string>
nameOfThread(const std::filesystem::path &folder) {
  // "number (name) state parent group session terminal foreground flags ..."
  std::ifstream file(folder / "stat");
  std::string line(std::istreambuf_iterator<char>(file), {});
  size_t begin = line.find('(');
  size_t end = line.rfind(')');
  if (begin == std::string::npos || end == std::string::npos)
    return std::nullopt;
  unsigned flags = 0;
  std::sscanf(line.c_str() + end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags);
  // PF_EXITING of the kernel: set before a thread that joins it continues.
  constexpr unsigned isEnding = 4;
  if (flags & isEnding)
    return std::nullopt;
  return line.substr(begin + 1, end - begin - 1);
}

bool sluice::hasOtherHostThreads() {
  const std::filesystem::path threads = "/proc/self/task";
  const std::string self = std::to_string(::gettid());
  const std::string ownName = nameOfThread(threads / self).value_or("");
  unsigned count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(threads, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().filename() == self)
      continue;
    std::optional<std::string> name = nameOfThread(entry->path());
    // The program's own name may have the prefix of the runtime's threads; then
    // the host's other threads have that name, too.
    count += name && (!name->starts_with(runtimePrefix) || *name == ownName);
  }
#if __has_feature(thread_sanitizer)
  constexpr unsigned numForeign = 1; // It has a thread of its own.
#else
  constexpr unsigned numForeign = 0;
#endif
  return count > numForeign;
}
