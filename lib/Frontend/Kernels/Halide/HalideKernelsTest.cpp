//===- HalideKernelsTest.cpp - Tasks compared with generators -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks tasks against generators that are compiled into the test, with a
// separate cache.
//
//===----------------------------------------------------------------------===//

#include "HalideGenerators.h"
#include "HalideModule.h"
#include "HalideTarget.h"
#include "HalideVariants.h"
#include "TestFolder.h"
#include "TunedParameters.h"
#include "mlir/Parser/Parser.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"
#include "llvm/Support/FileSystem.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>

using namespace sluice;
using namespace sluice::driver;

namespace {

std::unique_ptr<mlir::MLIRContext> makeContext() {
  auto context = std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<dfg::DFGDialect>();
  return context;
}

/// Resolves graphs of Halide tasks with the tests' own cache.
class HalideKernelsTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    own.emplace();
    folder = own->path;
    setenv("SLUICE_CACHE_DIR", own->file("cache").c_str(), 1);
  }
  static void TearDownTestSuite() {
    unsetenv("SLUICE_CACHE_DIR");
    own.reset();
  }
  void SetUp() override {
    options.hasGenerators = true;
    options.cpu = "x86-64-v2";
  }
  /// Resolves the tasks of `text`. Returns false if there are problems, which
  /// are in `problems`.
  bool resolve(const std::string &text) {
    problems.clear();
    mlir::ScopedDiagnosticHandler handler(context.get(),
                                          [&](mlir::Diagnostic &diagnostic) {
                                            problems += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    if (!module)
      return false;
    TaskOrder order =
        inferTaskOrder(*module->getOps<dfg::TaskGraphOp>().begin());
    llvm::Module code("code", codeContext);
    Resolution resolution{order, *module, options, code, {}, {}, {}, {}};
    resolution.resolved.resize(order.tasks.size());
    bool isGood = resolveHalideKernels(resolution);
    resolved = std::move(resolution.resolved);
    linkInputs = std::move(resolution.linkInputs);
    dependencies = std::move(resolution.dependencies);
    return isGood;
  }

  /// Expects that the graph of `blur` with these arguments and this data is
  /// rejected with `message`.
  void expectRefused(const std::string &text, const std::string &message) {
    EXPECT_FALSE(resolve(text)) << message;
    EXPECT_NE(problems.find(message), std::string::npos)
        << "expected: " << message << "\ngot: " << problems;
  }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::LLVMContext codeContext;
  KernelOptions options;
  static std::optional<test::TestFolder> own;
  static std::string folder;
  std::string problems;
  std::vector<codegen::ResolvedTask> resolved;
  std::vector<std::string> linkInputs, dependencies;
};

std::optional<test::TestFolder> HalideKernelsTest::own;
std::string HalideKernelsTest::folder;

const char *const blurData = R"(
  dfg.dataset @image : f64 [40, 30]
  dfg.dataset @blurred : f64 [38, 28]
  dfg.dataset @transposed : f64 [28, 38]
  dfg.dataset @short : f64 [40, 29]
  dfg.dataset @single : f32 [40, 30]
  dfg.dataset @line : f64 [40]
  dfg.scalar @number : si32 = 3
  dfg.object @state
)";

std::string blur(const std::string &arguments, const std::string &rest = "") {
  return std::string(blurData) +
         "dfg.task_graph @g { %t = dfg.task halide "
         "\"test_blur\"(" +
         arguments + ") " + rest + " }";
}

TEST_F(HalideKernelsTest, ResolvesTasks) {
  ASSERT_TRUE(resolve(blur("in @image, out @blurred"))) << problems;
  ASSERT_EQ(resolved.size(), 1u);
  ASSERT_EQ(resolved[0].variants.size(), 1u);
  const codegen::HalideFunction &function = resolved[0].variants[0];
  EXPECT_EQ(function.symbol.rfind("test_blur_", 0), 0u);
  ASSERT_EQ(function.parameters.size(), 2u);
  EXPECT_TRUE(function.parameters[0].isBuffer);
  EXPECT_TRUE(function.parameters[0].isFloat);
  EXPECT_EQ(function.parameters[0].bits, 64u);
  EXPECT_EQ(function.parameters[0].innermostStride, 1);
  ASSERT_EQ(linkInputs.size(), 2u);
  for (const std::string &path : linkInputs)
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  EXPECT_FALSE(dependencies.empty());
  EXPECT_TRUE(findHalideRuntime(*module));
}

