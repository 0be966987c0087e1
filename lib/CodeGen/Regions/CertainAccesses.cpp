//===- CertainAccesses.cpp - What tasks certainly access ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the code is simplified until ScalarEvolution shows addresses as
// sums of a parameter, the bounds of its domain and numbers. For an access in a
// loop, these are the addresses in the first and in the last iteration. If one
// of them is a number of bytes before the first element of the domain, or
// behind its last one, the access is wrong wherever the domain has elements.
//
// Only accesses that every such call makes count: nothing but loops around them
// and tests whether the domain has elements may decide about them.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/CertainAccesses.h"
#include "Source.h"
#include "sluice-c/Tasks.h"
#include "sluice/Base/Text.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/IPO/ModuleInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

namespace {
/// A field that a task is given, with its domain.
struct GivenField {
  const RegionArgument *argument;
  unsigned field;
  Argument *domain;
};

/// The accesses of one function, as one statement calls it.
class KernelChecker {
public:
  KernelChecker(const RegionModel &program, const RegionStatement &statement,
                Function &function, FunctionAnalysisManager &analyses,
                std::vector<CertainFault> &wrong)
      : program(program), statement(statement), function(function),
        loops(analyses.getResult<LoopAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        after(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        wrong(wrong) {}

  void run();

private:
  bool findFields();
  bool findBounds();
  const BasicBlock *ifNotEmpty(const BasicBlock &test,
                               const Argument *domain) const;
  bool isCertain(const Instruction &access, const Argument *domain) const;
  void addEnds(const SCEV *offset, std::vector<const SCEV *> &ends);
  bool isGivenTwice(const GivenField &given) const;
  void check(Instruction &access);
  bool reportOutside(Instruction &access, const GivenField &given,
                     const SCEV *offset, int64_t size);
  void report(Instruction &access, const GivenField &given,
              const std::string &what);

  const RegionModel &program;
  const RegionStatement &statement;
  Function &function;
  LoopInfo &loops;
  DominatorTree &dominators;
  PostDominatorTree &after;
  ScalarEvolution &evolution;
  std::vector<CertainFault> &wrong;
  DenseMap<const Value *, GivenField> fields;
  /// By domain: the values of lower[0] and upper[0], if they are read.
  DenseMap<const Argument *, std::array<const SCEV *, 2>> bounds;
};
} // namespace

/// False if the function has other parameters than the statement states.
bool KernelChecker::findFields() {
  unsigned next = 1;
  for (const RegionArgument &argument : statement.arguments) {
    if (!isParameter(argument))
      continue;
    if (argument.kind != RegionArgument::Region) {
      ++next;
      continue;
    }
    const unsigned domain = next + argument.fields.size();
    if (domain >= function.arg_size())
      return false;
    for (unsigned field : argument.fields)
      fields[function.getArg(next++)] = {&argument, field,
                                         function.getArg(domain)};
    ++next;
  }
  return next == function.arg_size();
}

/// False if a domain's bounds are read in ways that do not show.
bool KernelChecker::findBounds() {
  const DataLayout &layout = function.getDataLayout();
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->getType()->isIntegerTy(64))
      continue;
    APInt offset(64, 0);
    auto *domain = dyn_cast<Argument>(
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            layout, offset, /*AllowNonInbounds=*/true));
    if (!domain || fields.contains(domain))
      continue;
    constexpr size_t places[] = {offsetof(SluiceDomain, lower),
                                 offsetof(SluiceDomain, upper)};
    for (auto [i, place] : enumerate(places))
      if (offset == place) {
        const SCEV *&known = bounds[domain][i];
        const SCEV *value = evolution.getSCEV(load);
        if (known && known != value)
          return false;
        known = value;
      }
  }
  return true;
}

/// The block to which a test leads if the domain has elements; null for other
/// branches.
const BasicBlock *KernelChecker::ifNotEmpty(const BasicBlock &test,
                                            const Argument *domain) const {
  auto *branch = dyn_cast<BranchInst>(test.getTerminator());
  auto known = bounds.find(domain);
  if (!branch || branch->isUnconditional() || known == bounds.end())
    return nullptr;
  auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare)
    return nullptr;
  const SCEV *left = evolution.getSCEV(compare->getOperand(0));
  const SCEV *right = evolution.getSCEV(compare->getOperand(1));
  const auto [lower, upper] = known->second;
  CmpInst::Predicate predicate = compare->getPredicate();
  if (left == upper && right == lower)
    predicate = CmpInst::getSwappedPredicate(predicate);
  else if (left != lower || right != upper)
    return nullptr;
  const bool isTrue = ICmpInst::isLE(predicate) || ICmpInst::isLT(predicate) ||
                      predicate == CmpInst::ICMP_NE;
  return branch->getSuccessor(isTrue ? 0 : 1);
}

