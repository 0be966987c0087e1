//===- PythonLeaf.cpp - Calls of Python functions and forms ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python runs in a separate library that the runtime opens. A task passes it
// names and descriptions of its arguments.
//
//===----------------------------------------------------------------------===//

#include "TaskLeaf.h"
#include "TaskTables.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static SluicePythonArgumentKind kindOf(const TaskDatum &datum,
                                       const TaskView &view) {
  if (datum.kind == SLUICE_DATA_PYOBJ)
    return SLUICE_PYTHON_OBJECT;
  return view.isValue ? SLUICE_PYTHON_SCALAR : SLUICE_PYTHON_ARRAY;
}

/// A SluicePythonArgument without the address.
static Constant *pythonArgument(const TaskSite &site, const TaskView &view) {
  const TaskDatum &datum = site.data[view.datum];
  Tables &tables = site.tables;
  return tables.structure(
      SluicePythonArgument{.kind = uint32_t(kindOf(datum, view)),
                           .elementKind = uint32_t(datum.elementKind),
                           .elementBits = datum.elementBits,
                           .isReadOnly = !dfg::writes(view.access),
                           .memory = nullptr,
                           .view = viewFields(site.data, view, tables)});
}

/// The arguments, on the stack: constant but for the addresses.
static Value *pythonArguments(TaskFunction &code) {
  const TaskSite &site = code.site;
  SmallVector<Constant *> fields;
  for (const TaskView &view : site.views())
    fields.push_back(pythonArgument(site, view));
  if (fields.empty())
    return site.tables.null();
  Type *element = fields.front()->getType();
  auto *type = ArrayType::get(element, fields.size());
  AllocaInst *slot = code.slot(type);
  code.b.CreateStore(ConstantArray::get(type, fields), slot);
  for (auto [number, view] : enumerate(site.views())) {
    Value *entry = code.b.CreateConstInBoundsGEP2_64(type, slot, 0, number);
    code.b.CreateStore(code.memory(view.datum),
                       code.b.CreateStructGEP(element, entry, 4));
  }
  return slot;
}

Function *codegen::emitPythonCall(const TaskSite &site) {
  Type *i32 = Type::getInt32Ty(site.code.getContext());
  dfg::TaskOp task = site.op();
  TaskFunction code(site, task.getCallee() + ".call", i32, {i32});
  Value *arguments = pythonArguments(code);
  Value *count = code.b.getInt32(site.views().size());
  Constant *module = site.tables.string(task.getOf().value_or(""));
  Constant *function = site.tables.string(task.getCallee());
  Value *status;
  if (task.getKind() == dfg::TaskKind::Python)
    status = code.callRuntime("sluicePythonCall", i32,
                              {code.run, module, function, arguments, count});
  else
    status = code.callRuntime(
        "sluicePythonAssemble", i32,
        {code.run, module,
         site.tables.string(task.getGenerator().value_or("generate")), function,
         arguments, count});
  code.b.CreateRet(status);
  return code.function;
}
