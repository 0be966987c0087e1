//===- Summary.cpp - Summary of a run's time ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers that run no kernel count as waiting, whatever the reason, which only
// a timeline shows.
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>

using namespace sluice;

static std::string secondsOf(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", 1e-9 * double(nanoseconds));
  return text;
}

static std::string percentOf(uint64_t part, uint64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                whole ? 100.0 * double(part) / double(whole) : 0.0);
  return text;
}

static std::string bytesText(uint64_t bytes) {
  char text[32];
  const char *units[] = {"KB", "MB", "GB", "TB"};
  if (bytes < 1000)
    return concat(bytes, " B");
  double value = double(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  std::snprintf(text, sizeof text, "%.3g %s", value, units[unit]);
  return text;
}

std::string sluice::summaryText(const std::vector<RunTotals> &ranks) {
  std::string text =
      "sluice: rank  workers   elapsed  in kernels              waiting    "
      "  parts  sent                  received\n";
  uint64_t sum = 0, most = 0;
  size_t busiest = 0;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const RunTotals &one = ranks[rank];
    const uint64_t all = one.elapsed * one.numWorkers;
    const uint64_t busy = std::min(one.inKernels, all);
    char line[256];
    std::snprintf(
        line, sizeof line,
        "sluice: %4zu %8llu %9s %11s %8s %11s %8llu  %-20s  %s\n", rank,
        (unsigned long long)one.numWorkers, secondsOf(one.elapsed).c_str(),
        secondsOf(busy).c_str(), percentOf(busy, all).c_str(),
        secondsOf(all - busy).c_str(), (unsigned long long)one.numParts,
        concat(bytesText(one.bytesSent), " in ", one.numSent).c_str(),
        concat(bytesText(one.bytesReceived), " in ", one.numReceived).c_str());
    text += line;
    sum += one.inKernels;
    if (one.inKernels > most) {
      most = one.inKernels;
      busiest = rank;
    }
  }
  if (ranks.size() > 1 && sum) {
    char line[128];
    std::snprintf(line, sizeof line,
                  "sluice: imbalance %.2f: rank %zu was %.2f times as long in "
                  "kernels as ranks are on average\n",
                  double(most) * double(ranks.size()) / double(sum), busiest,
                  double(most) * double(ranks.size()) / double(sum));
    text += line;
  }
  return text;
}
