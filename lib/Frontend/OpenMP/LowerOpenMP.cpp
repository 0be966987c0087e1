//===- LowerOpenMP.cpp - Loops of OpenMP to canonical HPVM IR -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each loop that a team shares becomes a graph of one node, with an instance
// for each iteration. Beside the call that starts the team, which stays, the
// host gets code that launches the graphs in its place.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLowering.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/LeafOrder.h"
#include "sluice/Analysis/Races.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

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
    if (parameter->getArgNo() < 2 ||
        parameter->getArgNo() + 1 >= fork.arg_size())
      return {};
    object = fork.getArgOperand(parameter->getArgNo() + 1);
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
    builder.CreateCall(
        module.getOrInsertFunction(reductionName(reduction),
                                   builder.getVoidTy(), builder.getPtrTy(),
                                   builder.getInt64Ty(), builder.getInt32Ty()),
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

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

void Lowering::leave(const Instruction &place, const std::string &what,
                     const Reason &reason) {
  summary.left.push_back({placeOf(place), what + reason});
}

/// Whether a loop is declared to be a vector: its accesses are independent, or
/// those of so many iterations as 'safelen' says. Clang calls the accesses of
/// shared loops independent, too, and a width alone is only a wish.
static bool isVector(const MDNode &loop) {
  return any_of(drop_begin(loop.operands()), [](const MDOperand &of) {
    auto *node = dyn_cast<MDNode>(of);
    auto *name = node && node->getNumOperands()
                     ? dyn_cast<MDString>(node->getOperand(0))
                     : nullptr;
    auto *isOn = name && name->getString() == "llvm.loop.vectorize.enable" &&
                         node->getNumOperands() > 1
                     ? mdconst::dyn_extract<ConstantInt>(node->getOperand(1))
                     : nullptr;
    return isOn && !isOn->isZero();
  });
}

/// Loops that the program has declared to be vectors, of which nobody knows
/// whether they may be.
void Lowering::leaveVectors(const Function &function) {
  for (const BasicBlock &block : function) {
    const Instruction *end = block.getTerminator();
    const MDNode *loop = end ? end->getMetadata(LLVMContext::MD_loop) : nullptr;
    if (loop && isVector(*loop))
      leave(*end, "the iterations of this 'simd' loop may depend on each other",
            "");
  }
}

/// Whether something follows the barrier that clang puts behind a loop with
/// last values, before the team's next one.
static bool isFollowed(const CallInst &start) {
  const Function &work = *start.getFunction();
  if (!work.getName().contains("omp_outlined"))
    return true;
  // Behind the loop, and behind its barrier.
  enum Place : unsigned { Before, Inside, Behind };
  SetVector<std::pair<const BasicBlock *, Place>> ways;
  ways.insert({start.getParent(), Before});
  for (unsigned i = 0; i != ways.size(); ++i) {
    auto [block, place] = ways[i];
    for (const Instruction &instruction : *block) {
      StringRef name = calledRuntime(instruction);
      if (&instruction == &start)
        place = Inside;
      else if (place == Inside && name.contains("barrier"))
        place = Behind;
      else if (place == Behind && instruction.mayReadOrWriteMemory() &&
               name != "__kmpc_global_thread_num" &&
               !instruction.isLifetimeStartOrEnd() &&
               !(isa<LoadInst>(instruction) &&
                 isa<AllocaInst>(instruction.getOperand(0))))
        return true;
    }
    for (const BasicBlock *next : successors(block))
      ways.insert({next, place});
  }
  return false;
}

/// Clang has the threads wait for the last values of a loop, whatever the
/// program says.
void Lowering::leaveLastValues() {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      StringRef name = calledRuntime(instruction);
      bool isStatic = name.starts_with("__kmpc_for_static_init_");
      if (!isStatic && !name.starts_with("__kmpc_dispatch_next_"))
        continue;
      const auto *flag = dyn_cast<AllocaInst>(
          cast<CallInst>(instruction).getArgOperand(isStatic ? 3 : 2));
      bool isAsked = flag && any_of(flag->users(), [](const User *user) {
                       return isa<LoadInst>(user);
                     });
      if (!isAsked || !isFollowed(cast<CallInst>(instruction)))
        continue;
      std::optional<std::string> directive =
          rehearsal::directiveOf(instruction, placeOf(instruction));
      StringRef words = directive ? StringRef(*directive) : StringRef();
      if (!directive ||
          (words.contains(" nowait ") && words.contains(" lastprivate ")))
        leave(instruction,
              "whether the threads wait for the last values of this loop is "
              "not known",
              "");
    }
}

