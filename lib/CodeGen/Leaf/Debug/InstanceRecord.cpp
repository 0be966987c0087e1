//===- InstanceRecord.cpp - The instance as a variable --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstanceRecord.h"
#include "../Item/ItemSignature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace sluice::codegen {

/// dims, id[3], extent[3].
static constexpr unsigned wordsPerLevel = 7;
static constexpr unsigned wordBits = 64;

namespace {

class InstanceDescription {
public:
  InstanceDescription(Function &item, const RangeSpec &spec)
      : item(item), spec(spec), signature(spec) {}

  void run();

private:
  Function &item;
  const RangeSpec &spec;
  ItemSignature signature;
  DISubprogram *leaf = nullptr; ///< that of the copy that was inlined
  DILocalVariable *variable = nullptr;
  const DILocation *place = nullptr;
  Instruction *point = nullptr;
  unsigned next = 0; ///< word of the structure

  DILocation *findInlinedLeaf();
  DIType *instanceType(DIBuilder &builder) const;
  void addWord(Value *value);
};

} // namespace

/// The location where the leaf's code was inlined. Code that the leaf itself
/// had inlined is one level deeper.
DILocation *InstanceDescription::findInlinedLeaf() {
  for (Instruction &instruction : instructions(item)) {
    const DILocation *location = instruction.getDebugLoc();
    DILocation *inlined = location ? location->getInlinedAt() : nullptr;
    if (!inlined || inlined->getInlinedAt())
      continue;
    leaf = location->getScope()->getSubprogram();
    return inlined;
  }
  return nullptr;
}

DIType *InstanceDescription::instanceType(DIBuilder &builder) const {
  DIFile *file = leaf->getFile();
  DIType *number =
      builder.createBasicType("long", wordBits, dwarf::DW_ATE_signed);
  DIType *letter =
      builder.createBasicType("char", 8, dwarf::DW_ATE_signed_char);
  auto arrayOf = [&](DIType *type, uint64_t bits, unsigned count) {
    return builder.createArrayType(
        bits * count, wordBits, type,
        builder.getOrCreateArray({builder.getOrCreateSubrange(0, count)}));
  };
  // Scoped to the file, since a scope of the structure would make a cycle.
  auto structure =
      [&](StringRef name, uint64_t words,
          ArrayRef<std::tuple<StringRef, uint64_t, DIType *>> members) {
        SmallVector<Metadata *> elements;
        for (auto [member, offset, own] : members)
          elements.push_back(builder.createMemberType(
              file, member, file, 0, own->getSizeInBits(), wordBits,
              offset * wordBits, DINode::FlagZero, own));
        return builder.createStructType(
            leaf->getUnit(), name, file, 0, words * wordBits, wordBits,
            DINode::FlagZero, nullptr, builder.getOrCreateArray(elements));
      };
  DIType *triple = arrayOf(number, wordBits, 3);
  DIType *level = structure(
      "SluiceLevel", wordsPerLevel,
      {{"dims", 0, number}, {"id", 1, triple}, {"extent", 4, triple}});
  unsigned words = wordsPerLevel * signature.numLevels;
  return structure(
      "SluiceInstance", 1 + words,
      {{"leaf", 0, builder.createPointerType(letter, wordBits)},
       {"levels", 1,
        arrayOf(level, wordsPerLevel * wordBits, signature.numLevels)}});
}

void InstanceDescription::addWord(Value *value) {
  auto *expression = *DIExpression::createFragmentExpression(
      DIExpression::get(item.getContext(), {}), next++ * wordBits, wordBits);
  auto *record = DbgVariableRecord::createDbgVariableRecord(value, variable,
                                                            expression, place);
  point->getParent()->insertDbgRecordBefore(record, point->getIterator());
}

void InstanceDescription::run() {
  DILocation *inlined = item.getSubprogram() ? findInlinedLeaf() : nullptr;
  if (!inlined)
    return;
  DIBuilder builder(*item.getParent(), false, leaf->getUnit());
  variable =
      builder.createAutoVariable(leaf, instanceVariableName, leaf->getFile(),
                                 leaf->getLine(), instanceType(builder));
  place = DILocation::get(item.getContext(), 0, 0, leaf, inlined);
  for (Instruction &instruction : item.getEntryBlock())
    if (!isa<AllocaInst>(instruction)) {
      point = &instruction;
      break;
    }
  Type *i64 = Type::getInt64Ty(item.getContext());
  auto number = [&](int64_t value) { return ConstantInt::get(i64, value); };
  addWord(describeHandle(spec, 0));
  for (auto [level, shape] : enumerate(spec.levels)) {
    addWord(number(shape.dims));
    for (unsigned dim = 0; dim != 3; ++dim)
      addWord(dim < shape.dims
                  ? cast<Value>(item.getArg(signature.id(level, dim)))
                  : number(0));
    for (unsigned dim = 0; dim != 3; ++dim)
      addWord(dim < shape.dims
                  ? cast<Value>(item.getArg(signature.extent(level, dim)))
                  : number(1));
  }
}

void describeInstance(Function &item, const RangeSpec &spec) {
  InstanceDescription(item, spec).run();
}

Constant *describeHandle(const RangeSpec &spec, unsigned depth) {
  Module &module = *spec.leaf->getParent();
  // gdb interprets dots as syntax of a language.
  std::string name = ("sluice_node_" + spec.leaf->getName()).str();
  for (char &c : name)
    if (!isAlnum(c))
      c = '_';
  if (depth)
    name += "_above" + std::to_string(depth);
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  Constant *text =
      ConstantDataArray::getString(module.getContext(), spec.leaf->getName());
  return new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                            GlobalValue::InternalLinkage, text, name);
}

} // namespace sluice::codegen
