//===- mpi.cpp - MPI_Pack and MPI_Unpack ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once with each MPI library; runs as a single process.
//
//===----------------------------------------------------------------------===//

#include "mpi_types.h"
#include "rows.h"

#include <optional>

using namespace bench;

namespace {

std::optional<MpiTypes> types;
Instances<MPI_Datatype> layout;
int bytes; ///< of the packed buffer, as MPI_Pack_size has it

void prepare(const std::string &name) {
  types.emplace();
  layout = makeLayout(*types, name);
  MPI_Type_commit(&layout.type);
  Places places;
  bytes = static_cast<int>(packedBytes(makeLayout(places, name)));
}

void pack(const std::byte *in, std::byte *out) {
  int position = 0;
  MPI_Pack(in, static_cast<int>(layout.count), layout.type, out, bytes,
           &position, MPI_COMM_SELF);
}

void unpack(const std::byte *in, std::byte *out) {
  int position = 0;
  MPI_Unpack(in, bytes, &position, out, static_cast<int>(layout.count),
             layout.type, MPI_COMM_SELF);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int status =
      servePacking({prepare, pack, unpack, [] { types.reset(); }});
  types.reset();
  MPI_Finalize();
  return status;
}
