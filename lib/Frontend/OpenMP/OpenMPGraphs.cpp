//===- OpenMPGraphs.cpp - The graph of a shared loop ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of an iteration becomes a leaf. What it takes from the team's code
// and what the host reads for it become arguments of a graph of one node.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLowering.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/LeafOrder.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

std::string openmp::nameOf(const Value &value) {
  const Value *named = &value;
  for (unsigned i = 0; i != 8; ++i) {
    if (const auto *load = dyn_cast<LoadInst>(named))
      named = load->getPointerOperand()->stripInBoundsConstantOffsets();
    else if (const auto *place = dyn_cast<GetElementPtrInst>(named))
      named = place->getPointerOperand();
  }
  StringRef name = plainName(named->getName());
  return name.empty() ? "memory" : name.str();
}

/// Where the host reads a value, if it is in an object that it passes.
static Member memberOf(const Instruction &read, const CallInst &fork) {
  const auto *load = dyn_cast<LoadInst>(&read);
  if (!load)
    return {};
  const DataLayout &layout = fork.getModule()->getDataLayout();
  APInt offset(64, 0);
  const Value *object =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
  if (const auto *parameter = dyn_cast<Argument>(object)) {
    // Behind those of the team, there are values of the code around its loops.
    object = &inHost(*parameter, fork);
    if (object == parameter)
      return {};
  } else if (!isa<GlobalVariable>(object)) {
    return {};
  }
  return offset.isNegative()
             ? Member()
             : findMember(*object, offset.getZExtValue(), *fork.getFunction());
}

/// What a parameter points to may be what another one does, or a global
/// variable.
static bool mayBeSame(const Member &left, const Member &right) {
  return left.object != right.object && !left.isOwn && !right.isOwn &&
         !(isa<GlobalVariable>(left.object) &&
           isa<GlobalVariable>(right.object));
}

/// The memory of a vector belongs to this vector alone, so those of different
/// ones do not overlap.
void Lowering::noteVectors(LoopGraph &graph) {
  SmallVector<std::pair<const Instruction *, Member>> vectors;
  for (const Instruction *read : graph.read)
    if (Member member = graph.members.lookup(read); member.vector)
      vectors.push_back({read, member});
  for (const auto &[read, member] : vectors)
    if (!member.object || any_of(vectors, [&](const auto &other) {
          return other.second.object && mayBeSame(member, other.second);
        }))
      return;
  for (const auto &[read, member] : vectors)
    graph.vectors[read] =
        objects.try_emplace({member.object, *member.vector}, objects.size())
            .first->second;
}

/// The intrinsic that declares a reduction.
static std::string reductionName(const Reduction &reduction) {
  if (reduction.type->isFloatingPointTy())
    return reduction.type->isFloatTy() ? "llvm.hpvm.reduce.f32"
                                       : "llvm.hpvm.reduce.f64";
  return std::string("llvm.hpvm.reduce.") + (reduction.isUnsigned ? "u" : "i") +
         std::to_string(reduction.type->getIntegerBitWidth());
}

