//===- RunRanks.cpp - A program on several ranks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher marks lines with their rank (RankOutput.h). Ranks on this
// machine write to their own pipes if the launcher may lose lines. A launcher
// may wait for a machine that is down, so it is ended some time after a message
// about a rank that does not answer.
//
//===----------------------------------------------------------------------===//

#include "RunRanks.h"

#include "RankOutput.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/TaskRecord.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Runtime/Cluster/DescribeRanks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using sluice::Process;
using sluice::ProcessEnd;
using sluice::ProcessOptions;
using sluice::Redirect;

/// The exit status of a program that lost a rank; `timeout` uses the same.
static constexpr int lostRankStatus = 124;

/// Whether a 'setpriv' knows signals for the end of a parent: that of a program
/// for many commands, such as BusyBox, to which the name leads, does not.
static bool hasDeathSignal(StringRef setpriv) {
  SmallString<128> real;
  return !sys::fs::real_path(setpriv, real) &&
         sys::path::filename(real) == "setpriv";
}

/// More processes could leave the machine without memory for an error message.
static constexpr unsigned maxRanksHere = 1024;

/// True if a batch system tells the launcher of further machines.
static bool hasAllocation() {
  for (const char *name :
       {"SLURM_JOB_ID", "FLUX_URI", "PBS_NODEFILE", "PE_HOSTFILE", "LSB_HOSTS",
        "LSB_MCPU_HOSTS", "LSB_DJOB_HOSTFILE", "COBALT_NODEFILE",
        "OAR_NODEFILE", "HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile",
        "PRTE_MCA_prte_default_hostfile"})
    if (std::getenv(name))
      return true;
  return false;
}

std::optional<RankOptions> rankOptions(const CommandLine &line) {
  using namespace sluice::driver;
  RankOptions options;
  options.hostfile = line.value(OPT_hostfile);
  options.unit = line.value(OPT_ranks_by);
  constexpr unsigned maxRanks = 1 << 20;
  if (line.has(OPT_ranks) &&
      (StringRef(line.value(OPT_ranks)).getAsInteger(10, options.numRanks) ||
       options.numRanks < 1 || options.numRanks > maxRanks)) {
    usage("--ranks=" + line.value(OPT_ranks) +
          ": expected a number from 1 to " + Twine(maxRanks));
    return std::nullopt;
  }
  if (!options.hostfile.empty() && options.numRanks == 0) {
    usage("--hostfile needs --ranks=N");
    return std::nullopt;
  }
  if (!options.hostfile.empty() && ::access(options.hostfile.c_str(), R_OK)) {
    usage("--hostfile=" + options.hostfile + ": " + std::strerror(errno));
    return std::nullopt;
  }
  if (options.hostfile.empty() && !hasAllocation() &&
      options.numRanks > maxRanksHere) {
    usage("--ranks=" + line.value(OPT_ranks) + ": expected at most " +
          Twine(maxRanksHere) +
          " processes on this machine; --hostfile=FILE names others");
    return std::nullopt;
  }
  if (line.has(OPT_ranks_by) && options.numRanks == 0) {
    usage("--ranks-by needs --ranks=N");
    return std::nullopt;
  }
  if (line.has(OPT_ranks_by) &&
      !is_contained({"machine", "socket", "numa", "core", "none"},
                    options.unit)) {
    usage("--ranks-by=" + options.unit +
          ": expected machine, socket, numa, core or none");
    return std::nullopt;
  }
  return options;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// The launcher, for the handler of signals, and which one came.
static volatile pid_t theLauncher = -1;
static volatile sig_atomic_t theSignal = 0;

/// The launcher ends its ranks, and this process when it has.
static void passOn(int signal) {
  if (theSignal)
    ::_exit(128 + signal);
  theSignal = signal;
  if (theLauncher > 0)
    ::kill(theLauncher, SIGTERM);
}

static void passOnSignals() {
  struct sigaction action = {};
  action.sa_handler = passOn;
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &action, nullptr);
}

/// A process with all that it has started and that is not its own parent by
/// now.
static void killTree(pid_t process) {
  std::error_code error;
  const std::string threads = "/proc/" + std::to_string(process) + "/task";
  for (sys::fs::directory_iterator at(threads, error), end; at != end && !error;
       at.increment(error)) {
    auto text = MemoryBuffer::getFileAsStream(at->path() + "/children");
    if (!text)
      continue;
    SmallVector<StringRef> words;
    (*text)->getBuffer().split(words, ' ', -1, false);
    for (StringRef word : words)
      if (pid_t child = 0; to_integer(word.trim(), child))
        killTree(child);
  }
  ::kill(process, SIGKILL);
}

