//===- ReadNodes.cpp - Node functions at the end of a source --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only clang knows how the C ABI passes a value. So an adapter that has a
// pointer for every parameter calls each node function once, and clang compiles
// it:
//
//   void adapter(void *a, void *b) { node(*(float *)a, *(struct S *)b); }
//
// LowerCalls merges the two bodies, so no ABI rule is reimplemented here.
//
//===----------------------------------------------------------------------===//

#include "ReadCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Stmt.h"
#include "clang/CodeGen/CodeGenABITypes.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

using namespace sluice;

//===----------------------------------------------------------------------===//
// Types in memory
//===----------------------------------------------------------------------===//

static bool containsUnion(clang::ASTContext &ast, clang::QualType type) {
  type = ast.getBaseElementType(type);
  const clang::RecordDecl *record = type->getAsRecordDecl();
  if (!record)
    return false;
  if (record->isUnion())
    return true;
  for (const clang::FieldDecl *field : record->fields())
    if (containsUnion(ast, field->getType()))
      return true;
  if (const auto *derived = llvm::dyn_cast<clang::CXXRecordDecl>(record))
    for (const clang::CXXBaseSpecifier &base : derived->bases())
      if (containsUnion(ast, base.getType()))
        return true;
  return false;
}

/// An array of integers that covers every byte of a type.
static llvm::Type *coveringArray(llvm::LLVMContext &context, uint64_t size,
                                 uint64_t alignment) {
  uint64_t unit = std::min<uint64_t>(alignment, 8);
  return llvm::ArrayType::get(llvm::IntegerType::get(context, unit * 8),
                              size / unit);
}

void CallReader::finishPort(TypedPort &port, clang::CodeGenerator &generator) {
  clang::TypeInfoChars info = ast.getTypeInfoInChars(port.type);
  port.record.alignment = info.Align.getAsAlign();
  llvm::Type *type =
      clang::CodeGen::convertTypeForMemory(generator.CGM(), port.type);
  port.record.type =
      containsUnion(ast, port.type)
          ? coveringArray(type->getContext(), info.Width.getQuantity(),
                          info.Align.getQuantity())
          : type;
}

//===----------------------------------------------------------------------===//
// Adapters
//===----------------------------------------------------------------------===//

/// The pointee type of an adapter's pointer. Pointers are plain, so that an
/// array type whose size is another parameter is not needed.
static clang::QualType pointeeFor(clang::ASTContext &ast,
                                  clang::QualType parameter) {
  if (parameter->isPointerType())
    return ast.VoidPtrTy;
  return parameter.getUnqualifiedType();
}

static clang::Expr *cast(clang::ASTContext &ast, clang::Expr *value,
                         clang::CastKind kind, clang::QualType type) {
  return clang::ImplicitCastExpr::Create(ast, type, kind, value, nullptr,
                                         clang::VK_PRValue,
                                         clang::FPOptionsOverride());
}

static clang::Expr *reference(clang::ASTContext &ast, clang::ValueDecl *decl) {
  return clang::DeclRefExpr::Create(
      ast, clang::NestedNameSpecifierLoc(), clang::SourceLocation(), decl,
      /*RefersToEnclosingVariableOrCapture=*/false, decl->getLocation(),
      decl->getType(), clang::VK_LValue);
}

/// `*pointer`, as an argument for a parameter of type `type`.
static clang::Expr *loadFrom(clang::ASTContext &ast,
                             clang::ParmVarDecl *pointer,
                             clang::QualType type) {
  clang::QualType pointee = pointeeFor(ast, type);
  clang::Expr *address = cast(ast, reference(ast, pointer),
                              clang::CK_LValueToRValue, pointer->getType());
  address = cast(ast, address, clang::CK_BitCast, ast.getPointerType(pointee));
  clang::Expr *value = clang::UnaryOperator::Create(
      ast, address, clang::UO_Deref, pointee, clang::VK_LValue,
      clang::OK_Ordinary, pointer->getLocation(), /*CanOverflow=*/false,
      clang::FPOptionsOverride());
  value = cast(ast, value, clang::CK_LValueToRValue, pointee);
  if (type->isPointerType())
    value = cast(ast, value, clang::CK_BitCast, type.getUnqualifiedType());
  return value;
}

