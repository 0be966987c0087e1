//===- LeafFolds.cpp - Folds declared by ports and leaves -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between declarations of folds in calls and in ports.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafFolds.h"
#include "sluice/Analysis/ReductionUses.h"
#include "sluice/DFG/Folds.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/IRBuilder.h"

using namespace mlir;
using namespace sluice;
using dfg::Fold;
using dfg::KernelOp;
using Operator = LeafReduction::Op;

//===----------------------------------------------------------------------===//
// From calls to ports
//===----------------------------------------------------------------------===//

static Type elementType(const LeafReduction &reduction, MLIRContext &context) {
  unsigned bits = 8 * reduction.elementBytes;
  if (reduction.type->isFloatingPointTy())
    return bits == 32 ? Type(Float32Type::get(&context))
                      : Type(Float64Type::get(&context));
  return IntegerType::get(&context, bits,
                          reduction.isSigned ? IntegerType::Signless
                                             : IntegerType::Unsigned);
}

/// The error in a call, or null.
static const char *findProblem(const LeafReduction &reduction) {
  bool isUser = reduction.op == Operator::User;
  if (!reduction.memory || !reduction.op || reduction.elementBytes == 0 ||
      !followsFromArguments(*reduction.bytes) ||
      (isUser && (!reduction.identity || !reduction.combine)))
    return "must call 'llvm.hpvm.reduce' or 'llvm.hpvm.scan' with a parameter, "
           "a size that follows from parameters, and a constant operator";
  return nullptr;
}

static Fold foldOf(const LeafReduction &reduction, MLIRContext &context) {
  Fold fold;
  fold.input = reduction.memory->getArgNo();
  fold.kind = spellKind(reduction.kind).str();
  if (reduction.op == Operator::User) {
    fold.op = "with";
    fold.identity = reduction.identity->getName();
    fold.combine = reduction.combine->getName();
    fold.elementBytes = reduction.elementBytes;
  } else {
    fold.op = spellReduction(*reduction.op).str();
    fold.element = elementType(reduction, context);
  }
  if (auto *port = llvm::dyn_cast<llvm::Argument>(reduction.bytes);
      port && port->getType()->isIntegerTy(64))
    fold.sizePort = port->getArgNo();
  else if (auto *size = llvm::dyn_cast<llvm::ConstantInt>(reduction.bytes))
    fold.size = size->getSExtValue();
  return fold;
}

void sluice::declareFolds(KernelOp kernel, const llvm::Function &leaf) {
  SmallVector<Fold> folds;
  for (const LeafReduction &reduction : reductionsOf(leaf))
    folds.push_back(foldOf(reduction, *kernel.getContext()));
  llvm::sort(folds,
             [](const Fold &a, const Fold &b) { return a.input < b.input; });
  dfg::setFolds(kernel, folds);
}

//===----------------------------------------------------------------------===//
// From ports to calls
//===----------------------------------------------------------------------===//

namespace {
/// One kernel and its leaf.
class FoldMatch {
public:
  FoldMatch(KernelOp kernel, llvm::Function &leaf)
      : kernel(kernel), leaf(leaf), builder(leaf.getContext()) {}

  LogicalResult run();

private:
  LogicalResult compare(const Fold &port, const Fold &call);
  LogicalResult addCall(const Fold &fold);
  llvm::Function *functionOf(const std::string &name);
  InFlightDiagnostic fail() {
    return emitError(kernel.getLoc())
           << "kernel '" << kernel.getSymName() << "' ";
  }

  KernelOp kernel;
  llvm::Function &leaf;
  llvm::IRBuilder<> builder;
};
} // namespace

/// A port may leave the size to the leaf.
LogicalResult FoldMatch::compare(const Fold &port, const Fold &call) {
  Fold expected = port;
  if (!port.sizePort && !port.size) {
    expected.sizePort = call.sizePort;
    expected.size = call.size;
  }
  std::string first = dfg::spellFold(expected, kernel);
  std::string second = dfg::spellFold(call, kernel);
  if (first == second)
    return success();
  return fail() << "marks input '" << kernel.getInputName(port.input)
                << "' as '" << first << "', but the leaf says '" << second
                << "'; let both say the same, or only one of them";
}

