//===- HalideLeaf.cpp - Calls of Halide functions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every array becomes a halide_buffer_t (HalideRuntime.h of Halide 14) on the
// stack. Datasets are row-major and Halide's dimension 0 is the innermost, so
// that dimension k of a buffer is dimension N - 1 - k of the dataset.
//
//===----------------------------------------------------------------------===//

#include "TaskLeaf.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// The call of one variant.
class HalideCall {
public:
  HalideCall(TaskFunction &code, const HalideFunction &variant)
      : code(code), site(code.site), b(code.b), variant(variant), packed(code) {
  }

  /// Halide's status; null after an error.
  Value *emit();

private:
  Value *buffer(const TaskView &view, int innermostStride);
  Value *dimensions(const TaskView &view);
  bool needsPacking(const TaskView &view, int innermostStride);
  bool checkRange(const TaskView &view);

  TaskFunction &code;
  const TaskSite &site;
  IRBuilder<> &b;
  const HalideFunction &variant;
  PackedArguments packed;
};
} // namespace

/// A single element has any stride.
static TaskView withPlainStrides(TaskView view) {
  for (size_t d = 0; d != view.shape.size(); ++d)
    if (view.shape[d] <= 1)
      view.strides[d] = denseStrides(view.shape)[d];
  return view;
}

bool HalideCall::needsPacking(const TaskView &view, int innermostStride) {
  return innermostStride != 0 && !view.strides.empty() &&
         view.strides.back() != innermostStride;
}

/// Halide counts in 32 bits.
bool HalideCall::checkRange(const TaskView &view) {
  const int64_t limit = INT32_MAX;
  int64_t last = 0;
  for (auto [extent, stride] : zip(view.shape, view.strides)) {
    last += extent > 0 ? (extent - 1) * stride : 0;
    if (extent <= limit && stride <= limit && last <= limit)
      continue;
    site.op().emitError("'")
        << site.data[view.datum].name << "' reaches element " << last
        << " with extent " << extent << " and stride " << stride
        << ", but Halide counts elements in 32 bits; give the task a part of "
           "it, or several tasks a part each";
    return false;
  }
  return true;
}

/// The halide_dimension_t of a buffer: min, extent, stride, flags.
Value *HalideCall::dimensions(const TaskView &view) {
  size_t rank = view.shape.size();
  if (rank == 0)
    return site.tables.null();
  SmallVector<Constant *> fields;
  for (size_t d = rank; d-- > 0;)
    fields.push_back(site.tables.structure(
        {site.tables.i32(0), site.tables.i32(view.shape[d]),
         site.tables.i32(view.strides[d]), site.tables.i32(0)}));
  auto *type = ArrayType::get(fields.front()->getType(), rank);
  AllocaInst *slot = code.slot(type);
  b.CreateStore(ConstantArray::get(type, fields), slot);
  return slot;
}

Value *HalideCall::buffer(const TaskView &argument, int innermostStride) {
  TaskView view = withPlainStrides(argument);
  Value *host;
  if (needsPacking(view, innermostStride)) {
    host = packed.pack(view);
    view.strides = denseStrides(view.shape);
  } else {
    host = code.address(view);
  }
  if (!checkRange(view))
    return nullptr;
  const TaskDatum &datum = site.data[view.datum];
  Tables &tables = site.tables;
  auto byte = [&](unsigned value) { return b.getInt8(value); };
  static_assert(SLUICE_ELEMENT_INT == 0 && SLUICE_ELEMENT_UINT == 1 &&
                    SLUICE_ELEMENT_FLOAT == 2,
                "the codes of halide_type_t");
  Constant *type = tables.structure(
      {byte(datum.elementKind), byte(datum.elementBits), b.getInt16(1)});
  // device, device_interface, host, flags, type, dimensions, dim, padding
  Constant *fields = tables.structure(
      {tables.i64(0), tables.null(), tables.null(), tables.i64(0), type,
       tables.i32(view.shape.size()), tables.null(), tables.null()});
  AllocaInst *slot = code.slot(fields->getType());
  b.CreateStore(fields, slot);
  b.CreateStore(host, b.CreateStructGEP(fields->getType(), slot, 2));
  b.CreateStore(dimensions(view),
                b.CreateStructGEP(fields->getType(), slot, 6));
  return slot;
}

Value *HalideCall::emit() {
  SmallVector<Value *> arguments;
  SmallVector<Type *> types;
  for (auto [view, parameter] : zip(site.views(), variant.parameters)) {
    Value *value = parameter.isBuffer ? buffer(view, parameter.innermostStride)
                                      : code.value(view);
    if (!value)
      return nullptr;
    arguments.push_back(value);
    types.push_back(value->getType());
  }
  FunctionCallee callee = site.code.getOrInsertFunction(
      variant.symbol, FunctionType::get(b.getInt32Ty(), types, false));
  CallInst *call = b.CreateCall(callee, arguments, "status");
  for (auto [index, view] : enumerate(site.views()))
    addExtension(*call, index, site.data[view.datum].isSigned());
  packed.unpack();
  return call;
}

Function *codegen::emitHalideCall(const TaskSite &site) {
  LLVMContext &context = site.code.getContext();
  Type *i32 = Type::getInt32Ty(context);
  TaskFunction code(site, site.op().getCallee() + ".call", i32, {i32});
  auto *unknown = BasicBlock::Create(context, "unknown", code.function);
  SwitchInst *choice = code.b.CreateSwitch(code.function->getArg(0), unknown);
  for (auto [number, variant] : enumerate(site.resolved.variants)) {
    auto *block = BasicBlock::Create(context, "variant", code.function);
    choice->addCase(code.b.getInt32(number), block);
    code.b.SetInsertPoint(block);
    Value *status = HalideCall(code, variant).emit();
    if (!status) {
      code.function->eraseFromParent();
      return nullptr;
    }
    code.b.CreateRet(status);
  }
  code.b.SetInsertPoint(unknown);
  code.b.CreateUnreachable();
  return code.function;
}
