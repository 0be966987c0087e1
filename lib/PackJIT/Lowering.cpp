//===- Lowering.cpp - From modules to object code -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creating a code generator is expensive, and it supports one thread at a time,
// so code generators are kept in a pool. The emitter's own code needs neither
// LLVM's IR passes nor most of the machine code passes, each of which takes
// time even if it finds nothing to do. On x86-64 it gets a short pipeline,
// other code the usual one.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"

#include "sluice/Base/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <array>
#include <mutex>

using namespace llvm;
using namespace sluice;
using namespace sluice::pack;
using namespace sluice::pack::jit;

// No static object here is ever destroyed: threads may compile while others
// have begun to end the process.

/// The processor LLVM generates code for, and features beyond its own.
namespace {
struct ProcessorName {
  std::string name;
  std::string features;
};
} // namespace

static bool isX86(const Triple &triple) {
  return triple.getArch() == Triple::x86_64;
}

static const Triple &hostTriple() {
  static const auto *triple = new Triple(sys::getProcessTriple());
  return *triple;
}

static const ProcessorName &hostProcessor() {
  static const auto *host = [] {
    std::vector<std::string> features;
    for (const auto &[name, isOn] : sys::getHostCPUFeatures())
      features.push_back((isOn ? "+" : "-") + name.str());
    llvm::sort(features);
    return new ProcessorName{sys::getHostCPUName().str(), join(features, ",")};
  }();
  return *host;
}

static bool hostHas(const char *feature) {
  static const auto *features = new StringMap<bool>(sys::getHostCPUFeatures());
  return features->lookup(feature);
}

static Processor::Vectors hostVectors() {
  static const Processor::Vectors vectors = [] {
    if (hostHas("avx512f") && hostHas("avx512bw") && hostHas("avx512vl") &&
        hostHas("avx512dq"))
      return Processor::Vectors::AVX512;
    return hostHas("avx2") ? Processor::Vectors::AVX2
                           : Processor::Vectors::Baseline;
  }();
  return vectors;
}

static Processor::Vectors vectorsOf(const Processor &processor) {
  return std::min(processor.vectors, hostVectors());
}

static ProcessorName nameOf(const Processor &processor) {
  Processor::Vectors vectors = vectorsOf(processor);
  if (!isX86(hostTriple()) || vectors == hostVectors())
    return hostProcessor();
  return {vectors == Processor::Vectors::AVX2 ? "x86-64-v3" : "x86-64", ""};
}

CodeTarget jit::targetFor(const Processor &processor) {
  CodeTarget target;
  target.lastLevelBytes = processor.lastLevelBytes;
  switch (vectorsOf(processor)) {
  case Processor::Vectors::Baseline:
    break;
  case Processor::Vectors::AVX2:
    target.vectorBytes = 32;
    break;
  case Processor::Vectors::AVX512:
    target.vectorBytes = 64;
    target.hasMasks = true;
    target.shufflesBytes = processor.hasVBMI && hostHas("avx512vbmi");
    break;
  }
  return target;
}

std::string jit::processorKey(const Processor &processor) {
  ProcessorName name = nameOf(processor);
  return concat(hostTriple().str(), ' ', name.name, ' ', name.features, ' ',
                static_cast<int>(vectorsOf(processor)), ' ',
                processor.hasVBMI ? 1 : 0, ' ', processor.lastLevelBytes);
}

//===-- Code generators --------------------------------------------------===//

namespace {
/// Unused code generators.
class MachinePool {
public:
  std::unique_ptr<TargetMachine> take(const Processor &processor) {
    std::lock_guard lock(mutex);
    auto &machines = idle[static_cast<size_t>(vectorsOf(processor))];
    if (machines.empty())
      return create(nameOf(processor));
    auto machine = std::move(machines.back());
    machines.pop_back();
    return machine;
  }
  void give(const Processor &processor,
            std::unique_ptr<TargetMachine> machine) {
    std::lock_guard lock(mutex);
    idle[static_cast<size_t>(vectorsOf(processor))].push_back(
        std::move(machine));
  }
  /// Never destroyed, so that threads may compile while the process ends.
  static MachinePool &get() {
    static auto *pool = new MachinePool;
    return *pool;
  }

private:
  MachinePool() {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
  }
  static std::unique_ptr<TargetMachine> create(const ProcessorName &name) {
    std::string problem;
    const Target *target = TargetRegistry::lookupTarget(hostTriple(), problem);
    if (!target)
      return nullptr;
    TargetOptions options;
    options.UseInitArray = true;
    return std::unique_ptr<TargetMachine>(target->createTargetMachine(
        hostTriple(), name.name, name.features, options, Reloc::PIC_,
        CodeModel::Small, CodeGenOptLevel::Default, true));
  }

