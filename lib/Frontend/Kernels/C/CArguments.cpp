//===- CArguments.cpp - From arguments of a task to C parameters ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task passes datasets, parts of them and scalars; a C function has pointers,
// extents and strides. This file lists the parameters that a task's arguments
// become.
//
//===----------------------------------------------------------------------===//

#include "CMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::CSignature;
using Kind = CSignature::Parameter::Kind;

static void setElement(CArgument &argument, mlir::Type type) {
  argument.bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  argument.isFloat = isa<mlir::FloatType>(type);
  auto integer = dyn_cast<mlir::IntegerType>(type);
  argument.isSigned = integer && !integer.isUnsigned();
}

/// Row-major strides of an array of these extents.
static std::vector<int64_t> denseStrides(ArrayRef<int64_t> extents) {
  std::vector<int64_t> strides(extents.size(), 1);
  for (size_t i = extents.size(); i > 1; --i)
    strides[i - 2] = int64_t(uint64_t(strides[i - 1]) * extents[i - 1]);
  return strides;
}

static void setShape(CArgument &argument, dfg::TaskArgAttr part,
                     ArrayRef<int64_t> shape, bool isContiguous) {
  argument.extents = shape;
  argument.strides = denseStrides(shape);
  if (!part.isPart())
    return;
  argument.extents = part.getSizes();
  if (isContiguous)
    argument.strides = denseStrides(part.getSizes());
  else
    for (auto [stride, step] : zip(argument.strides, part.getSteps()))
      stride *= step;
}

std::vector<CArgument> driver::cArguments(dfg::TaskOp task) {
  std::vector<CArgument> arguments;
  for (dfg::TaskArgAttr argument : task.getTaskArgs()) {
    CArgument &added = arguments.emplace_back();
    added.name = argument.getData().getValue().str();
    added.access = argument.getAccess();
    mlir::Operation *data = task.resolve(argument);
    if (auto dataset = dyn_cast_or_null<dfg::DatasetOp>(data)) {
      added.kind = CArgument::Kind::Array;
      setElement(added, dataset.getElementType());
      setShape(added, argument, dataset.getShape(), task.getContiguous());
    } else if (auto scalar = dyn_cast_or_null<dfg::ScalarOp>(data)) {
      bool isValue = argument.getPassBy() == dfg::PassBy::Value;
      added.kind = isValue ? CArgument::Kind::Value : CArgument::Kind::Pointer;
      setElement(added, scalar.getType());
    } else {
      added.kind = CArgument::Kind::Object;
    }
  }
  return arguments;
}

std::string driver::spellElement(const CArgument &argument) {
  if (argument.isFloat)
    return argument.bits == 32 ? "float" : "double";
  return (argument.isSigned ? "int" : "uint") + std::to_string(argument.bits) +
         "_t";
}

static void addArray(std::vector<CSlot> &slots, const CArgument &argument,
                     unsigned number) {
  std::string pointer = (argument.access == dfg::Access::In ? "const " : "") +
                        spellElement(argument) + " *";
  auto add = [&](Kind kind, const std::string &name, const std::string &type,
                 unsigned dimension, int64_t value) {
    slots.push_back({{kind, number, dimension, nullptr, kind >= Kind::Offset},
                     name,
                     type + name,
                     value});
  };
  add(Kind::Base, argument.name + "_base", pointer, 0, 0);
  add(Kind::First, argument.name, pointer, 0, 0);
  add(Kind::Offset, argument.name + "_offset", "int64_t ", 0, 0);
  for (auto [d, extent] : enumerate(argument.extents))
    add(Kind::Extent, argument.name + "_n" + std::to_string(d), "int64_t ",
        unsigned(d), extent);
  for (auto [d, stride] : enumerate(argument.strides))
    add(Kind::Stride, argument.name + "_s" + std::to_string(d), "int64_t ",
        unsigned(d), stride);
}

std::vector<CSlot> driver::cSlots(ArrayRef<CArgument> arguments) {
  std::vector<CSlot> slots;
  for (auto [number, argument] : enumerate(arguments)) {
    unsigned index = unsigned(number);
    if (argument.kind == CArgument::Kind::Array)
      addArray(slots, argument, index);
    else if (argument.kind == CArgument::Kind::Value)
      slots.push_back({{Kind::Value, index, 0, nullptr, argument.isSigned},
                       argument.name,
                       spellElement(argument) + " " + argument.name});
    else if (argument.kind == CArgument::Kind::Pointer)
      slots.push_back({{Kind::Pointer, index, 0, nullptr, false},
                       argument.name,
                       spellElement(argument) + " *" + argument.name});
  }
  return slots;
}

mlir::Location driver::locationOf(const SourcePlace &place,
                                  mlir::MLIRContext *context) {
  if (!place.isKnown())
    return mlir::UnknownLoc::get(context);
  return mlir::FileLineColLoc::get(context, place.file, place.line,
                                   place.column);
}