/// The number of processes that this machine has ended because it was out of
/// memory.
static uint64_t numMemoryKills() {
  uint64_t count = 0;
  if (auto text = MemoryBuffer::getFileAsStream("/proc/vmstat"))
    to_integer(
        (*text)->getBuffer().split("\noom_kill ").second.split('\n').first,
        count);
  return count;
}

/// "rank 1 on 'node07' was ended by signal 9 (Killed) in task 'sweep'", or
/// "ended early, as by '_exit' in task 'sweep'".
/// `folder` has the records of ranks that run here.
static std::string endText(const RankEnd &end, const std::string &folder,
                           unsigned numRanks, bool hadNoMemory) {
  int rank = end.rank;
  std::string task;
  for (unsigned i = 0; i < numRanks; ++i)
    // Open MPI names the rank, but no process; MPICH names the process.
    if (auto record =
            sluice::TaskRecord::read(folder + "/rank" + std::to_string(i));
        record && end.host == sluice::hostName() &&
        (end.rank >= 0 ? end.rank == static_cast<int>(i)
                       : end.process == record->process())) {
      rank = static_cast<int>(i);
      task = record->text();
    }
  std::string text = rank >= 0 ? "rank " + std::to_string(rank) : "a rank";
  text += " on '" + end.host + "' ";
  text += end.isEarly ? "ended early, as by '_exit'"
                      : "was ended by signal " + std::to_string(end.signal) +
                            " (" + sluice::signalText(end.signal) + ")";
  if (!task.empty())
    text += " in " + task;
  if (hadNoMemory && end.signal == SIGKILL && end.host == sluice::hostName())
    text += ": there was no more memory for it";
  return text;
}

//===----------------------------------------------------------------------===//
// A run
//===----------------------------------------------------------------------===//

namespace {
/// Ends the launcher after a while, once a rank was lost.
class StartPatience {
public:
  explicit StartPatience(const Process &launcher) : launcher(launcher) {}
  /// Milliseconds to wait for output.
  int timeout() const { return isLimited ? 200 : -1; }
  /// Called after each output, and when the time is over. Returns false if
  /// there is nothing left to wait for.
  bool look(bool isLost) {
    const auto now = std::chrono::steady_clock::now();
    if (isLost && !isLimited) {
      isLimited = true;
      next = now + std::chrono::seconds(3);
    }
    if (!isLimited || now < next)
      return true;
    // After SIGTERM, the launcher can still remove its files.
    if (numTries == 0)
      ::kill(launcher.getId(), SIGTERM);
    else
      killTree(launcher.getId());
    next = now + std::chrono::seconds(2);
    return ++numTries < 3;
  }

private:
  const Process &launcher;
  bool isLimited = false;
  unsigned numTries = 0;
  std::chrono::steady_clock::time_point next;
};
} // namespace

/// A folder of this process in which ranks of this machine record their current
/// tasks; empty if it cannot be made.
static std::string makeRecordFolder() {
  sluice::Result<std::string> folder = sluice::workFolder();
  if (!folder.ok())
    return "";
  std::string path = *folder + "/ranks";
  if (sys::fs::create_directory(path))
    return "";
  ::setenv("SLUICE_TASK_RECORDS", path.c_str(), 1);
  return path;
}

namespace {
/// The output of the launcher, and of ranks with their own pipes.
class Outputs {
public:
  Outputs(int output, int errors, const char *mark) {
    add(Relay(output, 1, mark, said), output);
    add(Relay(errors, 2, mark, said), errors);
  }
  ~Outputs() {
    for (size_t i = 2; i < polled.size(); ++i)
      if (polled[i].fd >= 0)
        ::close(polled[i].fd);
  }
  Outputs(const Outputs &) = delete;

  /// Makes pipes where `writeToTool` in the runtime looks for them.
  void makePipes(const std::string &folder, unsigned numRanks);
  /// Waits for some output and passes it on; false: the launcher has closed
  /// its own, and there is no more.
  bool passOnSome(int timeout);
  bool hasErrors() const {
    for (const Relay &relay : relays)
      if (relay.isErrors() && relay.hasRelayed)
        return true;
    return false;
  }

  Said said;

private:
  void add(Relay relay, int from) {
    relays.push_back(std::move(relay));
    polled.push_back({from, POLLIN, 0});
  }
  std::deque<Relay> relays;
  std::vector<pollfd> polled;
};
} // namespace

void Outputs::makePipes(const std::string &folder, unsigned numRanks) {
  // As many files may be open everywhere.
  constexpr unsigned mostRanks = 256;
  if (folder.empty() || numRanks > mostRanks)
    return;
  const std::string host = sluice::hostName();
  for (unsigned rank = 0; rank < numRanks; ++rank)
    for (auto [name, to] : {std::pair("output", 1), std::pair("errors", 2)}) {
      const std::string path =
          folder + "/" + name + std::to_string(rank) + "." + host;
      if (::mkfifo(path.c_str(), 0600) != 0)
        continue;
      int pipe = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
      if (pipe < 0)
        ::unlink(path.c_str());
      else
        add(Relay(pipe, to, rank, said), pipe);
    }
}

