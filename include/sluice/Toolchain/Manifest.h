//===- Manifest.h - What a kept program was made from -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a program by what clang would preprocess needs clang. A manifest
// lists what it read, with sizes and times, so that most runs need not ask it.
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

/// Dependencies that are no files: the code holds the day when it was compiled,
/// or something that nobody can foresee, such as the time, or files that the
/// assembler reads.
inline constexpr char dependsOnDay[] = "//day";
inline constexpr char dependsOnMore[] = "//more";

} // namespace sluice

namespace sluice::driver {

/// The paths that a program depends on, each with what was there.
class Manifest {
public:
  /// Looks at `paths`, which a build has used since `start`, in nanoseconds of
  /// fileTime; none if one of them has changed since, or if the program depends
  /// on more than files.
  static std::optional<Manifest> of(llvm::ArrayRef<std::string> paths,
                                    int64_t start);
  /// What `text` was.
  static std::optional<Manifest> parse(llvm::StringRef text);

  std::string text() const;
  /// True if everything is as it was.
  bool holds() const;
  std::vector<std::string> paths() const;

private:
  struct Entry {
    std::string path, state;
  };
  std::vector<Entry> entries;
};

/// Those of `paths` that are not the system's.
std::vector<std::string> pathsOfUser(llvm::ArrayRef<std::string> paths);

/// Those of `paths` that are files now and not the system's.
std::vector<std::string> filesOfUser(llvm::ArrayRef<std::string> paths);

/// Whether any of the files, or a link to one, changed at `start` or later.
bool haveChangedSince(llvm::ArrayRef<std::string> paths, int64_t start);

/// The time by which the system stamps files.
int64_t fileTime();

/// Whatever tells a file from another that has its name: sizes, times that
/// nobody can set, the number of its inode. Empty if there is none.
std::string exactStamp(llvm::StringRef path);

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_MANIFEST_H
