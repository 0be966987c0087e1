//===- Temporary.h - Files that must not stay -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever is written takes its final name when it is complete; until then it
// has no name, or one that nobody can guess where the file system wants one.
// Such files go with the object that made them, and when a signal ends a tool.
// What a killed process left is removed by the next one that writes there: a
// lock says whose owner still lives.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TEMPORARY_H
#define SLUICE_BASE_TEMPORARY_H

#include "sluice/Base/Status.h"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace sluice {

/// A new file beside its later place; removed unless it is moved there.
class TemporaryFile {
public:
  /// Makes an empty file beside `place`. The bits of `mode` that the umask
  /// takes away are missing. It has no name where the file system allows that
  /// and it `mayBeNameless`: then even SIGKILL leaves nothing behind.
  static Result<TemporaryFile> create(const std::string &place, mode_t mode,
                                      bool mayBeNameless = true);

  TemporaryFile(TemporaryFile &&other) noexcept;
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  /// Empty while the file has no name.
  const std::string &getPath() const { return path; }
  int getDescriptor() const { return descriptor; }
  /// Appends `content`.
  Status write(std::string_view content);
  /// Moves the file to its place; a file that was there is replaced.
  Status keep();

private:
  TemporaryFile(std::string place, std::string path, int descriptor);
  /// Gives a file without a name one beside its place.
  Status name();

  std::string place, path;
  int descriptor;
  int slot;
};

/// Removes the files in `folder` that killed processes have not completed.
void removeUnfinished(const std::string &folder);

/// The folder for the temporary files of this process, made when it is asked
/// for: in the cache, or else below TMPDIR. It is removed when the process
/// ends. Folders that processes left which were killed are removed first.
Result<std::string> workFolder();

/// A path in the work folder that nothing has: a random name with `ending`.
Result<std::string> workPath(std::string_view ending);

/// Removes the work folder now, for a process that turns into another program.
void removeWorkFolder();

/// Removes all temporary files of this process; for handlers of signals.
void removeTemporaries();

/// For the tools: signals that end the process remove its temporary files.
void removeTemporariesOnSignals();

} // namespace sluice

#endif // SLUICE_BASE_TEMPORARY_H