llvm::Function *FoldMatch::functionOf(const std::string &name) {
  llvm::Function *function = leaf.getParent()->getFunction(name);
  return function && !function->isDeclaration() ? function : nullptr;
}

/// "f64", "u32".
static std::string suffixOf(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return (integer.isUnsigned() ? "u" : "i") +
           std::to_string(integer.getWidth());
  return element.isF32() ? "f32" : "f64";
}

LogicalResult FoldMatch::addCall(const Fold &fold) {
  std::string input = kernel.getInputName(fold.input);
  if (!fold.sizePort && !fold.size)
    return fail() << "says nothing of the size of input '" << input
                  << "', and neither does the leaf; write '"
                  << dfg::spellFold(fold, kernel)
                         .substr(0, dfg::spellFold(fold, kernel).size() - 1)
                  << ", %bytes)'";
  // "exclusive_scan" is "scan.exclusive." here.
  std::string name = "llvm.hpvm." + spellIntrinsic(fold.kind).str() +
                     (fold.element ? suffixOf(fold.element) : "with");
  llvm::Value *memory = leaf.getArg(fold.input);
  llvm::Value *bytes =
      fold.sizePort ? static_cast<llvm::Value *>(leaf.getArg(*fold.sizePort))
                    : builder.getInt64(*fold.size);
  SmallVector<llvm::Value *> arguments{memory, bytes};
  if (fold.element) {
    unsigned number = 0;
    while (spellReduction(static_cast<Operator>(number)) != fold.op)
      ++number;
    arguments.push_back(builder.getInt32(number));
  } else {
    llvm::Function *identity = functionOf(fold.identity);
    llvm::Function *combine = functionOf(fold.combine);
    if (!identity || !combine)
      return fail() << "names the functions '" << fold.identity << "' and '"
                    << fold.combine
                    << "', of which the leaf code does not define both";
    arguments.append({builder.getInt64(fold.elementBytes), identity, combine});
  }
  SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  llvm::BasicBlock &entry = leaf.getEntryBlock();
  builder.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::FunctionCallee callee = leaf.getParent()->getOrInsertFunction(
      name, llvm::FunctionType::get(builder.getVoidTy(), types, false));
  auto *declaration = llvm::cast<llvm::Function>(callee.getCallee());
  declaration->setOnlyAccessesInaccessibleMemory();
  declaration->setDoesNotThrow();
  std::optional<LeafReduction> added =
      reductionOf(*builder.CreateCall(callee, arguments));
  std::vector<ReductionMisuse> misuses = findReductionMisuses(*added);
  for (const ReductionMisuse &misuse : misuses)
    fail() << "marks input '" << input << "' as a " << spellNoun(added->kind)
           << ", but the leaf " << misuse.what;
  return success(misuses.empty());
}

LogicalResult FoldMatch::run() {
  SmallVector<Fold> ports = dfg::foldsOf(kernel);
  SmallVector<Fold> calls;
  for (const LeafReduction &reduction : reductionsOf(leaf)) {
    if (const char *problem = findProblem(reduction))
      return fail() << problem;
    calls.push_back(foldOf(reduction, *kernel.getContext()));
    unsigned input = calls.back().input;
    for (const Fold &before : ArrayRef(calls).drop_back())
      if (before.input == input)
        return fail() << "declares one parameter as a reduction or scan twice";
    if (kernel.getInputAccess(input) != dfg::Access::InOut)
      return fail() << "declares a parameter as a reduction or scan that is "
                       "not inout";
  }
  for (const Fold &port : ports) {
    const Fold *call = llvm::find_if(
        calls, [&](const Fold &one) { return one.input == port.input; });
    if (failed(call != calls.end() ? compare(port, *call) : addCall(port)))
      return failure();
  }
  declareFolds(kernel, leaf);
  return success();
}

LogicalResult sluice::matchFolds(ModuleOp graphs, llvm::Module &code) {
  bool isGood = true;
  for (KernelOp kernel : graphs.getOps<KernelOp>()) {
    // Missing leaves are reported later.
    llvm::Function *leaf = code.getFunction(kernel.getCodeName());
    if (leaf && !leaf->isDeclaration() &&
        leaf->arg_size() == kernel.getInputTypes().size())
      isGood &= succeeded(FoldMatch(kernel, *leaf).run());
  }
  return success(isGood);
}
