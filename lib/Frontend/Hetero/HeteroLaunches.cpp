//===- HeteroLaunches.cpp - Reading __hetero_launch from the AST ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a launch are the arguments of its root, converted to the types
// of the root's parameters as in a call.
//
//===----------------------------------------------------------------------===//

#include "HeteroCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/CodeGen/ModuleBuilder.h"

using namespace sluice;
using clang::dyn_cast;

/// The function that an argument names; null if it names none.
static clang::FunctionDecl *findFunction(clang::Expr *argument) {
  clang::Expr *named = argument->IgnoreParenCasts();
  if (auto *address = dyn_cast<clang::UnaryOperator>(named))
    if (address->getOpcode() == clang::UO_AddrOf)
      named = address->getSubExpr()->IgnoreParenCasts();
  auto *reference = dyn_cast<clang::DeclRefExpr>(named);
  return reference ? dyn_cast<clang::FunctionDecl>(reference->getDecl())
                   : nullptr;
}

static std::optional<clang::CastKind> castKind(clang::QualType from,
                                               clang::QualType to) {
  bool fromInteger = from->isIntegralOrUnscopedEnumerationType();
  if (to->isPointerType())
    return from->isPointerType() ? std::optional(clang::CK_BitCast)
                                 : std::nullopt;
  if (to->isBooleanType())
    return fromInteger ? std::optional(clang::CK_IntegralToBoolean)
                       : std::nullopt;
  if (to->isIntegralOrEnumerationType())
    return fromInteger ? std::optional(clang::CK_IntegralCast)
           : from->isRealFloatingType()
               ? std::optional(clang::CK_FloatingToIntegral)
               : std::nullopt;
  if (to->isRealFloatingType())
    return fromInteger ? std::optional(clang::CK_IntegralToFloating)
           : from->isRealFloatingType() ? std::optional(clang::CK_FloatingCast)
                                        : std::nullopt;
  return std::nullopt;
}

/// Converts `value` to a parameter's type `type`; null if that is impossible.
clang::Expr *HeteroReader::convert(clang::Expr *value, clang::QualType type) {
  type = type.getUnqualifiedType();
  clang::QualType from = value->getType();
  if (ast.hasSameUnqualifiedType(from, type))
    return value;
  std::optional<clang::CastKind> kind = castKind(from, type);
  if (!kind && type->isPointerType() &&
      value->isNullPointerConstant(ast,
                                   clang::Expr::NPC_ValueDependentIsNotNull))
    kind = clang::CK_NullToPointer;
  if (!kind)
    return nullptr;
  return clang::ImplicitCastExpr::Create(ast, type, *kind, value, nullptr,
                                         clang::VK_PRValue,
                                         clang::FPOptionsOverride());
}

static bool isBool(clang::Expr *argument) {
  return argument->IgnoreParenImpCasts()->getType()->isBooleanType();
}