bool Outputs::passOnSome(int timeout) {
  const bool isOver = polled[0].fd < 0 && polled[1].fd < 0;
  int count = ::poll(polled.data(), polled.size(), isOver ? 0 : timeout);
  if (count < 0)
    return errno == EINTR;
  for (size_t i = 0; count > 0 && i < polled.size(); ++i)
    if (polled[i].fd >= 0 && polled[i].revents && !relays[i].readSome()) {
      if (i >= 2)
        ::close(polled[i].fd);
      polled[i].fd = -1;
    }
  if (!isOver || count > 0)
    return true;
  for (Relay &relay : relays)
    relay.finish();
  return false;
}

/// Removes the files that killed ranks of this machine were writing; links in
/// the folder name them.
static void removeUnfinishedFiles(const std::string &folder) {
  std::error_code error;
  if (folder.empty())
    return;
  for (sys::fs::directory_iterator at(folder, error), end; at != end && !error;
       at.increment(error)) {
    std::array<char, PATH_MAX> target;
    ssize_t size = ::readlink(at->path().c_str(), target.data(), target.size());
    if (size > 0 && size < ssize_t(target.size()))
      ::unlink(std::string(target.data(), size_t(size)).c_str());
  }
}

int runRanks(const RankOptions &options, const std::string &program,
             ArrayRef<const char *> arguments) {
  std::optional<RankLauncher> launcher = findRankLauncher();
  if (!launcher)
    return exitProblems;
  if (!launcher->isOpenMPI && !options.hostfile.empty())
    if (std::optional<std::string> what = unknownHost(options.hostfile))
      return problem(*what);
  Pipe output, errors;
  if (!output.isOpen || !errors.isOpen)
    return problem("cannot make a pipe: " + Twine(std::strerror(errno)));
  const std::string records = makeRecordFolder();
  const uint64_t numKillsBefore = numMemoryKills();
  ProcessOptions start;
  start.program = launcher->path;
  // The launcher, and so its ranks, ends with this process, however that ends.
  if (ErrorOr<std::string> path = sys::findProgramByName("setpriv");
      path && hasDeathSignal(*path)) {
    start.program = *path;
    start.arguments = {"--pdeathsig", "TERM", launcher->path};
  }
  for (std::string &argument : launcherArguments(*launcher, options))
    start.arguments.push_back(std::move(argument));
  start.arguments.push_back(program);
  for (const char *argument : arguments)
    start.arguments.push_back(argument);
  Outputs outputs(output.ends[0], errors.ends[0], launcher->mark());
  if (launcher->isOpenMPI)
    outputs.makePipes(records, options.numRanks);
  start.output = Redirect::descriptor(output.ends[1]);
  start.errors = Redirect::descriptor(errors.ends[1]);
  passOnSignals();
  sluice::Result<Process> started = Process::start(start);
  if (!started.ok())
    return problem(started.status().message());
  theLauncher = started->getId();
  if (theSignal)
    ::kill(theLauncher, SIGTERM);
  output.closeEnd(1);
  errors.closeEnd(1);
  const Said &said = outputs.said;
  StartPatience patience(*started);
  while (outputs.passOnSome(patience.timeout()) && patience.look(said.isLost))
    ;
  ProcessEnd end = started->wait();
  removeUnfinishedFiles(records);
  if (theSignal)
    return 128 + theSignal;
  if (said.isLost)
    return lostRankStatus;
  if (end.succeeded() && said.outputError)
    return problem("cannot write what the ranks print: " +
                   Twine(std::strerror(said.outputError)));
  if (end.succeeded())
    return exitFine;
  if (RankEnd ended = rankEnd(said.byLauncher);
      ended.signal || (ended.isEarly && !outputs.hasErrors())) {
    problem(endText(ended, records, options.numRanks,
                    numMemoryKills() > numKillsBefore));
    return ended.signal ? 128 + ended.signal : exitProblems;
  }
  if (end.signal)
    return problem("the launcher '" + launcher->path + "' was ended by " +
                   end.text() + ", and the ranks with it");
  if (!outputs.hasErrors() && !namesRank(said.byLauncher))
    return problem("the launcher '" + launcher->path +
                   "' has not started the ranks (" + end.text() + ")\n" +
                   StringRef(said.byLauncher).trim());
  if (!outputs.hasErrors())
    problem("the program failed on one of its ranks (" + end.text() + ")\n" +
            StringRef(said.byLauncher).trim());
  return end.exitStatus > 0 ? end.exitStatus : exitProblems;
}
