//===- ImportLayout.cpp - Layouts of argument structures ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information is the most reliable source: it has the members as
// declared, while LLVM types may contain padding or be byte arrays.
//
//===----------------------------------------------------------------------===//

#include "ImportLayout.h"

#include "ImportProgram.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

//===----------------------------------------------------------------------===//
// Structures of debug information
//===----------------------------------------------------------------------===//

/// The type without typedefs and qualifiers.
static const DIType *stripQualifiers(const DIType *type) {
  // Malformed metadata may be cyclic.
  for (unsigned depth = 0; depth != 64; ++depth) {
    auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    if (!derived)
      return type;
    switch (derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
      type = derived->getBaseType();
      continue;
    default:
      return type;
    }
  }
  return nullptr;
}

static const DICompositeType *asStructure(const DIType *type) {
  auto *composite = dyn_cast_or_null<DICompositeType>(stripQualifiers(type));
  if (!composite || composite->isForwardDecl())
    return nullptr;
  unsigned tag = composite->getTag();
  return tag == dwarf::DW_TAG_structure_type || tag == dwarf::DW_TAG_class_type
             ? composite
             : nullptr;
}

/// The type of an array's elements, or the type itself.
static const DIType *elementType(const DIType *type) {
  type = stripQualifiers(type);
  auto *composite = dyn_cast_or_null<DICompositeType>(type);
  return composite && composite->getTag() == dwarf::DW_TAG_array_type
             ? composite->getBaseType()
             : type;
}

/// The structure a pointer or reference leads to.
static const DICompositeType *pointedStructure(const DIType *type) {
  type = stripQualifiers(type);
  if (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    if (tag == dwarf::DW_TAG_pointer_type ||
        tag == dwarf::DW_TAG_reference_type)
      return asStructure(derived->getBaseType());
  }
  return nullptr;
}

static LayoutField::Kind kindOf(const DIType *type) {
  type = stripQualifiers(type);
  if (auto *basic = dyn_cast_or_null<DIBasicType>(type))
    return basic->getEncoding() == dwarf::DW_ATE_float
               ? LayoutField::Kind::Float
               : LayoutField::Kind::Integer;
  if (auto *derived = dyn_cast_or_null<DIDerivedType>(type))
    return derived->getTag() == dwarf::DW_TAG_pointer_type
               ? LayoutField::Kind::Pointer
               : LayoutField::Kind::Unknown;
  if (auto *composite = dyn_cast_or_null<DICompositeType>(type))
    return composite->getTag() == dwarf::DW_TAG_enumeration_type
               ? LayoutField::Kind::Integer
               : LayoutField::Kind::Aggregate;
  return LayoutField::Kind::Unknown;
}

static uint64_t sizeInBytes(const DIType *type) {
  type = stripQualifiers(type);
  return type ? type->getSizeInBits() / 8 : 0;
}

static void collectFields(const DICompositeType &structure, uint64_t base,
                          unsigned depth, std::vector<LayoutField> &fields) {
  if (depth == 8)
    return;
  for (const DINode *element : structure.getElements()) {
    auto *member = dyn_cast_or_null<DIDerivedType>(element);
    if (!member || member->isStaticMember())
      continue;
    uint64_t offset = base + member->getOffsetInBits() / 8;
    const DIType *type = member->getBaseType();
    const DICompositeType *inner = asStructure(type);
    if (member->getTag() == dwarf::DW_TAG_inheritance) {
      if (inner)
        collectFields(*inner, offset, depth + 1, fields);
      continue;
    }
    if (member->getTag() != dwarf::DW_TAG_member)
      continue;
    LayoutField field{
        member->getName().str(), offset, sizeInBytes(type), kindOf(type), {}};
    if (member->isBitField())
      field.size = 0;
    if (inner)
      collectFields(*inner, offset, depth + 1, field.members);
    fields.push_back(std::move(field));
  }
}

