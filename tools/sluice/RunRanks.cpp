//===- RunRanks.cpp - A program on several ranks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open MPI's launcher marks each line with its rank. Lines of rank 0 are
// printed as they are, others with their rank in front; what the launcher says
// itself is printed only where it says more than we do. MPICH's marks cannot be
// told from what programs print, so its output is left as it is.
//
//===----------------------------------------------------------------------===//

#include "RunRanks.h"

#include "sluice/Base/Process.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace llvm;
using sluice::Process;
using sluice::ProcessEnd;
using sluice::ProcessOptions;
using sluice::Redirect;

extern char **environ;

std::optional<RankOptions> rankOptions(const CommandLine &line) {
  using namespace sluice::driver;
  RankOptions options;
  options.hostfile = line.value(OPT_hostfile);
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
  return options;
}

//===----------------------------------------------------------------------===//
// Launchers
//===----------------------------------------------------------------------===//

namespace {
struct Launcher {
  std::string path;
  bool isOpenMPI = false;
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

static std::optional<Launcher> findLauncher() {
  SmallVector<StringRef> names = {"mpirun.openmpi", "mpirun.mpich", "mpirun"};
  const char *setting = std::getenv("SLUICE_MPIRUN");
  if (setting && *setting)
    names = {setting};
  for (StringRef name : names) {
    ErrorOr<std::string> path = sys::findProgramByName(name);
    if (!path)
      continue;
    Pipe pipe;
    sluice::Result<Process> asked =
        Process::start({*path,
                        {"--version"},
                        {},
                        Redirect::nowhere(),
                        Redirect::descriptor(pipe.ends[1]),
                        Redirect::nowhere()});
    if (!asked.ok())
      continue;
    pipe.closeEnd(1);
    std::string text;
    char piece[512];
    for (ssize_t size; (size = ::read(pipe.ends[0], piece, sizeof piece)) > 0;)
      text.append(piece, size);
    asked->wait();
    // "mpirun (Open MPI) 5.0.0", "mpirun.openmpi (OpenRTE) 4.1.4".
    return Launcher{*path, StringRef(text).contains("(Open")};
  }
  problem(setting && *setting
              ? "SLUICE_MPIRUN: there is no program '" + Twine(setting) + "'"
              : "--ranks needs the launcher of an MPI, but there is no "
                "'mpirun': install Debian's openmpi-bin, or mpich");
  return std::nullopt;
}

static std::vector<std::string> launcherArguments(const Launcher &launcher,
                                                  const RankOptions &options) {
  std::vector<std::string> words;
  if (launcher.isOpenMPI) {
    words = {"--oversubscribe", "--bind-to", "none", "--tag-output"};
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
    if (!options.hostfile.empty())
      words.insert(words.end(), {"-f", options.hostfile});
  }
  words.insert(words.end(), {"-n", std::to_string(options.numRanks)});
  return words;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

namespace {
/// What comes out of one of the launcher's outputs, line by line.
class Relay {
public:
  Relay(int from, int to, bool isMarked, std::string &own)
      : from(from), to(to), isMarked(isMarked), own(own) {}

  /// False at the end.
  bool readSome() {
    char piece[4096];
    ssize_t size = ::read(from, piece, sizeof piece);
    if (size < 0 && errno == EINTR)
      return true;
    if (size <= 0) {
      if (!rest.empty())
        relay(rest);
      return false;
    }
    rest.append(piece, size);
    StringRef text = rest;
    while (text.contains('\n')) {
      auto [line, after] = text.split('\n');
      relay(line.str() + "\n");
      text = after;
    }
    rest = text.str();
    return true;
  }
  bool hasRelayed = false;

private:
  void relay(const std::string &line) {
    SmallVector<StringRef> parts;
    const bool hasMark = isMarked && mark.match(line, &parts);
    if (!hasMark)
      own += line;
    if (!hasMark && isMarked)
      return;
    std::string text = hasMark ? line.substr(parts[0].size()) : line;
    if (hasMark) {
      // A line that was written in pieces has a mark before each.
      for (size_t at; (at = text.find(parts[0].str())) != std::string::npos;)
        text.erase(at, parts[0].size());
      if (parts[1] != "0")
        text = "[rank " + parts[1].str() + "] " + text;
    }
    for (size_t done = 0; done < text.size();) {
      ssize_t size = ::write(to, text.data() + done, text.size() - done);
      if (size <= 0 && errno != EINTR)
        break;
      done += std::max<ssize_t>(0, size);
    }
    hasRelayed = true;
  }

  const int from, to;
  const bool isMarked;
  Regex mark{"^\\[[0-9]+,([0-9]+)\\]<std[a-z]+>:"};
  /// What no rank has written, or nobody can tell.
  std::string &own;
  std::string rest;
};
} // namespace

/// What a launcher says of a rank that ended early, as one line; empty if it
/// says nothing of that kind.
static std::string reasonOf(StringRef text) {
  SmallVector<StringRef> parts;
  if (Regex("process rank ([0-9]+) with PID [0-9]+ on node ([^ ]+) exited on "
            "signal ([0-9]+ \\([^)]*\\))")
          .match(text, &parts))
    return ("rank " + parts[1] + " on '" + parts[2] + "' was ended by signal " +
            parts[3])
        .str();
  if (Regex("PID [0-9]+ RUNNING AT ([^ \n]+)").match(text, &parts)) {
    std::string host = parts[1].str();
    if (Regex("EXIT STRING: ([^(\n]+) \\(signal ([0-9]+)\\)")
            .match(text, &parts))
      return ("a rank on '" + host + "' was ended by signal " + parts[2] +
              " (" + parts[1] + ")")
          .str();
  }
  return "";
}

int runRanks(const RankOptions &options, const std::string &program,
             ArrayRef<const char *> arguments) {
  std::optional<Launcher> launcher = findLauncher();
  if (!launcher)
    return exitProblems;
  Pipe output, errors;
  if (!output.isOpen || !errors.isOpen)
    return problem("cannot make a pipe: " + Twine(std::strerror(errno)));
  ProcessOptions start;
  start.program = launcher->path;
  start.arguments = launcherArguments(*launcher, options);
  start.arguments.push_back(program);
  for (const char *argument : arguments)
    start.arguments.push_back(argument);
  start.output = Redirect::descriptor(output.ends[1]);
  start.errors = Redirect::descriptor(errors.ends[1]);
  sluice::Result<Process> started = Process::start(start);
  if (!started.ok())
    return problem(started.status().message());
  output.closeEnd(1);
  errors.closeEnd(1);
  std::string said;
  std::array relays = {Relay(output.ends[0], 1, launcher->isOpenMPI, said),
                       Relay(errors.ends[0], 2, launcher->isOpenMPI, said)};
  std::array polled = {pollfd{output.ends[0], POLLIN, 0},
                       pollfd{errors.ends[0], POLLIN, 0}};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR)
      break;
    for (size_t i = 0; i < relays.size(); ++i)
      if (polled[i].fd >= 0 && polled[i].revents && !relays[i].readSome())
        polled[i].fd = -1;
  }
  ProcessEnd end = started->wait();
  if (end.succeeded())
    return exitFine;
  if (std::string reason = reasonOf(said); !reason.empty())
    problem(reason);
  else if (!relays[1].hasRelayed)
    problem("the program failed on one of its ranks (" + end.text() + ")\n" +
            StringRef(said).trim());
  return end.exitStatus > 0 ? end.exitStatus : exitProblems;
}
