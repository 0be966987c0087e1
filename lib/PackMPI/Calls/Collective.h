//===- Collective.h - Common parts of handled collectives -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A side of a collective that Sluice handles keeps its counts. Its type becomes
// the same number of contiguous bytes per instance, and its displacements are
// changed so that there are no gaps. So the MPI library selects the same
// algorithm as without Sluice, and ranks without the interposer, or with other
// types, can take part.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_COLLECTIVE_H
#define SLUICE_LIB_PACKMPI_CALLS_COLLECTIVE_H

#include "PointToPoint.h"

#include <algorithm>
#include <limits>

namespace sluice::mpi {

/// The communicator as seen by this rank.
struct Group {
  /// False for intercommunicators, whose collectives are left to MPI.
  bool isUsable = false;
  int rank = 0, size = 0;
  /// Not MPI_SUCCESS if MPI has refused the communicator and called the
  /// program's error handler: then the call must not be made again.
  int code = MPI_SUCCESS;
  explicit Group(MPI_Comm comm);
};

/// Whether Sluice may handle an argument. Call it only for arguments that MPI
/// reads on this rank.
inline bool isCandidate(const void *buffer, MPI_Datatype type) {
  return buffer != MPI_IN_PLACE && findType(type);
}

/// A collective in flight. Its record is freed when the call returns or, for a
/// non-blocking call, when the request completes.
class Collective {
public:
  explicit Collective(Call call) : call(call), record(newRecord()) {}
  ~Collective() {
    if (record)
      releaseRecord(record);
  }
  Collective(const Collective &) = delete;
  Collective &operator=(const Collective &) = delete;

  Side &send() { return record->exchange.send; }
  Side &receive() { return record->exchange.receive; }
  Exchange &exchange() { return record->exchange; }
  void note(const Taken &taken) { noteUse(call, *taken.type, taken.bytes); }

