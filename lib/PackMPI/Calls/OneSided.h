//===- OneSided.h - Put, get and accumulate -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data with gaps on this side goes through packed bytes; the positions in the
// window are determined by the call and left to MPI. MPI reads or writes the
// bytes until the window is synchronised: then they are unpacked and freed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_ONESIDED_H
#define SLUICE_LIB_PACKMPI_CALLS_ONESIDED_H

#include "../Library/InterposerSettings.h"
#include "../Requests/Exchange.h"
#include "../Requests/Statistics.h"

#include <limits>

namespace sluice::mpi {

/// Keeps the `bytes` packed bytes of an operation on `target` that has begun;
/// those of a get are unpacked later.
void keepUntilSync(MPI_Win win, int target, Side &&side, int64_t bytes,
                   bool isGet);
/// A synchronisation takes the current operation number before it begins;
/// afterwards, operations with lower numbers on `target`, or on all targets,
/// have ended locally. Other threads may begin operations meanwhile. allTargets
/// is not a rank, nor MPI_PROC_NULL, which is -1 in MPICH.
inline constexpr int allTargets = std::numeric_limits<int>::min();
uint64_t numOperations();
void endOperations(MPI_Win win, int target, uint64_t number);
/// Drops the operations of a window that is freed.
void forgetOperations(MPI_Win win);

/// The number of bytes kept in all windows: a synchronisation epoch may begin
/// any number of operations, and beyond `mostKept` they are left to MPI.
int64_t keptBytes();
inline constexpr int64_t mostKept = int64_t(128) << 20;

/// Whether packing here may be faster than MPI, depending on the layout in the
/// window: Open MPI always processes gaps there. MPICH packs by itself if the
/// window has none.
inline bool suits(BufferUse use, MPI_Datatype targetType) {
#ifdef OPEN_MPI
  return isKnownPlain(targetType);
#else
  return isKnownPlain(targetType) == (use != BufferUse::Put);
#endif
}

/// One operation, whether or not Sluice handles it.
template <typename Count> class OneSided {
public:
  OneSided(BufferUse use, const void *origin, Count count, MPI_Datatype type,
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
  /// For get: if less data arrives than there is room for, the rest must stay
  /// unchanged. MPICH would fill contiguous memory completely.
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

  /// Called after the call.
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
  OneSided<Count> out(BufferUse::Put, origin, count, type, target, targetType);
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
  OneSided<Count> in(BufferUse::Get, origin, count, type, target, targetType);
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
  OneSided<Count> out(BufferUse::Accumulate, origin, count, type, target,
                      targetType);
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

/// Calls `native`, which ends the operations on `target`, or on all targets.
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

/// Called before MPI can reuse the handle for another window.
template <auto &Native, Call Id> int freeWindow(MPI_Win *win) {
  if (win && *win != MPI_WIN_NULL)
    forgetOperations(*win);
  return Native(win);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_ONESIDED_H
