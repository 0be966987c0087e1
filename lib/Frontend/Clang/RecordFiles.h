//===- RecordFiles.h - Files that a compilation looked for ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cached result is valid only while every file is as the compiler found it,
// and while files that it looked for in vain are still missing. This file
// records both.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_CLANG_RECORDFILES_H
#define SLUICE_LIB_FRONTEND_CLANG_RECORDFILES_H

#include "llvm/Support/VirtualFileSystem.h"

#include <set>
#include <string>

namespace sluice {

/// Forwards all calls and records every requested path, whether or not it
/// exists: a header that appears earlier on an include path, or one that
/// __has_include tests, changes the program as much as an edit.
class RecordingFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  explicit RecordingFileSystem(
      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> below)
      : ProxyFileSystem(std::move(below)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override {
    note(path);
    return ProxyFileSystem::status(path);
  }
  bool exists(const llvm::Twine &path) override {
    note(path);
    return ProxyFileSystem::exists(path);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override {
    note(path);
    return ProxyFileSystem::openFileForRead(path);
  }
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path,
                                          std::error_code &error) override {
    note(path);
    return ProxyFileSystem::dir_begin(path, error);
  }

  const std::set<std::string> &getPaths() const { return paths; }

private:
  void note(const llvm::Twine &path) {
    std::string text = path.str();
    if (!text.empty())
      paths.insert(std::move(text));
  }

  std::set<std::string> paths;
};

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_CLANG_RECORDFILES_H