static StructureEvidence evidenceOf(const DICompositeType &structure,
                                    StringRef variable, SourcePlace place) {
  StructureEvidence evidence;
  evidence.name = structure.getName().empty()
                      ? ("the type of '" + variable + "'").str()
                      : quoted(structure.getName());
  evidence.size = structure.getSizeInBits() / 8;
  evidence.place = std::move(place);
  collectFields(structure, 0, 0, evidence.fields);
  return evidence;
}

//===----------------------------------------------------------------------===//
// Structures of LLVM types
//===----------------------------------------------------------------------===//

static LayoutField::Kind kindOf(const Type *type) {
  if (type->isFloatingPointTy())
    return LayoutField::Kind::Float;
  if (type->isIntegerTy())
    return LayoutField::Kind::Integer;
  if (type->isPointerTy())
    return LayoutField::Kind::Pointer;
  return type->isStructTy() ? LayoutField::Kind::Aggregate
                            : LayoutField::Kind::Unknown;
}

static std::vector<LayoutField> fieldsOf(StructType *type, uint64_t base,
                                         const DataLayout &layout) {
  std::vector<LayoutField> fields;
  const StructLayout *offsets = layout.getStructLayout(type);
  for (unsigned i = 0, e = type->getNumElements(); i != e; ++i) {
    Type *element = type->getElementType(i);
    LayoutField field{"",
                      base + offsets->getElementOffset(i).getFixedValue(),
                      layout.getTypeAllocSize(element).getFixedValue(),
                      kindOf(element),
                      {}};
    if (auto *inner = dyn_cast<StructType>(element))
      field.members = fieldsOf(inner, field.offset, layout);
    fields.push_back(std::move(field));
  }
  return fields;
}

static bool isFixedSize(Type *type) {
  return type->isSized() && !type->isScalableTy();
}

/// Adds the evidence of a type, if it is a structure.
static void addType(Type *type, SourcePlace place, const DataLayout &layout,
                    MemoryEvidence &evidence) {
  while (auto *array = dyn_cast<ArrayType>(type))
    type = array->getElementType();
  auto *structure = dyn_cast<StructType>(type);
  if (!structure || !isFixedSize(structure))
    return;
  evidence.structures.push_back(
      {structure->isLiteral() ? spellType(structure)
                              : quoted(structure->getName()),
       layout.getTypeAllocSize(structure).getFixedValue(),
       fieldsOf(structure, 0, layout), std::move(place)});
}

//===----------------------------------------------------------------------===//
// The memory behind a pointer
//===----------------------------------------------------------------------===//

namespace {
class EvidenceSearch {
public:
  EvidenceSearch(const DataLayout &layout, MemoryEvidence &evidence)
      : layout(layout), evidence(evidence) {}

  void visit(Value *pointer);

private:
  void visitAlloca(AllocaInst &alloca);
  void visitGlobal(GlobalVariable &global);
  void visitAllocation(CallBase &call);
  void visitOffset(GEPOperator &offset);
  /// Adds variables whose value is `value` or, with `isAddress`, whose address
  /// is.
  void addVariables(Value *value, bool isAddress);
  void addVariable(const DIGlobalVariable &variable,
                   const DICompositeType &structure);
  /// Adds the variable that a pointer is loaded from.
  void addVariablesOfHome(LoadInst &load);
  /// Adds structures that address arithmetic on the pointer steps through.
  void addOffsetUses(Value *pointer);
  void setSize(uint64_t size) {
    evidence.size = std::min(evidence.size.value_or(size), size);
  }

  const DataLayout &layout;
  MemoryEvidence &evidence;
  SmallPtrSet<Value *, 8> seen;
};
} // namespace

