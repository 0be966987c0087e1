//===- MemoryTest.cpp - Memory, barriers and atomics on every form --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, group memory and atomics must mean the same for every format.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "Kernels.h"

#include <numeric>

using namespace sluice;
using namespace sluice::testing;

namespace {

class MemoryTest : public DeviceTest {};

TEST_F(MemoryTest, LocalMemoryAndBarriers) {
  std::vector<uint32_t> data(64);
  std::iota(data.begin(), data.end(), 1u);
  // Sums by halving; the result goes to all items of the group.
  compare(R"(
define void @k(ptr addrspace(1) %a, ptr addrspace(3) %l, ptr addrspace(3) %m) #0 {
entry:
  %g = call i64 @sluice.device.group(i32 0)
  %i = call i64 @sluice.device.item(i32 0)
  %n = call i64 @sluice.device.items(i32 0)
  %b = mul i64 %g, %n
  %id = add i64 %b, %i
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %v = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(3) %l, i64 %i
  store i32 %v, ptr addrspace(3) %q
  %f = getelementptr i64, ptr addrspace(3) %m, i64 %i
  store i64 %id, ptr addrspace(3) %f
  br label %loop
loop:
  %w = phi i64 [ 8, %entry ], [ %half, %next ]
  call void @sluice.device.barrier()
  %half = lshr i64 %w, 1
  %is = icmp ult i64 %i, %half
  br i1 %is, label %add, label %next
add:
  %j = add i64 %i, %half
  %r = getelementptr i32, ptr addrspace(3) %l, i64 %j
  %x = load i32, ptr addrspace(3) %r
  %y = load i32, ptr addrspace(3) %q
  %z = add i32 %x, %y
  store i32 %z, ptr addrspace(3) %q
  br label %next
next:
  %done = icmp eq i64 %half, 1
  br i1 %done, label %exit, label %loop
exit:
  call void @sluice.device.barrier()
  %s = load i32, ptr addrspace(3) %l
  %o = sub i64 7, %i
  %h = getelementptr i64, ptr addrspace(3) %m, i64 %o
  %e = load i64, ptr addrspace(3) %h
  %t = trunc i64 %e to i32
  %u = mul i32 %t, 1000
  %c = add i32 %s, %u
  store i32 %c, ptr addrspace(1) %p
  ret void
})",
          data, 8, 8, {local(32), local(64)});
  EXPECT_EQ(data[0], 36u + 7000u);
}

TEST_F(MemoryTest, BarriersOrderGlobalMemory) {
  std::vector<uint32_t> data(64);
  std::iota(data.begin(), data.end(), 1u);
  compare(R"(
define void @k(ptr addrspace(1) %a) #0 {
  %i = call i64 @sluice.device.item(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %r = sub i64 31, %i
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %r
  %v = load i32, ptr addrspace(1) %q
  call void @sluice.device.barrier()
  store i32 %v, ptr addrspace(1) %p
  call void @sluice.device.barrier()
  %n = add i64 %i, 1
  %m = and i64 %n, 31
  %s = getelementptr i32, ptr addrspace(1) %a, i64 %m
  %w = load i32, ptr addrspace(1) %s
  call void @sluice.device.barrier()
  store i32 %w, ptr addrspace(1) %p
  ret void
})",
          data, 32, 1);
  EXPECT_EQ(data[0], 31u);
}

TEST_F(MemoryTest, CopiesAndFills) {
  for (const char *size : {"0", "1", "3", "8", "13", "16", "40"})
    for (const char *align : {"1", "8"}) {
      std::vector<uint64_t> data = edges<uint64_t>();
      std::string a = std::string("align ") + align;
      compare(std::string(R"(
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define void @k(ptr addrspace(1) %a, i64 %n) #0 {
  %i = call i64 @sluice.device.item(i32 0)
  %p = getelementptr [8 x i64], ptr addrspace(1) %a, i64 %i
  %m = alloca [128 x i8], align 8
  %f = trunc i64 %n to i8
  call void @llvm.memset.p0.i64(ptr align 8 %m, i8 %f, i64 128, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr )") +
                  a + " %m, ptr addrspace(1) " + a + " %p, i64 " + size +
                  R"(, i1 false)
  %q = getelementptr i8, ptr %m, i64 24
  call void @llvm.memmove.p0.p0.i64(ptr )" +
                  a + " %q, ptr " + a + " %m, i64 " + size + R"(, i1 false)
  %r = getelementptr i8, ptr %m, i64 8
  call void @llvm.memmove.p0.p0.i64(ptr %m, ptr %r, i64 %n, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %p, ptr %m, i64 %n, i1 false)
  ret void
})",
              data, 8, 1, {value64(61)});
    }
}

