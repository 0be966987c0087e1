//===- TaskLeaf.cpp - The code of one task --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskLeaf.h"
#include "TaskTables.h"
#include "sluice/CodeGen/CodeGen.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

TaskFunction::TaskFunction(const TaskSite &site, const Twine &name,
                           Type *result, ArrayRef<Type *> before)
    : site(site), b(site.code.getContext()) {
  SmallVector<Type *> types(before);
  std::vector<SluiceTaskUse> uses = site.data.usesOf(site.index);
  types.append(uses.size() + 1, b.getPtrTy());
  function = Function::Create(FunctionType::get(result, types, false),
                              GlobalValue::InternalLinkage, name, site.code);
  // Errors leave through it.
  function->addFnAttr(
      Attribute::getWithUWTableKind(b.getContext(), UWTableKind::Async));
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  for (auto [number, use] : enumerate(uses)) {
    Argument *argument = function->getArg(before.size() + number);
    argument->setName(site.data[use.data].name);
    memories[use.data] = argument;
  }
  run = function->getArg(types.size() - 1);
  run->setName("run");
}

bool TaskSite::takesFirst(const TaskView &view) const {
  dfg::TaskOp task = op();
  return isShared && task.getKind() == dfg::TaskKind::C &&
         !task.getContiguous() && count_if(views(), [&](const TaskView &other) {
                                    return other.datum == view.datum;
                                  }) == 1;
}

std::string TaskSite::codeKey() const {
  dfg::TaskOp task = op();
  if (!is_contained(
          {dfg::TaskKind::C, dfg::TaskKind::Python, dfg::TaskKind::Fem},
          task.getKind()))
    return "";
  TaskSite shared = *this;
  shared.isShared = true;
  std::string key;
  raw_string_ostream os(key);
  os << int(task.getKind()) << ' ' << task.getCalleeAttr() << ' '
     << task.getOfAttr() << ' ' << task.getGeneratorAttr() << ' '
     << task.getContiguous() << task.getReturnsStatus()
     << task.getTakesLargeSizes() << task.getTakesAnySign();
  std::vector<SluiceTaskUse> uses = data.usesOf(index);
  for (const TaskView &view : views()) {
    const TaskDatum &datum = data[view.datum];
    auto use = find_if(
        uses, [&](const SluiceTaskUse &use) { return use.data == view.datum; });
    os << '\n'
       << use - uses.begin() << ' ' << int(datum.kind) << ' '
       << int(datum.elementKind) << ' ' << datum.elementBits << ' '
       << int(view.access) << ' ' << view.isValue << ' '
       << (shared.takesFirst(view) ? 0 : view.offset);
    for (auto [extent, stride] : zip_equal(view.shape, view.strides))
      os << ' ' << extent << '*' << stride;
    if (view.isValue && datum.constant)
      os << " =" << *datum.constant;
  }
  return key;
}

Value *TaskFunction::address(const TaskView &view) {
  uint64_t bytes = site.takesFirst(view)
                       ? 0
                       : view.offset * site.data[view.datum].elementSize();
  Value *start = memory(view.datum);
  // A declaration about a whole array applies to the parameter itself.
  return bytes ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), start, bytes)
               : start;
}

Value *TaskFunction::value(const TaskView &view) {
  const TaskDatum &datum = site.data[view.datum];
  Type *type = datum.elementType(b.getContext());
  if (!datum.constant || datum.isGiven)
    return b.CreateLoad(type, memory(view.datum));
  if (!datum.isFloat())
    return ConstantInt::get(type, *datum.constant);
  APInt bits(datum.elementBits, *datum.constant);
  return ConstantFP::get(type, APFloat(datum.elementBits == 32
                                           ? APFloat::IEEEsingle()
                                           : APFloat::IEEEdouble(),
                                       bits));
}

AllocaInst *TaskFunction::slot(Type *type) {
  IRBuilder<> entry(&function->getEntryBlock(),
                    function->getEntryBlock().begin());
  return entry.CreateAlloca(type);
}

