//===- TargetsTest.cpp - Small kernels on every form ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kernel has one feature. On OpenCL, it must compute the same as the
// module on the host. For PTX, the text is checked, and ptxas must accept it if
// it is available. test/Device runs PTX.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "Kernels.h"

using namespace sluice;
using namespace sluice::testing;

namespace {

class TargetsTest : public DeviceTest {};

TEST_F(TargetsTest, Ids) {
  std::vector<uint64_t> data(12 * 3);
  compare(R"(
define void @k(ptr addrspace(1) %a) #0 {
  %g = call i64 @sluice.device.group(i32 0)
  %i = call i64 @sluice.device.item(i32 0)
  %s = call i64 @sluice.device.items(i32 0)
  %m = mul i64 %g, %s
  %id = add i64 %m, %i
  %row = mul i64 %id, 24
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %row
  store i64 %g, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i64 8
  store i64 %i, ptr addrspace(1) %q
  %r = getelementptr i8, ptr addrspace(1) %p, i64 16
  store i64 %s, ptr addrspace(1) %r
  ret void
})",
          data, 4, 3);
  for (uint64_t id = 0; id < 12; ++id) {
    EXPECT_EQ(data[id * 3], id / 4);
    EXPECT_EQ(data[id * 3 + 1], id % 4);
    EXPECT_EQ(data[id * 3 + 2], 4u);
  }
}

/// An intrinsic of one or two integers; the second is derived from the first.
class IntegerTest : public TargetsTest,
                    public ::testing::WithParamInterface<const char *> {};

std::string integerKernel(const std::string &type, const std::string &name) {
  auto overloaded = [&](const std::string &call) {
    return "%r = call " + type + " @llvm." + name + "." + type + "(" + call +
           ")\n";
  };
  std::string body = "define " + type + " @f(" + type + " %x) {\n  %y0 = mul " +
                     type + " %x, 37\n  %y = xor " + type + " %y0, 5\n  ";
  std::string x = type + " %x", y = type + " %y";
  bool overflows = name.find("overflow") != std::string::npos;
  if (name == "ctpop" || name == "bswap" || name == "bitreverse")
    body += overloaded(x);
  else if (name == "ctlz" || name == "cttz" || name == "abs")
    body += overloaded(x + ", i1 false");
  else if (name == "fshl" || name == "fshr")
    body += overloaded(x + ", " + y + ", " + x);
  else if (name == "sshl.sat" || name == "ushl.sat")
    body +=
        "%z = and " + type + " %y, 7\n  " + overloaded(x + ", " + type + " %z");
  else if (overflows)
    body += "%p = call {" + type + ", i1} @llvm." + name + "." + type + "(" +
            x + ", " + y + ")\n  %v = extractvalue {" + type +
            ", i1} %p, 0\n  %o = extractvalue {" + type +
            ", i1} %p, 1\n  %w = zext i1 %o to " + type + "\n  %s = shl " +
            type + " %v, 1\n  %r = xor " + type + " %s, %w\n";
  else
    body += overloaded(x + ", " + y);
  return perItem(type, body + "  ret " + type + " %r\n}\n");
}

TEST_P(IntegerTest, AllWidths) {
  std::string name = GetParam();
  auto bytes = edges<uint8_t>();
  auto shorts = edges<uint16_t>();
  auto words = edges<uint32_t>();
  auto longs = edges<uint64_t>();
  if (name != "bswap")
    compare(integerKernel("i8", name), bytes, 8, bytes.size() / 8);
  compare(integerKernel("i16", name), shorts, 8, shorts.size() / 8);
  compare(integerKernel("i32", name), words, 8, words.size() / 8);
  compare(integerKernel("i64", name), longs, 8, longs.size() / 8);
}

INSTANTIATE_TEST_SUITE_P(
    Intrinsics, IntegerTest,
    ::testing::Values("abs", "bitreverse", "bswap", "ctlz", "ctpop", "cttz",
                      "fshl", "fshr", "sadd.sat", "sadd.with.overflow", "smax",
                      "smin", "smul.with.overflow", "sshl.sat", "ssub.sat",
                      "ssub.with.overflow", "uadd.sat", "uadd.with.overflow",
                      "umax", "umin", "umul.with.overflow", "ushl.sat",
                      "usub.sat", "usub.with.overflow"));

} // namespace
