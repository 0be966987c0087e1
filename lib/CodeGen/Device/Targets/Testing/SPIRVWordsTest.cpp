//===- SPIRVWordsTest.cpp - Changes to the words of SPIR-V ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules are written by hand, in the specification's numbers.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/SPIRVWords.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace sluice::codegen;

namespace {

using Words = std::vector<uint32_t>;

Words op(uint32_t code, const Words &operands = {}) {
  Words words = {uint32_t(operands.size() + 1) << 16 | code};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

const Words header = {0x07230203, 0x00010200, 0, 100, 0};
const Words begin = op(54, {1, 2, 0, 3}), end = op(56);
const Words barrier = op(224, {4, 5, 6}), finish = op(253);
Words label(uint32_t id) { return op(248, {id}); }
Words branch(uint32_t to) { return op(249, {to}); }
Words branchIf(uint32_t yes, uint32_t no) { return op(250, {7, yes, no}); }
/// The words added to a loop with back edge from `latch` and exit `exit`.
Words keep(uint32_t exit, uint32_t latch) { return op(246, {exit, latch, 2}); }

std::string text(const std::vector<Words> &ops) {
  Words all = header;
  for (const Words &words : ops)
    all.insert(all.end(), words.begin(), words.end());
  return std::string(reinterpret_cast<const char *>(all.data()),
                     all.size() * 4);
}

using Rewrite = llvm::Expected<std::string> (*)(llvm::StringRef);

std::string run(Rewrite rewrite, const std::string &spirv) {
  llvm::Expected<std::string> result = rewrite(spirv);
  return result ? *result : llvm::toString(result.takeError());
}

std::string loops(const std::vector<Words> &ops) {
  return run(keepLoopsNearBarriers, text(ops));
}

TEST(SPIRVLoops, AreKeptWhereTheirFirstBlocksEnd) {
  EXPECT_EQ(loops({begin, label(10), branch(11), label(11), branchIf(12, 13),
                   label(12), barrier, branch(11), label(13), finish, end}),
            text({begin, label(10), branch(11), label(11), keep(13, 12),
                  branchIf(12, 13), label(12), barrier, branch(11), label(13),
                  finish, end}));
}

TEST(SPIRVLoops, MayBeNestedAndOfOneBlock) {
  EXPECT_EQ(
      loops({begin, label(10), branch(11), label(11), barrier, branch(12),
             label(12), branchIf(12, 13), label(13), branchIf(14, 11),
             label(14), finish, end}),
      text({begin, label(10), branch(11), label(11), barrier, keep(14, 13),
            branch(12), label(12), keep(13, 12), branchIf(12, 13), label(13),
            branchIf(14, 11), label(14), finish, end}));
}

TEST(SPIRVLoops, OfOtherFunctionsStayAsTheyAre) {
  std::vector<Words> plain = {
      begin,     label(10), branch(11), label(11), branchIf(11, 13),
      label(13), finish,    end};
  EXPECT_EQ(loops(plain), text(plain));
  std::vector<Words> both = {
      begin,     label(20), barrier,    finish,    end,
      begin,     label(10), branch(11), label(11), branchIf(11, 13),
      label(13), finish,    end};
  EXPECT_EQ(loops(both), text(both));
}

TEST(SPIRVLoops, WithoutAnEndOrWithAWishOfTheirOwnStayAsTheyAre) {
  std::vector<Words> endless = {begin,   label(10),  branch(11), label(11),
                                barrier, branch(11), end};
  EXPECT_EQ(loops(endless), text(endless));
  std::vector<Words> said = {begin,
                             label(10),
                             branch(11),
                             label(11),
                             barrier,
                             op(246, {13, 11, 1}),
                             branchIf(11, 13),
                             label(13),
                             finish,
                             end};
  EXPECT_EQ(loops(said), text(said));
}

TEST(SPIRVLoops, AreFoundInDeepNests) {
  // Each block branches to the next one or back to itself; the last one
  // branches back to all.
  constexpr uint32_t depth = 20000;
  std::vector<Words> ops = {begin, barrier};
  for (uint32_t i = 0; i < depth; ++i) {
    ops.push_back(label(10 + i));
    ops.push_back(branchIf(10 + i, 11 + i));
  }
  ops.insert(ops.end(), {label(10 + depth), finish, end});
  // Four words for each loop.
  EXPECT_EQ(loops(ops).size(), text(ops).size() + 16 * size_t(depth));
}

TEST(SPIRVZeros, OfScalarsBecomeConstants) {
  std::vector<Words> types = {
      op(20, {1}),       op(21, {2, 32, 0}), op(22, {3, 64}), op(21, {4, 8, 0}),
      op(23, {5, 2, 4}), op(46, {1, 11}),    op(46, {2, 12}), op(46, {3, 13}),
      op(46, {4, 14}),   op(46, {5, 15})};
  std::vector<Words> expected(types.begin(), types.begin() + 5);
  expected.insert(expected.end(),
                  {op(42, {1, 11}), op(43, {2, 12, 0}), op(43, {3, 13, 0, 0}),
                   op(43, {4, 14, 0}), op(46, {5, 15})});
  EXPECT_EQ(run(rewriteForOldTranslator, text(types)), text(expected));
}

TEST(SPIRVWords, ThatBreakOffAreErrors) {
  for (Rewrite rewrite : {rewriteForOldTranslator, keepLoopsNearBarriers}) {
    EXPECT_EQ(run(rewrite, ""), "this is not SPIR-V");
    EXPECT_EQ(run(rewrite, std::string(20, 'x')), "this is not SPIR-V");
    EXPECT_EQ(run(rewrite, text({}) + "x"),
              "SPIR-V of 21 bytes, which is not a number of words");
    EXPECT_EQ(run(rewrite, text({{0}})), "SPIR-V breaks off at word 5");
    EXPECT_EQ(run(rewrite, text({{3u << 16 | 20, 1}})),
              "SPIR-V breaks off at word 5");
  }
  EXPECT_EQ(loops({begin, label(10)}), "SPIR-V breaks off in a function");
}

/// For any words, nothing beyond them is read, and the output is never
/// truncated.
TEST(SPIRVWords, MayBeAnything) {
  std::string good =
      text({op(20, {1}), op(46, {1, 2}), begin, label(10), branch(11),
            label(11), barrier, branch(12), label(12), branchIf(12, 13),
            label(13), branchIf(14, 11), label(14), finish, end});
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string spirv = good;
    for (int changes = 1 + i % 4; changes > 0; --changes) {
      uint32_t word = random() % 20 ? random() % 20 << 16 | 240 + random() % 20
                                    : uint32_t(random());
      if (random() % 2)
        word = 10 + random() % 6;
      std::memcpy(spirv.data() + 20 + random() % (spirv.size() / 4 - 5) * 4,
                  &word, 4);
    }
    for (Rewrite rewrite : {rewriteForOldTranslator, keepLoopsNearBarriers}) {
      llvm::Expected<std::string> result = rewrite(spirv);
      if (result)
        EXPECT_EQ(run(rewriteForOldTranslator, *result).substr(0, 4),
                  good.substr(0, 4));
      else
        llvm::consumeError(result.takeError());
    }
  }
}

} // namespace
