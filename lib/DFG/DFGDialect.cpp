//===- DFGDialect.cpp - Registration of the dfg dialect -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the types, attributes and operations of the dialect, and defines
// the small functions that DFG.h declares.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "sluice/DFG/DFG.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Demangle/Demangle.h"

#include <cstdlib>

#include "sluice/DFG/DFGDialect.cpp.inc"
#include "sluice/DFG/DFGEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sluice/DFG/DFGAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "sluice/DFG/DFGTypes.cpp.inc"

#define GET_OP_CLASSES
#include "sluice/DFG/DFGOps.cpp.inc"

#if __has_feature(address_sanitizer)
/// Attributes of this dialect lie in memory that MLIR's shared library uses as
/// well. That library is not instrumented, so it does not clear the poison that
/// instrumented allocators in headers put on free memory.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
#endif

using namespace mlir;
using namespace sluice::dfg;

void DFGDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sluice/DFG/DFGAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "sluice/DFG/DFGTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sluice/DFG/DFGOps.cpp.inc"
      >();
}

llvm::StringRef sluice::dfg::spellAccess(Access access) {
  switch (access) {
  case Access::None:
    return "";
  case Access::In:
    return "in";
  case Access::Out:
    return "out";
  case Access::InOut:
    return "inout";
  }
  return "";
}

std::string sluice::dfg::displayName(llvm::StringRef symbol) {
  // The demangler keeps pointers into the string it was given.
  std::string mangled = symbol.str();
  // Functions that Sluice made from a C++ function have its name and a suffix.
  if (symbol.starts_with("_Z"))
    mangled = symbol.split('.').first.str();
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(mangled.c_str()))
    return mangled;
  size_t size = 0;
  char *name = demangler.getFunctionBaseName(nullptr, &size);
  // Variables have no such name.
  std::string result = name ? name : llvm::demangle(mangled);
  std::free(name);
  return result;
}

std::optional<int64_t> sluice::dfg::constantExtent(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op || !isa<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = constantExtent(operand);
    if (!known || !isa<IntegerType>(operand.getType()))
      return std::nullopt;
    operands.push_back(IntegerAttr::get(operand.getType(), *known));
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != 1)
    return std::nullopt;
  auto attribute = dyn_cast<Attribute>(folded.front());
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    return integer.getValue().getSExtValue();
  return std::nullopt;
}
