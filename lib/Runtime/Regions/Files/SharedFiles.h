//===- SharedFiles.h - Files that ranks write together --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank writes its parts of a file to a temporary one beside it, whose name
// all ranks find alike. When all have written theirs, rank 0 gives the files
// their names. A file that was not completed is removed by the signal or the
// end of a process that has written to it; `sluice run` removes what killed
// ranks leave, and else whoever writes to that folder next.
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
  /// `cluster`: null on one machine. All ranks make theirs at the same time.
  explicit SharedFiles(const SluiceCluster *cluster);
  /// Removes what is not finished.
  ~SharedFiles();
  SharedFiles(const SharedFiles &) = delete;

  /// The descriptor through which this rank writes what becomes the file
  /// `path`; valid until `finish`. Any thread.
  Result<int> open(const std::string &path);
  /// Gives all files their names. An error, the same on all ranks, leaves those
  /// as they were that do not have them yet. All ranks call this when none
  /// writes.
  Status finish();

  /// Whether any rank has begun one that is not finished. All ranks call this.
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
  uint64_t job; ///< a random number, that of rank 0
  std::mutex mutex;
  /// By place: an absolute path whose links were followed.
  std::map<std::string, std::unique_ptr<File>> files;
};

/// All of `bytes` bytes, or an error that names `path`.
Status readFully(int descriptor, const std::string &path, char *to,
                 uint64_t bytes, uint64_t offset);
Status writeFully(int descriptor, const std::string &path, const char *from,
                  uint64_t bytes, uint64_t offset);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_FILES_SHAREDFILES_H
