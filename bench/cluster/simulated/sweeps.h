//===- sweeps.h - Sweeps whose time is simulated ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program over regions and the one by hand have in common: cells and
// sweeps are those of bench/rdir/halo.h, but a sweep takes as long as is asked
// for. Outside of SMPI none of that takes any time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CLUSTER_SIMULATED_SWEEPS_H
#define SLUICE_BENCH_CLUSTER_SIMULATED_SWEEPS_H

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
[[gnu::weak]] void smpi_execute_flops(double operations);
[[gnu::weak]] double MPI_Wtime(void);
}

namespace bench {

/// The speed of the hosts in bench/driver/cluster_platforms.py.
inline constexpr double operationsPerSecond = 1e9;

/// Lets time pass on this rank.
inline void spend(double seconds) {
  if (smpi_execute_flops && seconds > 0)
    smpi_execute_flops(seconds * operationsPerSecond);
}

/// When this rank ended its sweeps. How its neighbours begin has no influence
/// any more after the first quarter.
class Pace {
public:
  void note(int64_t numSweeps) {
    last = MPI_Wtime ? MPI_Wtime() : 0;
    if (++count == numSweeps / 4 || count == 1)
      began = last, first = count;
  }
  double secondsPerSweep() const {
    return count > first ? (last - began) / double(count - first) : 0;
  }

private:
  int64_t count = 0, first = 0;
  double began = 0, last = 0;
};

/// Cells add up to the same in any order, and no two can change places.
inline int64_t digestOf(double cell, int64_t place) {
  uint64_t bits;
  std::memcpy(&bits, &cell, sizeof bits);
  return static_cast<int64_t>(bits * (2 * static_cast<uint64_t>(place) + 1));
}

inline void report(double secondsPerSweep, int64_t digest) {
  std::printf("sweep %.9e s, digest %016" PRIx64 "\n", secondsPerSweep,
              static_cast<uint64_t>(digest));
}

} // namespace bench

#endif // SLUICE_BENCH_CLUSTER_SIMULATED_SWEEPS_H