TEST_F(HalideKernelsTest, RefusesWrongArguments) {
  expectRefused(blur("in @image"),
                "task 'test_blur': it has 1 argument, but generator "
                "'test_blur' takes 2: 'input' (input of float64, 2 dimensions) "
                "and 'output' (output of float64, 2 dimensions)");
  expectRefused(blur("in @single, out @blurred"),
                "argument 1, 'single', holds float32, but 'input' (input of "
                "float64, 2 dimensions) of generator 'test_blur' wants "
                "float64");
  expectRefused(blur("in @line, out @blurred"),
                "argument 1, 'line', has 1 dimension, but 'input' (input of "
                "float64, 2 dimensions) of generator 'test_blur' wants 2");
  expectRefused(blur("value @number, out @blurred"),
                "argument 1, 'number', is a scalar, but generator 'test_blur' "
                "takes 'input' (input of float64, 2 dimensions) there");
  expectRefused(blur("@state, out @blurred"), "uses the object @state");
  expectRefused(blur("out @image, out @blurred"),
                "argument 1, 'image', is said to be written only, but 'input'");
  expectRefused(blur("in @image, in @blurred"),
                "argument 2, 'blurred', is said to be read only, but 'output'");
}

TEST_F(HalideKernelsTest, RefusesShapesThatDoNotFit) {
  expectRefused(blur("in @short, out @blurred"),
                "'short' has 29 elements in dimension 1, but generator "
                "'test_blur' touches elements 0 to 29 of 'input'");
  // With the published layout rule, this one would match.
  expectRefused(blur("in @image, out @transposed"),
                "'image' has 30 elements in dimension 1, but generator "
                "'test_blur' touches elements 0 to 39 of 'input'");
  EXPECT_TRUE(resolve(blur("in @image[0:40:1, 0:30], out @blurred")))
      << problems;
  expectRefused(blur("in @image[0:20, 0:30], out @blurred"),
                "'image' has 20 elements in dimension 0");
}

TEST_F(HalideKernelsTest, RefusesWrongParameters) {
  auto with = [](const std::string &parameters) {
    return blur("in @image, out @blurred", "variants([{" + parameters + "}])");
  };
  expectRefused(with("tabs = \"3\""),
                "generator 'test_blur' has no parameter 'tabs', did you mean "
                "'taps'?");
  expectRefused(with("unthinkable = \"3\""),
                "has no parameter 'unthinkable', but taps, p1, p2 and width");
  expectRefused(with("p1 = \"four\""),
                "parameter 'p1' of generator 'test_blur' cannot be 'four': "
                "Unable to parse: four");
  expectRefused(with("target = \"x86-64-linux-cuda\""),
                "'cuda' of the target 'x86-64-linux-cuda' cannot be used");
  expectRefused(with("target = \"arm-64-linux\""), "'arm' of the target");
  EXPECT_TRUE(resolve(with("target = \"host-no_runtime\""))) << problems;
}

TEST_F(HalideKernelsTest, RefusesUnknownGenerators) {
  expectRefused(std::string(blurData) +
                    "dfg.task_graph @g { %t = dfg.task halide "
                    "\"test_blurr\"(in @image, out @blurred) }",
                "there is no generator 'test_blurr' in this program, did you "
                "mean 'test_blur'?");
}

TEST_F(HalideKernelsTest, ReportsWhatGeneratorsDoWrong) {
  const char *data = "dfg.dataset @a : f32 [8] dfg.dataset @b : f32 [8]";
  for (auto [what, text] :
       {std::pair("schedule", "test_bad' with what=schedule: "),
        std::pair("crash", "it crashed: Segmentation fault"),
        std::pair("throw", "thrown by the generator")})
    expectRefused(std::string(data) +
                      "dfg.task_graph @g { %t = dfg.task halide \"test_bad\""
                      "(in @a, out @b) variants([{what = \"" +
                      what + "\"}]) }",
                  text);
}

TEST_F(HalideKernelsTest, ChecksScalars) {
  auto mask = [](const std::string &scalar, const std::string &argument) {
    return "dfg.dataset @in : si32 [8] dfg.dataset @out : ui8 [8] "
           "dfg.scalar @limit : " +
           scalar +
           " dfg.task_graph @g { %t = dfg.task halide \"test_mask\"(in @in, " +
           argument + ", out @out) }";
  };
  EXPECT_TRUE(resolve(mask("si32 = 7", "value @limit"))) << problems;
  EXPECT_TRUE(resolve(mask("ui64 = 7", "value @limit"))) << problems;
  EXPECT_EQ(resolved[0].variants[0].parameters[2].bits, 1u);
  expectRefused(mask("si32 = 1001", "value @limit"),
                "the scalar 'limit' of generator 'test_mask' is 1001, but must "
                "be at most 1000");
  expectRefused(mask("si64 = 5000000000", "value @limit"),
                "argument 2, 'limit', is 5000000000, which does not fit "
                "'limit' (int32)");
  expectRefused(mask("f64 = 7.0", "value @limit"),
                "argument 2, 'limit', is float64, but generator 'test_mask' "
                "takes 'limit' (int32) there");
  expectRefused(mask("si32 = 7", "@limit"),
                "is a PtrScalar, but generator 'test_mask' takes the value");
}

