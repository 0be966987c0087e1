//===- Failures.cpp - Handling ranks that do not complete -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI_Abort and MPI_Finalize may wait for a machine that is gone, so a timer
// runs in parallel.
//
//===----------------------------------------------------------------------===//

#include "Failures.h"

#include "../Scheduling/HostThreads.h"

#include "sluice/Base/Process.h"
#include "sluice/Base/TaskRecord.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <sstream>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

using namespace sluice;

//===----------------------------------------------------------------------===//
// One message
//===----------------------------------------------------------------------===//

/// Prints an error, unless another rank of this machine has printed one:
/// several ranks detect a failure at about the same time. Ranks started by the
/// launching tool share a folder, in which the first one creates a file.
/// Machines may share the folder too, but messages from another machine may get
/// lost.
static void sayOnce(const std::string &message) {
  if (const char *folder = std::getenv("SLUICE_TASK_RECORDS")) {
    const int file = ::open(concat(folder, "/said-", hostName()).c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST)
      return;
    if (file >= 0)
      ::close(file);
  }
  std::fprintf(stderr, "sluice: error: %s\n", message.c_str());
}

//===----------------------------------------------------------------------===//
// A timer for calls that may not return
//===----------------------------------------------------------------------===//

struct EndGuard::State {
  std::mutex mutex;
  std::condition_variable isOver;
  bool isReleased = false;
};

EndGuard::EndGuard(double seconds, int status, std::string message) {
  if (seconds <= 0)
    return;
  state = std::make_shared<State>();
  std::thread thread(
      [state = state, seconds, status, message = std::move(message)] {
        std::unique_lock lock(state->mutex);
        if (state->isOver.wait_for(lock, std::chrono::duration<double>(seconds),
                                   [&] { return state->isReleased; }))
          return;
        if (!message.empty())
          sayOnce(message);
        removeTemporaries();
        std::_Exit(status);
      });
  nameRuntimeThread(thread, "guard");
  thread.detach();
}

EndGuard::~EndGuard() {
  if (!state)
    return;
  std::lock_guard lock(state->mutex);
  state->isReleased = true;
  state->isOver.notify_all();
}

//===----------------------------------------------------------------------===//
// Settings and texts
//===----------------------------------------------------------------------===//

Result<double> sluice::clusterDeadline() {
  const char *setting = std::getenv("SLUICE_CLUSTER_DEADLINE");
  if (!setting || !*setting)
    return 10.0;
  char *end = nullptr;
  const double seconds = std::strtod(setting, &end);
  if (*end || !std::isfinite(seconds) || seconds < 0 ||
      (seconds > 0 && seconds < 0.1) || seconds > 1e6)
    return Status::invalidArgument(
        concat("SLUICE_CLUSTER_DEADLINE is ", quoted(setting),
               ", expected seconds from 0.1 to 1000000, or 0 for none"));
  return seconds;
}

std::string sluice::secondsText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", seconds);
  return text;
}

uint32_t sluice::rankByEnvironment() {
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char *value = std::getenv(name))
      return std::strtoul(value, nullptr, 10);
  return 0;
}

/// The system's description of the state of a local process.
static const char *stateOf(int32_t process) {
  std::ifstream file(concat("/proc/", process, "/stat"));
  std::string text;
  std::getline(file, text);
  const size_t name = text.rfind(')');
  const char state = name == std::string::npos || name + 2 >= text.size()
                         ? 'X'
                         : text[name + 2];
  switch (state) {
  case 'T':
    return "it is stopped";
  case 't':
    return "a debugger holds it";
  case 'D':
    return "it waits for a disk or a device";
  case 'X':
  case 'Z':
    return "its process has ended";
  default:
    return "its process is there, but does not get on";
  }
}

std::string sluice::lossText(const Watch::Loss &loss, const std::string &host,
                             const std::string &ownHost) {
  std::string text =
      concat("rank ", loss.rank, " on ", quoted(host), " has not answered for ",
             secondsText(loss.seconds), " s: ");
  text += host == ownHost && loss.process
              ? stateOf(loss.process)
              : "it is stopped, or its machine or the link to it is down";
  if (!loss.task.empty())
    text += concat("; it was last in ", loss.task);
  return text;
}

