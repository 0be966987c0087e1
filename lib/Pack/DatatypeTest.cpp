//===- DatatypeTest.cpp - Tests of the classes of layouts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones, contents, commit, and packing through LibPack's functions, with the
// array types its programs use.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Datatype.h"
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

} // namespace
