//===- CTypeReader.h - Types from debug information -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR metadata and DWARF describe types by the same tags, so one reader handles
// both. A `Node` is a small value with
//   bool isNull()           void
//   unsigned tag()          a DW_TAG
//   StringRef name()
//   Node base()             the type it is made from
//   uint64_t bytes()
//   unsigned encoding()     a DW_ATE
//   std::vector<int64_t> extents()   of an array
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CTYPEREADER_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CTYPEREADER_H

#include "CPrototype.h"
#include "llvm/BinaryFormat/Dwarf.h"

namespace sluice::driver {

template <typename Node> class CTypeReader {
public:
  static CType read(const Node &node) { return CTypeReader().readType(node); }

private:
  /// Malformed DWARF may contain types that are made from themselves.
  static constexpr unsigned maxDepth = 64;

  CType other(llvm::StringRef spelling) {
    CType type;
    type.kind = CType::Kind::Other;
    type.spelling = spelling.str();
    return type;
  }

  CType readType(const Node &node) {
    if (node.isNull())
      return CType();
    if (++depth > maxDepth)
      return other("a type made from itself");
    CType type = readKnown(node);
    --depth;
    return type;
  }

  CType readKnown(const Node &node) {
    using namespace llvm::dwarf;
    switch (node.tag()) {
    case DW_TAG_base_type:
      return readBasic(node);
    case DW_TAG_enumeration_type:
      return readEnumeration(node);
    case DW_TAG_typedef:
      return readTypedef(node);
    case DW_TAG_const_type:
      return readConst(node);
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
      return readType(node.base());
    case DW_TAG_pointer_type:
      return readPointer(node, CType::Kind::Pointer, '*');
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      return readPointer(node, CType::Kind::Reference, '&');
    case DW_TAG_array_type:
      return readArray(node);
    default:
      return readOther(node);
    }
  }

  CType readBasic(const Node &node) {
    CType type;
    setBasicType(type, node.encoding(), node.bytes(), node.name());
    return type;
  }

  CType readEnumeration(const Node &node) {
    CType type = readType(node.base());
    if (type.kind != CType::Kind::Integer)
      setBasicType(type, llvm::dwarf::DW_ATE_unsigned, node.bytes(), "");
    type.isChar = type.isBool = false;
    type.spelling =
        node.name().empty() ? "an enumeration" : ("enum " + node.name()).str();
    return type;
  }

  CType readTypedef(const Node &node) {
    CType type = readType(node.base());
    type.spelling = node.name().str();
    return type;
  }

  CType readConst(const Node &node) {
    CType type = readType(node.base());
    type.isConst = true;
    bool isPointer = !type.spelling.empty() && type.spelling.back() == '*';
    type.spelling =
        isPointer ? type.spelling + "const" : "const " + type.spelling;
    return type;
  }

  CType readPointer(const Node &node, CType::Kind kind, char mark) {
    CType type;
    type.kind = kind;
    type.bits = 64;
    CType target = readType(node.base());
    type.spelling = spellPointer(target.spelling, mark);
    type.extents = std::move(target.extents);
    target.extents.clear();
    // Types behind two pointers do not matter.
    target.target.clear();
    type.target.push_back(std::move(target));
    return type;
  }

  /// The type of its elements, with its extents.
  CType readArray(const Node &node) {
    CType type = readType(node.base());
    std::vector<int64_t> extents = node.extents();
    for (int64_t extent : extents)
      type.spelling +=
          "[" + (extent < 0 ? std::string() : std::to_string(extent)) + "]";
    extents.insert(extents.end(), type.extents.begin(), type.extents.end());
    type.extents = std::move(extents);
    return type;
  }

  CType readOther(const Node &node) {
    using namespace llvm::dwarf;
    llvm::StringRef name = node.name();
    switch (node.tag()) {
    case DW_TAG_structure_type:
      return other(name.empty() ? "a struct" : ("struct " + name).str());
    case DW_TAG_class_type:
      return other(name.empty() ? "a class" : ("class " + name).str());
    case DW_TAG_union_type:
      return other(name.empty() ? "a union" : ("union " + name).str());
    case DW_TAG_subroutine_type:
      return other("a function");
    default:
      return other(name.empty() ? "a type that C does not have" : name);
    }
  }

  unsigned depth = 0;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CTYPEREADER_H
