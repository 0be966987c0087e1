//===- RandomShapes.cpp - Typical leaves, almost correct ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proofs about pitches, blocks and steps must accept some programs and reject
// others that differ only in one sign or one comparison. This file makes both.
//
//===----------------------------------------------------------------------===//

#include "RandomLeaf.h"

using namespace sluice::races;
using Kind = Expression::Kind;

namespace {
class ShapeMaker {
public:
  ShapeMaker(RandomNode &node, std::minstd_rand &random)
      : node(node), random(random) {}

  void run() {
    switch (below(9)) {
    case 0:
    case 1:
      return image();
    case 2:
      return blocks();
    case 3:
    case 4:
      return step();
    case 5:
      return triangle();
    case 6:
      return rotation();
    case 7:
      return digits();
    default:
      return updates();
    }
  }

private:
  unsigned below(unsigned most) { return random() % most; }
  /// True if something should be wrong.
  bool isWrong() { return below(10) == 0; }
  ExpressionRef constant(int64_t value) {
    return make(Kind::Constant, {64, true}, value);
  }
  ExpressionRef id(unsigned dimension) {
    return make(Kind::Id, {64, true}, 0, dimension);
  }
  /// A number in a form in which a program may store it.
  ExpressionRef kept(ExpressionRef value) {
    if (below(4) != 0)
      return value;
    ExpressionRef result = make(Kind::Cast, {32, true});
    result->operands = {std::move(value)};
    return result;
  }
  ExpressionRef pitch(const ExpressionRef &width);
  void access(ExpressionRef index, bool isWrite, std::vector<Statement> &body);
  std::vector<Statement> &state(ExpressionRef fact);
  void image();
  void blocks();
  void step();
  void triangle();
  void rotation();
  void digits();
  void updates();
  /// `value` of the table that nobody writes.
  ExpressionRef loaded(ExpressionRef index) {
    ExpressionRef result = make(Kind::Loaded, {32, true});
    result->operands = {std::move(index)};
    return result;
  }

  RandomNode &node;
  std::minstd_rand &random;
  unsigned width = 4;
};
} // namespace

void ShapeMaker::access(ExpressionRef index, bool isWrite,
                        std::vector<Statement> &body) {
  Statement result;
  result.elementBytes = width;
  result.bytes = isWrong() && below(2) ? 8 : width;
  result.isWrite = isWrite;
  if (isWrong())
    index = binary("+", index, constant(below(3)));
  result.first = std::move(index);
  body.push_back(std::move(result));
}

/// The following statements require `fact`: it is either assumed or tested.
std::vector<Statement> &ShapeMaker::state(ExpressionRef fact) {
  if (isWrong())
    return node.body;
  Statement result;
  result.kind = below(2) ? Statement::Kind::Assume : Statement::Kind::If;
  result.first = std::move(fact);
  node.body.push_back(std::move(result));
  return node.body.back().kind == Statement::Kind::If ? node.body.back().body
                                                      : node.body;
}

/// Usually at least `width`; sometimes an argument, which may be anything.
ExpressionRef ShapeMaker::pitch(const ExpressionRef &width) {
  int64_t step = 1 << below(5), more = step - 1 - isWrong();
  ExpressionRef sum = binary("+", width, constant(more));
  switch (below(6)) {
  case 0:
    return binary("*", binary("/", sum, constant(step)), constant(step));
  case 1:
    return binary("&", sum, constant(-step));
  case 2:
    return binary("+", width, constant(int64_t(below(4)) - isWrong()));
  default:
    return kept(argument(4));
  }
}

