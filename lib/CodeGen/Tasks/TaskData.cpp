//===- TaskData.cpp - Data of tasks as memory -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskData.h"
#include "sluice/DFG/Given.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

Type *TaskDatum::elementType(LLVMContext &context) const {
  if (!isFloat())
    return IntegerType::get(context, elementBits);
  return elementBits == 32 ? Type::getFloatTy(context)
                           : Type::getDoubleTy(context);
}

std::vector<int64_t> codegen::denseStrides(ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

bool TaskView::isDense() const {
  std::vector<int64_t> dense = denseStrides(shape);
  for (size_t d = 0; d != shape.size(); ++d)
    if (shape[d] == 0)
      return true;
  for (size_t d = 0; d != shape.size(); ++d)
    if (shape[d] > 1 && strides[d] != dense[d])
      return false;
  return true;
}

/// True for integers of 8, 16, 32 and 64 bits, signed or not, and for f32 and
/// f64.
static bool isTaskElement(mlir::Type type) {
  if (!isa<mlir::IntegerType>(type))
    return type.isF32() || type.isF64();
  return is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}

/// Datasets of other types belong to nodes.
static bool isShared(mlir::Operation &op) {
  if (auto dataset = dyn_cast<dfg::DatasetOp>(op))
    return isTaskElement(dataset.getElementType());
  if (auto scalar = dyn_cast<dfg::ScalarOp>(op))
    return isTaskElement(scalar.getType());
  return isa<dfg::ObjectOp>(op);
}

static void setElement(TaskDatum &datum, mlir::Type type) {
  datum.elementBits = type.getIntOrFloatBitWidth();
  if (isa<mlir::FloatType>(type))
    datum.elementKind = SLUICE_ELEMENT_FLOAT;
  else if (type.isUnsignedInteger())
    datum.elementKind = SLUICE_ELEMENT_UINT;
}

std::optional<uint64_t> codegen::scalarBits(dfg::ScalarOp scalar) {
  std::optional<mlir::Attribute> value = scalar.getValue();
  if (!value)
    return std::nullopt;
  unsigned bits = scalar.getType().getIntOrFloatBitWidth();
  if (auto number = dyn_cast<mlir::IntegerAttr>(*value))
    return number.getValue().extractBitsAsZExtValue(bits, 0);
  APFloat number = cast<mlir::FloatAttr>(*value).getValue();
  bool losesInfo = false;
  number.convert(bits == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

void TaskDataTable::addDatum(mlir::Operation &op) {
  TaskDatum datum;
  datum.op = &op;
  auto name = mlir::SymbolTable::getSymbolName(&op);
  datum.name = name.str();
  if (auto dataset = dyn_cast<dfg::DatasetOp>(op)) {
    setElement(datum, dataset.getElementType());
    datum.shape = dataset.getShape().vec();
    datum.size = datum.elementSize();
    for (int64_t extent : datum.shape)
      datum.size *= extent;
  } else if (auto scalar = dyn_cast<dfg::ScalarOp>(op)) {
    datum.kind = SLUICE_DATA_SCALAR;
    setElement(datum, scalar.getType());
    datum.constant = scalarBits(scalar);
    datum.isGiven = op.hasAttr(dfg::givenName);
  } else {
    datum.kind = SLUICE_DATA_PYOBJ;
  }
  indices[name] = data.size();
  data.push_back(std::move(datum));
}

static dfg::Access operator|(dfg::Access a, dfg::Access b) {
  return static_cast<dfg::Access>(static_cast<int>(a) | static_cast<int>(b));
}

void TaskDataTable::addViews(dfg::TaskOp task) {
  std::vector<TaskView> &list = views.emplace_back();
  SmallVector<unsigned> named;
  for (dfg::TaskArgAttr argument : task.getTaskArgs()) {
    TaskView view;
    view.datum = indices.lookup(argument.getData().getAttr());
    view.isValue = argument.getPassBy() == dfg::PassBy::Value;
    view.access = view.isValue ? dfg::Access::In : argument.getAccess();
    TaskDatum &datum = data[view.datum];
    view.shape = datum.shape;
    view.strides = denseStrides(datum.shape);
    if (argument.isPart()) {
      view.shape = argument.getSizes().vec();
      for (size_t d = 0; d != view.shape.size(); ++d) {
        view.offset += argument.getOffsets()[d] * view.strides[d];
        view.strides[d] *= argument.getSteps()[d];
      }
    }
    datum.access = datum.access | view.access;
    if (dfg::writes(view.access))
      datum.constant = std::nullopt;
    if (!is_contained(named, view.datum)) {
      named.push_back(view.datum);
      ++datum.numUses;
    }
    list.push_back(std::move(view));
  }
}

TaskDataTable::TaskDataTable(mlir::ModuleOp module, const TaskOrder &order) {
  for (mlir::Operation &op : *module.getBody())
    if (isShared(op))
      addDatum(op);
  for (dfg::TaskOp task : order.tasks)
    addViews(task);
}

std::vector<SluiceTaskUse> TaskDataTable::usesOf(unsigned task) const {
  MapVector<unsigned, uint32_t> uses;
  for (const TaskView &view : views[task]) {
    // If only a part is written, the rest keeps its values.
    bool keeps = view.shape != data[view.datum].shape;
    uses[view.datum] |= static_cast<uint32_t>(view.access) |
                        (keeps ? uint32_t(SLUICE_ACCESS_IN) : 0);
  }
  std::vector<SluiceTaskUse> result;
  for (auto [datum, access] : uses)
    result.push_back({datum, access});
  return result;
}
