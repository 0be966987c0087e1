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
// no handle was removed from the common one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_TYPES_H
#define SLUICE_LIB_PACKMPI_TYPES_H

#include "Native.h"
#include "SpinLock.h"
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
bool isNoObject(MPI_Datatype type);

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
/// Whether a program ever committed a type.
bool hasTypes();

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

#endif // SLUICE_LIB_PACKMPI_TYPES_H
