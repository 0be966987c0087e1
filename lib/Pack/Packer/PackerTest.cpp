//===- PackerTest.cpp - Tests of committed layouts ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the sharing of packers, and packs that threads share.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Packer.h"

#include "../Form/SelfOverlap.h"
#include "../Testing/NaiveLayout.h"
#include "sluice/Pack/Datatype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice;
using namespace sluice::pack;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// Forked children start threads of their own here.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
#endif
#endif

namespace {

Layout vectorLayout(int64_t count, int64_t block, int64_t stride) {
  PlacedForm placed = repeat({0, blockForm(block)}, count, stride);
  return {placed.offset, count * stride, placed.form};
}

/// Sets options and restores the old ones at the end of the scope.
struct WithOptions {
  explicit WithOptions(const PackOptions &options) { setPackOptions(options); }
  ~WithOptions() { setPackOptions(before); }
  PackOptions before = packOptions();
};

std::vector<std::byte> randomBytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

TEST(PackerTest, EqualLayoutsShareOnePacker) {
  auto first = Packer::of(vectorLayout(10, 4, 8));
  auto second = Packer::of(vectorLayout(10, 4, 8));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, Packer::of(vectorLayout(11, 4, 8)));
  Layout wider = vectorLayout(10, 4, 8);
  ++wider.extent;
  EXPECT_NE(first, Packer::of(wider));
  Layout moved = vectorLayout(10, 4, 8);
  ++moved.offset;
  EXPECT_NE(first, Packer::of(moved));
}

TEST(PackerTest, APackerNobodyHoldsIsGone) {
  std::weak_ptr<Packer> watch = Packer::of(vectorLayout(7, 2, 6));
  EXPECT_TRUE(watch.expired());
  auto again = Packer::of(vectorLayout(7, 2, 6));
  EXPECT_EQ(again->layout(), vectorLayout(7, 2, 6));
}

