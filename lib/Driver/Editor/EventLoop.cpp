//===- EventLoop.cpp - Waiting for several events -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventLoop.h"

#include <algorithm>
#include <poll.h>
#include <vector>

using namespace sluice::driver;

void EventLoop::watch(int file, std::function<void()> ready) {
  watched[file] = std::move(ready);
}

void EventLoop::forget(int file) { watched.erase(file); }

void EventLoop::setTimer(const std::string &name, Clock::time_point time,
                         std::function<void()> due) {
  timers[name] = {time, std::move(due)};
}

void EventLoop::clearTimer(const std::string &name) { timers.erase(name); }

void EventLoop::runDueTimers() {
  while (true) {
    Clock::time_point now = Clock::now();
    auto next = std::find_if(timers.begin(), timers.end(), [&](auto &entry) {
      return entry.second.time <= now;
    });
    if (next == timers.end())
      return;
    std::function<void()> due = std::move(next->second.due);
    timers.erase(next);
    due();
  }
}

int EventLoop::timeout() const {
  if (timers.empty())
    return -1;
  auto next = std::min_element(timers.begin(), timers.end(),
                               [](const auto &a, const auto &b) {
                                 return a.second.time < b.second.time;
                               });
  auto left = std::chrono::ceil<std::chrono::milliseconds>(next->second.time -
                                                           Clock::now());
  return int(std::clamp<int64_t>(left.count(), 0, 60000));
}

void EventLoop::waitFor(int file) {
  while (true) {
    runDueTimers();
    std::vector<pollfd> polled = {{file, POLLIN, 0}};
    for (const auto &[other, ready] : watched)
      polled.push_back({other, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), timeout()) < 0)
      continue; // a signal
    for (size_t i = 1; i != polled.size(); ++i) {
      // An earlier callback may have removed it.
      auto it = watched.find(polled[i].fd);
      if (!polled[i].revents || it == watched.end())
        continue;
      std::function<void()> ready = it->second;
      ready();
    }
    if (polled[0].revents)
      return;
  }
}