TEST_F(HalideKernelsTest, WarnsOfSignsAndAliases) {
  EXPECT_TRUE(resolve("dfg.dataset @a : ui32 [8] dfg.scalar @s : si32 = 2 "
                      "dfg.task_graph @g { %t = dfg.task halide "
                      "\"test_scale\"(@a, value @s, @a) }"));
  EXPECT_NE(problems.find("holds uint32, but 'in'"), std::string::npos)
      << problems;
  EXPECT_NE(problems.find("arguments 1 and 3 share elements of 'a'"),
            std::string::npos)
      << problems;
}

TEST_F(HalideKernelsTest, RefusesStridesThatNoDatasetHas) {
  auto strides = [](const std::string &pixels) {
    return "dfg.dataset @any : si32 [8] dfg.dataset @pixels : si32 [2, 24] "
           "dfg.dataset @out : si32 [8] dfg.task_graph @g { %t = dfg.task "
           "halide \"test_strides\"(in @any, in @pixels" +
           pixels + ", out @out) }";
  };
  expectRefused(strides(""), "has the stride 1 in its last dimension, but "
                             "'pixels' (input of int32, 2 dimensions) of "
                             "generator 'test_strides' wants 3");
  EXPECT_TRUE(resolve(strides("[0:2, 0:24:3]"))) << problems;
}

TEST_F(HalideKernelsTest, KeepsEverythingInTheCache) {
  ASSERT_TRUE(resolve(blur("in @image, out @blurred"))) << problems;
  std::vector<std::string> first = linkInputs;
  std::map<std::string, std::filesystem::file_time_type> times;
  for (auto &entry :
       std::filesystem::recursive_directory_iterator(folder + "/cache"))
    if (entry.is_regular_file())
      times[entry.path()] = std::filesystem::last_write_time(entry);
  ASSERT_TRUE(resolve(blur("in @image, out @blurred"))) << problems;
  EXPECT_EQ(linkInputs, first);
  for (auto &entry :
       std::filesystem::recursive_directory_iterator(folder + "/cache"))
    if (entry.is_regular_file())
      EXPECT_EQ(times[entry.path()], std::filesystem::last_write_time(entry))
          << entry.path();
  // A damaged object is compiled again.
  auto size = std::filesystem::file_size(first[0]);
  std::ofstream(first[0], std::ios::trunc) << "no object";
  ASSERT_TRUE(resolve(blur("in @image, out @blurred"))) << problems;
  EXPECT_EQ(std::filesystem::file_size(first[0]), size);
}

TEST_F(HalideKernelsTest, CompilesVariantsOnlyIfTheyAreKept) {
  std::string text =
      blur("in @image, out @blurred", "variants([{p1 = \"1\"}, {p1 = \"4\"}])");
  ASSERT_TRUE(resolve(text)) << problems;
  EXPECT_EQ(resolved[0].variants.size(), 1u);
  options.keepsVariants = true;
  ASSERT_TRUE(resolve(text)) << problems;
  ASSERT_EQ(resolved[0].variants.size(), 2u);
  EXPECT_EQ(resolved[0].variants[0].text, "p1=1");
  EXPECT_EQ(resolved[0].variants[1].text, "p1=4");
  EXPECT_NE(resolved[0].variants[0].symbol, resolved[0].variants[1].symbol);
}

TEST_F(HalideKernelsTest, LeavesOutVariantsThatCannotBeCompiled) {
  options.keepsVariants = true;
  const char *data = "dfg.dataset @a : f32 [8] dfg.dataset @b : f32 [8]";
  expectRefused(std::string(data) +
                    "dfg.task_graph @g { %t = dfg.task halide \"test_bad\""
                    "(in @a, out @b) variants([{what = \"throw\"}]) }",
                "thrown by the generator");
  ASSERT_TRUE(resolve(
      blur("in @image, out @blurred",
           "variants([{p1 = \"1\"}, {target = \"x86-64-linux-cuda\"}])")));
  EXPECT_EQ(resolved[0].variants.size(), 1u);
  EXPECT_NE(problems.find("this variant is left out"), std::string::npos)
      << problems;
}

