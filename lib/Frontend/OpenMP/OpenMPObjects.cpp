//===- OpenMPObjects.cpp - Members of objects that teams share ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenMPObjects.h"
#include "OpenMPTeams.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;

//===----------------------------------------------------------------------===//
// Objects of the host
//===----------------------------------------------------------------------===//

/// The parameter of the host that a variable always holds, or null. Clang puts
/// each parameter into a variable; only there is its address known.
static const Argument *heldParameter(const Value &pointer) {
  return dyn_cast_or_null<Argument>(openmp::onlyStored(pointer));
}

/// What is passed to a team is a parameter of the host, or what it was read
/// from.
static const Argument *parameterOfHost(const Value &passed) {
  const auto *load = dyn_cast<LoadInst>(&passed);
  return load ? heldParameter(*load->getPointerOperand())
              : dyn_cast<Argument>(&passed);
}

void openmp::noteObjects(Function &iteration, const CallBase &fork) {
  const DataLayout &layout = iteration.getParent()->getDataLayout();
  // The call names the team's function before what it passes.
  for (unsigned i = 3; i != fork.arg_size(); ++i) {
    Argument &parameter = *iteration.getArg(i - 1);
    const Argument *passed = parameterOfHost(*fork.getArgOperand(i));
    if (!passed || !parameter.getType()->isPointerTy() ||
        !passed->getType()->isPointerTy())
      continue;
    bool canBeNull = false, canBeFreed = false;
    uint64_t bytes =
        passed->getPointerDereferenceableBytes(layout, canBeNull, canBeFreed);
    if (canBeNull || bytes <= parameter.getDereferenceableBytes())
      continue;
    AttrBuilder object(iteration.getContext());
    object.addAttribute(Attribute::NonNull);
    object.addDereferenceableAttr(bytes);
    parameter.addAttrs(object);
  }
}

bool openmp::copiesOtherTypes(const AnyMemTransferInst &copy,
                              const MemoryLocation &place, AAResults &aliases) {
  // Of each part: its offset, its size, and its type.
  const MDNode *types = copy.getMetadata(LLVMContext::MD_tbaa_struct);
  if (!types || types->getNumOperands() == 0 || types->getNumOperands() % 3)
    return false;
  for (unsigned i = 2; i < types->getNumOperands(); i += 3) {
    AAMDNodes type;
    type.TBAA = dyn_cast_or_null<MDNode>(types->getOperand(i));
    if (!type.TBAA ||
        !aliases.isNoAlias(MemoryLocation(copy.getRawDest(),
                                          LocationSize::beforeOrAfterPointer(),
                                          type),
                           place))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Without names for the type, and without what makes it constant.
static const DIType *plainType(const DIType *type) {
  while (const auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
      type = derived->getBaseType();
      continue;
    default:
      return type;
    }
  }
  return type;
}

/// The member of an object at an offset in bytes, which is left in `offset`.
static const DIDerivedType *memberAt(const DIType *type, uint64_t &offset) {
  const auto *object = dyn_cast_or_null<DICompositeType>(plainType(type));
  if (!object || (object->getTag() != dwarf::DW_TAG_class_type &&
                  object->getTag() != dwarf::DW_TAG_structure_type))
    return nullptr;
  for (const DINode *element : object->getElements()) {
    const auto *member = dyn_cast_or_null<DIDerivedType>(element);
    if (!member || member->isStaticMember() ||
        (member->getTag() != dwarf::DW_TAG_member &&
         member->getTag() != dwarf::DW_TAG_inheritance))
      continue;
    uint64_t begin = member->getOffsetInBits() / 8;
    const DIType *held = plainType(member->getBaseType());
    if (!held || offset < begin || offset - begin >= held->getSizeInBits() / 8)
      continue;
    offset -= begin;
    return member;
  }
  return nullptr;
}

/// The declaration of a variable in the source.
static const DIVariable *declarationOf(const Value &variable,
                                       const Function &host) {
  if (const auto *global = dyn_cast<GlobalVariable>(&variable)) {
    SmallVector<DIGlobalVariableExpression *> known;
    global->getDebugInfo(known);
    return known.empty() ? nullptr : known.front()->getVariable();
  }
  for (const Instruction &instruction : instructions(host))
    for (const DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange()))
      if (record.isDbgDeclare() && record.getAddress() &&
          (record.getAddress() == &variable ||
           heldParameter(*record.getAddress()) == &variable))
        return record.getVariable();
  return nullptr;
}

