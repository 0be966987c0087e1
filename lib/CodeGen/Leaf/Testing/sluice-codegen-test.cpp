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
#include "GuardedMemory.h"
#include "Oracle.h"

#include "sluice-c/FormTrial.h"
#include "sluice-c/Plan.h"
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
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

#include <ctime>
#include <map>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("<leaf.ll>"));
static cl::opt<std::string> leafName("leaf", cl::init("leaf"),
                                     cl::desc("name of the leaf"));
static cl::opt<std::string>
    levelsText("levels", cl::init("1"),
               cl::desc("extents, outermost level first: 4x4,16x16; ?4 for "
                        "one that code does not know, - for no dimensions"));
static cl::opt<unsigned> numFixed("fixed", cl::init(0),
                                  cl::desc("number of fixed levels"));
static cl::opt<std::string> fixedIds("fixed-ids", cl::init(""),
                                     cl::desc("ids of fixed levels: 1,0,2"));
static cl::opt<int> numUnits("units", cl::init(-1),
                             cl::desc("number of unit levels (default: all, or "
                                      "all but the last with a barrier)"));
static cl::list<std::string>
    ports("in", cl::CommaSeparated,
          cl::desc("input ports: 5, 2.5, i32[64], f32[64] (random numbers), "
                   "zero[64] (bytes, all 0), each with @L behind for one value "
                   "per instance "
                   "of level L, or = before for a constant code knows, or ! "
                   "for a buffer that nothing else points to, whose size in "
                   "bytes is the next port"));
static cl::list<std::string>
    outputs("out", cl::CommaSeparated,
            cl::desc("output ports: last, array@L, both@L, none"));
static cl::opt<std::string> emit("emit", cl::init("ir"),
                                 cl::desc("item, ir, optimized, run, time"));
static cl::opt<unsigned> seed("seed", cl::init(1), cl::desc("random numbers"));
static cl::opt<unsigned> pieces("pieces", cl::init(5),
                                cl::desc("parts a range is run in"));
static cl::opt<int64_t> firstUnit("from", cl::init(0),
                                  cl::desc("first unit that is run"));
static cl::opt<int64_t>
    unitLimit("units-at-most", cl::init(0),
              cl::desc("units that are run, of leaves "
                       "whose units are instances; 0: all"));
static cl::opt<bool> check("check-barriers",
                           cl::desc("only look for divergent barriers"));
static cl::opt<bool> implicitBarriers("implicit-barriers", cl::init(true));
static cl::opt<bool> panels("panels", cl::init(true));
static cl::opt<bool> splitGuards("split-guards", cl::init(true));
static cl::opt<bool> fuseGroups("fuse-groups", cl::init(true));
static cl::opt<bool> collectUpdates("collect-updates", cl::init(true));
static cl::opt<bool> reference("reference");
static cl::opt<int> printed("print", cl::init(-1),
                            cl::desc("input to print as i32 after a run"));
static cl::opt<std::string> cpu("cpu",
                                cl::desc("processor to compile for (default: "
                                         "this one)"));
static cl::opt<std::string>
    peer("peer", cl::desc("shared object whose function peer(void **values) "
                          "does the same work, to compare times with"));
static cl::opt<std::string>
    rangeFile("range", cl::desc("run the range function of this module, which "
                                "passes have changed, as it is"));
static cl::opt<unsigned> vectorBits("vector-bits", cl::init(512));
static cl::opt<int>
    lanes("lanes", cl::init(-1),
          cl::desc("lanes for instances with loops: so many wherever they are "
                   "possible, 0 for none (default: where they pay)"));

static cl::opt<bool>
    splitBorders("split-borders", cl::init(true),
                 cl::desc("instances at borders apart from those inside"));

static cl::opt<unsigned> pipelineLevel("level", cl::init(3),
                                       cl::desc("of optimisation, 1 to 3"));
static cl::opt<bool>
    quickCode("quick-code", cl::desc("only LLVM's own last steps, from IR to "
                                     "machine code, without optimisation"));
static cl::opt<std::string>
    batch("batch", cl::desc("file with a line for each leaf to run: its name, "
                            "and its options"));

static cl::opt<Debugging>
    debugging("debugging", cl::desc("what debuggers see"),
              cl::init(Debugging::Lines),
              cl::values(clEnumValN(Debugging::Lines, "lines", "no variables"),
                         clEnumValN(Debugging::Values, "values",
                                    "variables where the code has them"),
                         clEnumValN(Debugging::Memory, "memory",
                                    "all of them; nothing is optimised")));