/// What is before 'scan' and what is behind it are loops of their own by now.
void Lowering::leaveScans() {
  for (Function &function : module) {
    StringRef why = rehearsal::reasonOf(rehearsal::scanOf(function));
    Instruction *start = nullptr;
    for (BasicBlock &block : function) {
      if (start && rehearsal::isScanStart(block))
        leave(*start, why.str(), "");
      for (Instruction &instruction : block)
        if (StringRef name = calledRuntime(instruction);
            name.starts_with("__kmpc_for_static_init_") ||
            name.starts_with("__kmpc_dispatch_init_"))
          start = &instruction;
    }
  }
}

/// Whether an address is that of the number of the thread.
static bool isOfNumber(const Value &place) {
  const auto *read = dyn_cast<LoadInst>(&place);
  return read &&
         any_of(read->getPointerOperand()->users(), [](const User *one) {
           const auto *write = dyn_cast<StoreInst>(one);
           const auto *given =
               write ? dyn_cast<Argument>(write->getValueOperand()) : nullptr;
           return given && given->getArgNo() == 0;
         });
}

/// Whether threads do anything after the last barrier before another one, but
/// for what clang does for the loop behind that.
static bool isPreceded(const CallBase &barrier, const CallBase &start) {
  const Function &work = *barrier.getFunction();
  SetVector<const BasicBlock *> ways;
  auto isBusy = [&](const BasicBlock &block, const Instruction *until) {
    for (const Instruction *at = until ? until->getPrevNode() : &block.back();
         at; at = at->getPrevNode()) {
      StringRef name = calledRuntime(*at);
      if (name.contains("barrier"))
        return false;
      const Value *place = getLoadStorePointerOperand(at);
      const DebugLoc &of = at->getDebugLoc(), &loop = start.getDebugLoc();
      bool isOfLoop = of && loop && of->getScope() == loop->getScope();
      if (at->mayReadOrWriteMemory() && !at->isLifetimeStartOrEnd() &&
          name != "__kmpc_global_thread_num" && !isOfLoop &&
          !(place && (isa<AllocaInst>(place->stripInBoundsOffsets()) ||
                      (isa<LoadInst>(at) && isOfNumber(*place)))))
        return true;
    }
    // Who calls the function may have done something.
    if (&block == &work.getEntryBlock())
      return !work.getName().contains("omp_outlined");
    ways.insert_range(predecessors(&block));
    return false;
  };
  if (isBusy(*barrier.getParent(), &barrier))
    return true;
  for (unsigned i = 0; i != ways.size(); ++i)
    if (isBusy(*ways[i], nullptr))
      return true;
  return false;
}

/// Clang has the threads wait before a loop that gets the first value of a
/// variable and gives it the last one, too.
void Lowering::leaveFirstValues() {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (calledRuntime(instruction) != "__kmpc_barrier")
        continue;
      const auto &barrier = cast<CallBase>(instruction);
      const CallBase *start = rehearsal::loopOfBarrier(barrier);
      if (start && isPreceded(barrier, *start))
        leave(*start,
              "whether the threads wait before this loop, which has first and "
              "last values, is not known",
              "");
    }
}

