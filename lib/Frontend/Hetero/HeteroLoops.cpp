//===- HeteroLoops.cpp - Reading parallel loops from the AST --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel loop must be canonical: `for (i = a; i < b; i += s)`, in the forms
// that C has for the three parts, with a, b and s unchanged during the loop.
//
//===----------------------------------------------------------------------===//

#include "HeteroCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

using namespace sluice;
using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

namespace {
/// The parts of a canonical loop.
struct LoopHeader {
  clang::VarDecl *variable = nullptr;
  clang::Expr *start = nullptr;
  /// The variable and the bound in the comparison.
  clang::Expr *compared = nullptr;
  clang::Expr *bound = nullptr;
  /// Null: one.
  clang::Expr *step = nullptr;
  bool isDown = false, isInclusive = false;
  /// True if it ends when the variable equals the bound: the step must be one.
  bool isUnequal = false;
  /// The error; empty if there is none.
  const char *problem = nullptr;
};
} // namespace

static clang::VarDecl *variableOf(clang::Expr *expression) {
  if (!expression)
    return nullptr;
  auto *reference =
      dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  auto *variable =
      reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() ? variable : nullptr;
}

static clang::Stmt *withoutCleanups(clang::Stmt *statement) {
  if (auto *cleanups = dyn_cast_or_null<clang::ExprWithCleanups>(statement))
    return cleanups->getSubExpr();
  return statement;
}

static bool readStart(clang::Stmt *start, LoopHeader &header) {
  start = withoutCleanups(start);
  if (auto *declaration = dyn_cast_or_null<clang::DeclStmt>(start)) {
    if (!declaration->isSingleDecl())
      return false;
    header.variable = dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
    header.start = header.variable ? header.variable->getInit() : nullptr;
    return header.start;
  }
  auto *assignment = dyn_cast_or_null<clang::BinaryOperator>(start);
  if (!assignment || assignment->getOpcode() != clang::BO_Assign)
    return false;
  header.variable = variableOf(assignment->getLHS());
  header.start = assignment->getRHS();
  return header.variable;
}

static bool readCondition(clang::Expr *condition, LoopHeader &header) {
  auto *comparison = dyn_cast_or_null<clang::BinaryOperator>(
      condition ? condition->IgnoreParenImpCasts() : nullptr);
  if (!comparison)
    return false;
  clang::BinaryOperatorKind opcode = comparison->getOpcode();
  header.compared = comparison->getLHS();
  header.bound = comparison->getRHS();
  if (variableOf(header.compared) != header.variable) {
    std::swap(header.compared, header.bound);
    if (!comparison->isComparisonOp() ||
        variableOf(header.compared) != header.variable)
      return false;
    opcode = clang::BinaryOperator::reverseComparisonOp(opcode);
  }
  header.isUnequal = opcode == clang::BO_NE;
  header.isInclusive = opcode == clang::BO_LE || opcode == clang::BO_GE;
  header.isDown = opcode == clang::BO_GT || opcode == clang::BO_GE;
  return header.isUnequal || clang::BinaryOperator::isRelationalOp(opcode);
}

static bool readStep(clang::Expr *step, LoopHeader &header) {
  step = step ? step->IgnoreParenImpCasts() : nullptr;
  if (auto *unary = dyn_cast_or_null<clang::UnaryOperator>(step)) {
    header.isDown |= header.isUnequal && unary->isDecrementOp();
    return unary->isIncrementDecrementOp() &&
           unary->isDecrementOp() == header.isDown &&
           variableOf(unary->getSubExpr()) == header.variable;
  }
  auto *binary = dyn_cast_or_null<clang::BinaryOperator>(step);
  if (!binary || header.isUnequal ||
      variableOf(binary->getLHS()) != header.variable)
    return false;
  if (binary->getOpcode() ==
      (header.isDown ? clang::BO_SubAssign : clang::BO_AddAssign)) {
    header.step = binary->getRHS();
    return true;
  }
  auto *sum =
      dyn_cast<clang::BinaryOperator>(binary->getRHS()->IgnoreParenImpCasts());
  if (binary->getOpcode() != clang::BO_Assign || !sum ||
      sum->getOpcode() != (header.isDown ? clang::BO_Sub : clang::BO_Add))
    return false;
  header.step = sum->getRHS();
  if (variableOf(sum->getLHS()) == header.variable)
    return true;
  header.step = sum->getLHS();
  return !header.isDown && variableOf(sum->getRHS()) == header.variable;
}

