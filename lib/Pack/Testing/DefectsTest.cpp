//===- DefectsTest.cpp - Tests for defects of other libraries -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test for each defect in LibPack's published source that does not concern
// MPI's requests, and for errors that occurred in MPI libraries.
//
//===----------------------------------------------------------------------===//

#include "PackChecks.h"

#include "sluice-c/Pack.h"
#include "sluice/Pack/External32.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>

using namespace sluice::pack;
using namespace sluice::pack::naive;
using farc::PrimitiveDatatype;

namespace {

/// Checks everything about the types in `text`, for some counts.
void checkText(const std::string &text) {
  for (const auto &type : farc::parseDatatypes(text)) {
    std::optional<TypeMap> map = typeMapOf(*type);
    ASSERT_TRUE(map) << text;
    for (int64_t count : {0, 1, 2, 7}) {
      Choices choices(static_cast<uint64_t>(count));
      ASSERT_EQ(checkAll(*type, *map, count, choices), "")
          << count << " x " << type->toString();
    }
  }
}

/// LibPack's interposer always packed to the beginning of the buffer.
TEST(DefectsTest, PositionsAreNotIgnored) {
  LPK_Datatype element, type;
  LPK_Primitive(LPK_INT, &element);
  LPK_Vector(2, 1, 2, element, &type);
  LPK_Commit(&type);
  int in[3] = {1, 2, 3}, out[5] = {9, 9, 9, 9, 9}, back[3] = {0, 0, 0};
  LPK_Count position = 4;
  ASSERT_EQ(LPK_Pack_into(in, 1, type, out, sizeof out, &position),
            LPK_SUCCESS);
  EXPECT_EQ(position, 12);
  EXPECT_EQ(out[0], 9);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[2], 3);
  EXPECT_EQ(out[3], 9);
  position = 4;
  ASSERT_EQ(LPK_Unpack_from(out, sizeof out, &position, back, 1, type),
            LPK_SUCCESS);
  EXPECT_EQ(position, 12);
  EXPECT_EQ(back[0], 1);
  EXPECT_EQ(back[1], 0);
  EXPECT_EQ(back[2], 3);
  LPK_Free(&type);
  LPK_Free(&element);
}

/// Its loops ran until a counter that started at the end wrapped around.
TEST(DefectsTest, CountsOfZeroEnd) {
  checkText("ctg(0)[int] vec(0 3 5)[int] vec(3 0 5)[int] hvec(0 0 0)[double] "
            "idxb(0: 1 2)[char] idx(3,0 5,0)[float] idx()[int] hidx()[int] "
            "hidxb(3:)[int] struct() struct(0,0[int] 8,0[double]) "
            "vec(4 2 3)[ctg(0)[int]] struct(0,2[vec(0 1 1)[int]] 4,1[int])");
}

/// It knew five of them.
TEST(DefectsTest, AllBasicTypesArePacked) {
  for (int i = 0; i != PrimitiveDatatype::PrimitiveTypeCount; ++i) {
    std::string name = PrimitiveDatatype::getName(
        static_cast<PrimitiveDatatype::PrimitiveType>(i));
    checkText(name + " vec(3 2 3)[" + name + "] struct(1,1[" + name +
              "] 70,2[byte])");
  }
}

/// It normalised a struct, but not the types of its members.
TEST(DefectsTest, MembersOfStructsAreNormalised) {
  auto nested = farc::parseDatatypes(
      "struct(0,1[ctg(2)[vec(2 1 1)[int]]] 16,1[hidx(0,2 8,2)[int]] "
      "64,1[struct(0,4[resized(0,4)[int]])])");
  auto plain = farc::parseDatatypes("hidx(0,8 64,4)[int]");
  EXPECT_EQ(*nested[0]->normalForm().form, *plain[0]->normalForm().form);
}

/// It generated straight-line code for each entry, so that real layouts could
/// not be compiled.
TEST(DefectsTest, LongListsAreNotUnrolled) {
  constexpr int64_t Count = 300000;
  std::vector<int64_t> lengths(Count), places(Count);
  int64_t next = 0;
  for (int64_t i = 0; i != Count; ++i) {
    lengths[i] = 1 + i * i % 3;
    places[i] = next;
    next += lengths[i] * 4 + i % 5 * 4;
  }
  PrimitiveDatatype element(PrimitiveDatatype::INT);
  farc::HIndexedDatatype list(Count, lengths.data(), places.data(), &element);
  std::vector<const farc::Datatype *> types(Count, &element);
  farc::StructDatatype members(Count, lengths.data(), places.data(),
                               types.data());
  std::vector<int> in(size_t(next) / 4);
  for (size_t i = 0; i != in.size(); ++i)
    in[i] = int(i);
  for (farc::Datatype *type :
       std::initializer_list<farc::Datatype *>{&list, &members}) {
    farc::DDT_Commit(type, /*synchronously=*/true);
    std::vector<int> out(size_t(type->getSize()) / 4);
    farc::DDT_Pack(in.data(), out.data(), type, 1);
    size_t at = 0;
    for (int64_t i = 0; i != Count; ++i)
      for (int64_t j = 0; j != lengths[i]; ++j)
        ASSERT_EQ(out[at++], places[i] / 4 + j);
  }
}