static ExitOnError exitOnError("sluice-codegen-test: error: ");

//===----------------------------------------------------------------------===//
// The specification
//===----------------------------------------------------------------------===//

namespace {

/// One port's data: a value, or a buffer whose address is the value.
struct Datum {
  std::vector<char> bytes;
  bool isBuffer = false;
};

struct Setup {
  RangeSpec spec;
  std::vector<std::array<int64_t, 3>> extents;
  std::vector<std::array<int64_t, 3>> ids; ///< of fixed levels
  std::vector<Datum> inputs;

  int64_t count(unsigned first, unsigned end) const {
    int64_t product = 1;
    for (unsigned level = first; level < end; ++level)
      for (int64_t extent : extents[level])
        product *= extent;
    return product;
  }
};

} // namespace

static void parseLevels(Setup &setup) {
  SmallVector<StringRef> levels;
  StringRef(levelsText).split(levels, ',');
  for (StringRef text : levels) {
    InstanceLevel level;
    std::array<int64_t, 3> extents{1, 1, 1};
    SmallVector<StringRef> parts;
    if (text != "-")
      text.split(parts, 'x');
    for (StringRef part : parts) {
      bool isKnown = !part.consume_front("?");
      int64_t extent = 0;
      part.getAsInteger(10, extent);
      extents[level.dims] = extent;
      if (isKnown)
        level.extents[level.dims] = extent;
      ++level.dims;
    }
    setup.spec.levels.push_back(level);
    setup.extents.push_back(extents);
  }
  SmallVector<StringRef> ids;
  StringRef(fixedIds).split(ids, ',', -1, false);
  for (unsigned level = 0; level < numFixed; ++level) {
    std::array<int64_t, 3> id{0, 0, 0};
    for (unsigned dim = 0; dim < 3 && 3 * level + dim < ids.size(); ++dim)
      ids[3 * level + dim].getAsInteger(10, id[dim]);
    setup.ids.push_back(id);
  }
}

static void fill(Datum &datum, Type *type, const DataLayout &layout,
                 std::mt19937 &random) {
  uint64_t size = layout.getTypeAllocSize(type);
  for (uint64_t at = 0; at + size <= datum.bytes.size(); at += size) {
    int64_t number = int64_t(random() % 201) - 100;
    float single = float(number) / 7;
    double exact = double(number) / 7;
    const void *source = &number;
    if (type->isFloatTy())
      source = &single;
    else if (type->isDoubleTy())
      source = &exact;
    memcpy(&datum.bytes[at], source, std::min<uint64_t>(size, 8));
  }
}

static Type *elementType(StringRef name, LLVMContext &context) {
  if (name == "f32")
    return Type::getFloatTy(context);
  if (name == "f64")
    return Type::getDoubleTy(context);
  unsigned bits = 8;
  if (name.consume_front("i"))
    name.getAsInteger(10, bits);
  return Type::getIntNTy(context, bits);
}

static Constant *parseScalar(StringRef text, Type *type) {
  if (type->isFloatingPointTy())
    return ConstantFP::get(type, text);
  int64_t number = 0;
  text.getAsInteger(0, number);
  return ConstantInt::get(type, number, true);
}

static void parseInput(Setup &setup, StringRef text, Type *type,
                       std::mt19937 &random) {
  const DataLayout &layout = setup.spec.leaf->getDataLayout();
  InputPort port;
  Datum datum;
  bool isConstant = text.consume_front("=");
  port.noAlias = text.consume_front("!");
  unsigned next = setup.spec.inputs.size() + 1;
  if (port.noAlias && next < setup.spec.leaf->arg_size() &&
      setup.spec.leaf->getArg(next)->getType()->isIntegerTy(64))
    port.bytesPort = next;
  auto [value, level] = text.split('@');
  if (!level.empty()) {
    port.mode = PortMode::PerInstance;
    level.getAsInteger(10, port.level);
    datum.isBuffer = true;
    datum.bytes.resize(
        layout.getTypeAllocSize(type) *
        std::max<int64_t>(1, setup.count(numFixed, port.level + 1)));
    fill(datum, type, layout, random);
  } else if (value.contains('[')) {
    auto [element, count] = value.split('[');
    Type *of = elementType(element, type->getContext());
    uint64_t number = 0;
    count.drop_back().getAsInteger(10, number);
    datum.isBuffer = true;
    datum.bytes.resize(number * layout.getTypeAllocSize(of));
    if (element != "zero")
      fill(datum, of, layout, random);
  } else if (type->isStructTy()) {
    datum.bytes.resize(layout.getTypeAllocSize(type));
    for (char &byte : datum.bytes)
      byte = random() % 100;
  } else {
    Constant *constant = parseScalar(value, type);
    if (isConstant)
      port.constant = constant;
    uint64_t raw = 0; // of a null pointer
    if (auto *integer = dyn_cast<ConstantInt>(constant))
      raw = integer->getZExtValue();
    else if (auto *number = dyn_cast<ConstantFP>(constant))
      raw = number->getValueAPF().bitcastToAPInt().getZExtValue();
    datum.bytes.resize(layout.getTypeAllocSize(type));
    memcpy(datum.bytes.data(), &raw, datum.bytes.size());
  }
  setup.spec.inputs.push_back(port);
  setup.inputs.push_back(std::move(datum));
}

