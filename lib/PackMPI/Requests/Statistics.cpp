//===- Statistics.cpp - Statistics of handled calls and their gain --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters per call and per type, and totals per layout, printed when MPI ends.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include "../Library/Scratch.h"
#include "../Library/StagingBuffer.h"
#include "../Types/Agreement.h"
#include "../Types/Types.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace sluice::mpi;
using namespace sluice::pack;

namespace {
struct CallCounter {
  std::atomic<int64_t> uses = 0, bytes = 0;
};

struct Totals {
  int64_t uses = 0, bytes = 0;
  /// The part of these bytes whose packing was measured.
  int64_t measured = 0;
  /// Estimated seconds of packing these bytes.
  double native = 0, ours = 0;
  void add(const Totals &other) {
    uses += other.uses;
    bytes += other.bytes;
    measured += other.measured;
    native += other.native;
    ours += other.ours;
  }
};

struct Report {
  std::array<CallCounter, size_t(Call::NumberOfCalls)> calls;
  std::mutex lock;
  std::map<std::string, Totals> layouts;
  /// Layouts that stayed with MPI, by reason.
  std::array<int64_t, size_t(Reason::NumberOfReasons)> left = {};
};
constexpr size_t maxLayouts = 4096;
constexpr size_t printedLayouts = 20;
} // namespace

static Report &report() {
  static Report *instance = new Report;
  return *instance;
}

