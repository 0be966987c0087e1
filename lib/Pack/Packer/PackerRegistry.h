//===- PackerRegistry.h - The packers in use, by layout -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs commit the same layout many times; all of them get the same packer,
// found by the layout's content. The registry holds weak references: an unused
// packer is freed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_PACKER_PACKERREGISTRY_H
#define SLUICE_LIB_PACK_PACKER_PACKERREGISTRY_H

#include "sluice/Pack/Packer.h"

#include <array>
#include <mutex>
#include <unordered_map>

namespace sluice::pack {

/// Equal layouts have equal hashes. The cost is linear in the form.
uint64_t hashOf(const Layout &layout);

/// Thread-safe: one lock per shard. The first action of a packer's destructor
/// is to remove the packer, so targets of the table are intact under the lock.
class PackerRegistry {
public:
  static PackerRegistry &get();

  /// The live packer of `layout`, or null.
  std::shared_ptr<Packer> find(const Layout &layout, uint64_t hash);
  /// Adds `packer`, unless another one of an equal layout was added meanwhile;
  /// returns the one in the table.
  std::shared_ptr<Packer> add(const std::shared_ptr<Packer> &packer,
                              uint64_t hash);
  void remove(const Packer *packer, uint64_t hash);

  /// Call them around a fork.
  void lockAll();
  void unlockAll();

private:
  struct Shard {
    std::mutex mutex;
    std::unordered_multimap<uint64_t, Packer *> packers;
  };
  Shard &shardOf(uint64_t hash) { return shards[hash >> 60]; }
  static std::shared_ptr<Packer> findIn(Shard &shard, const Layout &layout,
                                        uint64_t hash);

  std::array<Shard, 16> shards;
};

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_PACKER_PACKERREGISTRY_H
