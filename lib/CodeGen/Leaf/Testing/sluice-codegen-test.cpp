//===- sluice-codegen-test.cpp - Print and run range functions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests only: reads a leaf as textual IR and a specification from the
// command line, then prints the leaf's range function, or runs it, whole and
// in pieces, against the oracle and compares every byte. A batch runs many
// leaves of one file.
//
//===----------------------------------------------------------------------===//

#include "../Item/ItemFunction.h"
#include "../Item/ItemSignature.h"
#include "LeafRunner.h"

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/CodeGen/InlineMath.h"
#include "sluice/CodeGen/KernelPipeline.h"
#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::leaftest;

static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<leaf.ll>"));
static cl::opt<bool> check("check-barriers",
                           cl::desc("only look for divergent barriers"));
static cl::opt<std::string> cpu("cpu",
                                cl::desc("processor to compile for (default: "
                                         "this one)"));
static cl::opt<std::string>
    rangeFile("range", cl::desc("run the range function of this module, which "
                                "passes have changed, as it is"));
static cl::opt<bool>
    splitBorders("split-borders", cl::init(true),
                 cl::desc("instances at borders apart from those inside"));
static cl::opt<unsigned> pipelineLevel("level", cl::init(3),
                                       cl::desc("of optimisation, 1 to 3"));
static cl::opt<unsigned>
    ownLanes("own-lanes", cl::desc("lanes for rounds of a leaf's own loops "
                                   "wherever they are possible"));
static cl::opt<bool>
    quickCode("quick-code", cl::desc("only LLVM's own last steps, from IR to "
                                     "machine code, without optimisation"));
static cl::opt<std::string>
    batch("batch", cl::desc("file with a line for each leaf to run: its name, "
                            "and its options"));

static ExitOnError exitOnError("sluice-codegen-test: error: ");

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static Vectorization vectorization() {
  Vectorization result;
  result.ofInstances = lanes != 0;
  result.numLanes = lanes > 0 ? lanes : 0;
  result.numOwnLanes = ownLanes;
  result.ofInsides = splitBorders;
  return result;
}

static unsigned levelOfOptions() {
  return debugging == Debugging::Memory ? 0 : pipelineLevel;
}

static std::unique_ptr<TargetMachine> hostMachine() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto builder = exitOnError(orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(CodeGenOptLevel::Aggressive);
  if (!cpu.empty()) {
    builder.setCPU(cpu);
    builder.getFeatures() = SubtargetFeatures();
  }
  return exitOnError(builder.createTargetMachine());
}

/// `void @caller(ptr values)`: calls `callee` with the arguments to which the
/// entries of the array `values` point.
static void addCaller(Function &callee, StringRef name) {
  LLVMContext &context = callee.getContext();
  auto *type = FunctionType::get(Type::getVoidTy(context),
                                 {PointerType::getUnqual(context)}, false);
  Function *caller = Function::Create(type, GlobalValue::ExternalLinkage, name,
                                      callee.getParent());
  IRBuilder<> builder(BasicBlock::Create(context, "entry", caller));
  SmallVector<Value *> arguments;
  for (Argument &argument : callee.args()) {
    Value *slot = builder.CreateConstGEP1_64(
        builder.getPtrTy(), caller->getArg(0), argument.getArgNo());
    arguments.push_back(builder.CreateLoad(
        argument.getType(), builder.CreateLoad(builder.getPtrTy(), slot)));
  }
  CallInst *call = builder.CreateCall(&callee, arguments);
  call->setIsNoInline();
  builder.CreateRetVoid();
}

static void replaceBarriers(Module &module) {
  Function *barrier = module.getFunction("llvm.hpvm.barrier");
  if (!barrier)
    return;
  FunctionCallee callee = module.getOrInsertFunction(
      "oracleBarrier", Type::getVoidTy(module.getContext()));
  barrier->replaceAllUsesWith(callee.getCallee());
}

/// In a batch: the leaf that this process runs, without the others.
static SmallVector<char, 0> leafBitcode;

