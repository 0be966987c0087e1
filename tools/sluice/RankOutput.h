//===- RankOutput.h - Output of ranks and their launcher ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher marks each line with the rank that wrote it, unless the rank
// writes to its own pipe. Lines of rank 0 are printed unchanged, those of other
// ranks with a prefix. Messages of the launcher itself are collected, and
// printed only if they contain more than Sluice's own messages.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLS_SLUICE_RANKOUTPUT_H
#define SLUICE_TOOLS_SLUICE_RANKOUTPUT_H

#include "llvm/Support/Regex.h"

#include <map>
#include <string>

/// Shared by both outputs of the launcher.
struct Said {
  /// The text that no rank has written.
  std::string byLauncher;
  /// Error lines of ranks, each with the first rank that printed it: an error
  /// that several ranks print is shown once.
  std::map<std::string, std::string> errors;
  /// A rank that does not respond was named.
  bool isLost = false;
  /// The reason why the standard output of a rank was not passed on; 0 if it
  /// was.
  int outputError = 0;
};

/// Passes on one output of the launcher or of a rank, line by line.
class Relay {
public:
  /// Passes on data from descriptor `from` to `to`. `mark` matches the
  /// launcher's prefix of lines and pieces of lines; its first group is the
  /// rank.
  Relay(int from, int to, llvm::StringRef mark, Said &said)
      : from(from), to(to), mark(mark), said(said) {}
  /// The output of one rank, without marks.
  Relay(int from, int to, unsigned rank, Said &said)
      : from(from), to(to), mark(""), said(said), only(std::to_string(rank)),
        current(only) {}

  /// Passes on the available data; false at the end.
  bool readSome();
  /// Passes on unterminated lines.
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
  std::string rest;       ///< possibly the beginning of a mark
  /// The rank of the current piece; empty for the launcher.
  std::string current;
  std::map<std::string, std::string> lines; ///< the unterminated line of each
                                            ///< rank
};

/// A launcher's message about a rank that ended by a signal.
struct RankEnd {
  /// -1 if the message does not tell.
  int rank = -1, process = -1;
  std::string host;
  int signal = 0;       ///< 0: none did
  bool isEarly = false; ///< without an error, while others went on
};
RankEnd rankEnd(llvm::StringRef byLauncher);
/// Whether a launcher reports that a rank has ended with an error; otherwise it
/// has not even started all of them.
bool namesRank(llvm::StringRef byLauncher);

#endif // SLUICE_TOOLS_SLUICE_RANKOUTPUT_H
