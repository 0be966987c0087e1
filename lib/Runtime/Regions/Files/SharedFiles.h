//===- SharedFiles.h - Files that ranks write together --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank writes its parts of a file to a temporary file next to it, whose
// name all ranks derive independently. When all have written their parts, rank
// 0 gives the files their names. The signal or the end of a process that has
// written to an incomplete file removes it. `sluice run` removes the files of
// killed ranks; otherwise the next process that writes to that folder does.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_FILES_SHAREDFILES_H
#define SLUICE_RUNTIME_REGIONS_FILES_SHAREDFILES_H

#include "sluice-c/Cluster.h"
#include "sluice/Base/Status.h"
#include "sluice/Base/Temporary.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::regions {

class SharedFiles {
public:
  /// `cluster`: null on one machine. All ranks create theirs at the same time.
  explicit SharedFiles(const SluiceCluster *cluster);
  /// Removes incomplete files.
  ~SharedFiles();
  SharedFiles(const SharedFiles &) = delete;

  /// The descriptor through which this rank writes the future file `path`;
  /// valid until `finish`. Any thread.
  Result<int> open(const std::string &path);
  /// Gives all files their names. After an error, which is the same on all
  /// ranks, files that do not have their names yet are unchanged. All ranks
  /// call this when none writes.
  Status finish();

  /// Whether any rank has begun a file that is not complete. All ranks call
  /// this.
  bool areBegun() const;

private:
  struct File;
  std::string temporaryOf(const std::string &place) const;
  Result<std::unique_ptr<File>> create(const std::string &path) const;
  Status flush() const;
  Status giveNames(const std::vector<std::string> &places) const;
  Result<std::vector<std::string>> gatherPlaces() const;
  Status firstProblem(Status mine) const;

  const SluiceCluster *const cluster;
  uint64_t job; ///< a random number chosen by rank 0
  std::mutex mutex;
  /// By place: an absolute path with links resolved.
  std::map<std::string, std::unique_ptr<File>> files;
};

/// Reads all `bytes` bytes, or returns an error that names `path`.
Status readFully(int descriptor, const std::string &path, char *to,
                 uint64_t bytes, uint64_t offset);
Status writeFully(int descriptor, const std::string &path, const char *from,
                  uint64_t bytes, uint64_t offset);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_FILES_SHAREDFILES_H
