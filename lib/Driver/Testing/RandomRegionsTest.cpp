//===- RandomRegionsTest.cpp - Accepted modules run correctly -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random region modules with launches, loops, must-epochs, discards and
// reductions. Modules that all checks accept are lowered and run by the
// readable executor and by 1 to 4 workers. Each run must leave exactly the
// numbers that the module's graph defines, bit for bit. SLUICE_RDIR_RANDOM sets
// how many modules of each kind run, SLUICE_RDIR_SEED the first seed.
//
//===----------------------------------------------------------------------===//

#include "RandomKinds.h"
#include "RunProgram.h"
#include "sluice-c/Regions.h"
#include "sluice/RDIR/RDIR.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {
struct RandomRegions : testing::TestWithParam<BodyKind> {
  RandomRegions() { context.loadDialect<RDIRDialect>(); }

  /// Runs the programs with this number of workers; 0 for the readable
  /// executor.
  void runAll(unsigned numWorkers);

  mlir::MLIRContext context;
  SmallForest forest;
  std::vector<std::unique_ptr<SmallProgram>> programs;
  std::vector<uint64_t> seeds;
  uint64_t numKnown = 0;
};
} // namespace

void RandomRegions::runAll(unsigned numWorkers) {
  std::string workers = std::to_string(std::max(1u, numWorkers));
  setenv("SLUICE_WORKERS", workers.c_str(), 1);
  setenv("SLUICE_EXECUTOR", numWorkers ? "pool" : "sequential", 1);
  // Compares the known orders, once, with the ones that the runtime finds.
  setenv("SLUICE_CHECK", numWorkers ? "0" : "1", 1);
  sluiceInit();
  for (size_t i = 0; i < programs.size() && !HasFailure(); ++i) {
    const SmallProgram &program = *programs[i];
    RunResult result = runProgram(program);
    EXPECT_EQ(result.problem, "");
    EXPECT_EQ(result.numbers, program.expected());
    numKnown += result.numKnown;
    if (HasFailure())
      std::printf("seed %lu, %u workers, n = %ld\n%s", (unsigned long)seeds[i],
                  numWorkers, long(program.count),
                  textOf(forest, program.graph).c_str());
  }
  sluiceCleanup();
  unsetenv("SLUICE_WORKERS");
  unsetenv("SLUICE_EXECUTOR");
  unsetenv("SLUICE_CHECK");
}

TEST_P(RandomRegions, RunAsTheirGraphsMean) {
  uint64_t wanted = numRandom(200);
  uint64_t seed = firstSeed();
  constexpr uint64_t atOnce = 1000;
  uint64_t numRun = 0, numAccepted = 0, numReductions = 0;
  bool isVerbose = std::getenv("SLUICE_RDIR_VERBOSE");
  while (numRun < wanted && !HasFailure()) {
    programs.clear();
    seeds.clear();
    for (; programs.size() < std::min(wanted - numRun, atOnce); ++seed) {
      auto program =
          std::make_unique<SmallProgram>(forest, seed, GetParam().kinds);
      bool isLowered = program->lower(context);
      numAccepted += program->isAccepted;
      if (program->isAccepted && !isLowered && isVerbose)
        std::printf("seed %lu: %s\n", (unsigned long)seed,
                    program->refusal.c_str());
      if (!isLowered)
        continue;
      numReductions += !program->program->reductions.empty();
      programs.push_back(std::move(program));
      seeds.push_back(seed);
    }
    for (unsigned numWorkers = 0; numWorkers <= 4; ++numWorkers)
      runAll(numWorkers);
    numRun += programs.size();
  }
  std::printf("%s: %lu run, %lu of them with reductions; %lu more are accepted "
              "and have no code\n",
              GetParam().name, (unsigned long)numRun,
              (unsigned long)numReductions,
              (unsigned long)(numAccepted - numRun));
  EXPECT_EQ(numAccepted, numRun);
  EXPECT_GT(numReductions, numRun / 10);
  EXPECT_GT(numKnown, numRun / 2);
}

INSTANTIATE_TEST_SUITE_P(RDIR, RandomRegions, testing::ValuesIn(bodyKinds),
                         [](const auto &info) { return info.param.name; });
