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
  /// Removes those that are not what they were; regular files only.
  void removeChanged();
  void clear() { files.clear(); }

private:
  struct File {
    std::string path;
    bool existed;
    struct stat before;
  };
  std::vector<File> files;
};

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_WRITTENFILES_H
