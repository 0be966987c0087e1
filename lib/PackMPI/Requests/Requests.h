//===- Requests.h - Operations under way that we took over ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI has no user data on requests, so a table from handles to records says
// which requests have packed bytes. This protocol keeps a handle from being
// confused with an older one of the same value:
//
//   take(handle)   the record leaves the table before MPI is called, so no
//                  record has that key when MPI gives the handle out again
//   (MPI call)     completes the operation, or not
//   settle or put  it is unpacked and freed, or enters the table again
//
// Both MPI libraries return one common handle for every operation that is
// complete at once. The record of such an operation is freed when the handle is
// returned for another operation.
//
// A request that the program frees while it is in flight becomes an orphan:
// Sluice keeps the handle, and tests it from time to time until it has
// completed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H
#define SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H

#include "Exchange.h"

namespace sluice::mpi {

/// What has to be done for one request.
struct Record {
  Record *next = nullptr;
  uintptr_t key = 0;
  /// What is packed at each start and unpacked at completion.
  Exchange exchange;
  /// A receive of one message; its status says how many bytes were received.
  bool isReceive = false;
  bool isPersistent = false;
  /// Persistent: started, and not yet completed.
  bool isActive = true;
  /// Unpacked by MPI_Request_get_status before completion.
  bool isDelivered = false;
  /// MPI_Cancel was called, so the status must be queried.
  bool mayBeCancelled = false;
};

/// A new record, never null. Belongs to the caller until putRecord.
Record *newRecord();
/// Frees a record and its buffers.
void freeRecord(Record *record);

/// True if no request is tracked, so that no lookup is needed.
bool noRequests();
/// Removes the record of a handle from the table; null if there is none.
Record *takeRecord(MPI_Request request);
/// Adds a record to the table under the handle's value.
void putRecord(MPI_Request request, Record *record);
/// The same for a new operation, whose handle may equal that of an operation
/// that has completed.
void enterRecord(MPI_Request request, Record *record);

/// The operation completed with this status (null: none). Unpacks the bytes
/// that a receive or a collective received. A persistent record returns to the
/// table under `request`; others are freed.
void settle(Record *record, MPI_Request request, MPI_Status *status);
/// The operation ended with an error; nothing is unpacked.
void settleFailed(Record *record, MPI_Request request);
/// Unpacks, unless that was done before; the record is kept.
void deliver(Record &record, MPI_Status *status);

/// The program freed a request in flight; Sluice keeps its handle.
void adopt(MPI_Request request, Record *record);
/// Tests some orphans, if there are any.
void pollOrphans();
/// Waits for orphaned sends and ends orphaned receives, for MPI_Finalize.
void endOrphans();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H
