//===- OpenClusterTest.cpp - Being one of several ranks -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which MPI started a process.
//
//===----------------------------------------------------------------------===//

#include "OpenCluster.h"

#include <gtest/gtest.h>
#include <map>

using namespace sluice;

static std::string mpiOf(std::map<std::string, const char *> variables) {
  return launchingMPI([&](const char *name) {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  });
}

TEST(OpenCluster, IsFoundByTheVariablesOfItsLauncher) {
  EXPECT_EQ(mpiOf({}), "");
  EXPECT_EQ(mpiOf({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}}),
            "openmpi");
  EXPECT_EQ(mpiOf({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}), "mpich");
  EXPECT_EQ(mpiOf({{"PMIX_RANK", "0"}}), "openmpi");
  EXPECT_EQ(mpiOf({{"SMPI_GLOBAL_SIZE", "64"}}), "smpi");
  // A simulation that something started on ranks is of its own.
  EXPECT_EQ(mpiOf({{"SMPI_GLOBAL_SIZE", "64"}, {"PMIX_RANK", "0"}}), "smpi");
  // One process is no cluster.
  EXPECT_EQ(mpiOf({{"OMPI_COMM_WORLD_SIZE", "1"}}), "");
  EXPECT_EQ(mpiOf({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}), "");
  EXPECT_EQ(mpiOf({{"PMI_SIZE", "many"}}), "");
}
