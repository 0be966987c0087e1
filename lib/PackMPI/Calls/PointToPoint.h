//===- PointToPoint.h - Sends and receives --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transfer that Sluice handles sends packed bytes by the same call, with the
// same peer, tag and communicator, so that MPI still controls matching,
// ordering, progress and errors. The other side may use any type with the same
// signature.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_POINTTOPOINT_H
#define SLUICE_LIB_PACKMPI_CALLS_POINTTOPOINT_H

#include "../Requests/Policy.h"
#include "../Requests/Requests.h"
#include "../Requests/Statistics.h"
#include "../Requests/WireTypes.h"

namespace sluice::mpi {

/// Number of bytes of the message that the status describes.
inline int64_t receivedBytes(const MPI_Status *status) {
  MPI_Count bytes = 0;
  return PMPI_Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS
             ? int64_t(bytes)
             : 0;
}

template <typename Count>
void unpackReceived(const Taken &taken, const Wire<Count> &wire, void *buffer,
                    int64_t count, const MPI_Status *status) {
  int64_t bytes = receivedBytes(status);
  char *packed = wire.staging.data();
  if (wire.hasGap)
    closeGap(packed, taken.bytes, bytes);
  pack::Packer &packer = *taken.packing->packer;
  if (bytes >= taken.bytes)
    packer.unpack(packed, buffer, count);
  else if (bytes > 0)
    packer.unpackPart(packed, 0, bytes, buffer, count);
}

/// The caller's status, or a local one if the caller wants none.
class StatusOf {
public:
  explicit StatusOf(MPI_Status *wanted)
      : pointer(wanted == MPI_STATUS_IGNORE ? &own : wanted) {}
  operator MPI_Status *() { return pointer; }

private:
  MPI_Status own;
  MPI_Status *pointer;
};

//===----------------------------------------------------------------------===//
// Blocking
//===----------------------------------------------------------------------===//

template <auto &Native, Call Id, typename Count>
int send(const void *buffer, Count count, MPI_Datatype type, int dest, int tag,
         MPI_Comm comm) {
  if (isLeftAlone(type))
    return Native(buffer, count, type, dest, tag, comm);
  Taken taken = decideTransfer(BufferUse::Transfer, buffer, count, type, dest);
  Wire<Count> wire;
  if (!taken || !wire.prepare(taken, count, false))
    return Native(buffer, count, type, dest, tag, comm);
  taken.packing->packer->pack(buffer, count, wire.staging.data());
  noteUse(Id, *taken.type, taken.bytes);
  return Native(wire.staging.data(), wire.count, wire.type, dest, tag, comm);
}

template <auto &Native, Call Id, typename Count>
int receive(void *buffer, Count count, MPI_Datatype type, int source, int tag,
            MPI_Comm comm, MPI_Status *status) {
  if (isLeftAlone(type))
    return Native(buffer, count, type, source, tag, comm, status);
  Taken taken = decideTransfer(BufferUse::Receive, buffer, count, type, source);
  Wire<Count> wire;
  if (!taken || !wire.prepare(taken, count, true))
    return Native(buffer, count, type, source, tag, comm, status);
  StatusOf result(status);
  int code = Native(wire.staging.data(), wire.count, wire.type, source, tag,
                    comm, result);
  if (code == MPI_SUCCESS)
    unpackReceived(taken, wire, buffer, count, result);
  noteUse(Id, *taken.type, taken.bytes);
  return code;
}

/// The source of a matched message; MPI_Improbe gives MPI_MESSAGE_NO_PROC for
/// MPI_PROC_NULL.
inline int sourceOf(const MPI_Message *message) {
  return message && *message != MPI_MESSAGE_NO_PROC ? 0 : MPI_PROC_NULL;
}

template <auto &Native, Call Id, typename Count>
int receiveMatched(void *buffer, Count count, MPI_Datatype type,
                   MPI_Message *message, MPI_Status *status) {
  Taken taken = decideTransfer(BufferUse::Receive, buffer, count, type,
                               sourceOf(message));
  Wire<Count> wire;
  if (!taken || !wire.prepare(taken, count, true))
    return Native(buffer, count, type, message, status);
  StatusOf result(status);
  int code =
      Native(wire.staging.data(), wire.count, wire.type, message, result);
  if (code == MPI_SUCCESS)
    unpackReceived(taken, wire, buffer, count, result);
  noteUse(Id, *taken.type, taken.bytes);
  return code;
}

/// The packed bytes of a handled side, or the caller's arguments.
template <typename Count> class PackedSide {
public:
  PackedSide(const void *buffer, Count count, MPI_Datatype type, int peer,
             bool isReceive)
      : user(const_cast<void *>(buffer)), userCount(count), userType(type),
        taken(
            decideTransfer(isReceive ? BufferUse::Receive : BufferUse::Transfer,
                           buffer, count, type, peer)) {
    if (taken && !wire.prepare(taken, count, isReceive))
      taken = Taken();
  }
  bool isTaken() const { return bool(taken); }
  void *buffer() const { return isTaken() ? wire.staging.data() : user; }
  Count count() const { return isTaken() ? wire.count : userCount; }
  MPI_Datatype type() const { return isTaken() ? wire.type : userType; }

  void pack(Call call) {
    if (!isTaken())
      return;
    taken.packing->packer->pack(user, userCount, wire.staging.data());
    noteUse(call, *taken.type, taken.bytes);
  }
  void unpack(Call call, const MPI_Status *status) {
    if (!isTaken())
      return;
    unpackReceived(taken, wire, user, userCount, status);
    noteUse(call, *taken.type, taken.bytes);
  }

private:
  void *user;
  Count userCount;
  MPI_Datatype userType;
  Taken taken;
  Wire<Count> wire;
};

template <auto &Native, Call Id, typename Count>
int sendReceive(const void *sendBuffer, Count sendCount, MPI_Datatype sendType,
                int dest, int sendTag, void *recvBuffer, Count recvCount,
                MPI_Datatype recvType, int source, int recvTag, MPI_Comm comm,
                MPI_Status *status) {
  if (isLeftAlone(sendType) && isLeftAlone(recvType))
    return Native(sendBuffer, sendCount, sendType, dest, sendTag, recvBuffer,
                  recvCount, recvType, source, recvTag, comm, status);
  PackedSide<Count> out(sendBuffer, sendCount, sendType, dest, false);
  PackedSide<Count> in(recvBuffer, recvCount, recvType, source, true);
  if (!out.isTaken() && !in.isTaken())
    return Native(sendBuffer, sendCount, sendType, dest, sendTag, recvBuffer,
                  recvCount, recvType, source, recvTag, comm, status);
  StatusOf result(status);
  out.pack(Id);
  int code =
      Native(out.buffer(), out.count(), out.type(), dest, sendTag, in.buffer(),
             in.count(), in.type(), source, recvTag, comm, result);
  if (code == MPI_SUCCESS)
    in.unpack(Id, result);
  return code;
}

template <auto &Native, Call Id, typename Count>
int sendReceiveReplace(void *buffer, Count count, MPI_Datatype type, int dest,
                       int sendTag, int source, int recvTag, MPI_Comm comm,
                       MPI_Status *status) {
  Taken taken = decide(BufferUse::Transfer, buffer, count, type);
  Wire<Count> wire;
  if (!taken || source == MPI_PROC_NULL || !wire.prepare(taken, count, false))
    return Native(buffer, count, type, dest, sendTag, source, recvTag, comm,
                  status);
  StatusOf result(status);
  taken.packing->packer->pack(buffer, count, wire.staging.data());
  int code = Native(wire.staging.data(), wire.count, wire.type, dest, sendTag,
                    source, recvTag, comm, result);
  if (code == MPI_SUCCESS)
    unpackReceived(taken, wire, buffer, count, result);
  noteUse(Id, *taken.type, taken.bytes);
  return code;
}

//===----------------------------------------------------------------------===//
// Non-blocking and persistent
//===----------------------------------------------------------------------===//

/// Whether a request is started by its call, or later by MPI_Start, any number
/// of times.
enum class Started { AtOnce, Later };

/// A record with one side, whose packed bytes are in the wire's buffer.
template <typename Count>
PendingRequest *recordOf(Started started, Side Exchange::*side,
                         const Taken &taken, const void *buffer, Count count,
                         Wire<Count> &wire) {
  PendingRequest *record = newRecord();
  Side &used = record->exchange.*side;
  used.begin(buffer);
  used.add(taken.type, count, 0);
  used.adopt(std::move(wire.staging), wire.hasGap);
  record->isReceive = side == &Exchange::receive;
  if (started == Started::Later) {
    record->isPersistent = true;
    record->isActive = false;
  }
  return record;
}

/// Called after the call: tracks the request, or frees the record if the
/// operation has not begun.
inline int track(int code, const MPI_Request *request, PendingRequest *record) {
  if (code == MPI_SUCCESS)
    enterRecord(*request, record);
  else
    releaseRecord(record);
  return code;
}

template <auto &Native, Call Id, Started started, typename Count>
int requestSend(const void *buffer, Count count, MPI_Datatype type, int dest,
                int tag, MPI_Comm comm, MPI_Request *request) {
  if (isLeftAlone(type))
    return Native(buffer, count, type, dest, tag, comm, request);
  Taken taken = decideTransfer(BufferUse::Transfer, buffer, count, type, dest);
  Wire<Count> wire;
  if (!taken || !wire.prepare(taken, count, false))
    return Native(buffer, count, type, dest, tag, comm, request);
  PendingRequest *record =
      recordOf(started, &Exchange::send, taken, buffer, count, wire);
  if (started == Started::AtOnce)
    record->exchange.send.packAll();
  noteUse(Id, *taken.type, started == Started::AtOnce ? taken.bytes : 0);
  int code = Native(record->exchange.send.data(), wire.count, wire.type, dest,
                    tag, comm, request);
  return track(code, request, record);
}

/// `where` contains the arguments that select the message: source, tag and
/// communicator, or the handle of a matched message.
template <auto &Native, Call Id, Started started, typename Count,
          typename... Where>
int requestReceive(void *buffer, Count count, MPI_Datatype type, int source,
                   MPI_Request *request, Where... where) {
  if (isLeftAlone(type))
    return Native(buffer, count, type, where..., request);
  Taken taken = decideTransfer(BufferUse::Receive, buffer, count, type, source);
  Wire<Count> wire;
  if (!taken || !wire.prepare(taken, count, true))
    return Native(buffer, count, type, where..., request);
  PendingRequest *record =
      recordOf(started, &Exchange::receive, taken, buffer, count, wire);
  noteUse(Id, *taken.type, started == Started::AtOnce ? taken.bytes : 0);
  int code = Native(record->exchange.receive.data(), wire.count, wire.type,
                    where..., request);
  return track(code, request, record);
}

template <auto &Native, Call Id, typename Count>
int startSend(const void *buffer, Count count, MPI_Datatype type, int dest,
              int tag, MPI_Comm comm, MPI_Request *request) {
  return requestSend<Native, Id, Started::AtOnce>(buffer, count, type, dest,
                                                  tag, comm, request);
}

template <auto &Native, Call Id, typename Count>
int prepareSend(const void *buffer, Count count, MPI_Datatype type, int dest,
                int tag, MPI_Comm comm, MPI_Request *request) {
  return requestSend<Native, Id, Started::Later>(buffer, count, type, dest, tag,
                                                 comm, request);
}

template <auto &Native, Call Id, typename Count>
int startReceive(void *buffer, Count count, MPI_Datatype type, int source,
                 int tag, MPI_Comm comm, MPI_Request *request) {
  return requestReceive<Native, Id, Started::AtOnce>(
      buffer, count, type, source, request, source, tag, comm);
}

template <auto &Native, Call Id, typename Count>
int prepareReceive(void *buffer, Count count, MPI_Datatype type, int source,
                   int tag, MPI_Comm comm, MPI_Request *request) {
  return requestReceive<Native, Id, Started::Later>(buffer, count, type, source,
                                                    request, source, tag, comm);
}

template <auto &Native, Call Id, typename Count>
int startReceiveMatched(void *buffer, Count count, MPI_Datatype type,
                        MPI_Message *message, MPI_Request *request) {
  return requestReceive<Native, Id, Started::AtOnce>(
      buffer, count, type, sourceOf(message), request, message);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_POINTTOPOINT_H
