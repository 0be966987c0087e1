//===- RunTest.cpp - Halide tasks from the API to their results -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every result is compared with plain loops. Shapes are not square, so that a
// wrong order of dimensions cannot pass.
//
//===----------------------------------------------------------------------===//

#include "sluice/TaskGraph.h"

#include "TestFolder.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>

using namespace sluice;

namespace {

class HalideRunTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    own.emplace();
    folder = own->path;
    setenv("SLUICE_CACHE_DIR", own->file("cache").c_str(), 1);
  }
  static void TearDownTestSuite() { own.reset(); }
  static std::optional<test::TestFolder> own;
  static std::string folder;
};
std::optional<test::TestFolder> HalideRunTest::own;
std::string HalideRunTest::folder;

std::vector<double> noise(size_t count) {
  std::vector<double> values(count);
  unsigned state = 12345;
  for (double &value : values) {
    state = state * 1664525u + 1013904223u;
    value = (state >> 8) / 1000.0;
  }
  return values;
}

/// What test_blur computes, row-major.
std::vector<double> plainBlur(const std::vector<double> &in, int height,
                              int width, int taps) {
  int h = height - taps + 1, w = width - taps + 1;
  std::vector<double> out(h * w);
  for (int y = 0; y != h; ++y)
    for (int x = 0; x != w; ++x) {
      double down = 0;
      for (int j = 0; j != taps; ++j) {
        double across = 0;
        for (int i = 0; i != taps; ++i)
          across += 1.0 / (i + 1) * in[(y + j) * width + x + i];
        down += 1.0 / (j + 2) * across;
      }
      out[y * w + x] = down;
    }
  return out;
}

double farthest(const std::vector<double> &a, const std::vector<double> &b) {
  EXPECT_EQ(a.size(), b.size());
  double result = 0;
  for (size_t i = 0; i != a.size(); ++i)
    result = std::max(result, std::abs(a[i] - b[i]));
  return result;
}

TEST_F(HalideRunTest, BlursRowMajorImages) {
  const int height = 37, width = 61, taps = 5;
  std::vector<double> image = noise(height * width);
  TaskGraph graph("blur");
  Dat &in = graph.createDat(height, width, image);
  Dat &out = graph.createDat(height - taps + 1, width - taps + 1);
  graph.createTask(
      HalideKernel("test_blur", {{"taps", "5"}, {"p1", "4"}, {"p2", "8"}}),
      {sluice::in(in), sluice::out(out)});
  graph.run();
  EXPECT_LT(farthest(graph.readDat(out), plainBlur(image, height, width, taps)),
            1e-9);
}

TEST_F(HalideRunTest, KeepsTheOrderOfThreeDimensions) {
  const int D = 9, H = 7, W = 5;
  TaskGraph graph("volume");
  std::vector<float> values(D * H * W);
  std::iota(values.begin(), values.end(), 0.0f);
  Dat &in = graph.createFloatDat(3, {D, H, W}, values);
  Dat &out = graph.createFloatDat(3, {D - 3, H - 2, W - 1});
  graph.createTask(HalideKernel("test_volume"),
                   {sluice::in(in), sluice::out(out)});
  graph.run();
  auto at = [&](int z, int y, int x) { return values[(z * H + y) * W + x]; };
  std::vector<double> expected;
  for (int z = 0; z != D - 3; ++z)
    for (int y = 0; y != H - 2; ++y)
      for (int x = 0; x != W - 1; ++x)
        expected.push_back(at(z, y, x) + 10 * at(z, y, x + 1) +
                           100 * at(z, y + 2, x) + 1000 * at(z + 3, y, x));
  EXPECT_EQ(farthest(graph.readDat(out), expected), 0.0);
}

TEST_F(HalideRunTest, ScalesAllElementTypes) {
  for (int bits : {8, 16, 32, 64})
    for (bool isUnsigned : {false, true}) {
      TaskGraph graph("scale");
      std::vector<int64_t> values{1, 2, 3, 4, 5, 6, 7};
      std::vector<uint64_t> bare(values.begin(), values.end());
      Dat &in =
          isUnsigned
              ? static_cast<Dat &>(graph.createUIntDat(bits, 1, {7}, bare))
              : graph.createIntDat(bits, 1, {7}, values);
      Dat &out = isUnsigned
                     ? static_cast<Dat &>(graph.createUIntDat(bits, 1, {7}))
                     : graph.createIntDat(bits, 1, {7});
      IntScalar &factor = graph.createIntScalar(32, isUnsigned ? 3 : -3);
      graph.createTask(
          HalideKernel("test_scale",
                       {{"bits", std::to_string(bits)},
                        {"unsigned", isUnsigned ? "true" : "false"},
                        {"shift", "2"}}),
          {sluice::in(in), &factor, sluice::out(out)});
      graph.run();
      for (int i = 0; i != 7; ++i)
        EXPECT_EQ(graph.readDat(out)[i],
                  (isUnsigned ? 3.0 : -3.0) * (i + 1) + 2)
            << bits << ' ' << isUnsigned;
    }
}