/// Whether an expression is evaluated in several basic blocks, or may have side
/// effects.
static bool isMoreThanArithmetic(const clang::Stmt *expression,
                                 clang::ASTContext &ast) {
  if (!expression)
    return false;
  const auto *value = dyn_cast<clang::Expr>(expression);
  if (value && !value->isValueDependent() && value->isEvaluatable(ast))
    return false;
  const auto *binary = dyn_cast<clang::BinaryOperator>(expression);
  if (isa<clang::AbstractConditionalOperator>(expression) ||
      (binary && binary->isLogicalOp()) ||
      (value && value->HasSideEffects(ast)))
    return true;
  return llvm::any_of(expression->children(), [&](const clang::Stmt *child) {
    return isMoreThanArithmetic(child, ast);
  });
}

static LoopHeader readHeader(clang::ForStmt *loop, clang::ASTContext &ast) {
  LoopHeader header;
  if (!readStart(loop->getInit(), header))
    header.problem = "must set one variable of its own at its start";
  else if (!header.variable->getType()->isIntegerType() ||
           header.variable->getType()->isBooleanType())
    header.problem = "must count with an integer variable";
  else if (loop->getConditionVariable() ||
           !readCondition(loop->getCond(), header))
    header.problem = "must compare its variable with '<', '<=', '>' or '>=', "
                     "or with '!=' where it steps by '++' or '--'";
  else if (!readStep(loop->getInc(), header))
    header.problem = "must step its variable towards its end, as with '++' "
                     "or '+='";
  else if (isMoreThanArithmetic(header.start, ast) ||
           isMoreThanArithmetic(header.bound, ast) ||
           isMoreThanArithmetic(header.step, ast))
    header.problem = "must have bounds and a step without assignments, calls "
                     "and choices, which are computed in variables before the "
                     "loop";
  return header;
}

/// `value`, converted via type `through` to an i64.
clang::Expr *HeteroReader::toInt64(clang::Expr *value,
                                   clang::QualType through) {
  clang::QualType wide = through->isUnsignedIntegerOrEnumerationType()
                             ? ast.getIntTypeForBitwidth(64, /*Signed=*/0)
                             : ast.getIntTypeForBitwidth(64, /*Signed=*/1);
  clang::Expr *converted = convert(value, through);
  return converted ? convert(converted, wide) : nullptr;
}

void HeteroReader::readLoopHeader(
    clang::ForStmt *loop, Call &target,
    llvm::SmallVectorImpl<clang::Expr *> &arguments) {
  LoopHeader header = readHeader(loop, ast);
  if (header.problem) {
    calls.error(loop->getBeginLoc(),
                std::string("a parallel loop ") + header.problem +
                    "; write it as 'for (i = a; i < b; i += s)'",
                "hetero-loop");
    return;
  }
  clang::SourceLocation location = loop->getBeginLoc();
  clang::QualType type = header.variable->getType().getUnqualifiedType();
  clang::QualType compared = header.compared->getType().getUnqualifiedType();
  clang::Expr *step =
      header.step ? header.step : literal(1, ast.IntTy, location);
  clang::Expr *values[] = {
      addressOf(header.variable, location), toInt64(header.start, type),
      toInt64(toInt64(header.start, type), compared),
      toInt64(header.bound, compared), toInt64(step, step->getType())};
  for (clang::Expr *value : values)
    if (!value || compared->isRealFloatingType()) {
      calls.error(loop->getBeginLoc(),
                  "a parallel loop must have integers as bounds and step; "
                  "write it as 'for (i = a; i < b; i += s)'",
                  "hetero-loop");
      return;
    }
  target.loops.push_back(
      {type,
       {.argument = unsigned(arguments.size()),
        .isDown = header.isDown,
        .isInclusive = header.isInclusive,
        .isUnsigned = compared->isUnsignedIntegerOrEnumerationType(),
        .hasSign = type->isSignedIntegerType(),
        .variable = {.name = header.variable->getNameAsString(),
                     .spelling = type.getAsString(),
                     .place = calls.placeOf(location)}}});
  arguments.append(std::begin(values), std::end(values));
}

