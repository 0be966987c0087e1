//===- TileWay.cpp - Ways of running nodes strip by strip -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice tune` writes the file and users may edit it, so errors are reported
// with their line. Only `sluice tune` reads the measurements that programs
// write: a line per graph and size, with fields separated by tabs.
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/Plan/TileWay.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>

using namespace sluice;

static constexpr std::pair<std::string_view, TileWay::Kind> kinds[] = {
    {"automatic", TileWay::Kind::Automatic},
    {"one-by-one", TileWay::Kind::OneByOne},
    {"strips", TileWay::Kind::Strips},
    {"windows", TileWay::Kind::Windows}};

static std::string_view kindText(TileWay::Kind kind) {
  return kinds[static_cast<size_t>(kind)].first;
}

/// Calls `use(name, value)` for the numbers of a way that are not 0.
template <typename Use> static void forNumbers(const TileWay &way, Use &&use) {
  if (way.rows)
    use("rows", way.rows);
  if (way.nodes)
    use("nodes", way.nodes);
  if (way.pieces)
    use("pieces", way.pieces);
}

std::string sluice::describeWay(const TileWay &way) {
  std::string text(kindText(way.kind));
  forNumbers(way, [&](std::string_view name, uint32_t number) {
    text += concat(", ", name, " = ", number);
  });
  return text;
}

unsigned sluice::tileClassOf(uint64_t bytes) {
  return std::min<unsigned>(std::bit_width(bytes | 1) - 1, numTileClasses - 1);
}

static constexpr std::string_view units[] = {"", "K", "M", "G", "T"};

std::string sluice::tileClassText(unsigned sizeClass) {
  return concat(uint64_t(1) << sizeClass % 10, units[sizeClass / 10]);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

template <typename Number>
static std::optional<Number> toNumber(std::string_view text) {
  Number value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end)
    return std::nullopt;
  return value;
}

static std::optional<unsigned> classFromText(std::string_view text) {
  for (unsigned i = 0; i < numTileClasses; ++i)
    if (text == tileClassText(i))
      return i;
  return std::nullopt;
}

namespace {
class WaysReader {
public:
  Status readLine(std::string_view text);
  /// Checks that the section that ends is complete.
  Status finishSection();
  std::vector<TunedGraph> found;
  unsigned line = 0;

private:
  Status problem(std::string what) const {
    return Status::invalidArgument(concat("line ", line, ": ", what));
  }
  Status readHeader(std::string_view text);
  Status readEntry(std::string_view name, std::string_view value);

  bool hasKind = false;
};
} // namespace

Status WaysReader::readHeader(std::string_view text) {
  if (!text.ends_with(']'))
    return problem("expected '[GRAPH]' or '[GRAPH SIZE]'");
  text = trimmed(text.substr(1, text.size() - 2));
  TunedGraph tuned;
  const size_t blank = text.find_last_of(" \t");
  if (blank != std::string_view::npos) {
    std::string_view size = text.substr(blank + 1);
    tuned.sizeClass = classFromText(size);
    if (!tuned.sizeClass)
      return problem(concat(quoted(size), " is no size, expected a power of 2 "
                                          "such as 512K or 4M"));
    text = trimmed(text.substr(0, blank));
  }
  if (text.empty())
    return problem("the section has no name of a graph");
  tuned.graph = text;
  for (const TunedGraph &other : found)
    if (other.graph == tuned.graph && other.sizeClass == tuned.sizeClass)
      return problem(
          concat("the section of ", quoted(text), " stands in the file twice"));
  found.push_back(std::move(tuned));
  hasKind = false;
  return {};
}

Status WaysReader::readEntry(std::string_view name, std::string_view value) {
  TileWay &way = found.back().way;
  if (name == "way") {
    auto kind =
        std::find_if(std::begin(kinds), std::end(kinds),
                     [&](const auto &known) { return known.first == value; });
    if (kind == std::end(kinds))
      return problem(concat(quoted(value),
                            " is no way, expected 'windows', 'strips', "
                            "'one-by-one' or 'automatic'"));
    way.kind = kind->second;
    hasKind = true;
    return {};
  }
  uint32_t *number = name == "rows"     ? &way.rows
                     : name == "nodes"  ? &way.nodes
                     : name == "pieces" ? &way.pieces
                                        : nullptr;
  if (!number)
    return problem(concat(quoted(name), " is unknown, expected 'way', 'rows', "
                                        "'nodes' or 'pieces'"));
  std::optional<uint32_t> parsed = toNumber<uint32_t>(value);
  if (!parsed || !*parsed || *parsed > maxTileNumber)
    return problem(
        concat(quoted(value), " is no number from 1 to ", maxTileNumber));
  *number = *parsed;
  return {};
}

