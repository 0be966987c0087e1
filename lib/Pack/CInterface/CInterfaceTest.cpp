//===- CInterfaceTest.cpp - Tests of the C interface ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests correct use of every function, and all possible errors of C programs.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Pack.h"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

namespace {

std::string textOf(LPK_Datatype type) {
  LPK_Count length = -1;
  EXPECT_EQ(LPK_To_text(type, nullptr, 0, &length), LPK_SUCCESS);
  std::string text(size_t(length) + 1, '?');
  EXPECT_EQ(LPK_To_text(type, text.data(), length + 1, nullptr), LPK_SUCCESS);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

/// A handle that is freed at the end of its scope.
struct Owned {
  LPK_Datatype handle = LPK_DATATYPE_NULL;
  Owned() = default;
  explicit Owned(const char *text) {
    EXPECT_EQ(LPK_From_text(text, &handle), LPK_SUCCESS) << LPK_Last_error();
  }
  Owned(const Owned &) = delete;
  ~Owned() {
    if (handle)
      LPK_Free(&handle);
  }
};

#define EXPECT_MADE(call, expected)                                            \
  do {                                                                         \
    Owned made;                                                                \
    LPK_Datatype *newtype = &made.handle;                                      \
    ASSERT_EQ(call, LPK_SUCCESS) << LPK_Last_error();                          \
    EXPECT_EQ(textOf(made.handle), expected);                                  \
  } while (false)

#define EXPECT_FAILS(call, code, message)                                      \
  do {                                                                         \
    EXPECT_EQ(call, code);                                                     \
    EXPECT_STREQ(LPK_Last_error(), message);                                   \
  } while (false)

TEST(CInterfaceTest, LibPacksNumbersOfBasicTypesAreKept) {
  const char *const names[] = {
      "char",      "signed_char", "unsigned_char",  "byte",
      "wchar",     "short",       "unsigned_short", "int",
      "unsigned",  "long",        "unsigned_long",  "float",
      "double",    "long_double", "long_long",      "unsigned_long_long",
      "long_long", "bool"};
  for (int i = 0; i != 18; ++i)
    EXPECT_MADE(LPK_Primitive(i, newtype), names[i]);
  EXPECT_MADE(LPK_Primitive(LPK_COMPLEX32, newtype), "complex32");
  EXPECT_MADE(LPK_Primitive(LPK_INTEGER, newtype), "fortran_integer");
  for (int i = 0; i != LPK_PRIMITIVE_COUNT; ++i) {
    Owned type;
    int number = -1;
    ASSERT_EQ(LPK_Primitive(i, &type.handle), LPK_SUCCESS);
    ASSERT_EQ(LPK_Get_primitive(type.handle, &number), LPK_SUCCESS);
    EXPECT_EQ(number, i == LPK_LONG_LONG_INT ? LPK_LONG_LONG : i);
  }
}

TEST(CInterfaceTest, EveryConstructorMakesItsType) {
  Owned base("int");
  const int lengths[] = {1, 2};
  const int places[] = {0, 8};
  const LPK_Aint bytes[] = {4, 80};
  const LPK_Count longLengths[] = {3, 4};
  const LPK_Count longPlaces[] = {-5, 1LL << 40};
  const LPK_Datatype types[] = {base.handle, base.handle};
  LPK_Datatype t = base.handle;
  EXPECT_MADE(LPK_Contiguous(3, t, newtype), "ctg(3)[int]");
  EXPECT_MADE(LPK_Vector(2, 3, -5, t, newtype), "vec(2 3 -5)[int]");
  EXPECT_MADE(LPK_Hvector(2, 3, 50, t, newtype), "hvec(2 3 50)[int]");
  EXPECT_MADE(LPK_Indexed(2, lengths, places, t, newtype), "idx(0,1 8,2)[int]");
  EXPECT_MADE(LPK_Indexed_c(2, longLengths, longPlaces, t, newtype),
              "idx(-5,3 1099511627776,4)[int]");
  EXPECT_MADE(LPK_Hindexed(2, lengths, bytes, t, newtype),
              "hidx(4,1 80,2)[int]");
  EXPECT_MADE(LPK_Hindexed_c(2, longLengths, longPlaces, t, newtype),
              "hidx(-5,3 1099511627776,4)[int]");
  EXPECT_MADE(LPK_Indexed_block(2, 6, places, t, newtype), "idxb(6: 0 8)[int]");
  EXPECT_MADE(LPK_Indexed_block_c(2, 6, longPlaces, t, newtype),
              "idxb(6: -5 1099511627776)[int]");
  EXPECT_MADE(LPK_Hindexed_block(2, 6, bytes, t, newtype),
              "hidxb(6: 4 80)[int]");
  EXPECT_MADE(LPK_Hindexed_block_c(2, 6, longPlaces, t, newtype),
              "hidxb(6: -5 1099511627776)[int]");
  EXPECT_MADE(LPK_Struct(2, lengths, bytes, types, newtype),
              "struct(4,1[int] 80,2[int])");
  EXPECT_MADE(LPK_Struct_c(2, longLengths, longPlaces, types, newtype),
              "struct(-5,3[int] 1099511627776,4[int])");
  EXPECT_MADE(LPK_Resized(t, -4, 16, newtype), "resized(-4,16)[int]");
  EXPECT_MADE(LPK_Dup(t, newtype), "dup[int]");
}

TEST(CInterfaceTest, ArraysMakeTheirTypes) {
  Owned base("int");
  LPK_Datatype t = base.handle;
  const int sizes[] = {10, 20};
  const int subsizes[] = {3, 4};
  const int starts[] = {5, 6};
  const LPK_Count longSizes[] = {10, 1LL << 33};
  const LPK_Count longParts[] = {3, 4};
  const LPK_Count longStarts[] = {5, 6};
  const int kinds[] = {LPK_DISTRIBUTE_BLOCK, LPK_DISTRIBUTE_CYCLIC};
  const int dargs[] = {LPK_DISTRIBUTE_DFLT_DARG, 3};
  const LPK_Count longDargs[] = {LPK_DISTRIBUTE_DFLT_DARG, 3};
  const int grid[] = {2, 2};
  const LPK_Count longGrid[] = {2, 2};
  EXPECT_MADE(LPK_Subarray(2, sizes, subsizes, starts, LPK_ORDER_C, t, newtype),
              "subarray(c: 10,3,5 20,4,6)[int]");
  EXPECT_MADE(LPK_Subarray_c(2, longSizes, longParts, longStarts,
                             LPK_ORDER_FORTRAN, t, newtype),
              "subarray(fortran: 10,3,5 8589934592,4,6)[int]");
  EXPECT_MADE(
      LPK_Darray(4, 1, 2, sizes, kinds, dargs, grid, LPK_ORDER_C, t, newtype),
      "darray(c 4 1: 10,block,2 20,cyclic(3),2)[int]");
  EXPECT_MADE(LPK_Darray_c(4, 1, 2, longSizes, kinds, longDargs, longGrid,
                           LPK_ORDER_FORTRAN, t, newtype),
              "darray(fortran 4 1: 10,block,2 8589934592,cyclic(3),2)[int]");
}

TEST(CInterfaceTest, PacksAsLibPacksOwnTestDoes) {
  EXPECT_EQ(LPK_Init(), LPK_SUCCESS);
  LPK_Datatype t1;
  LPK_Primitive(LPK_INT, &t1);
  LPK_Datatype t2;
  LPK_Contiguous(2, t1, &t2);
  // LibPack's programs pass the handle where its address is expected.
  EXPECT_EQ(LPK_Compile(static_cast<LPK_Datatype *>(t2)), LPK_SUCCESS)
      << LPK_Last_error();
  const int in[] = {1, 2, 3, 4, 5};
  int out[5] = {};
  EXPECT_EQ(LPK_Pack(in, 2, t2, out), LPK_SUCCESS);
  EXPECT_EQ(out[3], 4);
  EXPECT_EQ(out[4], 0);
  EXPECT_EQ(LPK_Free(static_cast<LPK_Datatype *>(t2)), LPK_SUCCESS);
  EXPECT_EQ(LPK_Free(&t1), LPK_SUCCESS);
  EXPECT_EQ(t1, LPK_DATATYPE_NULL);
  EXPECT_EQ(LPK_Finalize(), LPK_SUCCESS);
}

class PackingTest : public testing::Test {
protected:
  PackingTest() : type("vec(2 1 2)[int]") {
    EXPECT_EQ(LPK_Commit(&type.handle), LPK_SUCCESS);
    std::iota(in, in + 9, 0);
  }
  Owned type;
  int in[9];
  int out[9] = {};
};

TEST_F(PackingTest, PacksAndUnpacks) {
  LPK_Count size = 0;
  EXPECT_EQ(LPK_Pack_size(3, type.handle, &size), LPK_SUCCESS);
  EXPECT_EQ(size, 24);
  EXPECT_EQ(LPK_Pack(in, 3, type.handle, out), LPK_SUCCESS);
  EXPECT_EQ(std::vector<int>(out, out + 7),
            (std::vector<int>{0, 2, 3, 5, 6, 8, 0}));
  int back[9] = {};
  EXPECT_EQ(LPK_Unpack(out, back, 3, type.handle), LPK_SUCCESS);
  EXPECT_EQ(std::vector<int>(back, back + 9),
            (std::vector<int>{0, 0, 2, 3, 0, 5, 6, 0, 8}));
}

TEST_F(PackingTest, PositionsAdvanceAndBuffersAreNotOverrun) {
  LPK_Count position = 4;
  EXPECT_EQ(LPK_Pack_into(in, 2, type.handle, out, 36, &position), LPK_SUCCESS);
  EXPECT_EQ(position, 20);
  EXPECT_EQ(std::vector<int>(out, out + 6),
            (std::vector<int>{0, 0, 2, 3, 5, 0}));
  EXPECT_FAILS(LPK_Pack_into(in, 2, type.handle, out, 35, &position),
               LPK_ERR_TRUNCATED,
               "the data has 16 bytes, but from position 20 on the buffer has "
               "only 15");
  EXPECT_EQ(position, 20);
  position = 4;
  int back[9] = {};
  EXPECT_EQ(LPK_Unpack_from(out, 20, &position, back, 2, type.handle),
            LPK_SUCCESS);
  EXPECT_EQ(position, 20);
  EXPECT_EQ(back[2], 2);
  EXPECT_EQ(back[5], 5);
  EXPECT_EQ(LPK_Unpack_from(out, 20, &position, back, 1, type.handle),
            LPK_ERR_TRUNCATED);
  position = 21;
  EXPECT_FAILS(LPK_Unpack_from(out, 20, &position, back, 0, type.handle),
               LPK_ERR_ARGUMENT,
               "the position must be from 0 to the buffer's size 20, but is "
               "21");
}

TEST_F(PackingTest, PartsAreBytesOfTheStream) {
  unsigned char whole[24];
  unsigned char part[7];
  EXPECT_EQ(LPK_Pack(in, 3, type.handle, whole), LPK_SUCCESS);
  EXPECT_EQ(LPK_Pack_partial(in, 3, type.handle, 5, 7, part), LPK_SUCCESS);
  EXPECT_EQ(memcmp(part, whole + 5, 7), 0);
  int back[9] = {};
  EXPECT_EQ(LPK_Unpack_partial(whole, 0, 5, back, 3, type.handle), LPK_SUCCESS);
  EXPECT_EQ(LPK_Unpack_partial(part, 5, 7, back, 3, type.handle), LPK_SUCCESS);
  EXPECT_EQ(back[2], 2);
  EXPECT_EQ(back[3], 3);
  EXPECT_EQ(back[5], 0);
  EXPECT_FAILS(LPK_Pack_partial(in, 3, type.handle, 20, 5, part),
               LPK_ERR_TRUNCATED,
               "pack: bytes 20 to 25 were asked for, but there are 24");
  EXPECT_EQ(LPK_Pack_partial(in, 3, type.handle, -1, 5, part),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Unpack_partial(part, 0, -1, back, 3, type.handle),
            LPK_ERR_ARGUMENT);
}

TEST_F(PackingTest, TranspacksBetweenLayouts) {
  Owned columns("hvec(3 1 -4)[int]");
  EXPECT_EQ(LPK_Commit(&columns.handle), LPK_SUCCESS);
  EXPECT_EQ(LPK_Transpack(in, 3, type.handle, out + 2, 2, columns.handle),
            LPK_SUCCESS)
      << LPK_Last_error();
  // The second instance is one extent of 12 bytes after the first.
  EXPECT_EQ(std::vector<int>(out, out + 6),
            (std::vector<int>{3, 2, 0, 8, 6, 5}));
  EXPECT_FAILS(LPK_Transpack(in, 2, type.handle, out, 2, columns.handle),
               LPK_ERR_ARGUMENT,
               "the source has 16 bytes, but the destination has 24");
  Owned fresh("ctg(2)[int]");
  EXPECT_FAILS(LPK_Transpack(in, 1, type.handle, out, 1, fresh.handle),
               LPK_ERR_NOT_COMMITTED,
               "'ctg(2)[int]' is not committed; call LPK_Commit first");
}

TEST_F(PackingTest, WritesAndReadsExternal32) {
  LPK_Count size = 0;
  EXPECT_EQ(LPK_Pack_external_size(2, type.handle, &size), LPK_SUCCESS);
  ASSERT_EQ(size, 16);
  unsigned char bytes[16] = {};
  LPK_Count position = 0;
  EXPECT_EQ(LPK_Pack_external(in, 2, type.handle, bytes, 16, &position),
            LPK_SUCCESS);
  EXPECT_EQ(position, 16);
  EXPECT_EQ(std::vector<int>(bytes, bytes + 8),
            (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 2}));
  position = 0;
  EXPECT_EQ(LPK_Unpack_external(bytes, 16, &position, out, 2, type.handle),
            LPK_SUCCESS);
  EXPECT_EQ(std::vector<int>(out, out + 6),
            (std::vector<int>{0, 0, 2, 3, 0, 5}));
  position = 1;
  EXPECT_EQ(LPK_Pack_external(in, 2, type.handle, bytes, 16, &position),
            LPK_ERR_TRUNCATED);
  EXPECT_EQ(position, 1);
  position = 0;
  EXPECT_EQ(LPK_Pack_external(in, 2, type.handle, nullptr, 16, &position),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(position, 0);
}

TEST_F(PackingTest, WrongCallsAreErrors) {
  Owned fresh("ctg(2)[int]");
  EXPECT_FAILS(LPK_Pack(in, 1, fresh.handle, out), LPK_ERR_NOT_COMMITTED,
               "pack: 'ctg(2)[int]' is not committed; call DDT_Commit or "
               "LPK_Commit first");
  EXPECT_EQ(LPK_Unpack(in, out, 1, fresh.handle), LPK_ERR_NOT_COMMITTED);
  EXPECT_FAILS(LPK_Pack(in, -1, type.handle, out), LPK_ERR_ARGUMENT,
               "pack: the count must not be negative, but is -1");
  EXPECT_FAILS(LPK_Pack(in, 1, type.handle, nullptr), LPK_ERR_ARGUMENT,
               "pack: the packed buffer is null, but has 8 bytes");
  EXPECT_FAILS(LPK_Pack(nullptr, 1, type.handle, out), LPK_ERR_ARGUMENT,
               "pack: the data's buffer is null, but has 8 bytes");
  EXPECT_FAILS(LPK_Unpack(in, nullptr, 1, type.handle), LPK_ERR_ARGUMENT,
               "unpack: the data's buffer is null, but has 8 bytes");
  LPK_Count place = 0;
  EXPECT_EQ(LPK_Pack_into(nullptr, 1, type.handle, out, 36, &place),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Pack_into(in, 1, type.handle, nullptr, 36, &place),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Unpack_from(nullptr, 36, &place, out, 1, type.handle),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Unpack_from(in, 36, &place, nullptr, 1, type.handle),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Pack_partial(nullptr, 1, type.handle, 0, 4, out),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Unpack_partial(in, 0, 4, nullptr, 1, type.handle),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Transpack(nullptr, 1, type.handle, out, 1, type.handle),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Transpack(in, 1, type.handle, nullptr, 1, type.handle),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Pack_external(nullptr, 1, type.handle, out, 36, &place),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Unpack_external(in, 36, &place, nullptr, 1, type.handle),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(place, 0);
  EXPECT_EQ(LPK_Pack(nullptr, 0, type.handle, nullptr), LPK_SUCCESS);
  LPK_Count huge = std::numeric_limits<LPK_Count>::max();
  EXPECT_FAILS(LPK_Pack(in, huge, type.handle, out), LPK_ERR_OVERFLOW,
               "pack: 9223372036854775807 times 8 does not fit into 64 bits");
  LPK_Count size = 7;
  EXPECT_EQ(LPK_Pack_size(huge, type.handle, &size), LPK_ERR_OVERFLOW);
  EXPECT_EQ(LPK_Pack_size(-2, type.handle, &size), LPK_ERR_ARGUMENT);
  EXPECT_EQ(size, 7);
  EXPECT_EQ(LPK_Pack_size(1, type.handle, nullptr), LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Pack_into(in, 1, type.handle, out, 36, nullptr),
            LPK_ERR_ARGUMENT);
}

TEST_F(PackingTest, KernelsHaveNames) {
  char name[200] = "";
  EXPECT_EQ(LPK_Kernel_name(type.handle, name, 200, nullptr), LPK_SUCCESS);
  EXPECT_NE(std::string(name), "");
  Owned fresh("ctg(2)[int]");
  EXPECT_EQ(LPK_Kernel_name(fresh.handle, name, 200, nullptr),
            LPK_ERR_NOT_COMMITTED);
}

TEST(CInterfaceTest, BoundsAndSizesAreGiven) {
  Owned type("resized(-8,40)[vec(2 1 3)[int]]");
  LPK_Aint lower = 0, extent = 0;
  EXPECT_EQ(LPK_Get_extent(type.handle, &lower, &extent), LPK_SUCCESS);
  EXPECT_EQ(lower, -8);
  EXPECT_EQ(extent, 40);
  EXPECT_EQ(LPK_Get_true_extent(type.handle, &lower, &extent), LPK_SUCCESS);
  EXPECT_EQ(lower, 0);
  EXPECT_EQ(extent, 16);
  int size = 0;
  EXPECT_EQ(LPK_Get_size(type.handle, &size), LPK_SUCCESS);
  EXPECT_EQ(size, 8);
  Owned large("ctg(3000000000)[byte]");
  EXPECT_FAILS(LPK_Get_size(large.handle, &size), LPK_ERR_OVERFLOW,
               "the size 3000000000 does not fit; use LPK_Get_size_x");
  EXPECT_EQ(size, 8);
  LPK_Count longSize = 0;
  EXPECT_EQ(LPK_Get_size_x(large.handle, &longSize), LPK_SUCCESS);
  EXPECT_EQ(longSize, 3000000000);
  EXPECT_EQ(LPK_Get_extent(type.handle, nullptr, &extent), LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Get_true_extent(type.handle, &lower, nullptr),
            LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Get_size(type.handle, nullptr), LPK_ERR_ARGUMENT);
}

TEST(CInterfaceTest, EnvelopeAndContentsAreTheArguments) {
  Owned type("struct(4,1[int] 80,2[vec(2 3 5)[double]])");
  int integers = 0, addresses = 0, types = 0, combiner = -1;
  ASSERT_EQ(
      LPK_Get_envelope(type.handle, &integers, &addresses, &types, &combiner),
      LPK_SUCCESS);
  EXPECT_EQ(integers, 3);
  EXPECT_EQ(addresses, 2);
  EXPECT_EQ(types, 2);
  EXPECT_EQ(combiner, LPK_COMBINER_STRUCT);
  int numbers[3];
  LPK_Aint places[2];
  LPK_Datatype parts[2];
  ASSERT_EQ(LPK_Get_contents(type.handle, 3, 2, 2, numbers, places, parts),
            LPK_SUCCESS);
  EXPECT_EQ(std::vector<int>(numbers, numbers + 3),
            (std::vector<int>{2, 1, 2}));
  EXPECT_EQ(places[1], 80);
  EXPECT_EQ(textOf(parts[1]), "vec(2 3 5)[double]");
  EXPECT_EQ(LPK_Free(&parts[0]), LPK_SUCCESS);
  EXPECT_EQ(LPK_Free(&parts[1]), LPK_SUCCESS);
  EXPECT_FAILS(LPK_Get_contents(type.handle, 3, 1, 2, numbers, places, parts),
               LPK_ERR_TRUNCATED,
               "there are 2 addresses, but the array has only 1");
  EXPECT_FAILS(LPK_Get_contents(type.handle, 3, 2, 2, nullptr, places, parts),
               LPK_ERR_ARGUMENT, "the array of integers is null");
  Owned large("ctg(3000000000)[byte]");
  EXPECT_EQ(LPK_Get_contents(large.handle, 1, 0, 1, numbers, nullptr, parts),
            LPK_ERR_OVERFLOW);
  LPK_Count longNumbers[1];
  ASSERT_EQ(
      LPK_Get_contents_c(large.handle, 1, 0, 1, longNumbers, nullptr, parts),
      LPK_SUCCESS);
  EXPECT_EQ(longNumbers[0], 3000000000);
  EXPECT_EQ(LPK_Free(&parts[0]), LPK_SUCCESS);
  LPK_Count counts[3];
  ASSERT_EQ(LPK_Get_envelope_c(large.handle, counts, counts + 1, counts + 2,
                               &combiner),
            LPK_SUCCESS);
  EXPECT_EQ(counts[0], 1);
  EXPECT_EQ(combiner, LPK_COMBINER_CONTIGUOUS);
  EXPECT_EQ(
      LPK_Get_envelope(large.handle, nullptr, &addresses, &types, &combiner),
      LPK_ERR_ARGUMENT);
}

TEST(CInterfaceTest, CombinersHaveTheNumbersOfTheClasses) {
  const std::pair<const char *, int> combiners[] = {
      {"int", LPK_COMBINER_NAMED},
      {"ctg(1)[int]", LPK_COMBINER_CONTIGUOUS},
      {"vec(1 1 1)[int]", LPK_COMBINER_VECTOR},
      {"hvec(1 1 1)[int]", LPK_COMBINER_HVECTOR},
      {"idxb(1: 0)[int]", LPK_COMBINER_INDEXED_BLOCK},
      {"hidx(0,1)[int]", LPK_COMBINER_HINDEXED},
      {"struct(0,1[int])", LPK_COMBINER_STRUCT},
      {"resized(0,4)[int]", LPK_COMBINER_RESIZED},
      {"idx(0,1)[int]", LPK_COMBINER_INDEXED},
      {"hidxb(1: 0)[int]", LPK_COMBINER_HINDEXED_BLOCK},
      {"subarray(c: 1,1,0)[int]", LPK_COMBINER_SUBARRAY},
      {"darray(c 1 0: 1,none,1)[int]", LPK_COMBINER_DARRAY},
      {"dup[int]", LPK_COMBINER_DUP},
  };
  for (auto [text, combiner] : combiners) {
    Owned type(text);
    int integers, addresses, types, found = -1;
    EXPECT_EQ(
        LPK_Get_envelope(type.handle, &integers, &addresses, &types, &found),
        LPK_SUCCESS);
    EXPECT_EQ(found, combiner) << text;
  }
}

TEST(CInterfaceTest, BadHandlesAreErrors) {
  LPK_Datatype type;
  LPK_Aint lower, extent;
  int size, made = 0;
  ASSERT_EQ(LPK_Primitive(LPK_INT, &type), LPK_SUCCESS);
  LPK_Datatype copy = type;
  ASSERT_EQ(LPK_Free(&type), LPK_SUCCESS);
  EXPECT_FAILS(LPK_Get_size(type, &size), LPK_ERR_HANDLE,
               "the layout is LPK_DATATYPE_NULL");
  EXPECT_EQ(LPK_Free(&type), LPK_ERR_HANDLE);
  EXPECT_EQ(LPK_Free(&copy), LPK_ERR_HANDLE);
  EXPECT_NE(copy, LPK_DATATYPE_NULL);
  // The slot's next user gets another handle.
  LPK_Datatype other;
  ASSERT_EQ(LPK_Primitive(LPK_DOUBLE, &other), LPK_SUCCESS);
  EXPECT_NE(other, copy);
  const LPK_Datatype bad[] = {
      LPK_DATATYPE_NULL,
      copy,
      &made,
      reinterpret_cast<LPK_Datatype>(uintptr_t(1)),
      reinterpret_cast<LPK_Datatype>(~uintptr_t(0)),
      reinterpret_cast<LPK_Datatype>(uintptr_t(0x5350000000ffffff))};
  for (LPK_Datatype handle : bad) {
    LPK_Datatype target = handle;
    EXPECT_EQ(LPK_Contiguous(1, handle, &target), LPK_ERR_HANDLE);
    EXPECT_EQ(target, handle);
    EXPECT_EQ(LPK_Struct(0, nullptr, nullptr, nullptr, nullptr),
              LPK_ERR_ARGUMENT);
    int length = 1;
    LPK_Aint place = 0;
    EXPECT_EQ(LPK_Struct(1, &length, &place, &handle, &target), LPK_ERR_HANDLE);
    EXPECT_EQ(LPK_Commit(&target), LPK_ERR_HANDLE);
    EXPECT_EQ(LPK_Compile(&target), LPK_ERR_HANDLE);
    EXPECT_EQ(LPK_Free(&target), LPK_ERR_HANDLE);
    EXPECT_EQ(LPK_Pack(&size, 1, handle, &made), LPK_ERR_HANDLE);
    EXPECT_EQ(LPK_Get_extent(handle, &lower, &extent), LPK_ERR_HANDLE);
    EXPECT_EQ(LPK_Get_primitive(handle, &made), LPK_ERR_HANDLE);
    EXPECT_EQ(LPK_To_text(handle, nullptr, 0, nullptr), LPK_ERR_HANDLE);
  }
  EXPECT_EQ(LPK_Free(nullptr), LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Commit(nullptr), LPK_ERR_ARGUMENT);
  EXPECT_EQ(LPK_Free(&other), LPK_SUCCESS);
}

TEST(CInterfaceTest, ImpossibleArgumentsAreSaid) {
  Owned base("int");
  LPK_Datatype type = LPK_DATATYPE_NULL;
  EXPECT_FAILS(LPK_Contiguous(-3, base.handle, &type), LPK_ERR_ARGUMENT,
               "ctg: the count must not be negative, but is -3");
  EXPECT_FAILS(LPK_Contiguous(3, base.handle, nullptr), LPK_ERR_ARGUMENT,
               "the address for the new layout is null");
  EXPECT_FAILS(LPK_Primitive(52, &type), LPK_ERR_ARGUMENT,
               "there is no basic type 52; they go from 0 to 51");
  EXPECT_FAILS(LPK_Primitive(-1, &type), LPK_ERR_ARGUMENT,
               "there is no basic type -1; they go from 0 to 51");
  int lengths[] = {1, -1};
  EXPECT_FAILS(LPK_Indexed(2, lengths, nullptr, base.handle, &type),
               LPK_ERR_ARGUMENT,
               "idx: the array of displacements is null, but the count is 2");
  EXPECT_FAILS(LPK_Indexed(2, lengths, lengths, base.handle, &type),
               LPK_ERR_ARGUMENT,
               "idx: the length of block 1 must not be negative, but is -1");
  EXPECT_FAILS(LPK_Indexed_block(2, -6, lengths, base.handle, &type),
               LPK_ERR_ARGUMENT,
               "idxb: the block length must not be negative, but is -6");
  EXPECT_FAILS(LPK_Struct(2, lengths, nullptr, nullptr, &type),
               LPK_ERR_ARGUMENT,
               "struct: an array of members is null, but the count is 2");
  EXPECT_FAILS(LPK_Subarray(1, lengths, lengths, nullptr, LPK_ORDER_C,
                            base.handle, &type),
               LPK_ERR_ARGUMENT,
               "subarray: an array of sizes or starts is null");
  EXPECT_FAILS(
      LPK_Subarray(1, lengths, lengths, lengths, 7, base.handle, &type),
      LPK_ERR_ARGUMENT, "subarray: there is no array order 7");
  EXPECT_FAILS(LPK_From_text("ctg(5)", &type), LPK_ERR_ARGUMENT,
               "1:7: expected '[' after the arguments of a type, but found the "
               "end of the text");
  EXPECT_FAILS(LPK_From_text("int char", &type), LPK_ERR_ARGUMENT,
               "expected a text of 1 type, but it stands for 2");
  EXPECT_FAILS(LPK_From_text(nullptr, &type), LPK_ERR_ARGUMENT,
               "the text is null");
  EXPECT_FAILS(LPK_Vector(1LL << 40, 1LL << 40, 1, base.handle, &type),
               LPK_ERR_OVERFLOW,
               "vec: 1099511627776 times 1099511627776 does not fit into 64 "
               "bits");
  EXPECT_EQ(type, LPK_DATATYPE_NULL);
  int number = 0;
  Owned derived("dup[int]");
  EXPECT_FAILS(LPK_Get_primitive(derived.handle, &number), LPK_ERR_ARGUMENT,
               "'dup[int]' is no basic type");
}

TEST(CInterfaceTest, TextsNeedRoom) {
  Owned type("vec(2 3 5)[int]");
  char buffer[16] = "unchanged";
  LPK_Count length = 0;
  EXPECT_FAILS(LPK_To_text(type.handle, buffer, 15, &length), LPK_ERR_TRUNCATED,
               "the text needs 16 bytes, but the buffer has 15");
  EXPECT_EQ(length, 15);
  EXPECT_STREQ(buffer, "unchanged");
  EXPECT_EQ(LPK_To_text(type.handle, buffer, 16, &length), LPK_SUCCESS);
  EXPECT_STREQ(buffer, "vec(2 3 5)[int]");
  EXPECT_EQ(LPK_To_text(type.handle, nullptr, 16, &length), LPK_ERR_ARGUMENT);
}

TEST(CInterfaceTest, EveryCodeHasASentence) {
  for (int code = LPK_SUCCESS; code <= LPK_ERR_INTERNAL; ++code)
    EXPECT_STRNE(LPK_Error_string(code), LPK_Error_string(-1));
  EXPECT_STREQ(LPK_Error_string(99), "there is no such error code");
  EXPECT_STREQ(LPK_Error_string(LPK_SUCCESS), "no error");
}

TEST(CInterfaceTest, MessagesBelongToTheirThread) {
  EXPECT_EQ(LPK_Primitive(-1, nullptr), LPK_ERR_ARGUMENT);
  std::string here = LPK_Last_error();
  std::thread([] { EXPECT_STREQ(LPK_Last_error(), ""); }).join();
  EXPECT_EQ(LPK_Last_error(), here);
}

TEST(CInterfaceTest, ThreadsShareHandles) {
  Owned shared("vec(4 1 2)[int]");
  ASSERT_EQ(LPK_Commit(&shared.handle), LPK_SUCCESS);
  auto work = [&] {
    int in[8] = {1, 0, 2, 0, 3, 0, 4, 0};
    for (int i = 0; i != 500; ++i) {
      int out[4] = {};
      LPK_Datatype mine = LPK_DATATYPE_NULL;
      EXPECT_EQ(LPK_Commit(&shared.handle), LPK_SUCCESS);
      EXPECT_EQ(LPK_Pack(in, 1, shared.handle, out), LPK_SUCCESS);
      EXPECT_EQ(out[3], 4);
      EXPECT_EQ(LPK_Contiguous(i, shared.handle, &mine), LPK_SUCCESS);
      EXPECT_EQ(LPK_Commit(&mine), LPK_SUCCESS);
      EXPECT_EQ(LPK_Free(&mine), LPK_SUCCESS);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CInterfaceTest, FreeingWhileOthersPackEndsInErrorsOnly) {
  LPK_Datatype type;
  ASSERT_EQ(LPK_From_text("vec(4 1 2)[int]", &type), LPK_SUCCESS);
  ASSERT_EQ(LPK_Commit(&type), LPK_SUCCESS);
  LPK_Datatype copy = type;
  std::vector<std::thread> threads;
  for (int i = 0; i != 3; ++i)
    threads.emplace_back([copy] {
      int in[8] = {};
      int out[4];
      int code;
      while ((code = LPK_Pack(in, 1, copy, out)) == LPK_SUCCESS) {
      }
      EXPECT_EQ(code, LPK_ERR_HANDLE);
    });
  EXPECT_EQ(LPK_Free(&type), LPK_SUCCESS);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