//===----------------------------------------------------------------------===//
// Watching
//===----------------------------------------------------------------------===//

/// Never destroyed, like its thread, if the process ends early.
static Watch *theWatch = nullptr;

static std::string ownTask() {
  const TaskRecord *record = theTaskRecord.load(std::memory_order_acquire);
  return record ? record->text() : "";
}

/// Time for MPI to end all ranks, in seconds.
static constexpr double endSeconds = 3;

/// MPICH's launcher drops unread or unforwarded output of a rank when MPI_Abort
/// is called. With other launchers, another rank could meanwhile print the same
/// message.
static void letLauncherRead(const SluiceCluster &cluster) {
  if (std::string_view(cluster.name).find("MPICH") == std::string_view::npos)
    return;
  int numLeft = 0;
  for (int looks = 0;
       looks < 200 && ::ioctl(STDERR_FILENO, FIONREAD, &numLeft) == 0 &&
       numLeft;
       ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

/// The start time of a process; together with the process ID it is unique.
/// Empty unless the process is a daemon that Open MPI has started only for this
/// program.
static std::string beginOfDaemon(pid_t process) {
  std::ifstream file(concat("/proc/", process, "/stat"));
  std::string text, word;
  std::getline(file, text);
  if (text.find("(orted) ") == std::string::npos)
    return "";
  std::istringstream words(text.substr(text.rfind(')') + 1));
  // The 22nd field of the line; two fields have already been skipped.
  for (int i = 3; i <= 22; ++i)
    words >> word;
  return word;
}

/// On a disconnected machine, Open MPI's daemon ends its ranks and then waits
/// for the first machine until TCP gives up after a quarter of an hour. A
/// separate process ends the daemon soon.
static void endDaemonSoon() {
  const pid_t daemon = ::getppid();
  const std::string begin = beginOfDaemon(daemon);
  if (begin.empty() || ::fork() != 0)
    return;
  ::setsid();
  // Closes files so that readers of the ranks' output do not wait for this
  // process.
  for (int file = 0; file < 1024; ++file)
    ::close(file);
  for (int signal : {SIGTERM, SIGKILL}) {
    ::sleep(endSeconds + 2);
    if (beginOfDaemon(daemon) == begin)
      ::kill(daemon, signal);
  }
  ::_exit(0);
}

void sluice::watchRanks(const SluiceCluster &cluster, double seconds,
                        std::vector<std::string> hosts) {
  if (seconds <= 0)
    return;
  auto report = [&cluster, hosts = std::move(hosts)](const Watch::Loss &loss) {
    EndGuard guard(endSeconds, lostRankStatus, "");
    sayOnce(lossText(loss, hosts[loss.rank], hosts[cluster.rank]));
    std::fflush(stdout);
    removeTemporaries();
    letLauncherRead(cluster);
    endDaemonSoon();
    cluster.abort(cluster.context, lostRankStatus);
    std::_Exit(lostRankStatus);
  };
  theWatch = new Watch(cluster, seconds, ownTask, report);
  theWatch->start();
}

void sluice::watchRank(uint32_t rank) {
  if (theWatch)
    theWatch->add(rank);
}

void sluice::stopWatching() {
  if (!theWatch)
    return;
  theWatch->finish();
  delete theWatch;
  theWatch = nullptr;
}

void sluice::endAllRanks(const SluiceCluster &cluster, int status,
                         bool isNamed) {
  status &= 0xff; // the part that the system keeps
  const bool isGood = status == 0 && cluster.rank == 0 && !isNamed;
  const int outcome = isGood || status ? status : 1;
  EndGuard guard(endSeconds, outcome, "");
  removeTemporaries();
  std::fflush(nullptr);
  if (!isGood && !isNamed) {
    const std::string task = ownTask();
    sayOnce(concat("rank ", cluster.rank, " on ", quoted(hostName()),
                   " ended early with exit status ", status,
                   task.empty() ? "" : " in ", task));
  }
  if (!isGood)
    letLauncherRead(cluster);
  cluster.abort(cluster.context, outcome);
  std::_Exit(outcome);
}
