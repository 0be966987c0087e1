//===- RecordFile.h - The file that a record is written to ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record must be there when the program is not any more, and must not cost
// the program its result when the disk is full.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_RECORDFILE_H
#define SLUICE_RUNTIME_RECORD_RECORDFILE_H

#include "RecordFormat.h"

#include "sluice/Base/Status.h"

#include <memory>
#include <string>

namespace sluice {

/// Events are appended at once, so that they are there whatever becomes of the
/// process. Used by one thread at a time.
class RecordFile {
public:
  /// Makes the folder if it is missing, and takes the place of the record in
  /// it. Refused if another process writes one there.
  static Result<std::unique_ptr<RecordFile>> open(const std::string &directory,
                                                  uint64_t limit);
  ~RecordFile();

  /// Does nothing once the record has ended. Where the disk is full, it ends
  /// with the event before, and a warning says so.
  void append(RecordEvent event, std::string_view content);
  /// Whether contents of that size still fit into `limit`; if so, they count.
  bool takeRoom(uint64_t bytes);
  /// Nothing more is written; `why` says what is missing from here on, and is
  /// empty at the end of the program.
  void end(const std::string &why);
  bool hasEnded() const { return descriptor < 0; }

private:
  RecordFile(std::string path, int descriptor, uint64_t limit)
      : path(std::move(path)), descriptor(descriptor), limit(limit) {}
  bool write(RecordEvent event, std::string_view content);
  void close();

  const std::string path;
  int descriptor;
  const uint64_t limit;
  uint64_t size = 0, numKept = 0;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_RECORDFILE_H
