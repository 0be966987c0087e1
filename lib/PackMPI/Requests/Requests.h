//===- Requests.h - Operations in progress that Sluice handles ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI has no user data on requests, so a table from handles to records stores
// which requests have packed bytes. A record stays in the table during the MPI
// call, because other threads may look at the request meanwhile. This protocol
// prevents confusing a handle with an older one of the same value:
//
//   claim(handle)  by the one call that may complete the request; a call that
//                  finds the record claimed has another request, whose handle
//                  MPI has given out again
//   (MPI call)     completes the operation, or not; other threads look
//   settle or      the bytes are unpacked, by the first thread that knows of
//   unclaim        the end, and the record leaves the table; or it waits on
//
// A new operation replaces a record in the table with the same handle.
//
// Both MPI libraries return one common handle for all operations that complete
// immediately. The record of such an operation is freed when the handle is
// returned for another operation.
//
// A request that the program frees while it is in flight becomes an orphan:
// Sluice keeps the handle, and tests it periodically until it has completed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H
#define SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H

#include "Exchange.h"

#include <atomic>
#include <mutex>

namespace sluice::mpi {

/// Whether a call that may complete a request is in progress, and its kind.
enum class Claim : uint8_t { None, Test, Wait };

/// The pending work for one request. The table holds a reference, and so does
/// each call that uses the record.
struct PendingRequest {
  PendingRequest *next = nullptr;
  uintptr_t key = 0;
  std::atomic<int> references = 1;
  /// Whether it is in the table; changes under the table's lock.
  bool isLinked = false;
  /// Set under the table's lock.
  std::atomic<Claim> claim = Claim::None;
  /// The number of claims so far.
  std::atomic<uint32_t> claims = 0;
  /// A receive of one message; its status contains the number of received
  /// bytes.
  bool isReceive = false;
  bool isPersistent = false;
  /// MPI_Start is in progress and has made the record active; for the claimer.
  bool isStarting = false;
  /// MPI_Cancel was called, so the status must be queried.
  std::atomic<bool> mayBeCancelled = false;

  /// Guards the following members, and the user's buffer while it is being
  /// filled.
  std::mutex lock;
  /// The data to pack at each start and to unpack at completion.
  Exchange exchange;
  /// Persistent: started, and not yet completed.
  bool isActive = true;
  /// Already unpacked, with this many bytes of a receive.
  bool isDelivered = false;
  int64_t deliveredBytes = 0;
  /// The number of starts.
  uint32_t starts = 0;
};

/// A new record, never null. The caller owns it until enterRecord.
PendingRequest *newRecord();
/// Releases a reference; the last one frees the record and its buffers.
void releaseRecord(PendingRequest *record);

/// True if no request is tracked, so that no lookup is needed.
bool noRequests();
/// The record of a handle, with a reference, for a call that may complete the
/// request; null if there is none.
PendingRequest *claimRecord(MPI_Request request, Claim how);
/// The call did not complete the request.
void unclaim(PendingRequest *record);
/// The request no longer exists: removes the record from the table without
/// unpacking.
void discard(PendingRequest *record);
/// Removes a claimed record from the table; the caller keeps its reference.
void removeRecord(PendingRequest *record);
/// Adds the record of a new operation, whose handle may equal that of a
/// completed operation. The table takes over the caller's reference.
void enterRecord(MPI_Request request, PendingRequest *record);

/// The operation completed with this status (null: none). Unpacks the bytes
/// that a receive or a collective has received. The record of a persistent
/// request stays in the table, others are removed.
void settle(PendingRequest *record, MPI_Status *status);
/// The operation ended with an error; nothing is unpacked.
void settleFailed(PendingRequest *record);

/// A record as seen by a call that completes nothing.
class Seen {
public:
  /// The record of the handle, claimed or not.
  explicit Seen(MPI_Request request);
  ~Seen();
  Seen(const Seen &) = delete;
  Seen &operator=(const Seen &) = delete;
  explicit operator bool() const { return record; }
  PendingRequest *operator->() const { return record; }
  /// MPI reported that the request is complete. Unpacks, unless already done;
  /// returns false if MPI must be queried again.
  bool deliver(MPI_Status *status);

private:
  PendingRequest *record;
  Claim claim = Claim::None;
  uint32_t claims = 0, starts = 0;
};

/// The program freed a request in flight; Sluice keeps its handle.
void adopt(MPI_Request request, PendingRequest *record);
/// Tests some orphans, if there are any.
void pollOrphans();
/// Waits for orphaned sends and ends orphaned receives, for MPI_Finalize.
void endOrphans();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H