/// How many iterations in a row are one thread's: see OpenMPGraph::chunk.
static int64_t chunkOf(const CallBase &start) {
  bool isStatic = calledRuntime(start).starts_with("__kmpc_for_static_init_");
  const auto *kind = dyn_cast<ConstantInt>(start.getArgOperand(2));
  const auto *length =
      dyn_cast<ConstantInt>(start.getArgOperand(isStatic ? 8 : 6));
  if (!kind)
    return 1;
  return rehearsal::chunkOf(kind->getZExtValue(),
                            length ? std::optional(length->getSExtValue())
                                   : std::nullopt,
                            rehearsal::directiveOf(start, placeOf(start)));
}

/// Has only those iterations meet that are not in order.
static void stateChunk(LoopGraph &graph, int64_t chunk) {
  graph.summary.chunk = chunk;
  if (chunk != 1)
    graph.leaf->addFnAttr(chunkAttribute, std::to_string(chunk));
}

/// Loops that stand one after the other, with nothing beside.
Reason Lowering::takeLoops(Function &work, TakenTeam &team) {
  Reason reason;
  std::vector<SharedLoop> loops = findSharedLoops(work, reason);
  if (reason.empty() && loops.empty())
    reason = "shares no loop";
  if (reason.empty() &&
      any_of(loops, [](const SharedLoop &loop) { return loop.isRepeated; }))
    reason = "shares a loop again and again";
  if (reason.empty())
    reason = findWorkAround(work, analyses);
  SmallVector<int64_t> chunks;
  for (const SharedLoop &loop : loops)
    chunks.push_back(chunkOf(*loop.start));
  std::vector<Iterations> iterations(reason.empty() ? loops.size() : 0);
  for (auto [index, loop] : enumerate(iterations)) {
    loop = makeIterations(work, index, analyses, reason);
    if (!reason.empty())
      break;
    reason = calls.check(*loop.iteration);
    if (reason.empty())
      reason = calls.check(*loop.count);
    team.needsThreads = !reason.empty();
    if (team.needsThreads)
      break;
  }
  for (auto [index, loop] : enumerate(iterations)) {
    if (reason.empty()) {
      if (loop.meetsIdle)
        leave(*loops[index].start,
              "a thread that gets no iteration of this loop may read around "
              "it what the only iteration writes",
              "");
      makeGraph(*team.fork, loop, team.loops.emplace_back());
      team.waitsInThreads |=
          gainsFromThreads(*team.loops.back().leaf, loops[index].start);
      stateChunk(team.loops.back(), chunks[index]);
      continue;
    }
    discard(loop.iteration);
    discard(loop.count);
    discard(loop.innerCount);
  }
  return reason;
}

/// Loops with code around them, which the host runs.
Reason Lowering::takeRegion(Function &work, TakenTeam &team) {
  ParallelRegion region(work, *team.fork, variables, analyses);
  Reason reason = region.read();
  if (!reason.empty())
    return reason;
  HostRegion made = makeHostRegion(region, analyses, reason);
  if (!reason.empty())
    return reason;
  if (none_of(made.launches, [](const WeakVH &launch) { return launch; }))
    reason = "shares no loop";
  if (reason.empty())
    reason = calls.check(*made.host);
  for (const Iterations &part : made.parts)
    if (reason.empty())
      reason = calls.check(*part.iteration);
  if (!reason.empty()) {
    for (Iterations &part : made.parts)
      discard(part.iteration);
    discard(made.host);
    eraseStandIns(module);
    return reason;
  }
  team.host = made.host;
  for (auto [part, iterations, handle] :
       zip(region.parts, made.parts, made.launches)) {
    auto *launch = cast_or_null<CallInst>(handle);
    if (!launch) {
      discard(iterations.iteration);
      continue;
    }
    team.launches.push_back(launch);
    iterations.place = part.loop.start;
    stateCount(*iterations.iteration, *launch);
    makeGraph(*team.fork, iterations, team.loops.emplace_back());
    team.waitsInThreads |=
        gainsFromThreads(*team.loops.back().leaf, part.loop.start);
    if (part.loop.start)
      stateChunk(team.loops.back(), chunkOf(*part.loop.start));
  }
  return {};
}

