//===- WrittenFiles.h - Files that a task writes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A failed task may leave an incomplete file that looks like a complete one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_WRITTENFILES_H
#define SLUICE_RUNTIME_TASKS_WRITTENFILES_H

#include <string>
#include <sys/stat.h>
#include <vector>

namespace sluice::tasks {

class WrittenFiles {
public:
  /// Records the state of the files before the task.
  void begin(const char *const *paths, uint32_t count);
  /// Undoes the task's changes: removes files that it created or replaced, and
  /// truncates what it appended; only regular files.
  void removeChanged() const;
  /// Removes files that did not exist; makes only calls that are allowed in
  /// signal handlers.
  void removeNew() const;
  void clear() { files.clear(); }

private:
  struct File {
    std::string path;
    bool existed;
    struct stat before;
    /// The hash of the content, if it was a regular file.
    uint64_t hash;
  };
  std::vector<File> files;
};

/// A text that currently identifies a file: follows links; a file that does not
/// exist is identified by where it would be created.
std::string fileIdentity(const char *path);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_WRITTENFILES_H
