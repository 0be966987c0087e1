//===- Sums.h - Numbers that depend on iterations and parameters *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `@n - %k - 1`: a number of iterations or of points, or a coordinate of a
// color. A sum is stored as an attribute: as an integer or as the symbol of a
// parameter if it is no more than that, else as an array.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_SUMS_H
#define SLUICE_RDIR_SUMS_H

#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

/// A number plus multiples of names.
struct Sum {
  struct Term {
    /// The symbol of a parameter, the string of a loop's iteration, or, as an
    /// integer of type index, a coordinate of the point.
    mlir::Attribute name;
    int64_t factor = 1;
  };
  int64_t constant = 0;
  /// Different names, without factors of 0.
  llvm::SmallVector<Term, 2> terms;
  /// Null, or the number or parameter by which the sum is divided; what remains
  /// is the value, never negative.
  mlir::Attribute modulus;

  bool isConstant() const { return terms.empty() && !modulus; }
  /// True if it is a number plus multiples of coordinates.
  bool isOfPoint() const;
};

/// Null if the attribute is not a sum.
std::optional<Sum> readSum(mlir::Attribute attribute);
mlir::Attribute writeSum(mlir::MLIRContext *context, const Sum &sum);
/// The sums of a projection, null if the attribute is not a list of sums. Other
/// projections are affine maps, functions and "whole".
std::optional<llvm::SmallVector<Sum, 3>> readSums(mlir::Attribute projection);
/// `@n - %k - 1`; other attributes as MLIR prints them.
void printSum(llvm::raw_ostream &os, mlir::Attribute sum);
/// `[i + %k, 0]`
void printSums(llvm::raw_ostream &os, mlir::ArrayAttr sums);

/// A coordinate that follows from those of an element: `i + 1 div 2 mod @n`.
struct ElementSum {
  /// Of numbers, parameters and coordinates, without a modulus.
  Sum sum;
  /// Null, or numbers or parameters of at least 1: the sum is divided, rounded
  /// down, and then taken modulo.
  mlir::Attribute divisor, modulus;
};
/// Null if the attribute is not a list of them.
std::optional<llvm::SmallVector<ElementSum, 3>>
readElementSums(mlir::Attribute attribute);
mlir::Attribute writeElementSum(mlir::MLIRContext *context,
                                const ElementSum &sum);

/// The name of a loop's iteration; null if it has none.
mlir::StringAttr iterationName(mlir::Operation *loop);
/// Whether a loop runs once, or by a condition at most once.
bool runsOnce(LoopOp loop);
/// The loop around `op` whose iteration has the name; null if there is none.
LoopOp loopOfIteration(mlir::Operation *op, mlir::StringAttr name);
/// The number of loops around `loop` whose iterations have names.
unsigned iterationDepth(mlir::Operation *loop);

/// Attributes of operations that are not part of the tables: the name of a
/// loop's iteration, and the regions that a node names in place of versions.
inline constexpr char iterationAttribute[] = "rdir.iteration";
inline constexpr char mentionsAttribute[] = "rdir.mentions";

/// Of loops that run at most once, by a condition: if the variable is 0.
inline constexpr char unlessAttribute[] = "rdir.unless";
/// Of loops that run once, in graphs that name regions: the body is `if`
/// followed by `unless`, which the text calls `else`.
inline constexpr char choiceAttribute[] = "rdir.choice";

/// Of graphs: how often they run, a number or a parameter, and the variable
/// that is tested before each run.
inline constexpr char repeatsAttribute[] = "rdir.repeats",
                      whileAttribute[] = "rdir.while";

/// Keys of the dictionaries in `mentionsAttribute`. `edge` is an EdgeKind,
/// `place` a location; the others are like the attributes of data nodes and
/// edges, and may be missing.
namespace mention {
inline constexpr char edge[] = "edge", region[] = "region", color[] = "color",
                      fields[] = "fields", projection[] = "projection",
                      reduction[] = "reduction", place[] = "place";
} // namespace mention

} // namespace sluice::rdir

#endif // SLUICE_RDIR_SUMS_H