void sluice::mpi::countUse(Call call, Type &type, int64_t bytes) {
  CallCounter &counter = report().calls[size_t(call)];
  counter.uses.fetch_add(1, std::memory_order_relaxed);
  counter.bytes.fetch_add(bytes, std::memory_order_relaxed);
  type.counters.uses.fetch_add(1, std::memory_order_relaxed);
  type.counters.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void sluice::mpi::noteEndOf(Type &type) {
  if (const Reason reason = type.whyLeft(); reason != Reason::None) {
    std::lock_guard guard(report().lock);
    ++report().left[size_t(reason)];
  }
  const Packing *packing = type.knownPacking();
  Totals totals;
  totals.uses = type.counters.uses.exchange(0);
  totals.bytes = type.counters.bytes.exchange(0);
  if (!packing || !totals.uses)
    return;
  if (double native = type.counters.native; native >= 0) {
    totals.measured = totals.bytes;
    totals.native = double(totals.bytes) * native;
    totals.ours = double(totals.bytes) * type.counters.ours;
  }
  std::string text = toText(packing->packer->layout());
  std::lock_guard guard(report().lock);
  auto &layouts = report().layouts;
  bool isKept = layouts.size() < maxLayouts || layouts.contains(text);
  layouts[isKept ? text : "others"].add(totals);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// The shortest of several runs, in seconds per byte.
template <typename Work> static double timeOf(int64_t bytes, Work work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int i = 0; i != 5; ++i) {
    Clock::time_point begin = Clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best / double(bytes);
}

/// The maximum amount of memory accessed by packing `bytes` of the layout.
static double touchedBytes(const Packing &packing, int64_t span,
                           int64_t bytes) {
  double runs = double(bytes) / std::max(1.0, packing.meanRun);
  return std::min(double(span), double(bytes) + runs * double(scratchPage));
}

void sluice::mpi::measure(Type &type, MPI_Datatype handle) {
  double unknown = -1;
  if (!hasWorld() || !type.counters.ours.compare_exchange_strong(unknown, 0))
    return;
  constexpr int64_t someBytes = 64 << 10, maxBytes = 256 << 20;
  const Packing &packing = *type.knownPacking();
  int64_t count = std::clamp<int64_t>(someBytes / packing.size, 1, 1 << 16);
  int64_t bytes = count * packing.size;
  int64_t span, reach;
  if (bytes > maxBytes ||
      __builtin_mul_overflow(count - 1, packing.extent, &reach) ||
      __builtin_add_overflow(packing.span, std::abs(reach), &span) ||
      touchedBytes(packing, span, bytes) > double(maxBytes))
    return;
  int64_t low = packing.lowest + std::min<int64_t>(0, reach);
  Scratch data(span);
  StagingBuffer packed = StagingBuffer::of(bytes);
  if (!data || !packed)
    return;
  std::fill_n(packed.data(), bytes, 0);
  // May point outside of the buffer, if the layout begins at another offset.
  auto *base = reinterpret_cast<char *>(data.address() - uintptr_t(low));
  // Accesses only the memory that will be read, not the gaps of wide layouts.
  packing.packer->unpack(packed.data(), base, count);
  double native = timeOf(bytes, [&] {
    int position = 0;
    native::Pack(base, int(count), handle, packed.data(), int(bytes), &position,
                 MPI_COMM_SELF);
  });
  type.counters.ours =
      timeOf(bytes, [&] { packing.packer->pack(base, count, packed.data()); });
  type.counters.native = native;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string sizeText(int64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 != std::size(units); ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value,
                units[unit]);
  return text;
}

static void printCalls(int rank) {
  for (size_t i = 0; i != size_t(Call::NumberOfCalls); ++i) {
    CallCounter &counter = report().calls[i];
    if (int64_t uses = counter.uses.load())
      std::fprintf(stderr, "sluice-mpi: rank %d: %-26s %12lld calls %12s\n",
                   rank, nameOf(Call(i)), (long long)uses,
                   sizeText(counter.bytes.load()).c_str());
  }
}

/// Seconds of packing by both, if at least a part was measured.
static std::string timesText(const Totals &totals) {
  if (!totals.measured)
    return "packing not measured";
  char text[80];
  std::snprintf(text, sizeof text, "packing %.3f ms instead of %.3f ms",
                totals.ours * 1e3, totals.native * 1e3);
  return text;
}

static void printLayouts(int rank) {
  std::vector<std::pair<std::string, Totals>> layouts(report().layouts.begin(),
                                                      report().layouts.end());
  std::sort(layouts.begin(), layouts.end(),
            [](auto &a, auto &b) { return a.second.bytes > b.second.bytes; });
  for (size_t i = 0; i != std::min(layouts.size(), printedLayouts); ++i) {
    const Totals &t = layouts[i].second;
    std::fprintf(stderr, "sluice-mpi: rank %d: %12lld uses %12s, %s: %s\n",
                 rank, (long long)t.uses, sizeText(t.bytes).c_str(),
                 timesText(t).c_str(), layouts[i].first.c_str());
  }
  if (layouts.size() > printedLayouts)
    std::fprintf(stderr, "sluice-mpi: rank %d: and %zu other layouts\n", rank,
                 layouts.size() - printedLayouts);
}

/// Layouts that were used but never handled.
static void printLeft(int rank) {
  static constexpr const char *reasons[] = {
      nullptr,
      "used too seldom to be read",
      "used where MPI is as fast",
      "without gaps",
      "not readable",
      "too deeply nested or with too many parts",
      "packed by MPI in another order",
      "with other bounds in MPI"};
  static_assert(std::size(reasons) == size_t(Reason::NumberOfReasons));
  std::string text;
  int64_t all = 0;
  for (size_t i = 1; i != std::size(reasons); ++i)
    if (int64_t count = report().left[i]) {
      all += count;
      text +=
          (text.empty() ? "" : ", ") + std::to_string(count) + " " + reasons[i];
    }
  if (all)
    std::fprintf(stderr, "sluice-mpi: rank %d: left %lld layouts to MPI: %s\n",
                 rank, (long long)all, text.c_str());
}

/// A tool that is loaded after the interposer sees neither handled calls nor
/// any other call in the table.
static void printToolBehind(int rank) {
  Dl_info tool, library;
  void *first = dlsym(RTLD_NEXT, "MPI_Finalize");
  void *last = dlsym(RTLD_NEXT, "PMPI_Finalize");
  if (first && last && dladdr(first, &tool) && dladdr(last, &library) &&
      std::strcmp(tool.dli_fname, library.dli_fname) != 0)
    std::fprintf(stderr,
                 "sluice-mpi: rank %d: '%s' is loaded after the interposer and "
                 "does not see its calls; name it first\n",
                 rank, tool.dli_fname);
}

/// The part that the estimate does not cover.
static std::string unmeasuredText(const Totals &all) {
  if (all.measured == all.bytes)
    return "";
  return ", without " + sizeText(all.bytes - all.measured) + " not measured";
}

void sluice::mpi::printStatistics() {
  int rank = 0;
  if (!isCounting() || PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
    return;
  for (const TypeRef &type : allTypes())
    noteEndOf(*type);
  if (settings().reports == Reports::FirstRank && rank != 0)
    return;
  std::lock_guard guard(report().lock);
  Totals all;
  for (const auto &[text, totals] : report().layouts)
    all.add(totals);
  std::fprintf(stderr,
               "sluice-mpi: rank %d: took over %lld uses of %zu layouts, %s; "
               "estimated gain %.3f ms%s\n",
               rank, (long long)all.uses, report().layouts.size(),
               sizeText(all.bytes).c_str(), (all.native - all.ours) * 1e3,
               unmeasuredText(all).c_str());
  printCalls(rank);
  printLayouts(rank);
  printLeft(rank);
  printToolBehind(rank);
}