TEST_F(MemoryTest, Tables) {
  std::vector<uint64_t> data = edges<uint64_t>();
  // One address is chosen from two, one is a structure, and one is in private
  // memory.
  compare(perItem("i64", R"(
@floats = internal addrspace(1) constant [4 x float] [float 1.0, float 0.0, float -3.0, float 9.5]
@one = internal addrspace(1) constant [4 x i64] [i64 1, i64 0, i64 -3, i64 9]
@two = internal addrspace(1) constant [4 x i64] zeroinitializer
@mixed = internal constant [2 x { i8, i32, [2 x i16] }] [{ i8, i32, [2 x i16] } { i8 1, i32 0, [2 x i16] [i16 0, i16 7] }, { i8, i32, [2 x i16] } zeroinitializer]
@bits = private unnamed_addr constant [4 x i1] [i1 0, i1 1, i1 1, i1 0]
define i64 @f(i64 %v) {
  %i = and i64 %v, 3
  %p = getelementptr float, ptr addrspace(1) @floats, i64 %i
  %x = load float, ptr addrspace(1) %p
  %c = icmp ugt i64 %v, 99
  %t = select i1 %c, ptr addrspace(1) @one, ptr addrspace(1) @two
  %q = getelementptr i64, ptr addrspace(1) %t, i64 %i
  %y = load i64, ptr addrspace(1) %q
  %j = and i64 %v, 1
  %r = getelementptr { i8, i32, [2 x i16] }, ptr @mixed, i64 %j, i32 2, i64 1
  %z = load i16, ptr %r
  %b = getelementptr i1, ptr @bits, i64 %i
  %w = load i1, ptr %b
  %fixed = load float, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @floats, i64 12)
  %xi = fptosi float %x to i64
  %fi = fptosi float %fixed to i64
  %zi = sext i16 %z to i64
  %wi = zext i1 %w to i64
  %s0 = mul i64 %xi, 1000
  %s1 = add i64 %s0, %y
  %s2 = mul i64 %s1, 10
  %s3 = add i64 %s2, %zi
  %s4 = mul i64 %s3, 10
  %s5 = add i64 %s4, %wi
  %s6 = add i64 %s5, %fi
  ret i64 %s6
})"),
          data, 8, data.size() / 8);
}

/// Integer atomics of all items on one word: the final value is known.
TEST_F(MemoryTest, IntegerAtomics) {
  for (std::string type : {"i8", "i16", "i32", "i64"}) {
    std::string place = type == "i8" ? "3" : type == "i16" ? "2" : "0";
    auto value = [&](const std::string &name, const std::string &from) {
      return "  %" + name +
             (type == "i64" ? " = freeze i64 " + from + "\n"
                            : " = trunc i64 " + from + " to " + type + "\n");
    };
    // Each operation has a word of its own.
    auto run = [&](const std::vector<std::string> &ops,
                   const std::string &operand, size_t items, size_t groups) {
      std::string text = R"(
define void @k(ptr addrspace(1) %a) #0 {
  %g = call i64 @sluice.device.group(i32 0)
  %i = call i64 @sluice.device.item(i32 0)
  %s = mul i64 %g, 77
  %t = add i64 %s, %i
  %u = mul i64 %t, 3000000019
)" + value("v", "%u") + value("limit", "5") +
                         value("ones", "-1");
      for (size_t n = 0; n != ops.size(); ++n)
        text += "  %w" + std::to_string(n) +
                " = getelementptr i64, ptr addrspace(1) %a, i64 " +
                std::to_string(n) + "\n  %p" + std::to_string(n) +
                " = getelementptr i8, ptr addrspace(1) %w" + std::to_string(n) +
                ", i64 " + place + "\n  %o" + std::to_string(n) +
                " = atomicrmw " + ops[n] + " ptr addrspace(1) %p" +
                std::to_string(n) + ", " + type + " " + operand + " seq_cst\n";
      std::vector<uint64_t> data(ops.size(), 0x0123456789ABCDEFu);
      compare(text + "  ret void\n}\n", data, items, groups);
    };
    run({"add", "sub", "and", "or", "xor", "max", "min", "umax", "umin"}, "%v",
        8, 4);
    // The result depends on the order, unless all instances have the same
    // limit.
    run({"uinc_wrap", "udec_wrap"}, "%limit", 8, 4);
    // It depends on the order.
    run({"nand"}, "%ones", 1, 1);
  }
}

