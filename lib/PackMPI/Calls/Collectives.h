//===- Collectives.h - Collectives over all ranks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per collective implements the blocking call and the non-blocking
// one, whose last argument is a request. Each function examines only arguments
// that MPI reads on this rank.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_COLLECTIVES_H
#define SLUICE_LIB_PACKMPI_CALLS_COLLECTIVES_H

#include "Collective.h"

namespace sluice::mpi {

template <auto &Native, Call Id, typename Count, typename... Request>
int broadcast(void *buffer, Count count, MPI_Datatype type, int root,
              MPI_Comm comm, Request *...request) {
  auto asIs = [&] {
    return Native(buffer, count, type, root, comm, request...);
  };
  if (!findType(type))
    return asIs();
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  if (!group.isUsable)
    return asIs();
  Collective collective(Id);
  bool isRoot = group.rank == root;
  Regular<Count> data(buffer, count, type);
  Side &side = isRoot ? collective.send() : collective.receive();
  if (data.take(collective, side, 1, false) && isRoot)
    side.packAll();
  int code = Native(data.buffer, data.count, data.type, root, comm, request...);
  return collective.end(code, request...);
}

/// The rank's own block is already in the receive buffer and must not change.
inline void keepOwn(Side &side, int rank) {
  side.pack(size_t(rank));
  side.keep(size_t(rank));
}

template <auto &Native, Call Id, typename Count, typename... Request>
int gather(const void *sendBuffer, Count sendCount, MPI_Datatype sendType,
           void *recvBuffer, Count recvCount, MPI_Datatype recvType, int root,
           MPI_Comm comm, Request *...request) {
  auto asIs = [&] {
    return Native(sendBuffer, sendCount, sendType, recvBuffer, recvCount,
                  recvType, root, comm, request...);
  };
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  bool isRoot = group.rank == root;
  bool inPlace = isRoot && sendBuffer == MPI_IN_PLACE;
  if (!group.isUsable ||
      !((!inPlace && findType(sendType)) || (isRoot && findType(recvType))))
    return asIs();
  Collective collective(Id);
  Regular<Count> out(sendBuffer, sendCount, sendType);
  Regular<Count> in(recvBuffer, recvCount, recvType);
  if (!inPlace && out.take(collective, collective.send(), 1, false))
    collective.send().packAll();
  if (isRoot &&
      in.take(collective, collective.receive(), group.size, inPlace) && inPlace)
    keepOwn(collective.receive(), group.rank);
  int code = Native(out.buffer, out.count, out.type, in.buffer, in.count,
                    in.type, root, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename Displ,
          typename... Request>
int gatherVector(const void *sendBuffer, Count sendCount, MPI_Datatype sendType,
                 void *recvBuffer, const Count *recvCounts, const Displ *displs,
                 MPI_Datatype recvType, int root, MPI_Comm comm,
                 Request *...request) {
  auto asIs = [&] {
    return Native(sendBuffer, sendCount, sendType, recvBuffer, recvCounts,
                  displs, recvType, root, comm, request...);
  };
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  bool isRoot = group.rank == root;
  bool inPlace = isRoot && sendBuffer == MPI_IN_PLACE;
  if (!group.isUsable ||
      !((!inPlace && findType(sendType)) || (isRoot && findType(recvType))))
    return asIs();
  Collective collective(Id);
  Regular<Count> out(sendBuffer, sendCount, sendType);
  Varying<Count, Displ> in(recvBuffer, recvCounts, displs, recvType);
  if (!inPlace && out.take(collective, collective.send(), 1, false))
    collective.send().packAll();
  if (isRoot && in.take(collective, collective.receive(), group.size) &&
      inPlace)
    keepOwn(collective.receive(), group.rank);
  int code = Native(out.buffer, out.count, out.type, in.buffer, in.counts,
                    in.displs, in.type, root, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename... Request>
int scatter(const void *sendBuffer, Count sendCount, MPI_Datatype sendType,
            void *recvBuffer, Count recvCount, MPI_Datatype recvType, int root,
            MPI_Comm comm, Request *...request) {
  auto asIs = [&] {
    return Native(sendBuffer, sendCount, sendType, recvBuffer, recvCount,
                  recvType, root, comm, request...);
  };
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  bool isRoot = group.rank == root;
  bool inPlace = isRoot && recvBuffer == MPI_IN_PLACE;
  if (!group.isUsable ||
      !((!inPlace && findType(recvType)) || (isRoot && findType(sendType))))
    return asIs();
  Collective collective(Id);
  Regular<Count> out(sendBuffer, sendCount, sendType);
  Regular<Count> in(recvBuffer, recvCount, recvType);
  if (isRoot && out.take(collective, collective.send(), group.size, false))
    collective.send().packAll();
  if (!inPlace)
    in.take(collective, collective.receive(), 1, false);
  int code = Native(out.buffer, out.count, out.type, in.buffer, in.count,
                    in.type, root, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename Displ,
          typename... Request>
int scatterVector(const void *sendBuffer, const Count *sendCounts,
                  const Displ *displs, MPI_Datatype sendType, void *recvBuffer,
                  Count recvCount, MPI_Datatype recvType, int root,
                  MPI_Comm comm, Request *...request) {
  auto asIs = [&] {
    return Native(sendBuffer, sendCounts, displs, sendType, recvBuffer,
                  recvCount, recvType, root, comm, request...);
  };
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  bool isRoot = group.rank == root;
  bool inPlace = isRoot && recvBuffer == MPI_IN_PLACE;
  if (!group.isUsable ||
      !((!inPlace && findType(recvType)) || (isRoot && findType(sendType))))
    return asIs();
  Collective collective(Id);
  Varying<Count, Displ> out(sendBuffer, sendCounts, displs, sendType);
  Regular<Count> in(recvBuffer, recvCount, recvType);
  if (isRoot && out.take(collective, collective.send(), group.size))
    collective.send().packAll();
  if (!inPlace)
    in.take(collective, collective.receive(), 1, false);
  int code = Native(out.buffer, out.counts, out.displs, out.type, in.buffer,
                    in.count, in.type, root, comm, request...);
  return collective.end(code, request...);
}

template <auto &Native, Call Id, typename Count, typename... Request>
int allGather(const void *sendBuffer, Count sendCount, MPI_Datatype sendType,
              void *recvBuffer, Count recvCount, MPI_Datatype recvType,
              MPI_Comm comm, Request *...request) {
  bool inPlace = sendBuffer == MPI_IN_PLACE;
  bool candidate = isCandidate(sendBuffer, sendType) || findType(recvType);
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  if (candidate && group.isUsable) {
    Collective collective(Id);
    Regular<Count> out(sendBuffer, sendCount, sendType);
    Regular<Count> in(recvBuffer, recvCount, recvType);
    if (!inPlace && out.take(collective, collective.send(), 1, false))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), group.size, inPlace) &&
        inPlace)
      keepOwn(collective.receive(), group.rank);
    int code = Native(out.buffer, out.count, out.type, in.buffer, in.count,
                      in.type, comm, request...);
    return collective.end(code, request...);
  }
  return Native(sendBuffer, sendCount, sendType, recvBuffer, recvCount,
                recvType, comm, request...);
}

template <auto &Native, Call Id, typename Count, typename Displ,
          typename... Request>
int allGatherVector(const void *sendBuffer, Count sendCount,
                    MPI_Datatype sendType, void *recvBuffer,
                    const Count *recvCounts, const Displ *displs,
                    MPI_Datatype recvType, MPI_Comm comm, Request *...request) {
  bool inPlace = sendBuffer == MPI_IN_PLACE;
  bool candidate = isCandidate(sendBuffer, sendType) || findType(recvType);
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  if (candidate && group.isUsable) {
    Collective collective(Id);
    Regular<Count> out(sendBuffer, sendCount, sendType);
    Varying<Count, Displ> in(recvBuffer, recvCounts, displs, recvType);
    if (!inPlace && out.take(collective, collective.send(), 1, false))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), group.size) && inPlace)
      keepOwn(collective.receive(), group.rank);
    int code = Native(out.buffer, out.count, out.type, in.buffer, in.counts,
                      in.displs, in.type, comm, request...);
    return collective.end(code, request...);
  }
  return Native(sendBuffer, sendCount, sendType, recvBuffer, recvCounts, displs,
                recvType, comm, request...);
}

//===----------------------------------------------------------------------===//
// All to all
//===----------------------------------------------------------------------===//

template <auto &Native, Call Id, typename Count, typename... Request>
int allToAll(const void *sendBuffer, Count sendCount, MPI_Datatype sendType,
             void *recvBuffer, Count recvCount, MPI_Datatype recvType,
             MPI_Comm comm, Request *...request) {
  bool inPlace = sendBuffer == MPI_IN_PLACE;
  bool candidate = isCandidate(sendBuffer, sendType) || findType(recvType);
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  if (candidate && group.isUsable) {
    Collective collective(Id);
    Regular<Count> out(sendBuffer, sendCount, sendType);
    Regular<Count> in(recvBuffer, recvCount, recvType);
    if (!inPlace && out.take(collective, collective.send(), group.size, false))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), group.size, false) && inPlace)
      collective.receive().packAll();
    int code = Native(out.buffer, out.count, out.type, in.buffer, in.count,
                      in.type, comm, request...);
    return collective.end(code, request...);
  }
  return Native(sendBuffer, sendCount, sendType, recvBuffer, recvCount,
                recvType, comm, request...);
}

