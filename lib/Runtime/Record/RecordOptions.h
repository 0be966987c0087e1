//===- RecordOptions.h - Settings of records ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of the runtime's settings, which contain nothing else about records.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_RECORDOPTIONS_H
#define SLUICE_RUNTIME_RECORD_RECORDOPTIONS_H

#include <cstdint>
#include <string>

namespace sluice {

struct RecordOptions {
  /// The folder of the record; empty: there is none.
  std::string directory;
  /// Maximum number of bytes of contents to keep.
  uint64_t bytes = uint64_t(256) << 20;
  /// Each node runs twice, to find nondeterministic nodes.
  bool verifies = false;
  /// Launches are runs of task graphs: memory has no content before its first
  /// use, and tasks cannot be run twice.
  bool ofTasks = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_RECORDOPTIONS_H
