//===- CacheKey.h - Keys of programs in the cache -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cached program may be reused only if a new build would give the same
// program. The key hashes everything that a build depends on.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_CACHEKEY_H
#define SLUICE_LIB_DRIVER_CACHEKEY_H

#include "sluice/Base/Hash.h"
#include "sluice/Driver/Build.h"

#include <functional>
#include <string>
#include <vector>

namespace sluice::driver {

/// Collects the inputs of a build.
class CacheKey {
public:
  /// Starts with the compiler itself, the CPU and the working directory.
  explicit CacheKey(llvm::StringRef cpu);

  void add(llvm::StringRef text);
  void addAll(llvm::ArrayRef<std::string> texts);
  /// Adds all options that change code, but not the files.
  void addOptions(const ProgramOptions &options);
  /// Adds everything that device kernels depend on.
  void addDevices(const BuildOptions &options);
  std::string text() const { return hash.text(); }

private:
  ContentHash hash;
};

/// Returns the program or library of `key` in the cache; its name ends in
/// `ending`. If it is missing or damaged, or if a file that it was made from
/// has changed, `build` makes it and reports the files that it read. On
/// failure, tells `complain` the reason and returns no path. If there is no
/// cache and only this process uses the file, the file `mayBeTemporary`. A file
/// that `mustBeNew` is made again.
CachedFile
cachedFile(const std::string &key, llvm::StringRef ending,
           llvm::function_ref<bool(llvm::StringRef path,
                                   std::vector<std::string> &dependencies)>
               build,
           llvm::function_ref<void(const llvm::Twine &problem)> complain,
           bool mayBeTemporary = false, bool mustBeNew = false);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_CACHEKEY_H
