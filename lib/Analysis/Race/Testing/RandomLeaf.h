//===- RandomLeaf.h - Random programs of leaves, for tests ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of one or two nodes, with leaves that compute addresses as C
// programs do: with integers of every width, masks, shifts, quotients,
// conversions, guards and loops. Others have the shapes of images with a pitch,
// of blocks, and of matrices that are changed in place; some of these are
// slightly wrong. The programs can be converted to the input of the race check
// and, independently, executed for given arguments, instance by instance.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_TESTING_RANDOMLEAF_H
#define SLUICE_LIB_ANALYSIS_RACE_TESTING_RANDOMLEAF_H

#include "llvm/IR/Module.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace sluice::races {

struct IntType {
  unsigned bits = 32;
  bool isSigned = true;
  friend bool operator==(const IntType &, const IntType &) = default;
};

/// An integer expression with the types and rules of C.
struct Expression {
  enum class Kind {
    Constant,
    /// Id `index`: level and dimension.
    Id,
    Extent,
    /// Argument `index` of the root.
    Argument,
    /// Counter of loop `index` around it.
    Counter,
    /// a `op` b; comparisons and logic operators give an int.
    Binary,
    Cast,
    /// a ? b : c
    Choice,
    /// Number of bits that are set.
    Bits,
    /// The contents of the table C, which nobody writes, at a.
    Loaded,
  };
  Kind kind = Kind::Constant;
  IntType type;
  int64_t value = 0;
  unsigned index = 0;
  std::string op;
  std::vector<std::shared_ptr<Expression>> operands;
};
using ExpressionRef = std::shared_ptr<Expression>;

struct Statement {
  enum class Kind { Access, Fill, If, Loop, Locked, Barrier, Assume };
  Kind kind = Kind::Access;
  /// Access: the bytes from `first * elementBytes` on. Fill: `second` bytes. If
  /// and Assume: the condition. Loop: the counter goes from `first` while it is
  /// less than `second`, or the other way round. Locked: the number of the lock
  /// that is held around the body.
  ExpressionRef first, second;
  unsigned array = 0, bytes = 4, elementBytes = 4;
  bool isWrite = false, isAtomic = false;
  /// Access that writes: what was there and one more.
  bool isUpdate = false;
  IntType type;
  int64_t step = 1;
  unsigned counter = 0;
  std::vector<Statement> body, otherwise;
};

/// An extent: a constant, or an argument.
struct Extent {
  int64_t constant = 0;
  std::optional<unsigned> argument;
};

struct RandomNode {
  /// The extents of the levels, outermost first.
  std::vector<std::vector<Extent>> levels;
  std::vector<Statement> body;
};

/// Arguments of the root: n, m: i64; s: int; u: unsigned; k: long.
constexpr unsigned numScalars = 5;
constexpr unsigned numExtentArguments = 2;
using Scalars = std::array<int64_t, numScalars>;

/// An expression of one of the simple kinds.
ExpressionRef make(Expression::Kind kind, IntType type, int64_t value = 0,
                   unsigned index = 0);
/// a `op` b, with its type in C.
ExpressionRef binary(std::string op, ExpressionRef a, ExpressionRef b);
/// Argument `index` of the root.
ExpressionRef argument(unsigned index);

/// The contents of a program.
enum class RandomStyle {
  /// Sums, masks and quotients of ids.
  Formulas,
  /// The same, but some accesses hold a lock, go through a table, or are
  /// separated by barriers.
  Locks,
  /// Typical programs over images, blocks and matrices.
  Shapes,
};

/// Makes `node` one of the shapes, correct or almost correct.
void makeShape(RandomNode &node, std::minstd_rand &random);

class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed,
                         RandomStyle style = RandomStyle::Formulas);

  /// The graphs, as text of the dfg dialect.
  std::string graphs() const;
  std::unique_ptr<llvm::Module> code(llvm::LLVMContext &context) const;
  /// For people.
  std::string text() const;

  enum class Outcome { Racy, Free, Undefined };
  /// Executes all instances. None if there are more than `maxInstances`, or if
  /// that takes too long. `contents` selects the contents of the table.
  std::optional<Outcome> execute(const Scalars &scalars, int64_t maxInstances,
                                 unsigned contents = 0) const;
  /// `isWide`: the extents may be any numbers below 160.
  Scalars chooseScalars(std::minstd_rand &random, bool isWide = false) const;

  std::vector<RandomNode> nodes;

private:
  RandomStyle style;
  /// Which of the arguments n and m are extents.
  std::array<bool, numExtentArguments> isExtent = {};
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_TESTING_RANDOMLEAF_H