template <auto &Native, Call Id, typename Count, typename Displ,
          typename... Request>
int allToAllVector(const void *sendBuffer, const Count *sendCounts,
                   const Displ *sendDispls, MPI_Datatype sendType,
                   void *recvBuffer, const Count *recvCounts,
                   const Displ *recvDispls, MPI_Datatype recvType,
                   MPI_Comm comm, Request *...request) {
  bool inPlace = sendBuffer == MPI_IN_PLACE;
  bool candidate = isCandidate(sendBuffer, sendType) || findType(recvType);
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  if (candidate && group.isUsable) {
    Collective collective(Id);
    Varying<Count, Displ> out(sendBuffer, sendCounts, sendDispls, sendType);
    Varying<Count, Displ> in(recvBuffer, recvCounts, recvDispls, recvType);
    if (!inPlace && out.take(collective, collective.send(), group.size))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), group.size) && inPlace)
      collective.receive().packAll();
    int code = Native(out.buffer, out.counts, out.displs, out.type, in.buffer,
                      in.counts, in.displs, in.type, comm, request...);
    return collective.end(code, request...);
  }
  return Native(sendBuffer, sendCounts, sendDispls, sendType, recvBuffer,
                recvCounts, recvDispls, recvType, comm, request...);
}

template <auto &Native, Call Id, typename Count, typename Displ,
          typename... Request>
