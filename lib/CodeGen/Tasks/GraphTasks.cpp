//===- GraphTasks.cpp - Tasks that are graphs or grids --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a task ends when its last node ends. So a node before its nodes begins
// it, and a node after them ends it. The first node also computes the inputs of
// the graph that are not arguments of the task graph: scalars, with their value
// at the start of the task, and the addresses of parts.
//
//===----------------------------------------------------------------------===//

#include "GraphTasks.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sluice/CodeGen/CodeGen.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

bool codegen::addGridTask(const TaskSite &site, TaskGraphBuilder &builder,
                          StringRef name) {
  dfg::TaskOp task = site.op();
  if (site.resolved.c.isStatus) {
    task.emitError("runs over a grid, where no instance's status counts for "
                   "the task; remove 'returns_status'");
    return false;
  }
  std::string enter = builder.kernelName(site, ".enter");
  std::string kernel = builder.kernelName(site, "");
  std::string leave = builder.kernelName(site, ".leave");
  if (!emitInstanceLeaf(site, kernel))
    return false;
  emitMarkLeaf(site, enter, "sluiceTaskEnter");
  emitMarkLeaf(site, leave, "sluiceTaskLeave");
  builder.addTaskNode(site, enter, (name + ".enter").str());
  builder.addTaskNode(site, kernel, name, *task.getExtents());
  builder.addTaskNode(site, leave, (name + ".leave").str());
  return true;
}

//===----------------------------------------------------------------------===//
// HPVM
//===----------------------------------------------------------------------===//

namespace {
/// One input of the root: which property of which argument.
struct RootPort {
  enum class Kind { Address, Size, Value } kind;
  unsigned argument;
};

class GraphTask {
public:
  GraphTask(const TaskSite &site, TaskGraphBuilder &builder)
      : site(site), builder(builder), root(site.resolved.root) {}

  bool add(StringRef name);

private:
  bool findPorts();
  bool isGraphArgument(const RootPort &port);
  Value *portValue(TaskFunction &leaf, unsigned index);
  bool emitEnter(const std::string &name);
  bool fail(const Twine &message) {
    site.op().emitError(message);
    return false;
  }

  const TaskSite &site;
  TaskGraphBuilder &builder;
  dfg::GraphOp root;
  std::vector<RootPort> ports;
  /// Ports that the first node computes.
  SmallVector<unsigned> computed;
  SmallVector<TaskOutputPort> outputs;
};
} // namespace

/// Arguments are in the root's order; the size of an array follows the array,
/// as in HPVM.
bool GraphTask::findPorts() {
  ArrayRef<mlir::Type> types = root.getInputTypes();
  for (auto [number, view] : enumerate(site.views())) {
    if (view.isValue) {
      ports.push_back({RootPort::Kind::Value, unsigned(number)});
      continue;
    }
    ports.push_back({RootPort::Kind::Address, unsigned(number)});
    bool isPointer = ports.size() <= types.size() &&
                     isa<mlir::LLVM::LLVMPointerType>(types[ports.size() - 1]);
    if (isPointer && ports.size() < types.size() &&
        types[ports.size()].isInteger(64))
      ports.push_back({RootPort::Kind::Size, unsigned(number)});
  }
  if (ports.size() != types.size())
    return fail(Twine("the arguments make ") + Twine(ports.size()) +
                " inputs (an array is its address and its size in bytes), but "
                "the graph '" +
                site.op().getCallee() + "' takes " + Twine(types.size()));
  return true;
}

bool GraphTask::isGraphArgument(const RootPort &port) {
  const TaskView &view = site.views()[port.argument];
  const TaskDatum &datum = site.data[view.datum];
  return port.kind != RootPort::Kind::Value && datum.kind == SLUICE_DATA_DAT &&
         view.shape == datum.shape;
}

/// Bytes from the first to the last element.
static int64_t spanOf(const TaskView &view, unsigned elementSize) {
  int64_t last = 0;
  for (auto [extent, stride] : zip(view.shape, view.strides)) {
    if (extent == 0)
      return 0;
    last += (extent - 1) * stride;
  }
  return (last + 1) * elementSize;
}

Value *GraphTask::portValue(TaskFunction &leaf, unsigned index) {
  const RootPort &port = ports[index];
  const TaskView &view = site.views()[port.argument];
  const TaskDatum &datum = site.data[view.datum];
  if (port.kind == RootPort::Kind::Address)
    return leaf.address(view);
  if (port.kind == RootPort::Kind::Size)
    return leaf.b.getInt64(spanOf(view, datum.elementSize()));
  mlir::LLVM::TypeToLLVMIRTranslator types(leaf.b.getContext());
  Type *type = types.translateType(root.getInputTypes()[index]);
  Value *value = convertScalar(leaf.b, leaf.value(view), datum, type);
  if (!value)
    fail(Twine("input '") + root.getInputName(index) + "' of the graph '" +
         site.op().getCallee() + "' cannot hold the values of '" + datum.name +
         "'");
  return value;
}

/// Emits the leaf that enters the task; returns the computed ports.
bool GraphTask::emitEnter(const std::string &name) {
  LLVMContext &context = site.code.getContext();
  mlir::LLVM::TypeToLLVMIRTranslator types(context);
  SmallVector<Type *> fields;
  for (unsigned index : computed)
    fields.push_back(types.translateType(root.getInputTypes()[index]));
  Type *result = fields.empty()
                     ? Type::getVoidTy(context)
                     : static_cast<Type *>(StructType::get(context, fields));
  TaskFunction leaf(site, name, result);
  leaf.callRuntime("sluiceTaskEnter", leaf.b.getVoidTy(),
                   {leaf.run, leaf.b.getInt32(site.index)});
  Value *all = fields.empty() ? nullptr : PoisonValue::get(result);
  for (auto [number, index] : enumerate(computed)) {
    Value *value = portValue(leaf, index);
    if (!value)
      return false;
    all = leaf.b.CreateInsertValue(all, value, number);
  }
  all ? leaf.b.CreateRet(all) : leaf.b.CreateRetVoid();
  leaf.function->addFnAttr(sharesMemoryAttribute);
  return true;
}

bool GraphTask::add(StringRef name) {
  if (!findPorts())
    return false;
  for (auto [index, port] : enumerate(ports)) {
    if (isGraphArgument(port))
      continue;
    computed.push_back(index);
    outputs.push_back({root.getInputName(index), root.getInputTypes()[index]});
  }
  std::string enter = builder.kernelName(site, ".enter");
  std::string leave = builder.kernelName(site, ".leave");
  if (!emitEnter(enter))
    return false;
  emitMarkLeaf(site, leave, "sluiceTaskLeave");
  dfg::NodeOp first =
      builder.addTaskNode(site, enter, (name + ".enter").str(), {}, outputs);
  SmallVector<mlir::Value> inputs;
  for (const RootPort &port : ports) {
    unsigned datum = site.views()[port.argument].datum;
    inputs.push_back(port.kind == RootPort::Kind::Size
                         ? builder.size(datum)
                         : builder.address(datum));
  }
  for (auto [number, index] : enumerate(computed))
    inputs[index] = first.getResult(number);
  builder.addGraphNode(site, root, name, inputs);
  builder.addTaskNode(site, leave, (name + ".leave").str());
  return true;
}

bool codegen::addGraphTask(const TaskSite &site, TaskGraphBuilder &builder,
                           StringRef name) {
  return GraphTask(site, builder).add(name);
}
