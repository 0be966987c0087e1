//===- calls_mpi.cpp - What a call costs whose type is left alone ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once with each MPI library and run as it is and with the
// interposer. A process exchanges a number with itself, which costs the library
// least of all that moves data, so that what interposed calls add shows:
// `call:basic` a double, `call:derived` a contiguous derived type, both by
// MPI_Sendrecv; `call:request` sends without blocking, receives, and waits.
// Every number must arrive.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <mpi.h>

#include <string>

using namespace bench;

namespace {

double sent = 1, received = 0;
MPI_Datatype derived;
Repetitions repetitions;

void exchange(MPI_Datatype type) {
  MPI_Sendrecv(&sent, 1, type, 0, 0, &received, 1, type, 0, 0, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
}

void exchangeBasic() { exchange(MPI_DOUBLE); }

void exchangeDerived() { exchange(derived); }

void sendAndWait() {
  MPI_Request request;
  MPI_Isend(&sent, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  MPI_Recv(&received, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void (*call)();

void choose() {
  const std::string name = benchParameters;
  call = name == "derived"   ? exchangeDerived
         : name == "request" ? sendAndWait
                             : exchangeBasic;
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
  row.reset = [] {
    ++sent;
    received = 0;
  };
  row.run = [] { call(); };
  row.verify = []() -> const char * {
    return received == sent ? nullptr
                            : benchWrong("received", 0, sent, received);
  };
  row.release = [] {};
  row.measure = [] { return repetitions.time([] { call(); }); };
  const int status = benchServe(&row, 1);
  MPI_Type_free(&derived);
  MPI_Finalize();
  return status;
}
