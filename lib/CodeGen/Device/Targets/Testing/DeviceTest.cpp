//===- DeviceTest.cpp - Shared code of tests of device code ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of device code build images from text, run them if a device is
// available, and compare memory. This file contains the shared code.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "../ChildProcess.h"
#include "HostRunner.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::testing;

static const char *const prelude = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare i64 @sluice.device.group(i32)
declare i64 @sluice.device.item(i32)
declare i64 @sluice.device.items(i32)
declare void @sluice.device.barrier() convergent
attributes #0 = { nounwind "sluice-kernel" }
)";

std::unique_ptr<Module> DeviceTest::parse(StringRef text) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      parseAssemblyString((prelude + text).str(), problem, context);
  if (!module) {
    std::string message;
    raw_string_ostream os(message);
    problem.print("test", os);
    ADD_FAILURE() << message;
    return nullptr;
  }
  EXPECT_FALSE(verifyModule(*module, &errs()));
  return module;
}

static std::string findFile(std::initializer_list<const char *> paths) {
  for (const char *path : paths)
    if (sys::fs::exists(path))
      return path;
  return "";
}

DeviceCodeOptions DeviceTest::machineOptions() {
  DeviceCodeOptions options;
  options.worker = SLUICE_DEVICE_CODEGEN;
  if (ErrorOr<std::string> translator = sys::findProgramByName("llvm-spirv-15"))
    options.translator = *translator;
  return options;
}

Images DeviceTest::emit(const Module &module,
                        const DeviceCodeOptions &options) {
  Images images;
  Expected<std::vector<DeviceImage>> made =
      emitImages(module, options, images.problems);
  if (!made) {
    images.failure = toString(made.takeError());
    return images;
  }
  for (DeviceImage &image : *made)
    (image.format == SLUICE_DEVICE_SPIRV  ? images.spirv
     : image.format == SLUICE_DEVICE_SPIR ? images.spir
                                          : images.ptx) = std::move(image.code);
  return images;
}

/// The path of CUDA's assembler, or an empty string.
static std::string assembler() {
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
    return *found;
  return findFile({"/usr/local/cuda/bin/ptxas"});
}

void DeviceTest::checkPTX(const std::string &ptx, const std::string &entry) {
  // PTX is a string, whose last byte is zero.
  ASSERT_FALSE(ptx.empty());
  ASSERT_EQ(ptx.back(), '\0');
  StringRef text(ptx.c_str());
  ASSERT_EQ(text.size() + 1, ptx.size());
  for (const std::string &part :
       {std::string("\n.version "), std::string("\n.target sm_"),
        std::string("\n.address_size 64"), ".visible .entry " + entry + "("})
    EXPECT_TRUE(text.contains(part)) << part << " is not in\n" << ptx.c_str();
  for (const char *part : {".extern .func", ".approx", ".ftz"})
    EXPECT_FALSE(text.contains(part)) << part << " is in\n" << ptx.c_str();
  EXPECT_EQ(text.count('{'), text.count('}')) << ptx.c_str();

  static const std::string program = assembler();
  if (program.empty())
    return;
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  ASSERT_TRUE(bool(folder)) << toString(folder.takeError());
  ASSERT_FALSE(bool(writeFile(folder->file("a.ptx"), ptx.c_str())));
  for (const char *chip : {"sm_75", "sm_90"}) {
    ChildResult child =
        runChild(program,
                 {std::string("-arch=") + chip, folder->file("a.ptx"), "-o",
                  folder->file("a.cubin")},
                 folder->file("log"), 60);
    EXPECT_TRUE(child.hasSucceeded) << chip << ": " << child.problem << "\n"
                                    << ptx.c_str();
  }
}

/// Describes the difference between two memories.
static std::string difference(const std::vector<unsigned char> &host,
                              const std::vector<unsigned char> &device) {
  size_t at = 0;
  while (at < host.size() && host[at] == device[at])
    ++at;
  if (at == host.size())
    return "";
  std::string text;
  raw_string_ostream os(text);
  os << "byte " << at << " differs; from " << at / 8 * 8 << " host";
  for (size_t i = at / 8 * 8; i < host.size() && i < at / 8 * 8 + 8; ++i)
    os << format(" %02x", host[i]);
  os << ", device";
  for (size_t i = at / 8 * 8; i < host.size() && i < at / 8 * 8 + 8; ++i)
    os << format(" %02x", device[i]);
  return text;
}

void DeviceTest::compareBytes(StringRef text, void *data, size_t size,
                              size_t items, size_t groups,
                              std::vector<Parameter> more) {
  std::unique_ptr<Module> module = parse(text);
  ASSERT_TRUE(module);
  compareModule(*module, data, size, items, groups, std::move(more));
}

void DeviceTest::compareModule(const Module &module, void *data, size_t size,
                               size_t items, size_t groups,
                               std::vector<Parameter> more) {
  ASSERT_FALSE(verifyModule(module, &errs()));
  std::string text;
  raw_string_ostream os(text);
  module.print(os, nullptr);
  Images images = emit(module);
  ASSERT_EQ(images.failure, "");
  for (const KernelProblem &problem : images.problems)
    ADD_FAILURE() << problem.entry << " (format " << problem.format
                  << "): " << problem.problem << "\n"
                  << text;
  checkPTX(images.ptx);
  auto *bytes = static_cast<unsigned char *>(data);
  std::vector<unsigned char> onHost(bytes, bytes + size);
  std::vector<unsigned char> onDevice = onHost;
  more.insert(more.begin(), buffer(onHost.data(), size));
  ASSERT_EQ(runOnHost(module, "k", more, groups, items), "");
  std::copy(onHost.begin(), onHost.end(), bytes);
  RETURN_WITHOUT_RUNNER();
  more.front() = buffer(onDevice.data(), size);
  ASSERT_EQ(runner()->run(images.spir, "k", more, groups, items), "");
  EXPECT_EQ(difference(onHost, onDevice), "") << text;
}

std::string DeviceTest::runnerProblem;

OpenCLRunner *DeviceTest::runner() {
  static std::unique_ptr<OpenCLRunner> runner =
      machineOptions().translator.empty()
          ? (runnerProblem = "there is no llvm-spirv-15", nullptr)
          : OpenCLRunner::open(runnerProblem);
  return runner.get();
}
