//===- ReadCalls.cpp - Reading HPVM-C calls from the AST ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks every call as far as the source alone permits, with locations that the
// user knows.
//
//===----------------------------------------------------------------------===//

#include "ReadCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sluice;
using clang::cast;
using clang::dyn_cast;
using clang::isa;

//===----------------------------------------------------------------------===//
// Finding the calls
//===----------------------------------------------------------------------===//

namespace {
/// Visits the calls of one function body; inner functions are visited
/// separately.
class BodyVisitor : public clang::RecursiveASTVisitor<BodyVisitor> {
public:
  BodyVisitor(CallReader &reader, clang::FunctionDecl *function)
      : reader(reader), function(function) {}

  bool shouldTraversePostOrder() const { return true; }
  bool TraverseCXXRecordDecl(clang::CXXRecordDecl *) { return true; }
  bool TraverseLambdaExpr(clang::LambdaExpr *) { return true; }

  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier() || callee->isCXXClassMember())
      return true;
    llvm::StringRef name = callee->getName();
    if (name.starts_with("__hpvm__"))
      reader.readCall(call, name, function);
    return true;
  }

private:
  CallReader &reader;
  clang::FunctionDecl *function;
};

/// The functions with bodies below a declaration.
class FunctionVisitor : public clang::RecursiveASTVisitor<FunctionVisitor> {
public:
  FunctionVisitor(CallReader &reader, const clang::SourceManager &sources,
                  llvm::DenseSet<const clang::Decl *> &done)
      : reader(reader), sources(sources), done(done) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (!function->doesThisDeclarationHaveABody() ||
        function->isDependentContext() ||
        sources.isInSystemHeader(function->getLocation()) ||
        !done.insert(function).second)
      return true;
    reader.readRegions(function);
    BodyVisitor visitor(reader, function);
    if (auto *constructor = dyn_cast<clang::CXXConstructorDecl>(function))
      for (clang::CXXCtorInitializer *initializer : constructor->inits())
        visitor.TraverseStmt(initializer->getInit());
    visitor.TraverseStmt(function->getBody());
    return true;
  }

  bool VisitParmVarDecl(clang::ParmVarDecl *parameter) {
    if (parameter->hasDefaultArg() &&
        !parameter->hasUninstantiatedDefaultArg() &&
        !parameter->hasUnparsedDefaultArg())
      visitInitializer(parameter, parameter->getDefaultArg());
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) {
    if (field->hasInClassInitializer())
      visitInitializer(field, field->getInClassInitializer());
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
    return VisitFunctionDecl(lambda->getCallOperator());
  }

  bool VisitVarDecl(clang::VarDecl *variable) {
    // Initialisers of variables in functions are part of the body.
    if (variable->hasGlobalStorage() && !variable->isStaticLocal() &&
        variable->hasInit())
      visitInitializer(variable, variable->getInit());
    return true;
  }

private:
  /// Visits code that belongs to no function.
  void visitInitializer(clang::DeclaratorDecl *owner, clang::Expr *value) {
    if (value && !owner->getDeclContext()->isDependentContext() &&
        !sources.isInSystemHeader(owner->getLocation()) &&
        done.insert(owner).second)
      BodyVisitor(reader, nullptr).TraverseStmt(value);
  }

  CallReader &reader;
  const clang::SourceManager &sources;
  llvm::DenseSet<const clang::Decl *> &done;
};
} // namespace

void CallReader::read(clang::Decl *declaration) {
  FunctionVisitor(*this, ast.getSourceManager(), done)
      .TraverseDecl(declaration);
}