static OutputPort parseOutput(StringRef text) {
  OutputPort port;
  auto [kind, level] = text.split('@');
  level.getAsInteger(10, port.level);
  port.last = kind == "last" || kind == "both";
  port.perInstance = kind == "array" || kind == "both";
  return port;
}

static Setup makeSetup(Function &leaf) {
  Setup setup;
  setup.spec.leaf = &leaf;
  setup.spec.name = leafName + ".range";
  bool isPlain = debugging == Debugging::Memory;
  setup.spec.options = {.reference = reference || isPlain,
                        .implicitBarriers = implicitBarriers,
                        .leavesToLanes = lanes != 0,
                        .panels = panels,
                        .splitGuards = splitGuards && !isPlain,
                        .fuseGroups = fuseGroups,
                        .collectUpdates = collectUpdates,
                        .debugging = debugging,
                        .vectorBits = vectorBits};
  parseLevels(setup);
  setup.spec.numFixedLevels = numFixed;
  setup.spec.numUnitLevels =
      numUnits >= 0 ? unsigned(numUnits)
                    : setup.spec.levels.size() - mayExecuteBarrier(leaf);
  std::mt19937 random(seed);
  for (Argument &argument : leaf.args()) {
    unsigned index = argument.getArgNo();
    parseInput(setup, index < ports.size() ? StringRef(ports[index]) : "0",
               argument.getType(), random);
  }
  for (const std::string &text : outputs)
    setup.spec.outputs.push_back(parseOutput(text));
  return setup;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static Vectorization vectorization() {
  Vectorization result;
  result.ofInstances = lanes != 0;
  result.numLanes = lanes > 0 ? lanes : 0;
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
// Running
//===----------------------------------------------------------------------===//

/// Blocks that the leaf allocated, freed at the end.
static std::vector<std::unique_ptr<char[]>> allocations;
static int64_t liveGroupBlocks;

static void *allocate(const void *, int64_t size) {
  allocations.push_back(std::make_unique<char[]>(size + 64));
  auto address = reinterpret_cast<uintptr_t>(allocations.back().get());
  return reinterpret_cast<void *>((address + 63) & ~uintptr_t(63));
}

/// Scratch memory is as close to the guard behind it as its alignment lets it:
/// what goes beyond it ends the test.
static std::map<void *, GuardedPages> groupBlocks;

static void *allocateGroup(const void *, int64_t size) {
  ++liveGroupBlocks;
  size = alignTo(std::max<int64_t>(size, 1), 64);
  if (emit == "time")
    return aligned_alloc(64, size);
  const GuardedPages pages(size);
  memset(pages.data, 0xA5, pages.size);
  char *data = pages.data + (pages.size - size);
  groupBlocks.emplace(data, pages);
  return data;
}
static void freeGroup(const void *, void *block) {
  --liveGroupBlocks;
  auto found = groupBlocks.find(block);
  if (found == groupBlocks.end())
    return free(block);
  found->second.unmap();
  groupBlocks.erase(found);
}

/// Both forms of a kernel run in turns, whether a call is timed or not; where
/// the tool itself takes the time, the usual one.
static uint64_t beginTrial(SluiceFormTrial *trial) {
  if (emit == "time")
    return 2;
  const unsigned form = trial->numBegun++ & 1;
  if (form)
    trial->state = 4 | (trial->numBegun >> 1 & 1);
  return 2 | form;
}

static void endTrial(SluiceFormTrial *trial, uint64_t begun, uint64_t) {
  if (emit == "time")
    return;
  if (!trial || (begun & ~uint64_t(1)) != 2)
    report_fatal_error("a trial ends that has not begun");
}

namespace {

using Caller = void (*)(void **);

/// Memory one run works on: copies of all inputs, and outputs.
struct Memory {
  std::vector<InputMemory> inputs;
  std::vector<std::vector<char>> last, arrays;
  bool operator==(const Memory &) const = default;
};

class Runner {
public:
  Runner(const Setup &setup) : setup(setup) {}

  Memory memory(Place place) const {
    Memory result;
    for (const Datum &datum : setup.inputs)
      result.inputs.emplace_back(datum.bytes, place);
    auto *type = dyn_cast<StructType>(setup.spec.leaf->getReturnType());
    for (unsigned port = 0; port < setup.spec.outputs.size(); ++port) {
      uint64_t size = setup.spec.leaf->getDataLayout().getTypeAllocSize(
          type->getElementType(port));
      int64_t count = setup.count(numFixed, setup.spec.outputs[port].level + 1);
      result.last.emplace_back(size);
      result.arrays.emplace_back(size * std::max<int64_t>(count, 1));
    }
    return result;
  }

  void runRange(Caller caller, Memory &memory, int64_t begin, int64_t end,
                bool isAlone = true) {
    invocation.isAlone = isAlone;
    start(memory);
    for (const auto &id : setup.ids)
      for (int64_t number : id)
        addNumber(number);
    addExtents();
    addNumber(begin);
    addNumber(end);
    addOutputs(memory);
    call(caller);
  }

  /// Of leaves whose units are instances.
  void runOracle(Caller caller, Memory &memory, int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number)
      runGroup(1, [&](int64_t) {
        Runner instance(setup);
        instance.runInstance(caller, memory, number);
      });
  }

  void runOracle(Caller caller, Memory &memory) {
    unsigned levels = setup.spec.levels.size();
    int64_t groups = setup.count(numFixed, levels - 1);
    int64_t items = setup.count(levels - 1, levels);
    for (int64_t group = 0; group < groups; ++group)
      runGroup(items, [&](int64_t item) {
        Runner instance(setup);
        instance.runInstance(caller, memory, group * items + item);
      });
  }

private:
  const Setup &setup;
  std::vector<std::unique_ptr<int64_t>> numbers;
  std::vector<void *> values;
  SluiceInvocation invocation = {};

  void addNumber(int64_t number) {
    numbers.push_back(std::make_unique<int64_t>(number));
    values.push_back(numbers.back().get());
  }
  void addPointer(void *pointer) {
    addNumber(reinterpret_cast<intptr_t>(pointer));
  }
  void start(Memory &memory) {
    numbers.clear();
    values.clear();
    addPointer(&invocation);
    for (unsigned port = 0; port < setup.inputs.size(); ++port)
      if (setup.inputs[port].isBuffer)
        addPointer(memory.inputs[port].data());
      else
        values.push_back(memory.inputs[port].data());
  }
  void addExtents() {
    for (const auto &level : setup.extents)
      for (int64_t extent : level)
        addNumber(extent);
  }
  void addOutputs(Memory &memory) {
    for (unsigned port = 0; port < memory.last.size(); ++port) {
      addPointer(memory.last[port].data());
      addPointer(memory.arrays[port].data());
    }
  }
  void call(Caller caller) { caller(values.data()); }

  void runInstance(Caller caller, Memory &memory, int64_t number) {
    start(memory);
    SmallVector<std::array<int64_t, 3>> ids(setup.spec.levels.size());
    for (unsigned level = ids.size(); level-- > numFixed;)
      for (unsigned dim = 0; dim < 3; ++dim) {
        ids[level][dim] = number % setup.extents[level][dim];
        number /= setup.extents[level][dim];
      }
    for (unsigned level = 0; level < ids.size(); ++level)
      for (unsigned dim = 0; dim < 3; ++dim)
        addNumber(level < numFixed ? setup.ids[level][dim] : ids[level][dim]);
    addExtents();
    addOutputs(memory);
    addNumber(1);
    call(caller);
  }
};

} // namespace

static void report(const Memory &expected, const Memory &actual,
                   StringRef what) {
  auto compare = [&](const auto &left, const auto &right, StringRef kind) {
    for (unsigned port = 0; port < left.size(); ++port)
      for (size_t at = 0; at < left[port].size(); at += 4)
        if (memcmp(&left[port][at], &right[port][at],
                   std::min<size_t>(4, left[port].size() - at))) {
          outs() << what << ": " << kind << ' ' << port
                 << " differs first at byte " << at << '\n';
          break;
        }
  };
  compare(expected.inputs, actual.inputs, "input");
  compare(expected.last, actual.last, "last value of output");
  compare(expected.arrays, actual.arrays, "array of output");
}

static int run(const Setup &setup, Caller oracle, Caller range) {
  Runner runner(setup);
  Memory expected = runner.memory(Place::BeforeGuard);
  int64_t begin = firstUnit,
          units = setup.count(numFixed, setup.spec.numUnitLevels);
  if (unitLimit != 0) {
    units = std::min(units, begin + unitLimit);
    runner.runOracle(oracle, expected, begin, units);
  } else {
    runner.runOracle(oracle, expected);
  }

  Memory whole = runner.memory(Place::BeforeGuard);
  runner.runRange(range, whole, begin, units);
  Memory split = runner.memory(Place::BehindGuard);
  std::mt19937 random(seed);
  for (unsigned piece = 0; piece < pieces && begin < units; ++piece) {
    int64_t end = piece + 1 == pieces
                      ? units
                      : begin + int64_t(random() % uint64_t(units - begin + 1));
    runner.runRange(range, split, begin, end, /*isAlone=*/false);
    begin = end;
  }
  bool same = expected == whole && expected == split;
  if (!same) {
    report(expected, whole, "whole range");
    report(expected, split, "split range");
  }
  if (printed >= 0) {
    outs() << "input " << printed << ':';
    for (size_t at = 0; at + 4 <= whole.inputs[printed].size(); at += 4) {
      int32_t number;
      memcpy(&number, &whole.inputs[printed][at], 4);
      outs() << ' ' << number;
    }
    outs() << '\n';
  }
  if (liveGroupBlocks != 0)
    outs() << liveGroupBlocks << " blocks of group memory were not freed\n";
  outs() << (same ? "same\n" : "different\n");
  return same && liveGroupBlocks == 0 ? 0 : 1;
}

/// Processor time of this thread, in microseconds: other processes do not
/// count.
static double processorTime() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) / 1e3;
}

