//===- FormTest.cpp - Tests of normal forms -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What equal layouts built in different ways become.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Form.h"

#include <gtest/gtest.h>

using namespace sluice::pack;

namespace {

TEST(FormTest, ABlockOfNoBytesIsEmpty) {
  EXPECT_EQ(blockForm(0)->kind, FormKind::Empty);
  EXPECT_EQ(*blockForm(0), *emptyForm());
}

} // namespace
