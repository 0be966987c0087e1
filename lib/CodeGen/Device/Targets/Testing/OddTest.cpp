//===- OddTest.cpp - Unusual values and control flow ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that LLVM's optimiser makes from plain programs and that OpenCL does not
// support: integers of any width, bits in memory, frozen and undefined values,
// vectors, structures as values, switches.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "Kernels.h"

using namespace sluice;
using namespace sluice::testing;

namespace {

class OddTest : public DeviceTest {
protected:
  void checkLongs(const std::string &body) {
    std::vector<uint64_t> data = edges<uint64_t>();
    compare(perItem("i64", body), data, 8, data.size() / 8);
  }
};

/// All operations on integers of one width.
class WidthTest : public OddTest, public ::testing::WithParamInterface<int> {};

TEST_P(WidthTest, Operations) {
  std::string type = "i" + std::to_string(GetParam());
  std::string body = "define i64 @f(i64 %v) {\n  %w = lshr i64 %v, 3\n"
                     "  %x = trunc i64 %v to " +
                     type + "\n  %y = trunc i64 %w to " + type +
                     "\n  %z = or " + type +
                     " %y, 1\n  %r0 = add i64 0, 0\n"
                     "  %amount = urem " +
                     type + " %x, " + std::to_string(GetParam()) + "\n";
  int n = 0;
  auto add = [&](const std::string &value, const char *extend) {
    std::string i = std::to_string(n), next = std::to_string(n + 1);
    body += "  %o" + i + " = " + value + "\n  %e" + i + " = " + extend + " " +
            (value.find("cmp") != std::string::npos ? "i1" : type) + " %o" + i +
            " to i64\n  %m" + i + " = mul i64 %r" + i + ", 31\n  %r" + next +
            " = add i64 %m" + i + ", %e" + i + "\n";
    ++n;
  };
  for (const char *op :
       {"add", "sub", "mul", "and", "or", "xor", "udiv", "urem"})
    for (const char *extend : {"zext", "sext"})
      add(std::string(op) + " " + type + " %x, %z", extend);
  for (const char *op : {"shl", "lshr", "ashr"})
    add(std::string(op) + " " + type + " %x, %amount", "sext");
  for (const char *predicate :
       {"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"})
    add(std::string("icmp ") + predicate + " " + type + " %x, %z", "zext");
  add("select i1 true, " + type + " %x, " + type + " %z", "sext");
  add("freeze " + type + " %x", "sext");
  checkLongs(body + "  ret i64 %r" + std::to_string(n) + "\n}\n");
}

INSTANTIATE_TEST_SUITE_P(Widths, WidthTest,
                         ::testing::Values(1, 2, 3, 7, 8, 9, 13, 16, 24, 31, 32,
                                           33, 48, 63));

TEST_F(OddTest, SignedDivision) {
  for (const char *type : {"i7", "i13", "i32", "i37", "i63"})
    checkLongs("define i64 @f(i64 %v) {\n  %x = trunc i64 %v to " +
               std::string(type) + "\n  %q = sdiv " + type +
               " %x, 3\n  %r = "
               "srem " +
               type + " %x, -5\n  %s = xor " + type + " %q, %r\n  %e = sext " +
               type + " %s to i64\n  ret i64 %e\n}\n");
}

TEST_F(OddTest, Memory) {
  checkLongs(R"(
define i64 @f(i64 %v) {
  %m = alloca [16 x i8]
  %b = trunc i64 %v to i1
  store i1 %b, ptr %m
  %p = getelementptr i8, ptr %m, i64 3
  %o = trunc i64 %v to i24
  store i24 %o, ptr %p
  %q = getelementptr i8, ptr %m, i64 8
  %t = trunc i64 %v to i40
  store i40 %t, ptr %q
  %b2 = load i1, ptr %m
  %o2 = load i24, ptr %p
  %t2 = load i40, ptr %q
  %x = zext i1 %b2 to i64
  %y = sext i24 %o2 to i64
  %z = zext i40 %t2 to i64
  %s = add i64 %x, %y
  %u = xor i64 %s, %z
  ret i64 %u
})");
}

TEST_F(OddTest, LoopsOverOddCounters) {
  checkLongs(R"(
define i64 @f(i64 %v) {
entry:
  %n = trunc i64 %v to i5
  br label %loop
loop:
  %i = phi i5 [ 0, %entry ], [ %next, %loop ]
  %s = phi i64 [ 1, %entry ], [ %t, %loop ]
  %w = sext i5 %i to i64
  %u = mul i64 %s, 7
  %t = add i64 %u, %w
  %next = add i5 %i, 1
  %done = icmp eq i5 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i64 %t
})");
}

TEST_F(OddTest, Switches) {
  for (const char *type : {"i8", "i64", "i6"})
    checkLongs("define i64 @f(i64 %v) {\n  %x = trunc i64 %v to " +
               std::string(std::string(type) == "i64" ? "i63" : type) +
               "\n  %y = sext " + (std::string(type) == "i64" ? "i63" : type) +
               " %x to i64\n  %z = trunc i64 %y to i32\n"
               "  switch i64 %y, label %d [ i64 0, label %a\n i64 1, label %b\n"
               " i64 -1, label %c\n i64 4096, label %a ]\na:\n  ret i64 17\n"
               "b:\n  br label %d\nc:\n  br label %d\nd:\n  %p = phi i64 [ 5, "
               "%0 ], [ 6, %b ], [ 7, %c ]\n  ret i64 %p\n}\n");
}

TEST_F(OddTest, UndefinedValues) {
  checkLongs(R"(
define i64 @f(i64 %v) {
  %c = icmp eq i64 %v, 4
  %u = select i1 %c, i64 undef, i64 %v
  %f = freeze i64 %u
  %x = xor i64 %f, %f
  %a = add nsw nuw i64 %v, 1
  %g = freeze i64 %a
  %h = sub i64 %g, %g
  %z = or i64 %x, %h
  %y = freeze i64 poison
  %w = sub i64 %y, %y
  %r = add i64 %z, %w
  %s = add i64 %r, %v
  ret i64 %s
})");
}

TEST_F(OddTest, Vectors) {
  checkLongs(R"(
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.umax.v4i32(<4 x i32>)
declare i8 @llvm.vector.reduce.xor.v8i8(<8 x i8>)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare <4 x i32> @llvm.smax.v4i32(<4 x i32>, <4 x i32>)
define i64 @f(i64 %v) {
  %lo = trunc i64 %v to i32
  %a = insertelement <4 x i32> poison, i32 %lo, i32 0
  %b = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> zeroinitializer
  %c = add <4 x i32> %b, <i32 1, i32 2, i32 3, i32 4>
  %d = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %c, <4 x i32> %b)
  %s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %d)
  %t = call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %d)
  %bytes = bitcast i64 %v to <8 x i8>
  %x = call i8 @llvm.vector.reduce.xor.v8i8(<8 x i8> %bytes)
  %fs = sitofp <4 x i32> %d to <4 x float>
  %fa = call float @llvm.vector.reduce.fadd.v4f32(float 1.0, <4 x float> %fs)
  %fi = bitcast float %fa to i32
  %cmp = icmp sgt <4 x i32> %c, %b
  %sel = select <4 x i1> %cmp, <4 x i32> %c, <4 x i32> <i32 9, i32 8, i32 7, i32 6>
  %index = and i64 %v, 3
  %e = extractelement <4 x i32> %sel, i64 %index
  %s64 = zext i32 %s to i64
  %t64 = zext i32 %t to i64
  %x64 = zext i8 %x to i64
  %f64 = zext i32 %fi to i64
  %e64 = zext i32 %e to i64
  %r0 = mul i64 %s64, 31
  %r1 = add i64 %r0, %t64
  %r2 = mul i64 %r1, 31
  %r3 = add i64 %r2, %x64
  %r4 = mul i64 %r3, 31
  %r5 = add i64 %r4, %f64
  %r6 = mul i64 %r5, 31
  %r7 = add i64 %r6, %e64
  ret i64 %r7
})");
}