/// The type, if its name in the namespace std starts so.
static const DICompositeType *standardType(const DIType *type,
                                           StringRef start) {
  const auto *object = dyn_cast_or_null<DICompositeType>(plainType(type));
  if (!object || !object->getName().starts_with(start))
    return nullptr;
  const auto *space = dyn_cast_or_null<DINamespace>(object->getScope());
  return space && space->getName() == "std" && !space->getScope() ? object
                                                                  : nullptr;
}

/// What follows the first of a template's arguments, in the name of a type:
/// "B>" of "C<A, B>".
static StringRef behindFirstArgument(StringRef name) {
  unsigned brackets = 0, templates = 0;
  for (auto [index, character] : enumerate(name))
    switch (character) {
    case '(':
      ++brackets;
      break;
    case ')':
      --brackets;
      break;
    case '<':
      templates += brackets == 0;
      break;
    case '>':
      templates -= brackets == 0;
      break;
    case ',':
      if (brackets == 0 && templates == 1)
        return name.drop_front(index + 1).ltrim();
      break;
    default:
      break;
    }
  return {};
}

/// Whether a type is a std::vector that takes memory for itself alone: other
/// allocators than the standard one may give two of them the same.
static bool isVector(const DIType *type) {
  const DICompositeType *object = standardType(type, "vector<");
  if (!object)
    return false;
  DITemplateParameterArray parameters = object->getTemplateParams();
  // Of a type that the program only names, there is no more than that.
  if (parameters.size() == 0)
    return behindFirstArgument(object->getName())
        .starts_with("std::allocator<");
  return parameters.size() > 1 && parameters[1] &&
         standardType(parameters[1]->getType(), "allocator<");
}

/// Whether a std::vector has vectors as its elements.
static bool isVectorOfVectors(const DIType *type) {
  if (!isVector(type))
    return false;
  DITemplateParameterArray parameters =
      cast<DICompositeType>(plainType(type))->getTemplateParams();
  return parameters.size() != 0 && parameters[0] &&
         isVector(parameters[0]->getType());
}

openmp::Member openmp::findMember(const Value &passed, uint64_t offset,
                                  const Function &host) {
  Member found;
  found.object = dyn_cast<AllocaInst>(&passed);
  if (!found.object)
    found.object = dyn_cast<GlobalVariable>(&passed);
  if (!found.object)
    found.object = parameterOfHost(passed);
  const auto *load = dyn_cast<LoadInst>(&passed);
  const DIVariable *declaration =
      declarationOf(load ? *load->getPointerOperand() : passed, host);
  if (!declaration)
    return found;
  const DIType *type = plainType(declaration->getType());
  const auto *pointer = dyn_cast_or_null<DIDerivedType>(type);
  bool isPointer =
      pointer && (pointer->getTag() == dwarf::DW_TAG_pointer_type ||
                  pointer->getTag() == dwarf::DW_TAG_reference_type);
  if (load && isPointer)
    type = pointer->getBaseType();
  // A parameter passed by value is one as well, of which the host gets the
  // address.
  found.isOwn =
      isa<AllocaInst>(passed) || (isa<Argument>(passed) && !isPointer);
  if (declaration->getName() != "this")
    found.name = declaration->getName();
  const uint64_t whole = offset;
  if (isVector(type)) {
    found.vector = 0;
    found.hasOwnRows = isVectorOfVectors(type);
  }
  // Names with an underscore belong to libraries, whose insides say nothing.
  bool isNamed = true;
  while (const DIDerivedType *member = memberAt(type, offset)) {
    type = member->getBaseType();
    if (isVector(type)) {
      found.vector = whole - offset;
      found.hasOwnRows = isVectorOfVectors(type);
    }
    if (member->getTag() != dwarf::DW_TAG_member)
      continue;
    isNamed &=
        !member->getName().empty() && !member->getName().starts_with("_");
    if (isNamed)
      found.name += (found.name.empty() ? "" : ".") + member->getName().str();
  }
  return found;
}