TEST_F(HalideRunTest, PassesScalarsOfAllTypes) {
  TaskGraph graph("sum");
  Dat &out = graph.createDoubleDat(1, {4});
  graph.createTask(HalideKernel("test_sum"),
                   {&graph.createIntScalar(8, uint64_t(-100)),
                    &graph.createIntScalar(8, 200),
                    &graph.createIntScalar(16, uint64_t(-30000)),
                    &graph.createIntScalar(16, 60000),
                    &graph.createIntScalar(32, uint64_t(-2000000000)),
                    &graph.createIntScalar(32, 4000000000u),
                    &graph.createIntScalar(64, uint64_t(-5000000000)),
                    &graph.createIntScalar(64, 9000000000u),
                    &graph.createFloatScalar(0.25f),
                    &graph.createDoubleScalar(1e-3),
                    &graph.createIntScalar(8, 1), sluice::out(out)});
  graph.run();
  double sum = -100.0 + 200 - 30000 + 60000 - 2000000000.0 + 4000000000.0 -
               5000000000.0 + 9000000000.0 + 0.25 + 1e-3 + 0.5;
  for (int x = 0; x != 4; ++x)
    EXPECT_NEAR(graph.readDat(out)[x], sum + x, 1e-6);
}

TEST_F(HalideRunTest, FillsTuplesAndMasks) {
  TaskGraph graph("pair");
  Dat &in =
      graph.createIntDat(32, 1, {5}, std::vector<int64_t>{1, 5, 9, 500, 7});
  Dat &whole = graph.createIntDat(32, 1, {5});
  Dat &half = graph.createDoubleDat(1, {5});
  Dat &low = graph.createUIntDat(8, 1, {5});
  Dat &mask = graph.createUIntDat(8, 1, {5});
  graph.createTask(HalideKernel("test_pair"),
                   {sluice::in(in), sluice::out(whole), sluice::out(half),
                    sluice::out(low)});
  graph.createTask(
      HalideKernel("test_mask"),
      {sluice::in(in), &graph.createIntScalar(64, 6), sluice::out(mask)});
  graph.run();
  EXPECT_EQ(graph.readDat(whole), (std::vector<double>{2, 6, 10, 501, 8}));
  EXPECT_EQ(graph.readDat(half), (std::vector<double>{.5, 2.5, 4.5, 250, 3.5}));
  EXPECT_EQ(graph.readDat(low), (std::vector<double>{1, 5, 9, 244, 7}));
  EXPECT_EQ(graph.readDat(mask), (std::vector<double>{0, 0, 1, 1, 1}));
}

TEST_F(HalideRunTest, PacksPartsWithSteps) {
  TaskGraph graph("parts");
  std::vector<int64_t> values(24);
  std::iota(values.begin(), values.end(), 0);
  Dat &in = graph.createIntDat(32, 1, {24}, values);
  Dat &out = graph.createIntDat(32, 1, {24});
  Dat &every = graph.createSubDat(in, {{1, 24, 3}});
  Dat &into = graph.createSubDat(out, {{0, 24, 3}});
  graph.createTask(
      HalideKernel("test_scale"),
      {sluice::in(every), &graph.createIntScalar(32, 10), sluice::inout(into)});
  graph.run();
  std::vector<double> result = graph.readDat(out);
  for (int i = 0; i != 24; ++i)
    EXPECT_EQ(result[i], i % 3 ? 0 : 10 * (i + 1)) << i;
}

TEST_F(HalideRunTest, RunsParallelAndAsyncSchedules) {
  TaskGraph graph("schedules");
  Dat &in = graph.createDat(50, 70, noise(3500));
  Dat &out = graph.createDat(50, 70);
  graph.createTask(HalideKernel("test_parallel"),
                   {sluice::in(in), sluice::out(out)});
  std::vector<int64_t> numbers(33 * 20);
  std::iota(numbers.begin(), numbers.end(), 0);
  Dat &first = graph.createIntDat(32, 2, {33, 20}, numbers);
  Dat &second = graph.createIntDat(32, 2, {32, 20});
  graph.createTask(HalideKernel("test_async"),
                   {sluice::in(first), sluice::out(second)});
  Options options;
  options.workers = 4;
  graph.run(options);
  std::vector<double> values = noise(3500), expected;
  for (double value : values) {
    for (int i = 0; i != 20; ++i)
      value = value * 0.5 + 1.0;
    expected.push_back(value);
  }
  EXPECT_LT(farthest(graph.readDat(out), expected), 1e-9);
  std::vector<double> sums = graph.readDat(second);
  for (size_t i = 0; i != sums.size(); ++i)
    ASSERT_EQ(sums[i], 3.0 * (2 * i + 20)) << i;
}

