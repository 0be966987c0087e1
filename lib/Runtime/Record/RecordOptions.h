//===- RecordOptions.h - What is kept of a run ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of the runtime have them, which knows nothing else of records.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_RECORDOPTIONS_H
#define SLUICE_RUNTIME_RECORD_RECORDOPTIONS_H

#include <cstdint>
#include <string>

namespace sluice {

struct RecordOptions {
  /// Where the record goes; empty: there is none.
  std::string directory;
  /// Of contents that are kept at most.
  uint64_t bytes = uint64_t(256) << 20;
  /// Each node runs twice, to find those that are not deterministic.
  bool verifies = false;
  /// Launches are runs of task graphs: memory holds nothing before it is first
  /// used, and tasks cannot be run twice.
  bool ofTasks = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_RECORDOPTIONS_H
