//===- StressTest.cpp - Many layouts, and many threads --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs commit tens of thousands of types: freed types must be gone. And
// threads commit, pack and free the same types at the same time, while kernels
// are replaced after the first use.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

#include "sluice/Pack/Compiler.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace sluice::pack;
using namespace sluice::pack::naive;

namespace {

int64_t residentBytes() {
  long total = 0, resident = 0;
  if (FILE *file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%ld %ld", &total, &resident) != 2)
      resident = 0;
    fclose(file);
  }
  return resident * sysconf(_SC_PAGESIZE);
}

/// Commits a unique type, packs it twice, checks and frees it.
void useOnce(int64_t number) {
  farc::PrimitiveDatatype element(farc::PrimitiveDatatype::INT);
  int64_t places[9];
  for (int64_t i = 0; i != 9; ++i)
    places[i] = i * (3 + number % 7) + (i * i * number) % (2 + i % 3) +
                (i == 8 ? number : 0);
  farc::IndexedBlockDatatype type(9, 2, places, &element);
  farc::DDT_Commit(&type);
  static thread_local std::vector<int> in;
  in.resize(100000);
  in[size_t(places[8])] = int(number);
  int out[18];
  for (int i = 0; i != 2; ++i) {
    farc::DDT_Pack(in.data(), out, &type, 1);
    ASSERT_EQ(out[16], int(number));
  }
}

TEST(StressTest, FreedLayoutsLeaveNothingBehind) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
#endif
  constexpr int64_t Types = 40000;
  int64_t number = 0;
  for (; number != Types / 4; ++number)
    useOnce(number);
  int64_t before = residentBytes();
  for (; number != Types; ++number)
    useOnce(number);
  EXPECT_LT(residentBytes() - before, 4 << 20)
      << "of " << Types << " types, all freed";
}

TEST(StressTest, LargeListsAreFreed) {
  farc::PrimitiveDatatype element(farc::PrimitiveDatatype::DOUBLE);
  std::vector<int64_t> places(20000);
  std::vector<double> in(200000, 1), out(places.size());
  int64_t before = 0;
  for (int64_t round = 0; round != 100; ++round) {
    for (size_t i = 0; i != places.size(); ++i)
      places[i] = int64_t(i) * 9 + int64_t(i) * (round + 3) % 8;
    farc::IndexedBlockDatatype type(int64_t(places.size()), 1, places.data(),
                                    &element);
    farc::DDT_Commit(&type);
    farc::DDT_Pack(in.data(), out.data(), &type, 1);
    ASSERT_EQ(std::accumulate(out.begin(), out.end(), 0.0), 20000);
    if (round == 20)
      before = residentBytes();
  }
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return; // these keep freed memory
#endif
#endif
  EXPECT_LT(residentBytes() - before, 16 << 20);
}

/// The work of a thread of the next test: types of few kinds, so that threads
/// use the same packers.
std::string useConcurrently(uint64_t seed, int rounds) {
  Choices choices(seed);
  for (int i = 0; i != rounds; ++i) {
    Choices kind(uint64_t(choices.below(12)));
    std::unique_ptr<farc::Datatype> type = randomType(
        kind,
        {.maxDepth = 3, .maxElements = 60, .maxSpan = 9000, .primitives = {}});
    std::optional<TypeMap> map = typeMapOf(*type);
    Subject subject(*type, *map, choices.between(1, 3));
    farc::DDT_Commit(type.get());
    for (int use = 0; use != 3; ++use)
      if (std::string problem =
              checkPacker(subject, *type->getPacker(), choices);
          !problem.empty())
        return type->toString() + ": " + problem;
  }
  return "";
}

TEST(StressTest, ThreadsCommitPackAndFreeAtOnce) {
  ASSERT_TRUE(kernelCompiler().ok()) << kernelCompiler().status().message();
  PackOptions before = packOptions(), now = before;
  now.compileAfter = 1;
  setPackOptions(now);
  std::string problems[4];
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i != 4; ++i)
    threads.emplace_back(
        [&problems, i] { problems[i] = useConcurrently(i + 1, 60); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    EXPECT_EQ(problem, "");
  waitForCompilations();
  setPackOptions(before);
}

/// A type that two threads use while a third commits it.
TEST(StressTest, ThreadsUseOneType) {
  farc::PrimitiveDatatype element(farc::PrimitiveDatatype::SHORT);
  farc::VectorDatatype type(100, 1, 3, &element);
  farc::DDT_Commit(&type);
  std::vector<std::thread> threads;
  for (int t = 0; t != 3; ++t)
    threads.emplace_back([&type] {
      short in[300], out[100] = {};
      std::iota(std::begin(in), std::end(in), short(0));
      for (int round = 0; round != 50; ++round) {
        farc::DDT_Pack(in, out, &type, 1);
        for (int i = 0; i != 100; ++i)
          ASSERT_EQ(out[i], 3 * i);
        std::unique_ptr<farc::Datatype> own(type.clone());
        farc::DDT_Commit(own.get());
        farc::DDT_Unpack(out, in, own.get(), 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

int main(int argc, char **argv) {
  setenv("SLUICE_PACK_JIT", SLUICE_FAKE_COMPILER, /*overwrite=*/0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
