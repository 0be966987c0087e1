//===- KernelTest.cpp - Compiled kernels copy the right bytes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of form and every strategy, for each set of vectors, against a
// packer that lists bytes; and seeded random forms.
//
//===----------------------------------------------------------------------===//

#include "AllRounds.h"
#include "CompilerTesting.h"

#include "gtest/gtest.h"

using namespace sluice::pack;
using namespace sluice::pack::jit;
using namespace sluice::pack::jit::test;

namespace {
/// Of the cases of a grid, every third, another one in each row of three: each
/// value is tried, with some of the others. With all rounds, every case.
class Selection {
public:
  bool takesNext() {
    int place = number++;
    return (place + place / 3 + place / 9) % 3 == 0 ||
           sluice::test::hasAllRounds();
  }

private:
  int number = 0;
};
} // namespace

TEST(CompiledKernel, CopiesBlocksOfAllSizes) {
  Selection cases;
  for (int64_t size = 1; size <= 140; ++size)
    if (size <= 33 || cases.takesNext())
      checkLayout(layoutOf(block(size), size + size % 3));
  for (int64_t size : {255, 256, 511, 513, 1000, 1024, 2049, 4095, 5000, 9001})
    checkLayout(layoutOf(block(size), size + 8));
}

TEST(CompiledKernel, CopiesStridedBlocks) {
  Selection cases;
  for (int64_t element : {1, 2, 4, 8, 16, 3, 12, 100})
    for (int64_t ratio : {2, 3, 9})
      for (int64_t count : {5, 16, 200}) {
        if (!cases.takesNext())
          continue;
        PlacedForm form = strided(count, element * ratio, block(element));
        checkLayout(layoutOf(form, count * element * ratio));
        checkLayout(layoutOf(form, form.form->high + 3));
      }
}

TEST(CompiledKernel, CopiesDistantBlocks) {
  Selection cases;
  for (int64_t element : {1, 4, 8, 12, 24, 40})
    for (int64_t distance : {1024, 4096, -2048, 1500, 6560})
      for (int64_t count : {5, 33, 100})
        if (cases.takesNext())
          checkLayout(
              layoutOf(strided(count, distance, block(element)), element));
}

TEST(CompiledKernel, CopiesBackwards) {
  for (int64_t element : {1, 4, 8, 20}) {
    PlacedForm form = strided(40, -2 * element, block(element));
    checkLayout(layoutOf(form, 80 * element));
    checkLayout(layoutOf(form, -80 * element));
  }
}

TEST(CompiledKernel, CopiesBlocksOnPagesOfTheirOwn) {
  Selection cases;
  for (int64_t size : {12, 16, 32, 56, 63, 64, 65, 97, 128, 129, 200})
    for (int64_t stride : {4096, 4160, -4096}) {
      if (!cases.takesNext())
        continue;
      checkLayout(layoutOf(strided(40, stride, block(size)), 41 * 4160));
      checkLayout(layoutOf(block(size), stride));
    }
}

TEST(CompiledKernel, CopiesNestedLoops) {
  PlacedForm inner = strided(3, 8, block(4));
  checkLayout(layoutOf(strided(50, 100, inner), 5000));
  checkLayout(layoutOf(strided(4, 3000, strided(20, 100, inner)), 12345));
  checkLayout(layoutOf(
      strided(3, 4000, strided(5, 700, strided(70, 10, block(3)))), 12000));
}

TEST(CompiledKernel, CopiesCornersOfArrays) {
  Selection cases;
  for (int64_t element : {1, 8, 12, 40})
    for (int64_t planes : {2, 5})
      for (int64_t inner : {3, -9})
        for (int64_t rows : {2, 4, 7}) {
          if (!cases.takesNext())
            continue;
          PlacedForm row = strided(rows, inner * element, block(element));
          PlacedForm corner = strided(2, 60000, strided(planes, 3000, row));
          checkLayout(layoutOf(corner, 130000));
          checkLayout(layoutOf(corner, element));
        }
}

TEST(CompiledKernel, CopiesStructs) {
  checkLayout(layoutOf(runs({{0, 28}}), 32));
  checkLayout(layoutOf(runs({{0, 1}, {8, 10}, {20, 4}}), 24));
  checkLayout(layoutOf(runs({{20, 4}, {8, 10}, {0, 1}}), 24));
  checkLayout(layoutOf(runs({{0, 80}, {100, 4}, {200, 300}, {1000, 7}}), 1024));
  checkLayout(
      layoutOf(runs({{0, 5}, {7, 5}, {64, 3}, {1000, 1}, {2000, 2}}), 2100));
}

