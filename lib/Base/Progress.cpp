//===- Progress.cpp - Progress of long operations -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A separate thread writes the line, so that the displayed time advances during
// long steps. The thread lives as long as the outermost object.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Progress.h"

#include "sluice/Base/Text.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace sluice;
using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

static Verbosity theVerbosity = Verbosity::Normal;

void sluice::setVerbosity(Verbosity verbosity) { theVerbosity = verbosity; }
Verbosity sluice::verbosity() { return theVerbosity; }

void sluice::sayVerbosely(const std::string &text) {
  if (theVerbosity != Verbosity::Verbose)
    return;
  hideProgress();
  std::fputs(concat("sluice: ", text, "\n").c_str(), stderr);
}

namespace {
/// The state that the thread shows.
struct Shown {
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
  std::string step;
  Clock::time_point begin, next;
  bool isOver = false, isVisible = false;
  unsigned depth = 0;
};
} // namespace

/// Never destroyed: the process may end while the thread shows it.
static Shown &shown() {
  static Shown &shown = *new Shown;
  return shown;
}

/// The part of a text that fits into a line of the terminal; does not split
/// multi-byte characters.
static std::string fitted(std::string text) {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
      text.size() < size.ws_col)
    return text;
  size_t length = size.ws_col > 4 ? size.ws_col - 4u : 0;
  while (length > 0 && (text[length] & 0xc0) == 0x80)
    --length;
  return text.substr(0, length) + "...";
}

static void erase(Shown &shown) {
  if (!shown.isVisible)
    return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown.isVisible = false;
}

static void showSteps(Shown &shown) {
  std::unique_lock lock(shown.mutex);
  while (!shown.isOver) {
    if (Clock::now() < shown.next) {
      shown.changed.wait_until(lock, shown.next);
      continue;
    }
    std::chrono::duration<double> time = Clock::now() - shown.begin;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, " ... %.0f s", time.count());
    std::fputs(concat("\r\033[K", fitted(shown.step + seconds)).c_str(),
               stderr);
    std::fflush(stderr);
    shown.isVisible = true;
    shown.next = Clock::now() + 200ms;
  }
  erase(shown);
}

/// Prints the time of the completed step.
static void sayTime(Shown &shown) {
  if (theVerbosity != Verbosity::Verbose || shown.step.empty())
    return;
  std::chrono::duration<double> time = Clock::now() - shown.begin;
  erase(shown);
  std::fprintf(stderr, "sluice: %s: %.3f s\n", shown.step.c_str(),
               time.count());
}

Progress::Progress() {
  Shown &at = shown();
  std::lock_guard lock(at.mutex);
  outer = at.step;
  if (at.depth++ > 0)
    return;
  at.isOver = false;
  at.begin = Clock::now();
  at.next = at.begin + 1s;
  if (theVerbosity != Verbosity::Quiet && ::isatty(STDERR_FILENO))
    at.thread = std::thread([&at] { showSteps(at); });
}

void Progress::begin(std::string step, size_t number, size_t count) {
  Shown &at = shown();
  std::lock_guard lock(at.mutex);
  sayTime(at);
  at.step =
      count > 1 ? concat('[', number, '/', count, "] ", step) : std::move(step);
  at.begin = Clock::now();
}

void Progress::finish() {
  if (std::exchange(isOver, true))
    return;
  Shown &at = shown();
  std::unique_lock lock(at.mutex);
  sayTime(at);
  at.step = outer;
  at.begin = Clock::now();
  if (--at.depth > 0)
    return;
  at.step.clear();
  at.isOver = true;
  lock.unlock();
  at.changed.notify_one();
  if (at.thread.joinable())
    at.thread.join();
}

void sluice::hideProgress() {
  Shown &at = shown();
  std::lock_guard lock(at.mutex);
  erase(at);
  at.next = std::max(at.next, Clock::now() + 200ms);
}
