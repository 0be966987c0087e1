//===- CodeGenerator.cpp - From layouts to object code --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generators are costly to make and serve one thread at a time, so they
// are kept in a pool. Each module lives in an LLVMContext of its own, since a
// context keeps all constants it has ever seen.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"

#include "Customs.h"

#include "sluice/Base/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
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
  static const Triple triple(sys::getProcessTriple());
  return triple;
}

static const ProcessorName &hostProcessor() {
  static const ProcessorName host = [] {
    std::vector<std::string> features;
    for (const auto &[name, isOn] : sys::getHostCPUFeatures())
      features.push_back((isOn ? "+" : "-") + name.str());
    llvm::sort(features);
    return ProcessorName{sys::getHostCPUName().str(), join(features, ",")};
  }();
  return host;
}

static Processor::Vectors hostVectors() {
  static const Processor::Vectors vectors = [] {
    auto features = sys::getHostCPUFeatures();
    auto has = [&](const char *name) { return features.lookup(name); };
    if (has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq"))
      return Processor::Vectors::AVX512;
    return has("avx2") ? Processor::Vectors::AVX2
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

CodeTarget sluice::pack::targetFor(const Processor &processor) {
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
    target.shufflesBytes =
        processor.hasVBMI && sys::getHostCPUFeatures().lookup("avx512vbmi");
    break;
  }
  return target;
}

std::string sluice::pack::processorKey(const Processor &processor) {
  ProcessorName name = nameOf(processor);
  return concat(hostTriple().str(), ' ', name.name, ' ', name.features, ' ',
                static_cast<int>(vectorsOf(processor)), ' ',
                processor.hasVBMI ? 1 : 0, ' ', processor.lastLevelBytes);
}

//===-- Size
//---------------------------------------------------------------===//

/// Steps of straight line and other pieces of code that `form` becomes.
static int64_t codeSize(const Form &form) {
  int64_t own = 1;
  switch (form.kind) {
  case FormKind::Empty:
  case FormKind::Block:
    return 1;
  case FormKind::Custom:
    return 8;
  case FormKind::Runs:
    return static_cast<int64_t>(std::min<size_t>(form.offsets.size(), 512));
  case FormKind::Strided:
    own = 32;
    break;
  case FormKind::Indexed:
    if (int64_t runs = countRuns(form, 512); runs <= 512)
      return runs;
    own = 8 * codeSize(*form.children[0]);
    break;
  case FormKind::Sequence:
    break;
  }
  for (const FormRef &child : form.children)
    own += codeSize(*child);
  return own;
}

/// The entries of the largest table the code would read.
static size_t tableSize(const Form &form) {
  size_t size = form.kind == FormKind::Sequence ? 0 : form.offsets.size();
  for (const FormRef &child : form.children)
    size = std::max(size, tableSize(*child));
  return size;
}

Status sluice::pack::checkCodeSize(const Form &form) {
  constexpr int64_t mostCode = 1 << 14;
  constexpr size_t mostEntries = 1 << 18;
  if (size_t size = tableSize(form); size > mostEntries)
    return Status::error(
        StatusCode::Exhausted,
        concat("a layout of ", size, " places is not compiled, at most ",
               mostEntries, " are; its ready-made kernel is as fast"));
  if (int64_t size = codeSize(form); size > mostCode)
    return Status::error(StatusCode::Exhausted,
                         concat("a layout that needs about ", size,
                                " moves in a line is not compiled, at most ",
                                mostCode, " are"));
  return {};
}

//===-- Building
//-----------------------------------------------------------===//

static void emitFunction(Module &module, const Layout &layout,
                         const CodeTarget &target, bool isPack) {
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  Type *pointer = builder.getPtrTy();
  auto *type = FunctionType::get(
      builder.getVoidTy(), {pointer, builder.getInt64Ty(), pointer, pointer},
      false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage,
                                    isPack ? packName : unpackName, module);
  static constexpr const char *names[] = {"in", "count", "out", "context"};
  for (unsigned i = 0; i != 4; ++i)
    function->getArg(i)->setName(names[i]);
  function->addParamAttr(0, Attribute::NoAlias);
  function->addParamAttr(2, Attribute::NoAlias);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr("prefer-vector-width",
                      std::to_string(target.vectorBytes * 8));
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", function));
  Value *in = function->getArg(0), *out = function->getArg(2);
  Emitter emitter(builder, target, isPack, function->getArg(3));
  emitter.emitLayout(layout, isPack ? in : out, function->getArg(1),
                     isPack ? out : in);
  builder.CreateRetVoid();
}

/// What users write is as naive as they like: variables in memory, addresses
/// computed anew.
static void optimizeUserCode(Module &module, TargetMachine &machine) {
  PassBuilder passes(&machine);
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

static Status verify(Module &module) {
  std::string problems;
  raw_string_ostream stream(problems);
  if (!verifyModule(module, &stream))
    return {};
  return Status::error(
      StatusCode::NodeFailed,
      concat("the code that a user's datatype generated is not valid LLVM IR: ",
             StringRef(problems).trim().str()));
}

static Status emitBoth(Module &module, const Layout &layout,
                       const CodeTarget &target) {
  try {
    emitFunction(module, layout, target, true);
    emitFunction(module, layout, target, false);
  } catch (const std::exception &error) {
    return Status::error(StatusCode::NodeFailed,
                         concat("code generation failed: ", error.what()));
  }
  return {};
}

//===-- Lowering
//-----------------------------------------------------------===//

namespace {
/// Code generators that are not in use.
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

/// Keeps errors instead of ending the process.
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

Result<std::unique_ptr<Module>>
sluice::pack::buildModule(const Layout &layout, const Processor &processor,
                          LLVMContext &context) {
  if (Status status = checkCodeSize(*layout.form); !status.ok())
    return status;
  BorrowedMachine machine(processor);
  if (!machine.get())
    return noTarget();
  auto module = std::make_unique<Module>("pack", context);
  module->setTargetTriple(machine.get()->getTargetTriple());
  module->setDataLayout(machine.get()->createDataLayout());
  CodeTarget target = targetFor(processor);
  if (Status status = emitBoth(*module, layout, target); !status.ok())
    return status;
  if (!hasCustom(*layout.form))
    return std::move(module);
  if (Status status = verify(*module); !status.ok())
    return status;
  optimizeUserCode(*module, *machine.get());
  return std::move(module);
}

Result<SmallVector<char, 0>> sluice::pack::lower(Module &module,
                                                 const Processor &processor,
                                                 CodeFormat format) {
  BorrowedMachine machine(processor);
  if (!machine.get())
    return noTarget();
  std::string problems;
  module.getContext().setDiagnosticHandler(
      std::make_unique<KeepErrors>(problems));
  SmallVector<char, 0> out;
  raw_svector_ostream stream(out);
  legacy::PassManager passes;
  MCContext *mcContext = nullptr;
  bool failed =
      format == CodeFormat::Object
          ? machine.get()->addPassesToEmitMC(passes, mcContext, stream)
          : machine.get()->addPassesToEmitFile(passes, stream, nullptr,
                                               CodeGenFileType::AssemblyFile);
  if (failed)
    return noTarget();
  passes.run(module);
  if (!problems.empty())
    return Status::error(StatusCode::NodeFailed,
                         concat("code generation failed: ", problems));
  return out;
}