TEST(CompiledKernel, CopiesListsInALineAndByTable) {
  Selection cases;
  for (int64_t element : {1, 4, 8, 40})
    for (int64_t count : {3, 100, 512, 513, 700}) {
      if (!cases.takesNext())
        continue;
      std::vector<int64_t> offsets;
      std::vector<std::pair<int64_t, int64_t>> places;
      int64_t at = 0;
      for (int64_t i = 0; i != count; ++i) {
        offsets.push_back(at);
        places.push_back({at, element + i % 5});
        at += element + 6 + (i * i) % 11;
      }
      checkLayout(layoutOf(placed(offsets, block(element)), at));
      checkLayout(layoutOf(runs(places), at));
      std::reverse(places.begin(), places.end());
      checkLayout(layoutOf(runs(places), at));
    }
}

TEST(CompiledKernel, CopiesLongAndShortRunsByTable) {
  std::vector<std::pair<int64_t, int64_t>> places;
  int64_t at = 0;
  for (int64_t i = 0; i != 600; ++i) {
    places.push_back({at, i % 40 == 0 ? 1500 + i : 1 + i % 130});
    at += places.back().second + 3;
  }
  checkLayout(layoutOf(runs(places), at));
}

TEST(CompiledKernel, CopiesSequencesOfLoops) {
  std::vector<PlacedForm> parts;
  for (int64_t i = 0; i != 5; ++i) {
    PlacedForm part = strided(100 + i, 16 + i, block(8));
    part.offset = i * 4000;
    parts.push_back(part);
  }
  checkLayout(layoutOf(sequence(parts), 20000));
  checkLayout(layoutOf(strided(3, 20000, sequence(parts)), 60000));
}

TEST(CompiledKernel, PlacesLargeFormsByTable) {
  PlacedForm part = strided(40, 24, block(8));
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i != 30; ++i)
    offsets.push_back(i * 1000 + i * i);
  checkLayout(layoutOf(placed(offsets, part), 40000));
}

TEST(CompiledKernel, TransposesMatrices) {
  for (int64_t element : {1, 2, 4, 8, 16, 32})
    for (auto [rows, columns] :
         {std::pair<int64_t, int64_t>{64, 64}, {70, 33}, {16, 100}, {17, 15}}) {
      int64_t pitch = (columns + 3) * element;
      PlacedForm column = strided(rows, pitch, block(element));
      checkLayout(layoutOf(strided(columns, element, column), rows * pitch));
      checkLayout(layoutOf(column, element));
    }
}

TEST(CompiledKernel, LeavesLargeDataToTheReadyMadeKernel) {
  Processor processor = thisProcessor();
  processor.lastLevelBytes = 4000;
  Layout layout = layoutOf(strided(50, 16, block(8)), 900);
  Kernel kernel = compile(layout, processor);
  for (int64_t count : {1, 4, 5, 6, 40})
    EXPECT_TRUE(isRight(kernel, layout, count, GuardedBuffer::AtEnd));
}

TEST(CompiledKernel, RefusesListsWithoutEnd) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i != 300000; ++i)
    offsets.push_back(i * 9 + i % 3 + i * i);
  Layout layout = layoutOf(placed(offsets, block(3)), 1);
  auto kernel = compiler().compile({&layout, &thisProcessor(), false});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().message(),
            "a layout of 300000 places is not compiled, at most 262144 are; "
            "its ready-made kernel is as fast");
}

TEST(CompiledKernel, CopiesRandomForms) {
  std::mt19937 random(20);
  for (int i = 0, end = int(sluice::test::allRounds(250, 700)); i != end; ++i) {
    PlacedForm form = randomForm(random, i % 4);
    if (form.form->size > 20000)
      continue;
    int64_t extent = form.form->high - form.form->low + i % 9;
    Layout layout = layoutOf(form, i % 5 ? extent : -extent);
    const std::vector<Processor> all = processors();
    Kernel kernel = compile(layout, all[static_cast<size_t>(i) % all.size()]);
    for (int64_t count : {1, 2, 9}) {
      auto side = i % 2 ? GuardedBuffer::AtStart : GuardedBuffer::AtEnd;
      ASSERT_TRUE(isRight(kernel, layout, count, side)) << "form " << i;
    }
  }
}
