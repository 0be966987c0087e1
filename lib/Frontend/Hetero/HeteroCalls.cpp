//===- HeteroCalls.cpp - Reading Hetero-C++ calls from the AST ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the calls, and reads their lists. HeteroLoops.cpp reads loops,
// HeteroLaunches.cpp reads launches.
//
//===----------------------------------------------------------------------===//

#include "HeteroCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sluice;
using clang::cast;
using clang::dyn_cast;
using clang::isa;

HeteroFunction sluice::heteroFunctionOf(llvm::StringRef name) {
  using F = HeteroFunction;
  return llvm::StringSwitch<HeteroFunction>(name)
      .Cases({"__hetero_launch", "__hpvm_launch"}, F::Launch)
      .Cases({"__hetero_wait", "__hpvm_wait"}, F::Wait)
      .Cases({"__hetero_launch_begin", "__hpvm_launch_begin"}, F::LaunchBegin)
      .Cases({"__hetero_launch_end", "__hpvm_launch_end"}, F::LaunchEnd)
      .Cases({"__hetero_section_begin", "__hpvm_parallel_section_begin"},
             F::SectionBegin)
      .Cases({"__hetero_section_end", "__hpvm_parallel_section_end"},
             F::SectionEnd)
      .Cases({"__hetero_task_begin", "__hpvm_task_begin"}, F::TaskBegin)
      .Cases({"__hetero_task_end", "__hpvm_task_end"}, F::TaskEnd)
      .Cases({"__hetero_parallel_loop", "__hpvm_parallel_loop"},
             F::ParallelLoop)
      .Cases({"__hetero_priv", "__hpvm_priv"}, F::Private)
      .Case("__hetero_hint", F::Hint)
      .Case("sluice_ordered_turns", F::Ordered)
      .Cases({"__hetero_isNonZeroLoop", "__hpvm__isNonZeroLoop"},
             F::NonZeroLoop)
      .Default(F::None);
}

//===----------------------------------------------------------------------===//
// Finding the calls
//===----------------------------------------------------------------------===//

static HeteroFunction kindOf(const clang::Stmt *statement) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(statement);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getIdentifier() || callee->isCXXClassMember())
    return HeteroFunction::None;
  return heteroFunctionOf(callee->getName());
}

void HeteroReader::read(clang::FunctionDecl *function) {
  current = function;
  stack.clear();
  walk(function->getBody());
  current = nullptr;
}

void HeteroReader::walk(clang::Stmt *statement) {
  // The body of a lambda is a separate function.
  if (!statement || isa<clang::LambdaExpr>(statement))
    return;
  stack.push_back(statement);
  llvm::SmallVector<clang::Stmt *> children(statement->children());
  for (clang::Stmt *child : children)
    walk(child);
  HeteroFunction kind = kindOf(statement);
  if (kind != HeteroFunction::None)
    readCall(cast<clang::CallExpr>(statement), kind);
  stack.pop_back();
}

/// Instances of a template may share a call that names no local variable.
static bool isRead(const clang::CallExpr *call) {
  if (call->getNumArgs() == 0)
    return false;
  const auto *number =
      dyn_cast<clang::IntegerLiteral>(call->getArg(0)->IgnoreParenCasts());
  return number && number->getValue().getActiveBits() <= 32 &&
         number->getValue().getZExtValue() >= HeteroCall::firstNumber;
}

void HeteroReader::readCall(clang::CallExpr *call, HeteroFunction kind) {
  switch (kind) {
  case HeteroFunction::SectionBegin:
  case HeteroFunction::TaskBegin:
  case HeteroFunction::ParallelLoop:
  case HeteroFunction::LaunchBegin:
    withRegions.insert(current);
    break;
  default:
    break;
  }
  if (isRead(call))
    return;
  errorsBefore = calls.errorCount();
  switch (kind) {
  case HeteroFunction::Launch:
    return readLaunch(call);
  case HeteroFunction::LaunchBegin:
    return readRegion(call, HeteroCall::Kind::LaunchRegion);
  case HeteroFunction::TaskBegin:
    return readRegion(call, HeteroCall::Kind::Task);
  case HeteroFunction::ParallelLoop:
    return readLoop(call);
  case HeteroFunction::Private:
    return readPrivate(call);
  case HeteroFunction::SectionEnd:
    return readEnd(call, HeteroFunction::SectionBegin);
  case HeteroFunction::TaskEnd:
    return readEnd(call, HeteroFunction::TaskBegin);
  case HeteroFunction::LaunchEnd:
    return readEnd(call, HeteroFunction::LaunchBegin);
  case HeteroFunction::Hint:
    constant(call, 0, "the target");
    return;
  case HeteroFunction::Ordered:
    constant(call, 0, "the set of ordered loops");
    return;
  default:
    return;
  }
}