/// Memory of the host needs no size.
Function *Lowering::makeLeaf(Iterations &iterations, const std::string &name,
                             LoopGraph &graph) {
  Function &iteration = *iterations.iteration;
  LLVMContext &llvm = module.getContext();
  SmallVector<Type *> parameters;
  for (Value *value : graph.taken)
    parameters.push_back(value->getType());
  auto *type =
      FunctionType::get(StructType::get(llvm), parameters, /*isVarArg=*/false);
  Function *leaf =
      Function::Create(type, GlobalValue::InternalLinkage, name, &module);
  leaf->copyAttributesFrom(&iteration);
  leaf->setAttributes(AttributeList::get(
      llvm, iteration.getAttributes().getFnAttrs(), AttributeSet(), {}));
  leaf->setSubprogram(iteration.getSubprogram());
  iteration.setSubprogram(nullptr);
  leaf->splice(leaf->begin(), &iteration);
  for (Instruction *read : graph.read)
    read->removeFromParent();
  leaf->addFnAttr(hpvm::unsizedAttribute);
  leaf->addFnAttr(followsPointersAttribute);
  leaf->addFnAttr(hasThreadsAttribute);
  DenseMap<const Value *, Argument *> arguments;
  for (auto [value, slot] : zip(graph.taken, leaf->args())) {
    Argument *argument = &slot;
    std::string name = graph.members.lookup(value).name;
    argument->setName(name.empty() ? nameOf(*value) : name);
    arguments[value] = argument;
    if (auto *parameter = dyn_cast<Argument>(value);
        parameter && parameter->hasNoAliasAttr())
      argument->addAttr(Attribute::NoAlias);
    value->replaceUsesWithIf(argument, [&](Use &use) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      // What the host reads is in no function.
      return user && user->getParent() && user->getFunction() == leaf;
    });
  }
  for (Instruction &instruction : make_early_inc_range(instructions(*leaf)))
    if (auto *end = dyn_cast<ReturnInst>(&instruction)) {
      IRBuilder<> builder(end);
      builder.CreateRet(ConstantAggregateZero::get(leaf->getReturnType()));
      end->eraseFromParent();
    }
  BasicBlock &entry = leaf->getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  for (const Reduction &reduction : iterations.reductions) {
    // None where the iterations change nothing.
    Argument *memory = arguments.lookup(reduction.variable);
    if (!memory)
      continue;
    Value *bytes = builder.getInt64(
        module.getDataLayout().getTypeStoreSize(reduction.type));
    if (reduction.bytes)
      bytes = isa<Argument>(reduction.bytes)
                  ? cast<Value>(arguments.lookup(reduction.bytes))
                  : reduction.bytes;
    callByName(builder, reductionName(reduction), builder.getVoidTy(),
               {memory, bytes, builder.getInt32(reduction.op)});
  }
  return leaf;
}

/// Whether the code writes memory that a pointer leads to.
static bool isWrittenBy(const Argument &pointer) {
  return !pointer.onlyReadsMemory() && hetero::findWrite(pointer);
}

