//===- fuzz-device-history.cpp - Fuzzes the file of nodes' times ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever stands in the file, reading it gives entries that are written and
// read as the same entries, and that places can be chosen by. Checksums keep
// most that is damaged from being read, so that it is tried with right ones,
// too.
//
//===----------------------------------------------------------------------===//

#include "History.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace sluice;

static void expect(bool isTrue, const char *what) {
  if (isTrue)
    return;
  std::fprintf(stderr, "fuzz-device-history: %s\n", what);
  std::abort();
}

/// The header, and all lines with another last field.
static std::string withChecksums(std::string_view text) {
  std::string out = formatDeviceHistory({});
  text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = line.substr(0, line.rfind('\t'));
    out +=
        concat(line, '\t', ContentHash().add(line).text().substr(0, 8), '\n');
  }
  return out;
}

static void check(std::string_view input) {
  std::vector<DeviceTiming> timings = parseDeviceHistory(input);
  std::string text = formatDeviceHistory(timings);
  expect(formatDeviceHistory(parseDeviceHistory(text)) == text,
         "an entry is not read as it was written");
  NodeHistory history;
  const MemoryPlace places[] = {0, 1};
  for (const DeviceTiming &timing : timings) {
    history.load(timing.runs % 2, timing);
    expect(history.choose(places, uint64_t(1) << timing.sizeClass).place < 2,
           "a place that is none was chosen");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  check(text);
  check(withChecksums(text));
  return 0;
}