/// Whether each call with elements, and each iteration, makes the access.
bool KernelChecker::isCertain(const Instruction &access,
                              const Argument *domain) const {
  const BasicBlock *at = access.getParent();
  for (Loop *loop = loops.getLoopFor(at); loop; loop = loop->getParentLoop()) {
    const BasicBlock *latch = loop->getLoopLatch();
    if (!latch || loop->getExitingBlock() != latch ||
        !dominators.dominates(access.getParent(), latch))
      return false;
    at = loop->getHeader();
  }
  for (const BasicBlock *entry = &function.getEntryBlock();
       !after.dominates(at, entry);) {
    const BasicBlock *before = dominators.getNode(at)->getIDom()->getBlock();
    if (!after.dominates(at, before)) {
      const BasicBlock *next = ifNotEmpty(*before, domain);
      if (!next || !after.dominates(at, next))
        return false;
    }
    at = before;
  }
  return true;
}

/// The offsets in the first and last iteration of each loop.
void KernelChecker::addEnds(const SCEV *offset,
                            std::vector<const SCEV *> &ends) {
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(offset);
  if (!recurrence)
    return ends.push_back(offset);
  addEnds(recurrence->getStart(), ends);
  const SCEV *count = evolution.getBackedgeTakenCount(recurrence->getLoop());
  if (!isa<SCEVCouldNotCompute>(count) &&
      evolution.getTypeSizeInBits(count->getType()) == 64)
    addEnds(recurrence->evaluateAtIteration(count, evolution), ends);
}

void KernelChecker::report(Instruction &access, const GivenField &given,
                           const std::string &what) {
  const RegionRoot &root = program.roots[given.argument->root];
  CertainFault fault = {&statement, access.getDebugLoc(),
                        concat(quoted(statement.function), " ",
                               isa<StoreInst>(access) ? "writes" : "reads",
                               " field ", quoted(root.fields[given.field].name),
                               " of root ", quoted(root.name), what)};
  // Several statements may call the function.
  if (none_of(wrong, [&](const CertainFault &known) {
        return known.place == fault.place && known.message == fault.message;
      }))
    wrong.push_back(std::move(fault));
}

bool KernelChecker::reportOutside(Instruction &access, const GivenField &given,
                                  const SCEV *offset, int64_t size) {
  auto known = bounds.find(given.domain);
  if (known == bounds.end())
    return false;
  const auto [lower, upper] = known->second;
  // The number of bytes between a bound and the offset.
  auto behind = [&](const SCEV *bound) -> std::optional<int64_t> {
    if (!bound)
      return std::nullopt;
    const SCEV *bytes = evolution.getMulExpr(
        bound, evolution.getConstant(bound->getType(), size));
    auto *distance =
        dyn_cast<SCEVConstant>(evolution.getMinusSCEV(offset, bytes));
    if (!distance)
      return std::nullopt;
    return distance->getAPInt().getSExtValue();
  };
  std::string where;
  if (std::optional<int64_t> distance = behind(lower);
      distance && *distance < 0)
    where =
        concat(countOf((size - 1 - *distance) / size, "element", "elements"),
               " before the first element of its part");
  else if (std::optional<int64_t> distance = behind(upper);
           distance && *distance >= 0)
    where = concat(countOf(*distance / size + 1, "element", "elements"),
                   " behind the last element of its part");
  if (where.empty())
    return false;
  const unsigned partition = given.argument->partition;
  const bool isRead = !isa<StoreInst>(access);
  report(
      access, given,
      concat(" ", where,
             partition == noIndex
                 ? std::string()
                 : concat(" of ", quoted(program.partitions[partition].name)),
             isRead ? "; let it name a region that has this element, such as "
                      "a halo"
                    : "; let it change only its own elements"));
  return true;
}

/// Whether another argument gives elements of the same field. Then the task may
/// reach them through either pointer.
bool KernelChecker::isGivenTwice(const GivenField &given) const {
  return any_of(statement.arguments, [&](const RegionArgument &argument) {
    return argument.kind == RegionArgument::Region &&
           &argument != given.argument &&
           argument.root == given.argument->root &&
           is_contained(argument.fields, given.field);
  });
}

