//===- Memory.h - Parts of memory on devices ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most programs need only requestMemory (see Runtime.h). These functions are
// for programs that access a part of large memory between launches, a column or
// a border: only the bytes of that part are transferred. Parts are layouts of
// Pack: made by LPK_Vector and the like, or written as text in the grammar of
// docs/pack.md.
//
// A misuse prints "sluice: error: ..." and ends the process with exit code 1.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_MEMORY_H
#define SLUICE_C_MEMORY_H

#include "sluice-c/Pack.h"
#include "sluice-c/Runtime.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/// As sluiceRequestMemory for exactly the bytes of `count` instances of a
/// layout: blocks until nothing writes the memory and brings home what only a
/// device has; devices' copies of these bytes count as old from now on. `base`
/// is the address that displacement 0 means. All bytes must lie in memory that
/// is tracked as one. Returns `base`.
SLUICE_EXPORT void *sluiceRequestMemoryText(void *base, const char *layout,
                                            int64_t count);
/// Begins to send the bytes of such a part that a device, 1 to
/// sluiceNumDevices(), does not have, before a node there needs them. With 0,
/// fetches them to the host; the devices' copies stay valid.
SLUICE_EXPORT void sluiceSendMemoryText(void *base, const char *layout,
                                        int64_t count, unsigned place);

/// The text of a layout, to be freed; null if the handle is none.
static inline char *sluiceLayoutText(LPK_Datatype layout) {
  LPK_Count length = 0;
  char *text;
  if (LPK_To_text(layout, NULL, 0, &length) != LPK_SUCCESS)
    return NULL;
  text = (char *)malloc((size_t)length + 1);
  if (text)
    LPK_To_text(layout, text, length + 1, &length);
  return text;
}

/// The same for handles of layouts.
///@{
static inline void *sluiceRequestMemoryPart(void *base, LPK_Datatype layout,
                                            int64_t count) {
  char *text = sluiceLayoutText(layout);
  sluiceRequestMemoryText(base, text, count);
  free(text);
  return base;
}
static inline void sluiceSendMemoryPart(void *base, LPK_Datatype layout,
                                        int64_t count, unsigned place) {
  char *text = sluiceLayoutText(layout);
  sluiceSendMemoryText(base, text, count, place);
  free(text);
}
///@}

/// What a device's memory has cost since the device was opened; in bytes.
typedef struct SluiceMemoryCounters {
  uint64_t sent;           ///< from the host to the device
  uint64_t fetched;        ///< from the device to the host
  uint64_t hit;            ///< read by kernels, and there already
  uint64_t evicted;        ///< in buffers that made room for others
  uint64_t inBuffers;      ///< now, those kept for later uses included
  uint64_t peak;           ///< the most that there were
  uint64_t numSends;       ///< operations that moved `sent`
  uint64_t numFetches;     ///< operations that moved `fetched`
  uint64_t numEvictions;   ///< buffers that made room
  uint64_t numAllocations; ///< buffers that the device made
} SluiceMemoryCounters;

/// Of a device, 1 to sluiceNumDevices(); 0 in all members for other numbers.
SLUICE_EXPORT void sluiceGetMemoryCounters(unsigned place,
                                           SluiceMemoryCounters *counters);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_MEMORY_H
