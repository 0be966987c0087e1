//===- OptionsTest.cpp - Command lines of meta-programs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests flags in all spellings, and the messages for wrong ones.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

using namespace sluice;

static Options parse(std::vector<std::string> words) {
  words.insert(words.begin(), "meta");
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  Options options;
  options.parse(static_cast<int>(pointers.size()), pointers.data());
  return options;
}

static std::string problemOf(std::vector<std::string> words) {
  try {
    parse(std::move(words));
  } catch (const std::invalid_argument &problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(Options, HaveDefaults) {
  Options options = parse({});
  EXPECT_EQ(options.output, "");
  EXPECT_EQ(options.workers, 0u);
  EXPECT_FALSE(options.runs || options.serial || options.checksOnly ||
               options.checked || options.remarks || options.variants);
}

TEST(Options, ReadEveryFlagOfTheirOwn) {
  Options options =
      parse({"-o", "app", "--print=llvm", "--run", "--march=znver3", "--serial",
             "--workers=3", "--check-only", "--check", "--remarks",
             "--kernel-source=a.c", "--kernel-flag=-O2", "--link-flag=-lm",
             "--python-path=x:y", "--variants", "--tuned-params=t.ini",
             "--depfile=app.d"});
  EXPECT_EQ(options.output, "app");
  EXPECT_EQ(options.print, "llvm");
  EXPECT_TRUE(options.runs && options.serial && options.checksOnly &&
              options.checked && options.remarks && options.variants);
  EXPECT_EQ(options.cpu, "znver3");
  EXPECT_EQ(options.workers, 3u);
  EXPECT_EQ(options.kernelSources, std::vector<std::string>{"a.c"});
  EXPECT_EQ(options.kernelFlags, std::vector<std::string>{"-O2"});
  EXPECT_EQ(options.linkFlags, std::vector<std::string>{"-lm"});
  EXPECT_EQ(options.pythonPath, "x:y");
  EXPECT_EQ(options.tunedParamsFile, "t.ini");
  EXPECT_EQ(options.dependencyFile, "app.d");
}

TEST(Options, TakeValuesInTheNextWord) {
  Options options = parse({"--output", "app", "--workers", "2", "--kernel-flag",
                           "-DN=4", "--kernel-flag", "-O1", "--print", "asm"});
  EXPECT_EQ(options.output, "app");
  EXPECT_EQ(options.workers, 2u);
  EXPECT_EQ(options.kernelFlags, (std::vector<std::string>{"-DN=4", "-O1"}));
  EXPECT_EQ(options.print, "asm");
}

TEST(Options, TakeValuesInTheSameWord) {
  EXPECT_EQ(parse({"-oapp"}).output, "app");
  EXPECT_EQ(parse({"--kernel-flag=-DX=1=2"}).kernelFlags[0], "-DX=1=2");
}

TEST(Options, AcceptWhatPublishedProgramsAreGiven) {
  Options options = parse({"--platform",
                           "platform.ini",
                           "--candidates",
                           "c.csv",
                           "--build-args=a",
                           "--input",
                           "i.ini",
                           "--models",
                           "m",
                           "--profiling-harness",
                           "--profiling-samples",
                           "s",
                           "--profiling-measurements=p",
                           "--model",
                           "x",
                           "--model-cp=y",
                           "--profile",
                           "--tuned-params",
                           "t.ini",
                           "-o",
                           "app.ll"});
  EXPECT_EQ(options.platformFile, "platform.ini");
  EXPECT_EQ(options.candidatesFile, "c.csv");
  EXPECT_EQ(options.buildArgsFile, "a");
  EXPECT_EQ(options.inputDescFile, "i.ini");
  EXPECT_EQ(options.modelsDir, "m");
  EXPECT_EQ(options.profilingSamplesFile, "s");
  EXPECT_EQ(options.profilingMeasurementsFile, "p");
  EXPECT_EQ(options.modelFile, "x");
  EXPECT_EQ(options.modelCPFile, "y");
  EXPECT_TRUE(options.profilingHarness && options.profile);
  EXPECT_EQ(parse({"-p", "f"}).platformFile, "f");
}

TEST(Options, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(problemOf({"--speed"}),
            "unknown option '--speed'; --help lists them");
  EXPECT_EQ(problemOf({"--speed=3"}),
            "unknown option '--speed'; --help lists them");
  EXPECT_EQ(problemOf({"--wrokers=3"}), "unknown option '--wrokers'; did you "
                                        "mean '--workers'? --help lists them");
  EXPECT_EQ(problemOf({"-x"}), "unknown option '-x'; --help lists them");
  EXPECT_EQ(problemOf({"kern.c"}),
            "unknown option 'kern.c'; --help lists them");
  EXPECT_EQ(problemOf({"--"}), "unknown option '--'; --help lists them");
  EXPECT_EQ(problemOf({"-"}), "unknown option '-'; --help lists them");
  EXPECT_EQ(problemOf({""}), "unknown option ''; --help lists them");
}

TEST(Options, RefuseMissingAndSuperfluousValues) {
  EXPECT_EQ(problemOf({"-o"}), "-o needs a value");
  EXPECT_EQ(problemOf({"--output="}), "--output needs a value");
  EXPECT_EQ(problemOf({"--tuned-params"}), "--tuned-params needs a value");
  EXPECT_EQ(problemOf({"--run=yes"}), "--run takes no value, but 'yes' is "
                                      "given");
}

TEST(Options, RefuseNumbersAndStagesThatAreNone) {
  for (const char *number :
       {"0", "-1", "two", "3x", "1025", "99999999999999999999"})
    EXPECT_EQ(problemOf({"--workers", number}),
              std::string("--workers is '") + number +
                  "', expected a number from 1 to 1024");
  EXPECT_EQ(problemOf({"--print=ir"}),
            "--print knows graph, dfg, plan, llvm and asm, not 'ir'");
}

TEST(Options, HelpNamesEveryFlag) {
  std::string help = optionHelp("meta");
  for (const OptionEntry &entry : optionTable())
    EXPECT_NE(help.find("--" + std::string(entry.name)), std::string::npos)
        << entry.name;
  EXPECT_EQ(help.find("usage: meta "), 0u);
}

TEST(OptionsDeathTest, HelpEndsWellAndProblemsEndWithTwo) {
  char name[] = "meta", help[] = "--help", wrong[] = "--wrong";
  char *helping[] = {name, help};
  char *failing[] = {name, wrong};
  EXPECT_EXIT(Options().parseOrExit(2, helping), testing::ExitedWithCode(0),
              "");
  EXPECT_EXIT(Options().parse(2, helping), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(Options().parseOrExit(2, failing), testing::ExitedWithCode(2),
              "meta: error: unknown option '--wrong'");
}
