//===- RankLauncher.cpp - The launcher of an MPI --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankLauncher.h"

#include "CommandLine.h"
#include "sluice/Base/Process.h"
#include "sluice/Runtime/Cluster/DescribeRanks.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <netdb.h>

using namespace llvm;
using sluice::Process;
using sluice::Redirect;

extern char **environ;

/// The output of a program, whatever its exit status; none if it cannot start.
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

std::optional<RankLauncher> findRankLauncher() {
  SmallVector<StringRef> names = {"mpirun.openmpi", "mpirun.mpich", "mpirun"};
  const char *setting = std::getenv("SLUICE_MPIRUN");
  if (setting && *setting)
    names = {setting};
  // The first launcher for whose MPI Sluice is installed; else the first of
  // all, whose ranks report what is missing.
  std::optional<RankLauncher> found;
  for (StringRef name : names) {
    ErrorOr<std::string> path = sys::findProgramByName(name);
    if (!path)
      continue;
    std::optional<std::string> text = outputOf(*path, {"--version"});
    if (!text)
      continue;
    // "mpirun (Open MPI) 5.0.0", "mpirun.openmpi (OpenRTE) 4.1.4".
    RankLauncher launcher{*path, StringRef(*text).contains("(Open")};
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

/// The arguments that deal ranks out to units, and bind them to these.
static std::vector<std::string> bindingArguments(const RankLauncher &launcher,
                                                 std::string unit) {
  // Otherwise, ranks could move between sockets, away from their memory.
  if (unit.empty())
    unit = sluice::numSockets() > 1 ? "socket" : "none";
  if (launcher.isOpenMPI) {
    if (unit == "none")
      return {"--bind-to", "none"};
    if (unit == "machine")
      return {"--map-by", "node", "--bind-to", "none"};
    return {"--map-by", unit, "--bind-to", unit + ":overload-allowed"};
  }
  // MPICH deals ranks out to machines one by one by default.
  if (unit == "none" || unit == "machine")
    return {};
  return {"-bind-to", unit, "-map-by", unit};
}

std::vector<std::string> launcherArguments(const RankLauncher &launcher,
                                           const RankOptions &options) {
  std::vector<std::string> words;
  if (launcher.isOpenMPI) {
    words = {"--oversubscribe", "--tag-output"};
    if (::geteuid() == 0)
      words.push_back("--allow-run-as-root");
    if (!options.hostfile.empty())
      words.insert(words.end(), {"--hostfile", options.hostfile});
    // Other machines get only these variables.
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

/// True if MPICH's launcher starts processes on other machines with 'ssh': its
/// default, unless a setting or a resource manager selects another program.
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

/// The name that 'ssh' looks up for a host, by its settings; empty if another
/// machine or program looks it up.
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

std::optional<std::string> unknownHost(const std::string &file) {
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