TEST_F(HalideKernelsTest, TakesTunedParameters) {
  options.tunedParameters = folder + "/tuned.ini";
  auto write = [&](const std::string &text) {
    std::ofstream(options.tunedParameters) << text;
  };
  std::string text = blur("in @image, out @blurred",
                          "named(\"first\") variants([{p2 = \"2\"}])");
  write("[test_blur 1]\np1 = 8\n[test_blur 0] ; chosen\np1 = 4\n");
  ASSERT_TRUE(resolve(text)) << problems;
  EXPECT_EQ(resolved[0].variants[0].text, "p1=4 p2=2");
  EXPECT_EQ(std::count(dependencies.begin(), dependencies.end(),
                       options.tunedParameters),
            1);
  write("[test_blur]\np1 = 4\n[first]\np1=16\n");
  ASSERT_TRUE(resolve(text)) << problems;
  EXPECT_EQ(resolved[0].variants[0].text, "p1=16 p2=2");
  write("[test_blur]\np1 = 4\n[second]\np1=16\n");
  expectRefused(text, "the graph has no task and no generator 'second'");
}

TEST_F(HalideKernelsTest, TriesCandidates) {
  options.keepsVariants = true;
  setenv("SLUICE_TUNE_CANDIDATES", "p1=1,2 p2=1,4", 1);
  EXPECT_TRUE(
      resolve(blur("in @image, out @blurred", "variants([{p1 = \"2\"}])")))
      << problems;
  ASSERT_EQ(resolved[0].variants.size(), 5u);
  EXPECT_EQ(resolved[0].variants[0].text, "p1=2");
  EXPECT_EQ(resolved[0].variants[1].text, "p1=1 p2=1");
  EXPECT_EQ(resolved[0].variants[4].text, "p1=2 p2=4");
  setenv("SLUICE_TUNE_CANDIDATES", "p1", 1);
  expectRefused(blur("in @image, out @blurred"),
                "expected 'parameter=value,value', but got 'p1'");
  // A name that no generator has; a name of another graph's generator is
  // ignored here.
  setenv("SLUICE_TUNE_CANDIDATES", "p1=1,2 p11=5", 1);
  expectRefused(blur("in @image, out @blurred"),
                "no generator of this program has a parameter 'p11', did you "
                "mean 'p1'?");
  setenv("SLUICE_TUNE_CANDIDATES", "p1=1,2 what=5", 1);
  EXPECT_TRUE(resolve(blur("in @image, out @blurred"))) << problems;
  // A value out of range removes the variants that contain it.
  setenv("SLUICE_TUNE_CANDIDATES", "p1=1,many,2", 1);
  EXPECT_TRUE(resolve(blur("in @image, out @blurred"))) << problems;
  EXPECT_EQ(resolved[0].variants.size(), 3u);
  EXPECT_NE(problems.find("cannot be 'many'"), std::string::npos) << problems;
  EXPECT_NE(problems.find("this variant is left out"), std::string::npos)
      << problems;
  unsetenv("SLUICE_TUNE_CANDIDATES");
}

TEST_F(HalideKernelsTest, NeedsCompiledKernelsWithoutGenerators) {
  options.hasGenerators = false;
  expectRefused(
      blur("in @image, out @blurred"),
      "the module has no compiled generator 'test_blur'; generators "
      "live in the meta-program, which writes them with -o NAME.mlir");
}

