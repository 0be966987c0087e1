//===- Process.h - Child processes ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All children of Sluice start here, in one of two ways: another program, or a
// function of this one that may crash or hang where it would take this process
// along.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_PROCESS_H
#define SLUICE_BASE_PROCESS_H

#include "sluice/Base/Status.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace sluice {

/// Sanitizers reserve far more memory than they use, and do not follow a copy
/// with one thread of a process that has several.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool isSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool isSanitized = true;
#else
inline constexpr bool isSanitized = false;
#endif
#else
inline constexpr bool isSanitized = false;
#endif

/// How a process ended.
struct ProcessEnd {
  /// -1: by a signal, or nobody knows, because this program has all children
  /// waited for elsewhere.
  int exitStatus = -1;
  /// 0: by itself.
  int signal = 0;
  /// It was killed because its time was over.
  bool wasStopped = false;

  bool succeeded() const { return exitStatus == 0; }
  /// "exit status 3", "signal 11 (Segmentation fault)".
  std::string text() const;
};

/// The name of this machine in its network.
std::string hostName();

/// The system's name of a signal: "Segmentation fault".
std::string signalText(int signal);

/// Where a standard file of a child leads.
struct Redirect {
  /// To where this process's leads.
  static Redirect inherited() { return {}; }
  static Redirect nowhere() { return {"/dev/null", -1}; }
  static Redirect file(std::string path) { return {std::move(path), -1}; }
  /// To a descriptor of this process; of the child, if it is redirected
  /// earlier: 1 as the third file means that both outputs are one.
  static Redirect descriptor(int number) { return {"", number}; }

  std::string path;
  int number = -1;
};

/// What is started.
struct ProcessOptions {
  /// The path of the program, and its arguments.
  std::string program;
  std::vector<std::string> arguments = {};
  /// "NAME=VALUE"; none: this process's.
  std::optional<std::vector<std::string>> environment = {};
  Redirect input = Redirect::inherited();
  Redirect output = Redirect::inherited();
  Redirect errors = Redirect::inherited();
  /// Further descriptors: this process's, and the child's.
  std::vector<std::pair<int, int>> files = {};
  /// A group of its own: what a terminal sends does not reach it, and it is
  /// killed with all that it started.
  bool hasOwnGroup = false;
  /// Of memory and of processor time, if they are not 0. With a limit the
  /// process leaves no core file.
  uint64_t bytesAtMost = 0;
  double secondsAtMost = 0;
};

/// A child process; it goes on if nobody waits for it.
class Process {
public:
  static Result<Process> start(const ProcessOptions &options);
  /// Calls `work` in a copy of this process, in which this thread is the only
  /// one, and ends it. Signals and the end of this thread end the copy, no core
  /// file is written, and what is to happen at the end of a process does not.
  static Result<Process> fork(const std::function<void()> &work);

  Process(Process &&other) noexcept
      : id(std::exchange(other.id, -1)), leadsGroup(other.leadsGroup) {}
  Process &operator=(Process &&other) noexcept {
    std::swap(id, other.id);
    std::swap(leadsGroup, other.leadsGroup);
    return *this;
  }

  pid_t getId() const { return id; }
  /// Waits for the end; once.
  ProcessEnd wait();
  /// The same; a process that takes longer than `seconds` is killed.
  ProcessEnd waitFor(double seconds);
  void kill() const;

private:
  explicit Process(pid_t id, bool leadsGroup = false)
      : id(id), leadsGroup(leadsGroup) {}
  pid_t id;
  bool leadsGroup;
};

/// Starts a program and waits for its end.
Result<ProcessEnd> runProgram(const ProcessOptions &options);

/// What a function did in a copy of this process.
struct ForkResult {
  ProcessEnd end;
  /// All that it wrote to the descriptor that it was given.
  std::string text;
  /// It came to its end.
  bool isComplete = false;
};

/// Calls `work(descriptor)` in a copy of this process, which is killed when it
/// takes longer than `seconds`, if that is not 0. Its standard error goes to
/// `errors`. Fails only if there can be no copy.
Result<ForkResult> runInFork(const std::function<void(int output)> &work,
                             double seconds,
                             const Redirect &errors = Redirect::nowhere());

/// Writes all of `content`, which may be interrupted; false on an error.
bool writeAll(int descriptor, std::string_view content);

} // namespace sluice

#endif // SLUICE_BASE_PROCESS_H
