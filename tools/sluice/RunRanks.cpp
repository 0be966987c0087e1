//===- RunRanks.cpp - A program on several ranks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher is asked to mark lines with their rank (RankOutput.h), and ranks
// on this machine write to pipes of their own where it may lose lines. Where it
// has to do with a machine that is gone it may not end by itself, so it is
// ended some time after a rank was named that does not answer.
//
//===----------------------------------------------------------------------===//

#include "RunRanks.h"

#include "RankOutput.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/TaskRecord.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Runtime/Cluster/DescribeRanks.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
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
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using sluice::Process;
using sluice::ProcessEnd;
using sluice::ProcessOptions;
using sluice::Redirect;

extern char **environ;

/// The exit status of a program that lost a rank; `timeout` uses the same.
static constexpr int lostRankStatus = 124;

/// Whether a 'setpriv' knows signals for the end of a parent: that of a program
/// for many commands, such as BusyBox, to which the name leads, does not.
static bool hasDeathSignal(StringRef setpriv) {
  SmallString<128> real;
  return !sys::fs::real_path(setpriv, real) &&
         sys::path::filename(real) == "setpriv";
}

/// More processes than that leave a machine no memory to say so.
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
// Launchers
//===----------------------------------------------------------------------===//

namespace {
struct Launcher {
  std::string path;
  bool isOpenMPI = false;

  /// What is in front of each line of a rank, and of each piece.
  const char *mark() const {
    return isOpenMPI ? "\\[[0-9]+,([0-9]+)\\]<std[a-z]+>:" : "<([0-9]+)\x1f>";
  }
};

/// A pipe whose ends are closed at the end of its life.
class Pipe {
public:
  Pipe() { isOpen = ::pipe2(ends, O_CLOEXEC) == 0; }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(int end) {
    if (ends[end] >= 0)
      ::close(ends[end]);
    ends[end] = -1;
  }
  int ends[2] = {-1, -1};
  bool isOpen;
};
} // namespace