/// Rows of m elements, every `pitch` of them.
void ShapeMaker::image() {
  node.levels = {{{0, 0u}, {0, 1u}}};
  width = 1 << below(4);
  ExpressionRef columns = argument(1), distance = pitch(columns);
  ExpressionRef fact =
      isWrong()   ? binary("<=", distance, columns)
      : isWrong() ? binary("<=", columns, binary("+", distance, constant(1)))
      : below(5) == 0 ? binary("<", columns, distance)
                      : binary("<=", columns, distance);
  std::vector<Statement> &body = state(fact);
  ExpressionRef index = binary("+", binary("*", id(0), distance), kept(id(1)));
  access(index, true, body);
  if (below(2))
    access(index, false, body);
}

/// Part `id` of n: k elements for each, one after another.
void ShapeMaker::blocks() {
  node.levels = {{{0, 0u}}};
  width = 1 << below(4);
  ExpressionRef count = kept(argument(4));
  ExpressionRef size =
      binary("/", count, isWrong() ? argument(1) : argument(0));
  Statement loop;
  loop.kind = Statement::Kind::Loop;
  loop.type = {below(2) ? 64u : 32u, true};
  loop.first = constant(0);
  loop.second = isWrong() ? binary("+", size, constant(1)) : size;
  ExpressionRef turn = make(Kind::Counter, loop.type, 0, 0);
  ExpressionRef stride = isWrong() ? binary("-", size, constant(1)) : size;
  access(binary("+", binary("*", id(0), stride), turn), true, loop.body);
  node.body.push_back(std::move(loop));
}

/// Step k of Floyd and Warshall's algorithm in place: row k and column k are
/// read and must not be written.
void ShapeMaker::step() {
  node.levels = {{{0, 0u}, {0, 0u}}};
  ExpressionRef n = argument(0), k = kept(argument(4)), rows = n;
  std::vector<Statement> *body =
      &state(binary("&&", binary("<=", constant(0), k),
                    binary(isWrong() ? "<=" : "<", k, n)));
  if (below(3) == 0 && body == &node.body) {
    rows = argument(1);
    body = &state(binary("<=", n, rows));
  }
  ExpressionRef i = id(0), j = id(1);
  ExpressionRef isOther = binary("!=", i, k), isApart = binary("!=", j, k);
  Statement guard;
  guard.kind = Statement::Kind::If;
  guard.first = isWrong() ? (below(2) ? isOther : isApart)
                          : binary(isWrong() ? "||" : "&&", isOther, isApart);
  auto at = [&](const ExpressionRef &row, const ExpressionRef &column) {
    return binary("+", binary("*", row, rows), column);
  };
  access(at(i, k), false, guard.body);
  access(at(k, j), false, guard.body);
  access(at(i, j), true, guard.body);
  body->push_back(std::move(guard));
}

/// The rows of a triangle, one after another, as a node of two dimensions or
/// with a loop over each row.
void ShapeMaker::triangle() {
  const bool isLoop = below(2), isUpper = below(2), hasDiagonal = below(2);
  node.levels = isLoop ? std::vector<std::vector<Extent>>{{{0, 0u}}}
                       : std::vector<std::vector<Extent>>{{{0, 0u}, {0, 0u}}};
  width = 1 << below(4);
  ExpressionRef n = argument(0), row = kept(id(0));
  ExpressionRef one = constant(1);
  ExpressionRef other = isWrong() ? binary("+", row, constant(below(3)))
                        : hasDiagonal == isUpper ? binary("-", row, one)
                                                 : binary("+", row, one);
  // Of the upper one, what stands before the diagonal is missing.
  if (isUpper && !isWrong())
    other = binary("+", row, one);
  ExpressionRef start = binary("/", binary("*", row, other), constant(2));
  if (isUpper)
    start = binary("-", binary("*", row, n), start);
  Statement around;
  ExpressionRef column;
  if (isLoop) {
    around.kind = Statement::Kind::Loop;
    around.type = {below(2) ? 64u : 32u, true};
    around.first = !isUpper      ? constant(0)
                   : hasDiagonal ? row
                                 : binary("+", row, one);
    around.second = isUpper ? n : hasDiagonal ? binary("+", row, one) : row;
    if (isWrong())
      around.second = binary("+", around.second, one);
    column = make(Kind::Counter, around.type, 0, 0);
  } else {
    around.kind = Statement::Kind::If;
    column = kept(id(1));
    around.first = binary(isUpper ? (hasDiagonal ? ">=" : ">")
                                  : (hasDiagonal ? "<=" : "<"),
                          column, isWrong() ? binary("+", row, one) : row);
  }
  access(binary("+", start, column), true, around.body);
  node.body.push_back(std::move(around));
}

