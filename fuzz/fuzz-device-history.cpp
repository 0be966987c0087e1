//===- fuzz-device-history.cpp - Fuzzes the file of nodes' times ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever stands in the file, reading it gives entries that are written and
// read as the same entries, and that places can be chosen by.
//
//===----------------------------------------------------------------------===//

#include "History.h"

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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<DeviceTiming> timings = parseDeviceHistory(
      std::string_view(reinterpret_cast<const char *>(data), size));
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
  return 0;
}
