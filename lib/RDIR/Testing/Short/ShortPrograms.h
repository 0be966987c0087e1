//===- ShortPrograms.h - Programs that name regions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. Random graphs that name regions, with iterations in colors and
// extents, and with conditions: their text, and their meaning by listing all
// elements of all points in all iterations.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_SHORT_SHORTPROGRAMS_H
#define SLUICE_LIB_RDIR_TESTING_SHORT_SHORTPROGRAMS_H

#include "../OracleBodies.h"
#include "../RandomGraphs.h"

#include <map>
#include <string>
#include <vector>

namespace sluice::rdir::oracle {

struct ShortKind {
  const char *name;
  bool launches, iterations, conditions;
};

/// A multiple of the point, and of the iterations of enclosing loops.
struct ShortSum {
  int64_t ofPoint = 0, constant = 0, modulus = 0;
  std::vector<int64_t> ofIterations;

  /// Then the runtime tells whether it is a color, as the compiler does not.
  bool isTestedByRuntime() const;
  std::string text() const;
  int64_t value(int64_t point, const std::vector<int64_t> &iterations) const;
};

enum class ShortUse { Read, Keep, Change, Discard, Reduce };

struct ShortArgument {
  int region;
  unsigned fields;
  ShortUse use;
  /// The color of a partition, in each of its dimensions.
  std::vector<ShortSum> color;
  bool isWhole = false;

  bool changes() const { return use != ShortUse::Read; }
};

/// A task, a loop or, with two bodies, a choice.
struct ShortStatement {
  unsigned number = 0; ///< tasks: of the function
  bool hasPoints = false;
  ShortSum extent; ///< tasks: of the launch; loops: number of iterations
  std::vector<ShortArgument> arguments;
  std::string head; ///< loops and choices
  bool namesIteration = false;
  std::vector<std::vector<ShortStatement>> bodies;
};
using ShortBody = std::vector<ShortStatement>;

/// Ends: the runtime ends the program, as a color does not exist.
enum class ShortVerdict { Right, Ends, Wrong };

/// By place: read, changed, and reduced.
struct ShortAccesses {
  enum : unsigned { Read = 1, Changed = 2, Reduced = 4 };
  std::map<uint32_t, unsigned> uses;

  void add(const ShortAccesses &other);
  bool mustStayOrdered(const ShortAccesses &later) const;
};

class ShortPrograms {
public:
  ShortPrograms(Random &random, const SmallForest &forest,
                const ShortKind &kind)
      : random(random), forest(forest), kind(kind) {}

  ShortBody body(unsigned depth, unsigned numIterations, bool mayDecide);
  std::string text(const ShortBody &body, unsigned numIterations,
                   unsigned indent) const;
  /// The verdict of each task in all iterations, by number.
  void findVerdicts(const ShortBody &body, std::vector<int64_t> &iterations,
                    std::map<unsigned, ShortVerdict> &verdicts) const;
  ShortAccesses accesses(const ShortStatement &statement,
                         std::vector<int64_t> &iterations) const;
  /// A task both writes and reduces into a field of one partition or region.
  bool mayBreakD1(const ShortBody &body) const;

private:
  ShortSum sum(unsigned numIterations, bool hasPoint, int64_t extent);
  ShortStatement task(unsigned numIterations, bool mayDecide);
  std::string mention(const ShortStatement &task,
                      const ShortArgument &argument) const;
  SmallPlaces places(const ShortArgument &argument, int64_t point,
                     const std::vector<int64_t> &iterations,
                     bool &exists) const;
  ShortVerdict verdict(const ShortStatement &task,
                       const std::vector<int64_t> &iterations) const;

  Random &random;
  const SmallForest &forest;
  const ShortKind &kind;
  unsigned numTasks = 0;
};

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_SHORT_SHORTPROGRAMS_H
