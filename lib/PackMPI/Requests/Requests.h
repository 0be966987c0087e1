//===- Requests.h - Operations under way that we took over ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI has no user data on requests, so a table from handles to records says
// which requests have packed bytes. A record stays in the table while MPI is
// called, since other threads may look at the request meanwhile. This protocol
// keeps a handle from being confused with an older one of the same value:
//
//   claim(handle)  by the one call that may complete the request; a call that
//                  finds the record claimed has another request, whose handle
//                  MPI has given out again
//   (MPI call)     completes the operation, or not; other threads look
//   settle or      the bytes are unpacked, by the first thread that knows of
//   unclaim        the end, and the record leaves the table; or it waits on
//
// A new operation with the handle of a record in the table takes its place.
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

#include <atomic>
#include <mutex>

namespace sluice::mpi {

/// Whether a call that may complete a request is under way, and which kind.
enum class Claim : uint8_t { None, Test, Wait };

/// What has to be done for one request. The table has a reference, and so has
/// each call that uses the record.
struct Record {
  Record *next = nullptr;
  uintptr_t key = 0;
  std::atomic<int> references = 1;
  /// In the table; changes under its lock.
  bool isLinked = false;
  /// Set under the table's lock.
  std::atomic<Claim> claim = Claim::None;
  /// How often it was claimed.
  std::atomic<uint32_t> claims = 0;
  /// A receive of one message; its status says how many bytes were received.
  bool isReceive = false;
  bool isPersistent = false;
  /// MPI_Start is under way and has made the record active; for the claimer.
  bool isStarting = false;
  /// MPI_Cancel was called, so the status must be queried.
  std::atomic<bool> mayBeCancelled = false;

  /// Guards what follows, and the user's buffer while it is filled.
  std::mutex lock;
  /// What is packed at each start and unpacked at completion.
  Exchange exchange;
  /// Persistent: started, and not yet completed.
  bool isActive = true;
  /// Unpacked already, so many bytes of a receive.
  bool isDelivered = false;
  int64_t deliveredBytes = 0;
  /// How often it was started.
  uint32_t starts = 0;
};

/// A new record, never null. Belongs to the caller until enterRecord.
Record *newRecord();
/// Gives up a reference; the last one frees the record and its buffers.
void releaseRecord(Record *record);

/// True if no request is tracked, so that no lookup is needed.
bool noRequests();
/// The record of a handle, with a reference, for a call that may complete the
/// request; null if there is none.
Record *claimRecord(MPI_Request request, Claim how);
/// The call did not complete the request.
void unclaim(Record *record);
/// The request is gone: the record leaves the table without being unpacked.
void discard(Record *record);
/// Takes a record that is claimed out of the table; the caller keeps its
/// reference.
void removeRecord(Record *record);
/// Adds the record of a new operation, whose handle may equal that of an
/// operation that has completed. The table takes over the caller's reference.
void enterRecord(MPI_Request request, Record *record);

/// The operation completed with this status (null: none). Unpacks the bytes
/// that a receive or a collective received. The record of a persistent request
/// stays, others leave the table.
void settle(Record *record, MPI_Status *status);
/// The operation ended with an error; nothing is unpacked.
void settleFailed(Record *record);

/// A record as a call found it that completes nothing.
class Seen {
public:
  /// The record of the handle, claimed or not.
  explicit Seen(MPI_Request request);
  ~Seen();
  Seen(const Seen &) = delete;
  Seen &operator=(const Seen &) = delete;
  explicit operator bool() const { return record; }
  Record *operator->() const { return record; }
  /// MPI said that the request is complete. Unpacks, unless that was done;
  /// false if MPI must be asked again.
  bool deliver(MPI_Status *status);

private:
  Record *record;
  Claim claim = Claim::None;
  uint32_t claims = 0, starts = 0;
};

/// The program freed a request in flight; Sluice keeps its handle.
void adopt(MPI_Request request, Record *record);
/// Tests some orphans, if there are any.
void pollOrphans();
/// Waits for orphaned sends and ends orphaned receives, for MPI_Finalize.
void endOrphans();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_REQUESTS_H
