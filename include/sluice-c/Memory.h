//===- Memory.h - Parts of memory on devices ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most programs need only requestMemory (see Runtime.h). These functions are
// for programs that access a part of a large memory block between launches,
// such as a column or a border. They transfer only the bytes of that part.
// Parts are layouts of Pack, made by LPK_Vector and similar functions, or
// written as text in the grammar of docs/pack.md.
//
// Misuse prints "sluice: error: ..." and ends the process with exit code 1.
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

/// Like sluiceRequestMemory, for exactly the bytes of `count` instances of a
/// layout: waits until nothing writes the memory, and fetches bytes that are
/// valid only on a device. Devices' copies of these bytes are stale from then
/// on. `base` is the address of displacement 0. All bytes must lie in memory
/// that is tracked as one block. Returns `base`.
SLUICE_EXPORT void *sluiceRequestMemoryText(void *base, const char *layout,
                                            int64_t count);
/// Begins to send the bytes of such a part that a device (`place` from 1 to
/// sluiceNumDevices()) does not have yet, before a node there needs them. With
/// place 0, fetches the bytes to the host; the devices' copies stay valid.
SLUICE_EXPORT void sluiceSendMemoryText(void *base, const char *layout,
                                        int64_t count, unsigned place);

/// Returns the text of a layout, which the caller frees, or null if the handle
/// is invalid.
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

/// The same functions for handles of layouts.
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

/// Memory traffic and use of a device since it was opened, in bytes.
typedef struct SluiceMemoryCounters {
  uint64_t sent;           ///< from the host to the device
  uint64_t fetched;        ///< from the device to the host
  uint64_t hit;            ///< read by kernels and already on the device
  uint64_t evicted;        ///< in buffers that were evicted to make room
  uint64_t inBuffers;      ///< now; includes buffers kept for later uses
  uint64_t peak;           ///< largest value of inBuffers so far
  uint64_t numSends;       ///< operations that moved `sent`
  uint64_t numFetches;     ///< operations that moved `fetched`
  uint64_t numEvictions;   ///< buffers that were evicted
  uint64_t numAllocations; ///< buffers that the device made
} SluiceMemoryCounters;

/// Returns the counters of a device, 1 to sluiceNumDevices(); all members are 0
/// for other numbers.
SLUICE_EXPORT void sluiceGetMemoryCounters(unsigned place,
                                           SluiceMemoryCounters *counters);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_MEMORY_H
