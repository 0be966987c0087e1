//===- Types.h - The interposer's table of datatypes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A type is added to the table when the program commits it, and removed when
// the program frees the handle; operations in flight hold references. Sluice
// handles only types whose commit it has seen, so an uncommitted type results
// in MPI's own error. The layout is read when the type is used often enough,
// because programs commit many types that they use once.
//
// Lookups take a few nanoseconds: a small table per thread is valid as long as
// no handle has been removed from the common table. It also contains types that
// stay with MPI, so that their calls reach MPI after a few comparisons.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_TYPES_H
#define SLUICE_LIB_PACKMPI_TYPES_TYPES_H

#include "../Library/SpinLock.h"
#include "TypePacking.h"

#include <array>
#include <memory>
#include <vector>

namespace sluice::mpi {

/// Properties of a type reported by MPI, which distinguish most different
/// types.
struct Fingerprint {
  std::array<MPI_Count, 8> numbers = {};
  static Fingerprint of(MPI_Datatype type);
  bool operator==(const Fingerprint &) const = default;
};

/// Counters of the statistics for one type.
struct Counters {
  std::atomic<int64_t> uses = 0, bytes = 0;
  /// Seconds per packed byte; negative until measured.
  std::atomic<double> native = -1, ours = -1;
};

/// A committed type. Thread-safe; exists while anything refers to it.
class Type {
public:
  /// Reads the layout if it has not been read yet. `type` must be a valid
  /// handle of it. Null if the type stays with MPI.
  const Packing *packing(MPI_Datatype type);
  /// The layout if it has been read and Sluice can use it.
  const Packing *knownPacking() const {
    return verdict.load(std::memory_order_acquire) == Verdict::Taken ? &layout
                                                                     : nullptr;
  }
  bool isPlain() const { return plain.load(std::memory_order_acquire); }
  /// Marks it as left to MPI without reading it, like a predefined type.
  void leaveAlone(bool isPlainType) {
    plain.store(isPlainType);
    verdict.store(Verdict::LeftAlone);
  }
  bool isLeftAlone() const {
    return verdict.load(std::memory_order_relaxed) == Verdict::LeftAlone;
  }
  /// Whether reading the layout pays: the type was used before, or for much
  /// data. With long lists it must have been used more often.
  bool isWorthReading(MPI_Datatype type, int64_t count);

  /// Whether the handle still has the layout that was read; true if none was
  /// read.
  bool isStill(MPI_Datatype type);
  /// For the statistics; each type is reported once.
  Reason whyLeft();

  /// Counted only if statistics are requested.
  Counters counters;

private:
  enum class Verdict : uint8_t { Unread, Taken, LeftAlone };
  std::atomic<Verdict> verdict = Verdict::Unread;
  std::atomic<int> sightings = 0;
  /// Number of uses that stay with MPI before the layout of a type with long
  /// lists is read; 0: not known yet.
  std::atomic<int> usesToWait = 0;
  std::atomic<bool> plain = false;
  std::atomic<Reason> reason = Reason::None;
  std::atomic<bool> isTold = false;
  SpinLock lock;
  Packing layout;
  /// The fingerprint at the time of reading.
  Fingerprint fingerprint;
};
using TypeRef = std::shared_ptr<Type>;

/// Whether the handle's value alone shows that no program built the type: null
/// handles, and in MPICH most predefined types.
inline bool isNoObject(MPI_Datatype type) {
#ifdef OPEN_MPI
  return !type || type == MPI_DATATYPE_NULL;
#else
  // The two highest bits are the kind of the handle; 2 and 3 are objects made
  // at run time, and the pair types.
  return keyOf(type) >> 30 < 2;
#endif
}

/// The program committed the handle, possibly again; replaces an older type
/// with the same handle.
void rememberType(MPI_Datatype type);
/// MPI returned the handle again, so it must be freed once more.
void rememberLent(MPI_Datatype type);
/// `copy` has the same layout as `type`.
void rememberCopy(MPI_Datatype type, MPI_Datatype copy);
/// Removes the handle from the table; null if it is not in the table, or stays
/// valid.
TypeRef forgetType(MPI_Datatype type);
/// Restores a type that forgetType returned.
void restoreType(MPI_Datatype type, TypeRef reference);
void forgetAllTypes();

/// All types whose handles are in the table.
std::vector<TypeRef> allTypes();
/// An entry of a thread's cache.
struct CachedType {
  uintptr_t key = 0;
  uint64_t validFor = 0; ///< a value of `removedTypes`
  bool isLeftAlone = false;
  TypeRef type;

  static constexpr size_t count = 64;
  /// Handles are addresses of objects, or consecutive numbers.
  static size_t indexOf(uintptr_t key) {
    return (key ^ (key >> 6) ^ (key >> 12)) % count;
  }
  /// The thread's cache with CachedType::count entries, or null. Not an object
  /// with a destructor: destructors of static objects may call MPI after the
  /// thread's destructors have run. The library is loaded with the program, so
  /// the fastest model of thread-local storage works.
  [[gnu::tls_model(
      "initial-exec")]] static constinit thread_local CachedType *all;
};
/// Incremented whenever a handle is removed from the table.
extern constinit std::atomic<uint64_t> removedTypes;
extern constinit std::atomic<bool> isTypeKnown;

/// Whether the program has ever committed a type.
inline bool hasTypes() { return isTypeKnown.load(std::memory_order_relaxed); }

/// True if `findType` will certainly find nothing; the fast path of most calls.
inline bool isLeftAlone(MPI_Datatype type) {
  if (isNoObject(type) || !hasTypes())
    return true;
  const uintptr_t key = keyOf(type);
  const CachedType *cached = CachedType::all;
  if (!cached)
    return false;
  cached += CachedType::indexOf(key);
  return cached->isLeftAlone && cached->key == key &&
         cached->validFor == removedTypes.load(std::memory_order_acquire);
}

/// The table's entry of the type; null for predefined and unknown types and for
/// types that stay with MPI. The thread's cache owns the reference: copy it to
/// keep it.
const TypeRef *findType(MPI_Datatype type);

/// Whether the handle belongs to a type in the table or a predefined one.
/// Others may be invalid, and MPI must not be queried about them: it would
/// report the error.
bool isKnownType(MPI_Datatype type);

/// Whether instances of the type are known to be contiguous bytes in order: a
/// predefined type without gaps, or one whose layout was read and has no gaps.
/// Other types, even with suitable bounds, may permute their bytes.
bool isKnownPlain(MPI_Datatype type);

/// A committed type of `size` contiguous bytes. Any number of its elements has
/// the same size as that number of elements of another type of this size; MPI
/// selects the algorithms of collectives by that size. MPI_DATATYPE_NULL if
/// there are too many such types, or `size` is too large.
MPI_Datatype imageType(int64_t size);
void freeImageTypes();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_TYPES_H
