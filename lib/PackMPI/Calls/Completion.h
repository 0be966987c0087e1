//===- Completion.h - Starting, waiting, testing, freeing -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All calls here follow the protocol of Requests.h: records are claimed, MPI is
// called, and each record is settled or released. Calls without a tracked
// request reach MPI after one comparison.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_CALLS_COMPLETION_H
#define SLUICE_LIB_PACKMPI_CALLS_COMPLETION_H

#include "../Requests/TakenRecords.h"
#include "PointToPoint.h"

namespace sluice::mpi {

/// Called after a call that may have completed one request. If the call failed
/// and the handle is now null, MPI has freed the request.
inline void conclude(PendingRequest *record, MPI_Request *request, int code,
                     bool done, MPI_Status *status) {
  if (code == MPI_SUCCESS && done)
    settle(record, status);
  else if (*request == MPI_REQUEST_NULL)
    discard(record);
  else if (code != MPI_SUCCESS && record->isPersistent)
    settleFailed(record);
  else
    unclaim(record);
}

/// Claims the record of a request, if it can have one.
inline PendingRequest *claimFor(const MPI_Request *request, Claim how) {
  if (noRequests())
    return nullptr;
  pollOrphans();
  return request ? claimRecord(*request, how) : nullptr;
}

template <auto &Native, Call Id>
int wait(MPI_Request *request, MPI_Status *status) {
  PendingRequest *record = claimFor(request, Claim::Wait);
  if (!record)
    return Native(request, status);
  StatusOf result(status);
  int code = Native(request, result);
  conclude(record, request, code, true, result);
  return code;
}

template <auto &Native, Call Id>
int test(MPI_Request *request, int *flag, MPI_Status *status) {
  PendingRequest *record = claimFor(request, Claim::Test);
  if (!record)
    return Native(request, flag, status);
  StatusOf result(status);
  int code = Native(request, flag, result);
  conclude(record, request, code, code == MPI_SUCCESS && *flag, result);
  return code;
}

template <auto &Native, Call Id>
int waitAll(int count, MPI_Request *requests, MPI_Status *statuses) {
  TakenRecords taken(count, requests, Claim::Wait);
  if (!taken)
    return Native(count, requests, statuses);
  statuses = taken.statuses(statuses);
  int code = Native(count, requests, statuses);
  taken.concludeAll(code, statuses);
  return code;
}

template <auto &Native, Call Id>
int testAll(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  TakenRecords taken(count, requests, Claim::Test);
  if (!taken)
    return Native(count, requests, flag, statuses);
  statuses = taken.statuses(statuses);
  int code = Native(count, requests, flag, statuses);
  if (code != MPI_SUCCESS || *flag)
    taken.concludeAll(code, statuses);
  return code;
}

template <auto &Native, Call Id>
int waitAny(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  TakenRecords taken(count, requests, Claim::Wait);
  if (!taken)
    return Native(count, requests, index, status);
  // MPI must refuse null arguments.
  StatusOf result(status);
  if (index)
    *index = MPI_UNDEFINED;
  int code = Native(count, requests, index, result);
  taken.concludeOne(code, index ? *index : MPI_UNDEFINED, result);
  return code;
}

template <auto &Native, Call Id>
int testAny(int count, MPI_Request *requests, int *index, int *flag,
            MPI_Status *status) {
  TakenRecords taken(count, requests, Claim::Test);
  if (!taken)
    return Native(count, requests, index, flag, status);
  StatusOf result(status);
  if (index)
    *index = MPI_UNDEFINED;
  int code = Native(count, requests, index, flag, result);
  if (code != MPI_SUCCESS || *flag)
    taken.concludeOne(code, index ? *index : MPI_UNDEFINED, result);
  return code;
}

template <auto &Native>
int completeSome(Claim how, int count, MPI_Request *requests, int *done,
                 int *indices, MPI_Status *statuses) {
  TakenRecords taken(count, requests, how);
  if (!taken)
    return Native(count, requests, done, indices, statuses);
  statuses = taken.statuses(statuses);
  int code = Native(count, requests, done, indices, statuses);
  taken.concludeSome(code, done && indices ? *done : MPI_UNDEFINED, indices,
                     statuses);
  return code;
}

template <auto &Native, Call Id>
int waitSome(int count, MPI_Request *requests, int *done, int *indices,
             MPI_Status *statuses) {
  return completeSome<Native>(Claim::Wait, count, requests, done, indices,
                              statuses);
}

template <auto &Native, Call Id>
int testSome(int count, MPI_Request *requests, int *done, int *indices,
             MPI_Status *statuses) {
  return completeSome<Native>(Claim::Test, count, requests, done, indices,
                              statuses);
}

/// MPI frees a request in flight when it completes; Sluice does the same and
/// also frees the request's buffer.
template <auto &Native, Call Id> int requestFree(MPI_Request *request) {
  PendingRequest *record = claimFor(request, Claim::Test);
  if (!record)
    return Native(request);
  if (record->isActive) {
    removeRecord(record);
    adopt(*request, record);
    *request = MPI_REQUEST_NULL;
    pollOrphans();
    return MPI_SUCCESS;
  }
  int code = Native(request);
  if (code == MPI_SUCCESS)
    discard(record);
  else
    unclaim(record);
  return code;
}

template <auto &Native, Call Id>
int requestGetStatus(MPI_Request request, int *flag, MPI_Status *status) {
  if (noRequests())
    return Native(request, flag, status);
  pollOrphans();
  StatusOf result(status);
  for (;;) {
    Seen seen(request);
    if (!seen)
      return Native(request, flag, status);
    int code = Native(request, flag, result);
    if (code != MPI_SUCCESS || !*flag || seen.deliver(result))
      return code;
  }
}

template <auto &Native, Call Id> int cancel(MPI_Request *request) {
  if (noRequests() || !request)
    return Native(request);
  if (Seen seen(*request); seen)
    seen->mayBeCancelled = true;
  return Native(request);
}

//===----------------------------------------------------------------------===//
// Persistent requests
//===----------------------------------------------------------------------===//

template <auto &Native, Call Id> int start(MPI_Request *request) {
  PendingRequest *record = claimFor(request, Claim::Test);
  if (!record)
    return Native(request);
  prepareStart(Id, *record);
  int code = Native(request);
  endStart(*record, code);
  unclaim(record);
  return code;
}

template <auto &Native, Call Id>
int startAll(int count, MPI_Request *requests) {
  TakenRecords taken(count, requests, Claim::Test);
  taken.prepareStarts(Id);
  int code = Native(count, requests);
  taken.markStarted(code);
  return code;
}

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_CALLS_COMPLETION_H
