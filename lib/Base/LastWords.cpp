//===- LastWords.cpp - A document for the case of a crash -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler only writes text that was prepared before: it may neither
// allocate nor lock.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/LastWords.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

using namespace sluice;

namespace {
struct LastWords {
  std::string text, path;
  pid_t process;
};
} // namespace

static std::atomic<LastWords *> theWords{nullptr};

static constexpr int crashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                       SIGABRT};
static struct sigaction others[std::size(crashSignals)];

static void writeWords(const LastWords &words) {
  int file = words.path.empty()
                 ? STDERR_FILENO
                 : ::open(words.path.c_str(),
                          O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  for (size_t done = 0; file >= 0 && done < words.text.size();) {
    ssize_t size =
        ::write(file, words.text.data() + done, words.text.size() - done);
    if (size <= 0)
      break;
    done += size_t(size);
  }
}

static void speakAndCrash(int signal, siginfo_t *info, void *) {
  const LastWords *words = theWords.exchange(nullptr);
  if (words && words->process == ::getpid())
    writeWords(*words);
  for (size_t i = 0; i != std::size(crashSignals); ++i)
    if (crashSignals[i] == signal)
      ::sigaction(signal, &others[i], nullptr);
  // A fault recurs after returning; a signal that a call has sent does not.
  if (info->si_code <= 0)
    ::raise(signal);
}

void sluice::setLastWords(std::string text, const std::string &path) {
  delete theWords.exchange(new LastWords{std::move(text), path, ::getpid()});
  struct sigaction action = {};
  action.sa_sigaction = speakAndCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i != std::size(crashSignals); ++i) {
    struct sigaction known;
    if (::sigaction(crashSignals[i], nullptr, &known) != 0 ||
        ((known.sa_flags & SA_SIGINFO) && known.sa_sigaction == speakAndCrash))
      continue;
    others[i] = known;
    ::sigaction(crashSignals[i], &action, nullptr);
  }
}

void sluice::clearLastWords() { delete theWords.exchange(nullptr); }
