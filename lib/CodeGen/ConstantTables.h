//===- ConstantTables.h - C structures as constant data -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables that the runtime reads are constant data, field by field as C lays
// its structures out.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_CONSTANTTABLES_H
#define SLUICE_LIB_CODEGEN_CONSTANTTABLES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

namespace sluice::codegen {

/// Makes constants for C structures.
class Tables {
public:
  explicit Tables(llvm::Module &module) : module(module) {}

  llvm::Constant *i32(uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()),
                                  value);
  }
  llvm::Constant *i64(uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()),
                                  value);
  }
  llvm::Constant *null() {
    return llvm::ConstantPointerNull::get(
        llvm::PointerType::get(module.getContext(), 0));
  }
  llvm::Constant *string(llvm::StringRef text) {
    llvm::Constant *&known = strings[text];
    if (!known)
      known =
          place(llvm::ConstantDataArray::getString(module.getContext(), text));
    return known;
  }
  /// A structure laid out as C lays it out.
  llvm::Constant *structure(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(module.getContext(), fields);
  }
  /// A field of a C structure: where the header has it, and its value.
  struct Field {
    uint64_t offset;
    llvm::Constant *value;
  };
  /// A structure of `size` bytes with all fields of the header's.
  llvm::Constant *record(uint64_t size, llvm::ArrayRef<Field> fields) {
    llvm::SmallVector<llvm::Constant *> values;
    for (const Field &field : fields)
      values.push_back(field.value);
    auto *constant = llvm::cast<llvm::ConstantStruct>(structure(values));
    const llvm::StructLayout &layout =
        *module.getDataLayout().getStructLayout(constant->getType());
    for (unsigned i = 0; i != fields.size(); ++i)
      if (layout.getElementOffset(i) != fields[i].offset)
        llvm::report_fatal_error("a table does not lie as C lays it out");
    if (layout.getSizeInBytes() != size)
      llvm::report_fatal_error("a table lacks fields of its C structure");
    return constant;
  }
  /// The address of an array of equal structures; null if there are none.
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return null();
    auto *type =
        llvm::ArrayType::get(elements.front()->getType(), elements.size());
    return place(llvm::ConstantArray::get(type, elements));
  }
  llvm::Constant *numbers(llvm::ArrayRef<int64_t> values) {
    llvm::SmallVector<llvm::Constant *> elements;
    for (int64_t value : values)
      elements.push_back(i64(value));
    return array(elements);
  }
  llvm::GlobalVariable *place(llvm::Constant *value,
                              const llvm::Twine &name = "sluice.table") {
    auto *global = new llvm::GlobalVariable(
        module, value->getType(),
        /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, value, name);
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return global;
  }

private:
  llvm::Module &module;
  llvm::StringMap<llvm::Constant *> strings;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_CONSTANTTABLES_H
