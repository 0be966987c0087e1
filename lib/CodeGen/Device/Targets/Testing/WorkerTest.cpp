//===- WorkerTest.cpp - Back ends that fail -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a back end aborts, hangs or is missing, only the kernels at fault are
// lost, never the others, and the compiler never fails.
//
//===----------------------------------------------------------------------===//

#include "../BackEndProcess.h"
#include "DeviceTest.h"
#include "Kernels.h"

using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::testing;

namespace {

class WorkerTest : public DeviceTest {
protected:
  static std::string problemOf(const Images &images, const char *entry,
                               SluiceDeviceFormat format) {
    for (const KernelProblem &problem : images.problems)
      if (problem.entry == entry && problem.format == format)
        return problem.problem;
    return "";
  }

  /// A back end that fails for kernels whose names begin with "bad".
  static BackEnd failing(unsigned &calls) {
    return [&calls](llvm::ArrayRef<std::string> kernels, std::string &failure) {
      ++calls;
      BackEndResult result;
      for (const std::string &kernel : kernels) {
        if (kernel.starts_with("bad"))
          failure = "no " + kernel;
        result.image += kernel + ";";
        result.kernels.push_back(kernel);
      }
      return result;
    };
  }
};

TEST_F(WorkerTest, FindsTheKernelsAtFault) {
  unsigned calls = 0;
  BackEndResult result =
      runBackEnd(failing(calls), {"a", "b", "bad1", "c", "d", "bad2", "e"},
                 SLUICE_DEVICE_PTX);
  EXPECT_EQ(result.image, "a;b;c;d;e;");
  ASSERT_EQ(result.problems.size(), 2u);
  EXPECT_EQ(result.problems[0].entry, "bad1");
  EXPECT_EQ(result.problems[0].problem, "no bad1");
  EXPECT_EQ(result.problems[1].entry, "bad2");
  EXPECT_LE(calls, 14u);
}

TEST_F(WorkerTest, AllOrNone) {
  unsigned calls = 0;
  EXPECT_EQ(runBackEnd(failing(calls), {"a", "b"}, SLUICE_DEVICE_PTX).image,
            "a;b;");
  EXPECT_EQ(calls, 1u);
  BackEndResult none = runBackEnd(failing(calls), {"bad"}, SLUICE_DEVICE_PTX);
  EXPECT_EQ(none.image, "");
  EXPECT_EQ(none.problems.size(), 1u);
}

TEST_F(WorkerTest, RefusesWhatDevicesDoNotHave) {
  std::unique_ptr<llvm::Module> module = parse(R"(
declare i32 @puts(ptr)
@counter = internal addrspace(1) global i32 0
define void @good(ptr addrspace(1) %a) #0 {
  store i32 1, ptr addrspace(1) %a
  ret void
}
define void @calls(ptr addrspace(1) %a) #0 {
  %m = alloca i8
  %r = call i32 @puts(ptr %m)
  store i32 %r, ptr addrspace(1) %a
  ret void
}
define void @wide(ptr addrspace(1) %a, i64 %n) #0 {
  %w = zext i64 %n to i128
  %x = mul i128 %w, %w
  store i128 %x, ptr addrspace(1) %a
  ret void
}
define void @odd(ptr addrspace(1) %a, i24 %n) #0 {
  ret void
}
define void @long(ptr addrspace(1) %a) #0 {
  %v = load x86_fp80, ptr addrspace(1) %a
  store x86_fp80 %v, ptr addrspace(1) %a
  ret void
}
define void @variable(ptr addrspace(1) %a) #0 {
  store i32 1, ptr addrspace(1) @counter
  ret void
}
define internal i32 @endless(i32 %n) {
  %m = add i32 %n, 1
  %r = call i32 @endless(i32 %m)
  %s = add i32 %r, %n
  ret i32 %s
}
define void @recursive(ptr addrspace(1) %a) #0 {
  %r = call i32 @endless(i32 1)
  store i32 %r, ptr addrspace(1) %a
  ret void
}
define void @assembly(ptr addrspace(1) %a) #0 {
  call void asm sideeffect "nop", ""()
  ret void
}
define void @dynamic(ptr addrspace(1) %a, i64 %n) #0 {
  %m = alloca i8, i64 %n
  store i8 1, ptr %m
  ret void
}
define void @indirect(ptr addrspace(1) %a, ptr %f) #0 {
  call void %f()
  ret void
})");
  ASSERT_TRUE(module);
  Images images = emit(*module);
  ASSERT_EQ(images.failure, "");
  const std::pair<const char *, const char *> expected[] = {
      {"calls", "calls 'puts'"},
      {"wide", "128 bits"},
      {"odd", "24 bits"},
      {"long", "'x86_fp80'"},
      {"variable", "'counter', which is not constant"},
      {"recursive", "'endless', which calls itself"},
      {"assembly", "contains assembly"},
      {"dynamic", "whose size is not constant"},
      {"indirect", "by its address"}};
  for (auto format : {SLUICE_DEVICE_SPIRV, SLUICE_DEVICE_PTX})
    for (const auto &[entry, text] : expected)
      EXPECT_NE(problemOf(images, entry, format).find(text), std::string::npos)
          << entry << ": " << problemOf(images, entry, format);
  EXPECT_EQ(images.problems.size(), 2 * std::size(expected));
  checkPTX(images.ptx, "good");
  EXPECT_EQ(images.ptx.find(".entry wide"), std::string::npos);
  RETURN_WITHOUT_RUNNER();
  uint32_t data = 0;
  EXPECT_EQ(runner()->run(images.spir, "good", {buffer(&data, 4)}, 1, 1), "");
  EXPECT_EQ(data, 1u);
  EXPECT_NE(runner()->run(images.spir, "wide", {buffer(&data, 4)}, 1, 1), "");
}