/// Places that go round.
void ShapeMaker::rotation() {
  const bool isImage = below(3) == 0;
  ExpressionRef n = argument(0), m = argument(1);
  node.levels = isImage ? std::vector<std::vector<Extent>>{{{0, 0u}, {0, 1u}}}
                        : std::vector<std::vector<Extent>>{{{0, 0u}}};
  width = 1 << below(4);
  ExpressionRef most = isImage ? m : n, i = id(isImage ? 1 : 0);
  ExpressionRef distance = below(3) == 0 ? constant(below(5))
                           : below(2)    ? kept(argument(4))
                                         : binary("-", most, constant(1));
  ExpressionRef moved =
      below(4) == 0 ? binary("-", distance, i) : binary("+", kept(i), distance);
  if (isWrong())
    moved = binary("*", moved, constant(2));
  ExpressionRef divisor = isWrong()       ? binary("-", most, constant(1))
                          : below(4) == 0 ? binary("+", most, constant(2))
                                          : most;
  ExpressionRef index = binary("%", moved, divisor);
  if (isImage)
    index = binary("+", binary("*", id(0), isWrong() ? n : m), index);
  access(index, true, node.body);
}

/// Blocks of k in other orders.
void ShapeMaker::digits() {
  node.levels = {{{0, 0u}}};
  width = 1 << below(4);
  ExpressionRef k = kept(argument(4)), n = argument(0);
  std::vector<Statement> &body = state(binary("<", constant(0), k));
  ExpressionRef block = binary("/", kept(id(0)), k);
  ExpressionRef rest = binary("%", kept(id(0)), k);
  ExpressionRef pitch = below(2) ? k : binary("+", k, constant(below(4)));
  if (isWrong())
    pitch = binary("-", k, constant(1));
  access(below(2) ? binary("+", binary("*", block, pitch), rest)
                  : binary("+", binary("*", rest, isWrong() ? k : n), block),
         true, body);
}

/// Counters that a table selects.
void ShapeMaker::updates() {
  node.levels = {{{below(3) == 0 ? 1 + below(20) : 0, 0u}}};
  if (node.levels[0][0].constant != 0)
    node.levels[0][0].argument.reset();
  Statement update;
  update.isWrite = true;
  update.isUpdate = below(5) != 0;
  ExpressionRef found = loaded(below(4) ? id(0) : constant(below(3)));
  switch (below(4)) {
  case 0:
    update.first = binary("&", found, constant((1 << below(5)) - 1));
    break;
  case 1: {
    ExpressionRef positive = make(Kind::Cast, {32, false});
    positive->operands = {found};
    update.first = binary("%", positive, constant(1 + below(20)));
    break;
  }
  case 2:
    update.first = found;
    break;
  default:
    update.first = constant(below(3));
  }
  if (below(2) == 0) {
    node.body.push_back(std::move(update));
    return;
  }
  Statement guard;
  guard.kind = Statement::Kind::If;
  const char *const comparisons[] = {">", "==", "<", "!="};
  guard.first =
      binary(comparisons[below(4)], loaded(below(3) ? id(0) : constant(0)),
             below(2) ? constant(below(8)) : id(0));
  guard.body.push_back(std::move(update));
  node.body.push_back(std::move(guard));
}

void sluice::races::makeShape(RandomNode &node, std::minstd_rand &random) {
  ShapeMaker(node, random).run();
}
