//===- ObjectCache.cpp - Caching compiled objects -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Store.h"
#include "sluice/Base/Text.h"

using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;

//===-- Disk -------------------------------------------------------------===//

static std::string entryName(std::string_view key) {
  return ContentHash().add(key).text() + ".object";
}

std::optional<std::string> jit::findOnDisk(std::string_view key) {
  std::optional<std::string> entry =
      Store(StoreKind::Pack).read(entryName(key));
  if (!entry || !entry->starts_with(key))
    return std::nullopt;
  entry->erase(0, key.size());
  return entry;
}

void jit::keepOnDisk(std::string_view key, std::string_view object) {
  // A full or read-only disk is no reason to stop a program.
  (void)Store(StoreKind::Pack).write(entryName(key), concat(key, object));
}

//===-- Memory -----------------------------------------------------------===//

size_t MemoryCache::bytesOf(const Entry &entry) {
  return entry.first.size() + entry.second->size() + sizeof(Entry);
}

std::shared_ptr<const std::string> MemoryCache::find(const std::string &key) {
  std::lock_guard lock(mutex);
  auto place = places.find(key);
  if (place == places.end())
    return nullptr;
  entries.splice(entries.begin(), entries, place->second);
  return place->second->second;
}

void MemoryCache::insert(const std::string &key,
                         std::shared_ptr<const std::string> object) {
  std::lock_guard lock(mutex);
  if (places.count(key))
    return;
  entries.emplace_front(key, std::move(object));
  places.emplace(entries.front().first, entries.begin());
  bytes += bytesOf(entries.front());
  while (bytes > maxBytes && !entries.empty()) {
    bytes -= bytesOf(entries.back());
    places.erase(entries.back().first);
    entries.pop_back();
  }
}
