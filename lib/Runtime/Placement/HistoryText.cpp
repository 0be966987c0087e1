//===- HistoryText.cpp - Measured times of nodes as text ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line per entry, with fields separated by tabs and a checksum per line, so
// that a damaged line costs one entry. Times and sizes are bounded, so that
// later computations cannot overflow.
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/Placement/DeviceHistory.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

using namespace sluice;

static constexpr std::string_view header = "sluice device history 2\n";
/// A day; nodes that are placed by their times never take longer.
static constexpr uint64_t longestTime = 86400000000000;
static constexpr uint64_t maxCount = uint64_t(1) << 48;
static constexpr size_t longestName = 1024;

uint64_t DeviceTiming::median() const {
  std::vector<uint64_t> sorted = nanoseconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[(sorted.size() - 1) / 2];
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// Writes control characters and '%' as "%0A".
static std::string escaped(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '%' && byte != 0x7f)
      out += c;
    else
      out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

static int hexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

static std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3 || hexDigit(text[i + 1]) < 0 ||
        hexDigit(text[i + 2]) < 0)
      return std::nullopt;
    out +=
        static_cast<char>(hexDigit(text[i + 1]) << 4 | hexDigit(text[i + 2]));
    i += 2;
  }
  return out;
}

namespace {
/// Reads the fields of a line one after another; a wrong field makes the whole
/// line invalid.
class FieldReader {
public:
  explicit FieldReader(std::string_view line) : rest(line) {}
  std::string name() {
    std::optional<std::string> text = unescaped(next());
    isGood = isGood && text && !text->empty() && text->size() <= longestName;
    return isGood ? *text : std::string();
  }
  uint64_t number(uint64_t max) { return toNumber(next(), max); }
  std::vector<uint64_t> numbers(uint64_t max) {
    std::vector<uint64_t> out;
    std::string_view list = next();
    for (bool more = true; more && isGood;) {
      size_t comma = list.find(',');
      out.push_back(toNumber(list.substr(0, comma), max));
      more = comma != std::string_view::npos;
      list.remove_prefix(more ? comma + 1 : list.size());
      isGood = isGood && out.size() <= DeviceTiming::maxSamples;
    }
    return out;
  }
  bool isAtGoodEnd() const { return isGood && isOver; }

private:
  std::string_view next() {
    isGood = isGood && !isOver;
    size_t tab = rest.find('\t');
    std::string_view field = rest.substr(0, tab);
    isOver = tab == std::string_view::npos;
    rest.remove_prefix(isOver ? rest.size() : tab + 1);
    return field;
  }
  uint64_t toNumber(std::string_view text, uint64_t max) {
    uint64_t value = 0;
    const char *end = text.data() + text.size();
    auto [last, error] = std::from_chars(text.data(), end, value);
    isGood = isGood && error == std::errc() && last == end && value <= max;
    return value;
  }
  std::string_view rest;
  bool isGood = true;
  bool isOver = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static std::string checksum(std::string_view line) {
  return ContentHash().add(line).text().substr(0, 8);
}

static std::optional<DeviceTiming> parseLine(std::string_view line) {
  size_t tab = line.rfind('\t');
  if (tab == std::string_view::npos ||
      line.substr(tab + 1) != checksum(line.substr(0, tab)))
    return std::nullopt;
  FieldReader fields(line.substr(0, tab));
  DeviceTiming timing;
  timing.hash = fields.name();
  timing.program = fields.name();
  timing.node = fields.name();
  timing.place = fields.name();
  timing.sizeClass = static_cast<unsigned>(fields.number(63));
  timing.runs = fields.number(maxCount);
  timing.lastUse = fields.number(maxCount);
  timing.nanoseconds = fields.numbers(longestTime);
  if (!fields.isAtGoodEnd())
    return std::nullopt;
  return timing;
}

static std::string formatLine(const DeviceTiming &timing) {
  std::string line = concat(
      escaped(timing.hash), '\t', escaped(timing.program), '\t',
      escaped(timing.node), '\t', escaped(timing.place), '\t', timing.sizeClass,
      '\t', std::min(timing.runs, maxCount), '\t', timing.lastUse);
  char separator = '\t';
  for (uint64_t time : timing.nanoseconds) {
    line += concat(separator, std::min(time, longestTime));
    separator = ',';
  }
  return concat(line, '\t', checksum(line), '\n');
}

std::vector<DeviceTiming> sluice::parseDeviceHistory(std::string_view text) {
  std::vector<DeviceTiming> timings;
  if (!text.starts_with(header))
    return timings;
  text.remove_prefix(header.size());
  std::map<std::tuple<std::string, std::string, std::string, unsigned>, bool>
      seen;
  while (!text.empty() && timings.size() < maxDeviceTimings) {
    size_t end = text.find('\n');
    // A line without a terminator was cut.
    if (end == std::string_view::npos)
      break;
    std::optional<DeviceTiming> timing = parseLine(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (timing && seen.try_emplace({timing->hash, timing->node, timing->place,
                                    timing->sizeClass})
                      .second)
      timings.push_back(std::move(*timing));
  }
  return timings;
}

/// Entries with names that the reader would refuse are not written.
static bool isWritable(const DeviceTiming &timing) {
  for (const std::string *name :
       {&timing.hash, &timing.program, &timing.node, &timing.place})
    if (name->empty() || name->size() > longestName)
      return false;
  return timing.sizeClass < 64 && !timing.nanoseconds.empty() &&
         timing.nanoseconds.size() <= DeviceTiming::maxSamples;
}

std::string sluice::formatDeviceHistory(std::span<const DeviceTiming> timings) {
  std::string text(header);
  for (const DeviceTiming &timing : timings)
    if (isWritable(timing))
      text += formatLine(timing);
  return text;
}