/// It dropped errors.
TEST(DefectsTest, ErrorsAreReturned) {
  LPK_Datatype element, type = LPK_DATATYPE_NULL;
  LPK_Primitive(LPK_INT, &element);
  EXPECT_EQ(LPK_Vector(-1, 1, 2, element, &type), LPK_ERR_ARGUMENT);
  EXPECT_NE(strstr(LPK_Last_error(), "-1"), nullptr) << LPK_Last_error();
  EXPECT_EQ(LPK_Contiguous(2, LPK_DATATYPE_NULL, &type), LPK_ERR_HANDLE);
  EXPECT_EQ(LPK_Contiguous(std::numeric_limits<int64_t>::max(), element, &type),
            LPK_ERR_OVERFLOW);
  ASSERT_EQ(LPK_Contiguous(2, element, &type), LPK_SUCCESS);
  int in[2] = {1, 2}, out[2];
  EXPECT_EQ(LPK_Pack(in, 1, type, out), LPK_ERR_NOT_COMMITTED);
  LPK_Commit(&type);
  LPK_Count position = 4;
  EXPECT_EQ(LPK_Pack_into(in, 1, type, out, sizeof out, &position),
            LPK_ERR_TRUNCATED);
  EXPECT_EQ(position, 4);
  LPK_Free(&type);
  EXPECT_EQ(LPK_Pack(in, 1, type, out), LPK_ERR_HANDLE);
  LPK_Free(&element);
}

/// It zero-extended them.
TEST(DefectsTest, NegativeIndicesAreNegative) {
  checkText("idx(-1,1 -3,1 2,1)[int] idxb(2: -5 -2 4)[short] "
            "hidx(-4,1 -100,3)[int] hidxb(1: -1 -3 -9)[byte] "
            "vec(4 1 -2)[double] hvec(4 2 -17)[int] "
            "struct(-9,1[double] -1,1[byte]) resized(-3,-8)[int]");
}

/// MPIs wrote eight bytes, or lost precision of quads.
TEST(DefectsTest, External32OfLongAndLongDouble) {
  long in[2] = {-2, 5}, back[2] = {};
  unsigned char out[32];
  PrimitiveDatatype ofLong(PrimitiveDatatype::LONG);
  int64_t position = 0;
  packExternal32(ofLong, in, 2, out, sizeof out, position);
  const unsigned char expected[8] = {255, 255, 255, 254, 0, 0, 0, 5};
  ASSERT_EQ(position, 8);
  EXPECT_EQ(memcmp(out, expected, 8), 0);
  position = 0;
  unpackExternal32(ofLong, out, 8, position, back, 2);
  EXPECT_EQ(back[0], -2);
  EXPECT_EQ(back[1], 5);

  long double value = 1.0L / 3, same = 0;
  PrimitiveDatatype ofLongDouble(PrimitiveDatatype::LONG_DOUBLE);
  position = 0;
  packExternal32(ofLongDouble, &value, 1, out, sizeof out, position);
  ASSERT_EQ(position, 16);
  EXPECT_EQ(out[0], 0x3f); // sign and exponent of an IEEE quad
  EXPECT_EQ(out[1], 0xfd);
  EXPECT_EQ(out[2], 0x55);
  position = 0;
  unpackExternal32(ofLongDouble, out, 16, position, &same, 1);
  EXPECT_EQ(value, same);
}

/// Their bounds and displacements confused one MPI, and another one crashed.
TEST(DefectsTest, TypesWithoutBytesHaveExtents) {
  auto types = farc::parseDatatypes("resized(-8,24)[ctg(0)[int]]");
  EXPECT_EQ(types[0]->getSize(), 0);
  EXPECT_EQ(types[0]->getLowerBound(), -8);
  EXPECT_EQ(types[0]->getExtent(), 24);
  EXPECT_EQ(types[0]->getTrueExtent(), 0);
  // The extent matters for the placement of the type.
  checkText("struct(0,1[resized(-8,24)[ctg(0)[int]]] 4,1[int]) "
            "vec(3 2 4)[resized(-8,24)[ctg(0)[int]]] struct(8,6[short] "
            "-1,7[struct()])");
}

/// A resized member alone determines the bounds of a struct.
TEST(DefectsTest, BoundsThatWereSetOutruleOthers) {
  auto types = farc::parseDatatypes("struct(0,1[resized(0,4)[int]] 100,1[int])"
                                    "struct(0,1[int] 100,1[resized(0,4)[int]])"
                                    "struct(0,1[double] 8,1[byte])");
  EXPECT_EQ(types[0]->getUpperBound(), 4);
  EXPECT_EQ(types[0]->getTrueUpperBound(), 104);
  EXPECT_EQ(types[1]->getLowerBound(), 100);
  EXPECT_EQ(types[1]->getTrueLowerBound(), 0);
  EXPECT_EQ(types[2]->getExtent(), 16);
}

} // namespace