  std::mutex mutex;
  std::array<std::vector<std::unique_ptr<TargetMachine>>, 3> idle;
};

/// A code generator from the pool for a scope.
class BorrowedMachine {
public:
  explicit BorrowedMachine(const Processor &processor)
      : processor(processor), machine(MachinePool::get().take(processor)) {}
  ~BorrowedMachine() {
    if (machine)
      MachinePool::get().give(processor, std::move(machine));
  }
  BorrowedMachine(const BorrowedMachine &) = delete;
  BorrowedMachine &operator=(const BorrowedMachine &) = delete;
  TargetMachine *get() { return machine.get(); }

private:
  const Processor &processor;
  std::unique_ptr<TargetMachine> machine;
};

/// Keeps errors and does not end the process.
struct KeepErrors : DiagnosticHandler {
  explicit KeepErrors(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string &text;
};
} // namespace

static Status noTarget() {
  return Status::error(
      StatusCode::System,
      concat("LLVM cannot generate code for ", hostTriple().str()));
}

Status jit::prepareModule(Module &module, const Processor &processor) {
  BorrowedMachine machine(processor);
  if (!machine.get())
    return noTarget();
  module.setTargetTriple(machine.get()->getTargetTriple());
  module.setDataLayout(machine.get()->createDataLayout());
  return {};
}

//===-- Pipelines --------------------------------------------------------===//

void jit::optimizeUserCode(Module &module, const Processor &processor) {
  BorrowedMachine machine(processor);
  PassBuilder passes(machine.get());
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  FunctionPassManager pipeline;
  pipeline.addPass(SROAPass(SROAOptions::ModifyCFG));
  pipeline.addPass(EarlyCSEPass());
  pipeline.addPass(InstCombinePass());
  pipeline.addPass(SimplifyCFGPass());
  for (Function &function : module)
    if (!function.isDeclaration())
      pipeline.run(function, functions);
}

/// Machine code passes that find nothing to do in the emitter's code.
static const AnalysisID needlessPasses[] = {&EarlyTailDuplicateLegacyID,
                                            &OptimizePHIsLegacyID,
                                            &StackColoringLegacyID,
                                            &LocalStackSlotAllocationID,
                                            &MachineSinkingLegacyID,
                                            &DetectDeadLanesID,
                                            &StackSlotColoringID,
                                            &PostRASchedulerID,
                                            &TailDuplicateLegacyID,
                                            &ShrinkWrapID,
                                            &FEntryInserterID,
                                            &XRayInstrumentationID,
                                            &PatchableFunctionID,
                                            &FuncletLayoutID,
                                            &StackMapLivenessID,
                                            &LiveDebugValuesID,
                                            &RemoveLoadsIntoFakeUsesID,
                                            &MachineSchedulerID,
                                            &PostMachineSchedulerID,
                                            &EarlyIfConverterLegacyID,
                                            &MachineCombinerID,
                                            &RenameIndependentSubregsID,
                                            &InitUndefID,
                                            &MachineLateInstrsCleanupID,
                                            &FixupStatepointCallerSavedID,
                                            &GCMachineCodeAnalysisID};

/// From IR to machine code without any IR pass.
static void addShortPipeline(legacy::PassManager &passes,
                             CodeGenTargetMachineImpl &machine,
                             raw_pwrite_stream &stream, CodeGenFileType type) {
  auto *modules = new MachineModuleInfoWrapperPass(&machine);
  TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(modules);
  config->addInstSelector();
  passes.add(Pass::createPass(&FinalizeISelID));
  for (AnalysisID pass : needlessPasses)
    config->disablePass(pass);
  config->addMachinePasses();
  config->setInitialized();
  machine.addAsmPrinter(passes, stream, nullptr, type,
                        modules->getMMI().getContext());
}

Result<SmallVector<char, 0>> jit::lower(Module &module,
                                        const Processor &processor,
                                        CodeFormat format, bool isOwnCode) {
  BorrowedMachine machine(processor);
  if (!machine.get())
    return noTarget();
  std::string problems;
  module.getContext().setDiagnosticHandler(
      std::make_unique<KeepErrors>(problems));
  SmallVector<char, 0> out;
  raw_svector_ostream stream(out);
  auto type = format == CodeFormat::Object ? CodeGenFileType::ObjectFile
                                           : CodeGenFileType::AssemblyFile;
  legacy::PassManager passes;
  if (isOwnCode && isX86(hostTriple()))
    addShortPipeline(passes,
                     static_cast<CodeGenTargetMachineImpl &>(*machine.get()),
                     stream, type);
  else if (machine.get()->addPassesToEmitFile(passes, stream, nullptr, type))
    return noTarget();
  passes.run(module);
  if (!problems.empty())
    return Status::error(StatusCode::NodeFailed,
                         concat("code generation failed: ", problems));
  return out;
}

void jit::warmUp() {
  LLVMContext context;
  Module module("warm", context);
  const Processor &processor = thisProcessor();
  if (!prepareModule(module, processor).ok())
    return;
  IRBuilder<> builder(context);
  auto *type = FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()},
                                 /*isVarArg=*/false);
  auto *function =
      Function::Create(type, GlobalValue::ExternalLinkage, "warm", module);
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", function));
  builder.CreateRetVoid();
  (void)lower(module, processor, CodeFormat::Object, true);
}