TEST_F(OddTest, VectorsOfBits) {
  checkLongs(R"(
define i64 @f(i64 %v) {
  %bytes = bitcast i64 %v to <8 x i8>
  %c = icmp slt <8 x i8> %bytes, zeroinitializer
  %m = bitcast <8 x i1> %c to i8
  %n = zext i8 %m to i64
  %odd = trunc i64 %v to i3
  %parts = bitcast i3 %odd to <3 x i1>
  %p = extractelement <3 x i1> %parts, i32 1
  %q = zext i1 %p to i64
  %r = shl i64 %q, 20
  %s = or i64 %n, %r
  ret i64 %s
})");
}

TEST_F(OddTest, VectorsInMemory) {
  std::vector<uint64_t> data = edges<uint64_t>();
  compare(R"(
define void @k(ptr addrspace(1) %a) #0 {
  %i = call i64 @sluice.device.item(i32 0)
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %i
  %x = load <4 x i32>, ptr addrspace(1) %p, align 4
  %y = mul <4 x i32> %x, <i32 3, i32 5, i32 7, i32 9>
  store <4 x i32> %y, ptr addrspace(1) %p, align 4
  %q = getelementptr <3 x float>, ptr addrspace(1) %a, i64 %i
  %u = load <3 x float>, ptr addrspace(1) %q, align 4
  %z = fneg <3 x float> %u
  call void @sluice.device.barrier()
  store <3 x float> %z, ptr addrspace(1) %q, align 4
  ret void
})",
          data, 8, 1);
}