TEST_F(HalideRunTest, NamesTheTaskThatHalideRefusesAtRunTime) {
  std::ofstream(folder + "/set.c") << "#include <stdint.h>\n"
                                      "void set_limit(int32_t *limit) "
                                      "{ *limit = 2000; }\n";
  TaskGraph graph("late");
  IntScalar &limit = graph.createIntScalar(32);
  Dat &in = graph.createIntDat(32, 1, {5});
  Dat &mask = graph.createUIntDat(8, 1, {5});
  graph.createTask(CKernel("set_limit", folder + "/set.c"),
                   {&graph.createPtrScalar(&limit)});
  graph
      .createTask(HalideKernel("test_mask"),
                  {sluice::inout(in), &limit, sluice::out(mask)})
      .setName("masking");
  try {
    graph.run();
    FAIL() << "2000 is above the parameter's maximum";
  } catch (const RunError &error) {
    std::string text = error.what();
    EXPECT_NE(text.find("task 'masking'"), std::string::npos) << text;
    EXPECT_NE(text.find("limit"), std::string::npos) << text;
    EXPECT_NE(text.find("2000"), std::string::npos) << text;
  }
}

TEST_F(HalideRunTest, RefusesScalarsThatDoNotFitAtRunTime) {
  std::ofstream(folder + "/wide.c") << "#include <stdint.h>\n"
                                       "void set_wide(int64_t *value) "
                                       "{ *value = INT64_C(5000000000); }\n";
  TaskGraph graph("wide");
  IntScalar &limit = graph.createIntScalar(64);
  Dat &in = graph.createIntDat(32, 1, {5});
  Dat &mask = graph.createUIntDat(8, 1, {5});
  graph.createTask(CKernel("set_wide", folder + "/wide.c"),
                   {&graph.createPtrScalar(&limit)});
  graph.createTask(HalideKernel("test_mask"),
                   {sluice::inout(in), &limit, sluice::out(mask)});
  try {
    graph.run();
    FAIL() << "5000000000 does not fit 32 bits";
  } catch (const RunError &error) {
    EXPECT_NE(std::string(error.what()).find("does not fit"), std::string::npos)
        << error.what();
  }
}

