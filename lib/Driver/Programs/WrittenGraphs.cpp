//===- WrittenGraphs.cpp - Graphs from .mlir files with host code ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenGraphs.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sluice/CodeGen/PlanModel.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace sluice;
using dfg::GraphOp;
using dfg::NodeOp;

static constexpr StringLiteral leafSuffix = ".stand-in";

/// A function with the ports of `graph`, without a body.
static Function *declareNode(GraphOp graph, const Twine &name, Module &module) {
  mlir::LLVM::TypeToLLVMIRTranslator types(module.getContext());
  SmallVector<Type *> inputs, outputs;
  for (mlir::Type type : graph.getInputTypes())
    inputs.push_back(types.translateType(type));
  for (mlir::Type type : graph.getOutputTypes())
    outputs.push_back(types.translateType(type));
  auto *result = StructType::get(module.getContext(), outputs);
  Function *function =
      Function::Create(FunctionType::get(result, inputs, /*isVarArg=*/false),
                       GlobalValue::ExternalLinkage, name, module);
  for (unsigned i = 0; i != inputs.size(); ++i) {
    function->getArg(i)->setName(graph.getInputName(i));
    if (dfg::reads(graph.getInputAccess(i)))
      function->addParamAttr(i, Attribute::get(module.getContext(), "hpvm.in"));
    if (dfg::writes(graph.getInputAccess(i)))
      function->addParamAttr(i,
                             Attribute::get(module.getContext(), "hpvm.out"));
  }
  return function;
}

/// Writes the body of an internal node with one leaf that has the same ports.
static void writeBody(GraphOp graph, Function *root, Function *leaf) {
  Module &module = *root->getParent();
  LLVMContext &context = module.getContext();
  IRBuilder<> inLeaf(BasicBlock::Create(context, "entry", leaf));
  inLeaf.CreateRet(Constant::getNullValue(leaf->getReturnType()));

  IRBuilder<> b(BasicBlock::Create(context, "entry", root));
  Type *ptr = b.getPtrTy(), *i32 = b.getInt32Ty(), *i1 = b.getInt1Ty();
  FunctionCallee create = module.getOrInsertFunction(
      "llvm.hpvm.createNode", FunctionType::get(ptr, {ptr}, false));
  auto *bind = FunctionType::get(b.getVoidTy(), {ptr, i32, i32, i1}, false);
  FunctionCallee bindInput =
      module.getOrInsertFunction("llvm.hpvm.bind.input", bind);
  FunctionCallee bindOutput =
      module.getOrInsertFunction("llvm.hpvm.bind.output", bind);
  Value *node = b.CreateCall(create, {leaf});
  for (unsigned i = 0, e = graph.getInputTypes().size(); i != e; ++i)
    b.CreateCall(bindInput, {node, b.getInt32(i), b.getInt32(i),
                             b.getInt1(codegen::isStreamInput(graph, i))});
  for (unsigned i = 0, e = graph.getOutputTypes().size(); i != e; ++i)
    b.CreateCall(bindOutput, {node, b.getInt32(i), b.getInt32(i),
                              b.getInt1(graph.getOutputOp().getStream()[i])});
  b.CreateRet(Constant::getNullValue(root->getReturnType()));
}

std::vector<std::string> driver::standInForGraphs(Module &host,
                                                  mlir::ModuleOp graphs) {
  std::vector<std::string> names;
  for (GraphOp graph : graphs.getOps<GraphOp>()) {
    Function *declared = host.getFunction(graph.getSymName());
    if (!declared || !declared->isDeclaration())
      continue;
    Function *root = declareNode(graph, "", host);
    declared->replaceAllUsesWith(root);
    root->takeName(declared);
    declared->eraseFromParent();
    Function *leaf = declareNode(graph, graph.getSymName() + leafSuffix, host);
    writeBody(graph, root, leaf);
    names.push_back(graph.getSymName().str());
  }
  return names;
}

mlir::LogicalResult
driver::replaceStandIns(mlir::ModuleOp imported, mlir::ModuleOp graphs,
                        const std::vector<std::string> &standIns) {
  for (const std::string &name : standIns)
    for (const std::string &symbol : {name, name + leafSuffix.str()})
      if (mlir::Operation *op =
              mlir::SymbolTable::lookupSymbolIn(imported, symbol))
        op->erase();
  for (mlir::Operation &op : make_early_inc_range(*graphs.getBody())) {
    auto name = op.getAttrOfType<mlir::StringAttr>(
        mlir::SymbolTable::getSymbolAttrName());
    if (name && mlir::SymbolTable::lookupSymbolIn(imported, name))
      return op.emitError()
             << "'" << name.getValue() << "' stands in two files; rename one";
    op.moveBefore(imported.getBody(), imported.getBody()->end());
  }
  return mlir::success();
}

bool driver::hasHostCode(const Module &module) {
  return any_of(module.functions(), [](const Function &function) {
    StringRef name = function.getName();
    return name.consume_front("llvm.hpvm.") &&
           (name == "launch" || name == "init" || name == "createEdge" ||
            name.starts_with("createNode") || name.starts_with("bind."));
  });
}
