//===- apps.h - The rows of `bench taskgraph-apps` --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every program of this folder defines the four functions below, and its main
// calls serveApps. The rows are
//   chain  16 tasks of a millisecond, one after the other
//   pair   2 tasks of a millisecond that share nothing
//   blur   a picture made, inverted and blurred (examples/blur)
//   radar  a radar's picture (examples/radar), without its file
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_APPS_H
#define SLUICE_BENCH_APPS_H

#include "../../examples/radar/radar.h"
#include "../common/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bench {

constexpr int chainLength = 16;
constexpr int blurPlanes = 3, blurRows = 540, blurColumns = 960;

/// Makes the tasks of a row.
void prepareApp(const std::string &app);
/// Runs them once, and returns when all have ended.
void runApp();
/// What the last run has computed.
std::vector<double> resultOfApp();
void releaseApp();

//===----------------------------------------------------------------------===//
// What the results should be
//===----------------------------------------------------------------------===//

/// A value of `tick` as a result.
inline double shownTick(uint64_t x) { return double(x >> 11); }

inline uint64_t ticked(uint64_t x, int times) {
  for (int64_t i = 0; i < int64_t(600000) * times; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

inline double pixel(int p, int y, int x) {
  y = std::clamp(y, 0, blurRows - 1);
  x = std::clamp(x, 0, blurColumns - 1);
  return 255 - ((x * 7 + y * 13 + p * 29 + x * y % 31) & 255);
}

inline std::vector<double> blurred() {
  static const double alongX[] = {1, 4, 6, 4, 1}, alongY[] = {1, 2, 1};
  std::vector<double> result;
  for (int p = 0; p < blurPlanes; ++p)
    for (int y = 0; y < blurRows; ++y)
      for (int x = 0; x < blurColumns; ++x) {
        double sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -2; dx <= 2; ++dx)
            sum += alongY[dy + 1] * alongX[dx + 2] * pixel(p, y + dy, x + dx);
        result.push_back(sum / 64);
      }
  return result;
}

inline std::vector<double> expectedOf(const std::string &app) {
  if (app == "chain")
    return {shownTick(ticked(1, chainLength))};
  if (app == "pair")
    return {shownTick(ticked(1, 1)), shownTick(ticked(2, 1))};
  return app == "blur" ? blurred() : radar::decibelsPlainly(radar::scene());
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

inline std::vector<double> expected;

inline void begin(const char *app) {
  expected = expectedOf(app);
  prepareApp(app);
}

inline void beginChain() { begin("chain"); }
inline void beginPair() { begin("pair"); }
inline void beginBlur() { begin("blur"); }
inline void beginRadar() { begin("radar"); }
inline void resetNothing() {} // a run begins with all values itself

inline const char *verify() {
  std::vector<double> found = resultOfApp();
  if (found.size() != expected.size())
    return benchWrong("number of results", 0, double(expected.size()),
                      double(found.size()));
  for (size_t i = 0; i < found.size(); ++i)
    if (!(std::fabs(found[i] - expected[i]) <= 1e-6))
      return benchWrong("result", long(i), expected[i], found[i]);
  return nullptr;
}

inline int serveApps() {
  BenchRow rows[] = {
      {"chain", 1, 2, beginChain, resetNothing, runApp, verify, releaseApp, 0,
       nullptr},
      {"pair", 1, 20, beginPair, resetNothing, runApp, verify, releaseApp, 0,
       nullptr},
      {"blur", 1, 5, beginBlur, resetNothing, runApp, verify, releaseApp, 0,
       nullptr},
      {"radar", 1, 1, beginRadar, resetNothing, runApp, verify, releaseApp, 0,
       nullptr},
  };
  return benchServe(rows, 4);
}

} // namespace bench

#endif // SLUICE_BENCH_APPS_H
