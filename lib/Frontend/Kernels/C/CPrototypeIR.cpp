//===- CPrototypeIR.cpp - Prototypes of functions in IR -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DISubprogram has the types as declared. Bitcode without debug information
// still distinguishes pointers, integers and floats.
//
//===----------------------------------------------------------------------===//

#include "CPrototype.h"
#include "CTypeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
class MetadataNode {
public:
  explicit MetadataNode(const DIType *type) : type(type) {}

  bool isNull() const { return !type; }
  unsigned tag() const { return type->getTag(); }
  StringRef name() const { return type->getName(); }
  uint64_t bytes() const { return type->getSizeInBits() / 8; }
  unsigned encoding() const {
    auto *basic = dyn_cast<DIBasicType>(type);
    return basic ? basic->getEncoding() : 0;
  }
  MetadataNode base() const {
    if (auto *derived = dyn_cast<DIDerivedType>(type))
      return MetadataNode(derived->getBaseType());
    if (auto *composite = dyn_cast<DICompositeType>(type))
      return MetadataNode(composite->getBaseType());
    return MetadataNode(nullptr);
  }
  std::vector<int64_t> extents() const {
    std::vector<int64_t> counts;
    for (DINode *element : cast<DICompositeType>(type)->getElements()) {
      auto *range = dyn_cast_or_null<DISubrange>(element);
      auto *count = range
                        ? dyn_cast_if_present<ConstantInt *>(range->getCount())
                        : nullptr;
      counts.push_back(count ? count->getSExtValue() : -1);
    }
    return counts;
  }

private:
  const DIType *type;
};
} // namespace

//===----------------------------------------------------------------------===//
// Without debug information
//===----------------------------------------------------------------------===//

static CType unknownPointer() {
  CType type;
  type.kind = CType::Kind::Pointer;
  type.bits = 64;
  type.spelling = "ptr";
  type.target.emplace_back().kind = CType::Kind::Unknown;
  return type;
}

static CType typeFromIR(const Type *ir, bool isSigned) {
  CType type;
  if (ir->isVoidTy())
    return type;
  if (ir->isPointerTy())
    return unknownPointer();
  raw_string_ostream(type.spelling = "") << *ir;
  if (ir->isIntegerTy(1))
    setBasicType(type, dwarf::DW_ATE_boolean, 1, type.spelling);
  else if (ir->isIntegerTy())
    setBasicType(type, isSigned ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned,
                 ir->getIntegerBitWidth() / 8, type.spelling);
  else if (ir->isFloatTy() || ir->isDoubleTy())
    setBasicType(type, dwarf::DW_ATE_float, ir->isFloatTy() ? 4 : 8,
                 ir->isFloatTy() ? "float" : "double");
  else
    type.kind = CType::Kind::Other;
  // Only narrower integers tell how they are extended.
  type.hasAnySign = ir->isIntegerTy() && ir->getIntegerBitWidth() >= 32;
  return type;
}

static void readFromIR(const Function &function, CPrototype &prototype) {
  bool isUnsigned = function.getAttributes().hasRetAttr(Attribute::ZExt);
  prototype.result = typeFromIR(function.getReturnType(), !isUnsigned);
  prototype.isVariadic = function.isVarArg();
  for (const Argument &argument : function.args()) {
    CType type =
        typeFromIR(argument.getType(), !argument.hasAttribute(Attribute::ZExt));
    if (argument.hasPointeeInMemoryValueAttr() || argument.hasStructRetAttr()) {
      type.kind = CType::Kind::Other;
      type.spelling = "a struct by value";
    }
    prototype.parameters.push_back({argument.getName().str(), type});
  }
}

//===----------------------------------------------------------------------===//
// With it
//===----------------------------------------------------------------------===//

/// Names of parameters, by their numbers from 1.
static DenseMap<unsigned, StringRef>
parameterNames(const Function &function, const DISubprogram &subprogram) {
  DenseMap<unsigned, StringRef> names;
  auto add = [&](const DILocalVariable *variable) {
    if (variable && variable->isParameter() &&
        variable->getScope() == &subprogram)
      names[variable->getArg()] = variable->getName();
  };
  for (const Instruction &instruction : instructions(function))
    for (const DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange()))
      add(record.getVariable());
  for (DINode *node : subprogram.getRetainedNodes())
    add(dyn_cast_or_null<DILocalVariable>(node));
  return names;
}

CPrototype driver::prototypeOf(const Function &function) {
  CPrototype prototype;
  prototype.function = function.getName().str();
  prototype.place = placeOf(function);
  const DISubprogram *subprogram = function.getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  DITypeRefArray types = type ? type->getTypeArray() : DITypeRefArray(nullptr);
  // A definition without a prototype has its parameters only in IR.
  bool isOld = types.size() > 1 && !types[types.size() - 1] &&
               !function.isVarArg() && function.arg_size() != 0;
  if (types.size() == 0 && function.arg_size() != 0)
    isOld = true;
  // The debug information added to LLVM assembly has locations, but no types.
  bool hasTypes = type && types.size() != 0 && !isOld;
  if (!hasTypes) {
    readFromIR(function, prototype);
    return prototype;
  }
  DenseMap<unsigned, StringRef> names = parameterNames(function, *subprogram);
  prototype.isVariadic = function.isVarArg();
  prototype.result = CTypeReader<MetadataNode>::read(MetadataNode(types[0]));
  for (unsigned i = 1; i < types.size(); ++i) {
    if (!types[i])
      continue;
    prototype.parameters.push_back(
        {names.lookup(i).str(),
         CTypeReader<MetadataNode>::read(MetadataNode(types[i]))});
  }
  return prototype;
}
