//===- KernelTest.cpp - Ready-made kernels of every shape -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each test takes one shape of layout through sizes, distances and counts, on
// every instruction set, between guard pages.
//
//===----------------------------------------------------------------------===//

#include "KernelTesting.h"

#include <gtest/gtest.h>

#include <random>

using namespace sluice::pack;
using namespace sluice::pack::kerneltest;

namespace {

constexpr int64_t blockSizes[] = {1,  2,  3,  4,  5,   7,   8,   9,   12,  15,
                                  16, 17, 20, 24, 28,  31,  32,  33,  40,  48,
                                  63, 64, 65, 96, 127, 128, 129, 200, 1000};

TEST(KernelTest, ConsecutiveBytes) {
  for (int64_t size : {1, 8, 100, 5000})
    for (int64_t count : {1, 2, 17})
      checkKernels({0, size, block(size)}, count);
}

TEST(KernelTest, BlocksAtOneDistance) {
  for (int64_t size : blockSizes)
    for (int64_t gap : {1, 4, 8, 60, 200})
      for (int64_t count : {1, 2, 3, 7, 8, 9, 31, 65})
        checkKernels({0, size + gap, block(size)}, count);
}

TEST(KernelTest, BlocksAtDoubleDistance) {
  for (int64_t size : blockSizes)
    for (int64_t count : {5, 64, 130})
      checkKernels({0, 2 * size, block(size)}, count);
}

TEST(KernelTest, LargeBlocks) {
  for (int64_t size : {4095, 4096, 5001, 20000})
    checkKernels({0, size + 13, block(size)}, 3);
}

TEST(KernelTest, NegativeDistances) {
  for (int64_t size : {1, 3, 4, 8, 15, 16, 48})
    for (int64_t stride : {-size, -size - 1, -2 * size, -300L})
      for (int64_t count : {2, 9, 40})
        checkKernels({5, stride, block(size)}, count);
}

TEST(KernelTest, RepeatedBytesMayBePacked) {
  Layout layout{0, 0, block(12)};
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
      checkKernels({16, 20 * 3 * size, strided({{20, 3 * size}}, block(size))},
                   count);
}

TEST(KernelTest, RowsOfBlocks) {
  for (int64_t size : {1, 2, 4, 8, 12, 16, 24, 32, 40, 64, 136})
    for (int64_t rowCount : {2, 3, 16, 33})
      for (int64_t count : {1, 4}) {
        int64_t row = rowCount * 2 * size;
        checkKernels({0, row + 5, strided({{rowCount, 2 * size}}, block(size))},
                     count);
        checkKernels({0, size, strided({{rowCount, 9 * size}}, block(size))},
                     count);
      }
}

TEST(KernelTest, Halos) {
  for (int64_t size : {8, 16, 80})
    for (int64_t count : {1, 2}) {
      FormRef face = strided({{5, 7000}, {6, 900}, {3, 200}}, block(size));
      checkKernels({0, 40000, face}, count);
      checkKernels({0, 90, strided({{4, 3000}, {5, 500}}, block(size))}, count);
      checkKernels({0, 9000, strided({{4, -3000}, {5, 500}}, block(size))},
                   count);
    }
}

TEST(KernelTest, Transposes) {
  for (int64_t size : {1, 2, 3, 4, 8, 12, 16, 24, 32})
    for (int64_t columns : {1, 2, 4, 7, 16, 33})
      for (int64_t rows : {8, 9, 20})
        checkKernels({0, size, strided({{rows, 512}}, block(size))}, columns);
  checkKernels({0, 1 << 16, strided({{30, 8}, {20, 480}}, block(8))}, 2);
  checkKernels({0, 1 << 16, strided({{30, -8}, {20, 480}}, block(8))}, 2);
}

TEST(KernelTest, LargeTransposesGoPastTheCachesToo) {
  checkKernels({0, 8, strided({{600, 512}}, block(8))}, 20);
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
        FormRef form = indexed(somePlaces(places, size, spread), block(size));
        for (int64_t count : {1, 3})
          checkKernels({3, form->high + 7, form}, count);
      }
}

TEST(KernelTest, IndexedBlocksInAnyOrder) {
  for (int64_t size : {4, 8, 20})
    checkKernels({0, 1600, indexed({0, 800, 400, -300, 40, -20}, block(size))},
                 5);
}

TEST(KernelTest, IndexedBlocksBeyondTheStream) {
  checkKernels({0, 0, indexed(somePlaces(3000, 8, 20), block(8))}, 1);
  checkKernels({0, 0, indexed(somePlaces(5, 3000, 20), block(3000))}, 1);
}

TEST(KernelTest, IndexedRows) {
  FormRef row = strided({{6, 16}}, block(8));
  checkKernels({0, 3000, indexed(somePlaces(9, 100, 60), row)}, 3);
  FormRef rows = strided({{3, 200}, {6, 16}}, block(8));
  checkKernels({0, 9000, indexed(somePlaces(9, 700, 60), rows)}, 3);
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

TEST(KernelTest, PaddedStructs) {
  FormRef charDoubleShortInt = runs({0, 8, 16, 20}, {1, 8, 2, 4});
  FormRef doublesInt = block(28);
  FormRef reversed = runs({0, -8, -16}, {4, 4, 8});
  for (int64_t count : {1, 2, 3, 4, 5, 8, 100, 1000}) {
    checkKernels({0, 24, charDoubleShortInt}, count);
    checkKernels({0, 32, doublesInt}, count);
    checkKernels({0, 40, reversed}, count);
    checkKernels({0, -40, reversed}, count);
  }
}

TEST(KernelTest, StructsOfSubarrays) {
  FormRef field = strided({{3, 4000}, {4, 400}}, block(32));
  FormRef line = strided({{10, 24}}, block(8));
  FormRef mixed =
      inSequence({0, 20000, 20500, 21000},
                 {field, block(100), line, indexed({0, 40, 100}, block(8))});
  for (int64_t count : {1, 3})
    checkKernels({-8, 30000, mixed}, count);
  checkKernels({0, 100000, strided({{3, 30000}}, mixed)}, 2);
}

TEST(KernelTest, NoInstances) {
  for (FormRef form :
       {block(8), strided({{3, 16}}, block(8)), indexed({0, 30, 40}, block(8)),
        runs({0, 9}, {1, 2}), emptyForm()})
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
