//===- WrittenFiles.h - Files that a task writes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that fails may leave half a file behind, which would look like a
// whole one.
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
  /// Notes what the files are like before the task.
  void begin(const char *const *paths, uint32_t count);
  /// Undoes what the task did: removes files that it created or replaced, and
  /// cuts off what it appended; regular files only.
  void removeChanged();
  /// Removes those that were not there; calls nothing that a handler of signals
  /// may not.
  void removeNew() const;
  void clear() { files.clear(); }

private:
  struct File {
    std::string path;
    bool existed;
    struct stat before;
    /// Of the content, if it was a regular file.
    uint64_t hash;
  };
  std::vector<File> files;
};

/// A text that identifies a file now: links are followed, and a file that does
/// not exist is identified by where it would be created.
std::string fileIdentity(const char *path);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_WRITTENFILES_H
