//===- TakenRecords.h - The records of an array of requests ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by Waitall, Waitany and similar calls: claims all records, and
// releases those that did not complete.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_TAKENRECORDS_H
#define SLUICE_LIB_PACKMPI_REQUESTS_TAKENRECORDS_H

#include "Requests.h"

#include <array>
#include <vector>

namespace sluice::mpi {

/// Packs the data of a persistent send that is about to start, and makes it
/// active.
void prepareStart(Call call, PendingRequest &record);
/// Called after the MPI call.
void endStart(PendingRequest &record, int code);

class TakenRecords {
public:
  TakenRecords(int count, MPI_Request *requests, Claim how);
  /// Releases the remaining records; discards those of null handles.
  ~TakenRecords();
  TakenRecords(const TakenRecords &) = delete;
  TakenRecords &operator=(const TakenRecords &) = delete;

  /// Whether any request of the array has a record.
  explicit operator bool() const { return records; }
  /// The caller's statuses, or local ones if the caller wants none.
  MPI_Status *statuses(MPI_Status *wanted);

  /// Request `index` completed.
  void settleOne(int index, MPI_Status *status);
  /// Request `index` ended with an error. A non-persistent request has lost its
  /// handle, unless it is still in progress.
  void failOne(int index);
  /// Calls settleOne or failOne, depending on the result of a call; `index` may
  /// be MPI_UNDEFINED.
  void concludeOne(int code, int index, MPI_Status *status);
  /// All requests completed, or `code` means that the statuses contain the
  /// errors.
  void concludeAll(int code, MPI_Status *statuses);
  /// The requests listed in `indices` completed, possibly with errors.
  void concludeSome(int code, int done, const int *indices,
                    MPI_Status *statuses);

  void prepareStarts(Call call);
  void markStarted(int code);

private:
  int count;
  MPI_Request *requests;
  /// Null until there is one.
  PendingRequest **records = nullptr;
  std::array<PendingRequest *, 64> fewRecords;
  std::vector<PendingRequest *> manyRecords;
  std::array<MPI_Status, 64> fewStatuses;
  std::vector<MPI_Status> manyStatuses;
};

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_TAKENRECORDS_H