TEST(PackerTest, ThreadsThatCommitAndFreeTheSameLayoutsAgree) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 random{uint64_t(t)};
      for (int i = 0; i != 3000; ++i) {
        int64_t count = 2 + int64_t(random() % 5);
        auto packer = Packer::of(vectorLayout(count, 4, 8));
        int32_t in[16], out[8] = {};
        for (int j = 0; j != 16; ++j)
          in[j] = j * i;
        packer->pack(in, 1, out);
        wrong += out[count - 1] != in[(count - 1) * 2];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(PackerTest, RandomLayoutsArePackedAndUnpacked) {
  for (uint64_t seed = 0; seed != 500; ++seed) {
    naive::Generator generator(seed, /*disjoint=*/true);
    naive::Pair pair = generator.layout(int(seed % 5));
    const Form &form = *pair.placed.form;
    int64_t span = form.high - form.low;
    Layout layout{pair.placed.offset, span + generator.number(0, 9),
                  pair.placed.form};
    int64_t count = generator.number(0, 5);
    naive::Bytes places = naive::repeat(pair.bytes, count, layout.extent);
    int64_t low = layout.offset + form.low;
    std::vector<std::byte> memory =
        randomBytes(size_t(layout.extent * count + span + 1), seed);
    std::byte *origin = memory.data() - low;
    auto packer = Packer::of(layout);
    std::vector<std::byte> packed(places.size() + 1, std::byte(0x5A));
    packer->pack(origin, count, packed.data());
    for (size_t i = 0; i != places.size(); ++i)
      ASSERT_EQ(packed[i], origin[places[i]]) << toText(layout);
    ASSERT_EQ(packed.back(), std::byte(0x5A));

    std::vector<std::byte> expected(memory.size(), std::byte(0x33));
    for (int64_t place : places)
      expected[size_t(place - low)] = origin[place];
    std::fill(memory.begin(), memory.end(), std::byte(0x33));
    packer->unpack(packed.data(), origin, count);
    ASSERT_EQ(memory, expected) << toText(layout);
  }
}

TEST(PackerTest, AKernelIsChosenWithCareWhenItIsUsed) {
  WithOptions options({.compileAfter = -1});
  std::string careful = readyMadeKernel(vectorLayout(4096, 8, 16)).name;
  std::vector<std::byte> in(65536), out(32768);
  auto often = Packer::of(vectorLayout(4096, 8, 16));
  const Kernel &first = often->kernel();
  for (int i = 0; i != 8; ++i)
    often->pack(in.data(), 1, out.data());
  EXPECT_EQ(often->kernel().name, careful);
  EXPECT_NE(&often->kernel(), &first);
  first.pack(in.data(), 1, out.data(), first.context.get());

  auto large = Packer::of(vectorLayout(8192, 8, 16));
  const Kernel *before = &large->kernel();
  in.resize(131072);
  out.resize(65536);
  large->pack(in.data(), 1, out.data());
  EXPECT_NE(&large->kernel(), before);
}

TEST(PackerTest, CustomFormsWithoutACompilerSayWhatIsMissing) {
  Layout layout{0, 8, customForm(nullptr, 8, 0, 8)};
  auto packer = Packer::of(layout);
  EXPECT_EQ(packer->kernel().pack, nullptr);
  std::byte in[8], out[8];
  try {
    packer->pack(in, 1, out);
    FAIL() << "no error";
  } catch (const farc::Error &error) {
    EXPECT_EQ(error.getKind(), farc::Error::NO_COMPILER);
    EXPECT_STREQ(error.what(),
                 "a layout with a user's own datatype was not compiled; commit "
                 "it where libSluicePackJIT.so is found");
  }
}

//===----------------------------------------------------------------------===//
// Sharing one pack
//===----------------------------------------------------------------------===//

/// Packs and unpacks with `threads` threads, in small shares.
void expectSharedEqualsAlone(const Layout &layout, int64_t count) {
  const Form &form = *layout.form;
  int64_t low = std::min<int64_t>(0, layout.extent * (count - 1)) +
                layout.offset + form.low;
  int64_t high = std::max<int64_t>(0, layout.extent * (count - 1)) +
                 layout.offset + form.high;
  std::vector<std::byte> memory = randomBytes(size_t(high - low), 5);
  std::byte *origin = memory.data() - low;
  size_t total = size_t(layout.size() * count);
  std::vector<std::byte> alone(total), shared(total);
  auto packer = Packer::of(layout);
  packer->pack(origin, count, alone.data());
  {
    WithOptions options({.compileAfter = -1, .threads = 3, .parallelBytes = 1});
    packer->pack(origin, count, shared.data());
  }
  ASSERT_TRUE(alone == shared) << toText(layout);

  std::vector<std::byte> packed = randomBytes(total, 6);
  std::vector<std::byte> first = memory, second = memory;
  packer->unpack(packed.data(), first.data() - low, count);
  WithOptions options({.compileAfter = -1, .threads = 3, .parallelBytes = 1});
  packer->unpack(packed.data(), second.data() - low, count);
  ASSERT_TRUE(first == second) << toText(layout);
}

TEST(PackerTest, SharedPacksAreTheSame) {
  expectSharedEqualsAlone(vectorLayout(300000, 8, 16), 1);
  expectSharedEqualsAlone(vectorLayout(3, 8, 16), 100000);
  expectSharedEqualsAlone(vectorLayout(70001, 12, -20), 2);
  expectSharedEqualsAlone({0, 100, blockForm(77)}, 30000);
  expectSharedEqualsAlone({0, 0, blockForm(2 << 20)}, 1);
  // Columns of a matrix: the instances interleave.
  Layout column = vectorLayout(1000, 8, 8000);
  column.extent = 8;
  expectSharedEqualsAlone(column, 1000);
  // Overlapping bytes get the last value.
  expectSharedEqualsAlone(vectorLayout(300000, 8, 4), 1);
}

TEST(PackerTest, SharedPacksBeyondTheCachesAreTheSame) {
  int64_t blocks = thisProcessor().lastLevelBytes / 2 / 8 + 1000;
  if (blocks > (32 << 20) / 8)
    GTEST_SKIP() << "the last-level cache is too large to exceed in a test";
  expectSharedEqualsAlone(vectorLayout(blocks, 8, 12), 1);
  expectSharedEqualsAlone(vectorLayout(1000, 8, 12), blocks / 1000 + 1);
}

TEST(PackerTest, SharedPacksOfSeveralThreadsDoNotMeet) {
  WithOptions options({.compileAfter = -1, .threads = 2, .parallelBytes = 1});
  std::vector<std::thread> threads;
  for (int t = 0; t != 3; ++t)
    threads.emplace_back([t] {
      Layout layout = vectorLayout(100000, 8, 16 + 8 * t);
      auto packer = Packer::of(layout);
      std::vector<std::byte> in = randomBytes(size_t(layout.form->high), 1);
      for (int i = 0; i != 5; ++i) {
        std::vector<std::byte> out(size_t(layout.size()));
        packer->pack(in.data(), 1, out.data());
        for (size_t j = 0; j != 100000; ++j)
          ASSERT_EQ(std::memcmp(&out[j * 8], &in[j * size_t(16 + 8 * t)], 8),
                    0);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(PackerTest, HelpersStopAndStartAgain) {
  for (int i = 0; i != 3; ++i) {
    expectSharedEqualsAlone(vectorLayout(100000, 8, 16), 1);
    stopPackThreads();
  }
}

TEST(PackerTest, AForkedChildHasHelpersOfItsOwn) {
  expectSharedEqualsAlone(vectorLayout(100000, 8, 16), 1);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(300);
    expectSharedEqualsAlone(vectorLayout(100000, 8, 24), 1);
    stopPackThreads();
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

TEST(OverlapTest, DisjointIsCertain) {
  int disjoint = 0;
  for (uint64_t seed = 0; seed != 3000; ++seed) {
    naive::Generator generator(seed, seed % 2 == 0);
    naive::Pair pair = generator.layout(int(seed % 5));
    Layout layout{0, generator.number(-300, 300), pair.placed.form};
    int64_t count = generator.number(1, 4);
    if (!isDisjoint(*layout.form) || !areInstancesDisjoint(layout, count))
      continue;
    ++disjoint;
    naive::Bytes places = naive::repeat(pair.bytes, count, layout.extent);
    std::sort(places.begin(), places.end());
    EXPECT_EQ(std::adjacent_find(places.begin(), places.end()), places.end())
        << toText(layout);
  }
  EXPECT_GT(disjoint, 500);
}

TEST(OverlapTest, KnowsWhatIsCommon) {
  EXPECT_TRUE(isDisjoint(*vectorLayout(100, 4, 8).form));
  EXPECT_TRUE(isDisjoint(*vectorLayout(100, 4, -8).form));
  EXPECT_FALSE(isDisjoint(*vectorLayout(100, 4, 3).form));
  EXPECT_FALSE(isDisjoint(*vectorLayout(100, 4, 0).form));
  Layout column = vectorLayout(100, 8, 800);
  column.extent = 8;
  EXPECT_TRUE(areInstancesDisjoint(column, 100));
  EXPECT_FALSE(areInstancesDisjoint(column, 101));
}

} // namespace