static std::unique_ptr<Module> readModule(LLVMContext &context,
                                          StringRef path = input) {
  if (!leafBitcode.empty() && path == input)
    return exitOnError(parseBitcodeFile(
        {StringRef(leafBitcode.data(), leafBitcode.size()), input}, context));
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(path, diagnostic, context);
  if (!module) {
    diagnostic.print("sluice-codegen-test", errs());
    exit(1);
  }
  return module;
}

static Function &findFunction(Module &module, const std::string &name) {
  Function *function = module.getFunction(name);
  if (!function)
    exitOnError(createStringError(inconvertibleErrorCode(), "no leaf '%s'",
                                  name.c_str()));
  return *function;
}

static Function &findLeaf(Module &module) {
  return findFunction(module, leafName);
}

static void runPasses(Module &module, ModulePassManager passes) {
  FunctionAnalysisManager functions;
  ModuleAnalysisManager analyses; // whose results use `functions`
  PassBuilder builder;
  builder.registerModuleAnalyses(analyses);
  builder.registerFunctionAnalyses(functions);
  analyses.registerPass(
      [&] { return FunctionAnalysisManagerModuleProxy(functions); });
  functions.registerPass(
      [&] { return ModuleAnalysisManagerFunctionProxy(analyses); });
  passes.run(module, analyses);
}

/// Removes what only the leaf as it was needs: intrinsics have no definition.
static void removeUnused(Module &module, StringRef needed) {
  for (Function &function : module)
    if (!function.isDeclaration() && function.getName() != needed) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
    }
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  runPasses(module, std::move(passes));
}

static void verify(Module &module) {
  if (verifyModule(module, &errs()))
    exitOnError(createStringError(inconvertibleErrorCode(), "broken module"));
}

//===----------------------------------------------------------------------===//
// Running and printing
//===----------------------------------------------------------------------===//

