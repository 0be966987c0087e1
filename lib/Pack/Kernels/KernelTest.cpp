//===- KernelTest.cpp - Ready-made kernels of every shape -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each test takes one shape of layout through sizes, distances and counts, on
// every instruction set, between guard pages.
//
//===----------------------------------------------------------------------===//

#include "../Form/FormBuilding.h"
#include "KernelTesting.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice::pack;
using namespace sluice::pack::kerneltest;

namespace {

FormRef runs(std::span<const int64_t> offsets,
             std::span<const int64_t> lengths) {
  std::vector<sluice::pack::ByteRun> list;
  for (size_t i = 0; i != offsets.size(); ++i)
    list.push_back({offsets[i], lengths[i]});
  return makeRuns(list);
}

constexpr int64_t blockSizes[] = {1,  2,  3,  4,  5,   7,   8,   9,   12,  15,
                                  16, 17, 20, 24, 28,  31,  32,  33,  40,  48,
                                  63, 64, 65, 96, 127, 128, 129, 200, 1000};

TEST(KernelTest, ConsecutiveBytes) {
  for (int64_t size : {1, 8, 100, 5000})
    for (int64_t count : {1, 2, 17})
      checkKernels({0, size, blockForm(size)}, count);
  for (int64_t size : {127, 128, 159, 161, 256, 32767, 32768, 70000})
    checkKernels({3, size, blockForm(size)}, 1);
}

TEST(KernelTest, DistancesThatMeetInTheCaches) {
  for (int64_t size : {1, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 128})
    for (int64_t distance : {1024, 4096, -4096, 3072})
      for (int64_t count : {2, 7, 40}) {
        checkKernels({0, distance, blockForm(size)}, count);
        checkKernels(
            {0, size, makeStrided({{count, distance}}, blockForm(size))}, 3);
      }
}

TEST(KernelTest, BlocksAtOneDistance) {
  for (int64_t size : blockSizes)
    for (int64_t gap : {1, 4, 8, 60, 200})
      for (int64_t count : {1, 2, 3, 7, 8, 9, 31, 65})
        checkKernels({0, size + gap, blockForm(size)}, count);
}

TEST(KernelTest, BlocksAtDoubleDistance) {
  for (int64_t size : blockSizes)
    for (int64_t count : {5, 64, 130})
      checkKernels({0, 2 * size, blockForm(size)}, count);
}

TEST(KernelTest, ManyBlocks) {
  for (int64_t size : {1, 4, 8, 12, 16, 28, 32, 48, 64, 128, 192})
    for (int64_t stride : {size + 4, 2 * size, 2 * size + 1})
      for (int64_t count : {20000 / size, 20000 / size + 3})
        checkKernels({0, stride, blockForm(size)}, count);
}

TEST(KernelTest, LargeBlocks) {
  for (int64_t size : {4095, 4096, 5001, 20000})
    checkKernels({0, size + 13, blockForm(size)}, 3);
}

TEST(KernelTest, BlocksOnPagesOfTheirOwn) {
  for (int64_t size :
       {16, 32, 56, 63, 64, 65, 80, 95, 96, 97, 104, 127, 128, 129, 200})
    for (int64_t stride : {4096, 4160, 5001, 8192, -4096})
      checkKernels({3, stride, blockForm(size)}, 35);
}

TEST(KernelTest, NegativeDistances) {
  for (int64_t size : {1, 3, 4, 8, 15, 16, 48})
    for (int64_t stride : {-size, -size - 1, -2 * size, -300L})
      for (int64_t count : {2, 9, 40})
        checkKernels({5, stride, blockForm(size)}, count);
}

TEST(KernelTest, RepeatedBytesMayBePacked) {
  Layout layout{0, 0, blockForm(12)};
  for (const Processor &processor : processors()) {
    Kernel kernel = readyMadeKernel(layout, processor);
    const char text[] = "abcdefghijkl";
    char packed[37] = {};
    kernel.pack(reinterpret_cast<const std::byte *>(text), 3,
                reinterpret_cast<std::byte *>(packed), kernel.context.get());
    EXPECT_STREQ(packed, "abcdefghijklabcdefghijklabcdefghijkl") << kernel.name;
  }
}

TEST(KernelTest, OneLoopContinuedByTheInstances) {
  for (int64_t size : {1, 4, 8, 12, 24, 64})
    for (int64_t count : {1, 3})
      checkKernels(
          {16, 20 * 3 * size, makeStrided({{20, 3 * size}}, blockForm(size))},
          count);
}

TEST(KernelTest, RowsOfBlocks) {
  for (int64_t size : {1, 2, 4, 8, 12, 16, 24, 32, 40, 64, 136})
    for (int64_t rowCount : {2, 3, 16, 33})
      for (int64_t count : {1, 4}) {
        int64_t row = rowCount * 2 * size;
        checkKernels(
            {0, row + 5, makeStrided({{rowCount, 2 * size}}, blockForm(size))},
            count);
        checkKernels(
            {0, size, makeStrided({{rowCount, 9 * size}}, blockForm(size))},
            count);
      }
}

TEST(KernelTest, Halos) {
  for (int64_t size : {8, 16, 80})
    for (int64_t count : {1, 2}) {
      FormRef face =
          makeStrided({{5, 7000}, {6, 900}, {3, 200}}, blockForm(size));
      checkKernels({0, 40000, face}, count);
      checkKernels({0, 90, makeStrided({{4, 3000}, {5, 500}}, blockForm(size))},
                   count);
      checkKernels(
          {0, 9000, makeStrided({{4, -3000}, {5, 500}}, blockForm(size))},
          count);
    }
}

TEST(KernelTest, Transposes) {
  for (int64_t size : {1, 2, 3, 4, 8, 12, 16, 24, 32})
    for (int64_t columns : {1, 2, 4, 7, 16, 33})
      for (int64_t rows : {8, 9, 20})
        checkKernels({0, size, makeStrided({{rows, 1056}}, blockForm(size))},
                     columns);
  checkKernels({0, 1 << 16, makeStrided({{30, 8}, {20, 480}}, blockForm(8))},
               2);
  checkKernels({0, 1 << 16, makeStrided({{30, -8}, {20, 480}}, blockForm(8))},
               2);
}

TEST(KernelTest, LargeTransposesGoPastTheCachesToo) {
  checkKernels({0, 8, makeStrided({{600, 512}}, blockForm(8))}, 20);
}

std::vector<int64_t> somePlaces(size_t count, int64_t block, int64_t spread) {
  std::mt19937 random(3);
  std::vector<int64_t> offsets = {0};
  while (offsets.size() != count)
    offsets.push_back(offsets.back() + block + random() % spread);
  return offsets;
}

TEST(KernelTest, IndexedBlocks) {
  for (int64_t size : blockSizes)
    for (size_t places : {2, 3, 17, 40})
      for (int64_t spread : {20, 300}) {
        FormRef form =
            makeIndexed(somePlaces(places, size, spread), blockForm(size));
        for (int64_t count : {1, 3})
          checkKernels({3, form->high + 7, form}, count);
      }
}

TEST(KernelTest, IndexedBlocksInAnyOrder) {
  for (int64_t size : {4, 8, 20})
    checkKernels(
        {0, 1600, makeIndexed({0, 800, 400, -300, 40, -20}, blockForm(size))},
        5);
}

TEST(KernelTest, IndexedBlocksBeyondTheStream) {
  checkKernels({0, 0, makeIndexed(somePlaces(3000, 8, 20), blockForm(8))}, 1);
  checkKernels({0, 0, makeIndexed(somePlaces(5, 3000, 20), blockForm(3000))},
               1);
}

TEST(KernelTest, IndexedRows) {
  FormRef row = makeStrided({{6, 16}}, blockForm(8));
  checkKernels({0, 3000, makeIndexed(somePlaces(9, 100, 60), row)}, 3);
  FormRef rows = makeStrided({{3, 200}, {6, 16}}, blockForm(8));
  checkKernels({0, 9000, makeIndexed(somePlaces(9, 700, 60), rows)}, 3);
}

TEST(KernelTest, RunsOfDifferentLengths) {
  std::mt19937 random(5);
  for (int64_t longest : {3, 16, 20, 32, 50, 64, 100, 900})
    for (size_t count : {2, 3, 10, 60}) {
      std::vector<int64_t> offsets, lengths;
      for (int64_t end = 0; offsets.size() != count;) {
        offsets.push_back(end);
        lengths.push_back(1 + random() % longest);
        end += lengths.back() + 1 + random() % 30;
      }
      FormRef form = runs(offsets, lengths);
      for (int64_t instances : {1, 2, 9})
        checkKernels({0, form->high + 3, form}, instances);
    }
}

TEST(KernelTest, ListsOfSeveralTypes) {
  std::mt19937 random(9);
  std::vector<int64_t> offsets, lengths;
  int64_t end = 0;
  for (auto [unit, count] : {std::pair(24, 100), {8, 50}, {5, 10}, {4, 40}})
    for (int i = 0; i != count; ++i) {
      lengths.push_back(unit * (random() % 10 == 0 ? 2 : 1));
      offsets.push_back(end);
      end += lengths.back() + 3 + random() % 40;
    }
  FormRef form = runs(offsets, lengths);
  for (int64_t count : {1, 2, 5})
    checkKernels({0, form->high + 9, form}, count);
}

TEST(KernelTest, PaddedStructs) {
  FormRef charDoubleShortInt = makeRuns(
      std::vector<sluice::pack::ByteRun>{{0, 1}, {8, 8}, {16, 2}, {20, 4}});
  FormRef doublesInt = blockForm(28);
  FormRef reversed =
      makeRuns(std::vector<sluice::pack::ByteRun>{{0, 4}, {-8, 4}, {-16, 8}});
  for (int64_t count : {1, 2, 3, 4, 5, 8, 100, 1000}) {
    checkKernels({0, 24, charDoubleShortInt}, count);
    checkKernels({0, 32, doublesInt}, count);
    checkKernels({0, 40, reversed}, count);
    checkKernels({0, -40, reversed}, count);
  }
}

TEST(KernelTest, StructsOfSubarrays) {
  FormRef field = makeStrided({{3, 4000}, {4, 400}}, blockForm(32));
  FormRef line = makeStrided({{10, 24}}, blockForm(8));
  FormRef mixed = makeSequence(
      {0, 20000, 20500, 21000},
      {field, blockForm(100), line, makeIndexed({0, 40, 100}, blockForm(8))});
  for (int64_t count : {1, 3})
    checkKernels({-8, 30000, mixed}, count);
  checkKernels({0, 100000, makeStrided({{3, 30000}}, mixed)}, 2);
}

TEST(KernelTest, NoInstances) {
  for (FormRef form :
       {blockForm(8), makeStrided({{3, 16}}, blockForm(8)),
        makeIndexed({0, 30, 40}, blockForm(8)),
        makeRuns(std::vector<sluice::pack::ByteRun>{{0, 1}, {9, 2}}),
        emptyForm()})
    for (const Processor &processor : processors()) {
      Kernel kernel = readyMadeKernel({0, 100, form}, processor);
      kernel.pack(nullptr, 0, nullptr, kernel.context.get());
      kernel.unpack(nullptr, 0, nullptr, kernel.context.get());
    }
}

TEST(KernelTest, EmptyFormsCopyNothing) {
  Kernel kernel = readyMadeKernel({0, 8, emptyForm()});
  std::byte byte{7}, other{9};
  kernel.pack(&byte, 100, &other, kernel.context.get());
  kernel.unpack(&byte, 100, &other, kernel.context.get());
  EXPECT_EQ(other, std::byte{9});
}

TEST(KernelTest, CustomFormsHaveNoFunctions) {
  auto custom = std::make_shared<Form>();
  custom->kind = FormKind::Custom;
  custom->size = 8;
  custom->high = 8;
  custom->hasCustom = true;
  Kernel kernel = readyMadeKernel({0, 8, custom});
  EXPECT_EQ(kernel.pack, nullptr);
  EXPECT_EQ(kernel.unpack, nullptr);
}

} // namespace
