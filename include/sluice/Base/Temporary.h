//===- Temporary.h - Temporary files --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file gets its final name when it is complete. Until then it has no name or,
// if the file system does not support that, a random one. Such files are
// removed with the object that made them, and when a signal ends a tool. The
// next process that writes to the folder removes the files of killed processes:
// a lock shows whether the owner still runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TEMPORARY_H
#define SLUICE_BASE_TEMPORARY_H

#include "sluice/Base/Status.h"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace sluice {

/// A new file next to its final place; removed unless it is moved there.
class TemporaryFile {
public:
  /// Makes an empty file next to `place`, with `mode` less the umask. It has no
  /// name if the file system supports that and `mayBeNameless` is set: then not
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
  /// Moves the file to its place, replacing an existing file.
  Status keep();

private:
  TemporaryFile(std::string place, std::string path, int descriptor, int slot);
  /// Gives a nameless file a name next to its place.
  Status name();

  std::string place, path;
  int descriptor;
  int slot;
};

/// Prefix and suffix of the names of temporary files.
inline constexpr std::string_view temporaryPrefix = ".sluice-";
inline constexpr std::string_view temporarySuffix = ".tmp";

/// The path of a temporary file that other code also uses. While the object
/// lives, signals that remove the files of this process remove this file, too.
class TemporaryPath {
public:
  explicit TemporaryPath(const std::string &path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;

private:
  const int slot;
};

/// Removes incomplete files in `folder` that killed processes left.
void removeUnfinished(const std::string &folder);

/// Whether the disk of a folder has room for the output of compilers and
/// linkers.
bool hasSpaceToWork(const std::string &folder);

/// The folder for the temporary files of this process, made on first use: in
/// the cache, or else below TMPDIR. It is removed when the process ends.
/// Folders of killed processes are removed first.
Result<std::string> workFolder();

/// An unused path in the work folder: a random name with `ending`.
Result<std::string> workPath(std::string_view ending);

/// Removes the work folder now, for a process that will execute another
/// program.
void removeWorkFolder();

/// Removes all temporary files of this process; for signal handlers.
void removeTemporaries();

/// Installs handlers that remove the temporary files on signals that end the
/// process, unless other handlers are installed.
void removeTemporariesOnSignals();
/// Whether `handler` is that of removeTemporariesOnSignals(), after which the
/// process ends.
bool isTemporariesHandler(void (*handler)(int));
/// The same for crashes; runs before other handlers of crashes.
void removeTemporariesOnCrashes();

} // namespace sluice

#endif // SLUICE_BASE_TEMPORARY_H