CallInst *TaskFunction::callRuntime(StringRef name, Type *result,
                                    ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = site.code.getOrInsertFunction(
      name, FunctionType::get(result, types, false));
  return b.CreateCall(callee, arguments);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Value *PackedArguments::pack(const TaskView &view) {
  IRBuilder<> &b = code.b;
  Tables &tables = code.site.tables;
  Constant *table =
      tables.place(tables.structure(viewFields(code.site.data, view, tables)));
  Value *memory = code.memory(view.datum);
  Value *packed =
      code.callRuntime("sluiceTaskPack", b.getPtrTy(),
                       {memory, table, b.getInt32(dfg::reads(view.access))});
  copies.push_back({packed, memory, table, dfg::writes(view.access)});
  return packed;
}

void PackedArguments::unpack() {
  IRBuilder<> &b = code.b;
  for (const Copy &copy : copies)
    code.callRuntime(
        "sluiceTaskUnpack", b.getVoidTy(),
        {copy.packed, copy.memory, copy.view, b.getInt32(copy.isWritten)});
}

bool codegen::checkPacking(const TaskSite &site,
                           function_ref<bool(unsigned)> isPacked) {
  auto arguments = to_vector(site.op().getTaskArgs());
  for (unsigned i = 0; i != arguments.size(); ++i)
    for (unsigned j = i + 1; j != arguments.size(); ++j) {
      const TaskView &a = site.views()[i], &b = site.views()[j];
      bool conflicts = a.datum == b.datum &&
                       (dfg::writes(a.access) || dfg::writes(b.access)) &&
                       (isPacked(i) || isPacked(j));
      const TaskDatum &datum = site.data[a.datum];
      if (!conflicts ||
          !sharesElements(arguments[i], arguments[j], datum.shape))
        continue;
      site.op().emitError("arguments ")
          << i + 1 << " and " << j + 1 << " share elements of '" << datum.name
          << "', and '" << site.op().getCallee()
          << "' takes a copy of one of them, because it wants no gaps in "
             "memory; pass them to two tasks";
      return false;
    }
  return true;
}

Value *codegen::convertScalar(IRBuilderBase &b, Value *value,
                              const TaskDatum &datum, Type *type) {
  Type *from = value->getType();
  if (from == type)
    return value;
  if (from->isFloatTy() && type->isDoubleTy())
    return b.CreateFPExt(value, type);
  if (!from->isIntegerTy() || !type->isIntegerTy())
    return nullptr;
  unsigned width = type->getIntegerBitWidth();
  if (width == 1)
    return b.CreateIsNotNull(value);
  if (width > from->getIntegerBitWidth())
    return datum.isSigned() ? b.CreateSExt(value, type)
                            : b.CreateZExt(value, type);
  if (!datum.constant)
    return nullptr;
  const APInt known(datum.elementBits, *datum.constant);
  // The sign of a type is checked where the prototype is known.
  bool fits =
      known.isIntN(width) || (datum.isSigned() && known.isSignedIntN(width));
  return fits ? b.CreateTrunc(value, type) : nullptr;
}

void codegen::addExtension(CallInst &call, unsigned argument, bool isSigned) {
  Type *type = call.getArgOperand(argument)->getType();
  if (type->isIntegerTy() && type->getIntegerBitWidth() < 32)
    call.addParamAttr(argument, isSigned ? Attribute::SExt : Attribute::ZExt);
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// Runs `call` between the begin and the end of the task, and repeats it while
/// the runtime asks for another variant.
Function *codegen::emitRunner(const TaskSite &site, const Twine &name,
                              Function *call) {
  LLVMContext &context = site.code.getContext();
  TaskFunction code(site, name, Type::getVoidTy(context),
                    {Type::getInt32Ty(context)});
  IRBuilder<> &b = code.b;
  Value *task = code.function->getArg(0);
  Value *first =
      code.callRuntime("sluiceTaskBegin", b.getInt32Ty(), {code.run, task});
  BasicBlock *entry = b.GetInsertBlock();
  auto *loop = BasicBlock::Create(context, "loop", code.function);
  auto *body = BasicBlock::Create(context, "body", code.function);
  auto *done = BasicBlock::Create(context, "done", code.function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *variant = b.CreatePHI(b.getInt32Ty(), 2, "variant");
  variant->addIncoming(first, entry);
  b.CreateCondBr(b.CreateICmpSGE(variant, b.getInt32(0)), body, done);
  b.SetInsertPoint(body);
  SmallVector<Value *> arguments{variant};
  for (Argument &argument : drop_begin(code.function->args()))
    arguments.push_back(&argument);
  Value *status = b.CreateCall(call, arguments, "status");
  Value *next = code.callRuntime("sluiceTaskEnd", b.getInt32Ty(),
                                 {code.run, task, status});
  variant->addIncoming(next, b.GetInsertBlock());
  b.CreateBr(loop);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  describeCaller(*code.function);
  return code.function;
}

Function *codegen::emitTaskLeaf(const TaskSite &site, StringRef name,
                                Function *runner) {
  TaskFunction leaf(site, name, Type::getVoidTy(site.code.getContext()));
  SmallVector<Value *> arguments{leaf.b.getInt32(site.index)};
  for (const SluiceTaskUse &use : site.data.usesOf(site.index)) {
    Value *memory = leaf.memory(use.data);
    for (const TaskView &view : site.views())
      if (view.datum == use.data && site.takesFirst(view) && view.offset)
        memory = leaf.b.CreateConstInBoundsGEP1_64(
            leaf.b.getInt8Ty(), memory,
            view.offset * site.data[view.datum].elementSize());
    arguments.push_back(memory);
  }
  arguments.push_back(leaf.run);
  leaf.b.CreateCall(runner, arguments);
  leaf.b.CreateRetVoid();
  describeCaller(*leaf.function);
  leaf.function->addFnAttr(sharesMemoryAttribute);
  return leaf.function;
}

Function *codegen::emitMarkLeaf(const TaskSite &site, StringRef name,
                                StringRef callee) {
  TaskFunction leaf(site, name, Type::getVoidTy(site.code.getContext()));
  leaf.callRuntime(callee, leaf.b.getVoidTy(),
                   {leaf.run, leaf.b.getInt32(site.index)});
  leaf.b.CreateRetVoid();
  leaf.function->addFnAttr(sharesMemoryAttribute);
  return leaf.function;
}
