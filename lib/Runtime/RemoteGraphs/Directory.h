//===- Directory.h - The ranks that have each byte ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a program tracks, by its addresses on rank 0, and the ranks
// that have the latest value of each byte. All ranks do the same in the same
// order, so they keep the same directory and agree on transfers without
// communication.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_DIRECTORY_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_DIRECTORY_H

#include "../Memory/Places.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace sluice {

/// Bytes to transfer from one rank to another.
struct RankMove {
  uint32_t from, to;
  ByteRange bytes; ///< addresses on rank 0
  bool operator==(const RankMove &) const = default;
};

class Directory {
public:
  /// Adds an object of `size` bytes, not 0, on rank 0. It must not overlap with
  /// others.
  void track(uintptr_t start, uint64_t size);
  void untrack(uintptr_t start);
  void clear() { objects.clear(); }

  /// The object that contains all of the bytes, or an empty range.
  ByteRange objectOf(ByteRange bytes) const;
  /// The tracked part of the bytes, which may belong to several objects.
  std::vector<ByteRange> trackedIn(ByteRange bytes) const;

  // Bytes of one object.

  /// Appends the transfers that `rank` needs to have all bytes; of several
  /// holders of a byte, the lowest rank sends it.
  void findMissing(uint32_t rank, ByteRange bytes,
                   std::vector<RankMove> &moves) const;
  /// From now on only `rank` has the bytes.
  void write(uint32_t rank, ByteRange bytes);
  /// Whether only rank 0 has them.
  bool isHomeOnly(ByteRange bytes) const;

  /// Adds the receivers of the moved bytes as holders. Simultaneous transfers
  /// must be computed first: no rank can forward bytes that it receives at the
  /// same time.
  void arrived(std::span<const RankMove> moves);
  /// Whether rank 0 lacks any byte.
  bool isAnyAway() const;
  /// All objects.
  std::vector<ByteRange> all() const;

private:
  /// Sorted ranks.
  using Holders = std::vector<uint32_t>;
  struct Object {
    uint64_t size;
    /// By address: the holders of the bytes from there to the next address.
    std::map<uintptr_t, Holders> starts;
  };
  using Objects = std::map<uintptr_t, Object>;

  Objects::const_iterator find(uintptr_t address) const;
  template <typename Change> void update(ByteRange bytes, Change &&change);
  template <typename Visitor>
  void visit(ByteRange bytes, Visitor &&visitor) const;

  Objects objects;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_DIRECTORY_H
