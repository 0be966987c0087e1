//===- HistoryReport.cpp - Showing the times of nodes per device ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints, as a table for people, the times that programs recorded for their own
// use.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/HistoryReport.h"
#include "sluice/Base/WholeFiles.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Runtime/Placement/DeviceHistory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <tuple>

using namespace llvm;
using namespace sluice;

static bool isOf(const DeviceTiming &timing, StringRef program) {
  return program.empty() || timing.program == program ||
         StringRef(timing.hash).starts_with(program);
}

static auto kindOf(const DeviceTiming &timing) {
  return std::tie(timing.program, timing.hash, timing.node, timing.sizeClass);
}

/// "1.5 ms", with three digits.
static std::string spellTime(uint64_t nanoseconds) {
  static constexpr std::pair<double, const char *> units[] = {
      {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  std::string text;
  raw_string_ostream os(text);
  for (auto [size, name] : units)
    if (double(nanoseconds) >= size || size == 1) {
      double value = double(nanoseconds) / size;
      os << format(value < 10    ? "%.2f %s"
                   : value < 100 ? "%.1f %s"
                                 : "%.0f %s",
                   value, name);
      break;
    }
  return text;
}

/// The sizes of a class: "1 Ki" stands for 1024 to 2047.
static std::string spellSize(unsigned sizeClass) {
  static constexpr const char *units[] = {"",    " Ki", " Mi", " Gi",
                                          " Ti", " Pi", " Ei"};
  return std::to_string(1u << sizeClass % 10) + units[sizeClass / 10];
}

/// Names may contain anything; control characters for terminals are removed.
static std::string printable(StringRef name) {
  std::string text = name.str();
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

/// Prints the rows of a table under a heading; columns are as wide as needed.
static void printTable(ArrayRef<std::array<std::string, 6>> rows,
                       raw_ostream &os) {
  std::array<size_t, 6> widths{};
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      bool isNumber = i == 1 || i == 3 || i == 4;
      std::string padding(widths[i] - row[i].size(), ' ');
      line += " " + (isNumber ? padding + row[i] : row[i] + padding) + " ";
    }
    os << StringRef(line).rtrim() << '\n';
  }
}

/// Prints the entries of one program, which are sorted.
static void printProgram(ArrayRef<DeviceTiming> timings, raw_ostream &os) {
  os << printable(timings.front().program) << " ("
     << printable(StringRef(timings.front().hash).take_front(16)) << ")\n";
  std::vector<std::array<std::string, 6>> rows = {
      {"node", "size", "place", "runs", "median", "choice"}};
  while (!timings.empty()) {
    auto group = timings.take_while([&](const DeviceTiming &timing) {
      return kindOf(timing) == kindOf(timings.front());
    });
    uint64_t best = UINT64_MAX;
    for (const DeviceTiming &timing : group)
      best = std::min(best, timing.median());
    bool isFirst = true;
    for (const DeviceTiming &timing : group) {
      bool isBest = timing.median() == best && group.size() > 1;
      rows.push_back({isFirst ? printable(timing.node) : "",
                      isFirst ? spellSize(timing.sizeClass) : "",
                      printable(timing.place), std::to_string(timing.runs),
                      spellTime(timing.median()), isBest ? "chosen" : ""});
      isFirst = false;
    }
    timings = timings.drop_front(group.size());
  }
  printTable(rows, os);
}

bool sluice::driver::printDeviceHistory(StringRef program, raw_ostream &os) {
  std::vector<DeviceTiming> timings = readDeviceHistory(cacheDirectory());
  erase_if(timings,
           [&](const DeviceTiming &timing) { return !isOf(timing, program); });
  llvm::sort(timings, [](const DeviceTiming &a, const DeviceTiming &b) {
    return std::tuple_cat(kindOf(a), std::tie(a.place)) <
           std::tuple_cat(kindOf(b), std::tie(b.place));
  });
  for (ArrayRef<DeviceTiming> rest = timings; !rest.empty();) {
    auto group = rest.take_while([&](const DeviceTiming &timing) {
      return timing.program == rest.front().program &&
             timing.hash == rest.front().hash;
    });
    if (rest.size() != timings.size())
      os << '\n';
    printProgram(group, os);
    rest = rest.drop_front(group.size());
  }
  return !timings.empty();
}

bool sluice::driver::clearDeviceHistory(StringRef program, raw_ostream &os) {
  auto isOld = [](const DeviceTiming &timing, const void *context) {
    return isOf(timing, *static_cast<const StringRef *>(context));
  };
  Result<size_t> removed =
      removeFromDeviceHistory(cacheDirectory(), isOld, &program);
  if (!removed.ok()) {
    printError(removed.status().message());
    return false;
  }
  os << "removed " << *removed << (*removed == 1 ? " entry\n" : " entries\n");
  return true;
}
