//===- RecordFile.h - The file of a record --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record must survive the program, and a full disk must not affect the
// program's result.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_RECORDFILE_H
#define SLUICE_RUNTIME_RECORD_RECORDFILE_H

#include "RecordFormat.h"

#include "sluice/Base/Status.h"

#include <memory>
#include <string>

namespace sluice {

/// Events are appended at once, so that they survive whatever happens to the
/// process. Used by one thread at a time.
class RecordFile {
public:
  /// Makes the folder if it is missing, and replaces the record in it. Refuses
  /// if another process is writing a record there.
  static Result<std::unique_ptr<RecordFile>> open(const std::string &directory,
                                                  uint64_t limit);
  ~RecordFile();

  /// Does nothing once the record has ended. If the disk is full, the record
  /// ends with the previous event, and a warning is printed.
  void append(RecordEvent event, std::string_view content);
  /// Whether contents of that size still fit into `limit`; if so, counts them.
  bool takeRoom(uint64_t bytes);
  /// Ends the record; `why` describes what is missing from here on, and is
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