void EvidenceSearch::addVariables(Value *value, bool isAddress) {
  SmallVector<DbgVariableRecord *> records;
  if (isAddress)
    for (DbgVariableRecord *record : findDVRDeclares(value))
      records.push_back(record);
  else
    findDbgValues(value, records);
  for (const DbgVariableRecord *record : records) {
    const DILocalVariable *variable = record->getVariable();
    // The variable must be the whole value, unchanged.
    if (record->getExpression()->getNumElements() != 0)
      continue;
    const DICompositeType *structure =
        isAddress ? asStructure(elementType(variable->getType()))
                  : pointedStructure(variable->getType());
    if (structure)
      evidence.structures.push_back(evidenceOf(
          *structure, variable->getName(),
          {placeOf(record->getDebugLoc()).file, variable->getLine(), 0}));
  }
}

void EvidenceSearch::addVariable(const DIGlobalVariable &variable,
                                 const DICompositeType &structure) {
  evidence.structures.push_back(
      evidenceOf(structure, variable.getName(),
                 {variable.getFilename().str(), variable.getLine(), 0}));
}

void EvidenceSearch::addVariablesOfHome(LoadInst &load) {
  Value *home = load.getPointerOperand()->stripPointerCastsAndAliases();
  if (auto *global = dyn_cast<GlobalVariable>(home)) {
    SmallVector<DIGlobalVariableExpression *> variables;
    global->getDebugInfo(variables);
    for (const DIGlobalVariableExpression *expression : variables)
      if (const DICompositeType *structure =
              pointedStructure(expression->getVariable()->getType()))
        addVariable(*expression->getVariable(), *structure);
    return;
  }
  if (!isa<AllocaInst>(home))
    return;
  for (const DbgVariableRecord *record : findDVRDeclares(home)) {
    const DILocalVariable *variable = record->getVariable();
    if (const DICompositeType *structure =
            pointedStructure(variable->getType()))
      evidence.structures.push_back(evidenceOf(
          *structure, variable->getName(),
          {placeOf(record->getDebugLoc()).file, variable->getLine(), 0}));
  }
}

void EvidenceSearch::addOffsetUses(Value *pointer) {
  for (User *user : pointer->users())
    if (auto *offset = dyn_cast<GetElementPtrInst>(user))
      if (offset->getPointerOperand() == pointer && offset->getNumIndices() > 1)
        addType(offset->getSourceElementType(), placeOf(*offset), layout,
                evidence);
}

void EvidenceSearch::visitAlloca(AllocaInst &alloca) {
  addVariables(&alloca, /*isAddress=*/true);
  addType(alloca.getAllocatedType(), placeOf(alloca), layout, evidence);
  if (auto size = alloca.getAllocationSize(layout); size && !size->isScalable())
    setSize(size->getFixedValue());
}

void EvidenceSearch::visitGlobal(GlobalVariable &global) {
  SmallVector<DIGlobalVariableExpression *> variables;
  global.getDebugInfo(variables);
  for (const DIGlobalVariableExpression *expression : variables) {
    const DIGlobalVariable *variable = expression->getVariable();
    if (const DICompositeType *structure =
            asStructure(elementType(variable->getType())))
      addVariable(*variable, *structure);
  }
  addType(global.getValueType(), {}, layout, evidence);
  if (isFixedSize(global.getValueType()) && global.hasInitializer())
    setSize(layout.getTypeAllocSize(global.getValueType()).getFixedValue());
}

/// malloc, calloc, aligned_alloc and operator new of a constant size.
void EvidenceSearch::visitAllocation(CallBase &call) {
  const Function *callee = calledFunction(call);
  if (!callee)
    return;
  auto constant = [&](unsigned index) -> std::optional<uint64_t> {
    if (index >= call.arg_size())
      return std::nullopt;
    auto *value = dyn_cast<ConstantInt>(call.getArgOperand(index));
    return value && value->getBitWidth() <= 64
               ? std::optional<uint64_t>(value->getZExtValue())
               : std::nullopt;
  };
  StringRef name = callee->getName();
  std::optional<uint64_t> size;
  if (name == "malloc" || name == "_Znwm" || name == "_Znam")
    size = constant(0);
  else if (name == "aligned_alloc" || name == "memalign")
    size = constant(1);
  else if (name == "calloc" && constant(0) && constant(1))
    size = *constant(0) * *constant(1);
  if (size)
    setSize(*size);
}

