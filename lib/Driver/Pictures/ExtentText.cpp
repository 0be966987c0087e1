//===- ExtentText.cpp - Extents of nodes as people write them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of parallel loops are what a compiler makes of `for (i = 1; i < n -
// 1; i += 2)`: conversions, "or none", a division rounded up. Here they become
// sums again.
//
//===----------------------------------------------------------------------===//

#include "ExtentText.h"

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
struct ExtentSum {
  struct Term {
    std::string text;
    int64_t factor;
  };
  std::vector<Term> terms;
  int64_t number = 0;

  static ExtentSum of(std::string text) { return {{{std::move(text), 1}}, 0}; }
  bool isNumber() const { return terms.empty(); }
  void add(const ExtentSum &other, int64_t factor);
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

void ExtentSum::add(const ExtentSum &other, int64_t factor) {
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

std::string ExtentSum::text() const {
  if (isNumber())
    return std::to_string(number);
  std::string result;
  // Terms that are added come before terms that are subtracted.
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

static ExtentSum sumOf(mlir::Value value);

static ExtentSum callOf(StringRef name, mlir::Value a, mlir::Value b) {
  return ExtentSum::of(
      (name + "(" + sumOf(a).text() + ", " + sumOf(b).text() + ")").str());
}

static bool isNumber(mlir::Value value, int64_t number) {
  std::optional<int64_t> known = dfg::constantExtent(value);
  return known && *known == number;
}

/// "a > b", and what it says of which order.
static std::string comparisonOf(arith::CmpIOp compare, bool isLess,
                                bool isGreater, bool isEqual) {
  StringRef sign = isLess      ? isEqual ? " ≤ " : " < "
                   : isGreater ? isEqual ? " ≥ " : " > "
                   : isEqual   ? " = "
                               : " ≠ ";
  return sumOf(compare.getLhs()).text() + sign.str() +
         sumOf(compare.getRhs()).text();
}

/// True for 0 or less where `x` is: with `a < b`, if x is b - a or a quotient
/// of it, rounded up.
static bool isNoneOtherwise(const ExtentSum &less, const ExtentSum &more,
                            const ExtentSum &x, bool isEqual) {
  ExtentSum distance = more;
  distance.add(less, -1);
  // The turns of `i <= n` are one more.
  distance.number += isEqual;
  std::string text = distance.text(), turns = x.text();
  StringRef quotient = turns;
  return text == turns || (quotient.consume_front("⌈") &&
                           quotient.starts_with(distance.operand() + " / "));
}

/// `a < b ? b - a : 0` are the turns of a loop, none included; `a < b ? a : b`
/// is the smaller one. Other choices are written as they are.
static ExtentSum choiceOf(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  mlir::Value one = select.getTrueValue(), other = select.getFalseValue();
  if (!compare)
    return ExtentSum::of("…");
  StringRef relation = arith::stringifyCmpIPredicate(compare.getPredicate());
  const bool isEqual = relation.ends_with("e") && relation != "ne";
  bool isLess = relation.ends_with("lt") || relation.ends_with("le");
  bool isGreater = relation.ends_with("gt") || relation.ends_with("ge");
  if (isNumber(other, 0) && (isLess || isGreater)) {
    ExtentSum left = sumOf(compare.getLhs()), right = sumOf(compare.getRhs());
    if (isGreater)
      std::swap(left, right);
    if (isNoneOtherwise(left, right, sumOf(one), isEqual))
      return sumOf(one);
  }
  bool isSame = compare.getLhs() == one && compare.getRhs() == other;
  bool isSwapped = compare.getLhs() == other && compare.getRhs() == one;
  if ((!isLess && !isGreater) || (!isSame && !isSwapped))
    return ExtentSum::of(
        "(" +
        comparisonOf(compare, isLess, isGreater, isEqual || relation == "eq") +
        " ? " + sumOf(one).text() + " : " + sumOf(other).text() + ")");
  return callOf(isLess == isSame ? "min" : "max", one, other);
}

/// `(x - 1) / c + 1`.
static std::optional<ExtentSum> roundedUp(arith::AddIOp sum) {
  mlir::Operation *division = sum.getLhs().getDefiningOp();
  if (!isNumber(sum.getRhs(), 1) ||
      !isa_and_nonnull<arith::DivUIOp, arith::DivSIOp>(division))
    return std::nullopt;
  ExtentSum count = sumOf(division->getOperand(0));
  ExtentSum divisor = sumOf(division->getOperand(1));
  count.number += 1;
  if (divisor.isNumber() && divisor.number == 1)
    return count;
  return ExtentSum::of("⌈" + count.operand() + " / " + divisor.operand() + "⌉");
}

static ExtentSum productOf(mlir::Value a, mlir::Value b) {
  ExtentSum left = sumOf(a), right = sumOf(b), result;
  if (left.isNumber())
    std::swap(left, right);
  if (right.isNumber()) {
    result.add(left, right.number);
    return result;
  }
  return ExtentSum::of(left.operand() + " · " + right.operand());
}

static ExtentSum sumOf(mlir::Value value) {
  if (std::optional<int64_t> known = dfg::constantExtent(value))
    return {{}, *known};
  if (auto argument = dyn_cast<mlir::BlockArgument>(value))
    return ExtentSum::of(cast<GraphOp>(argument.getOwner()->getParentOp())
                             .getInputName(argument.getArgNumber()));
  auto quotient = [](mlir::Operation *op, StringRef sign) {
    return ExtentSum::of((Twine(sumOf(op->getOperand(0)).operand()) + sign +
                          sumOf(op->getOperand(1)).operand())
                             .str());
  };
  auto combined = [](mlir::Operation *op, int64_t factor) {
    ExtentSum sum = sumOf(op->getOperand(0));
    sum.add(sumOf(op->getOperand(1)), factor);
    return sum;
  };
  return TypeSwitch<mlir::Operation *, ExtentSum>(value.getDefiningOp())
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [](mlir::Operation *op) { return sumOf(op->getOperand(0)); })
      .Case([&](arith::AddIOp op) {
        std::optional<ExtentSum> rounded = roundedUp(op);
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
        return ExtentSum::of("⌈" + quotient(op, " / ").text() + "⌉");
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
        return ExtentSum::of(std::move(text));
      })
      .Default([](mlir::Operation *) { return ExtentSum::of("…"); });
}

std::string driver::spellExtents(NodeOp node) {
  std::string text;
  const unsigned ordered = dfg::orderedDims(node);
  const bool isSeveral = node.getExtents().size() > 1;
  for (auto [dimension, extent] : llvm::enumerate(node.getExtents())) {
    const ExtentSum sum = sumOf(extent);
    text += (text.empty() ? "" : " × ") +
            (isSeveral ? sum.operand() : sum.text()) +
            (ordered >> dimension & 1 ? " in order" : "");
  }
  return text;
}
