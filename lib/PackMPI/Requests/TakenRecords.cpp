//===- TakenRecords.cpp - The records of an array of requests -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small arrays are kept without allocation. Arrays without a tracked request
// cost one lookup per element, and only while some request is tracked.
//
//===----------------------------------------------------------------------===//

#include "TakenRecords.h"
#include "Statistics.h"

#include <algorithm>

using namespace sluice::mpi;

void sluice::mpi::prepareStart(Call call, PendingRequest &record) {
  std::lock_guard guard(record.lock);
  if (!record.isPersistent || record.isActive)
    return; // MPI refuses it
  Side &send = record.exchange.send;
  if (send.isUsed())
    send.packAll();
  // Before the MPI call, because another thread may see the end at once.
  record.isActive = record.isStarting = true;
  record.isDelivered = record.mayBeCancelled = false;
  record.deliveredBytes = 0;
  ++record.starts;
  Side &used = send.isUsed() ? send : record.exchange.receive;
  noteUse(call, *used.block(0).type, used.bytes());
}

void sluice::mpi::endStart(PendingRequest &record, int code) {
  if (!std::exchange(record.isStarting, false) || code == MPI_SUCCESS)
    return;
  std::lock_guard guard(record.lock);
  record.isActive = false;
}

/// Whether the error fields of the statuses contain the errors.
static bool isInStatus(int code) {
  int errorClass = MPI_ERR_OTHER;
  PMPI_Error_class(code, &errorClass);
  return errorClass == MPI_ERR_IN_STATUS;
}

TakenRecords::TakenRecords(int count, MPI_Request *requests, Claim how)
    : count(count), requests(requests) {
  if (noRequests() || count <= 0 || !requests)
    return;
  pollOrphans();
  for (int i = 0; i != count; ++i) {
    PendingRequest *record = claimRecord(requests[i], how);
    if (!record)
      continue;
    if (!records) {
      if (size_t(count) > fewRecords.size())
        manyRecords.resize(size_t(count));
      records = manyRecords.empty() ? fewRecords.data() : manyRecords.data();
      std::fill_n(records, count, nullptr);
    }
    records[i] = record;
  }
}

TakenRecords::~TakenRecords() {
  if (!records)
    return;
  for (int i = 0; i != count; ++i) {
    if (!records[i])
      continue;
    if (requests[i] == MPI_REQUEST_NULL)
      discard(records[i]);
    else
      unclaim(records[i]);
  }
}

MPI_Status *TakenRecords::statuses(MPI_Status *wanted) {
  if (wanted != MPI_STATUSES_IGNORE)
    return wanted;
  if (size_t(count) <= fewStatuses.size())
    return fewStatuses.data();
  manyStatuses.resize(size_t(count));
  return manyStatuses.data();
}

void TakenRecords::settleOne(int index, MPI_Status *status) {
  if (PendingRequest *record = std::exchange(records[index], nullptr))
    settle(record, status);
}

void TakenRecords::failOne(int index) {
  if (records[index] && records[index]->isPersistent)
    settleFailed(std::exchange(records[index], nullptr));
}

void TakenRecords::concludeOne(int code, int index, MPI_Status *status) {
  if (index < 0 || index >= count)
    return; // MPI_UNDEFINED
  if (code == MPI_SUCCESS)
    settleOne(index, status);
  else
    failOne(index);
}

void TakenRecords::concludeAll(int code, MPI_Status *statuses) {
  if (code != MPI_SUCCESS && !isInStatus(code))
    return;
  for (int i = 0; i != count; ++i)
    if (code == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_SUCCESS)
      settleOne(i, &statuses[i]);
    else if (statuses[i].MPI_ERROR != MPI_ERR_PENDING)
      failOne(i);
}

void TakenRecords::concludeSome(int code, int done, const int *indices,
                                MPI_Status *statuses) {
  if ((code != MPI_SUCCESS && !isInStatus(code)) || done == MPI_UNDEFINED)
    return;
  for (int i = 0; i != done; ++i)
    if (code == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_SUCCESS)
      settleOne(indices[i], &statuses[i]);
    else
      failOne(indices[i]);
}

void TakenRecords::prepareStarts(Call call) {
  for (int i = 0; records && i != count; ++i)
    if (records[i])
      prepareStart(call, *records[i]);
}

void TakenRecords::markStarted(int code) {
  for (int i = 0; records && i != count; ++i)
    if (records[i])
      endStart(*records[i], code);
}
