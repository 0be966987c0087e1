//===- Progress.cpp - What a long command is at ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <cstdio>
#include <unistd.h>

using namespace sluice::driver;
using namespace std::chrono_literals;

Progress::Progress() : start(std::chrono::steady_clock::now()) {
  if (isatty(STDERR_FILENO))
    thread = std::thread([this] { show(); });
}

void Progress::begin(std::string text) {
  std::lock_guard lock(mutex);
  phase = std::move(text);
}

void Progress::finish() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  changed.notify_one();
  thread.join();
}

void Progress::show() {
  bool isShown = false;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, isShown ? 200ms : 1000ms,
                           [this] { return isOver; })) {
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "\r\033[K%s ... %.0f s", phase.c_str(), time.count());
    std::fflush(stderr);
    isShown = true;
  }
  if (isShown)
    std::fputs("\r\033[K", stderr);
}
