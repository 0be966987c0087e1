//===- DatatypeTest.cpp - Tests of the classes of layouts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests clones, contents, commit, and packing through LibPack's functions, with
// the array types of its programs.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/External32.h"
#include "sluice/Pack/Packer.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace farc;

namespace {

TEST(DatatypeTest, PacksTheVectorOfLibPacksText) {
  Datatype *t1 = new PrimitiveDatatype(PrimitiveDatatype::INT);
  Datatype *t2 = new VectorDatatype(2, 3, 5, t1);
  DDT_Free(t1);
  EXPECT_EQ(t2->getSize(), 24);
  EXPECT_EQ(t2->getLowerBound(), 0);
  EXPECT_EQ(t2->getUpperBound(), 32);
  std::vector<int> in(16);
  std::iota(in.begin(), in.end(), 0);
  std::vector<int> out(12, -1);
  DDT_Commit(t2);
  DDT_Pack(in.data(), out.data(), t2, 2);
  EXPECT_EQ(out, (std::vector<int>{0, 1, 2, 5, 6, 7, 8, 9, 10, 13, 14, 15}));
  std::vector<int> back(16, -1);
  DDT_Unpack(out.data(), back.data(), t2, 2);
  EXPECT_EQ(back, (std::vector<int>{0, 1, 2, -1, -1, 5, 6, 7, 8, 9, 10, -1, -1,
                                    13, 14, 15}));
  DDT_Free(t2);
}

template <typename Make> std::string errorOf(Make make) {
  try {
    make();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

template <typename Make> Error::Kind kindOf(Make make) {
  try {
    make();
  } catch (const Error &error) {
    return error.getKind();
  }
  throw std::logic_error("no error");
}

const PrimitiveDatatype anInt(PrimitiveDatatype::INT);

TEST(DatatypeTest, TakesTheArraysOfLibPacksPrograms) {
  int lengths[] = {1, 3};
  long bytes[] = {4, 16};
  int places[] = {0, 5};
  long long longer[] = {1, 2};
  Datatype *types[] = {new PrimitiveDatatype(PrimitiveDatatype::INT),
                       new PrimitiveDatatype(PrimitiveDatatype::CHAR)};
  Datatype *base = types[0];
  EXPECT_EQ(HIndexedDatatype(2, lengths, bytes, base).toString(),
            "hidx(4,1 16,3)[int]");
  EXPECT_EQ(HIndexedDatatype(2, longer, bytes, base).toString(),
            "hidx(4,1 16,2)[int]");
  EXPECT_EQ(IndexedDatatype(2, lengths, places, base).toString(),
            "idx(0,1 5,3)[int]");
  EXPECT_EQ(IndexedBlockDatatype(2, 2, places, base).toString(),
            "idxb(2: 0 5)[int]");
  EXPECT_EQ(HIndexedBlockDatatype(2, 2, bytes, base).toString(),
            "hidxb(2: 4 16)[int]");
  EXPECT_EQ(StructDatatype(2, lengths, bytes, types).toString(),
            "struct(4,1[int] 16,3[char])");
  int sizes[] = {8};
  EXPECT_EQ(
      SubarrayDatatype(1, sizes, lengths, places, ORDER_C, base).toString(),
      "subarray(c: 8,1,0)[int]");
  for (Datatype *type : types)
    DDT_Free(type);
}

TEST(DatatypeTest, ClonesAreEqualAndIndependent) {
  auto types = parseDatatypes(
      "int ctg(2)[int] vec(2 1 3)[int] hvec(2 1 30)[int] idx(0,1 4,2)[int] "
      "hidx(0,1 40,2)[int] idxb(2: 0 4)[int] hidxb(2: 0 40)[int] "
      "struct(0,1[int] 8,1[double]) resized(-4,40)[int] dup[int] "
      "subarray(c: 4,2,1 5,3,2)[int] darray(c 2 1: 5,cyclic,2)[int]");
  for (auto &type : types) {
    DDT_Commit(type.get());
    EXPECT_TRUE(type->getPacker());
    std::unique_ptr<Datatype> copy(type->clone());
    EXPECT_FALSE(copy->getPacker());
    std::string text = type->toString();
    sluice::pack::Layout layout = layoutOf(*type);
    DatatypeName name = type->getDatatypeName();
    type.reset();
    EXPECT_EQ(copy->toString(), text);
    EXPECT_EQ(copy->getDatatypeName(), name);
    EXPECT_TRUE(layoutOf(*copy) == layout);
    Contents contents = copy->getContents();
    Envelope envelope = copy->getEnvelope();
    EXPECT_EQ(envelope.combiner, name);
    EXPECT_EQ(envelope.integers, int64_t(contents.integers.size())) << text;
    EXPECT_EQ(envelope.addresses, int64_t(contents.addresses.size())) << text;
    EXPECT_EQ(envelope.datatypes, int64_t(contents.datatypes.size())) << text;
    EXPECT_EQ(copy->getSubtypes().size(), contents.datatypes.size());
  }
}

using Numbers = std::vector<int64_t>;

TEST(DatatypeTest, ContentsAreInTheOrderOfMPI) {
  struct Case {
    const char *text;
    Numbers integers;
    Numbers addresses;
  };
  const Case cases[] = {
      {"ctg(5)[int]", {5}, {}},
      {"vec(2 3 -5)[int]", {2, 3, -5}, {}},
      {"hvec(2 3 -5)[int]", {2, 3}, {-5}},
      {"idx(7,1 8,2 9,3)[int]", {3, 1, 2, 3, 7, 8, 9}, {}},
      {"hidx(7,1 8,2 9,3)[int]", {3, 1, 2, 3}, {7, 8, 9}},
      {"idxb(4: 7 8 9)[int]", {3, 4, 7, 8, 9}, {}},
      {"hidxb(4: 7 8 9)[int]", {3, 4}, {7, 8, 9}},
      {"struct(8,3[int] 9,4[int])", {2, 3, 4}, {8, 9}},
      {"resized(-3,20)[int]", {}, {-3, 20}},
      {"dup[int]", {}, {}},
      {"subarray(fortran: 10,3,5 20,4,6)[int]",
       {2, 10, 20, 3, 4, 5, 6, ORDER_FORTRAN},
       {}},
      {"darray(c 6 4: 10,block,2 20,cyclic(3),3)[int]",
       {6, 4, 2, 10, 20, DISTRIBUTE_BLOCK, DISTRIBUTE_CYCLIC,
        DISTRIBUTE_DFLT_DARG, 3, 2, 3, ORDER_C},
       {}},
  };
  for (const Case &given : cases) {
    auto type = std::move(parseDatatypes(given.text).front());
    Contents contents = type->getContents();
    EXPECT_EQ(contents.integers, given.integers) << given.text;
    EXPECT_EQ(contents.addresses, given.addresses) << given.text;
    for (const auto &subtype : contents.datatypes)
      EXPECT_EQ(subtype->toString(), "int");
  }
  EXPECT_EQ(anInt.getEnvelope(), (Envelope{PRIMITIVE, 0, 0, 0}));
  EXPECT_TRUE(anInt.getContents().integers.empty());
}

TEST(DatatypeTest, ImpossibleArgumentsNameTheirValues) {
  const int64_t two[] = {2, 2};
  const int64_t bad[] = {0, -2};
  const Distribution none[] = {DISTRIBUTE_NONE, DISTRIBUTE_NONE};
  const Distribution block[] = {DISTRIBUTE_BLOCK, DISTRIBUTE_BLOCK};
  const int64_t small[] = {1, 1};
  const Datatype *types[] = {&anInt, nullptr};
  auto darray = [&](int64_t size, int64_t rank, const int64_t *sizes,
                    const Distribution *kinds, const int64_t *arguments,
                    const int64_t *processes) {
    return errorOf([&] {
      DarrayDatatype(size, rank, 2, sizes, kinds, arguments, processes, ORDER_C,
                     &anInt);
    });
  };
  auto subarray = [&](const int64_t *sizes, const int64_t *subsizes,
                      const int64_t *starts) {
    return errorOf(
        [&] { SubarrayDatatype(2, sizes, subsizes, starts, ORDER_C, &anInt); });
  };
  EXPECT_EQ(errorOf([] { ContiguousDatatype(-1, &anInt); }),
            "ctg: the count must not be negative, but is -1");
  EXPECT_EQ(errorOf([] { ContiguousDatatype(1, nullptr); }),
            "ctg: the base type is null");
  EXPECT_EQ(errorOf([] { VectorDatatype(2, -1, 3, &anInt); }),
            "vec: the block length must not be negative, but is -1");
  EXPECT_EQ(errorOf([] { HVectorDatatype(-2, 1, 3, &anInt); }),
            "hvec: the count must not be negative, but is -2");
  EXPECT_EQ(errorOf([&] { IndexedDatatype(-1, two, two, &anInt); }),
            "idx: the count must not be negative, but is -1");
  EXPECT_EQ(errorOf([&] { HIndexedDatatype(2, bad, two, &anInt); }),
            "hidx: the length of block 1 must not be negative, but is -2");
  EXPECT_EQ(errorOf([&] { HIndexedBlockDatatype(2, -5, two, &anInt); }),
            "hidxb: the block length must not be negative, but is -5");
  EXPECT_EQ(errorOf([&] { StructDatatype(2, two, two, types); }),
            "struct: the type of member 1 is null");
  EXPECT_EQ(errorOf([] { ResizedDatatype(nullptr, 0, 1); }),
            "resized: the base type is null");
  EXPECT_EQ(errorOf([] { DupDatatype(nullptr); }),
            "dup: the base type is null");
  EXPECT_EQ(
      errorOf([] { PrimitiveDatatype(PrimitiveDatatype::PrimitiveType(51)); }),
      "primitive: there is no basic type 51; they go from 0 to 50");
  EXPECT_EQ(subarray(bad, two, two), "subarray: the size of dimension 0 must "
                                     "be at least 1, but is 0");
  EXPECT_EQ(subarray(small, two, two),
            "subarray: the subsize of dimension 0 must be from 1 to its size "
            "1, but is 2");
  EXPECT_EQ(subarray(two, bad, two),
            "subarray: the subsize of dimension 0 must be from 1 to its size "
            "2, but is 0");
  EXPECT_EQ(subarray(two, small, two),
            "subarray: the start of dimension 0 must be from 0 to 1, but is 2");
  EXPECT_EQ(darray(4, 4, two, block, two, two),
            "darray: the rank must be from 0 to the number of processes 4 less "
            "one, but is 4");
  EXPECT_EQ(darray(5, 0, two, block, two, two),
            "darray: the grid has 4 processes, but there are 5");
  EXPECT_EQ(darray(4, 0, two, none, two, two),
            "darray: dimension 0 is not distributed, but has 2 processes");
  EXPECT_EQ(darray(4, 0, two, block, bad, two),
            "darray: the distribution argument of dimension 0 must be at least "
            "1, but is 0");
  const int64_t nine[] = {9, 9};
  EXPECT_EQ(darray(4, 0, nine, block, two, two),
            "darray: blocks of 2 on 2 processes do not cover the size 9 of "
            "dimension 0");
  EXPECT_EQ(darray(4, 0, bad, block, two, two),
            "darray: the size of dimension 0 must be at least 1, but is 0");
  EXPECT_EQ(darray(4, 0, two, block, two, bad),
            "darray: the processes of dimension 0 must be at least 1, but are "
            "0");
}

TEST(DatatypeTest, BoundsBeyond64BitsAreErrors) {
  constexpr int64_t most = INT64_MAX;
  EXPECT_EQ(errorOf([] { ContiguousDatatype(most / 2, &anInt); }),
            "ctg: 4611686018427387902 times 4 does not fit into 64 bits");
  auto overflows = [](auto make) { return kindOf(make) == Error::OVERFLOW_64; };
  int64_t places[] = {INT64_MIN, most};
  int64_t lengths[] = {1, 1};
  const Datatype *types[] = {&anInt, &anInt};
  EXPECT_TRUE(overflows([] { VectorDatatype(2, 1, most, &anInt); }));
  EXPECT_TRUE(overflows([] { VectorDatatype(most, most, 0, &anInt); }));
  EXPECT_TRUE(overflows([] { HVectorDatatype(3, 1, most, &anInt); }));
  EXPECT_TRUE(overflows([] { HVectorDatatype(3, 1, INT64_MIN, &anInt); }));
  EXPECT_TRUE(overflows([&] { HIndexedDatatype(2, lengths, places, &anInt); }));
  EXPECT_TRUE(overflows([&] { IndexedDatatype(2, lengths, places, &anInt); }));
  EXPECT_TRUE(overflows([&] { HIndexedBlockDatatype(2, 1, places, &anInt); }));
  EXPECT_TRUE(overflows([&] { StructDatatype(2, lengths, places, types); }));
  EXPECT_TRUE(overflows([] { ResizedDatatype(&anInt, most, 1); }));
  int64_t sizes[] = {most, most};
  int64_t ones[] = {1, 1};
  int64_t zeros[] = {0, 0};
  EXPECT_TRUE(overflows(
      [&] { SubarrayDatatype(2, sizes, ones, zeros, ORDER_C, &anInt); }));
  Distribution cyclic[] = {DISTRIBUTE_CYCLIC, DISTRIBUTE_CYCLIC};
  EXPECT_TRUE(overflows([&] {
    DarrayDatatype(1, 0, 2, sizes, cyclic, ones, ones, ORDER_C, &anInt);
  }));
}

TEST(DatatypeTest, LargeTypesCostNothingUntilTheyArePacked) {
  int64_t sizes[] = {int64_t(1) << 20, int64_t(1) << 20, int64_t(1) << 20};
  int64_t grid[] = {16, 16, 16};
  int64_t defaults[] = {-1, -1, -1};
  Distribution kinds[] = {DISTRIBUTE_CYCLIC, DISTRIBUTE_BLOCK,
                          DISTRIBUTE_CYCLIC};
  PrimitiveDatatype byte(PrimitiveDatatype::BYTE);
  DarrayDatatype type(4096, 4095, 3, sizes, kinds, defaults, grid, ORDER_C,
                      &byte);
  EXPECT_EQ(type.getSize(), int64_t(1) << 48);
  EXPECT_EQ(type.getExtent(), int64_t(1) << 60);
  EXPECT_EQ(layoutOf(type).form->size, type.getSize());
}

TEST(DatatypeTest, ManyEmptyBlocksAreNoWork) {
  auto types = parseDatatypes("vec(9223372036854775807 0 1)[int] "
                              "hvec(9223372036854775807 1 0)[ctg(0)[int]] "
                              "ctg(9223372036854775807)[struct()]");
  for (auto &type : types) {
    EXPECT_EQ(type->getSize(), 0);
    EXPECT_EQ(type->getTrueExtent(), 0);
    type->forEachElement(0, [](int64_t, const PrimitiveDatatype &, int64_t) {
      FAIL() << "an element of an empty type";
    });
    DDT_Commit(type.get());
    DDT_Pack(nullptr, nullptr, type.get(), INT64_MAX);
  }
}

TEST(DatatypeTest, TypesBuiltFromThemselvesStaySmall) {
  std::unique_ptr<Datatype> type(anInt.clone());
  int64_t lengths[] = {1, 1};
  for (int i = 0; i != 50; ++i) {
    int64_t places[] = {0, type->getExtent() + 4 * (i % 2)};
    const Datatype *types[] = {type.get(), type.get()};
    type = std::make_unique<StructDatatype>(2, lengths, places, types);
  }
  EXPECT_EQ(type->getSize(), int64_t(4) << 50);
  EXPECT_EQ(layoutOf(*type).form->size, type->getSize());
}

/// Each type contains the previous one twice, in different types.
static std::unique_ptr<Datatype> sharing(const Datatype &base, int depth,
                                         int64_t length) {
  std::unique_ptr<Datatype> type(base.clone());
  for (int i = 0; i != depth; ++i) {
    DupDatatype first(type.get());
    ResizedDatatype second(type.get(), type->getLowerBound(),
                           type->getExtent());
    int64_t lengths[] = {length, 1}, places[] = {0, 0};
    const Datatype *types[] = {&first, &second};
    type = std::make_unique<StructDatatype>(2, lengths, places, types);
  }
  return type;
}

TEST(DatatypeTest, TypesThatShareOthersAreWalkedOnce) {
  VectorDatatype column(50, 1, 2, &anInt);
  ContiguousDatatype empty(0, &anInt);
  for (auto &type : {sharing(column, 40, 0), sharing(empty, 40, 1)}) {
    EXPECT_LT(type->toString(true).size(), 20000u);
    EXPECT_EQ(kindOf([&] { (void)type->toString(); }), Error::UNSUPPORTED);
    DDT_Commit(type.get());
    EXPECT_EQ(sluice::pack::external32Size(*type, 1), type->getSize());
    EXPECT_EQ(layoutOf(*type).form->size, type->getSize());
  }
}

TEST(DatatypeTest, LayoutsOfVeryManyPartsAreRefused) {
  PrimitiveDatatype byte(PrimitiveDatatype::BYTE);
  VectorDatatype column(50, 1, 2, &anInt);
  std::unique_ptr<Datatype> type(column.clone());
  for (int i = 0; i != 40; ++i) {
    int64_t lengths[] = {1, 1, 1}, places[] = {0, 4 + 8 * i, 0};
    const Datatype *types[] = {type.get(), &byte, type.get()};
    type = std::make_unique<StructDatatype>(3, lengths, places, types);
  }
  EXPECT_EQ(errorOf([&] { DDT_Commit(type.get()); }),
            "layout too large: it has more than 4194304 parts");
}

TEST(DatatypeTest, NestingHasALimit) {
  std::unique_ptr<Datatype> type(anInt.clone());
  auto nest = [&] {
    while (type->getDepth() < 2 * MaximumDepth)
      type = std::make_unique<DupDatatype>(type.get());
  };
  EXPECT_EQ(errorOf(nest), "dup: types are nested more than 1000 deep");
  EXPECT_EQ(type->getDepth(), MaximumDepth);
  EXPECT_EQ(layoutOf(*type).form->size, 4);
}

TEST(DatatypeTest, PackingNeedsACommit) {
  VectorDatatype type(2, 3, 5, &anInt);
  int buffer[8] = {};
  auto pack = [&] { DDT_Pack(buffer, buffer, &type, 1); };
  EXPECT_EQ(errorOf(pack), "pack: 'vec(2 3 5)[int]' is not committed; call "
                           "DDT_Commit or LPK_Commit first");
  EXPECT_EQ(kindOf(pack), Error::NOT_COMMITTED);
  EXPECT_EQ(kindOf([&] { DDT_Unpack(buffer, buffer, &type, 1); }),
            Error::NOT_COMMITTED);
  EXPECT_EQ(errorOf([] { DDT_Commit(nullptr); }), "commit: the type is null");
  EXPECT_EQ(errorOf([&] { DDT_Pack(buffer, buffer, nullptr, 1); }),
            "pack: the type is null");
  DDT_Commit(&type);
  EXPECT_EQ(errorOf([&] { DDT_Pack(buffer, buffer, &type, -1); }),
            "pack: the count must not be negative, but is -1");
  EXPECT_EQ(errorOf([&] { DDT_Unpack(nullptr, buffer, &type, 1); }),
            "unpack: the packed buffer is null, but has 24 bytes");
  EXPECT_EQ(
      errorOf([&] { DDT_Unpack_partial(buffer, buffer, &type, 1, 10, 15); }),
      "unpack: bytes 10 to 25 were asked for, but there are 24");
  EXPECT_EQ(
      kindOf([&] { DDT_Pack_partial(buffer, buffer, &type, 1, 1, INT64_MAX); }),
      Error::OVERFLOW_64);
  DDT_Free(nullptr);
}

TEST(DatatypeTest, ACountOfZeroCopiesNothing) {
  VectorDatatype type(2, 3, 5, &anInt);
  DDT_Commit(&type);
  DDT_Pack(nullptr, nullptr, &type, 0);
  ContiguousDatatype empty(0, &anInt);
  DDT_Commit(&empty);
  DDT_Pack(nullptr, nullptr, &empty, INT64_MAX);
  DDT_Unpack_partial(nullptr, nullptr, &empty, 5, 0, 0);
}

TEST(DatatypeTest, EqualTypesShareAPacker) {
  VectorDatatype vector(2, 3, 5, &anInt);
  HVectorDatatype bytes(2, 3, 20, &anInt);
  DDT_Commit(&vector);
  DDT_Commit(&bytes);
  EXPECT_EQ(vector.getPacker(), bytes.getPacker());
  EXPECT_NE(vector.getPacker()->kernel().pack, nullptr);
}

TEST(DatatypeTest, CompilingSynchronouslyServesInAnyCase) {
  VectorDatatype type(2, 1, 3, &anInt);
  type.compile(Datatype::PACK);
  int in[] = {1, 2, 3, 4};
  int out[2] = {};
  DDT_Pack(in, out, &type, 1);
  EXPECT_EQ(out[1], 4);
}

/// A user-defined class: every second byte of a line.
class EverySecond : public Datatype {
public:
  EverySecond *clone() const override { return new EverySecond; }
  int64_t getSize() const override { return 4; }
  int64_t getLowerBound() const override { return 0; }
  int64_t getUpperBound() const override { return 8; }
  int64_t getTrueLowerBound() const override { return 0; }
  int64_t getTrueUpperBound() const override { return 7; }
  std::string toString(bool = false) const override { return "second"; }
};

TEST(DatatypeTest, AUsersOwnClassHasACustomForm) {
  EverySecond type;
  EXPECT_EQ(type.getDatatypeName(), USER);
  EXPECT_EQ(type.getEnvelope(), (Envelope{USER, 0, 0, 0}));
  ContiguousDatatype twice(2, &type);
  EXPECT_EQ(twice.getSize(), 8);
  EXPECT_EQ(twice.toString(), "ctg(2)[second]");
  sluice::pack::PlacedForm form = type.normalForm();
  EXPECT_EQ(form.form->kind, sluice::pack::FormKind::Custom);
  EXPECT_EQ(form.form->size, 4);
  EXPECT_EQ(errorOf([&] { twice.forEachElement(0, {}); }),
            "'second' does not say which elements it consists of; override "
            "forEachElement");
  EXPECT_EQ(errorOf([&] { type.packCodegen(nullptr, nullptr, nullptr); }),
            "'second' does not override packCodegen, which every class of a "
            "user's own must");
  EXPECT_EQ(kindOf([&] { type.unpackCodegen(nullptr, nullptr, nullptr); }),
            Error::UNSUPPORTED);
}

} // namespace