void KernelChecker::check(Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  const SCEV *address = evolution.getSCEV(const_cast<Value *>(pointer));
  auto *base = dyn_cast<SCEVUnknown>(evolution.getPointerBase(address));
  auto found = base ? fields.find(base->getValue()) : fields.end();
  if (found == fields.end())
    return;
  const GivenField &given = found->second;
  if (isGivenTwice(given))
    return;
  if (isa<StoreInst>(access) &&
      given.argument->privilege == RegionPrivilege::Read) {
    auto isMade = [&](const GivenField &each) {
      return isCertain(access, each.domain);
    };
    if (any_of(make_second_range(fields), isMade))
      report(access, given,
             ", which it only reads; let the task name it in 'writes(...)'");
    return;
  }
  if (!isCertain(access, given.domain))
    return;
  const RegionRoot &root = program.roots[given.argument->root];
  const RegionField &field = root.fields[given.field];
  if (root.extents.size() != 1)
    return;
  std::vector<const SCEV *> ends;
  addEnds(evolution.getMinusSCEV(address, base), ends);
  for (const SCEV *offset : ends)
    if (reportOutside(access, given, offset, sizeOf(field.type) * field.count))
      return;
}

void KernelChecker::run() {
  if (!findFields() || !findBounds())
    return;
  // Where the function may end early, nothing behind that is certain.
  for (const Instruction &instruction : instructions(function))
    if (!isa<ReturnInst>(instruction) &&
        !isGuaranteedToTransferExecutionToSuccessor(&instruction))
      return;
  for (BasicBlock &block : function)
    if (dominators.isReachableFromEntry(&block))
      for (Instruction &instruction : block)
        if (isa<LoadInst, StoreInst>(instruction))
          check(instruction);
}

/// Keeps only the tasks and what they need. Domains do not change, and no field
/// lies in them.
static void keepTasks(Module &code, const SmallPtrSetImpl<Function *> &tasks) {
  for (GlobalObject &object : code.global_objects()) {
    auto *function = dyn_cast<Function>(&object);
    if (object.isDeclaration() || object.hasAppendingLinkage() ||
        (function && tasks.contains(function)))
      continue;
    object.setComdat(nullptr);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setLinkage(GlobalValue::InternalLinkage);
  }
  for (Function *task : tasks)
    for (Argument &argument : task->args())
      if (argument.getType()->isPointerTy())
        argument.addAttr(Attribute::NoAlias);
}

static void simplify(Module &code, ModuleAnalysisManager &analyses) {
  FunctionPassManager early, late;
  early.addPass(SROAPass(SROAOptions::ModifyCFG));
  early.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  early.addPass(SimplifyCFGPass());
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  passes.addPass(InferFunctionAttrsPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(early)));
  passes.addPass(ModuleInlinerPass());
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(LICMPass(LICMOptions()));
  late.addPass(SROAPass(SROAOptions::ModifyCFG));
  late.addPass(InstCombinePass());
  late.addPass(SimplifyCFGPass());
  late.addPass(createFunctionToLoopPassAdaptor(std::move(loops),
                                               /*UseMemorySSA=*/true));
  late.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  late.addPass(InstCombinePass());
  late.addPass(SimplifyCFGPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(late)));
  passes.run(code, analyses);
}

std::vector<CertainFault> codegen::findCertainFaults(const RegionModel &program,
                                                     const Module &code) {
  std::unique_ptr<Module> copy = CloneModule(code);
  std::vector<std::pair<const RegionStatement *, Function *>> calls;
  SmallPtrSet<Function *, 16> tasks;
  forEachStatement(program, [&](const RegionStatement &statement) {
    if (statement.kind != RegionStatement::Task)
      return;
    Function *function = copy->getFunction(statement.function);
    if (!function || function->isDeclaration())
      return;
    tasks.insert(function);
    calls.push_back({&statement, function});
  });
  keepTasks(*copy, tasks);
  LoopAnalysisManager ofLoops;
  FunctionAnalysisManager ofFunctions;
  CGSCCAnalysisManager ofCalls;
  ModuleAnalysisManager ofModules;
  PassBuilder builder;
  builder.registerModuleAnalyses(ofModules);
  builder.registerCGSCCAnalyses(ofCalls);
  builder.registerFunctionAnalyses(ofFunctions);
  builder.registerLoopAnalyses(ofLoops);
  builder.crossRegisterProxies(ofLoops, ofFunctions, ofCalls, ofModules);
  simplify(*copy, ofModules);
  std::vector<CertainFault> wrong;
  for (auto [statement, task] : calls)
    KernelChecker(program, *statement, *task, ofFunctions, wrong).run();
  return wrong;
}
