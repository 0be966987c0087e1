//===- ddtplayer.cpp - Playing descriptions of data layouts ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LibPack's benchmark player: reads types, builds each with Sluice and with
// every available MPI, compares all buffers, and prints the times.
//
//===----------------------------------------------------------------------===//

#include "Player.h"
#include "PlayerReport.h"
#include "ProgressLine.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"
#include "sluice/Device/Versions.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::player;

enum { exitFine = 0, exitProblems = 1, exitUsage = 2 };

static int fail(int code, const std::string &message) {
  std::fprintf(stderr, "ddtplayer: error: %s\n", message.c_str());
  return code;
}

/// The folder of this program, which also contains its helpers.
static std::string ownFolder() {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  std::string_view text(path, size > 0 ? size_t(size) : 0);
  return std::string(text.substr(0, text.rfind('/') + 1));
}

/// The MPI libraries to play; an error if a named one is missing.
static Result<std::vector<std::unique_ptr<Library>>>
startLibraries(const PlayerOptions &options) {
  std::vector<std::unique_ptr<Library>> started;
  std::vector<std::string> names = options.libraries;
  if (options.isAnyMPI)
    names = {"openmpi", "mpich"};
  for (const std::string &name : names) {
    std::string path = concat(ownFolder(), "ddtplayer-", name);
    if (access(path.c_str(), X_OK) != 0) {
      if (options.isAnyMPI)
        continue;
      return Status::invalidArgument(
          concat("there is no helper ", quoted(path),
                 ": build Sluice where this MPI is installed"));
    }
    Result<std::unique_ptr<Library>> library = startHelper(path, name);
    if (!library.ok())
      return library.takeStatus();
    started.push_back(std::move(*library));
  }
  if (started.empty() && options.isAnyMPI && !options.isQuiet)
    std::fprintf(stderr,
                 "ddtplayer: no MPI found beside '%sddtplayer', so only our "
                 "own times are shown\n",
                 ownFolder().c_str());
  return started;
}

/// COLUMNS, the width of the terminal, or a large default.
static size_t lineWidth() {
  if (const char *columns = std::getenv("COLUMNS"))
    if (int width = std::atoi(columns); width > 0)
      return size_t(width);
  winsize size = {};
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col)
    return size.ws_col;
  return 180;
}

static std::vector<TypeResult> playAll(Player &player,
                                       const PlayerOptions &options,
                                       const std::vector<Subject> &subjects,
                                       ProgressLine &progress) {
  std::vector<std::string> libraries = player.libraryNames();
  Table table(options, libraries, subjects, lineWidth());
  std::fputs(table.head().c_str(), stdout);
  std::vector<TypeResult> results;
  for (const Subject &subject : subjects) {
    progress.begin(results.size() + 1, subjects.size(), subject.shortText(40));
    results.push_back(player.play(subject));
    progress.clear();
    std::fputs(table.rows(subject, results.back()).c_str(), stdout);
    std::fflush(stdout);
    for (const std::string &failure : results.back().failures)
      fail(exitProblems, concat(subject.shortText(200), ": ", failure));
  }
  std::fputs(table.summary(results).c_str(), stdout);
  return results;
}

static Status writeFiles(const PlayerOptions &options,
                         const std::vector<TypeResult> &results) {
  if (!options.csv.empty())
    if (Status status = writeOutput(options.csv, csv(options, results));
        !status.ok())
      return status;
  if (options.plot.empty())
    return Status();
  return writeOutput(options.plot, plot(options, results));
}

/// Checks that no output overwrites a file of types or the other output.
static Status checkOutputs(const PlayerOptions &options) {
  std::vector<std::string> inputs;
  for (const InputSource &source : options.sources)
    if (!source.isText && source.name != "-")
      inputs.push_back(source.name);
  if (Status status = checkOutput(options.csv, inputs); !status.ok())
    return status;
  return checkOutput(options.plot, inputs);
}

static int play(PlayerOptions options) {
  if (Status status = checkOutputs(options); !status.ok())
    return fail(exitUsage, status.message());
  Result<std::vector<Subject>> subjects = readSubjects(options.sources);
  if (!subjects.ok()) {
    std::fputs(subjects.status().message().c_str(), stderr);
    return exitUsage;
  }
  if (subjects->empty())
    return fail(exitUsage, "there are no types in the text");
  Result<KernelChoice> kernel = availableKernels(options.kernel);
  if (!kernel.ok())
    return fail(exitUsage,
                concat("--kernel=compiled: ", kernel.status().message()));
  options.kernel = *kernel;
  Result<std::vector<std::unique_ptr<Library>>> others =
      startLibraries(options);
  if (!others.ok())
    return fail(exitUsage, others.status().message());

  ProgressLine progress(options.isQuiet);
  Player player(options, std::move(*others),
                [&](const std::string &step) { progress.show(step); });
  std::vector<TypeResult> results =
      playAll(player, options, *subjects, progress);
  if (Status status = writeFiles(options, results); !status.ok())
    return fail(exitUsage, status.message());
  for (const TypeResult &result : results)
    if (!result.failures.empty())
      return exitProblems;
  return exitFine;
}

static int runPlayer(int argc, char **argv) {
  Result<PlayerOptions> options = parseOptions(argc, argv);
  if (!options.ok())
    return fail(exitUsage, options.status().message());
  if ((*options).isHelp) {
    printHelp();
    return exitFine;
  }
  if ((*options).isVersion) {
    std::fputs(
        device::versionText("ddtplayer", SLUICE_VERSION, SLUICE_LLVM_VERSION)
            .c_str(),
        stdout);
    return exitFine;
  }
  return play(*options);
}

int main(int argc, char **argv) {
  removeTemporariesOnSignals();
  int status =
      runOnLargeStack("ddtplayer", [&] { return runPlayer(argc, argv); });
  // A full disk is only noticed when buffered output is written.
  if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && status == exitFine)
    return fail(exitProblems, concat("cannot write to standard output: ",
                                     systemErrorText(errno)));
  return status;
}
