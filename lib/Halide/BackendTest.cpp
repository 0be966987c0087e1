//===- BackendTest.cpp - Generators described, compiled, refused ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test generators: their descriptions, the code they become, and the message
// for each way in which they fail.
//
//===----------------------------------------------------------------------===//

#include "sluice/Halide/Backend.h"

#include "TestFolder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace sluice::halide;

namespace {

/// Objects go to a folder of the test.
class HalideBackendTest : public ::testing::Test {
protected:
  Request requestFor(const std::string &generator,
                     const Parameters &parameters = {}) {
    Request request;
    request.generator = generator;
    request.parameters = parameters;
    request.symbol = generator + "_symbol";
    request.target = "x86-64-linux-sse41-no_runtime";
    request.objects = objects;
    return request;
  }

  /// Describes, and expects success.
  Description describe(const Request &request) {
    Description description;
    RequestError problem;
    EXPECT_TRUE(backend->start(request)->describe(description, problem))
        << problem.parameter << ": " << problem.text;
    return description;
  }

  /// Describes, and expects a failure.
  RequestError refuse(const Request &request, Description *got = nullptr) {
    Description description;
    RequestError problem;
    EXPECT_FALSE(backend->start(request)->describe(description, problem));
    if (got)
      *got = description;
    return problem;
  }

  std::string compile(const Request &request) {
    Description description;
    RequestError problem;
    auto job = backend->start(request);
    EXPECT_TRUE(job->describe(description, problem)) << problem.text;
    job->compile();
    std::string name;
    EXPECT_TRUE(job->finish(name, problem)) << problem.text;
    return objects.pathOf(name);
  }

  Backend *backend = sluiceHalideBackend();
  sluice::test::TestFolder folder;
  sluice::Store objects{sluice::StoreKind::Halide, folder.path};
};

KnownArgument buffer(std::vector<int64_t> extents) {
  KnownArgument argument;
  argument.extents = extents;
  int64_t stride = 1;
  for (int64_t extent : extents) {
    argument.strides.push_back(stride);
    stride *= extent;
  }
  return argument;
}

KnownArgument scalar(const std::string &value) {
  KnownArgument argument;
  argument.value = value;
  return argument;
}

TEST_F(HalideBackendTest, ListsTheGeneratorsOfTheProcess) {
  auto names = backend->generators();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::count(names.begin(), names.end(), "test_blur"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "test_bad"), 1);
}

TEST_F(HalideBackendTest, DescribesBuffers) {
  Description description = describe(requestFor("test_blur"));
  ASSERT_EQ(description.arguments.size(), 2u);
  const ArgumentInfo &input = description.arguments[0];
  EXPECT_EQ(input.name, "input");
  EXPECT_EQ(input.kind, ArgumentInfo::Kind::InputBuffer);
  EXPECT_EQ(input.code, ArgumentInfo::Code::Float);
  EXPECT_EQ(input.bits, 64u);
  EXPECT_EQ(input.dimensions, 2u);
  EXPECT_EQ(input.innermostStride, 1);
  EXPECT_EQ(description.arguments[1].kind, ArgumentInfo::Kind::OutputBuffer);
}

TEST_F(HalideBackendTest, DescribesParameters) {
  Description description = describe(requestFor("test_blur"));
  ASSERT_EQ(description.parameters.size(), 4u);
  EXPECT_EQ(description.parameters[0].name, "taps");
  EXPECT_EQ(description.parameters[0].value, "3");
  EXPECT_FALSE(description.parameters[0].isTunable);
  EXPECT_TRUE(description.parameters[1].isTunable);
  EXPECT_FALSE(description.parameters[1].isInput);
  EXPECT_EQ(description.parameters[3].name, "width");
  EXPECT_EQ(description.parameters[3].value, "64");
  EXPECT_TRUE(description.parameters[3].isInput);
}

TEST_F(HalideBackendTest, DescribesScalarsOfAllTypes) {
  Description description = describe(requestFor("test_sum"));
  ASSERT_EQ(description.arguments.size(), 12u);
  unsigned widths[] = {8, 8, 16, 16, 32, 32, 64, 64, 32, 64, 1};
  for (unsigned i = 0; i != 11; ++i) {
    const ArgumentInfo &info = description.arguments[i];
    EXPECT_EQ(info.kind, ArgumentInfo::Kind::Scalar) << info.name;
    EXPECT_EQ(info.bits, widths[i]) << info.name;
    auto code = i >= 8 && i < 10   ? ArgumentInfo::Code::Float
                : i % 2 || i == 10 ? ArgumentInfo::Code::UInt
                                   : ArgumentInfo::Code::Int;
    EXPECT_EQ(info.code, code) << info.name;
  }
}

