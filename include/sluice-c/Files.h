//===- Files.h - Files that tasks read and write in parts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tasks and host statements of programs over regions. Each point reads or
// writes only its own elements, so no process needs the whole array. From a
// given byte on, a file contains the elements of a field as they are in memory,
// in the order of the root.
//
// Written data goes to a temporary file next to `file`, one for all ranks,
// which replaces `file` when the graph has ended on all ranks. So readers of
// `file` in the same graph read the old file. If the program fails before that,
// the old file stays unchanged and the temporary file is removed. Bytes that
// nobody writes are zero.
//
// Many tasks may call the functions at the same time. Tasks that write the same
// bytes of a file must be ordered. An error is an error of the calling task and
// ends the program.
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

/// Reads the elements of `domain`. The root's first element is at byte `offset`
/// of the file. `field` is the task's pointer for a field, and `elementBytes`
/// the size of the field's elements.
SLUICE_EXPORT void sluiceReadElements(const char *file, uint64_t offset,
                                      const SluiceDomain *domain, void *field,
                                      uint64_t elementBytes);
/// Writes the elements of `domain`; the parameters are those of
/// sluiceReadElements.
SLUICE_EXPORT void sluiceWriteElements(const char *file, uint64_t offset,
                                       const SluiceDomain *domain,
                                       const void *field,
                                       uint64_t elementBytes);
/// Writes bytes to a position of such a file, for example a header before the
/// elements.
SLUICE_EXPORT void sluiceWriteBytes(const char *file, uint64_t offset,
                                    const void *data, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_FILES_H */