/// What a program prints, whatever its end; none: it was not started.
static std::optional<std::string> outputOf(const std::string &program,
                                           std::vector<std::string> arguments) {
  Pipe pipe;
  sluice::Result<Process> asked =
      Process::start({program,
                      std::move(arguments),
                      {},
                      Redirect::nowhere(),
                      Redirect::descriptor(pipe.ends[1]),
                      Redirect::nowhere()});
  if (!asked.ok())
    return std::nullopt;
  pipe.closeEnd(1);
  std::string text;
  char piece[512];
  for (ssize_t size; (size = ::read(pipe.ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, size);
  asked->wait();
  return text;
}

static std::optional<Launcher> findLauncher() {
  SmallVector<StringRef> names = {"mpirun.openmpi", "mpirun.mpich", "mpirun"};
  const char *setting = std::getenv("SLUICE_MPIRUN");
  if (setting && *setting)
    names = {setting};
  // The first whose ranks will find what they need; else the first of all, and
  // they say what is missing.
  std::optional<Launcher> found;
  for (StringRef name : names) {
    ErrorOr<std::string> path = sys::findProgramByName(name);
    if (!path)
      continue;
    std::optional<std::string> text = outputOf(*path, {"--version"});
    if (!text)
      continue;
    // "mpirun (Open MPI) 5.0.0", "mpirun.openmpi (OpenRTE) 4.1.4".
    Launcher launcher{*path, StringRef(*text).contains("(Open")};
    if (sys::fs::exists(sluice::driver::ownLibrary(
            launcher.isOpenMPI ? "sluice-cluster-openmpi"
                               : "sluice-cluster-mpich")))
      return launcher;
    if (!found)
      found = launcher;
  }
  if (found)
    return found;
  problem(setting && *setting
              ? "SLUICE_MPIRUN: there is no program '" + Twine(setting) + "'"
              : "--ranks needs the launcher of an MPI, but there is no "
                "'mpirun': install Debian's openmpi-bin, or mpich");
  return std::nullopt;
}

/// What deals ranks out to units and binds them to those.
static std::vector<std::string> bindingArguments(const Launcher &launcher,
                                                 std::string unit) {
  // Ranks would else wander between sockets, away from their memory.
  if (unit.empty())
    unit = sluice::numSockets() > 1 ? "socket" : "none";
  if (launcher.isOpenMPI) {
    if (unit == "none")
      return {"--bind-to", "none"};
    if (unit == "machine")
      return {"--map-by", "node", "--bind-to", "none"};
    return {"--map-by", unit, "--bind-to", unit + ":overload-allowed"};
  }
  // MPICH deals ranks out to machines one by one as it is.
  if (unit == "none" || unit == "machine")
    return {};
  return {"-bind-to", unit, "-map-by", unit};
}

static std::vector<std::string> launcherArguments(const Launcher &launcher,
                                                  const RankOptions &options) {
  std::vector<std::string> words;
  if (launcher.isOpenMPI) {
    words = {"--oversubscribe", "--tag-output"};
    if (::geteuid() == 0)
      words.push_back("--allow-run-as-root");
    if (!options.hostfile.empty())
      words.insert(words.end(), {"--hostfile", options.hostfile});
    // Machines other than this one get these variables only.
    for (char **variable = environ; *variable; ++variable)
      if (StringRef(*variable).starts_with("SLUICE_"))
        words.insert(words.end(),
                     {"-x", StringRef(*variable).split('=').first.str()});
  } else {
    words = {"-prepend-pattern", "<%r\x1f>"};
    if (!options.hostfile.empty())
      words.insert(words.end(), {"-f", options.hostfile});
  }
  append_range(words, bindingArguments(launcher, options.unit));
  words.insert(words.end(), {"-n", std::to_string(options.numRanks)});
  return words;
}

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

/// Whether MPICH's launcher starts processes elsewhere with 'ssh', as it does
/// unless a setting or a manager of resources has something else do it.
static bool startsWithSsh() {
  for (const char *name : {"HYDRA_LAUNCHER", "HYDRA_BOOTSTRAP"})
    if (const char *value = std::getenv(name); value && *value)
      if (StringRef(value) != "ssh")
        return false;
  return none_of(ArrayRef<const char *>{"HYDRA_LAUNCHER_EXEC",
                                        "HYDRA_BOOTSTRAP_EXEC", "HYDRA_RMK",
                                        "SLURM_JOBID", "SLURM_JOB_ID",
                                        "PBS_JOBID", "LSB_JOBID", "JOB_ID",
                                        "LOADL_STEP_ID", "COBALT_JOBID"},
                 [](const char *name) { return std::getenv(name); });
}

/// What 'ssh' looks up for a name, by its settings; empty: another machine or
/// program does.
static std::string sshAddress(const std::string &host) {
  ErrorOr<std::string> ssh = sys::findProgramByName("ssh");
  std::optional<std::string> text =
      ssh ? outputOf(*ssh, {"-G", "--", host}) : std::nullopt;
  if (!text)
    return host;
  std::string address = host;
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, false);
  for (StringRef line : lines) {
    auto [name, value] = line.split(' ');
    if ((name == "proxycommand" || name == "proxyjump") && value != "none")
      return "";
    if (name == "hostname" && !value.empty())
      address = value.str();
  }
  return address;
}

/// Why a name has no address; null if it has one.
static const char *whyUnknown(const std::string &host) {
  addrinfo *found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  if (error == 0)
    ::freeaddrinfo(found);
  const bool isUnknown = error == EAI_NONAME || error == EAI_NODATA;
  return isUnknown ? ::gai_strerror(error) : nullptr;
}

/// What is wrong with a file of MPICH's launcher, which waits for ever for a
/// machine whose name nobody knows: "FILE:2: host 'x' is not known: ...". A
/// line is `HOST[:PROCESSES] [SETTINGS...]`. A name that is temporarily not
/// found is left to the launcher.
static std::optional<std::string> unknownHost(const std::string &file) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(file);
  if (!text || !startsWithSsh())
    return std::nullopt;
  StringSet<> seen;
  for (line_iterator line(**text, /*SkipBlanks=*/true, '#'); !line.is_at_eof();
       ++line) {
    StringRef word = line->split('#').first.trim();
    word = word.take_until([](char c) { return c == ' ' || c == '\t'; });
    // Addresses of six and more parts have colons of their own.
    if (word.count(':') == 1)
      word = word.split(':').first;
    if (word.empty() || !seen.insert(word).second)
      continue;
    const char *why = whyUnknown(word.str());
    if (!why)
      continue;
    const std::string address = sshAddress(word.str());
    if (!address.empty() && (address == word || whyUnknown(address)))
      return file + ":" + std::to_string(line.line_number()) + ": host '" +
             word.str() + "' is not known: " + why;
  }
  return std::nullopt;
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

/// How often the system has ended a process of this machine for want of memory.
static uint64_t numMemoryKills() {
  uint64_t count = 0;
  if (auto text = MemoryBuffer::getFileAsStream("/proc/vmstat"))
    to_integer(
        (*text)->getBuffer().split("\noom_kill ").second.split('\n').first,
        count);
  return count;
}

/// "rank 1 on 'node07' was ended by signal 9 (Killed) in task 'sweep'".
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
  text += " on '" + end.host + "' was ended by signal " +
          std::to_string(end.signal) + " (" + sluice::signalText(end.signal) +
          ")";
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
  /// Called whenever something came out, or the time was over. False: there is
  /// nobody left to wait for.
  bool look(bool isLost) {
    const auto now = std::chrono::steady_clock::now();
    if (isLost && !isLimited) {
      isLimited = true;
      next = now + std::chrono::seconds(3);
    }
    if (!isLimited || now < next)
      return true;
    // The launcher removes what it has left, if it still can.
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

/// A folder of this process in which ranks of this machine leave what they do;
/// empty if there is none.
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
/// What comes out of the launcher, and of ranks that have pipes of their own.
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

/// What killed ranks of this machine were writing: their links lead there.
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
  std::optional<Launcher> launcher = findLauncher();
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
  if (RankEnd ended = rankEnd(said.byLauncher); ended.signal) {
    problem(endText(ended, records, options.numRanks,
                    numMemoryKills() > numKillsBefore));
    return 128 + ended.signal;
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
