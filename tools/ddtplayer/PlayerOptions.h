//===- PlayerOptions.h - The player's command line ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The player's settings as plain values, independent of the syntax of the
// command line.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_PLAYEROPTIONS_H
#define DDTPLAYER_PLAYEROPTIONS_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::player {

/// The kernel of Sluice that is played.
enum class KernelChoice {
  /// The kernel that a program has after a while: compiled if there is a
  /// compiler.
  Best,
  ReadyMade,
  Compiled,
  Interpreted
};

/// A file, "-" for standard input, or text from the command line.
struct InputSource {
  std::string name;
  bool isText = false;
  std::string text;
};

struct PlayerOptions {
  std::vector<InputSource> sources;
  std::string csv, plot;
  /// The minimum time of one measurement, in seconds.
  double minimumTime = 200e-6;
  int rounds = 7;
  int64_t count = 1;
  KernelChoice kernel = KernelChoice::Best;
  bool plays(bool isPack) const { return isPack ? hasPack : hasUnpack; }
  bool hasPack = true, hasUnpack = true;
  /// True: all available libraries. False: those in `libraries`, which must be
  /// available.
  bool isAnyMPI = true;
  std::vector<std::string> libraries;
  bool isHelp = false, isVersion = false;
  /// Prints only the table and errors.
  bool isQuiet = false;
};

/// Parses the words of the command line; the message of an error is complete.
Result<PlayerOptions> parseOptions(int argc, char **argv);

void printHelp();

} // namespace sluice::player

#endif // DDTPLAYER_PLAYEROPTIONS_H
