//===- commit_mpi.cpp - What MPI_Type_commit costs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once with each MPI library and run as it is and with the
// interposer.
//
//===----------------------------------------------------------------------===//

#include "commits.h"
#include "mpi_types.h"

using namespace bench;

namespace {

class Api : public MpiTypes {
public:
  void commit(Type &type) { MPI_Type_commit(&type); }
  void pack(const std::byte *in, const Instances<Type> &layout, std::byte *out,
            int64_t bytes) {
    int position = 0;
    MPI_Pack(in, static_cast<int>(layout.count), layout.type, out,
             static_cast<int>(bytes), &position, MPI_COMM_SELF);
  }
};

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int status;
  {
    Commits<Api> commits;
    status = commits.serve();
  }
  MPI_Finalize();
  return status;
}