  /// Called after the blocking call has returned.
  int end(int code) {
    if (code == MPI_SUCCESS && receive().isUsed())
      receive().unpackAll();
    return code;
  }
  /// Called after the non-blocking call has returned; received data is unpacked
  /// when the request completes. A record without handled arguments is freed.
  int end(int code, MPI_Request *request) {
    // An immediately complete request may share its handle with others.
    int isComplete = 0;
    if (code == MPI_SUCCESS && receive().isUsed() &&
        native::Request_get_status(*request, &isComplete, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS &&
        isComplete)
      return end(code);
    if (send().isUsed() || receive().isUsed())
      track(code, request, std::exchange(record, nullptr));
    return code;
  }

private:
  Call call;
  PendingRequest *record;
};

/// Equal, consecutive blocks: buffer, count and type of an argument.
template <typename Count> struct Regular {
  void *buffer;
  Count count;
  MPI_Datatype type;

  Regular(const void *buffer, Count count, MPI_Datatype type)
      : buffer(const_cast<void *>(buffer)), count(count), type(type) {}

  /// Replaces the argument by the packed bytes of `blocks` blocks, which are
  /// known not to overlap if `apart`. Returns false if the argument is
  /// unchanged.
  bool take(Collective &collective, Side &side, int64_t blocks, bool apart) {
    int64_t instances;
    if (__builtin_mul_overflow(int64_t(count), blocks, &instances))
      return false;
    Taken taken = decide(BufferUse::Transfer, buffer, instances, type);
    if (!taken)
      return false;
    MPI_Datatype image = imageType(taken.packing->size);
    if (image == MPI_DATATYPE_NULL)
      return false;
    side.begin(buffer);
    for (int64_t i = 0; apart && i != blocks; ++i)
      side.add(taken.type, count, i * count * taken.packing->extent);
    if (!apart)
      side.add(taken.type, instances, 0);
    if (!side.allocate())
      return false;
    collective.note(taken);
    buffer = side.data();
    type = image;
    return true;
  }
};

/// Blocks of counts at displacements, in units of the type's extent.
template <typename Count, typename Displ> struct Varying {
  void *buffer;
  const Count *counts;
  const Displ *displs;
  MPI_Datatype type;

  Varying(const void *buffer, const Count *counts, const Displ *displs,
          MPI_Datatype type)
      : buffer(const_cast<void *>(buffer)), counts(counts), displs(displs),
        type(type) {}

  /// The same for blocks of different sizes. Changes their displacements so
  /// that there are no gaps.
  bool take(Collective &collective, Side &side, int blocks) {
    int64_t instances = totalOf(blocks);
    if (instances < 0 || instances > std::numeric_limits<Displ>::max())
      return false;
    Taken taken = decide(BufferUse::Transfer, buffer, instances, type);
    if (!taken)
      return false;
    MPI_Datatype image = imageType(taken.packing->size);
    if (image == MPI_DATATYPE_NULL)
      return false;
    auto *places =
        collective.exchange().template newArray<Displ>(size_t(blocks));
    auto *numbers =
        collective.exchange().template newArray<Count>(size_t(blocks));
    std::copy_n(counts, blocks, numbers);
    side.begin(buffer);
    Displ next = 0;
    for (int i = 0; i != blocks; ++i) {
      side.add(taken.type, counts[i], displs[i] * taken.packing->extent);
      places[i] = next;
      next += Displ(counts[i]);
    }
    if (!side.allocate())
      return false;
    collective.note(taken);
    buffer = side.data();
    counts = numbers;
    displs = places;
    type = image;
    return true;
  }

private:
  /// The sum of the counts; negative if a count is negative, which MPI must
  /// refuse.
  int64_t totalOf(int blocks) const {
    int64_t total = 0;
    for (int i = 0; i != blocks; ++i) {
      if (counts[i] < 0)
        return -1;
      total += counts[i];
    }
    return total;
  }
};

/// Blocks with individual counts and types at displacements in bytes.
template <typename Count, typename Displ> struct Mixed {
  void *buffer;
  const Count *counts;
  const Displ *displs;
  const MPI_Datatype *types;

  Mixed(const void *buffer, const Count *counts, const Displ *displs,
        const MPI_Datatype *types)
      : buffer(const_cast<void *>(buffer)), counts(counts), displs(displs),
        types(types) {}

  bool take(Collective &collective, Side &side, int blocks);

private:
  /// Adds block `i`; false if Sluice cannot read its type.
  bool add(Side &side, int i, MPI_Datatype &image) const;
  bool isWanted(int blocks) const;
};

/// True for a type without gaps; sets its size and the offset of its first
/// byte.
bool isPlain(MPI_Datatype type, int64_t &size, int64_t &lowest);

template <typename Count, typename Displ>
bool Mixed<Count, Displ>::isWanted(int blocks) const {
  for (int i = 0; i != blocks; ++i)
    if (decide(BufferUse::Transfer, static_cast<char *>(buffer) + displs[i],
               counts[i], types[i]))
      return true;
  return false;
}

template <typename Count, typename Displ>
bool Mixed<Count, Displ>::add(Side &side, int i, MPI_Datatype &image) const {
  int64_t size, lowest;
  image = MPI_BYTE;
  if (counts[i] < 0)
    return false;
  if (counts[i] == 0) {
    side.addPlain(0, 0);
    return true;
  }
  const TypeRef *found = findType(types[i]);
  const Packing *packing = found ? (*found)->packing(types[i]) : nullptr;
  if (packing) {
    size = packing->size;
    side.add(*found, counts[i], displs[i]);
  } else if (isPlain(types[i], size, lowest)) {
    side.addPlain(size * counts[i], displs[i] + lowest);
  } else {
    return false;
  }
  image = imageType(size);
  return image != MPI_DATATYPE_NULL;
}

template <typename Count, typename Displ>
bool Mixed<Count, Displ>::take(Collective &collective, Side &side, int blocks) {
  if (!isWanted(blocks))
    return false;
  Exchange &exchange = collective.exchange();
  auto *numbers = exchange.newArray<Count>(size_t(blocks));
  auto *places = exchange.newArray<Displ>(size_t(blocks));
  auto *images = exchange.newArray<MPI_Datatype>(size_t(blocks));
  std::copy_n(counts, blocks, numbers);
  side.begin(buffer);
  for (int i = 0; i != blocks; ++i) {
    if (!add(side, i, images[i]) ||
        side.block(size_t(i)).packedOffset > std::numeric_limits<Displ>::max())
      return false;
    places[i] = Displ(side.block(size_t(i)).packedOffset);
  }
  if (!side.allocate())
    return false;
  for (int i = 0; i != blocks; ++i)
    if (const Block &block = side.block(size_t(i)); block.type)
      collective.note({block.type, block.type->knownPacking(), block.bytes});
  buffer = side.data();
  counts = numbers;
  displs = places;
  types = images;
  return true;
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_COLLECTIVE_H