clang::FunctionDecl *CallReader::makeAdapter(clang::FunctionDecl *function,
                                             llvm::StringRef name) {
  clang::SourceLocation location = function->getLocation();
  llvm::SmallVector<clang::QualType> types;
  // A type of an unnamed namespace would make the adapter internal, and clang
  // would drop it.
  types.assign(function->getNumParams(), ast.VoidPtrTy);
  clang::QualType type = ast.getFunctionType(
      ast.VoidTy, types, clang::FunctionProtoType::ExtProtoInfo());
  auto *adapter = clang::FunctionDecl::Create(
      ast, ast.getTranslationUnitDecl(), location, location,
      clang::DeclarationName(&ast.Idents.get(name)), type,
      ast.getTrivialTypeSourceInfo(type, location), clang::SC_None);
  adapter->addAttr(clang::AsmLabelAttr::CreateImplicit(ast, name));
  adapter->addAttr(clang::NoDebugAttr::CreateImplicit(ast));

  llvm::SmallVector<clang::ParmVarDecl *> parameters;
  llvm::SmallVector<clang::Expr *> values;
  for (auto [parameter, pointer] : llvm::zip(function->parameters(), types)) {
    auto *ours = clang::ParmVarDecl::Create(
        ast, adapter, location, location, parameter->getIdentifier(), pointer,
        ast.getTrivialTypeSourceInfo(pointer, location), clang::SC_None,
        nullptr);
    ours->setScopeInfo(0, parameters.size());
    ours->setIsUsed();
    parameters.push_back(ours);
    values.push_back(loadFrom(ast, ours, parameter->getType()));
  }
  adapter->setParams(parameters);
  clang::Expr *callee =
      cast(ast, reference(ast, function), clang::CK_FunctionToPointerDecay,
           ast.getPointerType(function->getType()));
  clang::Stmt *call = clang::CallExpr::Create(ast, callee, values, ast.VoidTy,
                                              clang::VK_PRValue, location,
                                              clang::FPOptionsOverride());
  adapter->setBody(clang::CompoundStmt::Create(
      ast, {call}, clang::FPOptionsOverride(), location, location));
  return adapter;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Fills in a node's record; false if the function is not a node or cannot be
/// one.
bool CallReader::finishNode(clang::FunctionDecl *function, SourceNode &source,
                            clang::CodeGenerator &generator,
                            CompiledUnit &unit) {
  NodeRecord &record = source.record;
  record.place = placeOf(function->getLocation());
  auto refuse = [&](const std::string &why) {
    error(function->getLocation(), "node function '" + record.name + "' " + why,
          "node-function");
    return false;
  };
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  if (method && lambdas.contains(method->getParent()))
    return false;
  if (method && method->getParent()->isLambda())
    return refuse("is a lambda; give its body a name: 'void NAME(...)'");
  if (method && method->isInstance())
    return refuse("is a member function of an object; use a static one");
  if (!function->getReturnType()->isVoidType())
    return refuse("returns '" + function->getReturnType().getAsString() +
                  "'; it must return void and give its outputs to "
                  "'__hpvm__return'");
  if (function->isVariadic())
    return refuse("is variadic; its parameters are its inputs");

  source.isInput.resize(function->getNumParams());
  source.isOutput.resize(function->getNumParams());
  bool good = true;
  for (auto [index, parameter] : llvm::enumerate(function->parameters())) {
    clang::QualType type = parameter->getType();
    TypedPort port{type.getUnqualifiedType(),
                   {.name = parameter->getNameAsString(),
                    .spelling = type.getAsString(),
                    .place = placeOf(parameter->getLocation()),
                    .isRestrict = type.isRestrictQualified(),
                    .isInput = source.isInput[index],
                    .isOutput = source.isOutput[index]}};
    std::string what = "parameter " + std::to_string(index) + " ('" +
                       port.record.name + "') of node function '" +
                       record.name + "'";
    if (!checkPort(type, port.record.place, what)) {
      good = false;
      continue;
    }
    finishPort(port, generator);
    record.parameters.push_back(port.record);
  }
  if (!good)
    return false;
  record.symbol = generator.GetMangledName(clang::GlobalDecl(function)).str();
  record.adapter = "sluice.ports." + record.symbol;
  clang::FunctionDecl *adapter = makeAdapter(function, record.adapter);
  generator.HandleTopLevelDecl(clang::DeclGroupRef(adapter));
  return true;
}

void CallReader::finish(clang::CodeGenerator &generator, CompiledUnit &unit) {
  for (SourceCall &call : calls) {
    for (TypedPort &port : call.outputs) {
      finishPort(port, generator);
      call.record.outputs.push_back(port.record);
    }
    unit.calls.push_back(std::move(call.record));
  }
  for (auto &[canonical, source] : nodes) {
    clang::FunctionDecl *function = canonical->getDefinition();
    // Defined in another file, whose unit has the record.
    if (!function || function->isDependentContext())
      continue;
    // Host code may use a graph call by mistake; the rules report this later.
    source.record.isCertain = source.isNamedAsNode ||
                              source.record.hintPlace.isKnown() ||
                              source.record.attributesPlace;
    if (!source.record.isCertain &&
        (!function->getReturnType()->isVoidType() || function->isVariadic() ||
         function->isMain()))
      continue;
    if (finishNode(function, source, generator, unit))
      unit.nodes.push_back(std::move(source.record));
  }
}