static std::string nameOf(const clang::CallExpr *call) {
  return "'" + call->getDirectCallee()->getNameAsString() + "'";
}

/// An end takes the result of the begin before it.
void HeteroReader::readEnd(clang::CallExpr *call, HeteroFunction begin) {
  if (call->getNumArgs() != 1)
    return;
  const auto *reference =
      dyn_cast<clang::DeclRefExpr>(call->getArg(0)->IgnoreParenCasts());
  const auto *variable =
      reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  // A variable that is assigned later is not tracked.
  if (!variable || !variable->hasInit())
    return;
  const clang::Expr *value = variable->getInit()->IgnoreParenCasts();
  HeteroFunction kind = kindOf(value);
  if (kind == HeteroFunction::None || kind == begin)
    return;
  calls
      .error(call->getBeginLoc(),
             nameOf(call) + " takes '" + variable->getNameAsString() +
                 "', which is the handle of another kind of region; end the "
                 "region that was begun last",
             "hetero-region")
      .note(calls.placeOf(value->getBeginLoc()), "it is begun here");
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::optional<int64_t> HeteroReader::constant(clang::CallExpr *call,
                                              unsigned index,
                                              llvm::StringRef what) {
  if (index >= call->getNumArgs()) {
    calls.error(call->getBeginLoc(),
                nameOf(call) + " lacks an argument: " + what.str(),
                "hetero-list");
    return std::nullopt;
  }
  const clang::Expr *argument = call->getArg(index);
  clang::Expr::EvalResult result;
  if (argument->getType()->isIntegralOrEnumerationType() &&
      argument->EvaluateAsInt(result, ast))
    return result.Val.getInt().getExtValue();
  calls.error(argument->getBeginLoc(),
              what.str() + " of " + nameOf(call) +
                  " is expected here and must be an integer constant; a "
                  "buffer is a pointer and its size and counts once",
              "hetero-list");
  return std::nullopt;
}

clang::Expr *HeteroReader::literal(uint64_t value, clang::QualType type,
                                   clang::SourceLocation location) {
  return clang::IntegerLiteral::Create(
      ast, llvm::APInt(ast.getIntWidth(type), value), type, location);
}

clang::Expr *HeteroReader::addressOf(clang::ValueDecl *variable,
                                     clang::SourceLocation location) {
  clang::QualType type = variable->getType();
  auto *reference = clang::DeclRefExpr::Create(
      ast, clang::NestedNameSpecifierLoc(), clang::SourceLocation(), variable,
      /*RefersToEnclosingVariableOrCapture=*/false, location, type,
      clang::VK_LValue);
  return clang::UnaryOperator::Create(
      ast, reference, clang::UO_AddrOf, ast.getPointerType(type),
      clang::VK_PRValue, clang::OK_Ordinary, location, /*CanOverflow=*/false,
      clang::FPOptionsOverride());
}

void HeteroReader::setRecord(clang::CallExpr *call, Call source) {
  source.record.place = calls.placeOf(call->getBeginLoc());
  source.record.isBroken = calls.errorCount() != errorsBefore;
  clang::Expr *number = literal(HeteroCall::firstNumber + records.size(),
                                ast.UnsignedIntTy, call->getBeginLoc());
  // The first parameter of a launch is a pointer.
  if (call->getDirectCallee()->getNumParams() != 0 &&
      call->getDirectCallee()->getParamDecl(0)->getType()->isPointerType())
    number = clang::ImplicitCastExpr::Create(
        ast, ast.VoidPtrTy, clang::CK_IntegralToPointer, number, nullptr,
        clang::VK_PRValue, clang::FPOptionsOverride());
  call->setArg(0, number);
  records.push_back(std::move(source));
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// The expression before the conversions of variadic calls.
static clang::Expr *asWritten(clang::Expr *argument) {
  return argument->IgnoreParenImpCasts();
}

static bool isPointerLike(const clang::Expr *argument) {
  return argument->getType()->isPointerType() ||
         argument->getType()->isArrayType();
}

namespace {
/// The variable an argument names.
struct Named {
  clang::ValueDecl *variable = nullptr;
  const clang::DeclRefExpr *reference = nullptr;
  bool isMemory = false;
};
} // namespace

/// The expression without copies of class objects that are made to pass it.
static clang::Expr *withoutCopies(clang::Expr *argument) {
  clang::Expr *inner = argument->IgnoreParenCasts();
  while (true) {
    if (auto *copy = dyn_cast<clang::CXXConstructExpr>(inner);
        copy && copy->getNumArgs() == 1 &&
        copy->getConstructor()->isCopyOrMoveConstructor())
      inner = copy->getArg(0)->IgnoreParenCasts();
    else if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner))
      inner = temporary->getSubExpr()->IgnoreParenCasts();
    else
      return inner;
  }
}

