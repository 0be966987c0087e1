//===- WrittenFiles.cpp - Files that a task writes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths are made absolute when the task begins, because it may change the
// folder.
//
//===----------------------------------------------------------------------===//

#include "WrittenFiles.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <unistd.h>

using namespace sluice::tasks;

/// A hash of the first `size` bytes; for large files, of blocks distributed
/// over them.
static uint64_t hashOf(const std::string &path, uint64_t size) {
  constexpr uint64_t blockBytes = 64 << 10, maxBlocks = 64;
  std::ifstream file(path, std::ios::binary);
  uint64_t hash = size, numBlocks = (size + blockBytes - 1) / blockBytes;
  uint64_t count = std::min(numBlocks, maxBlocks);
  std::string block;
  for (uint64_t i = 0; i < count; ++i) {
    // Includes the first and the last block.
    uint64_t number = count == 1 ? 0 : i * (numBlocks - 1) / (count - 1);
    uint64_t begin = number * blockBytes;
    block.resize(std::min(blockBytes, size - begin));
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (!file)
      return ~hash;
    hash = hash * 0x9E3779B97F4A7C15u + std::hash<std::string>()(block);
  }
  return hash;
}

void WrittenFiles::begin(const char *const *paths, uint32_t count) {
  files.clear();
  for (uint32_t i = 0; i < count; ++i) {
    std::error_code failed;
    std::string path = std::filesystem::absolute(paths[i], failed).string();
    File &file =
        files.emplace_back(File{failed ? paths[i] : path, false, {}, 0});
    file.existed = ::stat(file.path.c_str(), &file.before) == 0;
    if (file.existed && S_ISREG(file.before.st_mode))
      file.hash = hashOf(file.path, static_cast<uint64_t>(file.before.st_size));
  }
}

static bool isSame(const struct timespec &first,
                   const struct timespec &second) {
  return first.tv_sec == second.tv_sec && first.tv_nsec == second.tv_nsec;
}

void WrittenFiles::removeNew() const {
  struct stat now;
  for (const File &file : files)
    if (!file.existed && ::stat(file.path.c_str(), &now) == 0 &&
        S_ISREG(now.st_mode))
      ::unlink(file.path.c_str());
}

void WrittenFiles::removeChanged() const {
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
    // The task has appended to it.
    if (file.existed && before.st_dev == now.st_dev &&
        before.st_ino == now.st_ino && before.st_size <= now.st_size &&
        hashOf(file.path, static_cast<uint64_t>(before.st_size)) == file.hash) {
      if (before.st_size < now.st_size)
        (void)!::truncate(file.path.c_str(), before.st_size);
      continue;
    }
    // For a link, the target file was written.
    std::unique_ptr<char, decltype(&std::free)> target(
        ::realpath(file.path.c_str(), nullptr), std::free);
    ::unlink(target ? target.get() : file.path.c_str());
  }
}

//===----------------------------------------------------------------------===//
// Identifying files
//===----------------------------------------------------------------------===//

std::string sluice::tasks::fileIdentity(const char *path) {
  namespace fs = std::filesystem;
  struct stat status;
  if (::stat(path, &status) == 0)
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  // A link may lead to a file that does not exist yet.
  std::error_code failed;
  fs::path file = fs::absolute(path, failed);
  for (int i = 0; i < 40 && fs::is_symlink(file, failed); ++i)
    file = file.parent_path() / fs::read_symlink(file, failed);
  fs::path folder = fs::weakly_canonical(file.parent_path(), failed);
  return (failed ? file : folder / file.filename()).lexically_normal().string();
}