TEST_F(OddTest, StructuresAsValues) {
  checkLongs(R"(
%pair = type { i64, { float, [2 x i32] } }
define i64 @f(i64 %v) {
entry:
  %c = icmp ugt i64 %v, 100
  br i1 %c, label %a, label %b
a:
  %x0 = insertvalue %pair poison, i64 %v, 0
  %x1 = insertvalue %pair %x0, float 2.0, 1, 0
  br label %join
b:
  %y0 = insertvalue %pair { i64 5, { float, [2 x i32] } { float 1.0, [2 x i32] [i32 3, i32 4] } }, i64 %v, 0
  br label %join
join:
  %p = phi %pair [ %x1, %a ], [ %y0, %b ]
  %i = extractvalue %pair %p, 0
  %s = extractvalue %pair %p, 1, 0
  %k = fptoui float %s to i64
  %r = shl i64 %i, %k
  ret i64 %r
})");
}

TEST_F(OddTest, StructuresInMemory) {
  checkLongs(R"(
%pair = type { i8, i64, [3 x i16] }
define i64 @f(i64 %v) {
  %m = alloca %pair
  %n = alloca %pair
  %t = trunc i64 %v to i16
  %x0 = insertvalue %pair zeroinitializer, i64 %v, 1
  %x1 = insertvalue %pair %x0, i16 %t, 2, 1
  store %pair %x1, ptr %m
  %whole = load %pair, ptr %m
  store %pair %whole, ptr %n
  %p = getelementptr %pair, ptr %n, i64 0, i32 1
  %q = getelementptr %pair, ptr %n, i64 0, i32 2, i64 1
  %a = load i64, ptr %p
  %b = load i16, ptr %q
  %c = zext i16 %b to i64
  %d = mul i64 %a, 3
  %e = add i64 %c, %d
  ret i64 %e
})");
}

TEST_F(OddTest, PointersInLoopsAndSelects) {
  std::vector<uint64_t> data = edges<uint64_t>();
  compare(R"(
define void @k(ptr addrspace(1) %a) #0 {
entry:
  %i = call i64 @sluice.device.item(i32 0)
  %start = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %odd = trunc i64 %i to i1
  %other = getelementptr i8, ptr addrspace(1) %start, i64 64
  %p0 = select i1 %odd, ptr addrspace(1) %start, ptr addrspace(1) %other
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %p0, %entry ], [ %next, %loop ]
  %n = phi i64 [ 0, %entry ], [ %m, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = sext i32 %v to i64
  %t = add i64 %s, %w
  %next = getelementptr i8, ptr addrspace(1) %p, i64 12
  %m = add i64 %n, 1
  %done = icmp eq i64 %m, 10
  br i1 %done, label %exit, label %loop
exit:
  %address = ptrtoint ptr addrspace(1) %p to i64
  %base = ptrtoint ptr addrspace(1) %start to i64
  %distance = sub i64 %address, %base
  %r = add i64 %t, %distance
  call void @sluice.device.barrier()
  store i64 %r, ptr addrspace(1) %start
  ret void
})",
          data, 8, 1);
}

} // namespace
