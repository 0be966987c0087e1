//===- ConstantTables.h - C structures as constant data ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables that the runtime reads are constant data, laid out field by field
// as C lays out its structures. They are written as values of these structures
// themselves, so the header determines fields, types and order. A pointer holds
// the constant that it will point to:
//
//   tables.structure(SluicePlanShape{.frameOffset = 8, .size = 4})
//   tables.structure(SluicePlanMemory{.name = tables.string("counter")})
//
// A missing field, or a field out of order, does not compile. Each structure is
// checked to have the same layout in LLVM as in this compiler.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_CONSTANTTABLES_H
#define SLUICE_LIB_CODEGEN_CONSTANTTABLES_H

#include "sluice/Base/TableHead.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

#include <type_traits>

// Applies to the rest of every file that writes tables.
#pragma clang diagnostic error "-Wmissing-designated-field-initializers"
#pragma clang diagnostic error "-Wmissing-field-initializers"
#pragma clang diagnostic error "-Wreorder-init-list"

namespace sluice::codegen {

/// The constant that a field of a structure will point to.
class Address {
public:
  Address(llvm::Constant *constant) : constant(constant) {}
  operator llvm::Constant *() const { return constant; }
  /// Stored in the field until the structure itself becomes a constant.
  template <typename T>
  requires(!std::is_base_of_v<llvm::Value, T>) operator T *() const {
    return reinterpret_cast<T *>(constant);
  }

private:
  llvm::Constant *constant;
};

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
  Address string(llvm::StringRef text) {
    llvm::Constant *&known = strings[text];
    if (!known)
      known =
          place(llvm::ConstantDataArray::getString(module.getContext(), text));
    return known;
  }

  /// A structure of one of the C headers, with all of its fields.
  template <typename Structure>
  llvm::Constant *structure(const Structure &value) {
    static_assert(std::is_aggregate_v<Structure>);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"
    const auto &[... fields] = value;
#pragma clang diagnostic pop
    llvm::Constant *constant =
        llvm::ConstantStruct::getAnon(module.getContext(), {field(fields)...});
    const auto *start = reinterpret_cast<const char *>(&value);
    checkLayout(constant, {reinterpret_cast<const char *>(&fields) - start...},
                sizeof(Structure));
    return constant;
  }
  /// The head of a table of this kind.
  template <typename Table> SluiceTableHead head() {
    SluiceTableHead head = tableHead<Table>;
    llvm::Constant *&sizes = headSizes[head.magic];
    if (!sizes)
      sizes = place(llvm::ConstantDataArray::get(
          module.getContext(), llvm::ArrayRef(head.sizes, head.numSizes)));
    head.sizes = Address(sizes);
    return head;
  }

  /// The address of an array of equal constants; null if there are none.
  Address array(llvm::ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return null();
    auto *type =
        llvm::ArrayType::get(elements.front()->getType(), elements.size());
    return place(llvm::ConstantArray::get(type, elements));
  }
  /// The same of structures.
  template <typename Structure>
  requires std::is_class_v<Structure>
      Address array(const std::vector<Structure> &elements) {
    llvm::SmallVector<llvm::Constant *> constants;
    for (const Structure &element : elements)
      constants.push_back(structure(element));
    return array(constants);
  }
  Address indices(llvm::ArrayRef<uint32_t> values) {
    llvm::SmallVector<llvm::Constant *> elements;
    for (uint32_t value : values)
      elements.push_back(i32(value));
    return array(elements);
  }
  Address numbers(llvm::ArrayRef<int64_t> values) {
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
  template <typename Field> llvm::Constant *field(const Field &value) {
    if constexpr (std::is_pointer_v<Field>)
      return value ? (llvm::Constant *)(value) : null(); // made by Address
    else if constexpr (std::is_class_v<Field>)
      return structure(value);
    else
      return llvm::ConstantInt::get(
          llvm::Type::getIntNTy(module.getContext(), 8 * sizeof(Field)),
          static_cast<uint64_t>(value));
  }
  void checkLayout(llvm::Constant *constant, llvm::ArrayRef<ptrdiff_t> offsets,
                   uint64_t size) {
    const llvm::StructLayout *layout = module.getDataLayout().getStructLayout(
        llvm::cast<llvm::StructType>(constant->getType()));
    bool isSame = layout->getSizeInBytes() == size;
    for (auto [index, offset] : llvm::enumerate(offsets))
      isSame &= layout->getElementOffset(index) == uint64_t(offset);
    if (!isSame)
      llvm::report_fatal_error("the program's target lays out a table "
                               "otherwise than this compiler does");
  }

  llvm::Module &module;
  llvm::StringMap<llvm::Constant *> strings;
  llvm::DenseMap<uint64_t, llvm::Constant *> headSizes;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_CONSTANTTABLES_H
