//===- FilesLater.h - Reads and writes of files that end later ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations with a request, whose packed bytes are in its record, and
// operations that are begun and ended by two calls, of which a file has one at
// a time.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_FILESLATER_H
#define SLUICE_LIB_PACKMPI_CALLS_FILESLATER_H

#include "FileCalls.h"
#include "PointToPoint.h"

namespace sluice::mpi {

//===----------------------------------------------------------------------===//
// With a request
//===----------------------------------------------------------------------===//

/// Moves the packed bytes to a record; for a read, with the current content of
/// the buffer, because a read may end early. `call` calls MPI with a buffer,
/// its count, its type, and the request.
template <Call Id, typename Count, typename Native>
int startTransfer(Side Exchange::*side, MPI_File file, const void *buffer,
                  Count count, MPI_Datatype type, MPI_Request *request,
                  Native &&call) {
  FileTransfer<Count> transfer(file, buffer, count, type);
  if (transfer.code() != MPI_SUCCESS)
    return transfer.code();
  if (!transfer.isTaken())
    return call(buffer, count, type, request);
  transfer.note(Id);
  PendingRequest *record = newRecord();
  Side &used = record->exchange.*side;
  int code =
      call(transfer.buffer(), transfer.count(), transfer.type(), request);
  transfer.moveTo(used);
  return track(code, request, record);
}

template <auto &Native, Call Id, typename Count>
int startWriteFile(MPI_File file, const void *buffer, Count count,
                   MPI_Datatype type, MPI_Request *request) {
  return startTransfer<Id>(
      &Exchange::send, file, buffer, count, type, request,
      [&](const void *bytes, Count number, MPI_Datatype as, MPI_Request *made) {
        return Native(file, bytes, number, as, made);
      });
}

template <auto &Native, Call Id, typename Count>
int startWriteFileAt(MPI_File file, MPI_Offset offset, const void *buffer,
                     Count count, MPI_Datatype type, MPI_Request *request) {
  return startTransfer<Id>(
      &Exchange::send, file, buffer, count, type, request,
      [&](const void *bytes, Count number, MPI_Datatype as, MPI_Request *made) {
        return Native(file, offset, bytes, number, as, made);
      });
}

template <auto &Native, Call Id, typename Count>
int startReadFile(MPI_File file, void *buffer, Count count, MPI_Datatype type,
                  MPI_Request *request) {
  return startTransfer<Id>(
      &Exchange::receive, file, buffer, count, type, request,
      [&](const void *bytes, Count number, MPI_Datatype as, MPI_Request *made) {
        return Native(file, const_cast<void *>(bytes), number, as, made);
      });
}

template <auto &Native, Call Id, typename Count>
int startReadFileAt(MPI_File file, MPI_Offset offset, void *buffer, Count count,
                    MPI_Datatype type, MPI_Request *request) {
  return startTransfer<Id>(
      &Exchange::receive, file, buffer, count, type, request,
      [&](const void *bytes, Count number, MPI_Datatype as, MPI_Request *made) {
        return Native(file, offset, const_cast<void *>(bytes), number, as,
                      made);
      });
}

//===----------------------------------------------------------------------===//
// Begun and ended
//===----------------------------------------------------------------------===//

/// Keeps the packed bytes of an operation that has begun until it is ended.
void keepBegun(MPI_File file, Side &&side);
/// Returns these packed bytes, which are unused if the call was not handled.
Side takeBegun(MPI_File file);

template <Call Id, typename Count, typename Native>
int beginTransfer(MPI_File file, const void *buffer, Count count,
                  MPI_Datatype type, Native &&call) {
  FileTransfer<Count> transfer(file, buffer, count, type);
  if (transfer.code() != MPI_SUCCESS)
    return transfer.code();
  if (!transfer.isTaken())
    return call(buffer, count, type);
  transfer.note(Id);
  int code = call(transfer.buffer(), transfer.count(), transfer.type());
  Side side;
  transfer.moveTo(side);
  if (code == MPI_SUCCESS)
    keepBegun(file, std::move(side));
  return code;
}

template <auto &Native, Call Id, typename Count>
int beginWriteFile(MPI_File file, const void *buffer, Count count,
                   MPI_Datatype type) {
  return beginTransfer<Id>(
      file, buffer, count, type,
      [&](const void *bytes, Count number, MPI_Datatype as) {
        return Native(file, bytes, number, as);
      });
}

template <auto &Native, Call Id, typename Count>
int beginWriteFileAt(MPI_File file, MPI_Offset offset, const void *buffer,
                     Count count, MPI_Datatype type) {
  return beginTransfer<Id>(
      file, buffer, count, type,
      [&](const void *bytes, Count number, MPI_Datatype as) {
        return Native(file, offset, bytes, number, as);
      });
}

template <auto &Native, Call Id, typename Count>
int beginReadFile(MPI_File file, void *buffer, Count count, MPI_Datatype type) {
  return beginTransfer<Id>(
      file, buffer, count, type,
      [&](const void *bytes, Count number, MPI_Datatype as) {
        return Native(file, const_cast<void *>(bytes), number, as);
      });
}

template <auto &Native, Call Id, typename Count>
int beginReadFileAt(MPI_File file, MPI_Offset offset, void *buffer, Count count,
                    MPI_Datatype type) {
  return beginTransfer<Id>(
      file, buffer, count, type,
      [&](const void *bytes, Count number, MPI_Datatype as) {
        return Native(file, offset, const_cast<void *>(bytes), number, as);
      });
}

template <auto &Native, Call Id>
int endWriteFile(MPI_File file, const void *buffer, MPI_Status *status) {
  const Side side = takeBegun(file);
  return Native(file, side.isUsed() ? side.data() : buffer, status);
}

template <auto &Native, Call Id>
int endReadFile(MPI_File file, void *buffer, MPI_Status *status) {
  Side side = takeBegun(file);
  if (!side.isUsed())
    return Native(file, buffer, status);
  int code = Native(file, side.data(), status);
  if (code == MPI_SUCCESS)
    side.unpackAll();
  return code;
}

/// The handle may be reused for another file.
template <auto &Native, Call Id> int closeFile(MPI_File *file) {
  if (file && *file != MPI_FILE_NULL)
    takeBegun(*file);
  return Native(file);
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_FILESLATER_H
