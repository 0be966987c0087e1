//===- Extents.cpp - Extents of nodes as people write them ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of parallel loops are what a compiler makes of `for (i = 1; i < n -
// 1; i += 2)`: conversions, "or none", a division rounded up. Here they become
// sums again.
//
//===----------------------------------------------------------------------===//

#include "Extents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sluice/DFG/OrderedDims.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>
#include <vector>

using namespace llvm;
using namespace sluice;
using sluice::dfg::GraphOp;
using sluice::dfg::NodeOp;
namespace arith = mlir::arith;

namespace {
/// A sum of terms that are products, and a number.
struct Sum {
  struct Term {
    std::string text;
    int64_t factor;
  };
  std::vector<Term> terms;
  int64_t number = 0;

  static Sum of(std::string text) { return {{{std::move(text), 1}}, 0}; }
  bool isNumber() const { return terms.empty(); }
  void add(const Sum &other, int64_t factor);
  std::string text() const;
  /// As a factor or a divisor.
  std::string operand() const {
    bool isSingle = isNumber()
                        ? number >= 0
                        : terms.size() == 1 && !number && terms[0].factor == 1;
    return isSingle ? text() : "(" + text() + ")";
  }
};
} // namespace

void Sum::add(const Sum &other, int64_t factor) {
  number += factor * other.number;
  for (const Term &term : other.terms) {
    auto known = llvm::find_if(
        terms, [&](const Term &own) { return own.text == term.text; });
    if (known == terms.end())
      terms.push_back({term.text, factor * term.factor});
    else
      known->factor += factor * term.factor;
  }
  llvm::erase_if(terms, [](const Term &term) { return term.factor == 0; });
}

std::string Sum::text() const {
  if (isNumber())
    return std::to_string(number);
  std::string result;
  // What is added comes first.
  for (bool isNegative : {false, true})
    for (const Term &term : terms) {
      if ((term.factor < 0) != isNegative)
        continue;
      if (!result.empty() || isNegative)
        result += result.empty() ? "-" : isNegative ? " - " : " + ";
      int64_t factor = isNegative ? -term.factor : term.factor;
      if (factor != 1)
        result += std::to_string(factor) + " · ";
      result += term.text;
    }
  if (number != 0)
    result += (number < 0 ? " - " : " + ") +
              std::to_string(number < 0 ? -number : number);
  return result;
}

static Sum sumOf(mlir::Value value);

static Sum callOf(StringRef name, mlir::Value a, mlir::Value b) {
  return Sum::of(
      (name + "(" + sumOf(a).text() + ", " + sumOf(b).text() + ")").str());
}

static bool isNumber(mlir::Value value, int64_t number) {
  std::optional<int64_t> known = dfg::constantExtent(value);
  return known && *known == number;
}

/// `a < b ? x : 0` are the turns of a loop, none included; `a < b ? a : b` is
/// the smaller one.
static Sum choiceOf(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  mlir::Value one = select.getTrueValue(), other = select.getFalseValue();
  if (compare && isNumber(other, 0))
    return sumOf(one);
  if (!compare)
    return Sum::of("…");
  StringRef relation = arith::stringifyCmpIPredicate(compare.getPredicate());
  bool isLess = relation.ends_with("lt") || relation.ends_with("le");
  bool isGreater = relation.ends_with("gt") || relation.ends_with("ge");
  bool isSame = compare.getLhs() == one && compare.getRhs() == other;
  bool isSwapped = compare.getLhs() == other && compare.getRhs() == one;
  if ((!isLess && !isGreater) || (!isSame && !isSwapped))
    return Sum::of("…");
  return callOf(isLess == isSame ? "min" : "max", one, other);
}

/// `(x - 1) / c + 1`.
static std::optional<Sum> roundedUp(arith::AddIOp sum) {
  mlir::Operation *division = sum.getLhs().getDefiningOp();
  if (!isNumber(sum.getRhs(), 1) ||
      !isa_and_nonnull<arith::DivUIOp, arith::DivSIOp>(division))
    return std::nullopt;
  Sum count = sumOf(division->getOperand(0));
  Sum divisor = sumOf(division->getOperand(1));
  count.number += 1;
  if (divisor.isNumber() && divisor.number == 1)
    return count;
  return Sum::of("⌈" + count.operand() + " / " + divisor.operand() + "⌉");
}

static Sum productOf(mlir::Value a, mlir::Value b) {
  Sum left = sumOf(a), right = sumOf(b), result;
  if (left.isNumber())
    std::swap(left, right);
  if (right.isNumber()) {
    result.add(left, right.number);
    return result;
  }
  return Sum::of(left.operand() + " · " + right.operand());
}

static Sum sumOf(mlir::Value value) {
  if (std::optional<int64_t> known = dfg::constantExtent(value))
    return {{}, *known};
  if (auto argument = dyn_cast<mlir::BlockArgument>(value))
    return Sum::of(cast<GraphOp>(argument.getOwner()->getParentOp())
                       .getInputName(argument.getArgNumber()));
  auto quotient = [](mlir::Operation *op, StringRef sign) {
    return Sum::of((Twine(sumOf(op->getOperand(0)).operand()) + sign +
                    sumOf(op->getOperand(1)).operand())
                       .str());
  };
  auto combined = [](mlir::Operation *op, int64_t factor) {
    Sum sum = sumOf(op->getOperand(0));
    sum.add(sumOf(op->getOperand(1)), factor);
    return sum;
  };
  return TypeSwitch<mlir::Operation *, Sum>(value.getDefiningOp())
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [](mlir::Operation *op) { return sumOf(op->getOperand(0)); })
      .Case([&](arith::AddIOp op) {
        std::optional<Sum> rounded = roundedUp(op);
        return rounded ? *rounded : combined(op, 1);
      })
      .Case([&](arith::SubIOp op) { return combined(op, -1); })
      .Case(
          [](arith::MulIOp op) { return productOf(op.getLhs(), op.getRhs()); })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](mlir::Operation *op) { return quotient(op, " / "); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [&](mlir::Operation *op) { return quotient(op, " >> "); })
      .Case([&](arith::ShLIOp op) { return quotient(op, " << "); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](mlir::Operation *op) {
        return Sum::of("⌈" + quotient(op, " / ").text() + "⌉");
      })
      .Case([](arith::SelectOp op) { return choiceOf(op); })
      .Case([](arith::MaxSIOp op) {
        return isNumber(op.getRhs(), 0)
                   ? sumOf(op.getLhs())
                   : callOf("max", op.getLhs(), op.getRhs());
      })
      .Case([](arith::MaxUIOp op) {
        return callOf("max", op.getLhs(), op.getRhs());
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([](mlir::Operation *op) {
        return callOf("min", op->getOperand(0), op->getOperand(1));
      })
      .Case([](mlir::LLVM::ExtractValueOp op) {
        std::string text = sumOf(op.getContainer()).text();
        for (int64_t index : op.getPosition())
          text += "." + std::to_string(index);
        return Sum::of(std::move(text));
      })
      .Default([](mlir::Operation *) { return Sum::of("…"); });
}

std::string driver::spellExtents(NodeOp node) {
  std::string text;
  const unsigned ordered = dfg::orderedDims(node);
  const bool isSeveral = node.getExtents().size() > 1;
  for (auto [dimension, extent] : llvm::enumerate(node.getExtents())) {
    const Sum sum = sumOf(extent);
    text += (text.empty() ? "" : " × ") +
            (isSeveral ? sum.operand() : sum.text()) +
            (ordered >> dimension & 1 ? " in order" : "");
  }
  return text;
}