void HeteroReader::readLaunch(clang::CallExpr *call) {
  Call target{.record = {.kind = HeteroCall::Kind::Launch}};
  auto refuse = [&](clang::SourceLocation location, std::string message) {
    calls.error(location, std::move(message), "hetero-launch");
    setRecord(call, std::move(target));
  };
  clang::FunctionDecl *root =
      call->getNumArgs() != 0 ? findFunction(call->getArg(0)) : nullptr;
  if (!root)
    return refuse(call->getBeginLoc(),
                  "the root of a launch must be known at compile time; name "
                  "the function in the call");
  std::string name = "'" + root->getNameAsString() + "'";
  target.record.rootName = root->getNameAsString();
  if (root->isVariadic() || !root->getReturnType()->isVoidType() ||
      (clang::isa<clang::CXXMethodDecl>(root) &&
       clang::cast<clang::CXXMethodDecl>(root)->isInstance()))
    return refuse(root->getLocation(),
                  "root function " + name +
                      " must be an ordinary function or a static one, return "
                      "void, and take a fixed number of parameters");
  std::optional<int64_t> count = constant(call, 1, "the number of inputs");
  if (!count)
    return setRecord(call, std::move(target));

  // Parameters tell which values are buffers. Some versions have an additional
  // bool after the size, which tells where the buffer is; here, this is already
  // known.
  llvm::SmallVector<clang::Expr *> values;
  unsigned next = 2, parameter = 0, numParameters = root->getNumParams();
  auto take = [&]() -> bool {
    if (next >= call->getNumArgs() || parameter >= numParameters)
      return false;
    clang::ParmVarDecl *declared = root->getParamDecl(parameter);
    clang::Expr *argument = call->getArg(next);
    clang::Expr *value = convert(argument, declared->getType());
    if (!value) {
      calls.error(argument->getBeginLoc(),
                  "parameter " + std::to_string(parameter) + " ('" +
                      declared->getNameAsString() + "') of root function " +
                      name + " has type '" + declared->getType().getAsString() +
                      "', but the launch gives it '" +
                      argument->IgnoreParenImpCasts()->getType().getAsString() +
                      "'",
                  "hetero-launch");
      value = argument;
    }
    values.push_back(value);
    ++next;
    ++parameter;
    return true;
  };
  for (int64_t i = 0; i < *count; ++i) {
    bool isBuffer = parameter < numParameters &&
                    root->getParamDecl(parameter)->getType()->isPointerType();
    bool isTaken = take() && (!isBuffer || take());
    if (!isTaken)
      return refuse(call->getBeginLoc(),
                    "root function " + name + " takes " +
                        std::to_string(numParameters) +
                        " parameters, but the " + std::to_string(*count) +
                        " inputs of this launch are not as many; a buffer is "
                        "a pointer and its size, which make two parameters "
                        "and count once");
    bool wantsBool = parameter < numParameters &&
                     root->getParamDecl(parameter)->getType()->isBooleanType();
    if (isBuffer && !wantsBool && next < call->getNumArgs() &&
        isBool(call->getArg(next)))
      ++next;
  }
  if (parameter != numParameters)
    return refuse(call->getBeginLoc(),
                  "root function " + name + " takes " +
                      std::to_string(numParameters) + " parameters, but the " +
                      std::to_string(*count) + " inputs of this launch give " +
                      std::to_string(parameter) +
                      "; a buffer is a pointer and its size, which make two "
                      "parameters and count once");
  std::optional<int64_t> outputs =
      constant(call, next, "the number of outputs");
  if (!outputs)
    return setRecord(call, std::move(target));
  ++next;
  for (int64_t i = 0; i < *outputs && next < call->getNumArgs(); ++i) {
    bool isBuffer = call->getArg(next)->getType()->isPointerType();
    next += isBuffer ? 2 : 1;
    if (isBuffer && next < call->getNumArgs() && isBool(call->getArg(next)))
      ++next;
  }
  if (next != call->getNumArgs())
    return refuse(call->getBeginLoc(),
                  "the outputs of this launch are not the " +
                      std::to_string(*outputs) +
                      " that it announces; a buffer is a pointer and its size "
                      "and counts once");
  for (clang::ParmVarDecl *declared : root->parameters())
    if (!calls.checkPort(declared->getType(),
                         calls.placeOf(declared->getLocation()),
                         "parameter '" + declared->getNameAsString() +
                             "' of root function " + name))
      return setRecord(call, std::move(target));
  for (auto [index, value] : llvm::enumerate(values))
    call->setArg(1 + index, calls.addressOfTemporary(value));
  call->shrinkNumArgs(1 + values.size());
  target.root = root;
  setRecord(call, std::move(target));
}

void HeteroReader::finishRoot(clang::FunctionDecl *root, HeteroCall &record,
                              clang::CodeGenerator &generator) {
  if (clang::FunctionDecl *definition = root->getDefinition())
    root = definition;
  for (clang::ParmVarDecl *parameter : root->parameters()) {
    TypedPort port{parameter->getType().getUnqualifiedType(),
                   {.name = parameter->getNameAsString(),
                    .spelling = parameter->getType().getAsString(),
                    .place = calls.placeOf(parameter->getLocation()),
                    .isRestrict = parameter->getType().isRestrictQualified()}};
    calls.finishPort(port, generator);
    record.parameters.push_back(port.record);
  }
  record.root = generator.GetMangledName(clang::GlobalDecl(root)).str();
  record.adapter = "sluice.call." + record.root;
  if (!rootAdapters.insert(record.adapter).second)
    return;
  generator.HandleTopLevelDecl(
      clang::DeclGroupRef(calls.makeAdapter(root, record.adapter)));
}
