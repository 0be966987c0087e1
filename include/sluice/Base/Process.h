//===- Process.h - Child processes ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All child processes of Sluice are started here: either another program, or a
// function of this program that may crash or hang and must not take this
// process down.
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

/// Sanitizers reserve much more memory than they use, and do not support
/// forking one thread of a process that has several.
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
  /// -1 if a signal ended it, or if the status is unknown because other code of
  /// this program has waited for all children.
  int exitStatus = -1;
  /// 0 if no signal ended it.
  int signal = 0;
  /// It was killed because its time limit expired.
  bool wasStopped = false;

  bool succeeded() const { return exitStatus == 0; }
  /// "exit status 3", "signal 11 (Segmentation fault)".
  std::string text() const;
};

/// The network name of this machine.
std::string hostName();

/// The system's name of a signal: "Segmentation fault".
std::string signalText(int signal);

/// The target of a child's standard file.
struct Redirect {
  /// The same file as in this process.
  static Redirect inherited() { return {}; }
  static Redirect nowhere() { return {"/dev/null", -1}; }
  static Redirect file(std::string path) { return {std::move(path), -1}; }
  /// A descriptor of this process, or of the child if the child's descriptor is
  /// redirected earlier: 1 as the third file joins both outputs.
  static Redirect descriptor(int number) { return {"", number}; }

  std::string path;
  int number = -1;
};

/// The process to start.
struct ProcessOptions {
  /// The path of the program, and its arguments.
  std::string program;
  std::vector<std::string> arguments = {};
  /// "NAME=VALUE"; none: this process's environment.
  std::optional<std::vector<std::string>> environment = {};
  Redirect input = Redirect::inherited();
  Redirect output = Redirect::inherited();
  Redirect errors = Redirect::inherited();
  /// Further descriptors: the number in this process, and the number in the
  /// child.
  std::vector<std::pair<int, int>> files = {};
  /// Starts a new process group: signals from a terminal do not reach it, and
  /// it is killed together with all processes that it started.
  bool hasOwnGroup = false;
  /// Limits of memory and of processor time, if not 0. With a limit the process
  /// writes no core file.
  uint64_t bytesAtMost = 0;
  double secondsAtMost = 0;
};

/// A child process; it continues to run if nobody waits for it.
class Process {
public:
  static Result<Process> start(const ProcessOptions &options);
  /// Calls `work` in a copy of this process, which has only the calling thread,
  /// and then ends the copy. Signals and the end of the calling thread end the
  /// copy; it writes no core file and runs no exit handlers.
  static Result<Process> fork(const std::function<void()> &work);

  Process(Process &&other) noexcept
      : id(std::exchange(other.id, -1)), leadsGroup(other.leadsGroup) {}
  Process &operator=(Process &&other) noexcept {
    std::swap(id, other.id);
    std::swap(leadsGroup, other.leadsGroup);
    return *this;
  }

  pid_t getId() const { return id; }
  /// Waits for the end; call it once.
  ProcessEnd wait();
  /// The same, but kills a process that takes longer than `seconds`.
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

/// The result of a function that ran in a copy of this process.
struct ForkResult {
  ProcessEnd end;
  /// Everything that it wrote to its descriptor.
  std::string text;
  /// The function returned.
  bool isComplete = false;
};

/// Calls `work(descriptor)` in a copy of this process. Kills the copy if it
/// takes longer than `seconds`, unless that is 0. The copy's standard error
/// goes to `errors`. Fails only if the copy cannot be made.
Result<ForkResult> runInFork(const std::function<void(int output)> &work,
                             double seconds,
                             const Redirect &errors = Redirect::nowhere());

/// Writes all of `content`, continuing after interruptions; false on an error.
bool writeAll(int descriptor, std::string_view content);

} // namespace sluice

#endif // SLUICE_BASE_PROCESS_H