TEST_F(HalideBackendTest, DescribesEveryBufferOfATuple) {
  Description description = describe(requestFor("test_pair"));
  ASSERT_EQ(description.arguments.size(), 4u);
  EXPECT_EQ(description.arguments[1].code, ArgumentInfo::Code::Int);
  EXPECT_EQ(description.arguments[2].code, ArgumentInfo::Code::Float);
  EXPECT_EQ(description.arguments[2].bits, 64u);
  EXPECT_EQ(description.arguments[3].name, "low");
  for (int i = 1; i != 4; ++i)
    EXPECT_EQ(description.arguments[i].kind, ArgumentInfo::Kind::OutputBuffer);
}

TEST_F(HalideBackendTest, DescribesStrides) {
  Description description = describe(requestFor("test_strides"));
  ASSERT_EQ(description.arguments.size(), 3u);
  EXPECT_EQ(description.arguments[0].innermostStride, 0);
  EXPECT_EQ(description.arguments[1].innermostStride, 3);
  EXPECT_EQ(description.arguments[2].innermostStride, 1);
}

TEST_F(HalideBackendTest, TakesTypesAsParameters) {
  for (std::string bits : {"8", "16", "32", "64"})
    for (std::string isUnsigned : {"true", "false"}) {
      Description description = describe(
          requestFor("test_scale", {{"bits", bits}, {"unsigned", isUnsigned}}));
      ASSERT_EQ(description.arguments.size(), 3u);
      EXPECT_EQ(description.arguments[0].bits, unsigned(std::stoi(bits)));
      EXPECT_EQ(description.arguments[0].code, isUnsigned == "true"
                                                   ? ArgumentInfo::Code::UInt
                                                   : ArgumentInfo::Code::Int);
    }
}

TEST_F(HalideBackendTest, RefusesUnknownParameters) {
  Description got;
  RequestError problem = refuse(requestFor("test_blur", {{"p9", "1"}}), &got);
  EXPECT_EQ(problem.parameter, "p9");
  EXPECT_EQ(problem.text, "");
  EXPECT_EQ(got.parameters.size(), 4u);
}

TEST_F(HalideBackendTest, RefusesValuesThatDoNotParse) {
  RequestError problem = refuse(requestFor("test_blur", {{"p1", "four"}}));
  EXPECT_EQ(problem.parameter, "p1");
  EXPECT_EQ(problem.text, "Unable to parse: four");
  EXPECT_EQ(refuse(requestFor("test_bad", {{"what", "none"}})).parameter,
            "what");
}

TEST_F(HalideBackendTest, RefusesValuesOutOfRange) {
  RequestError problem = refuse(requestFor("test_scale", {{"shift", "101"}}));
  EXPECT_EQ(problem.parameter, "shift");
  EXPECT_EQ(problem.text, "Value out of range: 101");
}

TEST_F(HalideBackendTest, SurvivesWhatGeneratorsDoWrong) {
  std::map<std::string, std::string> expected{
      {"schedule", "other"},
      {"crash", "it crashed: Segmentation fault"},
      {"abort", "it crashed: Aborted"},
      {"exit", "it ended the process with status 3"},
      {"throw", "thrown by the generator"},
      {"undefined", "out"}};
  for (const auto &[what, text] : expected) {
    RequestError problem = refuse(requestFor("test_bad", {{"what", what}}));
    EXPECT_EQ(problem.parameter, "") << what;
    EXPECT_NE(problem.text.find(text), std::string::npos)
        << what << ": " << problem.text;
  }
}

TEST_F(HalideBackendTest, RefusesTargetsThatHalideDoesNotKnow) {
  Request request = requestFor("test_blur");
  request.target = "x86-64-linux-sse99";
  EXPECT_NE(refuse(request).text.find("sse99"), std::string::npos);
}

TEST_F(HalideBackendTest, FindsInputsThatAreTooSmall) {
  Request request = requestFor("test_blur", {{"taps", "5"}});
  request.calls = {{buffer({20, 30}), buffer({16, 26})},
                   {buffer({19, 30}), buffer({16, 26})},
                   {buffer({20, 29}), buffer({16, 26})},
                   {KnownArgument(), buffer({16, 26})},
                   {buffer({20, 30})}};
  Description description = describe(request);
  ASSERT_EQ(description.violations.size(), 5u);
  EXPECT_EQ(description.violations[0].error, "");
  const Violation &across = description.violations[1];
  EXPECT_EQ(across.error, "access_out_of_bounds");
  EXPECT_EQ(across.details, (std::vector<std::string>{"Input buffer input", "0",
                                                      "0", "19", "0", "18"}));
  EXPECT_EQ(description.violations[2].details[1], "1");
  EXPECT_EQ(description.violations[3].error, "") << "nothing is known";
  EXPECT_EQ(description.violations[4].error, "") << "not the arguments";
}

