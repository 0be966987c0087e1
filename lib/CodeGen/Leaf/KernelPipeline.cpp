//===- KernelPipeline.cpp - Optimisation after lowering -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's -O3 pipeline with one change: loops over instances are kept whole
// until they have been vectorised, and are ordinary loops from then on.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/KernelPipeline.h"
#include "sluice/CodeGen/InlineMath.h"
#include "sluice/CodeGen/RangeFunction.h"

#include "BlockLoops.h"
#include "Borders/ChosenLoads.h"
#include "Borders/SplitBorders.h"
#include "CarryLoads.h"
#include "ChooseStores.h"
#include "Group/InstanceLoops.h"
#include "Hints/Gathers.h"
#include "Hints/OrderedSums.h"
#include "JamLoops.h"
#include "Lanes/PrivateMemory.h"
#include "Lanes/SeparateFolds.h"
#include "Lanes/VectorizeLanes.h"
#include "LiftLoads.h"
#include "MaskRemainders.h"
#include "NarrowWraps.h"
#include "OrderLoads.h"
#include "ReloadShared.h"
#include "ShortenChains.h"
#include "Updates/AloneUpdates.h"
#include "Updates/LookBeforeExchange.h"
#include "Updates/PromoteUpdates.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/PGOOptions.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace sluice::codegen {

namespace {

/// Instance loops around the arrays of work-groups that fit into the vector
/// registers: unrolled completely, they turn the arrays into registers.
class ArrayLoops {
public:
  ArrayLoops(Function &function, FunctionAnalysisManager &analyses)
      : loops(analyses.getResult<LoopAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        target(analyses.getResult<TargetIRAnalysis>(function)) {
    for (Instruction &instruction : function.getEntryBlock())
      if (auto *array = dyn_cast<AllocaInst>(&instruction))
        if (isInstanceArray(*array) && fitsRegisters(*array))
          addLoopsAround(*array);
  }

  bool contains(Loop *loop) const { return rounds.contains(loop); }

  /// Whether complete unrolling of all loops makes no more code than is good.
  bool areSmall() const {
    unsigned cost = 0;
    for (auto [loop, own] : rounds) {
      if (!loop->isInnermost())
        continue;
      unsigned size = 0;
      for (const BasicBlock *block : loop->blocks())
        size += block->size();
      for (Loop *outer = loop; outer && contains(outer);
           outer = outer->getParentLoop())
        size *= rounds.lookup(outer);
      cost += size;
    }
    return cost <= unrollBudget;
  }

private:
  static constexpr unsigned unrollBudget = 4000;

  LoopInfo &loops;
  ScalarEvolution &evolution;
  TargetTransformInfo &target;
  MapVector<Loop *, unsigned> rounds;

  bool fitsRegisters(const AllocaInst &array) {
    std::optional<TypeSize> size =
        array.getAllocationSize(array.getDataLayout());
    uint64_t width =
        target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
            .getFixedValue() /
        8;
    uint64_t number = target.getNumberOfRegisters(
        target.getRegisterClassForType(/*Vector=*/true));
    return size && size->getFixedValue() <= width * number;
  }

  /// Only if all of them have known numbers of rounds.
  void addLoopsAround(const AllocaInst &array) {
    MapVector<Loop *, unsigned> found;
    SmallVector<const Value *> worklist{&array};
    while (!worklist.empty())
      for (const User *user : worklist.pop_back_val()->users()) {
        const auto *instruction = cast<Instruction>(user);
        if (isa<GetElementPtrInst>(instruction))
          worklist.push_back(instruction);
        Loop *loop = loops.getLoopFor(instruction->getParent());
        for (; loop && isInstanceLoop(loop->getLoopID());
             loop = loop->getParentLoop()) {
          unsigned own = evolution.getSmallConstantTripCount(loop);
          if (own == 0)
            return;
          found[loop] = own;
        }
      }
    for (auto [loop, own] : found)
      rounds[loop] = own;
  }
};

MDNode *withProperty(MDNode *id, const char *removed, const char *added) {
  LLVMContext &context = id->getContext();
  SmallVector<Metadata *> operands{nullptr};
  for (const MDOperand &operand : drop_begin(id->operands()))
    if (!isProperty(operand.get(), removed))
      operands.push_back(operand.get());
  if (added)
    operands.push_back(MDNode::get(context, MDString::get(context, added)));
  MDNode *result = MDNode::getDistinct(context, operands);
  result->replaceOperandWith(0, result);
  return result;
}

/// Ends the protection of instance loops just before vectorisation, but for
/// those that may be unrolled completely after it.
class ReleaseInstanceLoops : public PassInfoMixin<ReleaseInstanceLoops> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    ArrayLoops arrayLoops(function, analyses);
    for (Loop *loop :
         analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (MDNode *id = loop->getLoopID();
          isInstanceLoop(id) && !arrayLoops.contains(loop))
        loop->setLoopID(withProperty(id, "llvm.loop.unroll.disable", nullptr));
    return PreservedAnalyses::all();
  }
};

/// Collects updates of one address over all that has been inlined, and looks
/// before exchanges. In host code other threads may wait to see each update.
class ImproveKernelAtomics : public PassInfoMixin<ImproveKernelAtomics> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (!function.hasFnAttribute(collectsUpdatesAttribute))
      return PreservedAnalyses::all();
    PreservedAnalyses preserved = PromoteUpdates().run(function, analyses);
    analyses.invalidate(function, preserved);
    preserved.intersect(LookBeforeExchange().run(function, analyses));
    return preserved;
  }
};