/// An element of an array of structures, or a structure in a structure.
void EvidenceSearch::visitOffset(GEPOperator &offset) {
  if (offset.getNumIndices() == 1 &&
      offset.getSourceElementType()->isIntegerTy(8)) {
    // C front ends emit other offsets in bytes if the element's size is
    // constant; nothing is known about those.
    if (offset.hasAllZeroIndices())
      visit(offset.getPointerOperand());
    return;
  }
  addType(offset.getResultElementType(), {}, layout, evidence);
}

void EvidenceSearch::visit(Value *pointer) {
  pointer = pointer->stripPointerCastsAndAliases();
  if (!seen.insert(pointer).second)
    return;
  if (isa<ConstantPointerNull, UndefValue>(pointer)) {
    evidence.isNull = true;
    return;
  }
  if (auto *global = dyn_cast<GlobalVariable>(pointer))
    return visitGlobal(*global);
  if (auto *alloca = dyn_cast<AllocaInst>(pointer))
    return visitAlloca(*alloca);
  if (isa<Constant>(pointer) && !isa<GEPOperator>(pointer))
    return;
  if (!isa<Constant>(pointer))
    addVariables(pointer, /*isAddress=*/false);
  if (auto *offset = dyn_cast<GEPOperator>(pointer))
    visitOffset(*offset);
  else if (auto *load = dyn_cast<LoadInst>(pointer))
    addVariablesOfHome(*load);
  else if (auto *call = dyn_cast<CallBase>(pointer))
    visitAllocation(*call);
  if (auto *phi = dyn_cast<PHINode>(pointer))
    for (Value *incoming : phi->incoming_values())
      visit(incoming);
  if (auto *select = dyn_cast<SelectInst>(pointer)) {
    visit(select->getTrueValue());
    visit(select->getFalseValue());
  }
  addOffsetUses(pointer);
}

