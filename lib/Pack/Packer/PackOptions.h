//===- PackOptions.h - The settings as packing reads them -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single atomic values, so that a pack reads them without a lock.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_PACKER_PACKOPTIONS_H
#define SLUICE_LIB_PACK_PACKER_PACKOPTIONS_H

#include "sluice/Pack/Packer.h"

namespace sluice::pack {

/// Threads may share packs of at least this many bytes. 0 until the settings
/// have been read.
extern std::atomic<int64_t> sharedFrom;

struct LiveOptions {
  static LiveOptions &get();
  void set(const PackOptions &options);

  std::atomic<int64_t> compileAfter;
  std::atomic<int> threads;
  std::atomic<int64_t> parallelBytes;
  std::atomic<bool> useDiskCache;
  std::atomic<bool> compareKernels;

private:
  LiveOptions();
};

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_PACKER_PACKOPTIONS_H
