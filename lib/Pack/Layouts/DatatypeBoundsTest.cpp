//===- DatatypeBoundsTest.cpp - Bounds and packing against type maps ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that sizes, bounds, elements and packed bytes of many types equal MPI's
// definitions, evaluated element by element.
//
//===----------------------------------------------------------------------===//

#include "../Testing/TypeMap.h"
#include "sluice/Pack/Datatype.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace farc;

namespace {

class BoundsTest : public testing::TestWithParam<const char *> {
protected:
  BoundsTest()
      : type(std::move(parseDatatypes(GetParam()).front())),
        map(typeMapOf(*type)) {}

  std::unique_ptr<Datatype> type;
  TypeMap map;
};

TEST_P(BoundsTest, AreThoseOfTheTypeMap) {
  EXPECT_EQ(type->getSize(), map.size());
  EXPECT_EQ(type->getLowerBound(), map.lower);
  EXPECT_EQ(type->getUpperBound(), map.upper);
  EXPECT_EQ(type->getExtent(), map.extent());
  EXPECT_EQ(type->getTrueLowerBound(), map.trueLower());
  EXPECT_EQ(type->getTrueUpperBound(), map.trueUpper());
  EXPECT_EQ(type->getTrueExtent(), map.trueUpper() - map.trueLower());
}

TEST_P(BoundsTest, ElementsAreThoseOfTheTypeMap) {
  std::vector<TypeMap::Element> found;
  type->forEachElement(
      0, [&](int64_t offset, const PrimitiveDatatype &element, int64_t count) {
        for (int64_t i = 0; i != count; ++i)
          found.push_back({offset + i * element.getSize(), element.getSize()});
      });
  EXPECT_EQ(found.size(), map.elements.size());
  EXPECT_TRUE(found == map.elements);
}

TEST_P(BoundsTest, PacksTheBytesOfTheTypeMap) {
  constexpr int64_t count = 3;
  int64_t span = std::abs(map.extent()) * (count - 1);
  int64_t origin = span - std::min<int64_t>(map.trueLower(), 0);
  std::vector<unsigned char> buffer(
      size_t(origin + span + std::max<int64_t>(map.trueUpper(), 0)));
  for (size_t i = 0; i != buffer.size(); ++i)
    buffer[i] = static_cast<unsigned char>(i * 37 + i / 256);
  std::vector<unsigned char> expected;
  for (int64_t k = 0; k != count; ++k)
    for (auto [place, size] : map.elements) {
      auto begin = buffer.begin() + (origin + k * map.extent() + place);
      expected.insert(expected.end(), begin, begin + size);
    }
  std::vector<unsigned char> packed(expected.size());
  DDT_Commit(type.get());
  DDT_Pack(buffer.data() + origin, packed.data(), type.get(), count);
  EXPECT_EQ(packed, expected);
  std::vector<unsigned char> back(buffer.size(), 0);
  std::vector<unsigned char> backExpected(buffer.size(), 0);
  size_t next = 0;
  for (int64_t k = 0; k != count; ++k)
    for (auto [place, size] : map.elements) {
      memcpy(&backExpected[size_t(origin + k * map.extent() + place)],
             &expected[next], size_t(size));
      next += size_t(size);
    }
  DDT_Unpack(packed.data(), back.data() + origin, type.get(), count);
  EXPECT_EQ(back, backExpected);
}

const char *const simple[] = {
    "int",
    "long_double",
    "ctg(0)[int]",
    "ctg(5)[int]",
    "vec(2 3 5)[int]",
    "vec(3 2 -5)[int]",
    "vec(0 2 5)[int]",
    "vec(3 0 -5)[int]",
    "vec(1 2 -9)[int]",
    "hvec(2 1 5)[int]",
    "hvec(3 2 -13)[short]",
    "hvec(4 2 8)[int]",
    "idx(3,2 0,0 -7,1 10,4)[double]",
    "idx(9,0)[double]",
    "idx()[double]",
    "hidx(0,1 5,1)[int]",
    "hidx(4,1 500,0)[int]",
    "hidx(-100,2 3,1)[short]",
    "idxb(2: 9 0 4 -3)[float]",
    "idxb(0: 9 0 4)[float]",
    "idxb(3:)[float]",
    "hidxb(1: 7 1 100 -5)[char]",
    "resized(-4,16)[int]",
    "resized(0,2)[char]",
    "resized(3,-8)[int]",
    "resized(0,8)[ctg(0)[int]]",
    "dup[vec(2 1 3)[int]]",
};
INSTANTIATE_TEST_SUITE_P(Simple, BoundsTest, testing::ValuesIn(simple));

const char *const structs[] = {
    "struct()",
    "struct(0,1[int] 8,1[char])",
    "struct(0,1[char] 8,1[double] 16,1[short] 20,1[int])",
    "struct(5,1[char] 8,1[int])",
    "struct(3,1[char] 8,1[int])",
    "struct(-3,1[char] 8,1[int])",
    "struct(0,0[double] 0,1[char])",
    "struct(0,1[ctg(0)[double]] 0,1[char])",
    "struct(0,1[resized(0,9)[ctg(0)[double]]] 0,1[char])",
    "struct(0,1[resized(0,20)[int]] 4,1[char])",
    "struct(0,1[resized(0,5)[int]] 4,1[char])",
    "struct(0,1[resized(-4,2)[int]] 100,1[int])",
    "struct(100,1[int] 0,2[resized(-4,2)[int]])",
    "struct(0,1[char] 16,1[long_double_complex])",
    "struct(0,1[struct(0,1[double] 8,1[char])] 16,1[char])",
    "struct(0,2[vec(2 1 2)[short]] 30,3[hidx(1,1 0,1)[char]])",
};
INSTANTIATE_TEST_SUITE_P(Structs, BoundsTest, testing::ValuesIn(structs));

const char *const nested[] = {
    "ctg(3)[resized(0,5)[int]]",
    "ctg(3)[resized(8,-8)[int]]",
    "ctg(3)[struct(0,1[char] 3,1[int])]",
    "vec(2 2 3)[resized(4,-8)[int]]",
    "vec(2 2 -3)[resized(2,8)[int]]",
    "ctg(3)[resized(0,8)[ctg(0)[int]]]",
    "hvec(2 1 4096)[hvec(2 1 1024)[vec(32 6 8)[ctg(3)[float]]]]",
    "idx(0,2 5,1)[vec(3 1 -2)[short]]",
    "hidx(0,1 17952,1)[vec(34 1 34)[double]]",
    "idxb(2: 3 0)[struct(0,1[double] 8,1[char])]",
    "vec(3 1 2)[vec(3 1 2)[vec(3 1 2)[byte]]]",
    "resized(0,1)[vec(16 1 16)[byte]]",
    "vec(2 1 -1)[resized(-1,24)[hidx(4,1 0,1)[struct(0,1[char] 1,1[char])]]]",
};
INSTANTIATE_TEST_SUITE_P(Nested, BoundsTest, testing::ValuesIn(nested));

const char *const arrays[] = {
    "subarray(c: 10,5,2)[int]",
    "subarray(c: 4,2,1 5,3,2 6,4,0)[double]",
    "subarray(fortran: 4,2,1 5,3,2 6,4,0)[double]",
    "subarray(c: 3,3,0 4,4,0)[char]",
    "subarray(c: 3,2,1 4,1,3)[resized(-2,6)[int]]",
    "subarray(fortran: 3,2,1 4,1,3)[resized(4,-8)[int]]",
    "darray(c 1 0: 7,none,1)[int]",
    "darray(c 4 0: 10,cyclic(2),2 9,block,2)[int]",
    "darray(c 4 1: 10,cyclic(2),2 9,block,2)[int]",
    "darray(c 4 2: 10,cyclic(2),2 9,block,2)[int]",
    "darray(c 4 3: 10,cyclic(2),2 9,block,2)[int]",
    "darray(fortran 6 4: 10,cyclic(3),2 9,block(4),3)[short]",
    "darray(fortran 6 5: 10,cyclic(3),2 9,block(4),3)[short]",
    "darray(c 4 3: 3,block,4)[int]",
    "darray(c 4 3: 3,cyclic,4)[int]",
    "darray(c 3 1: 11,cyclic(2),3)[resized(0,12)[int]]",
    "darray(c 3 2: 11,cyclic(2),3)[resized(3,-6)[int]]",
    "darray(c 12 7: 5,block,2 6,cyclic,3 7,cyclic(2),2)[float]",
    "darray(fortran 12 7: 5,block,2 6,cyclic,3 7,cyclic(2),2)[float]",
    "darray(c 2 1: 4,none(9),1 9,cyclic(5),2)[int]",
    "vec(2 1 3)[darray(c 2 1: 4,block,2)[char]]",
    "struct(0,1[subarray(c: 4,2,1)[int]] 100,1[int])",
};
INSTANTIATE_TEST_SUITE_P(Arrays, BoundsTest, testing::ValuesIn(arrays));

} // namespace
