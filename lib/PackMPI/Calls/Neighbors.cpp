//===- Neighbors.cpp - Neighbourhood collectives --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries MPI about the neighbours in the three kinds of topologies.
//
//===----------------------------------------------------------------------===//

#include "Neighbors.h"

using namespace sluice::mpi;

Neighbors::Neighbors(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  if (comm == MPI_COMM_NULL)
    return; // MPI refuses it
  code = PMPI_Topo_test(comm, &kind);
  if (code != MPI_SUCCESS)
    return;
  if (kind == MPI_CART)
    readCartesian(comm);
  else if (kind == MPI_GRAPH)
    readGraph(comm);
  else if (kind == MPI_DIST_GRAPH)
    readDistributed(comm);
}

void Neighbors::readCartesian(MPI_Comm comm) {
  int dimensions = 0;
  if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS)
    return;
  for (int i = 0; i != dimensions; ++i) {
    int before, after;
    if (PMPI_Cart_shift(comm, i, 1, &before, &after) != MPI_SUCCESS)
      return;
    sources.insert(sources.end(), {before, after});
  }
  destinations = sources;
  isUsable = true;
}

void Neighbors::readGraph(MPI_Comm comm) {
  int rank, count;
  if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
      PMPI_Graph_neighbors_count(comm, rank, &count) != MPI_SUCCESS)
    return;
  sources.resize(size_t(count));
  isUsable =
      PMPI_Graph_neighbors(comm, rank, count, sources.data()) == MPI_SUCCESS;
  destinations = sources;
}

void Neighbors::readDistributed(MPI_Comm comm) {
  int in, out, weighted;
  if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) !=
      MPI_SUCCESS)
    return;
  sources.resize(size_t(in));
  destinations.resize(size_t(out));
  std::vector<int> inWeights(size_t(in) + 1), outWeights(size_t(out) + 1);
  isUsable = PMPI_Dist_graph_neighbors(
                 comm, in, sources.data(),
                 weighted ? inWeights.data() : MPI_UNWEIGHTED, out,
                 destinations.data(),
                 weighted ? outWeights.data() : MPI_UNWEIGHTED) == MPI_SUCCESS;
}

bool Neighbors::hasGaps() const {
  return std::find(sources.begin(), sources.end(), MPI_PROC_NULL) !=
         sources.end();
}

void Neighbors::keepGaps(Side &side) const {
  for (size_t i = 0; i != sources.size(); ++i)
    if (sources[i] == MPI_PROC_NULL)
      side.keep(i);
}
