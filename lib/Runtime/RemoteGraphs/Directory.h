//===- Directory.h - Which ranks have which bytes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a program tracks, by its addresses on rank 0, and who has
// each byte of it as it was written last. All ranks keep the same directory,
// since they do the same in the same order, and so agree on what has to move
// without a word.
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

/// Bytes that go from one rank to another.
struct RankMove {
  uint32_t from, to;
  ByteRange bytes; ///< addresses on rank 0
  bool operator==(const RankMove &) const = default;
};

class Directory {
public:
  /// An object of `size` bytes, not 0, that rank 0 has. It overlaps no other.
  void track(uintptr_t start, uint64_t size);
  void untrack(uintptr_t start);
  void clear() { objects.clear(); }

  /// The object that all of the bytes are in, if they are in one; else an empty
  /// range.
  ByteRange objectOf(ByteRange bytes) const;
  /// Those of the bytes that are tracked; they may belong to several objects.
  std::vector<ByteRange> trackedIn(ByteRange bytes) const;

  // Bytes of one object.

  /// Appends what has to come from others for `rank` to have them: of several
  /// that have a byte, from the least.
  void findMissing(uint32_t rank, ByteRange bytes,
                   std::vector<RankMove> &moves) const;
  /// From now on only `rank` has them.
  void write(uint32_t rank, ByteRange bytes);
  /// Whether nobody but rank 0 has any of them.
  bool isHomeOnly(ByteRange bytes) const;

  /// What moved is where it went as well. All moves at a time are found before:
  /// nobody can pass on what he gets meanwhile.
  void arrived(std::span<const RankMove> moves);
  /// Whether rank 0 lacks any byte.
  bool isAnyAway() const;
  /// All objects.
  std::vector<ByteRange> all() const;

private:
  /// Ranks, sorted.
  using Holders = std::vector<uint32_t>;
  struct Object {
    uint64_t size;
    /// By address: those who have the bytes from there to the next.
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