TEST_F(HalideKernelsTest, TakesDumpedKernels) {
  std::string text = blur("in @image, out @blurred");
  ASSERT_TRUE(resolve(text)) << problems;
  std::string dumped;
  llvm::raw_string_ostream(dumped) << *module;
  std::vector<std::string> objects = linkInputs;
  options.hasGenerators = false;
  ASSERT_TRUE(resolve(dumped)) << problems;
  EXPECT_EQ(linkInputs, objects);
  EXPECT_EQ(resolved[0].variants[0].parameters.size(), 2u);
  // Arguments are checked here as well.
  std::string wrong = dumped;
  wrong.replace(wrong.find("@image : f64 [40, 30]"), 21,
                "@image : f32 [40, 30]");
  expectRefused(wrong, "argument 1, 'image', holds float32");
  std::ofstream(objects[0], std::ios::app) << "more";
  expectRefused(dumped, "is not the one that was written with this module");
  std::filesystem::remove(objects[0]);
  expectRefused(dumped, "cannot read the object");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

TEST(HalideTargetTest, NamesCpus) {
  EXPECT_EQ(*halideTarget("x86-64"), "x86-64-linux");
  EXPECT_EQ(*halideTarget("x86-64-v2"), "x86-64-linux-sse41");
  EXPECT_EQ(*halideTarget("x86-64-v3"), "x86-64-linux-sse41-avx-f16c-fma-avx2");
  EXPECT_EQ(*halideTarget("x86-64-v4"), "x86-64-linux-sse41-avx-f16c-fma-avx2-"
                                        "avx512-avx512_skylake");
  EXPECT_EQ(halideTarget("native")->rfind("x86-64-linux", 0), 0u);
  auto unknown = halideTarget("x87");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(llvm::toString(unknown.takeError()), "unknown CPU 'x87'");
}

TEST(HalideTargetTest, TakesTargetsOfPublishedFiles) {
  EXPECT_EQ(*requestedTarget("host-no_runtime"), *halideTarget("native"));
  EXPECT_EQ(*requestedTarget("x86-64-linux-avx-large_buffers-no_runtime-sse41"),
            "x86-64-linux-avx-large_buffers-sse41");
  for (const char *text : {"", "host-cuda", "arm-64-linux", "x86-64-windows"}) {
    auto target = requestedTarget(text);
    EXPECT_FALSE(target) << text;
    llvm::consumeError(target.takeError());
  }
}

std::string problemsOf(llvm::StringRef text) {
  std::vector<TunedProblem> problems;
  parseTunedParameters(text, {"blur", "halide_blur", "blur 7"}, problems);
  std::string result;
  for (const TunedProblem &problem : problems)
    result += std::to_string(problem.line) + ": " + problem.text + "\n";
  return result;
}

TEST(TunedParametersTest, ReadsSectionsInOrder) {
  std::vector<TunedProblem> problems;
  auto sections = parseTunedParameters(
      "# comment\n[blur 1]\np1 = 2 ; two\n\n[blur 0]\n[blur]\nx=y z\n"
      "[blur 7]\n[blur#2]\n",
      {"blur", "blur 7", "blur#2"}, problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(sections.size(), 5u);
  EXPECT_FALSE(sections[0].number);
  EXPECT_EQ(sections[0].parameters.at("x"), "y z");
  EXPECT_EQ(sections[1].name, "blur 7");
  EXPECT_EQ(sections[2].name, "blur#2");
  EXPECT_EQ(sections[3].number, 0u);
  EXPECT_TRUE(sections[3].parameters.empty());
  EXPECT_EQ(sections[4].parameters.at("p1"), "2");
}

TEST(TunedParametersTest, SaysWhatIsWrong) {
  EXPECT_EQ(problemsOf("p1 = 2"), "1: a parameter before the first section\n");
  EXPECT_EQ(problemsOf("[blur\np1 = 2"),
            "1: expected '[NAME]' or '[NAME NUMBER]'\n");
  EXPECT_EQ(problemsOf("[]"), "1: the section has no name\n");
  EXPECT_EQ(problemsOf("[blur x]"), "1: 'x' is no number of a variant\n");
  EXPECT_EQ(problemsOf("\n[blurr]\n"),
            "2: the graph has no task and no generator 'blurr', did you mean "
            "'blur'?\n");
  EXPECT_EQ(problemsOf("[blur]\np1\n=2\np2=\n"),
            "2: expected 'name = value'\n3: expected 'name = value'\n"
            "4: the parameter 'p2' has no value\n");
  EXPECT_EQ(problemsOf("[blur]\np1=1\np1=2\n[blur]\n"),
            "3: the parameter 'p1' stands in this section twice\n"
            "4: the section 'blur' stands in line 1 already\n");
}

TEST(HalideVariantsTest, CombinesCandidates) {
  std::string problem;
  auto candidates = parseCandidates("p1=1,2 p2=4,8", problem);
  ASSERT_TRUE(candidates);
  size_t numLeftOut = 0;
  auto all = combine({{"p1", "2"}, {"p2", "4"}}, *candidates, 10, numLeftOut);
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].at("p1"), "2");
  EXPECT_EQ(numLeftOut, 0u);
  EXPECT_EQ(combine({}, *candidates, 3, numLeftOut).size(), 3u);
  EXPECT_EQ(numLeftOut, 2u);
  EXPECT_FALSE(parseCandidates("p1", problem));
  EXPECT_EQ(problem, "expected 'parameter=value,value', but got 'p1'");
}

} // namespace
