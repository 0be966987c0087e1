//===- ImportProgram.cpp - Helpers of the importer's model ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the structs in which the importer keeps a program between its
// steps, and the descriptions of ports in its messages.
//
//===----------------------------------------------------------------------===//

#include "ImportProgram.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

//===----------------------------------------------------------------------===//
// NodeFunction
//===----------------------------------------------------------------------===//

unsigned NodeFunction::numOutputs() const {
  auto *result = dyn_cast<StructType>(function->getReturnType());
  return result ? result->getNumElements() : 0;
}

Type *NodeFunction::outputType(unsigned index) const {
  return cast<StructType>(function->getReturnType())->getElementType(index);
}

dfg::Access NodeFunction::access(unsigned input) const {
  AttributeSet attributes = function->getAttributes().getParamAttrs(input);
  int32_t bits = 0;
  if (attributes.hasAttribute("hpvm.in") || attributes.hasAttribute("hpvm-in"))
    bits |= static_cast<int32_t>(dfg::Access::In);
  if (attributes.hasAttribute("hpvm.out") ||
      attributes.hasAttribute("hpvm-out"))
    bits |= static_cast<int32_t>(dfg::Access::Out);
  return static_cast<dfg::Access>(bits);
}

std::string NodeFunction::name() const { return displayName(*function); }

/// "input 2 'bytes' of 'blur'"; without the name if there is none.
static std::string describePort(StringRef kind, unsigned index, StringRef port,
                                StringRef function) {
  std::string text = (kind + " " + Twine(index)).str();
  if (!port.empty())
    text += " " + quoted(port);
  return text + " of " + quoted(function);
}

std::string NodeFunction::describeInput(unsigned index) const {
  StringRef port =
      index < numInputs() ? function->getArg(index)->getName() : StringRef();
  return describePort("input", index, port, name());
}

std::string NodeFunction::describeOutput(unsigned index) const {
  SmallVector<StringRef> names;
  function->getFnAttribute("hpvm.outputs").getValueAsString().split(names, ',');
  return describePort("output", index,
                      index < names.size() ? names[index] : StringRef(),
                      name());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string sluice::hpvm::displayName(const Function &function) {
  if (const DISubprogram *subprogram = function.getSubprogram())
    if (!subprogram->getName().empty() && !subprogram->getLinkageName().empty())
      return subprogram->getName().str();
  std::string name = function.getName().str();
  std::string readable = demangle(name);
  return readable == name ? name : readable.substr(0, readable.find('('));
}

std::string sluice::hpvm::quoted(const Twine &name) {
  return ("'" + name + "'").str();
}

std::string sluice::hpvm::spellType(const Type *type) {
  std::string text;
  raw_string_ostream os(text);
  type->print(os, /*IsForDebug=*/false, /*NoDetails=*/true);
  return text;
}

std::string sluice::hpvm::variableName(const Value *value) {
  SmallVector<DbgVariableRecord *> records;
  if (!isa<Constant>(value))
    findDbgValues(const_cast<Value *>(value), records);
  for (const DbgVariableRecord *record : records)
    if (!record->getVariable()->getName().empty())
      return record->getVariable()->getName().str();
  return value->getName().str();
}

std::string sluice::hpvm::describeValue(const Value *value) {
  std::string name = variableName(value);
  if (!name.empty())
    return quoted(name);
  if (isa<UndefValue>(value))
    return "an undefined value";
  if (isa<ConstantPointerNull>(value))
    return "null";
  if (isa<LoadInst>(value))
    return "a value loaded from memory";
  if (auto *call = dyn_cast<CallBase>(value))
    if (const Function *callee = calledFunction(*call))
      return "the result of " + quoted(displayName(*callee));
  if (auto *instruction = dyn_cast<Instruction>(value))
    return "the result of '" + std::string(instruction->getOpcodeName()) + "'";
  if (auto *argument = dyn_cast<Argument>(value))
    return "argument " + std::to_string(argument->getArgNo());
  return "a value that is not constant";
}

//===----------------------------------------------------------------------===//
// Values and types
//===----------------------------------------------------------------------===//

static Value *lookThrough(Value *value, SmallPtrSetImpl<Value *> &seen) {
  value = value->stripPointerCastsAndAliases();
  if (!seen.insert(value).second)
    return nullptr;
  if (auto *freeze = dyn_cast<FreezeInst>(value))
    return lookThrough(freeze->getOperand(0), seen);
  SmallVector<Value *> choices;
  if (auto *select = dyn_cast<SelectInst>(value))
    choices = {select->getTrueValue(), select->getFalseValue()};
  else if (auto *phi = dyn_cast<PHINode>(value))
    choices.append(phi->value_op_begin(), phi->value_op_end());
  else
    return value;
  Value *only = nullptr;
  for (Value *choice : choices) {
    Value *source = lookThrough(choice, seen);
    // A value seen before is this phi itself or one that was followed.
    if (!source)
      continue;
    if (only && source != only)
      return value;
    only = source;
  }
  return only ? only : value;
}

Value *sluice::hpvm::lookThrough(Value *value) {
  // Two selects of one value need it twice, so repeats only count as that value
  // on cycles; a second visit resolves diamonds.
  SmallPtrSet<Value *, 8> seen;
  Value *found = ::lookThrough(value, seen);
  return found ? found : value;
}

SmallVector<CallBase *> sluice::hpvm::intrinsicCalls(Function &function) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (calledIntrinsic(*call))
        calls.push_back(call);
  return calls;
}

bool sluice::hpvm::holdsPointer(const Type *type) {
  if (type->isPointerTy())
    return true;
  return llvm::any_of(type->subtypes(), holdsPointer);
}

Type *sluice::hpvm::structuralType(Type *type) {
  if (auto *array = dyn_cast<ArrayType>(type))
    return ArrayType::get(structuralType(array->getElementType()),
                          array->getNumElements());
  auto *structure = dyn_cast<StructType>(type);
  if (!structure || structure->isOpaque())
    return type;
  SmallVector<Type *> elements;
  for (Type *element : structure->elements())
    elements.push_back(structuralType(element));
  return StructType::get(type->getContext(), elements, structure->isPacked());
}
