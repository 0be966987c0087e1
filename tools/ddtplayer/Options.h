//===- Options.h - The player's command line ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the player can be asked to do, as plain values, apart from how it is
// written on the command line.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_OPTIONS_H
#define DDTPLAYER_OPTIONS_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::player {

/// Which of our kernels is played.
enum class KernelChoice {
  /// What a program has after a while: compiled if there is a compiler.
  Best,
  ReadyMade,
  Compiled,
  Interpreted
};

/// A file, "-" for standard input, or text from the command line.
struct Source {
  std::string name;
  bool isText = false;
  std::string text;
};

struct Options {
  std::vector<Source> sources;
  std::string csv, plot;
  /// Of one measurement, in seconds.
  double minimumTime = 200e-6;
  int rounds = 7;
  int64_t count = 1;
  KernelChoice kernel = KernelChoice::Best;
  bool plays(bool isPack) const { return isPack ? hasPack : hasUnpack; }
  bool hasPack = true, hasUnpack = true;
  /// All libraries that are there; otherwise those in `libraries`, which have
  /// to be there.
  bool isAnyMPI = true;
  std::vector<std::string> libraries;
  bool isHelp = false, isVersion = false;
  /// Nothing is said beside the table and errors.
  bool isQuiet = false;
};

/// What the words say; the message of an error is complete.
Result<Options> parseOptions(int argc, char **argv);

void printHelp();

} // namespace sluice::player

#endif // DDTPLAYER_OPTIONS_H