Status WaysReader::finishSection() {
  if (found.empty())
    return {};
  const TunedGraph &last = found.back();
  const std::string where = concat("the section of ", quoted(last.graph));
  if (!hasKind)
    return problem(concat(where, ", which ends here, has no 'way'"));
  using Kind = TileWay::Kind;
  const bool hasStrips =
      last.way.kind == Kind::Strips || last.way.kind == Kind::Windows;
  if (hasStrips && !last.way.rows)
    return problem(concat(where, ", which ends here, has no 'rows'"));
  const char *extra =
      !hasStrips && last.way.rows                         ? "rows"
      : last.way.kind != Kind::Strips && last.way.nodes   ? "nodes"
      : last.way.kind != Kind::Windows && last.way.pieces ? "pieces"
                                                          : nullptr;
  if (extra)
    return problem(concat(where, ", which ends here, has ", quoted(extra),
                          ", of which ", quoted(kindText(last.way.kind)),
                          " has none"));
  return {};
}

Status WaysReader::readLine(std::string_view text) {
  ++line;
  text = trimmed(text.substr(0, text.find_first_of(";#")));
  if (text.empty())
    return {};
  if (text.front() == '[') {
    if (Status status = finishSection(); !status.ok())
      return status;
    return readHeader(text);
  }
  if (found.empty())
    return problem("expected '[GRAPH]' or '[GRAPH SIZE]' first");
  const size_t sign = text.find('=');
  if (sign == std::string_view::npos)
    return problem("expected 'NAME = VALUE'");
  return readEntry(trimmed(text.substr(0, sign)),
                   trimmed(text.substr(sign + 1)));
}

Result<std::vector<TunedGraph>>
sluice::parseTunedGraphs(std::string_view text) {
  WaysReader reader;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (Status status = reader.readLine(text.substr(0, end)); !status.ok())
      return status;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (Status status = reader.finishSection(); !status.ok())
    return status;
  return std::move(reader.found);
}

Result<std::vector<TunedGraph>>
sluice::readTunedGraphs(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return Status::invalidArgument(
        concat("cannot read ", quoted(path), ": ", systemErrorText(errno)));
  std::string text;
  char block[4096];
  while (size_t size = std::fread(block, 1, sizeof(block), file))
    text.append(block, size);
  const bool isRead = !std::ferror(file);
  const int error = errno;
  std::fclose(file);
  if (!isRead)
    return Status::invalidArgument(
        concat("cannot read ", quoted(path), ": ", systemErrorText(error)));
  Result<std::vector<TunedGraph>> found = parseTunedGraphs(text);
  if (!found.ok())
    return Status::invalidArgument(
        concat(path, ", ", found.status().message()));
  return found;
}

std::string sluice::formatTunedGraph(const TunedGraph &tuned) {
  std::string text = concat('[', tuned.graph);
  if (tuned.sizeClass)
    text += concat(' ', tileClassText(*tuned.sizeClass));
  text += concat("]\nway = ", kindText(tuned.way.kind), '\n');
  forNumbers(tuned.way, [&](std::string_view name, uint32_t number) {
    text += concat(name, " = ", number, '\n');
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

std::string sluice::formatTiledTimes(std::span<const TiledTimes> times) {
  std::string text;
  for (const TiledTimes &one : times)
    text += concat(one.graph, '\t', one.sizeClass, '\t', one.rows, '\t',
                   one.nodes, '\t', int(one.mayKeepWindows), '\t', one.launches,
                   '\t', one.fastest, '\t', one.total, '\n');
  return text;
}

static std::optional<TiledTimes> parseTimesLine(std::string_view line) {
  TiledTimes times;
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos || tab == 0)
    return std::nullopt;
  times.graph = line.substr(0, tab);
  line.remove_prefix(tab + 1);
  uint64_t numbers[7];
  for (uint64_t &number : numbers) {
    const size_t end = std::min(line.find('\t'), line.size());
    std::optional<uint64_t> parsed = toNumber<uint64_t>(line.substr(0, end));
    if (!parsed)
      return std::nullopt;
    number = *parsed;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (!line.empty() || numbers[0] >= numTileClasses)
    return std::nullopt;
  times.sizeClass = static_cast<unsigned>(numbers[0]);
  times.rows = numbers[1];
  times.nodes = static_cast<uint32_t>(numbers[2]);
  times.mayKeepWindows = numbers[3] != 0;
  times.launches = numbers[4];
  times.fastest = numbers[5];
  times.total = numbers[6];
  return times;
}

std::vector<TiledTimes> sluice::parseTiledTimes(std::string_view text) {
  std::vector<TiledTimes> found;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    // A line without a terminator was cut.
    if (end == std::string_view::npos)
      break;
    if (std::optional<TiledTimes> one = parseTimesLine(text.substr(0, end)))
      found.push_back(std::move(*one));
    text.remove_prefix(end + 1);
  }
  return found;
}
