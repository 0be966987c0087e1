//===- RankLauncher.h - The launcher of an MPI ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the launcher that starts ranks, makes its arguments, and checks the
// machines that it is to use.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_RANKLAUNCHER_H
#define SLUICE_TOOLS_SLUICE_RANKLAUNCHER_H

#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

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

/// The options about ranks.
struct RankOptions {
  unsigned numRanks = 0; ///< 0: not asked for
  std::string hostfile;
  /// "machine", "socket", "numa", "core" or "none"; empty if not given.
  std::string unit;
};

struct RankLauncher {
  std::string path;
  bool isOpenMPI = false;

  /// The pattern of the mark before each line of a rank, and before each piece.
  const char *mark() const {
    return isOpenMPI ? "\\[[0-9]+,([0-9]+)\\]<std[a-z]+>:" : "<([0-9]+)\x1f>";
  }
};

/// The launcher that SLUICE_MPIRUN names, or that of an MPI for which Sluice is
/// installed; none, with an error message, if there is no launcher.
std::optional<RankLauncher> findRankLauncher();

/// The arguments before the name of the program.
std::vector<std::string> launcherArguments(const RankLauncher &launcher,
                                           const RankOptions &options);

/// The first host without an address in a file for MPICH's launcher: "FILE:2:
/// host 'x' is not known: ...". The launcher would wait for this host forever.
/// A line is `HOST[:PROCESSES] [SETTINGS...]`. A name that is temporarily not
/// found is left to the launcher.
std::optional<std::string> unknownHost(const std::string &file);

#endif // SLUICE_TOOLS_SLUICE_RANKLAUNCHER_H