TEST_F(MemoryTest, RealAtomics) {
  std::vector<double> data = {0.5, 0};
  compare(R"(
define void @k(ptr addrspace(1) %a) #0 {
  %i = call i64 @sluice.device.item(i32 0)
  %d = sitofp i64 %i to double
  %f = sitofp i64 %i to float
  %p = getelementptr i8, ptr addrspace(1) %a, i64 8
  %q = getelementptr i8, ptr addrspace(1) %a, i64 12
  %x = atomicrmw fadd ptr addrspace(1) %a, double %d monotonic
  %y = atomicrmw fadd ptr addrspace(1) %p, float %f monotonic
  %z = atomicrmw fmax ptr addrspace(1) %q, float %f monotonic
  ret void
})",
          data, 16, 2);
  EXPECT_EQ(data[0], 240.5);
}

TEST_F(MemoryTest, AtomicsReturnWhatWasThere) {
  std::vector<uint32_t> data(40);
  compare(R"(
define void @k(ptr addrspace(1) %a, ptr addrspace(3) %l) #0 {
  %i = call i64 @sluice.device.item(i32 0)
  %z = icmp eq i64 %i, 0
  br i1 %z, label %first, label %all
first:
  store i32 0, ptr addrspace(3) %l
  br label %all
all:
  call void @sluice.device.barrier()
  %o = atomicrmw add ptr addrspace(3) %l, i32 1 monotonic
  %w = zext i32 %o to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %w
  %old = atomicrmw xchg ptr addrspace(1) %p, i32 7 monotonic
  %c = cmpxchg ptr addrspace(1) %p, i32 7, i32 9 seq_cst seq_cst
  %v = extractvalue { i32, i1 } %c, 0
  %s = extractvalue { i32, i1 } %c, 1
  %t = zext i1 %s to i32
  %u = add i32 %v, %t
  %n = add i32 %u, %old
  %q = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %m = add i32 %n, %q
  store atomic i32 %m, ptr addrspace(1) %p release, align 4
  ret void
})",
          data, 32, 1, {local(16)});
  EXPECT_EQ(data[31], 17u);
}

/// Neighbouring values in a word do not affect each other.
TEST_F(MemoryTest, SmallAtomics) {
  std::vector<uint32_t> data(36);
  compare(R"(
define void @k(ptr addrspace(1) %a, ptr addrspace(3) %l) #0 {
  %i = call i64 @sluice.device.item(i32 0)
  %w = getelementptr i32, ptr addrspace(3) %l, i64 %i
  store i32 -1, ptr addrspace(3) %w
  call void @sluice.device.barrier()
  %n = and i64 %i, 3
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %n
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %v = trunc i64 %i to i8
  %o0 = atomicrmw add ptr addrspace(1) %p, i8 3 monotonic
  %o1 = atomicrmw umax ptr addrspace(1) %q, i8 %v monotonic
  %r = getelementptr i16, ptr addrspace(3) %l, i64 %n
  %o2 = atomicrmw sub ptr addrspace(3) %r, i16 2 monotonic
  %h = getelementptr half, ptr addrspace(1) %a, i64 4
  %o3 = atomicrmw fadd ptr addrspace(1) %h, half 1.0 monotonic
  ; Each item for itself: what was there, and whether it was expected.
  %s = getelementptr i16, ptr addrspace(3) %l, i64 32
  %t = getelementptr i16, ptr addrspace(3) %s, i64 %i
  %k = trunc i64 %n to i16
  %x = atomicrmw xchg ptr addrspace(3) %t, i16 %k monotonic
  %c = cmpxchg ptr addrspace(3) %t, i16 2, i16 9 seq_cst seq_cst
  %was = extractvalue { i16, i1 } %c, 0
  %is = extractvalue { i16, i1 } %c, 1
  call void @sluice.device.barrier()
  %y = load i16, ptr addrspace(3) %t
  %z = load i16, ptr addrspace(3) %r
  %e0 = zext i16 %x to i32
  %e1 = zext i16 %was to i32
  %e2 = zext i1 %is to i32
  %e3 = zext i16 %y to i32
  %e4 = zext i16 %z to i32
  %m0 = mul i32 %e0, 3
  %m1 = mul i32 %e1, 100
  %m2 = mul i32 %e2, 1000
  %m3 = mul i32 %e3, 10000
  %m4 = mul i32 %e4, 1000000
  %b0 = add i32 %m0, %m1
  %b1 = add i32 %b0, %m2
  %b2 = add i32 %b1, %m3
  %b3 = add i32 %b2, %m4
  %out = getelementptr i32, ptr addrspace(1) %a, i64 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %b3, ptr addrspace(1) %to
  ret void
})",
          data, 32, 1, {local(128)});
  EXPECT_EQ(data[0], 0x18181818u);
  EXPECT_EQ(data[1], 0x1F1E1D1Cu);
}

