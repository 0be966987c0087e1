//===- LowerOpenMP.cpp - Loops of OpenMP to canonical HPVM IR -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each loop that a team shares becomes a graph of one node, with an instance
// for each iteration. Beside the call that starts the team, which stays, the
// host gets code that launches the graphs in its place.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/OpenMP/LowerOpenMP.h"

#include "../HPVM/Import/ImportProgram.h"
#include "../Hetero/HeteroGraph.h"
#include "../Hetero/LowerHetero.h"
#include "OpenMPObjects.h"
#include "OpenMPTeams.h"
#include "sluice/Analysis/LeafMemory.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

namespace {
/// A loop of a team as a graph.
struct LoopGraph {
  Function *root = nullptr, *count = nullptr;
  /// Its code has become the leaf's; what follows is in its terms.
  Function *iteration = nullptr;
  /// What the leaf takes, in the code of the iteration that was: parameters of
  /// the team and what the host reads.
  SmallVector<Value *> taken;
  /// What the host reads, in its order; they are in no function.
  SmallVector<Instruction *> read;
  /// What the host reads from objects that it passes.
  DenseMap<const Value *, Member> members;
  /// Of those that are the memory of a vector: its number among objects.
  DenseMap<const Value *, unsigned> vectors;
  std::vector<Reduction> reductions;
  /// The leaf is right for so many iterations.
  std::optional<int64_t> most;
  OpenMPGraph summary;
};

/// A team that is taken over.
struct TakenTeam {
  CallInst *fork = nullptr;
  std::vector<LoopGraph> loops;
};

class Lowering {
public:
  Lowering(CompiledUnit &unit, bool hasRemarks, Diagnostics &diagnostics,
           bool isUnit)
      : module(*unit.module), hasRemarks(hasRemarks),
        diagnostics(diagnostics), context{unit, diagnostics},
        calls(module, isUnit) {}

  void run();

  OpenMPSummary summary;

private:
  Reason take(CallInst &fork);
  void makeGraph(CallInst &fork, Iterations &iterations, LoopGraph &graph);
  Function *makeLeaf(Iterations &iterations, const std::string &name,
                     LoopGraph &graph);
  void launch(TakenTeam &team);
  void prepareProgram();
  void launchLoop(IRBuilder<> &builder, TakenTeam &team, LoopGraph &graph,
                  BasicBlock &done);
  void leave(const Instruction &place, const std::string &what,
             const Reason &reason);
  void leaveVectors(const Function &function);
  void noteVectors(LoopGraph &graph);

  Module &module;
  bool hasRemarks;
  Diagnostics &diagnostics;
  hetero::Context context;
  CallCheck calls;
  HostVariables variables;
  PassAnalyses analyses;
  unsigned numGraphs = 0;
  /// Variables and blocks of memory, and the memory of vectors, by their place
  /// in objects.
  DenseMap<std::pair<const Value *, uint64_t>, unsigned> objects;
};
} // namespace

/// Of an object itself, not of a vector in it.
static constexpr uint64_t ownMemory = uint64_t(1) << 62;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// The name of a value for messages, which the source has given.
static std::string nameOf(const Value &value) {
  const Value *named = &value;
  for (unsigned i = 0; i != 8; ++i) {
    if (const auto *load = dyn_cast<LoadInst>(named))
      named = load->getPointerOperand()->stripInBoundsConstantOffsets();
    else if (const auto *place = dyn_cast<GetElementPtrInst>(named))
      named = place->getPointerOperand();
  }
  StringRef name = named->getName();
  name.consume_back(".addr");
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
  if (const auto *parameter = dyn_cast<Argument>(object))
    object = fork.getArgOperand(parameter->getArgNo() + 1);
  else if (!isa<GlobalVariable>(object))
    return {};
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
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(reduction.type);
    builder.CreateCall(
        module.getOrInsertFunction(reductionName(reduction),
                                   builder.getVoidTy(), builder.getPtrTy(),
                                   builder.getInt64Ty(), builder.getInt32Ty()),
        {memory, builder.getInt64(bytes), builder.getInt32(reduction.op)});
  }
  return leaf;
}

/// Whether the code writes memory that a pointer leads to.
static bool isWrittenBy(const Argument &pointer) {
  return !pointer.onlyReadsMemory() && hetero::findWrite(pointer);
}

