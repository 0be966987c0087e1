//===- Workbench.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures one library: buffers, repeated runs and their median, with hot and
// with cold caches.
//
//===----------------------------------------------------------------------===//

#include "Workbench.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <vector>

using namespace sluice;
using namespace sluice::player;

/// The time of reading the clock twice.
static double clockSeconds() {
  static const double seconds = [] {
    double best = 1;
    for (int i = 0; i < 1000; ++i)
      best = std::min(best, secondsSince(Clock::now()));
    return best;
  }();
  return seconds;
}

double sluice::player::median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  if (values.size() % 2)
    return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

Result<double> PackLibrary::timeCompile() {
  return Status::misuse(concat(quoted(name()), " compiles nothing"));
}

Result<TypeShape> Workbench::prepare(const std::string &text, int64_t count) {
  release();
  if (Status status = engine.build(text); !status.ok())
    return status;
  Result<TypeShape> shape = engine.shape();
  if (!shape.ok())
    return shape;
  instances = count;
  packedBytes = (*shape).size * count;
  Result<Region> made = Region::of(spanOf(*shape, count));
  if (!made.ok())
    return made.takeStatus();
  memory = std::move(*made);
  Result<Region> packed = Region::of({0, packedBytes});
  if (!packed.ok())
    return packed.takeStatus();
  stream = std::move(*packed);
  return shape;
}

void Workbench::release() {
  engine.release();
  memory = Region();
  stream = Region();
  packIterations = unpackIterations = 0;
}

Status Workbench::packOnce() {
  return engine.pack(memory.address(), instances, stream.address(),
                     packedBytes);
}

Status Workbench::unpackOnce() {
  return engine.unpack(stream.address(), packedBytes, memory.address(),
                       instances);
}

Result<std::span<const std::byte>> Workbench::packed() {
  memory.fillPattern(1);
  stream.fillGaps();
  if (Status status = packOnce(); !status.ok())
    return status;
  return std::span<const std::byte>(stream.bytes());
}

Result<std::span<const std::byte>> Workbench::unpacked() {
  stream.fillPattern(2);
  memory.fillGaps();
  if (Status status = unpackOnce(); !status.ok())
    return status;
  return std::span<const std::byte>(memory.bytes());
}

Result<double> Workbench::measure(Quantity quantity, double seconds) {
  if (quantity == Quantity::Commit)
    return measureCommit(seconds);
  if (quantity == Quantity::Compile)
    return engine.timeCompile();
  auto repeat = [&](int64_t times) -> Status {
    for (int64_t i = 0; i < times; ++i) {
      Status status = isPack(quantity) ? packOnce() : unpackOnce();
      if (!status.ok())
        return status;
    }
    return Status();
  };
  if (isCold(quantity))
    return measureCold(repeat, seconds);
  return measureHot(
      repeat, isPack(quantity) ? packIterations : unpackIterations, seconds);
}

Result<double>
Workbench::measureHot(const std::function<Status(int64_t)> &repeat,
                      int64_t &iterations, double seconds) {
  // The first rounds find how many iterations fill the time. They also warm up
  // the caches and let the library choose its code.
  bool isKnown = iterations != 0;
  iterations = std::max<int64_t>(iterations, 1);
  if (isKnown)
    if (Status status = repeat(1); !status.ok())
      return status;
  while (true) {
    auto start = Clock::now();
    if (Status status = repeat(iterations); !status.ok())
      return status;
    double taken = secondsSince(start);
    if (isKnown || taken >= seconds)
      return std::max(taken - clockSeconds(), 1e-12) / double(iterations);
    double missing = seconds / std::max(taken, 1e-9);
    iterations =
        int64_t(double(iterations) * std::clamp(missing, 1.2, 10.0)) + 1;
  }
}

Result<double>
Workbench::measureCold(const std::function<Status(int64_t)> &repeat,
                       double seconds) {
  constexpr size_t fewest = 3, most = 64;
  std::vector<double> times;
  auto begin = Clock::now();
  while (times.size() < fewest ||
         (times.size() < most && secondsSince(begin) < seconds)) {
    memory.evict();
    stream.evict();
    auto start = Clock::now();
    if (Status status = repeat(1); !status.ok())
      return status;
    times.push_back(std::max(secondsSince(start) - clockSeconds(), 1e-12));
  }
  return median(std::move(times));
}

Result<double> Workbench::measureCommit(double seconds) {
  constexpr size_t fewest = 3, most = 64;
  std::vector<double> times;
  auto begin = Clock::now();
  while (times.size() < fewest ||
         (times.size() < most && secondsSince(begin) < seconds)) {
    Result<double> time = engine.timeCommit();
    if (!time.ok())
      return time;
    times.push_back(std::max(*time - clockSeconds(), 1e-12));
  }
  return median(std::move(times));
}