static double timeOnce(Runner &runner, Memory &memory, Caller caller,
                       int64_t units) {
  double start = processorTime();
  runner.runRange(caller, memory, 0, units);
  return processorTime() - start;
}

static double median(std::vector<double> numbers) {
  llvm::sort(numbers);
  return numbers[numbers.size() / 2];
}

/// Interleaved rounds: both run on the same memory, right after each other.
static int measure(const Setup &setup, Caller range) {
  Caller other = nullptr;
  if (!peer.empty()) {
    std::string error;
    auto library =
        sys::DynamicLibrary::getPermanentLibrary(peer.c_str(), &error);
    if (!library.isValid())
      exitOnError(createStringError(inconvertibleErrorCode(), error));
    other = reinterpret_cast<Caller>(library.getAddressOfSymbol("peer"));
  }
  Runner runner(setup);
  Memory memory = runner.memory(Place::Anywhere);
  int64_t units = setup.count(numFixed, setup.spec.numUnitLevels);
  std::vector<double> own, others, ratios;
  for (unsigned round = 0; round < 31; ++round) {
    own.push_back(timeOnce(runner, memory, range, units));
    if (!other)
      continue;
    others.push_back(timeOnce(runner, memory, other, units));
    ratios.push_back(others.back() / own.back());
  }
  outs() << format("median %.1f us, best %.1f us", median(own),
                   *llvm::min_element(own));
  if (other)
    outs() << format("; peer %.1f, %.1f; peer/own %.3f", median(others),
                     *llvm::min_element(others), median(ratios));
  outs() << '\n';
  return 0;
}

static std::unique_ptr<orc::LLJIT> makeJit(CodeGenOptLevel level) {
  auto builder = exitOnError(orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(level);
  auto jit = exitOnError(
      orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
  auto define = [&](StringRef name, auto *function) {
    exitOnError(jit->getMainJITDylib().define(orc::absoluteSymbols(
        {{jit->mangleAndIntern(name),
          {orc::ExecutorAddr::fromPtr(function), JITSymbolFlags::Exported}}})));
  };
  define("sluiceMalloc", allocate);
  define("sluiceGroupMalloc", allocateGroup);
  define("sluiceGroupFree", freeGroup);
  define("sluiceBeginTrial", beginTrial);
  define("sluiceEndTrial", endTrial);
  define("oracleBarrier", oracleBarrier);
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
  return run(setup, oracle, range);
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