int allToAllTypes(const void *sendBuffer, const Count *sendCounts,
                  const Displ *sendDispls, const MPI_Datatype *sendTypes,
                  void *recvBuffer, const Count *recvCounts,
                  const Displ *recvDispls, const MPI_Datatype *recvTypes,
                  MPI_Comm comm, Request *...request) {
  bool inPlace = sendBuffer == MPI_IN_PLACE;
  Group group(comm);
  if (group.code != MPI_SUCCESS)
    return group.code;
  if (hasTypes() && group.isUsable) {
    Collective collective(Id);
    Mixed<Count, Displ> out(sendBuffer, sendCounts, sendDispls, sendTypes);
    Mixed<Count, Displ> in(recvBuffer, recvCounts, recvDispls, recvTypes);
    if (!inPlace && out.take(collective, collective.send(), group.size))
      collective.send().packAll();
    if (in.take(collective, collective.receive(), group.size) && inPlace)
      collective.receive().packAll();
    int code = Native(out.buffer, out.counts, out.displs, out.types, in.buffer,
                      in.counts, in.displs, in.types, comm, request...);
    return collective.end(code, request...);
  }
  return Native(sendBuffer, sendCounts, sendDispls, sendTypes, recvBuffer,
                recvCounts, recvDispls, recvTypes, comm, request...);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_COLLECTIVES_H
