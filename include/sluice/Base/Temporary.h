//===- Temporary.h - Files that are removed again -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file gets its final name when it is complete. Until then it has no name or,
// if the file system does not support that, a random one. Such files are
// removed with the object that made them, and when a signal ends a tool. The
// files of a killed process are removed by the next process that writes there:
// a lock shows whose owner is still running.
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
  /// Makes an empty file beside `place`, with `mode` less the umask. It has no
  /// name if the file system supports that and it `mayBeNameless`: then not
  /// even SIGKILL leaves a file behind.
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

/// How names of temporary files beside their places begin and end.
inline constexpr std::string_view temporaryPrefix = ".sluice-";
inline constexpr std::string_view temporarySuffix = ".tmp";

/// The path of a temporary file that others know as well: signals that remove
/// those of this process remove it, while this lives.
class TemporaryPath {
public:
  explicit TemporaryPath(const std::string &path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;

private:
  const int slot;
};

/// Removes the files in `folder` that killed processes have not completed.
void removeUnfinished(const std::string &folder);

/// Whether the disk of a folder has room for what compilers and linkers write.
bool hasSpaceToWork(const std::string &folder);

/// The folder for the temporary files of this process, made when it is asked
/// for: in the cache, or else below TMPDIR. It is removed when the process
/// ends. Folders that processes left which were killed are removed first.
Result<std::string> workFolder();

/// An unused path in the work folder: a random name with `ending`.
Result<std::string> workPath(std::string_view ending);

/// Removes the work folder now, for a process that turns into another program.
void removeWorkFolder();

/// Removes all temporary files of this process; for handlers of signals.
void removeTemporaries();

/// Signals that end the process remove its temporary files, where nobody else
/// handles them.
void removeTemporariesOnSignals();
/// So do crashes, before those that handle them.
void removeTemporariesOnCrashes();

} // namespace sluice

#endif // SLUICE_BASE_TEMPORARY_H