/// Whether the program may have the library rest until the next team starts.
static bool pausesLibrary(const Module &module) {
  return module.getFunction("omp_pause_resource") ||
         module.getFunction("omp_pause_resource_all");
}

Reason Lowering::take(CallInst &fork) {
  if (pausesLibrary(module))
    return "is in a program that pauses this library";
  auto *outlined = dyn_cast<Function>(fork.getArgOperand(2));
  if (!outlined || outlined->isDeclaration() ||
      outlined->arg_size() + 1 != fork.arg_size())
    return "is started in an unusual way";
  Function *work = copyTeam(*outlined);
  variables.noteDistinct(*work, fork);
  variables.noteLengths(*work, fork);
  TakenTeam team{.fork = &fork};
  Reason reason = takeLoops(*work, team);
  if (!reason.empty() && !team.needsThreads && !loopsWithSinks(*work))
    reason = takeRegion(*work, team);
  analyses.functions.clear(*work, work->getName());
  work->eraseFromParent();
  if (reason.empty())
    launch(team);
  return reason;
}

void Lowering::run() {
  // A check may take its time, and code of others has no start.
  if (hasRemarks && !isUnit && module.getFunction("main"))
    summary.whole = CloneModule(module);
  // The check of a run knows what clang makes of 'lastprivate'.
  summary.isImproved = keepLastAssigned(module);
  if (hasRemarks) {
    leaveLastValues();
    leaveFirstValues();
    leaveScans();
  }
  joinLeagues(module);
  joinTaskLoops(module, calls);
  SmallVector<CallInst *> forks;
  for (Function &function : module) {
    if (!function.getName().contains(".omp"))
      leaveVectors(function);
    for (Instruction &instruction : instructions(function)) {
      StringRef name = calledRuntime(instruction);
      if (name == "__kmpc_fork_call")
        forks.push_back(cast<CallInst>(&instruction));
      else if (name == "__kmpc_fork_teams" || name.starts_with("__tgt_target"))
        leave(instruction, "teams and devices are LLVM's library's", "");
    }
  }
  if (!forks.empty())
    useMutexes(module);
  for (const GlobalVariable &variable : module.globals())
    if (isOnlyNamed(variable) || isMutex(variable))
      summary.named.insert(variable.getName().str());
  for (const CallInst *fork : forks)
    variables.read(*fork->getFunction());
  SmallVector<CallInst *> left;
  for (CallInst *fork : forks)
    if (Reason reason = take(*fork); !reason.empty()) {
      leave(*fork,
            "this parallel region runs on LLVM's OpenMP library, since it ",
            reason);
      left.push_back(fork);
    }
  for (CallInst *fork : left)
    summary.isImproved |= !pausesLibrary(module) && runAlone(*fork);
  summary.isImproved |= askForLast(module);
  summary.isImproved |= shareChunksAtOnce(module);
  if (!summary.graphs.empty())
    prepareProgram();
}

OpenMPSummary sluice::lowerOpenMP(std::unique_ptr<Module> &program,
                                  bool hasRemarks, Diagnostics &diagnostics,
                                  bool isUnit) {
  // Directives without a team leave no other trace.
  bool isUsed = any_of(*program, [](const Function &function) {
    return function.isDeclaration() &&
           function.getName().starts_with("__kmpc_");
  });
  NamedMDNode *flags = program->getModuleFlagsMetadata();
  bool isOpenMP = flags && program->getModuleFlag("openmp");
  if (!isUsed && !isOpenMP)
    return {};
  CompiledUnit unit;
  unit.module = std::move(program);
  Lowering lowering(unit, hasRemarks, diagnostics, isUnit);
  lowering.run();
  program = std::move(unit.module);
  return std::move(lowering.summary);
}

void sluice::leaveToTeam(Module &program, const OpenMPGraph &graph) {
  if (GlobalVariable *choice =
          program.getGlobalVariable(graph.choice, /*AllowInternal=*/true))
    choice->setInitializer(
        ConstantInt::get(Type::getInt32Ty(program.getContext()), 0));
}
