//===- RankOutput.h - What ranks and their launcher say -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher marks each line with the rank that wrote it, unless the rank
// writes to a pipe of its own. Lines of rank 0 are printed as they are, others
// with their rank in front; what the launcher says itself is kept, and printed
// only where it says more than we do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_RANKOUTPUT_H
#define SLUICE_TOOLS_SLUICE_RANKOUTPUT_H

#include "llvm/Support/Regex.h"

#include <map>
#include <string>

/// What both outputs of the launcher share.
struct Said {
  /// What no rank has written.
  std::string byLauncher;
  /// Lines in which ranks named an error, with the first rank that did: the
  /// same one of several ranks is printed once.
  std::map<std::string, std::string> errors;
  /// A rank was named that does not answer.
  bool isLost = false;
  /// Why the standard output of a rank was not passed on; 0: it was.
  int outputError = 0;
};

/// What comes out of one output of the launcher or of a rank, line by line.
class Relay {
public:
  /// From descriptor `from` to `to`. `mark` is what the launcher puts in front
  /// of lines and pieces of lines, with the rank as its first group.
  Relay(int from, int to, llvm::StringRef mark, Said &said)
      : from(from), to(to), mark(mark), said(said) {}
  /// The output of one rank, without marks.
  Relay(int from, int to, unsigned rank, Said &said)
      : from(from), to(to), mark(""), said(said), only(std::to_string(rank)),
        current(only) {}

  /// Passes on what there is; false at the end.
  bool readSome();
  /// Passes on lines without an end.
  void finish();
  bool isErrors() const { return to == 2; }
  bool hasRelayed = false;

private:
  void passOn(bool isEnd);
  void add(llvm::StringRef text);
  void relay(llvm::StringRef rank, std::string text);

  const int from, to;
  llvm::Regex mark;
  Said &said;
  const std::string only; ///< the rank, if lines have no marks
  std::string rest;       ///< which may be the beginning of a mark
  /// Whose piece follows; no rank: the launcher.
  std::string current;
  std::map<std::string, std::string> lines; ///< of each, without an end
};

/// What a launcher says of a rank that ended by a signal.
struct RankEnd {
  /// -1: it does not say.
  int rank = -1, process = -1;
  std::string host;
  int signal = 0; ///< 0: none did
};
RankEnd rankEnd(llvm::StringRef byLauncher);
/// Whether a launcher says that a rank has ended with an error; else it has not
/// even started all of them.
bool namesRank(llvm::StringRef byLauncher);

#endif // SLUICE_TOOLS_SLUICE_RANKOUTPUT_H
