//===- Store.h - What is kept on disk between runs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that is compiled once and used again lies in one folder, the cache:
//
//   CACHE/KIND/KEY...     an entry: files named by one hash of what they are
//                         made from (see Hash.h), each of them sealed (Seal.h)
//   CACHE/limit           how many bytes all entries may have
//   CACHE/tmp             work folders of processes (Temporary.h)
//
// Files appear whole, and are checked whenever they are read; what is damaged
// is removed and made again. The time of access says when an entry was last
// used. When there are more bytes than the limit, those that were used first
// go, at any moment: who needs an entry for longer pins it, or makes it again
// when it is gone.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_STORE_H
#define SLUICE_BASE_STORE_H

#include "sluice/Base/Files.h"

#include <chrono>
#include <optional>
#include <span>
#include <vector>

namespace sluice {

enum class StoreKind {
  Programs,   ///< executables and compiled task graphs
  Variants,   ///< nodes compiled for their extents, by running programs
  Kernels,    ///< what drivers of devices made of kernels
  Halide,     ///< objects and descriptions of Halide generators
  Generators, ///< libraries of generators, which Python compiles and opens
  Forms,      ///< finite-element forms, which FFCx compiles and names
  Python,     ///< what is known of Python modules
  Pack,       ///< kernels that pack layouts
  Times       ///< how long tasks of programs on several ranks took
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
/// and remove them at the same time.
class Store {
public:
  /// Touches nothing yet. An empty `root` is no cache: nothing is found there.
  explicit Store(StoreKind kind, std::string root = cacheDirectory());
  /// A store that can be written to. Fails if there is no cache, if others may
  /// write to it, or if its disk is full.
  static Result<Store> open(StoreKind kind);
  /// The same; without a usable cache, a folder that is removed when this
  /// process ends.
  static Result<Store> openOrTemporary(StoreKind kind);

  /// Makes the folder. Fails like `open`.
  Status prepare() const;
  const std::string &getFolder() const { return folder; }
  /// Where a file lies, or would.
  std::string pathOf(std::string_view name) const;

  /// The content of a file, if it is there and sound; it counts as used.
  std::optional<std::string> read(std::string_view name) const;
  /// Whether there is such a content, of `size` bytes.
  bool contains(std::string_view name, uint64_t *size = nullptr) const;
  /// Notes that a file is used.
  void touch(std::string_view name) const;

  Status write(std::string_view name, std::string_view content) const;
  /// Copies the complete file `from`. A file that `isProgram` may be executed.
  Status adopt(const std::string &from, std::string_view name,
               bool isProgram) const;
  /// Seals a file that another program has just put here.
  Status seal(std::string_view name, bool isProgram) const;

  /// Another name for a file, in the work folder of this process, where nobody
  /// removes it. Fails if the file is gone.
  Result<std::string> pin(std::string_view name) const;

  std::vector<StoreEntry> entries() const;
  /// Removes an entry, unless it has been used since it was listed.
  void remove(const StoreEntry &entry) const;
  /// Removes all entries, and says how many.
  size_t clear() const;

private:
  /// Makes room now and then.
  Status added(Status status) const;

  StoreKind kind;
  std::string root, folder;
  bool isTemporary = false;
};

/// How many bytes the entries of a cache may have.
uint64_t cacheLimit(const std::string &root);
/// Changes that, from now on and for all processes.
Status setCacheLimit(const std::string &root, uint64_t bytes);

/// Removes entries, those that were used first, until the others have `limit`
/// bytes at most. Entries that were used in the last `spared` seconds stay.
void trimCache(const std::string &root, uint64_t limit,
               std::chrono::seconds spared = {});

} // namespace sluice

#endif // SLUICE_BASE_STORE_H