void Lowering::makeGraph(CallInst &fork, Iterations &iterations,
                         LoopGraph &graph) {
  Function &iteration = *iterations.iteration;
  variables.noteDistinct(iteration, fork);
  noteObjects(iteration, fork);
  inlineAccessors(iteration);
  simplify(iteration, analyses);
  SmallVector<WeakVH> read = moveLoadsToHost(iteration, analyses);
  simplify(iteration, analyses);
  for (const WeakVH &value : read)
    if (value)
      graph.read.push_back(cast<Instruction>(value));
  for (const Instruction *read : graph.read)
    graph.members[read] = memberOf(*read, fork);
  noteVectors(graph);
  graph.iteration = &iteration;
  graph.count = iterations.count;
  graph.most = iterations.most;
  graph.reductions = iterations.reductions;
  for (Argument &parameter : drop_begin(iteration.args(), 2)) {
    bool isTaken = any_of(parameter.uses(), [&](const Use &use) {
      return !is_contained(graph.read, use.getUser());
    });
    if (isTaken)
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
  hetero::Graph described;
  described.name = hostName;
  described.symbol = symbol;
  described.place = placeOf(fork);
  described.subprogram = host.getSubprogram();
  hetero::Node &node = described.nodes.emplace_back();
  node.name = "loop";
  node.place = described.place;
  node.function = makeLeaf(iterations, symbol + ".loop", graph);
  hetero::describeFunction(*node.function, node.name, node.place,
                           node.function->getSubprogram());
  hetero::Expressions &expressions = context.expressions;
  Type *i64 = Type::getInt64Ty(module.getContext());
  described.ports.push_back({.type = i64, .name = "iterations"});
  graph.summary.arguments.emplace_back();
  std::optional<int64_t> count = knownResult(*graph.count);
  node.extents.push_back(
      {.start = expressions.constant(ConstantInt::get(i64, 0)),
       .bound = count && *count > 0
                    ? expressions.constant(ConstantInt::get(i64, *count))
                    : expressions.input(0, i64),
       .step = expressions.constant(ConstantInt::get(i64, 1))});
  for (auto [value, argument] : zip(graph.taken, node.function->args())) {
    hetero::Port port{.type = argument.getType(),
                      .name = argument.getName().str()};
    OpenMPArgument &said = graph.summary.arguments.emplace_back();
    said.name = port.name;
    if (auto vector = graph.vectors.find(value); vector != graph.vectors.end())
      said.object = vector->second;
    said.hasOwnRows = graph.members.lookup(value).hasOwnRows;
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
  ++summary.numLeft;
  if (hasRemarks)
    diagnostics.remark(placeOf(place),
                       "nothing was checked here: " + what + reason, "openmp");
}

/// Whether a loop is declared to be a vector: its accesses are independent, or
/// those of so many iterations as 'safelen' says.
static bool isVector(const MDNode &loop) {
  return any_of(drop_begin(loop.operands()), [](const MDOperand &of) {
    auto *node = dyn_cast<MDNode>(of);
    auto *name = node && node->getNumOperands()
                     ? dyn_cast<MDString>(node->getOperand(0))
                     : nullptr;
    if (!name)
      return false;
    if (name->getString() == "llvm.loop.vectorize.enable") {
      auto *isOn = node->getNumOperands() > 1
                       ? mdconst::dyn_extract<ConstantInt>(node->getOperand(1))
                       : nullptr;
      return isOn && !isOn->isZero();
    }
    return name->getString() == "llvm.loop.parallel_accesses";
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

Reason Lowering::take(CallInst &fork) {
  auto *outlined = dyn_cast<Function>(fork.getArgOperand(2));
  if (!outlined || outlined->isDeclaration() ||
      outlined->arg_size() + 1 != fork.arg_size())
    return "is started in an unusual way";
  Function *work = copyTeam(*outlined);
  variables.noteDistinct(*work, fork);
  Reason reason;
  size_t numLoops = findSharedLoops(*work, reason).size();
  if (reason.empty() && numLoops == 0)
    reason = "shares no loop";
  if (reason.empty())
    reason = findWorkAround(*work, analyses);
  std::vector<Iterations> iterations(reason.empty() ? numLoops : 0);
  for (auto [index, loop] : enumerate(iterations)) {
    loop = makeIterations(*work, index, analyses, reason);
    if (reason.empty())
      reason = calls.check(*loop.iteration);
    if (reason.empty())
      reason = calls.check(*loop.count);
    if (!reason.empty())
      break;
  }
  work->eraseFromParent();
  TakenTeam team{&fork, {}};
  for (Iterations &loop : iterations) {
    if (reason.empty()) {
      makeGraph(fork, loop, team.loops.emplace_back());
      continue;
    }
    for (Function *function : {loop.iteration, loop.count})
      if (function)
        function->eraseFromParent();
  }
  if (reason.empty())
    launch(team);
  return reason;
}

/// Before a launch: && and || give 0 or 1.
static void normalise(IRBuilder<> &builder, Value *variable,
                      const Reduction &reduction) {
  Value *held = builder.CreateLoad(reduction.type, variable);
  builder.CreateStore(
      builder.CreateZExt(builder.CreateIsNotNull(held), reduction.type),
      variable);
}

/// What the code of a team gets.
static SmallVector<Value *> passedTo(CallInst &fork) {
  // The threads' numbers, for which nobody asks.
  SmallVector<Value *> passed(
      2, ConstantPointerNull::get(PointerType::get(fork.getContext(), 0)));
  append_range(passed, drop_begin(fork.args(), 3));
  return passed;
}

/// Whether the host may read a variable after a team has run.
static bool isReadAfter(const CallInst &fork, const Value &variable) {
  if (!isa<AllocaInst>(variable))
    return true;
  return any_of(variable.users(), [&](const User *user) {
    const auto *place = dyn_cast<Instruction>(user);
    bool isUse = place && place != &fork && !place->isLifetimeStartOrEnd() &&
                 !(isa<StoreInst>(place) && place->getOperand(1) == &variable);
    return isUse && isPotentiallyReachable(&fork, place);
  });
}

void Lowering::launchLoop(IRBuilder<> &builder, TakenTeam &team,
                          LoopGraph &graph, BasicBlock &done) {
  CallInst &fork = *team.fork;
  Function &host = *fork.getFunction();
  SmallVector<Value *> passed = passedTo(fork);
  Value *iterations = builder.CreateCall(graph.count, passed, "iterations");
  BasicBlock *go =
      BasicBlock::Create(module.getContext(), "openmp.launch", &host, &done);
  builder.CreateCondBr(builder.CreateICmpSGT(iterations, builder.getInt64(0)),
                       go, &done);
  builder.SetInsertPoint(go);
  DenseMap<const Value *, Value *> known;
  for (auto [index, value] : enumerate(passed))
    known[graph.count->getArg(index)] = value;
  auto hostValue = [&](Value *value) -> Value * {
    if (auto *parameter = dyn_cast<Argument>(value))
      return passed[parameter->getArgNo()];
    auto found = known.find(value);
    return found == known.end() ? value : found->second;
  };
  for (Instruction *read : graph.read) {
    Instruction *copy = read->clone();
    for (Use &operand : copy->operands())
      operand.set(hostValue(operand.get()));
    copy->setDebugLoc(fork.getDebugLoc());
    builder.Insert(copy, nameOf(*read));
    known[read] = copy;
  }
  SmallVector<Value *> arguments = {iterations};
  for (Value *value : graph.taken) {
    Value *argument = hostValue(value);
    if (value->getType()->isPointerTy())
      if (const Value *object = variables.objectOf(*argument)) {
        OpenMPArgument &said = graph.summary.arguments[arguments.size()];
        said.object = objects.try_emplace({object, ownMemory}, objects.size())
                          .first->second;
        if (isa<GlobalVariable>(object))
          said.global = object->getName();
      }
    if (graph.summary.arguments[arguments.size()].isScalar)
      graph.summary.arguments[arguments.size()].isReadLater =
          isReadAfter(fork, *argument);
    arguments.push_back(argument);
  }
  for (const Reduction &reduction : graph.reductions)
    if (reduction.isLogical)
      normalise(builder, hostValue(reduction.variable), reduction);
  CallInst *handle = hetero::emitLaunch(builder, *graph.root, arguments);
  hetero::emitWait(builder, handle);
  builder.CreateBr(&done);
}

/// Calls that say something about the next team.
static SmallVector<CallInst *> wishesFor(CallInst &fork) {
  SmallVector<CallInst *> wishes;
  BasicBlock *block = fork.getParent();
  for (Instruction *before = fork.getPrevNode(); block;) {
    for (; before; before = before->getPrevNode()) {
      StringRef name = calledRuntime(*before);
      if (name == "__kmpc_fork_call")
        return wishes;
      if (name.starts_with("__kmpc_push_"))
        wishes.push_back(cast<CallInst>(before));
    }
    block = block->getSinglePredecessor();
    if (block)
      before = block->getTerminator();
  }
  return wishes;
}

void Lowering::launch(TakenTeam &team) {
  CallInst &fork = *team.fork;
  Function &host = *fork.getFunction();
  SmallVector<CallInst *> wishes = wishesFor(fork);
  BasicBlock *before = fork.getParent();
  BasicBlock *left = before->splitBasicBlock(fork.getIterator(), "openmp.team");
  BasicBlock *after =
      left->splitBasicBlock(std::next(fork.getIterator()), "openmp.after");
  for (CallInst *wish : reverse(wishes))
    wish->moveBefore(fork.getIterator());
  Instruction *end = before->getTerminator();
  IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(fork.getDebugLoc());
  // Set to 0 where a loop is racy after all.
  auto *choice =
      new GlobalVariable(module, builder.getInt32Ty(), /*isConstant=*/true,
                         GlobalValue::InternalLinkage, builder.getInt32(1),
                         team.loops.front().root->getName() + ".choice");
  Type *i32 = builder.getInt32Ty();
  Value *isNested =
      builder.CreateCall(module.getOrInsertFunction("omp_in_parallel", i32));
  // The number that the directive asks for, or the program's setting.
  Value *numThreads = nullptr;
  for (CallInst *wish : wishes)
    if (calledRuntime(*wish) == "__kmpc_push_num_threads")
      numThreads = wish->getArgOperand(2);
  if (!numThreads)
    numThreads = builder.CreateCall(
        module.getOrInsertFunction("omp_get_max_threads", i32));
  Value *isServed = builder.CreateIsNotNull(builder.CreateCall(
      module.getOrInsertFunction("sluiceServesTeam", i32, i32), {numThreads}));
  Value *isChosen = builder.CreateAnd(
      builder.CreateAnd(builder.CreateIsNull(isNested), isServed),
      builder.CreateIsNotNull(
          builder.CreateLoad(builder.getInt32Ty(), choice)));
  BasicBlock *first =
      BasicBlock::Create(module.getContext(), "openmp.graphs", &host, left);
  builder.CreateCondBr(isChosen, first, left);
  end->eraseFromParent();
  builder.SetInsertPoint(first);
  // What the numbers are computed from, no loop of the team writes.
  for (LoopGraph &graph : team.loops)
    if (graph.most) {
      BasicBlock *fits =
          BasicBlock::Create(module.getContext(), "openmp.fits", &host, left);
      Value *iterations = builder.CreateCall(graph.count, passedTo(fork));
      builder.CreateCondBr(
          builder.CreateICmpSGT(iterations, builder.getInt64(*graph.most)),
          left, fits);
      builder.SetInsertPoint(fits);
    }
  for (auto [index, graph] : enumerate(team.loops)) {
    BasicBlock *done = index + 1 == team.loops.size()
                           ? after
                           : BasicBlock::Create(module.getContext(),
                                                "openmp.next", &host, left);
    launchLoop(builder, team, graph, *done);
    builder.SetInsertPoint(done);
    for (Instruction *read : reverse(graph.read)) {
      read->dropAllReferences();
      read->deleteValue();
    }
    graph.iteration->eraseFromParent();
    graph.summary.choice = choice->getName().str();
    summary.graphs.push_back(std::move(graph.summary));
  }
  needRuntime(module);
}

/// Before the runtime starts: threads of the two are not to spin against each
/// other, and their numbers are the same.
void Lowering::prepareProgram() {
  IRBuilder<> builder(module.getContext());
  Function *function =
      Function::Create(FunctionType::get(builder.getVoidTy(), false),
                       GlobalValue::InternalLinkage, "openmp.start", &module);
  builder.SetInsertPoint(
      BasicBlock::Create(module.getContext(), "entry", function));
  Type *i32 = builder.getInt32Ty();
  Value *mayWait =
      builder.CreateCall(module.getOrInsertFunction("sluiceServeOpenMP", i32));
  BasicBlock *sleep =
      BasicBlock::Create(module.getContext(), "sleep", function);
  BasicBlock *end = BasicBlock::Create(module.getContext(), "end", function);
  builder.CreateCondBr(builder.CreateIsNotNull(mayWait), sleep, end);
  builder.SetInsertPoint(sleep);
  // A call of the library would have it read its settings here, before the
  // program could set them.
  Type *pointer = builder.getPtrTy();
  builder.CreateCall(
      module.getOrInsertFunction("setenv", i32, pointer, pointer, i32),
      {builder.CreateGlobalString("KMP_BLOCKTIME"),
       builder.CreateGlobalString("0"), builder.getInt32(1)});
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  appendToGlobalCtors(module, function, /*Priority=*/101);
}

void Lowering::run() {
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
  for (const CallInst *fork : forks)
    variables.read(*fork->getFunction());
  for (CallInst *fork : forks)
    if (Reason reason = take(*fork); !reason.empty())
      leave(*fork,
            "this parallel region runs on LLVM's OpenMP library, since it ",
            reason);
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
