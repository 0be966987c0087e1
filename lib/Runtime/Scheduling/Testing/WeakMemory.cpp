//===- WeakMemory.cpp - What loads may return in the model ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory model of the explorer, whose rules stand in its header, and the
// weaker orders that tests try.
//
//===----------------------------------------------------------------------===//

#include "Explorer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace sluice;
using namespace sluice::model;

static bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire ||
         order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

static bool releases(std::memory_order order) {
  return order == std::memory_order_release ||
         order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

static const char *nameOf(std::memory_order order) {
  switch (order) {
  case std::memory_order_acquire:
    return "acquire";
  case std::memory_order_release:
    return "release";
  case std::memory_order_acq_rel:
    return "acq_rel";
  case std::memory_order_seq_cst:
    return "seq_cst";
  default:
    return "relaxed";
  }
}

/// The function's name without what stands around it.
static std::string shortName(const char *function) {
  std::string name = function;
  // Parameters begin at the last '(' that has the name before it.
  size_t end = name.find('(');
  name = name.substr(0, end);
  size_t begin = name.find_last_of(": ");
  return begin == std::string::npos ? name : name.substr(begin + 1);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::memory_order Explorer::orderAt(std::memory_order order, Site site,
                                    const char *operation) {
  if (order == std::memory_order_relaxed)
    return order;
  if (!mutation) {
    auto [place, isNew] = sites.try_emplace(
        SiteKey{site.file_name(), site.line(), site.column(), order});
    if (isNew)
      place->second = shortName(site.function_name()) + ": " + operation + " " +
                      nameOf(order);
  } else if (mutation->line == site.line() &&
             mutation->column == site.column() && mutation->from == order &&
             mutation->file == site.file_name()) {
    return mutation->to;
  }
  return order;
}

std::vector<Mutation> Explorer::mutations() const {
  std::vector<Mutation> all;
  for (const auto &[key, text] : sites) {
    auto [file, line, column, order] = key;
    auto add = [&](std::memory_order weaker) {
      all.push_back({std::string(file), line, column, order, weaker,
                     text + " -> " + nameOf(weaker)});
    };
    bool isLoad = text.find(": load") != std::string::npos;
    bool isStore = text.find(": store") != std::string::npos;
    if (text.find("barrier") != std::string::npos ||
        order == std::memory_order_acquire ||
        order == std::memory_order_release)
      add(std::memory_order_relaxed);
    else if (order == std::memory_order_seq_cst)
      add(isLoad    ? std::memory_order_acquire
          : isStore ? std::memory_order_release
                    : std::memory_order_acq_rel);
    if (order == std::memory_order_acq_rel) {
      add(std::memory_order_acquire);
      add(std::memory_order_release);
    }
  }
  return all;
}

void Explorer::say(const char *operation, unsigned location, uint64_t value,
                   std::memory_order order, Site site) {
  if (!traces || running < 0)
    return;
  const char *file = std::strrchr(site.file_name(), '/');
  result.trace += "thread " + std::to_string(running) + ": " +
                  shortName(site.function_name()) + " (" +
                  (file ? file + 1 : site.file_name()) + ":" +
                  std::to_string(site.line()) + ") " + operation + " #" +
                  std::to_string(location) + " = " +
                  std::to_string(int64_t(value)) + " " + nameOf(order) + "\n";
}

unsigned Explorer::addLocation(uint64_t value) {
  if (locations.size() == View::maxLocations)
    std::abort();
  locations.push_back({{{value, View()}}, 0});
  return locations.size() - 1;
}

uint16_t Explorer::append(Location &location, unsigned number, uint64_t value,
                          bool release, const View *passedOn) {
  uint16_t index = location.messages.size();
  View &view = running < 0 ? setUpView : threads[running]->view;
  view.oldest[number] = index;
  Message message{value, passedOn ? *passedOn : View()};
  if (release)
    message.view.join(view);
  location.messages.push_back(message);
  return index;
}

uint64_t Explorer::load(unsigned number, std::memory_order order, Site site) {
  order = orderAt(order, site, "load");
  point();
  Location &location = locations[number];
  if (running < 0)
    return location.messages.back().value;
  Thread &self = *threads[running];
  size_t oldest = self.view.oldest[number];
  bool isSequential = order == std::memory_order_seq_cst;
  if (isSequential)
    oldest = std::max<size_t>(oldest, location.newestSequential);
  size_t newest = location.messages.size() - 1;
  size_t index = newest - choose(newest - oldest + 1);
  const Message &message = location.messages[index];
  self.view.oldest[number] = index;
  if (isSequential)
    location.newestSequential =
        std::max<uint16_t>(location.newestSequential, index);
  if (isSequential)
    endBlock();
  self.seen = mix(self.seen, message.value);
  if (acquires(order))
    self.view.join(message.view);
  say("load", number, message.value, order, site);
  return message.value;
}

void Explorer::store(unsigned number, uint64_t value, std::memory_order order,
                     Site site) {
  order = orderAt(order, site, "store");
  point();
  Location &location = locations[number];
  uint16_t index = append(location, number, value, releases(order), nullptr);
  if (order == std::memory_order_seq_cst)
    location.newestSequential = index;
  if (running >= 0)
    threads[running]->seen = mix(threads[running]->seen, 7);
  say("store", number, value, order, site);
  endBlock();
}

uint64_t Explorer::modify(unsigned number, std::memory_order order, Site site,
                          const std::function<uint64_t(uint64_t)> &change) {
  order = orderAt(order, site, "modify");
  point();
  Location &location = locations[number];
  Message before = location.messages.back();
  if (running >= 0) {
    Thread &self = *threads[running];
    self.seen = mix(self.seen, before.value);
    if (acquires(order))
      self.view.join(before.view);
  }
  uint16_t index = append(location, number, change(before.value),
                          releases(order), &before.view);
  if (order == std::memory_order_seq_cst)
    location.newestSequential = index;
  say("modify", number, location.messages.back().value, order, site);
  endBlock();
  return before.value;
}

bool Explorer::compareExchange(unsigned number, uint64_t &expected,
                               uint64_t desired, std::memory_order success,
                               std::memory_order failure, Site site) {
  success = orderAt(success, site, "compare");
  point();
  endBlock();
  Location &location = locations[number];
  Thread &self = *threads[running];
  // It fails on any value but the expected one that a load could return.
  std::array<uint16_t, 64> options;
  unsigned count = 0;
  size_t newest = location.messages.size() - 1;
  size_t oldest = self.view.oldest[number];
  if (failure == std::memory_order_seq_cst)
    oldest = std::max<size_t>(oldest, location.newestSequential);
  for (size_t index = newest + 1; index-- > oldest;)
    if (index == newest || location.messages[index].value != expected)
      options[count++] = index;
  size_t index = options[choose(count)];
  Message before = location.messages[index];
  self.view.oldest[number] = index;
  self.seen = mix(self.seen, before.value);
  if (before.value != expected) {
    if (acquires(failure))
      self.view.join(before.view);
    expected = before.value;
    say("compare, not equal,", number, before.value, failure, site);
    return false;
  }
  if (acquires(success))
    self.view.join(before.view);
  uint16_t written =
      append(location, number, desired, releases(success), &before.view);
  if (success == std::memory_order_seq_cst)
    location.newestSequential = written;
  say("compare, exchange", number, desired, success, site);
  return true;
}

//===----------------------------------------------------------------------===//
// Locks, sleep, barriers
//===----------------------------------------------------------------------===//

void Explorer::lock(Gate &gate) {
  if (running < 0)
    return;
  point(&gate);
  Thread &self = *threads[running];
  gate.open = false;
  self.seen = mix(self.seen, 9);
  self.view.join(gate.view);
}

void Explorer::unlock(Gate &gate) {
  if (running < 0)
    return;
  Thread &self = *threads[running];
  self.seen = mix(self.seen, 11);
  gate.open = true;
  gate.view = self.view;
}

void Explorer::wait(Gate &gate) {
  point(&gate);
  endBlock();
  Thread &self = *threads[running];
  self.view.join(gate.view);
  if (traces)
    result.trace += "thread " + std::to_string(running) + ": wakes up\n";
}

void Explorer::open(Gate &gate) {
  if (running < 0)
    return;
  Thread &self = *threads[running];
  gate.open = true;
  gate.view.join(self.view);
  self.seen = mix(self.seen, 13);
  if (traces)
    result.trace += "thread " + std::to_string(running) + ": wakes another\n";
}

void Explorer::heavyBarrier(Site site) {
  if (running < 0 || orderAt(std::memory_order_seq_cst, site,
                             "heavy barrier") != std::memory_order_seq_cst)
    return;
  point();
  Thread &self = *threads[running];
  self.view.join(heavyView);
  self.view.join(lightView);
  heavyView.join(self.view);
  self.seen = mix(self.seen, 17);
  endBlock();
  say("heavy barrier", 0, 0, std::memory_order_seq_cst, site);
}

void Explorer::lightBarrier(Site site) {
  if (running < 0 || orderAt(std::memory_order_seq_cst, site,
                             "light barrier") != std::memory_order_seq_cst)
    return;
  Thread &self = *threads[running];
  lightView.join(self.view);
  self.view.join(heavyView);
  self.seen = mix(self.seen, 19);
  endBlock();
  say("light barrier", 0, 0, std::memory_order_seq_cst, site);
}

void Explorer::fullBarrier(Site site) {
  if (running < 0 || orderAt(std::memory_order_seq_cst, site, "full barrier") !=
                         std::memory_order_seq_cst)
    return;
  point();
  Thread &self = *threads[running];
  self.view.join(fullView);
  fullView.join(self.view);
  self.seen = mix(self.seen, 29);
  endBlock();
  say("full barrier", 0, 0, std::memory_order_seq_cst, site);
}
