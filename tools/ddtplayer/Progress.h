//===- Progress.h - A line that says what is going on ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring takes minutes; whoever watches a terminal wants to see that it goes
// on.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_PROGRESS_H
#define DDTPLAYER_PROGRESS_H

#include "sluice/Base/Text.h"

#include <cstdio>
#include <unistd.h>

namespace sluice::player {

/// One line on standard error that is overwritten; nothing if that is no
/// terminal, or `isQuiet`. Shown at once, and no more while figures are taken:
/// a thread that wakes now and then would disturb them.
class Progress {
public:
  explicit Progress(bool isQuiet)
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

#endif // DDTPLAYER_PROGRESS_H
