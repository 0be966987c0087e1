//===- Neighbors.h - Neighbourhood collectives ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Like Collectives.h, for process topologies. Nothing is received from a
// neighbour MPI_PROC_NULL, and its block of the buffer must not change.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_NEIGHBORS_H
#define SLUICE_LIB_PACKMPI_CALLS_NEIGHBORS_H

#include "Collective.h"

#include <vector>

namespace sluice::mpi {

/// The neighbours of this rank in the communicator's topology.
class Neighbors {
public:
  explicit Neighbors(MPI_Comm comm);
  bool isUsable = false;
  /// See Group.
  int code = MPI_SUCCESS;
  int in() const { return int(sources.size()); }
  int out() const { return int(destinations.size()); }
  /// Whether a neighbour is MPI_PROC_NULL.
  bool hasGaps() const;
  /// Marks the blocks of such neighbours as kept.
  void keepGaps(Side &side) const;

private:
  void readCartesian(MPI_Comm comm);
  void readGraph(MPI_Comm comm);
  void readDistributed(MPI_Comm comm);
  std::vector<int> sources, destinations;
};

template <auto &Native, Call Id, typename Count, typename... Request>
int neighborAllGather(const void *sendBuffer, Count sendCount,
                      MPI_Datatype sendType, void *recvBuffer, Count recvCount,
                      MPI_Datatype recvType, MPI_Comm comm,
                      Request *...request) {
  Regular<Count> out(sendBuffer, sendCount, sendType);
  Regular<Count> in(recvBuffer, recvCount, recvType);
  if (!findType(sendType) && !findType(recvType))
    return Native(out.buffer, out.count, out.type, in.buffer, in.count, in.type,
                  comm, request...);
  Collective collective(Id);
  Neighbors neighbors(comm);
  if (neighbors.code != MPI_SUCCESS)
    return neighbors.code;
  if (neighbors.isUsable) {
    if (out.take(collective, collective.send(), 1, false))
      collective.send().packAll();
    bool apart = neighbors.hasGaps();
    if (in.take(collective, collective.receive(), neighbors.in(), apart) &&
        apart)
      neighbors.keepGaps(collective.receive());
  }
  int code = Native(out.buffer, out.count, out.type, in.buffer, in.count,
                    in.type, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename Displ,
          typename... Request>
int neighborAllGatherVector(const void *sendBuffer, Count sendCount,
                            MPI_Datatype sendType, void *recvBuffer,
                            const Count *recvCounts, const Displ *displs,
                            MPI_Datatype recvType, MPI_Comm comm,
                            Request *...request) {
  Regular<Count> out(sendBuffer, sendCount, sendType);
  Varying<Count, Displ> in(recvBuffer, recvCounts, displs, recvType);
  if (!findType(sendType) && !findType(recvType))
    return Native(out.buffer, out.count, out.type, in.buffer, in.counts,
                  in.displs, in.type, comm, request...);
  Collective collective(Id);
  Neighbors neighbors(comm);
  if (neighbors.code != MPI_SUCCESS)
    return neighbors.code;
  if (neighbors.isUsable) {
    if (out.take(collective, collective.send(), 1, false))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), neighbors.in()))
      neighbors.keepGaps(collective.receive());
  }
  int code = Native(out.buffer, out.count, out.type, in.buffer, in.counts,
                    in.displs, in.type, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename... Request>
int neighborAllToAll(const void *sendBuffer, Count sendCount,
                     MPI_Datatype sendType, void *recvBuffer, Count recvCount,
                     MPI_Datatype recvType, MPI_Comm comm,
                     Request *...request) {
  Regular<Count> out(sendBuffer, sendCount, sendType);
  Regular<Count> in(recvBuffer, recvCount, recvType);
  if (!findType(sendType) && !findType(recvType))
    return Native(out.buffer, out.count, out.type, in.buffer, in.count, in.type,
                  comm, request...);
  Collective collective(Id);
  Neighbors neighbors(comm);
  if (neighbors.code != MPI_SUCCESS)
    return neighbors.code;
  if (neighbors.isUsable) {
    if (out.take(collective, collective.send(), neighbors.out(), false))
      collective.send().packAll();
    bool apart = neighbors.hasGaps();
    if (in.take(collective, collective.receive(), neighbors.in(), apart) &&
        apart)
      neighbors.keepGaps(collective.receive());
  }
  int code = Native(out.buffer, out.count, out.type, in.buffer, in.count,
                    in.type, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename Displ,
          typename... Request>
int neighborAllToAllVector(const void *sendBuffer, const Count *sendCounts,
                           const Displ *sendDispls, MPI_Datatype sendType,
                           void *recvBuffer, const Count *recvCounts,
                           const Displ *recvDispls, MPI_Datatype recvType,
                           MPI_Comm comm, Request *...request) {
  Varying<Count, Displ> out(sendBuffer, sendCounts, sendDispls, sendType);
  Varying<Count, Displ> in(recvBuffer, recvCounts, recvDispls, recvType);
  if (!findType(sendType) && !findType(recvType))
    return Native(out.buffer, out.counts, out.displs, out.type, in.buffer,
                  in.counts, in.displs, in.type, comm, request...);
  Collective collective(Id);
  Neighbors neighbors(comm);
  if (neighbors.code != MPI_SUCCESS)
    return neighbors.code;
  if (neighbors.isUsable) {
    if (out.take(collective, collective.send(), neighbors.out()))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), neighbors.in()))
      neighbors.keepGaps(collective.receive());
  }
  int code = Native(out.buffer, out.counts, out.displs, out.type, in.buffer,
                    in.counts, in.displs, in.type, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename... Request>
int neighborAllToAllTypes(const void *sendBuffer, const Count *sendCounts,
                          const MPI_Aint *sendDispls,
                          const MPI_Datatype *sendTypes, void *recvBuffer,
                          const Count *recvCounts, const MPI_Aint *recvDispls,
                          const MPI_Datatype *recvTypes, MPI_Comm comm,
                          Request *...request) {
  Mixed<Count, MPI_Aint> out(sendBuffer, sendCounts, sendDispls, sendTypes);
  Mixed<Count, MPI_Aint> in(recvBuffer, recvCounts, recvDispls, recvTypes);
  if (!hasTypes())
    return Native(out.buffer, out.counts, out.displs, out.types, in.buffer,
                  in.counts, in.displs, in.types, comm, request...);
  Collective collective(Id);
  Neighbors neighbors(comm);
  if (neighbors.code != MPI_SUCCESS)
    return neighbors.code;
  if (neighbors.isUsable) {
    if (out.take(collective, collective.send(), neighbors.out()))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), neighbors.in()))
      neighbors.keepGaps(collective.receive());
  }
  int code = Native(out.buffer, out.counts, out.displs, out.types, in.buffer,
                    in.counts, in.displs, in.types, comm, request...);
  return collective.end(code, request...);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_NEIGHBORS_H
