//===- RandomTest.cpp - Random graphs against the oracle ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that passes the rules about kinds and races is serializable if and
// only if some order of its tasks on one store is right; and then every order
// that the rule leaves is. SLUICE_RDIR_RANDOM sets how many graphs of each kind
// are asked for, SLUICE_RDIR_SEED where they start.
//
//===----------------------------------------------------------------------===//

#include "RandomGraphs.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

static uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

namespace {
struct Kind {
  const char *name;
  Extensions extensions;
};

const Kind kinds[] = {
    {"Plain", {}},
    {"Fields", {.fields = true}},
    {"Reductions", {.reductions = true}},
    {"Discards", {.discards = true}},
    {"Aliased", {.aliased = true}},
    {"Incomplete", {.incomplete = true}},
    {"Constraints", {.constraints = true}},
    {"Partitions", {.partitions = true}},
    {"AliasingReads", {.aliased = true, .aliasingReads = true}},
    {"All",
     {.fields = true,
      .reductions = true,
      .discards = true,
      .aliased = true,
      .incomplete = true,
      .constraints = true,
      .partitions = true,
      .aliasingReads = true}},
};

struct RandomGraphs : testing::TestWithParam<Kind> {};

/// How many graphs had which verdict.
struct Shares {
  uint64_t refused = 0, serializable = 0, not_ = 0;
};
} // namespace

/// Compares the rule with the oracle; false if they differ.
static void compare(const Graph &graph, const World &world, Shares &shares) {
  if (auto violated = naiveViolations(graph, world); !violated.empty()) {
    ++shares.refused;
    return;
  }
  GraphMeaning meaning(graph, world);
  bool exists = existsRightOrder(meaning.machine(), meaning.before());
  ++(exists ? shares.serializable : shares.not_);
  EXPECT_EQ(isNaivelySerializable(graph), exists);
  if (exists)
    EXPECT_TRUE(allOrdersRight(meaning.machine(),
                               meaning.before(naiveSerializationEdges(graph))));
}

TEST_P(RandomGraphs, RuleAgreesWithOracle) {
  uint64_t wanted = setting("SLUICE_RDIR_RANDOM", 1000);
  uint64_t first = setting("SLUICE_RDIR_SEED", 0);
  Shares shares;
  for (uint64_t seed = first;
       shares.serializable + shares.not_ < wanted && !HasFailure(); ++seed) {
    Random random(seed);
    ConstrainedForest forest = randomForest(random, GetParam().extensions);
    World world(forest);
    for (int i = 0; i < 20 && !HasFailure(); ++i) {
      unsigned numTasks = 2 + random.pick(7);
      Graph graph =
          randomGraph(random, forest, GetParam().extensions, numTasks);
      compare(graph, world, shares);
      if (HasFailure())
        std::printf("seed %lu, graph %d\n%s", (unsigned long)seed, i,
                    describe(graph).c_str());
    }
  }
  std::printf("%s: %lu serializable, %lu not, %lu refused before\n",
              GetParam().name, (unsigned long)shares.serializable,
              (unsigned long)shares.not_, (unsigned long)shares.refused);
}

INSTANTIATE_TEST_SUITE_P(RDIR, RandomGraphs, testing::ValuesIn(kinds),
                         [](const auto &info) { return info.param.name; });
