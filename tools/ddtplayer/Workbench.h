//===- Workbench.h - Running and timing one library on one type -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This code times every library, in the player's process or in its helper's:
//   1. A hot time is the time of a loop over the same two buffers, with the
//      requested duration, divided by its iterations.
//   2. A cold time is the median of single operations, each after both buffers
//      were evicted from the caches, minus the cost of reading the clock.
//   3. Commits are timed one by one, each with a fresh copy; the result is
//      their
//      median.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_WORKBENCH_H
#define DDTPLAYER_WORKBENCH_H

#include "PackLibrary.h"
#include "TypeBuffers.h"

#include <chrono>
#include <functional>

namespace sluice::player {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Workbench {
public:
  explicit Workbench(PackLibrary &engine) : engine(engine) {}

  /// Builds the type and its buffers for `count` instances, and returns its
  /// shape.
  Result<TypeShape> prepare(const std::string &text, int64_t count);
  Status commit() { return engine.commit(); }
  /// Seconds per operation; the measurement takes about `seconds`.
  Result<double> measure(Quantity quantity, double seconds);
  /// Packs the pattern once. The result is valid until the next call.
  Result<std::span<const std::byte>> packed();
  /// Unpacks the pattern once into a region of gap bytes. The result is valid
  /// until the next call.
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

  PackLibrary &engine;
  int64_t instances = 0;
  int64_t packedBytes = 0;
  Region memory, stream;
  /// The number of iterations of hot loops; found once for each type.
  int64_t packIterations = 0, unpackIterations = 0;
};

/// The middle value; for an even number of values, the mean of the two middle
/// ones.
double median(std::vector<double> values);

} // namespace sluice::player

#endif // DDTPLAYER_WORKBENCH_H
