//===- WrittenFiles.cpp - Files that a task writes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths are made absolute when the task begins: it may change the folder.
//
//===----------------------------------------------------------------------===//

#include "WrittenFiles.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <unistd.h>

using namespace sluice::tasks;

void WrittenFiles::begin(const char *const *paths, uint32_t count) {
  files.clear();
  for (uint32_t i = 0; i < count; ++i) {
    std::error_code failed;
    std::string path = std::filesystem::absolute(paths[i], failed).string();
    File &file = files.emplace_back(File{failed ? paths[i] : path, false, {}});
    file.existed = ::stat(file.path.c_str(), &file.before) == 0;
  }
}

static bool isSame(const struct timespec &first,
                   const struct timespec &second) {
  return first.tv_sec == second.tv_sec && first.tv_nsec == second.tv_nsec;
}

void WrittenFiles::removeChanged() {
  for (const File &file : files) {
    struct stat now;
    if (::stat(file.path.c_str(), &now) != 0 || !S_ISREG(now.st_mode))
      continue;
    const struct stat &before = file.before;
    if (file.existed && before.st_dev == now.st_dev &&
        before.st_ino == now.st_ino && before.st_size == now.st_size &&
        isSame(before.st_mtim, now.st_mtim) &&
        isSame(before.st_ctim, now.st_ctim))
      continue;
    // Of a link, what it leads to was written.
    std::unique_ptr<char, decltype(&std::free)> target(
        ::realpath(file.path.c_str(), nullptr), std::free);
    ::unlink(target ? target.get() : file.path.c_str());
  }
  files.clear();
}
