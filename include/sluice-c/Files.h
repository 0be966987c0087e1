//===- Files.h - Files that tasks read and write in parts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tasks and host statements of programs over regions: each point reads or
// writes the elements that it has, so no process needs all of an array. A file
// has the elements of a field as they are in memory, in the order of the root,
// from some byte on.
//
// What is written goes to a temporary file beside its place, one for all ranks,
// which takes the place of `file` when the graph has ended on all of them. So
// whoever reads `file` in the same graph reads the old one. If the program
// fails before, the old file stays as it is, and the temporary one is removed.
// Bytes that nobody writes are zero.
//
// The functions may be called by many tasks at the same time. Tasks that write
// the same bytes of a file must be ordered. What goes wrong is an error of the
// task that calls them, and ends the program.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_FILES_H
#define SLUICE_C_FILES_H

#include "sluice-c/Runtime.h"
#include "sluice-c/Tasks.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads the elements of `domain`. The root's first element stands at byte
/// `offset` of the file; `field` is the pointer that the task has for a field,
/// and `elementBytes` the size of its elements.
SLUICE_EXPORT void sluiceReadElements(const char *file, uint64_t offset,
                                      const SluiceDomain *domain, void *field,
                                      uint64_t elementBytes);
/// Writes them, likewise.
SLUICE_EXPORT void sluiceWriteElements(const char *file, uint64_t offset,
                                       const SluiceDomain *domain,
                                       const void *field,
                                       uint64_t elementBytes);
/// Writes bytes to a place of such a file: what stands in front of the
/// elements, for example.
SLUICE_EXPORT void sluiceWriteBytes(const char *file, uint64_t offset,
                                    const void *data, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_FILES_H */