/// Asks for complete unrolling of the loops around arrays, now that it is
/// known how large they are.
class UnrollArrayLoops : public PassInfoMixin<UnrollArrayLoops> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    ArrayLoops arrayLoops(function, analyses);
    if (!arrayLoops.areSmall())
      return PreservedAnalyses::all();
    for (Loop *loop :
         analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (arrayLoops.contains(loop))
        loop->setLoopID(withProperty(loop->getLoopID(),
                                     "llvm.loop.unroll.disable",
                                     "llvm.loop.unroll.full"));
    return PreservedAnalyses::all();
  }
};

} // namespace

static void addUnrolling(FunctionPassManager &passes, OptimizationLevel level) {
  if (level == OptimizationLevel::O0)
    return;
  passes.addPass(UnrollArrayLoops());
  passes.addPass(LoopUnrollPass(
      LoopUnrollOptions(/*OptLevel=*/3, /*OnlyWhenForced=*/true)));
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
}

static OptimizationLevel levelOf(unsigned number) {
  static const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  return levels[std::min(number, 3u)];
}

static std::optional<PGOOptions> optionsOf(const Profiling &profiling) {
  if (profiling.kind == Profiling::Kind::None)
    return std::nullopt;
  bool counts = profiling.kind == Profiling::Kind::Generate;
  return PGOOptions(profiling.file, /*CSProfileGenFile=*/"",
                    /*ProfileRemappingFile=*/"", /*MemoryProfile=*/"",
                    counts ? PGOOptions::IRInstr : PGOOptions::IRUse,
                    PGOOptions::NoCSAction, PGOOptions::ColdFuncOpt::Default,
                    /*DebugInfoForProfiling=*/false,
                    /*PseudoProbeForProfiling=*/false,
                    counts && profiling.isAtomic);
}

void optimizeKernels(Module &module, TargetMachine *machine, unsigned level,
                     Vectorization vectorization, const Profiling &profiling) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = vectorization.ofLoops;
  tuning.SLPVectorization = vectorization.ofStraightCode;
  PassBuilder builder(machine, tuning, optionsOf(profiling));
  bool makesLanes = machine && level >= 2 && vectorization.makesLanes();
  if (makesLanes)
    keepLoopsThatCopy(module);
  bool carries = machine && level >= 2 && vectorization.ofLoops;
  bool choosesStores = carries;
  bool splits = machine && level >= 2 && vectorization.splitsBorders();
  if (splits)
    builder.registerPeepholeEPCallback(
        [](FunctionPassManager &passes, OptimizationLevel) {
          passes.addPass(ChooseLoads());
        });
  builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &passes, OptimizationLevel level,
         ThinOrFullLTOPhase) {
        if (level != OptimizationLevel::O0)
          passes.addPass(createModuleToFunctionPassAdaptor(FoldMath()));
      });
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) {
        passes.addPass(FoldMath());
      });
  // LLVM calls these without optimisation, too.
  builder.registerVectorizerStartEPCallback(
      [&](FunctionPassManager &passes, OptimizationLevel) {
        if (level == 0)
          return;
        passes.addPass(InlineLateMath());
        passes.addPass(ImproveKernelAtomics());
        passes.addPass(AloneUpdates());
        if (carries)
          passes.addPass(ReloadShared());
        if (splits)
          passes.addPass(SplitBorders());
        if (choosesStores)
          passes.addPass(ChooseStores());
        if (makesLanes) {
          passes.addPass(SeparateFolds());
          passes.addPass(SplitIntoBlocks());
          passes.addPass(VectorizeLanes(vectorization.numLanes));
        }
        if (carries) {
          passes.addPass(JamLoops());
          passes.addPass(LiftLoads());
          passes.addPass(MaskRemainders());
          passes.addPass(CarryLoads());
        }
        passes.addPass(OrderedSums());
        passes.addPass(HideNarrowWraps());
        passes.addPass(ReleaseInstanceLoops());
        passes.addPass(AvoidGathers());
      });
  builder.registerVectorizerEndEPCallback(addUnrolling);
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes,
                                             OptimizationLevel level,
                                             ThinOrFullLTOPhase) {
    // Without optimisation, variables stay in memory for debuggers.
    const bool isOptimised = level != OptimizationLevel::O0;
    passes.addPass(
        createModuleToFunctionPassAdaptor(InlineLateMath(isOptimised)));
    passes.addPass(InlineVectorVariants());
    if (!isOptimised)
      return;
    passes.addPass(createModuleToFunctionPassAdaptor(AllowGathers()));
    passes.addPass(createModuleToFunctionPassAdaptor(ShortenChains()));
    passes.addPass(createModuleToFunctionPassAdaptor(OrderLoads()));
  });
  TargetLibraryInfoImpl library(module.getTargetTriple());
  library.addVectorizableFunctionsFromVecLib(vectorization.library,
                                             module.getTargetTriple());
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  (level == 0 ? builder.buildO0DefaultPipeline(OptimizationLevel::O0)
              : builder.buildPerModuleDefaultPipeline(levelOf(level)))
      .run(module, modules);
}

} // namespace sluice::codegen
