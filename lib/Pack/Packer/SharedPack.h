//===- SharedPack.h - Several threads for one large pack ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One core cannot use all of a machine's memory bandwidth. Large packs are
// divided into parts of the packed stream, which helper threads take one after
// another; the result is the same.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_PACKER_SHAREDPACK_H
#define SLUICE_LIB_PACK_PACKER_SHAREDPACK_H

#include "PackOptions.h"
#include "PartPlan.h"

namespace sluice::pack {

/// Whether threads should share packs of this many bytes.
inline bool isShared(int64_t bytes) {
  return bytes >= sharedFrom.load(std::memory_order_relaxed);
}

/// The data that a thread needs to copy a part.
struct PartSource {
  const Layout &layout;
  const Kernel &kernel;
  const PartPlan *plan;
};

/// Returns false if nothing was done and the caller should copy alone: because
/// the helpers work for another pack, or the options allow none.
bool packWithThreads(const PartSource &source, const std::byte *in,
                     int64_t count, std::byte *out);
/// The same for unpacking. The layout must not use a byte twice.
bool unpackWithThreads(const PartSource &source, const std::byte *in,
                       std::byte *out, int64_t count);

void stopHelperThreads();

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_PACKER_SHAREDPACK_H
