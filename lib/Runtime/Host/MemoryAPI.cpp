//===- MemoryAPI.cpp - The C interface to parts of memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host requests, or sends ahead, only the bytes of an object that a layout
// describes.
//
//===----------------------------------------------------------------------===//

#include "HostAPI.h"
#include "HostRuntime.h"

#include "sluice-c/Memory.h"

using namespace sluice;

static const char *nameOf(const char *layout, const char *call) {
  if (!layout)
    endProcess(std::string(call) + " needs a layout, not a null pointer or a "
                                   "handle that was freed");
  return layout;
}

static void check(const Status &status) {
  if (!status.ok())
    endProcess(status.message());
}

void *sluiceRequestMemoryText(void *base, const char *layout, int64_t count) {
  const char *call = "requestMemory of a part";
  check(runtimeFor(call).requestMemoryPart(base, nameOf(layout, call), count));
  return base;
}

void sluiceSendMemoryText(void *base, const char *layout, int64_t count,
                          unsigned place) {
  const char *call = "sending a part of memory";
  check(runtimeFor(call).sendMemoryPart(base, nameOf(layout, call), count,
                                        place));
}

void sluiceGetMemoryCounters(unsigned place, SluiceMemoryCounters *counters) {
  MemoryCounters from =
      runtimeFor("memory counters").getTracker().counters(place);
  *counters = {from.bytesSent,     from.bytesFetched,   from.bytesHit,
               from.bytesEvicted,  from.bytesInBuffers, from.peakBytesInBuffers,
               from.numSends,      from.numFetches,     from.numEvictions,
               from.numAllocations};
}
