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
/// The structures of HalideRuntime.h, field by field.
struct HalideType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct HalideDimension {
  int32_t min, extent, stride;
  uint32_t flags;
};
struct HalideBuffer {
  uint64_t device;
  const void *deviceInterface;
  uint8_t *host;
  uint64_t flags;
  HalideType type;
  int32_t dimensions;
  HalideDimension *dim;
  void *padding;
};

/// The call of one variant.
class HalideLeafCall {
public:
  HalideLeafCall(TaskFunction &code, const HalideFunction &variant)
      : code(code), site(code.site), b(code.b), variant(variant), packed(code) {
  }

  /// Halide's status; null after an error.
  Value *emit();

private:
  using Parameter = HalideFunction::Parameter;
  Value *buffer(const TaskView &view, const Parameter &parameter);
  Value *scalar(const TaskView &view, const Parameter &parameter);
  Value *integer(Value *value, const TaskDatum &datum,
                 const Parameter &parameter);
  void failUnless(Value *fits, const TaskDatum &datum,
                  const Parameter &parameter);
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

/// The stride of a single element is arbitrary.
static TaskView withPlainStrides(TaskView view) {
  for (size_t d = 0; d != view.shape.size(); ++d)
    if (view.shape[d] <= 1)
      view.strides[d] = denseStrides(view.shape)[d];
  return view;
}

bool HalideLeafCall::needsPacking(const TaskView &view, int innermostStride) {
  return innermostStride != 0 && !view.strides.empty() &&
         view.strides.back() != innermostStride;
}

/// Halide counts in 32 bits.
bool HalideLeafCall::checkRange(const TaskView &view) {
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

/// The HalideDimension of each dimension of a buffer.
Value *HalideLeafCall::dimensions(const TaskView &view) {
  size_t rank = view.shape.size();
  if (rank == 0)
    return site.tables.null();
  SmallVector<Constant *> fields;
  for (size_t d = rank; d-- > 0;)
    fields.push_back(site.tables.structure(
        HalideDimension{.min = 0,
                        .extent = int32_t(view.shape[d]),
                        .stride = int32_t(view.strides[d]),
                        .flags = 0}));
  auto *type = ArrayType::get(fields.front()->getType(), rank);
  AllocaInst *slot = code.slot(type);
  b.CreateStore(ConstantArray::get(type, fields), slot);
  return slot;
}

Value *HalideLeafCall::buffer(const TaskView &argument,
                              const Parameter &parameter) {
  TaskView view = withPlainStrides(argument);
  Value *host;
  if (needsPacking(view, parameter.innermostStride)) {
    host = packed.pack(view);
    view.strides = denseStrides(view.shape);
  } else {
    host = this->code.address(view);
  }
  if (!checkRange(view))
    return nullptr;
  Tables &tables = site.tables;
  static_assert(SLUICE_ELEMENT_INT == 0 && SLUICE_ELEMENT_UINT == 1 &&
                    SLUICE_ELEMENT_FLOAT == 2,
                "the codes of halide_type_t");
  unsigned code = parameter.isFloat    ? SLUICE_ELEMENT_FLOAT
                  : parameter.isSigned ? SLUICE_ELEMENT_INT
                                       : SLUICE_ELEMENT_UINT;
  Constant *fields =
      tables.structure(HalideBuffer{.device = 0,
                                    .deviceInterface = nullptr,
                                    .host = nullptr,
                                    .flags = 0,
                                    .type = {.code = uint8_t(code),
                                             .bits = uint8_t(parameter.bits),
                                             .lanes = 1},
                                    .dimensions = int32_t(view.shape.size()),
                                    .dim = nullptr,
                                    .padding = nullptr});
  AllocaInst *slot = this->code.slot(fields->getType());
  b.CreateStore(fields, slot);
  b.CreateStore(host, b.CreateStructGEP(fields->getType(), slot, 2));
  b.CreateStore(dimensions(view),
                b.CreateStructGEP(fields->getType(), slot, 6));
  return slot;
}

/// Continues only if `fits` is true.
void HalideLeafCall::failUnless(Value *fits, const TaskDatum &datum,
                                const Parameter &parameter) {
  LLVMContext &context = b.getContext();
  auto *bad = BasicBlock::Create(context, "unfit", code.function);
  auto *good = BasicBlock::Create(context, "fit", code.function);
  b.CreateCondBr(fits, good, bad);
  b.SetInsertPoint(bad);
  std::string text = "the value of '" + datum.name + "' does not fit the " +
                     std::to_string(parameter.bits) +
                     "-bit integer that the kernel takes for it";
  code.callRuntime("sluiceTaskError", b.getVoidTy(),
                   {site.tables.string(text)});
  b.CreateRet(b.getInt32(1));
  b.SetInsertPoint(good);
}

/// An integer in Halide's type, if that can hold its value.
Value *HalideLeafCall::integer(Value *value, const TaskDatum &datum,
                               const Parameter &parameter) {
  Type *wide = IntegerType::get(b.getContext(), 128);
  unsigned bits = parameter.bits;
  APInt low = parameter.isSigned ? APInt::getSignedMinValue(bits).sext(128)
                                 : APInt(128, 0);
  APInt high = parameter.isSigned ? APInt::getSignedMaxValue(bits).sext(128)
                                  : APInt::getMaxValue(bits).zext(128);
  Value *number =
      datum.isSigned() ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide);
  Value *fits =
      b.CreateAnd(b.CreateICmpSGE(number, ConstantInt::get(wide, low)),
                  b.CreateICmpSLE(number, ConstantInt::get(wide, high)));
  if (auto *known = dyn_cast<ConstantInt>(fits); known && known->isZero()) {
    site.op().emitError("the value of '")
        << datum.name << "' does not fit the " << bits << "-bit integer that '"
        << site.op().getCallee() << "' takes for it";
    return nullptr;
  }
  if (!isa<ConstantInt>(fits))
    failUnless(fits, datum, parameter);
  // In registers, a bool is a byte.
  return b.CreateTrunc(number,
                       IntegerType::get(b.getContext(), std::max(bits, 8u)));
}

Value *HalideLeafCall::scalar(const TaskView &view,
                              const Parameter &parameter) {
  const TaskDatum &datum = site.data[view.datum];
  Value *value = code.value(view);
  return datum.isFloat() ? value : integer(value, datum, parameter);
}

Value *HalideLeafCall::emit() {
  if (!checkPacking(site, [&](unsigned argument) {
        const Parameter &parameter = variant.parameters[argument];
        return parameter.isBuffer &&
               needsPacking(withPlainStrides(site.views()[argument]),
                            parameter.innermostStride);
      }))
    return nullptr;
  SmallVector<Value *> arguments;
  SmallVector<Type *> types;
  for (auto [view, parameter] : zip(site.views(), variant.parameters)) {
    Value *value =
        parameter.isBuffer ? buffer(view, parameter) : scalar(view, parameter);
    if (!value)
      return nullptr;
    arguments.push_back(value);
    types.push_back(value->getType());
  }
  FunctionCallee callee = site.code.getOrInsertFunction(
      variant.symbol, FunctionType::get(b.getInt32Ty(), types, false));
  CallInst *call = b.CreateCall(callee, arguments, "status");
  for (auto [index, parameter] : enumerate(variant.parameters))
    addExtension(*call, index, parameter.isSigned);
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
    Value *status = HalideLeafCall(code, variant).emit();
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
