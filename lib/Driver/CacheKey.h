//===- CacheKey.h - What programs in the cache are found by ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kept program may be used again only where a new one would be the same. All
// that goes into one is hashed, and this is the list.
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

/// Collects what a program is made from.
class CacheKey {
public:
  /// Starts with the compiler itself, the CPU and the working directory.
  explicit CacheKey(llvm::StringRef cpu);

  void add(llvm::StringRef text);
  void addAll(llvm::ArrayRef<std::string> texts);
  /// All options that change code, but not the files.
  void addOptions(const ProgramOptions &options);
  /// What device kernels depend on.
  void addDevices(const BuildOptions &options);
  std::string text() const { return hash.text(); }

private:
  ContentHash hash;
};

/// The program or library of `key` in the cache, whose name ends in `ending`.
/// It is made by `build`, which also says what it was
/// made from, unless it is there, is sound, and all those files are as they
/// were. No path, after saying why to `complain`, on failure. A file that only
/// this process uses `mayBeTemporary`, if there is no cache.
CachedFile
cachedFile(const std::string &key, llvm::StringRef ending,
           llvm::function_ref<bool(llvm::StringRef path,
                                   std::vector<std::string> &dependencies)>
               build,
           llvm::function_ref<void(const llvm::Twine &problem)> complain,
           bool mayBeTemporary = false);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_CACHEKEY_H