/// Atomics on an item's own memory need no special treatment.
TEST_F(MemoryTest, OwnAtomics) {
  std::vector<uint32_t> data = edges<uint32_t>();
  compare(perItem("i32", R"(
define i32 @f(i32 %x) {
  %m = alloca [4 x i32]
  store [4 x i32] [i32 1, i32 2, i32 3, i32 4], ptr %m
  %i = and i32 %x, 3
  %p = getelementptr i32, ptr %m, i32 %i
  %o = atomicrmw add ptr %p, i32 %x monotonic
  %j = and i32 %o, 3
  %q = getelementptr i32, ptr %m, i32 %j
  %c = cmpxchg ptr %q, i32 3, i32 77 monotonic monotonic
  %w = extractvalue { i32, i1 } %c, 0
  %s = extractvalue { i32, i1 } %c, 1
  %l = load atomic i32, ptr %q monotonic, align 4
  %e = zext i1 %s to i32
  %a = mul i32 %l, 31
  %b = add i32 %a, %w
  %d = add i32 %b, %e
  ret i32 %d
})"),
          data, 8, data.size() / 8);
}

TEST_F(MemoryTest, ComparedAddresses) {
  std::vector<uint64_t> data = edges<uint64_t>();
  compare(R"(
define void @k(ptr addrspace(1) %a) #0 {
  %g = call i64 @sluice.device.group(i32 0)
  %i = call i64 @sluice.device.item(i32 0)
  %h = mul i64 %g, 8
  %id = add i64 %h, %i
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %id
  %v = load i64, ptr addrspace(1) %p
  %j = and i64 %v, 7
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %j
  %b = trunc i64 %v to i1
  %c = select i1 %b, ptr addrspace(1) %p, ptr addrspace(1) null
  %n = icmp eq ptr addrspace(1) %c, null
  %l = icmp ult ptr addrspace(1) %p, %q
  %e = icmp ne ptr addrspace(1) %p, %q
  %x = zext i1 %n to i64
  %y = zext i1 %l to i64
  %z = zext i1 %e to i64
  %y2 = shl i64 %y, 1
  %z2 = shl i64 %z, 2
  %s = or i64 %x, %y2
  %t = or i64 %s, %z2
  call void @sluice.device.barrier()
  store i64 %t, ptr addrspace(1) %p
  ret void
})",
          data, 8, data.size() / 8);
}

TEST_F(MemoryTest, SmallElements) {
  std::vector<uint8_t> data = edges<uint8_t>();
  compare(perItem("i8", "define i8 @f(i8 %x) {\n  %y = mul i8 %x, %x\n"
                        "  %z = udiv i8 %y, 3\n  %w = ashr i8 %y, 2\n"
                        "  %r = add i8 %z, %w\n  ret i8 %r\n}\n"),
          data, 8, data.size() / 8);
  std::vector<uint16_t> shorts = edges<uint16_t>();
  compare(perItem("i16", "define i16 @f(i16 %x) {\n  %y = mul i16 %x, %x\n"
                         "  %z = urem i16 %y, 7\n  %w = ashr i16 %y, 5\n"
                         "  %r = sub i16 %z, %w\n  ret i16 %r\n}\n"),
          shorts, 8, shorts.size() / 8);
  compare(perItem("half", "define half @f(half %x) {\n"
                          "  %n = fcmp uno half %x, %x\n"
                          "  %y = select i1 %n, half 1.0, half %x\n"
                          "  %w = fpext half %y to float\n"
                          "  %z = fmul float %w, 0.5\n"
                          "  %r = fptrunc float %z to half\n"
                          "  ret half %r\n}\n"),
          shorts, 8, shorts.size() / 8);
}

} // namespace