TEST_F(HalideBackendTest, FindsScalarsOutOfRange) {
  Request request = requestFor("test_mask");
  request.calls = {{buffer({8}), scalar("1000"), buffer({8})},
                   {buffer({8}), scalar("1001"), buffer({8})},
                   {buffer({8}), scalar(""), buffer({8})}};
  Description description = describe(request);
  ASSERT_EQ(description.violations.size(), 3u);
  EXPECT_EQ(description.violations[0].error, "");
  EXPECT_EQ(description.violations[1].error, "param_too_large_i64");
  EXPECT_EQ(description.violations[1].details,
            (std::vector<std::string>{"limit", "1001", "1000"}));
  EXPECT_EQ(description.violations[2].error, "");
}

TEST_F(HalideBackendTest, FindsBuffersThatAreTooLarge) {
  Request request = requestFor("test_volume");
  request.calls = {{buffer({2048, 1024, 1030}), buffer({2040, 1020, 1020})}};
  EXPECT_EQ(describe(request).violations[0].error,
            "buffer_allocation_too_large");
  request.target += "-large_buffers";
  EXPECT_EQ(describe(request).violations[0].error, "");
}

TEST_F(HalideBackendTest, CompilesEqualCodeOnce) {
  std::string first = compile(requestFor("test_blur"));
  EXPECT_TRUE(std::filesystem::exists(first));
  auto time = std::filesystem::last_write_time(first);
  // `width` is never read: the code is the same.
  EXPECT_EQ(compile(requestFor("test_blur", {{"width", "65"}})), first);
  EXPECT_EQ(std::filesystem::last_write_time(first), time);
  EXPECT_NE(compile(requestFor("test_blur", {{"taps", "4"}})), first);
}

TEST_F(HalideBackendTest, CompilesDamagedObjectsAgain) {
  std::string path = compile(requestFor("test_blur"));
  auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size / 2);
  EXPECT_EQ(compile(requestFor("test_blur")), path);
  EXPECT_EQ(std::filesystem::file_size(path), size);
}

TEST_F(HalideBackendTest, TellsTypesAndTargetsApart) {
  Request request = requestFor("test_scale");
  std::string plain = compile(request);
  request.target = "x86-64-linux-sse41-avx-avx2-no_runtime";
  EXPECT_NE(compile(request), plain);
  EXPECT_NE(compile(requestFor("test_scale", {{"unsigned", "true"}})), plain);
}

TEST_F(HalideBackendTest, SchedulesAutomatically) {
  std::string plain = compile(requestFor("test_automatic"));
  std::string scheduled = compile(
      requestFor("test_automatic", {{"autoscheduler", "Mullapudi2016"}}));
  EXPECT_NE(scheduled, plain);
  RequestError problem =
      refuse(requestFor("test_automatic", {{"autoscheduler", "Best2099"}}));
  EXPECT_EQ(problem.parameter, "autoscheduler");
}

TEST_F(HalideBackendTest, EndsJobsThatNobodyWaitsFor) {
  std::vector<std::unique_ptr<Job>> jobs;
  for (int i = 0; i != 4; ++i)
    jobs.push_back(backend->start(requestFor("test_blur")));
  Description description;
  RequestError problem;
  EXPECT_TRUE(jobs[2]->describe(description, problem));
  jobs.erase(jobs.begin());
  EXPECT_TRUE(jobs[2]->describe(description, problem));
}

TEST_F(HalideBackendTest, CompilesTheRuntime) {
  RequestError problem;
  const std::string name = "runtime.o", path = objects.pathOf(name);
  std::string written;
  EXPECT_TRUE(backend->startRuntime("x86-64-linux-sse41", objects, name)
                  ->finish(written, problem))
      << problem.text;
  EXPECT_EQ(written, name);
  EXPECT_GT(std::filesystem::file_size(path), 10000u);
  EXPECT_FALSE(backend->startRuntime("x86-64-linux-sse99", objects, name)
                   ->finish(written, problem));
  EXPECT_NE(problem.text.find("sse99"), std::string::npos);
}

} // namespace
