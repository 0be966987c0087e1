//===- Requests.h - Operations under way that we took over ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI has no private data on requests, so a table from handles to records says
// which of them have packed bytes. The protocol that keeps a handle from being
// confused with an older one of the same value:
//
//   take(handle)   the record leaves the table before MPI is called, so no
//                  record has that key when MPI gives the handle out again
//   (MPI call)     completes the operation, or not
//   settle or put  it is unpacked and freed, or enters the table again
//
// Both libraries have a handle that they give out for every operation that is
// complete at once. The record of such an operation ends when its handle comes
// again for another one.
//
// A request that the program frees while it is under way becomes an orphan: we
// keep the handle, and look at it now and then until it has completed.
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
  /// A receive of one message: its status says how much came.
  bool isReceive = false;
  bool isPersistent = false;
  /// Persistent: started, and not yet completed.
  bool isActive = true;
  /// Unpacked by MPI_Request_get_status before completion.
  bool isDelivered = false;
  /// MPI_Cancel was called: the status must be asked.
  bool mayBeCancelled = false;
};

/// A record to fill in; never null. Belongs to the caller until put.
Record *newRecord();
/// Ends a record, with its buffers.
void freeRecord(Record *record);

/// Whether no request is tracked: then nothing needs looking up.
bool noRequests();
/// The record of a handle leaves the table; null if there is none.
Record *takeRecord(MPI_Request request);
/// Enters the table under the handle's value.
void putRecord(MPI_Request request, Record *record);
/// The same for a new operation, whose handle an operation that is complete
/// may have as well.
void enterRecord(MPI_Request request, Record *record);

/// The operation completed with this status (null: with none). Unpacks what a
/// receive or collective brought; a record that is not persistent ends, another
/// returns to the table under `request`.
void settle(Record *record, MPI_Request request, MPI_Status *status);
/// The operation ended with an error; nothing is unpacked.
void settleFailed(Record *record, MPI_Request request);
/// Unpacks, if not done yet; the record stays as it is.
void deliver(Record &record, MPI_Status *status);

/// The program freed a request under way; the handle is ours now.
void adopt(MPI_Request request, Record *record);
/// Looks after orphans, if there are any.
void pollOrphans();
/// Waits for orphaned sends and ends orphaned receives, for MPI_Finalize.
void endOrphans();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H
