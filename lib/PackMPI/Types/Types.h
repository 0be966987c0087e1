//===- Types.h - What the interposer knows of each datatype ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A type enters the table when the program commits it, and leaves when the
// program frees the handle; whatever is still under way holds a reference. Only
// handles whose commit was seen are taken over, so an uncommitted type meets
// MPI's own error. The layout is read at the first use that is worth it, since
// programs commit many types that they use once.
//
// Lookups cost a few nanoseconds: a small table per thread is valid as long as
// no handle was removed from the common one. It also knows which types are left
// alone, so that a call of such a type reaches MPI after some comparisons.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_TYPES_H
#define SLUICE_LIB_PACKMPI_TYPES_TYPES_H

#include "../Library/Native.h"
#include "../Library/SpinLock.h"
#include "sluice/Pack/Packer.h"

#include <memory>
#include <vector>

namespace sluice::mpi {

/// The layout of a committed type, once it has been read.
struct Packing {
  std::shared_ptr<pack::Packer> packer;
  int64_t size = 0;
  int64_t extent = 0;
  /// First touched byte, from the buffer's address.
  int64_t lowest = 0;
  /// Bytes from there to the last touched one of an instance.
  int64_t span = 0;
  /// Mean length of the runs of consecutive bytes.
  double meanRun = 0;
  /// The same distances throughout: loops of constant stride, no lists.
  bool isRegular = false;
  /// Basic elements of several sizes, or of one that is no power of two or
  /// more than 16 bytes.
  bool isMixed = false;
};

/// What the statistics know of a type.
struct Counters {
  std::atomic<int64_t> uses = 0, bytes = 0;
  /// Seconds per packed byte; negative until measured.
  std::atomic<double> native = -1, ours = -1;
};

/// A committed type. Thread-safe; lives while anything refers to it.
class Type {
public:
  /// Reads the layout if that has not been done. `type` is a living handle of
  /// it. Null if the type is left to MPI for good.
  const Packing *packing(MPI_Datatype type);
  /// The layout if it has been read and is not left to MPI.
  const Packing *knownPacking() const {
    return verdict.load(std::memory_order_acquire) == Verdict::Taken ? &layout
                                                                     : nullptr;
  }
  bool isPlain() const { return plain.load(std::memory_order_acquire); }
  void leaveAlone() { verdict.store(Verdict::LeftAlone); }
  bool isLeftAlone() const {
    return verdict.load(std::memory_order_relaxed) == Verdict::LeftAlone;
  }
  /// Whether reading the layout pays: used before, or for much data. Long lists
  /// must have been used more often.
  bool isWorthReading(MPI_Datatype type, int64_t count);

  /// Only while statistics are asked for.
  Counters counters;

private:
  enum class Verdict : uint8_t { Unread, Taken, LeftAlone };
  std::atomic<Verdict> verdict = Verdict::Unread;
  std::atomic<int> sightings = 0;
  /// Uses of a type with long lists that are left to MPI; 0: not known yet.
  std::atomic<int> usesToWait = 0;
  std::atomic<bool> plain = false;
  SpinLock lock;
  Packing layout;
};
using TypeRef = std::shared_ptr<Type>;

/// Whether the handle's value alone says that there is nothing behind it which
/// a program built: null handles, and in MPICH most predefined ones.
inline bool isNoObject(MPI_Datatype type) {
#ifdef OPEN_MPI
  return !type || type == MPI_DATATYPE_NULL;
#else
  // The two uppermost bits say what kind of handle it is; 2 and 3 are objects
  // made while the program runs, and the pair types.
  return keyOf(type) >> 30 < 2;
#endif
}

/// The handle was committed; a type known by it before is forgotten.
void rememberType(MPI_Datatype type);
/// `copy` has the same layout as `type`.
void rememberCopy(MPI_Datatype type, MPI_Datatype copy);
/// Takes the handle out of the table; null if it is not there.
TypeRef forgetType(MPI_Datatype type);
/// Puts back what forgetType gave.
void restoreType(MPI_Datatype type, TypeRef reference);
void forgetAllTypes();

/// All types whose handles are in the table.
std::vector<TypeRef> allTypes();
/// What a thread found in the table last.
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
  /// The thread's, CachedType::count of them, or null. Not an object with a
  /// destructor: MPI is called from destructors of static objects too, when
  /// those of the thread have run. The library is loaded with the program, so
  /// the cheapest model of thread-local storage will do.
  [[gnu::tls_model(
      "initial-exec")]] static constinit thread_local CachedType *all;
};
/// Grows whenever a handle leaves the table.
extern constinit std::atomic<uint64_t> removedTypes;
extern constinit std::atomic<bool> isTypeKnown;

/// Whether a program ever committed a type.
inline bool hasTypes() { return isTypeKnown.load(std::memory_order_relaxed); }

/// Whether `findType` surely finds nothing. What the program calls with most of
/// the time.
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

/// What is known of the type; null for predefined, unknown and left-alone
/// types. The reference is the thread's: copy it to keep it.
const TypeRef *findType(MPI_Datatype type);

/// Whether instances of the type are known to be bytes in order: a predefined
/// type, or one whose layout was read and has no gaps. Others, even of the
/// right bounds, may permute their bytes.
bool isKnownPlain(MPI_Datatype type);

/// A committed type of `size` contiguous bytes: as many elements of it have
/// the size of as many elements of any type of that size, which is what the
/// algorithms of collectives are chosen by. MPI_DATATYPE_NULL if there are too
/// many, or too large ones.
MPI_Datatype imageType(int64_t size);
void freeImageTypes();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_TYPES_TYPES_H
