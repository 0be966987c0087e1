//===- OneSided.h - Put, get and accumulate -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies with gaps on this side goes through packed bytes; where it lies in
// the window, the call says, which stays MPI's. MPI reads or writes the bytes
// until the window is synchronised: then they are unpacked, and freed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_ONESIDED_H
#define SLUICE_LIB_PACKMPI_CALLS_ONESIDED_H

#include "../Library/Settings.h"
#include "../Requests/Exchange.h"
#include "../Requests/Statistics.h"

#include <limits>

namespace sluice::mpi {

/// Keeps the packed bytes, so many, of an operation on `target` that was begun;
/// a get's are unpacked later.
void keepUntilSync(MPI_Win win, int target, Side &&side, int64_t bytes,
                   bool isGet);
/// A synchronisation takes the number of operations before it begins, and then
/// those with lower ones on `target`, or on all, have ended here: others may be
/// begun by other threads meanwhile.
/// No rank, and not MPI_PROC_NULL either, which is -1 in MPICH.
inline constexpr int allTargets = std::numeric_limits<int>::min();
uint64_t numOperations();
void endOperations(MPI_Win win, int target, uint64_t number);
/// Forgets those of a window that is freed.
void forgetOperations(MPI_Win win);

/// Bytes that are kept in all windows: one part of a synchronisation may begin
/// any number of operations, and more than `mostKept` are left to MPI.
int64_t keptBytes();
inline constexpr int64_t mostKept = int64_t(128) << 20;

/// Whether packing here may be faster than MPI, by what lies in the window:
/// Open MPI goes through gaps there in any case. MPICH packs for itself where
/// the window has none.
inline bool suits(Use use, MPI_Datatype targetType) {
#ifdef OPEN_MPI
  return isKnownPlain(targetType);
#else
  return isKnownPlain(targetType) == (use != Use::Put);
#endif
}

/// One operation that Sluice takes over, or not.
template <typename Count> class OneSided {
public:
  OneSided(Use use, const void *origin, Count count, MPI_Datatype type,
           int target, MPI_Datatype targetType)
      : user(const_cast<void *>(origin)), userCount(count), userType(type) {
    if (isLeftAlone(type) || target == MPI_PROC_NULL ||
        (settings().mode != Mode::All && !suits(use, targetType)))
      return;
    taken = decide(use, origin, count, type);
    if (!taken || taken.bytes > mostKept - keptBytes()) {
      taken = Taken();
      return;
    }
    side.begin(origin);
    side.add(taken.type, count, 0);
    image = imageType(taken.packing->size);
    if (image == MPI_DATATYPE_NULL || !side.allocate())
      taken = Taken();
  }
  /// For accumulate, which computes with the elements.
  void keepElements() {
    if (!taken)
      return;
    const MPI_Datatype element = taken.packing->element;
    int bytes = 0;
    if (element == MPI_DATATYPE_NULL ||
        PMPI_Type_size(element, &bytes) != MPI_SUCCESS || bytes == 0 ||
        taken.bytes / bytes > std::numeric_limits<Count>::max()) {
      taken = Taken();
      return;
    }
    image = element;
    userCount = Count(taken.bytes / bytes);
  }
  /// For get: less may come than there is room for, and what is behind it stays
  /// as it is. MPICH would fill contiguous memory whole.
  void leaveIfShort(Count targetCount, MPI_Datatype targetType) {
    MPI_Count each = 0;
    if (taken && (!isKnownType(targetType) ||
                  PMPI_Type_size_x(targetType, &each) != MPI_SUCCESS ||
                  each <= 0 || targetCount < taken.bytes / each))
      taken = Taken();
  }
  explicit operator bool() const { return bool(taken); }
  void pack() { side.packAll(); }
  void *buffer() const { return taken ? side.data() : user; }
  Count count() const { return userCount; }
  MPI_Datatype type() const { return taken ? image : userType; }

  /// After the call.
  int end(Call call, int code, MPI_Win win, int target, bool isGet) {
    if (!taken || code != MPI_SUCCESS)
      return code;
    noteUse(call, *taken.type, taken.bytes);
    keepUntilSync(win, target, std::move(side), taken.bytes, isGet);
    return code;
  }

private:
  void *user;
  Count userCount;
  MPI_Datatype userType;
  MPI_Datatype image = MPI_DATATYPE_NULL;
  Taken taken;
  Side side;
};

template <auto &Native, Call Id, typename Count>
int put(const void *origin, Count count, MPI_Datatype type, int target,
        MPI_Aint place, Count targetCount, MPI_Datatype targetType,
        MPI_Win win) {
  OneSided<Count> out(Use::Put, origin, count, type, target, targetType);
  if (out)
    out.pack();
  return out.end(Id,
                 Native(out.buffer(), out.count(), out.type(), target, place,
                        targetCount, targetType, win),
                 win, target, false);
}

template <auto &Native, Call Id, typename Count>
int get(void *origin, Count count, MPI_Datatype type, int target,
        MPI_Aint place, Count targetCount, MPI_Datatype targetType,
        MPI_Win win) {
  OneSided<Count> in(Use::Get, origin, count, type, target, targetType);
  in.leaveIfShort(targetCount, targetType);
  return in.end(Id,
                Native(in.buffer(), in.count(), in.type(), target, place,
                       targetCount, targetType, win),
                win, target, true);
}

template <auto &Native, Call Id, typename Count>
int accumulate(const void *origin, Count count, MPI_Datatype type, int target,
               MPI_Aint place, Count targetCount, MPI_Datatype targetType,
               MPI_Op op, MPI_Win win) {
  OneSided<Count> out(Use::Accumulate, origin, count, type, target, targetType);
  out.keepElements();
  if (out)
    out.pack();
  return out.end(Id,
                 Native(out.buffer(), out.count(), out.type(), target, place,
                        targetCount, targetType, op, win),
                 win, target, false);
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

/// Has `native` end the operations on `target`, or on all.
template <typename Function>
int endEpochBy(Function &&native, int target, MPI_Win win) {
  const uint64_t number = numOperations();
  int code = native();
  if (code == MPI_SUCCESS)
    endOperations(win, target, number);
  return code;
}

template <auto &Native, Call Id> int endEpoch(MPI_Win win) {
  return endEpochBy([&] { return Native(win); }, allTargets, win);
}

template <auto &Native, Call Id> int endEpochOf(int target, MPI_Win win) {
  return endEpochBy([&] { return Native(target, win); }, target, win);
}

template <auto &Native, Call Id> int endEpochFence(int assertion, MPI_Win win) {
  return endEpochBy([&] { return Native(assertion, win); }, allTargets, win);
}

/// Before MPI can give the handle to another window.
template <auto &Native, Call Id> int freeWindow(MPI_Win *win) {
  if (win && *win != MPI_WIN_NULL)
    forgetOperations(*win);
  return Native(win);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_ONESIDED_H
