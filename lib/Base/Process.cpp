//===- Process.cpp - Child processes --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are started with posix_spawn, which needs neither locks nor a copy
// of this process. Limits are set right after the start.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Process.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice;
using Clock = std::chrono::steady_clock;

static Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds));
}

std::string sluice::hostName() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string sluice::signalText(int signal) { return ::strsignal(signal); }

std::string ProcessEnd::text() const {
  return signal ? concat("signal ", signal, " (", signalText(signal), ")")
                : concat("exit status ", exitStatus);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// The actions of posix_spawn in the child before the program starts.
class SpawnSettings {
public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings &) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};
} // namespace

static std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

static void setLimits(pid_t id, const ProcessOptions &options) {
  // A child that has already ended needs no limits.
  auto set = [&](__rlimit_resource what, rlim_t most) {
    const rlimit limit{most, most};
    (void)::prlimit(id, what, &limit, nullptr);
  };
  if (options.bytesAtMost || options.secondsAtMost > 0)
    set(RLIMIT_CORE, 0);
  if (options.bytesAtMost && !isSanitized)
    set(RLIMIT_AS, options.bytesAtMost);
  if (options.secondsAtMost > 0)
    set(RLIMIT_CPU, rlim_t(options.secondsAtMost) + 1);
}

/// The flags for opening standard file `number`.
static int flagsFor(int number) {
  return number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
}

Result<Process> Process::start(const ProcessOptions &options) {
  SpawnSettings settings;
  const Redirect *standard[] = {&options.input, &options.output,
                                &options.errors};
  for (int file = 0; file != 3; ++file) {
    const Redirect &to = *standard[file];
    if (to.number >= 0)
      ::posix_spawn_file_actions_adddup2(&settings.files, to.number, file);
    else if (!to.path.empty())
      ::posix_spawn_file_actions_addopen(&settings.files, file, to.path.c_str(),
                                         flagsFor(file), 0600);
  }
  for (auto [own, childs] : options.files)
    ::posix_spawn_file_actions_adddup2(&settings.files, own, childs);
  if (options.hasOwnGroup) {
    ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  }
  std::vector<std::string> words{options.program};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char *> variables;
  if (options.environment)
    variables = pointersTo(*options.environment);
  pid_t id = 0;
  int error = ::posix_spawn(&id, options.program.c_str(), &settings.files,
                            &settings.attributes, pointersTo(words).data(),
                            options.environment ? variables.data() : environ);
  if (error)
    return Status::error(StatusCode::System,
                         concat("cannot start ",
                                sluice::quoted(options.program), ": ",
                                systemErrorText(error)));
  setLimits(id, options);
  return Process(id, options.hasOwnGroup);
}

Result<ProcessEnd> sluice::runProgram(const ProcessOptions &options) {
  Result<Process> process = Process::start(options);
  if (!process.ok())
    return process.takeStatus();
  return options.secondsAtMost > 0 ? process->waitFor(options.secondsAtMost)
                                   : process->wait();
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

static ProcessEnd endOf(int status) {
  ProcessEnd end;
  if (WIFEXITED(status))
    end.exitStatus = WEXITSTATUS(status);
  else if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  return end;
}

ProcessEnd Process::wait() {
  int status = 0;
  pid_t child = std::exchange(id, -1);
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return {};
  return endOf(status);
}

ProcessEnd Process::waitFor(double seconds) {
  const Clock::time_point limit = after(seconds);
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    int status = 0;
    pid_t ended = ::waitpid(id, &status, WNOHANG);
    if (ended == id) {
      id = -1;
      return endOf(status);
    }
    if (ended < 0 && errno != EINTR)
      return {};
    if (Clock::now() >= limit)
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  kill();
  ProcessEnd end = wait();
  end.wasStopped = true;
  return end;
}

void Process::kill() const {
  if (id > 0)
    ::kill(leadsGroup ? -id : id, SIGKILL);
}

//===----------------------------------------------------------------------===//
// Copies of this process
//===----------------------------------------------------------------------===//

Result<Process> Process::fork(const std::function<void()> &work) {
  const pid_t parent = ::getpid();
  pid_t id = ::fork();
  if (id < 0)
    return Status::error(StatusCode::System, concat("cannot start a process: ",
                                                    systemErrorText(errno)));
  if (id > 0)
    return Process(id);
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGALRM,
                     SIGTERM, SIGINT, SIGPIPE})
    ::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(1);
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  work();
  ::_exit(0);
}

bool sluice::writeAll(int descriptor, std::string_view content) {
  while (!content.empty()) {
    ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    content.remove_prefix(size_t(written));
  }
  return true;
}

/// Reads until the other end is closed. Returns false on a timeout.
static bool readAll(int file, double seconds, std::string &text) {
  const Clock::time_point limit = after(seconds);
  for (;;) {
    int wait = -1;
    if (seconds > 0) {
      auto left =
          std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now());
      if (left.count() <= 0)
        return false;
      wait = int(std::min<int64_t>(left.count(), 1 << 30));
    }
    pollfd wanted = {file, POLLIN, 0};
    if (::poll(&wanted, 1, wait) <= 0)
      continue;
    char bytes[65536];
    ssize_t count = ::read(file, bytes, sizeof bytes);
    if (count > 0)
      text.append(bytes, size_t(count));
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
      return true;
  }
}

/// Follows the output of a function that has completed.
static constexpr std::string_view endMark{"\0sluice: the end\0", 17};

static void redirect(int file, const Redirect &to) {
  int target = to.path.empty()
                   ? to.number
                   : ::open(to.path.c_str(), flagsFor(file) | O_CLOEXEC, 0600);
  if (target >= 0)
    ::dup2(target, file);
}

Result<ForkResult> sluice::runInFork(const std::function<void(int)> &work,
                                     double seconds, const Redirect &errors) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Status::error(
        StatusCode::System,
        concat("cannot make a pipe to a process: ", systemErrorText(errno)));
  Result<Process> process = Process::fork([&] {
    ::close(ends[0]);
    redirect(STDERR_FILENO, errors);
    work(ends[1]);
    ::_exit(writeAll(ends[1], endMark) ? 0 : 1);
  });
  ::close(ends[1]);
  ForkResult result;
  bool isInTime = process.ok() && readAll(ends[0], seconds, result.text);
  ::close(ends[0]);
  if (!process.ok())
    return process.takeStatus();
  if (!isInTime)
    process->kill();
  result.end = process->wait();
  result.end.wasStopped = !isInTime;
  result.isComplete = isInTime && result.text.ends_with(endMark);
  if (result.isComplete)
    result.text.resize(result.text.size() - endMark.size());
  return result;
}