std::map<std::string, std::filesystem::file_time_type>
filesOf(const std::string &folder) {
  std::map<std::string, std::filesystem::file_time_type> files;
  for (auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[entry.path()] = entry.last_write_time();
  return files;
}

void buildScale(TaskGraph &graph) {
  Dat &in = graph.createIntDat(32, 1, {3}, std::vector<int64_t>{1, 2, 3});
  Dat &out = graph.createIntDat(32, 1, {3});
  out.setName("result");
  graph.createTask(
      HalideKernel("test_scale"),
      {sluice::in(in), &graph.createIntScalar(32, 7), sluice::out(out)});
  graph.setDatPrint(true);
}

TEST_F(HalideRunTest, CompilesNothingTheSecondTime) {
  TaskGraph first("again");
  buildScale(first);
  first.run();
  auto files = filesOf(folder + "/cache");
  TaskGraph second("again");
  buildScale(second);
  second.run();
  // A moved line makes at most another program from the same objects.
  auto after = filesOf(folder + "/cache");
  size_t numObjects = 0;
  for (const auto &[path, time] : after)
    if (path.find("/halide/") != std::string::npos) {
      ASSERT_TRUE(files.count(path)) << path;
      EXPECT_EQ(files[path], time) << path;
      ++numObjects;
    }
  EXPECT_GT(numObjects, 0u);
}

// Runs use code for this CPU, and executables use code for others: both give
// the same bits.
TEST_F(HalideRunTest, GivesTheSameBitsOnAllCPUs) {
  const int height = 21, width = 34;
  TaskGraph graph("bits");
  Dat &in = graph.createDoubleDat(2, {height, width}, noise(height * width));
  Dat &out = graph.createDoubleDat(2, {height - 2, width - 2});
  graph.createTask(HalideKernel("test_blur"),
                   {sluice::in(in), sluice::out(out)});
  graph.run();
  std::vector<double> expected = graph.readDat(out);
  graph.setDatPrint(true);
  for (const char *cpu : {"x86-64-v2", "native"}) {
    Options options;
    options.cpu = cpu;
    std::string program = folder + "/bits", output = folder + "/bits.txt";
    graph.compile(program, options);
    ASSERT_EQ(std::system((program + " > " + output).c_str()), 0);
    std::ifstream file(output);
    std::string word;
    // The printed text gives the exact number back; the input comes first.
    std::vector<double> values;
    while (file >> word)
      if (isdigit(word[0]) || word[0] == '-')
        values.push_back(std::strtod(word.c_str(), nullptr));
    ASSERT_GE(values.size(), expected.size()) << cpu;
    values.erase(values.begin(), values.end() - expected.size());
    EXPECT_EQ(values, expected) << cpu;
  }
}

// A generator is compiled again when a file or a variable that it read changes,
// and only then.
TEST_F(HalideRunTest, NoticesWhatGeneratorsRead) {
  std::string table = folder + "/table.txt";
  auto write = [&](const std::string &path, const char *text) {
    std::ofstream(path) << text;
  };
  int numGraphs = 0;
  auto result = [&] {
    TaskGraph graph("reading" + std::to_string(numGraphs++));
    Dat &in = graph.createIntDat(32, 1, {2}, std::vector<int64_t>{1, 2});
    Dat &out = graph.createIntDat(32, 1, {2});
    graph.createTask(HalideKernel("test_reading"),
                     {sluice::in(in), sluice::out(out)});
    graph.run();
    return graph.readDat(out);
  };
  using Values = std::vector<double>;
  write(table, "3");
  setenv("SLUICE_TEST_TABLE", table.c_str(), 1);
  EXPECT_EQ(result(), (Values{3, 6}));
  auto files = filesOf(folder + "/cache/halide");
  EXPECT_EQ(result(), (Values{3, 6}));
  EXPECT_EQ(filesOf(folder + "/cache/halide"), files);
  write(table, "4");
  EXPECT_EQ(result(), (Values{4, 8}));
  setenv("SLUICE_TEST_ADDED", "10", 1);
  EXPECT_EQ(result(), (Values{14, 18}));
  setenv("SLUICE_TEST_ADDED", "20", 1);
  EXPECT_EQ(result(), (Values{24, 28}));
  unsetenv("SLUICE_TEST_ADDED");
  EXPECT_EQ(result(), (Values{4, 8}));
  // A file that did not exist.
  std::string other = folder + "/other.txt";
  setenv("SLUICE_TEST_TABLE", other.c_str(), 1);
  result();
  write(other, "5");
  EXPECT_EQ(result(), (Values{5, 10}));
  unsetenv("SLUICE_TEST_TABLE");
}

TEST_F(HalideRunTest, MakesExecutables) {
  TaskGraph graph("scaled");
  buildScale(graph);
  std::string program = folder + "/scaled", output = folder + "/scaled.txt";
  graph.compile(program);
  ASSERT_EQ(std::system((program + " > " + output).c_str()), 0);
  std::ifstream file(output);
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find("result =\n7 14 21\n"), std::string::npos) << text;
}

TEST_F(HalideRunTest, TunesTasksAndRefusesWrongVariants) {
  std::string tuned = folder + "/tuned.ini";
  TaskGraph graph("tuned");
  Dat &in = graph.createIntDat(32, 1, {3}, std::vector<int64_t>{1, 2, 3});
  Dat &out = graph.createIntDat(32, 1, {3});
  graph
      .createTask(
          HalideKernel("test_scale", {{"shift", "1"}}),
          {sluice::in(in), &graph.createIntScalar(32, 7), sluice::out(out)})
      .addVariant({{"shift", "5"}})
      .setName("scaling");
  setenv("SLUICE_TUNE", tuned.c_str(), 1);
  graph.run();
  unsetenv("SLUICE_TUNE");
  std::ifstream file(tuned);
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find("[scaling]"), std::string::npos) << text;
  EXPECT_NE(text.find("\nshift = 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("refused"), std::string::npos) << text;
  // A written file can be read and is used from then on.
  std::ofstream(tuned) << "[scaling]\nshift = 9\n";
  Options options;
  options.tunedParamsFile = tuned;
  graph.run(options);
  EXPECT_EQ(graph.readDat(out), (std::vector<double>{16, 23, 30}));
}

TEST_F(HalideRunTest, DumpsGraphsWithTheirObjects) {
  TaskGraph graph("dumped");
  buildScale(graph);
  graph.dump(folder + "/dumped.mlir");
  size_t objects = 0;
  for (auto &entry :
       std::filesystem::directory_iterator(folder + "/dumped.mlir.objects"))
    objects += entry.path().extension() == ".o";
  EXPECT_EQ(objects, 2u) << "the generator's and Halide's runtime";
}

} // namespace
