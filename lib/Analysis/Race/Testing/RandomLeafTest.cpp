//===- RandomLeafTest.cpp - The race check compared with execution --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proven program must be free of races for all arguments that are tried, and
// a refuted one must have a race. SLUICE_RANDOM_LEAVES sets the number of
// programs, SLUICE_RANDOM_FIRST_LEAF the first one; SLUICE_RANDOM_LEAF tries
// and prints a single one.
//
//===----------------------------------------------------------------------===//

#include "RandomLeaf.h"
#include "sluice/Analysis/Races.h"
#include "gtest/gtest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace sluice;
using namespace sluice::races;

namespace {

enum class Verdict { Proven, Racy, Unknown };

class RandomLeaves : public ::testing::Test {
protected:
  RandomLeaves() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<dfg::DFGDialect, mlir::arith::ArithDialect,
                        mlir::LLVM::LLVMDialect>();
  }

  Verdict check(const RandomProgram &program, std::string &reason) {
    auto graphs =
        mlir::parseSourceString<mlir::ModuleOp>(program.graphs(), &context);
    EXPECT_TRUE(graphs) << program.graphs();
    llvm::LLVMContext codeContext;
    auto code = program.code(codeContext);
    RaceReport report = checkRaces(*graphs, *code);
    for (const RaceFinding &finding : report.findings)
      reason += finding.reason + "; ";
    return report.isRacy()           ? Verdict::Racy
           : report.findings.empty() ? Verdict::Proven
                                     : Verdict::Unknown;
  }

  /// Some arguments for which the program has a race.
  static std::optional<Scalars> findRace(const RandomProgram &program,
                                         uint64_t seed, unsigned attempts,
                                         int64_t maxInstances) {
    std::minstd_rand random(seed + 77);
    for (unsigned i = 0; i != attempts; ++i) {
      // Some accesses only happen for few extents, which a longer search must
      // find.
      Scalars scalars = program.chooseScalars(random, i >= 24 && i % 2 == 0);
      // So do some with few contents of the table.
      if (program.execute(scalars, maxInstances, i % (i < 24 ? 7 : 61)) ==
          RandomProgram::Outcome::Racy)
        return scalars;
    }
    return std::nullopt;
  }

  void compareWithExecution(RandomStyle style);

  mlir::MLIRContext context;
};

std::string spell(const Scalars &scalars) {
  std::string text;
  for (int64_t scalar : scalars)
    text += std::to_string(scalar) + " ";
  return text;
}

unsigned numberFrom(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

/// The launch as a whole is undefined: addresses beyond all memory (5898,
/// 10561), or an overflow (11362), in instances other than those that meet.
TEST_F(RandomLeaves, UndefinedLaunchesAreNoErrors) {
  for (unsigned seed : {5898, 10561, 11362}) {
    std::string reason;
    EXPECT_NE(check(RandomProgram(seed), reason), Verdict::Racy)
        << seed << ": " << reason;
  }
}

void RandomLeaves::compareWithExecution(RandomStyle style) {
  bool isFormula = style == RandomStyle::Formulas;
  // As many as './dev test --all' tries, or a third of them.
  unsigned usual = isFormula ? 600 : 210;
  if (!std::getenv("SLUICE_TEST_ALL"))
    usual /= 3;
  unsigned count = numberFrom("SLUICE_RANDOM_LEAVES", usual);
  unsigned only = numberFrom("SLUICE_RANDOM_LEAF", 0);
  unsigned first = only ? only : numberFrom("SLUICE_RANDOM_FIRST_LEAF", 1);
  if (only)
    count = 1;
  bool isVerbose = std::getenv("SLUICE_RANDOM_VERBOSE");
  unsigned numbers[3] = {}, unknownRacy = 0, missed = 0, wrong = 0;
  for (unsigned seed = first; seed != first + count; ++seed) {
    RandomProgram program(seed, style);
    if (only)
      llvm::errs() << program.text() << program.graphs()
                   << *program.code(*std::make_unique<llvm::LLVMContext>());
    std::string reason;
    Verdict verdict = check(program, reason);
    ++numbers[static_cast<unsigned>(verdict)];
    std::optional<Scalars> race = findRace(program, seed, 24, 700);
    if (verdict == Verdict::Racy && !race)
      race = findRace(program, seed + 1, 2000, 3000);
    bool isMissed = verdict == Verdict::Proven && race;
    bool isWrong = verdict == Verdict::Racy && !race;
    missed += isMissed;
    wrong += isWrong;
    unknownRacy += verdict == Verdict::Unknown && race;
    EXPECT_FALSE(isMissed) << "program " << seed << " is racy with "
                           << spell(*race) << "\n"
                           << program.text();
    EXPECT_FALSE(isWrong) << "program " << seed << " has no race: " << reason
                          << "\n"
                          << program.text();
    if ((isVerbose && verdict == Verdict::Unknown) || only)
      llvm::errs() << "program " << seed
                   << (verdict == Verdict::Unknown ? " unknown"
                       : verdict == Verdict::Racy  ? " racy"
                                                   : " proven")
                   << (race ? ", racy with " + spell(*race) : "") << ": "
                   << reason << "\n"
                   << program.text();
  }
  static constexpr const char *names[] = {"leaves", "leaves with locks",
                                          "shapes"};
  llvm::outs() << "random " << names[static_cast<unsigned>(style)] << ": "
               << count << ", proven " << numbers[0] << ", racy " << numbers[1]
               << ", unknown " << numbers[2] << " (" << unknownRacy
               << " of them racy), missed " << missed << ", wrong errors "
               << wrong << "\n";
  if (only)
    return;
  EXPECT_GT(numbers[0], count / 5);
  // In most wrong shapes, instances do not meet for all arguments.
  if (style == RandomStyle::Shapes)
    return;
  EXPECT_GT(numbers[1], count / 5);
  // Not by giving up.
  EXPECT_LT(numbers[2], count / (isFormula ? 20 : 4) + 5);
}

TEST_F(RandomLeaves, AgreeWithExecution) {
  compareWithExecution(RandomStyle::Formulas);
}

/// Two accesses that hold the same lock are no race.
TEST_F(RandomLeaves, AgreeWithExecutionWithLocks) {
  compareWithExecution(RandomStyle::Locks);
}

/// Images with a pitch, blocks of an array, and steps of Floyd and Warshall's
/// algorithm, with correct and almost correct statements and guards.
TEST_F(RandomLeaves, ShapesAgreeWithExecution) {
  compareWithExecution(RandomStyle::Shapes);
}

} // namespace
