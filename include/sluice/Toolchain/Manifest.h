//===- Manifest.h - The sources of a cached program -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a cached program by its preprocessed source requires clang. A
// manifest lists the files that clang read, with sizes and times, so that most
// runs need not start clang.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_MANIFEST_H
#define SLUICE_TOOLCHAIN_MANIFEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// Dependencies that are not files: the code contains the day of its
/// compilation, or something unpredictable, such as the time, or files that the
/// assembler reads.
inline constexpr char dependsOnDay[] = "//day";
inline constexpr char dependsOnMore[] = "//more";

} // namespace sluice

namespace sluice::driver {

/// The paths on which a program depends, each with its state.
class Manifest {
public:
  /// Examines `paths`, which a build has used since `start`, in nanoseconds of
  /// fileTime. None if one of them has changed since then, or if the program
  /// depends on more than files.
  static std::optional<Manifest> of(llvm::ArrayRef<std::string> paths,
                                    int64_t start);
  /// Parses the text of a manifest.
  static std::optional<Manifest> parse(llvm::StringRef text);

  std::string text() const;
  /// True if nothing has changed.
  bool holds() const;
  std::vector<std::string> paths() const;

private:
  struct Entry {
    std::string path, state;
  };
  std::vector<Entry> entries;
};

/// The `paths` that do not belong to the system.
std::vector<std::string> pathsOfUser(llvm::ArrayRef<std::string> paths);

/// The `paths` that are existing files and do not belong to the system.
std::vector<std::string> filesOfUser(llvm::ArrayRef<std::string> paths);

/// Whether any of the files, or a link to one, changed at `start` or later.
bool haveChangedSince(llvm::ArrayRef<std::string> paths, int64_t start);

/// The current time of the clock for file time stamps.
int64_t fileTime();

/// Text that distinguishes a file from others with the same name: sizes, times
/// that nobody can set, the inode number. Empty if there is no file.
std::string exactStamp(llvm::StringRef path);

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_MANIFEST_H