void CallReader::readCall(clang::CallExpr *call, llvm::StringRef name,
                          clang::FunctionDecl *function) {
  if (name.starts_with("__hpvm__tensor_") || name == "__hpvm__node_id" ||
      name == "__hpvm__grad") {
    error(call->getBeginLoc(),
          "'" + name.str() +
              "' is a tensor operation, and these are not compiled; write it "
              "as the code of a leaf node",
          "tensor");
    return;
  }
  enum { Other, Node, Return, Create, Launch, Attributes, Hint };
  switch (llvm::StringSwitch<int>(name)
              .Case("__hpvm__return", Return)
              .Case("__hpvm__createNodeND", Create)
              .Case("__hpvm__launch", Launch)
              .Case("__hpvm__attributes", Attributes)
              .Case("__hpvm__hint", Hint)
              .Cases({"__hpvm__edge", "__hpvm__bindIn", "__hpvm__bindOut",
                      "__hpvm__getNode", "__hpvm__barrier", "__hpvm__malloc"},
                     Node)
              .Default(Other)) {
  case Return:
    readReturn(call);
    break;
  case Create:
    readCreateNode(call);
    break;
  case Launch:
    return readLaunch(call);
  case Attributes:
    return readAttributes(call, function);
  case Hint:
    // In a region, the call belongs to the region.
    if (function && regions && regions->hasRegions(function)) {
      constantArgument(call, 0, "the target");
      return;
    }
    return readHint(call, function);
  case Node:
    break;
  default:
    return;
  }
  if (function)
    nodeOf(function);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

SourcePlace CallReader::placeOf(clang::SourceLocation location) {
  clang::PresumedLoc presumed = ast.getSourceManager().getPresumedLoc(location);
  if (presumed.isInvalid())
    return {};
  return {presumed.getFilename(), presumed.getLine(), presumed.getColumn()};
}

Diagnostic &CallReader::error(clang::SourceLocation location,
                              std::string message, llvm::StringRef rule) {
  return diagnostics.error(placeOf(location), std::move(message), rule.str());
}

static std::string countOf(int64_t count, llvm::StringRef what) {
  return std::to_string(count) + " " + what.str() + (count == 1 ? "" : "s");
}

/// "1 follows", "2 follow".
static std::string follow(int64_t count) {
  return std::to_string(count) + (count == 1 ? " follows" : " follow");
}

static std::string nameOf(const clang::CallExpr *call) {
  return "'" + call->getDirectCallee()->getNameAsString() + "'";
}

std::optional<int64_t> CallReader::constantArgument(clang::CallExpr *call,
                                                    unsigned index,
                                                    llvm::StringRef what) {
  if (index >= call->getNumArgs()) {
    error(call->getBeginLoc(),
          nameOf(call) + " lacks an argument: " + what.str(), "arguments");
    return std::nullopt;
  }
  const clang::Expr *argument = call->getArg(index);
  clang::Expr::EvalResult result;
  if (argument->EvaluateAsInt(result, ast))
    return result.Val.getInt().getExtValue();
  error(argument->getBeginLoc(),
        what.str() + " must be an integer constant in a call of " +
            nameOf(call),
        "constant");
  return std::nullopt;
}

void CallReader::setRecord(clang::CallExpr *call, SourceCall source) {
  source.record.place = placeOf(call->getBeginLoc());
  clang::QualType type = ast.UnsignedIntTy;
  call->setArg(0,
               clang::IntegerLiteral::Create(
                   ast, llvm::APInt(32, CallRecord::firstNumber + calls.size()),
                   type, call->getBeginLoc()));
  calls.push_back(std::move(source));
}

/// The expression before the promotions of variadic calls.
static clang::Expr *withoutPromotion(clang::Expr *argument) {
  auto *promotion = dyn_cast<clang::ImplicitCastExpr>(argument);
  if (!promotion || (promotion->getCastKind() != clang::CK_IntegralCast &&
                     promotion->getCastKind() != clang::CK_FloatingCast))
    return argument;
  return promotion->getSubExpr();
}

/// `&(T){value}`: memory that contains the value exactly as a T does.
clang::Expr *CallReader::addressOfTemporary(clang::Expr *value) {
  clang::QualType type = value->getType().getUnqualifiedType();
  clang::SourceLocation location = value->getBeginLoc();
  auto *temporary = new (ast) clang::CompoundLiteralExpr(
      location, ast.getTrivialTypeSourceInfo(type, location), type,
      clang::VK_LValue, value, /*fileScope=*/false);
  return clang::UnaryOperator::Create(
      ast, temporary, clang::UO_AddrOf, ast.getPointerType(type),
      clang::VK_PRValue, clang::OK_Ordinary, location, /*CanOverflow=*/false,
      clang::FPOptionsOverride());
}

SourceNode &CallReader::nodeOf(clang::FunctionDecl *function) {
  SourceNode &node = nodes[function->getCanonicalDecl()];
  if (node.record.name.empty()) {
    node.record.name = function->getNameAsString();
    node.record.place = placeOf(function->getLocation());
  }
  return node;
}

bool CallReader::checkPort(clang::QualType type, const SourcePlace &place,
                           const std::string &what) {
  auto refuse = [&](const std::string &why) {
    diagnostics.error(place, what + " " + why, "port-type");
    return false;
  };
  if (type->isDependentType()) // clang has reported the error
    return false;
  if (type->isReferenceType())
    return refuse("is a reference; pass a pointer and its size instead");
  if (type->isSizelessType() || type->isIncompleteType())
    return refuse("has type '" + type.getAsString() +
                  "', whose size is not known");
  if (type->isAtomicType())
    return refuse("has the atomic type '" + type.getAsString() +
                  "'; use the type without _Atomic");
  // In a pair, only assignments do more than copy bytes.
  bool isCopied = type.isTriviallyCopyableType(ast) ||
                  (type.isTriviallyCopyConstructibleType(ast) &&
                   type.isDestructedType() == clang::QualType::DK_none);
  if (!isCopied)
    return refuse("has type '" + type.getAsString() +
                  "', which cannot be copied byte by byte; pass its parts or "
                  "a pointer");
  return true;
}

//===----------------------------------------------------------------------===//
// __hpvm__return
//===----------------------------------------------------------------------===//

static std::string variableName(const clang::Expr *value) {
  const auto *reference =
      dyn_cast<clang::DeclRefExpr>(value->IgnoreParenImpCasts());
  return reference ? reference->getDecl()->getNameAsString() : "";
}

void CallReader::readReturn(clang::CallExpr *call) {
  SourceCall source{.record = {.kind = CallRecord::Kind::Return}};
  std::optional<int64_t> count =
      constantArgument(call, 0, "the number of outputs");
  int64_t given = int64_t(call->getNumArgs()) - 1;
  if (count && *count != given)
    error(call->getBeginLoc(),
          nameOf(call) + " announces " + countOf(*count, "output") + ", but " +
              follow(given),
          "arguments");
  for (unsigned i = 1; i < call->getNumArgs(); ++i) {
    clang::Expr *value = withoutPromotion(call->getArg(i));
    SourcePlace place = placeOf(value->getBeginLoc());
    clang::QualType type = value->getType().getUnqualifiedType();
    if (!checkPort(type, place, "output " + std::to_string(i - 1)))
      continue;
    call->setArg(i, addressOfTemporary(value));
    source.outputs.push_back({type,
                              {.name = variableName(value),
                               .spelling = type.getAsString(),
                               .place = place}});
  }
  setRecord(call, std::move(source));
}

//===----------------------------------------------------------------------===//
// __hpvm__createNodeND and __hpvm__launch
//===----------------------------------------------------------------------===//

/// The expression without the conversion from a lambda to a pointer.
static clang::Expr *withoutConversion(clang::Expr *argument) {
  while (true) {
    clang::Expr *inner = argument->IgnoreParenImpCasts();
    if (auto *cast = dyn_cast<clang::ExplicitCastExpr>(inner))
      inner = cast->getSubExprAsWritten();
    else if (auto *plus = dyn_cast<clang::UnaryOperator>(inner);
             plus && plus->getOpcode() == clang::UO_Plus)
      inner = plus->getSubExpr();
    else if (auto *conversion = dyn_cast<clang::CXXMemberCallExpr>(inner);
             conversion && isa_and_nonnull<clang::CXXConversionDecl>(
                               conversion->getMethodDecl()))
      inner = conversion->getImplicitObjectArgument();
    else if (auto *kept = dyn_cast<clang::MaterializeTemporaryExpr>(inner))
      inner = kept->getSubExpr();
    if (inner == argument)
      return argument;
    argument = inner;
  }
}

/// Rejects an argument that cannot be a function: a lambda, an object, a
/// number.
bool CallReader::checkNodeFunction(clang::Expr *argument) {
  clang::QualType type =
      withoutConversion(argument)->getType().getNonReferenceType();
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (record && record->isLambda()) {
    lambdas.insert(record);
    error(argument->getBeginLoc(),
          "a node function has a name, but this is a lambda; move its body to "
          "a function 'void NAME(...)' and name that here",
          "node-function");
    return false;
  }
  type = argument->IgnoreParenImpCasts()->getType().getNonReferenceType();
  bool isNull = argument->isNullPointerConstant(
      ast, clang::Expr::NPC_ValueDependentIsNotNull);
  if (isNull || type->isFunctionType() || type->isPointerType() ||
      type->isDependentType() || type->isNullPtrType())
    return true;
  error(argument->getBeginLoc(),
        "a node function is expected here, but this has type '" +
            type.getAsString() + "'; give the name of a function",
        "node-function");
  return false;
}

/// Records the function that an argument names, if any.
void CallReader::readNodeFunction(clang::Expr *argument) {
  if (!checkNodeFunction(argument))
    return;
  clang::Expr *named = argument->IgnoreParenCasts();
  if (auto *address = dyn_cast<clang::UnaryOperator>(named))
    if (address->getOpcode() == clang::UO_AddrOf)
      named = address->getSubExpr()->IgnoreParenCasts();
  auto *reference = dyn_cast<clang::DeclRefExpr>(named);
  if (!reference)
    return;
  if (auto *function = dyn_cast<clang::FunctionDecl>(reference->getDecl()))
    nodeOf(function).isNamedAsNode = true;
}

/// Converts an extent to an i64 according to its own signedness.
bool CallReader::readExtent(clang::CallExpr *call, unsigned index) {
  clang::Expr *extent = call->getArg(index);
  if (!extent->getType()->isIntegralOrEnumerationType()) {
    error(extent->getBeginLoc(),
          "an extent must be an integer, but this one has type '" +
              withoutPromotion(extent)->getType().getAsString() + "'",
          "arguments");
    return false;
  }
  call->setArg(index, clang::ImplicitCastExpr::Create(
                          ast, ast.getIntTypeForBitwidth(64, /*Signed=*/1),
                          clang::CK_IntegralCast, extent, nullptr,
                          clang::VK_PRValue, clang::FPOptionsOverride()));
  return true;
}

void CallReader::readCreateNode(clang::CallExpr *call) {
  std::optional<int64_t> dimensions =
      constantArgument(call, 0, "the number of dimensions");
  if (dimensions && (*dimensions < 0 || *dimensions > 3)) {
    error(call->getArg(0)->getBeginLoc(),
          "a node has 0 to 3 dimensions, but " + std::to_string(*dimensions) +
              " are asked for",
          "arguments");
    dimensions = std::nullopt;
  }
  if (call->getNumArgs() < 2)
    error(call->getBeginLoc(), nameOf(call) + " names no node function",
          "arguments");
  int64_t given = int64_t(call->getNumArgs()) - 2;
  if (dimensions && given >= 0 && *dimensions != given)
    error(call->getBeginLoc(),
          nameOf(call) + " announces " + countOf(*dimensions, "dimension") +
              ", but " + follow(given),
          "arguments");
  if (call->getNumArgs() >= 2)
    readNodeFunction(call->getArg(1));
  for (unsigned i = 2; i < call->getNumArgs(); ++i)
    readExtent(call, i);
  setRecord(call, {.record = {.kind = CallRecord::Kind::CreateNode}});
}

void CallReader::readLaunch(clang::CallExpr *call) {
  std::optional<int64_t> isStream =
      constantArgument(call, 0, "whether the graph streams");
  if (call->getNumArgs() != 3) {
    error(call->getBeginLoc(),
          nameOf(call) +
              " takes a constant, a root function and its "
              "arguments, but " +
              countOf(call->getNumArgs(), "argument") + " are given",
          "arguments");
    return setRecord(call, {.record = {.kind = CallRecord::Kind::Launch}});
  }
  readNodeFunction(call->getArg(1));
  clang::Expr *arguments = call->getArg(2);
  if (!arguments->getType()->isPointerType()) {
    if (!arguments->isNullPointerConstant(
            ast, clang::Expr::NPC_ValueDependentIsNotNull))
      error(arguments->getBeginLoc(),
            "the arguments of a launch are given as a pointer, but this has "
            "type '" +
                arguments->getType().getAsString() + "'",
            "arguments");
    else
      call->setArg(2,
                   clang::ImplicitCastExpr::Create(
                       ast, ast.VoidPtrTy, clang::CK_NullToPointer, arguments,
                       nullptr, clang::VK_PRValue, clang::FPOptionsOverride()));
  }
  setRecord(call, {.record = {.kind = CallRecord::Kind::Launch,
                              .isStream = isStream.value_or(0) != 0}});
}

//===----------------------------------------------------------------------===//
// __hpvm__attributes and __hpvm__hint
//===----------------------------------------------------------------------===//

bool CallReader::readPointerList(clang::CallExpr *call, unsigned first,
                                 unsigned count, clang::FunctionDecl *function,
                                 bool isOutput) {
  llvm::StringRef what = isOutput ? "output" : "input";
  if (first + count > call->getNumArgs()) {
    error(call->getBeginLoc(),
          nameOf(call) + " announces " + countOf(count, what) + ", but " +
              follow(call->getNumArgs() - first),
          "arguments");
    return false;
  }
  SourceNode &node = nodeOf(function);
  std::vector<bool> &flags = isOutput ? node.isOutput : node.isInput;
  flags.resize(function->getNumParams());
  for (unsigned i = first; i < first + count; ++i) {
    clang::Expr *argument = call->getArg(i)->IgnoreParenCasts();
    auto *reference = dyn_cast<clang::DeclRefExpr>(argument);
    auto *parameter = dyn_cast_or_null<clang::ParmVarDecl>(
        reference ? reference->getDecl() : nullptr);
    if (!parameter || parameter->getFunctionScopeDepth() != 0 ||
        parameter->getFunctionScopeIndex() >= flags.size()) {
      error(argument->getBeginLoc(),
            "this " + what.str() + " in " + nameOf(call) +
                " is not a parameter of '" + function->getNameAsString() + "'",
            "attributes");
      continue;
    }
    if (!parameter->getType()->isPointerType()) {
      error(argument->getBeginLoc(),
            "parameter '" + parameter->getNameAsString() + "' has type '" +
                parameter->getType().getAsString() +
                "'; only pointers are named in " + nameOf(call),
            "attributes");
      continue;
    }
    flags[parameter->getFunctionScopeIndex()] = true;
  }
  return true;
}

void CallReader::readAttributes(clang::CallExpr *call,
                                clang::FunctionDecl *function) {
  if (!function) {
    error(call->getBeginLoc(), nameOf(call) + " stands outside of a function",
          "attributes");
    return;
  }
  std::optional<SourcePlace> &place = nodeOf(function).record.attributesPlace;
  if (place)
    error(call->getBeginLoc(),
          nameOf(call) + " is called twice in node function '" +
              function->getNameAsString() + "'",
          "attributes")
        .note(*place, "the first call is here");
  else
    place = placeOf(call->getBeginLoc());

  auto readList = [&](unsigned first, bool isOutput,
                      llvm::StringRef what) -> std::optional<unsigned> {
    std::optional<int64_t> count = constantArgument(call, first, what);
    if (!count || !readPointerList(call, first + 1, *count, function, isOutput))
      return std::nullopt;
    return first + 1 + *count;
  };
  std::optional<unsigned> next =
      readList(0, /*isOutput=*/false, "the number of inputs");
  if (next)
    next = readList(*next, /*isOutput=*/true, "the number of outputs");
  if (next && *next != call->getNumArgs())
    error(call->getArg(*next)->getBeginLoc(),
          nameOf(call) + " has " +
              countOf(call->getNumArgs() - *next, "argument") +
              " more than its counts say",
          "arguments");
  setRecord(call, {.record = {.kind = CallRecord::Kind::Attributes}});
  call->shrinkNumArgs(1);
}

void CallReader::readHint(clang::CallExpr *call,
                          clang::FunctionDecl *function) {
  if (!function) {
    error(call->getBeginLoc(), nameOf(call) + " stands outside of a function",
          "hint");
    return;
  }
  NodeRecord &node = nodeOf(function).record;
  if (node.hintPlace.isKnown())
    error(call->getBeginLoc(),
          nameOf(call) + " is called twice in node function '" + node.name +
              "'",
          "hint")
        .note(node.hintPlace, "the first call is here");
  node.hintPlace = placeOf(call->getBeginLoc());
  std::optional<int64_t> target = constantArgument(call, 0, "the target");
  if (!target)
    return;
  node.hint = hintOf(*target, version);
  if (node.hint.empty())
    error(call->getArg(0)->getBeginLoc(),
          "integer " + std::to_string(*target) + " names no target in HPVM " +
              (version == HPVMVersion::V0_5 ? "0.5" : "1.0"),
          "hint");
  else if (node.hint == "hpvm_hint_cudnn" || node.hint == "hpvm_hint_promise")
    error(call->getArg(0)->getBeginLoc(),
          "tensor targets (CUDNN, TENSOR, PROMISE) are not supported; use "
          "'CPU_TARGET', 'GPU_TARGET' or 'CPU_OR_GPU_TARGET'",
          "hint");
}
