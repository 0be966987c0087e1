//===- Store.h - The cache on disk ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is compiled once and reused lies in one folder, the cache:
//
//   CACHE/KIND/KEY...     an entry: files named by one hash of their sources
//                         (Hash.h), each of them sealed (Seal.h)
//   CACHE/limit           maximum size of all entries in bytes
//   CACHE/tmp             work folders of processes (Temporary.h)
//
// Files appear atomically and are checked whenever they are read; damaged files
// are removed and made again. The access time shows when an entry was last
// used. When the entries exceed the limit, the least recently used ones are
// removed, at any time. A process that needs an entry for longer pins it, or
// makes it again when it is gone.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_STORE_H
#define SLUICE_BASE_STORE_H

#include "sluice/Base/WholeFiles.h"

#include <chrono>
#include <optional>
#include <span>
#include <vector>

namespace sluice {

enum class StoreKind {
  Programs,   ///< executables and compiled task graphs
  Variants,   ///< nodes that running programs compiled for their extents
  Kernels,    ///< kernels as compiled by drivers of devices
  Halide,     ///< objects and descriptions of Halide generators
  Generators, ///< generator libraries that Python compiles and opens
  Forms,      ///< finite-element forms that FFCx compiles and names
  Python,     ///< information about Python modules
  Pack,       ///< kernels that pack layouts
  Times       ///< measured times of tasks of programs on several ranks
};

/// All kinds, in the order of the enumeration.
std::span<const StoreKind> storeKinds();
/// The name of the kind's folder.
std::string_view nameOf(StoreKind kind);

/// The files of one key.
struct StoreEntry {
  std::string key;
  std::vector<std::string> files; ///< without the folder
  uint64_t size = 0;
  std::chrono::system_clock::time_point lastUse;
};

/// The entries of one kind. Any number of processes and threads may use, add
/// and remove entries at the same time.
class Store {
public:
  /// Does not access the disk. An empty `root` means no cache: nothing is
  /// found.
  explicit Store(StoreKind kind, std::string root = cacheDirectory());
  /// A writable store. Fails if there is no cache, if others may write to it,
  /// or if its disk is full.
  static Result<Store> open(StoreKind kind);
  /// The same; without a usable cache, uses a folder that is removed when this
  /// process ends.
  static Result<Store> openOrTemporary(StoreKind kind);

  /// Makes the folder. Fails like `open`.
  Status prepare() const;
  const std::string &getFolder() const { return folder; }
  /// The path of a file, whether or not it exists.
  std::string pathOf(std::string_view name) const;

  /// The content of a file, if it exists and is undamaged; marks it as used.
  std::optional<std::string> read(std::string_view name) const;
  /// Whether there is such a file; `size` receives the size of its content.
  bool contains(std::string_view name, uint64_t *size = nullptr) const;
  /// Marks a file as used.
  void touch(std::string_view name) const;

  Status write(std::string_view name, std::string_view content) const;
  /// Copies the complete file `from`. A file that `isProgram` is executable.
  Status adopt(const std::string &from, std::string_view name,
               bool isProgram) const;
  /// Seals a file that another program has just written here.
  Status seal(std::string_view name, bool isProgram) const;

  /// Makes a second name for a file in the work folder of this process, where
  /// nobody removes it. Fails if the file is gone.
  Result<std::string> pin(std::string_view name) const;

  std::vector<StoreEntry> entries() const;
  /// Removes an entry, unless it has been used since it was listed.
  void remove(const StoreEntry &entry) const;
  /// Removes all entries and returns their number.
  size_t clear() const;

private:
  /// Occasionally makes room.
  Status added(Status status) const;

  StoreKind kind;
  std::string root, folder;
  bool isTemporary = false;
};

/// The maximum size of the entries of a cache in bytes.
uint64_t cacheLimit(const std::string &root);
/// Sets this limit for all processes.
Status setCacheLimit(const std::string &root, uint64_t bytes);

/// Removes the least recently used entries until the others have at most
/// `limit` bytes. Entries that were used in the last `spared` seconds are kept.
void trimCache(const std::string &root, uint64_t limit,
               std::chrono::seconds spared = {});

} // namespace sluice

#endif // SLUICE_BASE_STORE_H
