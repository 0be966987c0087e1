//===- PackerRegistry.cpp - The packers in use, by layout -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sharded hash table of weak references.
//
//===----------------------------------------------------------------------===//

#include "PackerRegistry.h"

using namespace sluice::pack;

namespace {

class Hasher {
public:
  void add(uint64_t value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15u;
    state ^= state >> 32;
  }
  void add(std::span<const int64_t> values) {
    add(values.size());
    for (int64_t value : values)
      add(uint64_t(value));
  }
  void add(const Form &form) {
    add(uint64_t(form.kind));
    add(uint64_t(form.size));
    for (auto [count, stride] : form.dimensions) {
      add(uint64_t(count));
      add(uint64_t(stride));
    }
    add(form.offsets);
    add(form.lengths);
    add(form.customSerial);
    for (const FormRef &child : form.children)
      add(*child);
  }
  uint64_t result() const { return state * 0xD6E8FEB86659FD93u; }

private:
  uint64_t state = 0x243F6A8885A308D3u;
};

} // namespace

uint64_t sluice::pack::hashOf(const Layout &layout) {
  Hasher hasher;
  hasher.add(uint64_t(layout.offset));
  hasher.add(uint64_t(layout.extent));
  hasher.add(*layout.form);
  return hasher.result();
}

PackerRegistry &PackerRegistry::get() {
  // Never destroyed: packers may outlive static objects.
  static PackerRegistry &registry = *new PackerRegistry;
  return registry;
}

std::shared_ptr<Packer>
PackerRegistry::findIn(Shard &shard, const Layout &layout, uint64_t hash) {
  auto [begin, end] = shard.packers.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (!(it->second->layout() == layout))
      continue;
    // Null if the last reference has just been dropped. Never becomes the last
    // reference itself, whose end would require the lock held here, since an
    // equal packer is returned.
    if (std::shared_ptr<Packer> packer = it->second->weak_from_this().lock())
      return packer;
  }
  return nullptr;
}

std::shared_ptr<Packer> PackerRegistry::find(const Layout &layout,
                                             uint64_t hash) {
  Shard &shard = shardOf(hash);
  std::lock_guard lock(shard.mutex);
  return findIn(shard, layout, hash);
}

std::shared_ptr<Packer>
PackerRegistry::add(const std::shared_ptr<Packer> &packer, uint64_t hash) {
  Shard &shard = shardOf(hash);
  std::lock_guard lock(shard.mutex);
  if (auto other = findIn(shard, packer->layout(), hash))
    return other;
  shard.packers.emplace(hash, packer.get());
  return packer;
}

void PackerRegistry::remove(const Packer *packer, uint64_t hash) {
  Shard &shard = shardOf(hash);
  std::lock_guard lock(shard.mutex);
  auto [begin, end] = shard.packers.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second == packer) {
      shard.packers.erase(it);
      break;
    }
  // Also returns memory when there are fewer packers.
  if (size_t buckets = shard.packers.bucket_count();
      buckets > 64 && shard.packers.size() < buckets / 8)
    shard.packers.rehash(buckets / 4);
}

void PackerRegistry::lockAll() {
  for (Shard &shard : shards)
    shard.mutex.lock();
}

void PackerRegistry::unlockAll() {
  for (Shard &shard : shards)
    shard.mutex.unlock();
}
