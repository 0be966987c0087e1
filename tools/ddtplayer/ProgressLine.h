//===- ProgressLine.h - A line that reports progress ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring takes minutes; a user at a terminal wants to see progress.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_PROGRESSLINE_H
#define DDTPLAYER_PROGRESSLINE_H

#include "sluice/Base/Text.h"

#include <cstdio>
#include <unistd.h>

namespace sluice::player {

/// One line on standard error that is overwritten. Prints nothing if standard
/// error is not a terminal, or with `isQuiet`. Updated immediately, and never
/// during a measurement: a thread that wakes up now and then would disturb it.
class ProgressLine {
public:
  explicit ProgressLine(bool isQuiet)
      : isTerminal(!isQuiet && isatty(STDERR_FILENO)) {}
  void begin(size_t index, size_t count, const std::string &subject) {
    prefix = concat('[', index, '/', count, "] ", subject, ": ");
  }
  void show(const std::string &step) {
    if (isTerminal)
      std::fprintf(stderr, "\r%s%s\x1b[K", prefix.c_str(), step.c_str());
  }
  void clear() {
    if (isTerminal)
      std::fputs("\r\x1b[K", stderr);
  }

private:
  bool isTerminal;
  std::string prefix;
};

} // namespace sluice::player

#endif // DDTPLAYER_PROGRESSLINE_H