/// The first statement of a loop's body that has an effect.
static clang::Stmt *firstOf(clang::Stmt *body) {
  while (auto *block = dyn_cast_or_null<clang::CompoundStmt>(body)) {
    clang::Stmt *first = nullptr;
    for (clang::Stmt *statement : block->body())
      if (!isa<clang::NullStmt>(statement)) {
        first = statement;
        break;
      }
    body = first;
  }
  return body;
}

/// True if `body` contains only `inner`.
static bool isOnly(clang::Stmt *body, const clang::Stmt *inner) {
  while (auto *block = dyn_cast_or_null<clang::CompoundStmt>(body)) {
    clang::Stmt *only = nullptr;
    for (clang::Stmt *statement : block->body()) {
      if (isa<clang::NullStmt>(statement))
        continue;
      if (only)
        return false;
      only = statement;
    }
    body = only;
  }
  return body == inner;
}

static void replaceChild(clang::Stmt *parent, clang::Stmt *from,
                         clang::Stmt *to) {
  for (clang::Stmt *&child : parent->children())
    if (child == from)
      child = to;
}

void HeteroReader::readLoop(clang::CallExpr *call) {
  Call target{.record = {.kind = HeteroCall::Kind::Loop}};
  std::optional<int64_t> count = constant(call, 0, "the number of loops");
  auto refuse = [&](clang::SourceLocation location, const char *message) {
    calls.error(location, message, "hetero-loop");
    setRecord(call, std::move(target));
  };
  if (!count)
    return setRecord(call, std::move(target));
  if (*count < 1 || *count > 3)
    return refuse(call->getArg(0)->getBeginLoc(),
                  "a parallel loop has 1 to 3 loops, one for every dimension "
                  "of its node");
  unsigned next = 1;
  if (readList(call, next, /*isOutput=*/false, target) &&
      readList(call, next, /*isOutput=*/true, target))
    readName(call, next, target);

  // The loops around the call, the innermost first.
  llvm::SmallVector<clang::ForStmt *, 3> nest;
  const clang::Stmt *inner = call;
  for (clang::Stmt *statement : llvm::reverse(stack)) {
    if (statement == call || isa<clang::CompoundStmt>(statement))
      continue;
    auto *loop = dyn_cast<clang::ForStmt>(statement);
    if (!loop)
      break;
    if (nest.empty() ? firstOf(loop->getBody()) != call
                     : !isOnly(loop->getBody(), inner))
      return refuse(nest.empty() ? call->getBeginLoc() : loop->getBeginLoc(),
                    nest.empty()
                        ? "'__hetero_parallel_loop' must come first in the "
                          "body of its loop"
                        : "loops of a parallel loop nest must hold nothing "
                          "but the next loop; move other code into the "
                          "innermost one, or name fewer loops");
    nest.push_back(loop);
    inner = loop;
    if (int64_t(nest.size()) == *count)
      break;
  }
  if (int64_t(nest.size()) != *count)
    return refuse(call->getBeginLoc(),
                  "fewer 'for' loops stand around this call than it names");
  llvm::SmallVector<clang::Expr *> arguments(call->arguments());
  for (clang::ForStmt *loop : llvm::reverse(nest))
    readLoopHeader(loop, target, arguments);
  auto *longer = clang::CallExpr::Create(
      ast, call->getCallee(), arguments, call->getType(), call->getValueKind(),
      call->getRParenLoc(), clang::FPOptionsOverride());
  replaceChild(stack[stack.size() - 2], call, longer);
  setRecord(longer, std::move(target));
}