/// The largest number that a function may return, and no less than 0.
static int64_t mostResult(Function &function, PassAnalyses &analyses) {
  auto &evolution =
      analyses.functions.getResult<ScalarEvolutionAnalysis>(function);
  int64_t most = 0;
  for (const BasicBlock &block : function)
    if (const auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      most = std::max(
          most,
          evolution.getSignedRangeMax(evolution.getSCEV(end->getReturnValue()))
              .getSExtValue());
  analyses.functions.clear(function, function.getName());
  return most;
}

void Lowering::makeGraph(CallInst &fork, Iterations &iterations,
                         LoopGraph &graph) {
  Function &iteration = *iterations.iteration;
  variables.noteDistinct(iteration, fork);
  variables.stateLeast(iteration, fork);
  for (unsigned number : iterations.passedTwice)
    iteration.removeParamAttr(number, Attribute::NoAlias);
  noteObjects(iteration, fork);
  inlineCalled(iteration, /*mayThrow=*/true);
  simplifyIteration(iteration, analyses, iterations.reductions);
  SmallVector<WeakVH> read = moveLoadsToHost(iteration, analyses);
  simplifyIteration(iteration, analyses, iterations.reductions);
  for (const WeakVH &value : read)
    if (value)
      graph.read.push_back(cast<Instruction>(value));
  for (const Instruction *read : graph.read)
    graph.members[read] = memberOf(*read, fork);
  noteVectors(graph);
  graph.iteration = &iteration;
  graph.count = iterations.count;
  graph.innerCount = iterations.innerCount;
  graph.most = iterations.most;
  graph.reductions = iterations.reductions;
  for (Argument &parameter : drop_begin(iteration.args(), 2)) {
    bool isTaken = any_of(parameter.uses(), [&](const Use &use) {
      return !is_contained(graph.read, use.getUser());
    });
    bool isSize = any_of(graph.reductions, [&](const Reduction &reduction) {
      return reduction.bytes == &parameter;
    });
    if (isTaken || isSize)
      graph.taken.push_back(&parameter);
  }
  for (Instruction *read : graph.read)
    if (any_of(read->users(), [&](const User *user) {
          return !is_contained(graph.read, user);
        }))
      graph.taken.push_back(read);
  // A number behind a pointer would be taken for its size.
  SmallVector<Value *> pointers;
  copy_if(graph.taken, std::back_inserter(pointers),
          [](const Value *value) { return value->getType()->isPointerTy(); });
  erase_if(graph.taken,
           [](const Value *value) { return value->getType()->isPointerTy(); });
  append_range(graph.taken, pointers);
  Function &host = *fork.getFunction();
  std::string hostName = hpvm::displayName(host);
  ++numGraphs;
  std::string symbol = (host.getName() + ".openmp" + Twine(numGraphs)).str();
  hetero::HeteroGraph described;
  described.name = hostName;
  described.symbol = symbol;
  described.place = placeOf(fork);
  if (iterations.place)
    if (SourcePlace place = placeOf(*iterations.place); place.isKnown())
      described.place = place;
  described.subprogram = host.getSubprogram();
  hetero::HeteroNode &node = described.nodes.emplace_back();
  node.name = "loop";
  node.place = described.place;
  node.function = makeLeaf(iterations, symbol + ".loop", graph);
  graph.leaf = node.function;
  if (graph.count && !graph.innerCount)
    if (int64_t most = mostResult(*graph.count, analyses); most < INT32_MAX)
      graph.leaf->addFnAttr(mostInstancesAttribute, std::to_string(most));
  hetero::describeFunction(*node.function, node.name, node.place,
                           node.function->getSubprogram());
  hetero::Expressions &expressions = context.expressions;
  Type *i64 = Type::getInt64Ty(module.getContext());
  described.ports.push_back({.type = i64, .name = "iterations"});
  graph.summary.arguments.emplace_back();
  auto addExtent = [&](std::optional<int64_t> count) {
    node.extents.push_back(
        {.start = expressions.constant(ConstantInt::get(i64, 0)),
         .bound =
             count && *count > 0
                 ? expressions.constant(ConstantInt::get(i64, *count))
                 : expressions.input(unsigned(described.ports.size()) - 1, i64),
         .step = expressions.constant(ConstantInt::get(i64, 1))});
  };
  addExtent(iterations.known);
  if (graph.innerCount) {
    described.ports.push_back({.type = i64, .name = "iterations.inner"});
    graph.summary.arguments.emplace_back();
    addExtent(knownResult(*graph.innerCount));
    std::swap(node.extents.front(), node.extents.back());
  }
  if (node.function->hasFnAttribute(orderAttribute)) {
    node.orderedDims = (1u << node.extents.size()) - 1;
    graph.summary.hasSinks = iterations.hasSinks;
    graph.summary.hasOrderedRegions = !iterations.hasSinks;
  }
  for (auto [value, argument] : zip(graph.taken, node.function->args())) {
    hetero::Port port{.type = argument.getType(),
                      .name = argument.getName().str()};
    OpenMPArgument &said = graph.summary.arguments.emplace_back();
    said.name = port.name;
    if (auto vector = graph.vectors.find(value); vector != graph.vectors.end())
      said.object = vector->second;
    const Member member = graph.members.lookup(value);
    said.hasOwnRows = member.hasOwnRows;
    said.isPointer = argument.getType()->isPointerTy();
    if (said.object && member.object) {
      said.vectorOf =
          objects.try_emplace({member.object, ownMemory}, objects.size())
              .first->second;
      said.isOwnVector = member.isOwn;
    }
    if (argument.getType()->isPointerTy()) {
      said.isAlone = port.isRestrict = argument.hasNoAliasAttr();
      if (auto *parameter = dyn_cast<Argument>(value))
        said.isScalar = parameter->getDereferenceableBytes() != 0 &&
                        parameter->getDereferenceableBytes() <= 8;
      port.access = {.reads = true, .writes = isWrittenBy(argument)};
      argument.addAttr(Attribute::get(module.getContext(), "hpvm.in"));
      if (port.access.writes)
        argument.addAttr(Attribute::get(module.getContext(), "hpvm.out"));
    }
    unsigned index = described.ports.size();
    described.ports.push_back(port);
    port.source = expressions.input(index, argument.getType());
    node.ports.push_back(std::move(port));
  }
  graph.root = hetero::emitGraph(described, {}, 0, context);
  graph.root->addFnAttr(hpvm::unsizedAttribute);
  leaveVectors(*node.function);
  graph.summary.symbol = symbol;
  graph.summary.place = described.place;
}