TEST_F(WorkerTest, NamesThePlace) {
  std::unique_ptr<llvm::Module> module = parse(R"(
declare i32 @rand()
define void @k(ptr addrspace(1) %a) #0 !dbg !3 {
  %r = call i32 @rand(), !dbg !5
  store i32 %r, ptr addrspace(1) %a, !dbg !5
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "leaf.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "leaf", file: !1, line: 1, type: !4, unit: !0)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 7, column: 12, scope: !3)
)");
  ASSERT_TRUE(module);
  Images images = emit(*module);
  EXPECT_EQ(problemOf(images, "k", SLUICE_DEVICE_PTX),
            "leaf.c:7:12: calls 'rand', which devices do not have");
  EXPECT_EQ(images.ptx, "");
  EXPECT_EQ(images.spirv, "");
}

TEST_F(WorkerTest, MissingAndWrongPrograms) {
  std::unique_ptr<llvm::Module> module =
      parse(perItem("i32", "define i32 @f(i32 %x) {\n  ret i32 7\n}\n"));
  ASSERT_TRUE(module);
  DeviceCodeOptions options = machineOptions();
  options.worker = "/no/such/program";
  EXPECT_NE(emit(*module, options).failure.find("'/no/such/program'"),
            std::string::npos);
  options.worker = "/bin/false";
  Images images = emit(*module, options);
  EXPECT_EQ(images.ptx + images.spirv + images.spir, "");
  EXPECT_NE(problemOf(images, "k", SLUICE_DEVICE_PTX).find("status 1"),
            std::string::npos);
  // A worker that exits successfully and writes nothing.
  options.worker = "/bin/true";
  EXPECT_NE(problemOf(emit(*module, options), "k", SLUICE_DEVICE_SPIRV)
                .find("cannot read"),
            std::string::npos);
  options = machineOptions();
  options.translator = "/bin/true";
  images = emit(*module, options);
  EXPECT_NE(images.spirv, "");
  EXPECT_EQ(images.spir, "");
  EXPECT_NE(problemOf(images, "k", SLUICE_DEVICE_SPIR), "");
  options = machineOptions();
  options.chip = "sm_nothing";
  EXPECT_NE(problemOf(emit(*module, options), "k", SLUICE_DEVICE_PTX)
                .find("sm_nothing"),
            std::string::npos);
  options.chip = "sm_75";
  options.libdevice = "/no/such/library";
  EXPECT_NE(emit(*module, options).ptx, "");
}

TEST_F(WorkerTest, StopsChildren) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  ASSERT_TRUE(bool(folder));
  ChildResult child =
      runChild("/bin/sleep", {"infinity"}, folder->file("log"), 0.3);
  EXPECT_FALSE(child.hasSucceeded);
  EXPECT_NE(child.problem.find("was stopped after"), std::string::npos);
}

/// LLVM computes a two-bit minimum for the loop's counter, which its SPIR-V
/// back end does not support.
TEST_F(WorkerTest, TriesAKernelAgainWithoutOptimising) {
  const char *text = R"(
define void @k(ptr addrspace(1) %a) #0 {
entry:
  %x = load i32, ptr addrspace(1) %a
  %c = icmp eq i32 %x, 7
  %y = getelementptr i32, ptr addrspace(1) %a, i64 1
  %z = load i32, ptr addrspace(1) %y
  %d = icmp eq i32 %z, 9
  br label %loop

loop:
  %k = phi i32 [ %next, %loop ], [ 0, %entry ]
  %next = add i32 %k, 1
  br i1 false, label %loop, label %exit

exit:
  %e = select i1 %c, i1 true, i1 %d
  %w = zext i1 %e to i32
  %s = icmp eq i32 %k, %w
  %t = select i1 %s, i8 0, i8 1
  %i = zext i8 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 %w, ptr addrspace(1) %p
  ret void
}
define void @other(ptr addrspace(1) %a) #0 {
  store i32 1, ptr addrspace(1) %a
  ret void
})";
  Images images = emit(*parse(text));
  EXPECT_TRUE(images.problems.empty());
  EXPECT_NE(images.spirv.find("other"), std::string::npos);
  std::vector<int32_t> data = {7, 8};
  compare(text, data, 1);
  EXPECT_EQ(data, (std::vector<int32_t>{7, 1}));
}

} // namespace
