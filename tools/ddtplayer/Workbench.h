//===- Workbench.h - Runs and times one library on one type ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every library is timed by this code, in the player's process or in that of
// its helper:
//   1. A hot time is that of a loop over the same two buffers, as long as was
//      asked for, divided by its iterations.
//   2. A cold time is the median of single operations, each after both buffers
//      left the caches, less what reading the clock costs.
//   3. Commits are timed one by one, each of a fresh copy; their median counts.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_WORKBENCH_H
#define DDTPLAYER_WORKBENCH_H

#include "Engine.h"
#include "Memory.h"

#include <chrono>
#include <functional>

namespace sluice::player {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Workbench {
public:
  explicit Workbench(Engine &engine) : engine(engine) {}

  /// Builds the type and its buffers for `count` instances, and returns its
  /// shape.
  Result<Shape> prepare(const std::string &text, int64_t count);
  Status commit() { return engine.commit(); }
  /// Seconds per operation; the measurement takes about `seconds`.
  Result<double> measure(Quantity quantity, double seconds);
  /// Packs the pattern once; lent until the next call.
  Result<std::span<const std::byte>> packed();
  /// Unpacks the pattern once into a region of gap bytes; lent as above.
  Result<std::span<const std::byte>> unpacked();
  void release();

private:
  Status packOnce();
  Status unpackOnce();
  Result<double> measureHot(const std::function<Status(int64_t)> &repeat,
                            int64_t &iterations, double seconds);
  Result<double> measureCold(const std::function<Status(int64_t)> &repeat,
                             double seconds);
  Result<double> measureCommit(double seconds);

  Engine &engine;
  int64_t instances = 0;
  int64_t packedBytes = 0;
  Region memory, stream;
  /// How often hot loops repeat; found once for each type.
  int64_t packIterations = 0, unpackIterations = 0;
};

/// The middle value; the mean of the two middle ones of an even number.
double median(std::vector<double> values);

} // namespace sluice::player

#endif // DDTPLAYER_WORKBENCH_H
