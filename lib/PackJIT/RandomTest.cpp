//===- RandomTest.cpp - Compiled kernels of random type trees -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The random layouts of Pack's tests, packed by code compiled for each of them,
// for every vector set of this processor. A failure prints the seed and the
// type's text.
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"
#include "PackChecks.h" // of SluicePackTestSupport

#include <gtest/gtest.h>

#include <cstdio>
#include <unistd.h>

using namespace sluice::pack;
using namespace sluice::pack::jit;
using namespace sluice::pack::jit::test;
using namespace sluice::pack::naive;

namespace {

#ifdef __has_feature
#define SLUICE_HAS_FEATURE(name) __has_feature(name)
#else
#define SLUICE_HAS_FEATURE(name) 0
#endif

/// Each compilation takes some milliseconds.
constexpr int Seeds = SLUICE_HAS_FEATURE(address_sanitizer) ||
                              SLUICE_HAS_FEATURE(thread_sanitizer)
                          ? 60
                          : 300;

std::string checkCompiled(const Subject &subject, Choices &choices) {
  for (const Processor &processor : processors()) {
    Kernel kernel = jit::test::compile(subject.layout, processor);
    if (std::string problem = checkKernel(subject, kernel, choices);
        !problem.empty())
      return problem;
  }
  std::shared_ptr<Packer> packer = Packer::of(subject.layout);
  if (sluice::Status status = packer->compile(); !status.ok())
    return status.message();
  std::string problem = checkPacker(subject, *packer, choices);
  return problem.empty() ? checkTranspack(subject, choices) : problem;
}

void checkSeeds(const RandomTypeOptions &options, uint64_t seeds) {
  PackOptions before = packOptions(), now = before;
  now.useDiskCache = false;
  setPackOptions(now);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    Choices choices(seed);
    std::unique_ptr<farc::Datatype> type = randomType(choices, options);
    std::optional<TypeMap> map = typeMapOf(*type);
    ASSERT_TRUE(map) << "seed " << seed << ": " << type->toString();
    Subject subject(*type, *map, choices.between(1, 20));
    ASSERT_EQ(checkCompiled(subject, choices), "")
        << "seed " << seed << ": " << subject.count << " x "
        << type->toString();
  }
  setPackOptions(before);
}

TEST(CompiledRandomTest, SmallTrees) {
  checkSeeds(
      {.maxDepth = 3, .maxElements = 60, .maxSpan = 20000, .primitives = {}},
      Seeds);
}

TEST(CompiledRandomTest, DeepTrees) {
  checkSeeds(
      {.maxDepth = 5, .maxElements = 600, .maxSpan = 1 << 18, .primitives = {}},
      Seeds / 6);
}

TEST(CompiledRandomTest, TreesOfDoublesAndBytes) {
  checkSeeds({.maxDepth = 4,
              .maxElements = 400,
              .maxSpan = 1 << 17,
              .primitives = {farc::PrimitiveDatatype::DOUBLE,
                             farc::PrimitiveDatatype::BYTE}},
             Seeds / 6);
}

int64_t residentBytes() {
  long total = 0, resident = 0;
  if (FILE *file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
      resident = 0;
    fclose(file);
  }
  return resident * sysconf(_SC_PAGESIZE);
}

/// Code of destroyed packers stays only in a bounded cache.
TEST(CompiledRandomTest, CodeIsFreed) {
  if (Seeds < 100)
    GTEST_SKIP() << "sanitizers keep freed memory";
  setPackOptions({.useDiskCache = false});
  int64_t before = 0;
  for (int64_t number = 0; number != 600; ++number) {
    if (number == 200)
      before = residentBytes();
    PlacedForm placed = repeat({0, blockForm(4)}, 10 + number, 12);
    std::shared_ptr<Packer> packer = Packer::of({0, 0, placed.form});
    ASSERT_TRUE(packer->compile().ok());
  }
  EXPECT_LT(residentBytes() - before, 16 << 20);
}

} // namespace
