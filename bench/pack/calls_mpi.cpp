//===- calls_mpi.cpp - What a call costs whose type is left alone ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once with each MPI library and run as it is and with the
// interposer. The peer is MPI_PROC_NULL, which costs the library next to
// nothing, so that what an interposed call adds shows: `call:basic` sends a
// double, `call:derived` a contiguous derived type, `call:request` sends
// without blocking and waits.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <mpi.h>

#include <string>

using namespace bench;

namespace {

double value = 1;
MPI_Datatype derived;
Repetitions repetitions;

void sendBasic() {
  MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

void sendDerived() {
  MPI_Send(&value, 1, derived, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

void sendAndWait() {
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void (*call)();

void choose() {
  const std::string name = benchParameters;
  call = name == "derived"   ? sendDerived
         : name == "request" ? sendAndWait
                             : sendBasic;
  repetitions.forget();
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Type_contiguous(1, MPI_DOUBLE, &derived);
  MPI_Type_commit(&derived);
  BenchRow row = {};
  row.name = "call";
  row.work = 1;
  row.allocate = choose;
  row.reset = [] {};
  row.run = [] { call(); };
  row.verify = []() -> const char * { return nullptr; };
  row.release = [] {};
  row.measure = [] { return repetitions.time([] { call(); }); };
  const int status = benchServe(&row, 1);
  MPI_Type_free(&derived);
  MPI_Finalize();
  return status;
}