static std::unique_ptr<orc::LLJIT> makeJit(CodeGenOptLevel level) {
  auto builder = exitOnError(orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(level);
  auto jit = exitOnError(
      orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
  forEachRuntimeFunction([&](StringRef name, void *address) {
    exitOnError(jit->getMainJITDylib().define(orc::absoluteSymbols(
        {{jit->mangleAndIntern(name),
          {orc::ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported}}})));
  });
  exitOnError(
      jit->getMainJITDylib().define(orc::absoluteSymbols(orc::SymbolMap())));
  jit->getMainJITDylib().addGenerator(
      exitOnError(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
          jit->getDataLayout().getGlobalPrefix())));
  return jit;
}

/// The range function that -range= names.
static orc::ThreadSafeModule readRange(TargetMachine &machine) {
  auto context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module = readModule(*context, rangeFile);
  addCaller(findFunction(*module, leafName + ".range"), "call.range");
  removeUnused(*module, "call.range");
  compileFor(*module, machine);
  verify(*module);
  return orc::ThreadSafeModule(std::move(module), std::move(context));
}

/// Oracle and range function are compiled from modules of their own, so that
/// neither sees what was made for the other.
static orc::ThreadSafeModule compile(TargetMachine &machine, bool forOracle) {
  auto context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module = readModule(*context);
  splitMultiplyAdd(*module,
                   machine.getMCSubtargetInfo()->checkFeatures("+fma"));
  Function &leaf = findLeaf(*module);
  Setup setup = makeSetup(leaf);
  if (forOracle) {
    Function *item = exitOnError(createItemFunction(setup.spec, {})).function;
    replaceBarriers(*module);
    addCaller(*item, "call.item");
  } else {
    addCaller(*exitOnError(createRangeFunction(setup.spec)), "call.range");
  }
  removeUnused(*module, forOracle ? "call.item" : "call.range");
  compileFor(*module, machine);
  verify(*module);
  if (!forOracle)
    optimizeKernels(*module, &machine, levelOfOptions(), vectorization());
  verify(*module);
  for (GlobalVariable &variable : module->globals())
    if (variable.hasName() && variable.hasExternalLinkage())
      variable.setLinkage(GlobalValue::InternalLinkage);
  return orc::ThreadSafeModule(std::move(module), std::move(context));
}

static int execute(TargetMachine &machine) {
  auto jit =
      makeJit(quickCode ? CodeGenOptLevel::None : CodeGenOptLevel::Default);
  exitOnError(jit->addIRModule(rangeFile.empty() ? compile(machine, false)
                                                 : readRange(machine)));
  LLVMContext context;
  std::unique_ptr<Module> module = readModule(context);
  module->setDataLayout(machine.createDataLayout());
  Setup setup = makeSetup(findLeaf(*module));
  auto range = exitOnError(jit->lookup("call.range")).toPtr<Caller>();
  if (emit == "time")
    return measure(setup, range);
  auto plainJit =
      makeJit(quickCode ? CodeGenOptLevel::None : CodeGenOptLevel::Default);
  exitOnError(plainJit->addIRModule(compile(machine, true)));
  auto oracle = exitOnError(plainJit->lookup("call.item")).toPtr<Caller>();
  return runAndCompare(setup, oracle, range);
}

static int print(TargetMachine &machine) {
  LLVMContext context;
  std::unique_ptr<Module> module = readModule(context);
  Function &leaf = findLeaf(*module);
  Setup setup = makeSetup(leaf);
  Function *result =
      emit == "item" ? exitOnError(createItemFunction(setup.spec, {})).function
                     : exitOnError(createRangeFunction(setup.spec));
  verify(*module);
  if (emit == "optimized") {
    result->setLinkage(GlobalValue::ExternalLinkage);
    removeUnused(*module, result->getName());
    compileFor(*module, machine);
    optimizeKernels(*module, &machine, levelOfOptions(), vectorization());
    module->print(outs(), nullptr);
    return 0;
  }
  result->print(outs());
  return 0;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Runs one leaf of a batch, which is in `leaves` with others. `words`: those
/// of the command line, and of the leaf's own line.
static int executeAlone(Module &leaves, ArrayRef<const char *> words) {
  constexpr rlimit mostSeconds = {300, 300}; // of processor time
  setrlimit(RLIMIT_CPU, &mostSeconds);
  cl::ResetAllOptionOccurrences();
  cl::ParseCommandLineOptions(words.size(), words.data());
  findLeaf(leaves);
  removeUnused(leaves, leafName);
  raw_svector_ostream stream(leafBitcode);
  WriteBitcodeToFile(leaves, stream);
  return execute(*hostMachine());
}

/// Runs each leaf in a process of its own, so that one that crashes or needs
/// too long does not end the others. Says of each how its process ended.
static int executeAll(int argc, char **argv) {
  LLVMContext context;
  std::unique_ptr<Module> leaves = readModule(context);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(PromotePass()));
  runPasses(*leaves, std::move(passes));
  auto lines = exitOnError(errorOrToExpected(MemoryBuffer::getFile(batch)));
  int result = 0;
  for (line_iterator line(*lines); !line.is_at_eof(); ++line) {
    auto [name, options] = line->split(' ');
    SmallVector<StringRef> parts;
    options.split(parts, ' ', -1, false);
    std::vector<std::string> texts = {("-leaf=" + name).str()};
    texts.insert(texts.end(), parts.begin(), parts.end());
    SmallVector<const char *> words;
    for (int i = 0; i < argc; ++i)
      if (!StringRef(argv[i]).starts_with("-batch"))
        words.push_back(argv[i]);
    for (const std::string &text : texts)
      words.push_back(text.c_str());
    outs().flush();
    pid_t process = fork();
    if (process == 0) {
      int status = executeAlone(*leaves, words);
      outs().flush();
      _exit(status);
    }
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) != process)
      report_fatal_error("no process for a leaf");
    outs() << name << ": ";
    if (WIFSIGNALED(status))
      outs() << "signal " << WTERMSIG(status) << '\n';
    else
      outs() << "status " << WEXITSTATUS(status) << '\n';
    result |= status != 0;
  }
  return result;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "tests range functions\n");
  if (check) {
    LLVMContext context;
    std::unique_ptr<Module> module = readModule(context);
    exitOnError(checkBarriers(findLeaf(*module)));
    outs() << "no divergent barrier\n";
    return 0;
  }
  if (!batch.empty())
    return executeAll(argc, argv);
  std::unique_ptr<TargetMachine> machine = hostMachine();
  if (emit == "run" || emit == "time")
    return execute(*machine);
  return print(*machine);
}