static Named findVariable(clang::Expr *argument) {
  clang::Expr *inner = withoutCopies(argument);
  Named named;
  if (auto *address = dyn_cast<clang::UnaryOperator>(inner)) {
    if (address->getOpcode() != clang::UO_AddrOf)
      return named;
    named.isMemory = true;
    inner = address->getSubExpr()->IgnoreParenCasts();
  } else {
    // A part of a structure represents the whole.
    while (auto *member = dyn_cast<clang::MemberExpr>(inner)) {
      if (member->isArrow())
        return named;
      inner = member->getBase()->IgnoreParenCasts();
    }
  }
  auto *reference = dyn_cast<clang::DeclRefExpr>(inner);
  if (!reference || !isa<clang::VarDecl>(reference->getDecl()))
    return named;
  named.variable = reference->getDecl();
  named.reference = reference;
  named.isMemory |= named.variable->getType()->isArrayType();
  return named;
}

bool HeteroReader::readItem(clang::CallExpr *call, unsigned index, bool isSize,
                            bool isOutput, Call &target) {
  clang::Expr *argument = call->getArg(index);
  clang::SourceLocation location = argument->getBeginLoc();
  Named named = findVariable(argument);
  clang::Expr::EvalResult value;
  if (!named.variable) {
    bool isConstant =
        !isPointerLike(argument) && argument->EvaluateAsInt(value, ast);
    // A task need not list the size of a buffer; a launch must.
    if (isSize && target.record.kind == HeteroCall::Kind::LaunchRegion) {
      call->setArg(index, convert(argument, ast.LongTy));
      return true;
    }
    if (isSize || (isConstant && !isOutput)) {
      call->setArg(index, literal(0, ast.IntTy, location));
      return true;
    }
    calls.error(location,
                std::string("this ") + (isOutput ? "output" : "input") +
                    " of " + nameOf(call) +
                    " is no variable; name the variable that the code of the "
                    "region uses",
                "hetero-list");
    return false;
  }
  std::string name = named.variable->getNameAsString();
  const auto *variable = cast<clang::VarDecl>(named.variable);
  auto refuse = [&](const std::string &why) {
    calls.error(location, "'" + name + "' " + why, "hetero-list");
    return false;
  };
  if (named.reference->refersToEnclosingVariableOrCapture())
    return refuse("is captured by a lambda; copy it to a variable of the "
                  "function that holds the region");
  if (variable->getType()->isReferenceType())
    return refuse("is a reference; use a pointer and a size instead");
  if (!variable->hasLocalStorage())
    return refuse("is not a variable of this function; copy it to one, or use "
                  "it in the region without listing it");
  clang::QualType type = variable->getType().getUnqualifiedType();
  if (type->isVariableArrayType())
    return refuse("is an array of variable size; allocate it with "
                  "'__hetero_malloc'");
  if (!calls.checkPort(type, calls.placeOf(location), "'" + name + "'"))
    return false;
  if (isSize && !type->isIntegralOrEnumerationType())
    return refuse("stands in the place of a buffer's size, but has type '" +
                  type.getAsString() + "'");
  call->setArg(index, addressOf(named.variable, location));
  target.items.push_back({type,
                          {.argument = index,
                           .isMemory = named.isMemory,
                           .isSize = isSize,
                           .isSigned = type->isSignedIntegerOrEnumerationType(),
                           .isOutput = isOutput,
                           .variable = {.name = name,
                                        .spelling = type.getAsString(),
                                        .place = calls.placeOf(location)}}});
  return true;
}

