//===- CacheCommand.cpp - The command line of 'sluice cache' --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the contents and size of the cache, and reduces it.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "sluice/Base/Store.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace llvm;
using namespace sluice::driver;
using sluice::Store;
using sluice::StoreEntry;
using sluice::StoreKind;

/// "1.5 MiB".
static std::string sizeText(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 != std::size(units); ++unit)
    value /= 1024;
  std::string text;
  raw_string_ostream(text) << format(unit && value < 10 ? "%.1f " : "%.0f ",
                                     value)
                           << units[unit];
  return text;
}

/// The number of bytes that "512", "64K", "100M", "2G" or "1T" stands for.
static std::optional<uint64_t> parseSize(StringRef text) {
  unsigned shift = 0;
  for (auto [unit, bits] :
       {std::pair("K", 10), {"M", 20}, {"G", 30}, {"T", 40}})
    if (text.consume_back_insensitive(unit)) {
      shift = bits;
      break;
    }
  uint64_t number = 0;
  if (text.getAsInteger(10, number) ||
      number > std::numeric_limits<uint64_t>::max() >> shift)
    return std::nullopt;
  return number << shift;
}

static std::string timeText(std::chrono::system_clock::time_point time) {
  return formatv("{0:%Y-%m-%d %H:%M}", time);
}

static void printTable(ArrayRef<StoreKind> kinds, const std::string &root) {
  outs() << "kind      entries      size  last used\n";
  uint64_t size = 0;
  size_t count = 0;
  for (StoreKind kind : kinds) {
    std::vector<StoreEntry> entries = Store(kind, root).entries();
    uint64_t bytes = 0;
    std::chrono::system_clock::time_point lastUse;
    for (const StoreEntry &entry : entries) {
      bytes += entry.size;
      lastUse = std::max(lastUse, entry.lastUse);
    }
    outs() << left_justify(nameOf(kind), 10)
           << right_justify(std::to_string(entries.size()), 7)
           << right_justify(sizeText(bytes), 10);
    if (!entries.empty())
      outs() << "  " << timeText(lastUse);
    outs() << '\n';
    size += bytes;
    count += entries.size();
  }
  outs() << left_justify("all", 10) << right_justify(std::to_string(count), 7)
         << right_justify(sizeText(size), 10) << "  of "
         << sizeText(sluice::cacheLimit(root)) << " in '" << root << "'\n";
}

/// Prints one line per entry, the most recently used one first.
static void printEntries(ArrayRef<StoreKind> kinds, const std::string &root) {
  for (StoreKind kind : kinds) {
    std::vector<StoreEntry> entries = Store(kind, root).entries();
    llvm::sort(entries, [](const StoreEntry &a, const StoreEntry &b) {
      return a.lastUse > b.lastUse;
    });
    for (const StoreEntry &entry : entries)
      outs() << timeText(entry.lastUse)
             << right_justify(sizeText(entry.size), 10) << "  " << nameOf(kind)
             << '/' << entry.key << '\n';
  }
}

static void clear(ArrayRef<StoreKind> kinds, const std::string &root) {
  size_t count = 0;
  for (StoreKind kind : kinds)
    count += Store(kind, root).clear();
  outs() << "removed " << count << (count == 1 ? " entry\n" : " entries\n");
}

static int changeLimit(StringRef text, const std::string &root) {
  std::optional<uint64_t> limit = parseSize(text);
  if (!limit)
    return usage("--limit=" + text +
                 ", expected a number of bytes, as in 500M or 2G");
  if (sluice::Status status = sluice::setCacheLimit(root, *limit); !status.ok())
    return problem(status.message());
  sluice::trimCache(root, *limit);
  return exitFine;
}

/// The named kinds; all kinds if none is named.
static std::optional<std::vector<StoreKind>>
namedKinds(ArrayRef<std::string> names) {
  std::vector<StoreKind> kinds;
  for (const std::string &name : names) {
    auto found = find_if(sluice::storeKinds(),
                         [&](StoreKind kind) { return nameOf(kind) == name; });
    if (found == sluice::storeKinds().end()) {
      usage("the cache has no '" + name + "', only " +
            join(map_range(
                     sluice::storeKinds(),
                     [](StoreKind kind) { return StringRef(nameOf(kind)); }),
                 ", "));
      return std::nullopt;
    }
    kinds.push_back(*found);
  }
  if (kinds.empty())
    append_range(kinds, sluice::storeKinds());
  return kinds;
}

int cacheCommand(const CommandLine &line) {
  std::optional<std::vector<StoreKind>> kinds = namedKinds(line.files);
  if (!kinds)
    return exitUsage;
  bool clears = line.has(OPT_clear), lists = line.has(OPT_list_entries);
  if (clears + lists + line.has(OPT_limit) > 1 ||
      (line.has(OPT_limit) && !line.files.empty()))
    return usage("'sluice cache' takes one of --list, --clear and --limit, "
                 "and no kind with the last");
  std::string root = sluice::cacheDirectory();
  if (root.empty())
    return problem(
        "there is no folder for the cache: set HOME or SLUICE_CACHE_DIR");
  if (line.has(OPT_limit))
    return changeLimit(line.value(OPT_limit), root);
  if (clears)
    clear(*kinds, root);
  else if (lists)
    printEntries(*kinds, root);
  else
    printTable(*kinds, root);
  return exitFine;
}
