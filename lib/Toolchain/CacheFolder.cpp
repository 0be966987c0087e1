//===- CacheFolder.cpp - Where compiled programs are kept -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linker that meets a full disk ends with a signal, so a disk with little
// space is not used at all.
//
//===----------------------------------------------------------------------===//

#include "sluice/Toolchain/CacheFolder.h"
#include "sluice/Base/Files.h"
#include "sluice/Base/Temporary.h"
#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static constexpr uint64_t leastSpace = UINT64_C(32) << 20;

static Status noCache(std::string message) {
  return Status::error(StatusCode::System, std::move(message));
}

Status driver::prepareCacheFolder(const std::string &kind,
                                  std::string &folder) {
  std::string cache = cacheDirectory();
  if (cache.empty())
    return noCache(
        "there is no folder for the cache: set HOME or SLUICE_CACHE_DIR");
  folder = cache + "/" + kind;
  if (Status status = preparePrivateDirectory(folder); !status.ok())
    return status;
  if (::access(folder.c_str(), W_OK) != 0)
    return noCache("cannot write to the cache folder '" + folder + "'");
  auto space = sys::fs::disk_space(folder);
  if (space && space->available < leastSpace)
    return noCache("the disk of the cache folder '" + folder + "' is full");
  return Status();
}

Status driver::prepareWorkFolder(const std::string &kind, std::string &folder) {
  Status status = prepareCacheFolder(kind, folder);
  if (status.ok())
    return status;
  Result<std::string> work = workFolder();
  if (!work.ok())
    return status;
  folder = *work + "/" + kind;
  return preparePrivateDirectory(folder);
}