bool HeteroReader::readList(clang::CallExpr *call, unsigned &next,
                            bool isOutput, Call &target) {
  llvm::StringRef what =
      isOutput ? "the number of outputs" : "the number of inputs";
  std::optional<int64_t> count = constant(call, next, what);
  if (!count)
    return false;
  ++next;
  bool isGood = true;
  for (int64_t i = 0; i < *count; ++i) {
    if (next >= call->getNumArgs()) {
      calls.error(call->getBeginLoc(),
                  nameOf(call) + " announces " + std::to_string(*count) +
                      (isOutput ? " outputs" : " inputs") + ", but " +
                      std::to_string(i) +
                      " follow; a buffer is a pointer and its size and counts "
                      "once",
                  "hetero-list");
      return false;
    }
    bool isBuffer = isPointerLike(asWritten(call->getArg(next)));
    isGood &= readItem(call, next, /*isSize=*/false, isOutput, target);
    ++next;
    if (!isBuffer)
      continue;
    if (next >= call->getNumArgs() ||
        !asWritten(call->getArg(next))->getType()->isIntegralType(ast)) {
      calls.error(call->getArg(next - 1)->getBeginLoc(),
                  std::string(isOutput ? "output " : "input ") +
                      std::to_string(i) + " of " + nameOf(call) +
                      " is a pointer and must be followed by its size in "
                      "bytes",
                  "hetero-list");
      return false;
    }
    isGood &= readItem(call, next, /*isSize=*/true, isOutput, target);
    ++next;
  }
  return isGood;
}

bool HeteroReader::readName(clang::CallExpr *call, unsigned next,
                            Call &target) {
  if (next == call->getNumArgs())
    return true;
  clang::Expr *argument = call->getArg(next);
  auto *text = dyn_cast<clang::StringLiteral>(argument->IgnoreParenCasts());
  if (text && next + 1 == call->getNumArgs()) {
    target.record.name = text->getString().str();
    return true;
  }
  calls.error(argument->getBeginLoc(),
              text ? nameOf(call) + " has arguments after the node's name"
                   : nameOf(call) + " has more arguments than its counts say; "
                                    "a buffer is a pointer and its size and "
                                    "counts once",
              "hetero-list");
  return false;
}

void HeteroReader::readRegion(clang::CallExpr *call, HeteroCall::Kind kind) {
  Call target{.record = {.kind = kind}};
  unsigned next = 0;
  if (readList(call, next, /*isOutput=*/false, target) &&
      readList(call, next, /*isOutput=*/true, target))
    readName(call, next, target);
  setRecord(call, std::move(target));
}

void HeteroReader::readPrivate(clang::CallExpr *call) {
  Call target{.record = {.kind = HeteroCall::Kind::Private}};
  unsigned next = 0;
  if (readList(call, next, /*isOutput=*/true, target))
    readName(call, next, target);
  setRecord(call, std::move(target));
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void HeteroReader::finish(clang::CodeGenerator &generator, CompiledUnit &unit) {
  for (Call &call : records) {
    for (SourceItem &source : call.items) {
      TypedPort port{source.type, source.item.variable};
      calls.finishPort(port, generator);
      source.item.variable = port.record;
      call.record.items.push_back(std::move(source.item));
    }
    for (SourceLoop &source : call.loops) {
      TypedPort port{source.type, source.loop.variable};
      calls.finishPort(port, generator);
      source.loop.variable = port.record;
      call.record.loops.push_back(std::move(source.loop));
    }
    if (call.root)
      finishRoot(call.root, call.record, generator);
    unit.heteroCalls.push_back(std::move(call.record));
  }
}