MemoryEvidence sluice::hpvm::findEvidence(Value *pointer,
                                          const DataLayout &layout) {
  MemoryEvidence evidence;
  EvidenceSearch(layout, evidence).visit(pointer);
  return evidence;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Adds the offsets of `types`, laid out one after another, starting at the
/// layout's size.
static void append(ArrayRef<Type *> types, bool isPacked,
                   const DataLayout &data, ArgumentLayout &layout,
                   std::vector<uint64_t> &offsets) {
  for (Type *type : types) {
    if (!isPacked)
      layout.size = alignTo(layout.size, data.getABITypeAlign(type));
    offsets.push_back(layout.size);
    layout.size += data.getTypeAllocSize(type).getFixedValue();
  }
}

ArgumentLayout sluice::hpvm::packedLayout(const RootPorts &ports,
                                          const DataLayout &data) {
  ArgumentLayout layout;
  append(ports.arguments, /*isPacked=*/true, data, layout,
         layout.argumentOffsets);
  append(ports.results, /*isPacked=*/true, data, layout, layout.resultOffsets);
  return layout;
}

ArgumentLayout sluice::hpvm::naturalLayout(const RootPorts &ports,
                                           const DataLayout &data) {
  ArgumentLayout layout;
  append(ports.arguments, /*isPacked=*/false, data, layout,
         layout.argumentOffsets);
  Align alignment;
  for (Type *type : ports.results)
    alignment = std::max(alignment, data.getABITypeAlign(type));
  layout.size = alignTo(layout.size, alignment);
  append(ports.results, /*isPacked=*/false, data, layout, layout.resultOffsets);
  for (Type *type : ports.arguments)
    alignment = std::max(alignment, data.getABITypeAlign(type));
  layout.size = alignTo(layout.size, alignment);
  return layout;
}

//===----------------------------------------------------------------------===//
// Ports and fields
//===----------------------------------------------------------------------===//

namespace {
/// The fields of a structure one after another. A field that is a structure
/// itself is taken as a whole or split, as the ports require.
class FieldWalk {
public:
  explicit FieldWalk(ArrayRef<LayoutField> fields) {
    for (size_t i = fields.size(); i-- != 0;)
      rest.push_back(
          {&fields[i], "field " + std::to_string(i), fields[i].name});
  }

  bool isAtEnd() const { return rest.empty(); }
  const LayoutField &next() const { return *rest.back().field; }
  /// "field 2 'in.data'".
  std::string name() const {
    const Step &step = rest.back();
    return step.path.empty() ? step.start
                             : step.start + " " + quoted(step.path);
  }
  void skip() { rest.pop_back(); }
  /// Continues with the members of the next field.
  void takeApart() {
    Step whole = rest.pop_back_val();
    std::string prefix = whole.path.empty() ? "" : whole.path + ".";
    for (const LayoutField &member : llvm::reverse(whole.field->members))
      rest.push_back({&member, whole.start,
                      member.name.empty() ? whole.path : prefix + member.name});
  }

private:
  struct Step {
    const LayoutField *field;
    /// The field of the outermost structure, and the name of the current field
    /// inside it in C.
    std::string start, path;
  };
  /// The next one last.
  SmallVector<Step> rest;
};
} // namespace

static bool isScalar(LayoutField::Kind kind) {
  return kind == LayoutField::Kind::Integer ||
         kind == LayoutField::Kind::Float || kind == LayoutField::Kind::Pointer;
}

/// The reason why the next field cannot hold a port of type `type`; empty if it
/// can.
static std::string findMismatch(const FieldWalk &walk, Type *type,
                                const std::string &port,
                                const DataLayout &data) {
  const LayoutField &field = walk.next();
  uint64_t size = data.getTypeAllocSize(type).getFixedValue();
  LayoutField::Kind kind = kindOf(type);
  if (field.size != size)
    return walk.name() + " has " + std::to_string(field.size) + " bytes, but " +
           port + " of type " + spellType(type) + " has " +
           std::to_string(size);
  bool isFieldFloat = field.kind == LayoutField::Kind::Float;
  bool isPortFloat = kind == LayoutField::Kind::Float;
  if (isScalar(field.kind) && isScalar(kind) && isFieldFloat != isPortFloat)
    return walk.name() +
           (isFieldFloat ? " is a floating-point number, but "
                         : " is no floating-point number, but ") +
           port + " has type " + spellType(type);
  return "";
}

/// Maps `types` to the next fields.
static std::string mapFields(ArrayRef<Type *> types,
                             ArrayRef<std::string> names, unsigned numFields,
                             FieldWalk &walk, const DataLayout &data,
                             std::vector<uint64_t> &offsets) {
  for (auto [type, name] : llvm::zip(types, names)) {
    while (!walk.isAtEnd()) {
      std::string mismatch = findMismatch(walk, type, name, data);
      bool isWhole = walk.next().members.empty();
      if (mismatch.empty() && (isWhole || !isScalar(kindOf(type))))
        break;
      if (isWhole)
        return mismatch;
      walk.takeApart();
    }
    if (walk.isAtEnd())
      return "it has " + std::to_string(numFields) +
             (numFields == 1 ? " field" : " fields") + ", none for " + name +
             " of type " + spellType(type);
    offsets.push_back(walk.next().offset);
    walk.skip();
  }
  return "";
}

LayoutMatch sluice::hpvm::matchFields(const RootPorts &ports,
                                      const StructureEvidence &structure,
                                      const DataLayout &data) {
  ArgumentLayout layout;
  layout.size = structure.size;
  FieldWalk walk(structure.fields);
  std::string mismatch =
      mapFields(ports.arguments, ports.argumentNames, structure.fields.size(),
                walk, data, layout.argumentOffsets);
  // The result is one structure, as specified, or its fields.
  if (mismatch.empty())
    mismatch =
        mapFields(ports.results, ports.resultNames, structure.fields.size(),
                  walk, data, layout.resultOffsets);
  if (!mismatch.empty())
    return {std::nullopt, mismatch};
  return {layout, ""};
}
