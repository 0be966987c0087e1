//===- MPIEngine.h - The MPI of this program under test -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the MPI that this program is linked with behind the player's interface.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_MPI_MPIENGINE_H
#define DDTPLAYER_MPI_MPIENGINE_H

#include "../PackLibrary.h"
#include "TypeTrees.h"

namespace sluice::player {

/// Drives MPI_Pack and MPI_Unpack on MPI_COMM_SELF, between MPI_Init and
/// MPI_Finalize.
class MPIEngine : public PackLibrary {
public:
  ~MPIEngine() override { release(); }

  std::string name() const override;
  Status build(const std::string &text) override;
  Result<TypeShape> shape() override;
  Result<double> timeCommit() override;
  Status commit() override;
  Status pack(const void *in, int64_t count, void *out,
              int64_t packedBytes) override;
  Status unpack(const void *in, int64_t packedBytes, void *out,
                int64_t count) override;
  void release() override;

private:
  std::unique_ptr<farc::Datatype> tree;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

} // namespace sluice::player

#endif // DDTPLAYER_MPI_MPIENGINE_H
