//===- RandomTest.cpp - Random layouts against the naive packer -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thousands of random type trees, each checked with every way of packing it. A
// failure prints the seed and the type's text. SLUICE_PACK_FIRST_SEED and
// SLUICE_PACK_SEEDS select other seeds, or more of them.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace sluice::pack;
using namespace sluice::pack::naive;

namespace {

#ifdef __has_feature
#define SLUICE_HAS_FEATURE(name) __has_feature(name)
#else
#define SLUICE_HAS_FEATURE(name) 0
#endif

/// Sanitizers take at least ten times as long.
constexpr int64_t SeedsByDefault = SLUICE_HAS_FEATURE(thread_sanitizer) ? 150
                                   : SLUICE_HAS_FEATURE(address_sanitizer)
                                       ? 600
                                       : 3000;

int64_t setting(const char *name, int64_t byDefault) {
  const char *text = getenv(name);
  return text ? atoll(text) : byDefault;
}

void checkSeed(uint64_t seed, const RandomTypeOptions &options) {
  Choices choices(seed);
  std::unique_ptr<farc::Datatype> type = randomType(choices, options);
  std::optional<TypeMap> map = typeMapOf(*type);
  ASSERT_TRUE(map) << "seed " << seed << ": " << type->toString();
  int64_t count = choices.oneIn(4) ? choices.below(20) : choices.between(1, 4);
  std::string problem = checkAll(*type, *map, count, choices);
  ASSERT_EQ(problem, "") << "seed " << seed << ": " << count << " x "
                         << type->toString();
}

void checkSeeds(const RandomTypeOptions &options, int64_t seeds) {
  int64_t first = setting("SLUICE_PACK_FIRST_SEED", 1);
  int64_t last = first + setting("SLUICE_PACK_SEEDS", seeds);
  for (int64_t seed = first; seed != last; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_THROW(checkSeed(seed, options));
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(RandomTest, SmallTrees) {
  checkSeeds(
      {.maxDepth = 3, .maxElements = 60, .maxSpan = 20000, .primitives = {}},
      SeedsByDefault);
}

TEST(RandomTest, DeepTrees) {
  checkSeeds(
      {.maxDepth = 5, .maxElements = 600, .maxSpan = 1 << 18, .primitives = {}},
      SeedsByDefault / 3);
}

/// Few leaves, so that many elements have equal sizes and blocks are joined.
TEST(RandomTest, TreesOfDoublesAndBytes) {
  checkSeeds({.maxDepth = 4,
              .maxElements = 400,
              .maxSpan = 1 << 17,
              .primitives = {farc::PrimitiveDatatype::DOUBLE,
                             farc::PrimitiveDatatype::BYTE}},
             SeedsByDefault / 3);
}

} // namespace
