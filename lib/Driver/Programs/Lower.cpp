//===- Lower.cpp - From graphs of nodes to LLVM IR ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that programs from files and task graphs share.
//
//===----------------------------------------------------------------------===//

#include "Lower.h"
#include "sluice/Driver/Flags.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::PlanModel;

codegen::Vectorization
driver::vectorizationOf(const std::vector<std::string> &compilerFlags) {
  codegen::Vectorization wanted;
  for (StringRef flag : compilerFlags) {
    if (flag == "-fvectorize" || flag == "-fno-vectorize")
      wanted.ofLoops = !flag.starts_with("-fno-");
    if (flag == "-fslp-vectorize" || flag == "-fno-slp-vectorize")
      wanted.ofStraightCode = !flag.starts_with("-fno-");
    if (flag.consume_front("-fveclib="))
      wanted.library = StringSwitch<VectorLibrary>(flag)
                           .Case("libmvec", VectorLibrary::LIBMVEC)
                           .Case("SVML", VectorLibrary::SVML)
                           .Case("AMDLIBM", VectorLibrary::AMDLIBM)
                           .Default(VectorLibrary::NoLibrary);
  }
  return wanted;
}

/// The last flag wins. A library of vector functions replaces calls of libm.
static codegen::MathLibrary mathLibraryOf(const ProgramOptions &program) {
  codegen::MathLibrary library = program.math;
  for (StringRef flag : program.compilerFlags) {
    if (flag == "-fmath-errno")
      library = codegen::MathLibrary::Errno;
    else if (flag == "-fno-math-errno" || flag == "-ffast-math")
      library = program.math;
    else if (flag.starts_with("-fveclib=") && flag != "-fveclib=none" &&
             library == codegen::MathLibrary::Inline)
      library = codegen::MathLibrary::Libm;
  }
  return library;
}

codegen::Debugging driver::debuggingOf(const ProgramOptions &program) {
  if (!program.isDebuggable)
    return codegen::Debugging::Lines;
  return program.optimizationLevel == 0 ? codegen::Debugging::Memory
                                        : codegen::Debugging::Values;
}

codegen::CodeGenOptions driver::codeGenOptions(const BuildOptions &options) {
  codegen::CodeGenOptions result;
  result.cpu =
      cpuWithFeatures(options.program.cpu, options.program.compilerFlags);
  result.optimizationLevel = options.program.optimizationLevel;
  result.vectorization = vectorizationOf(options.program.compilerFlags);
  result.vectorization.ofInstances =
      options.program.makesLanes && !options.program.isReference;
  result.makesPanels = options.program.makesPanels;
  result.isForRanks = options.program.isForRanks;
  result.vectorization.ofInsides =
      options.program.splitsBorders && !options.program.isReference;
  result.math.library = mathLibraryOf(options.program);
  result.math.hasVectorLibrary =
      result.vectorization.library != VectorLibrary::NoLibrary;
  for (StringRef flag : options.program.compilerFlags)
    if (flag.starts_with("-ffp-contract="))
      result.math.mayFuse = flag != "-ffp-contract=off";
  result.profiling = options.program.profiling;
  result.isReference = options.program.isReference;
  result.isChecked = options.program.isChecked;
  result.debugging = debuggingOf(options.program);
  // A program that is debugged without optimisation stays unchanged.
  if (!result.isReference && !result.isChecked &&
      result.debugging != codegen::Debugging::Memory) {
    result.helper = variantHelper();
    result.helperStamp = fileStamp(result.helper);
  }
  return result;
}

/// Adds what launches test. A loop of OpenMP runs whatever its tables hold, as
/// it would without Sluice.
static void addTables(PlanModel &model, const Program &program) {
  const std::string symbol = model.root.getSymName().str();
  const bool isLoop =
      any_of(program.openMP.graphs,
             [&](const OpenMPGraph &graph) { return graph.symbol == symbol; });
  auto tables = program.races.tables.find(symbol);
  if (tables == program.races.tables.end())
    return;
  for (const TableCondition &table : tables->second)
    model.tables.push_back(
        {.argument = table.argument,
         .entryBytes = table.entryBytes,
         .rule = table.rule | (isLoop ? SLUICE_TABLE_WARNS : 0u),
         .numVariables = table.numVariables,
         .numSums = table.numSums,
         .numSteps = uint32_t(table.steps.size()),
         .steps = table.steps.data(),
         .loads = table.loads.data(),
         .numLoads = uint32_t(table.loads.size()),
         .numIds = table.numIds,
         .numEnds = table.numEnds,
         .numNonZeros = table.numNonZeros});
}

std::optional<std::vector<PlanModel>> driver::flattenRoots(Program &program) {
  std::vector<PlanModel> models;
  bool failed = false;
  for (dfg::GraphOp root : program.getRoots()) {
    auto pairs = program.races.disjointArguments.find(root.getSymName().str());
    mlir::FailureOr<PlanModel> model = codegen::flatten(
        root, *program.code,
        pairs == program.races.disjointArguments.end() ? nullptr
                                                       : &pairs->second);
    if (mlir::failed(model)) {
      failed = true;
      continue;
    }
    addTables(*model, program);
    models.push_back(std::move(*model));
  }
  if (failed)
    return std::nullopt;
  return models;
}

/// Whether leaves use variables that change, which only whole programs can
/// show to their variants.
static bool usesVariables(Program &program) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> copy = CloneModule(*program.code, map);
  std::vector<Function *> leaves;
  for (Function *leaf : program.getLeaves())
    leaves.push_back(cast<Function>(map[leaf]));
  return !codegen::exportMutableGlobals(*copy, leaves).empty();
}

Error driver::lowerProgram(
    Program &program, MutableArrayRef<PlanModel> models,
    const codegen::CodeGenOptions &options,
    const std::optional<codegen::DeviceCodeOptions> &device) {
  std::string code;
  if (!options.helper.empty() && !(program.isUnit && usesVariables(program))) {
    program.exports =
        codegen::exportMutableGlobals(*program.code, program.getLeaves());
    // Counters would miss the work of variants.
    if (options.profiling.kind != codegen::Profiling::Kind::Generate) {
      raw_string_ostream os(code);
      writeProgram(program, os);
    }
  }
  std::vector<Function *> nodeFunctions = program.getNodeFunctions();
  std::optional<codegen::DeviceProgram> devices;
  if (device) {
    auto emitted = codegen::emitDeviceProgram(*program.code, models, *device);
    if (!emitted)
      return emitted.takeError();
    devices = std::move(*emitted);
  }
  codegen::splitMultiplyAddOfLeaves(*program.code, options.math.isFused,
                                    nodeFunctions);
  if (!options.isReference && !options.isChecked)
    codegen::addRowTouches(*program.code, models, options.math.isFused);
  // Checked graphs run on rank 0, as its main does.
  if (options.isForRanks && !options.isChecked)
    codegen::addShares(*program.code, models, options.math.isFused);
  if (options.isForRanks)
    codegen::serveRanks(*program.code);
  Expected<std::vector<GlobalVariable *>> plans = codegen::emitPlans(
      *program.code, models, code, options, devices ? &*devices : nullptr);
  if (!plans)
    return plans.takeError();
  DenseMap<Function *, GlobalVariable *> plansOfRoots;
  for (auto [model, plan] : zip(models, *plans)) {
    dfg::GraphOp root = model.root;
    if (Function *function = program.code->getFunction(root.getSymName()))
      plansOfRoots[function] = plan;
  }
  // Removes the bodies first: they contain calls that host call lowering does
  // not handle.
  codegen::dropNodeFunctions(*program.code, nodeFunctions);
  if (Error error = codegen::lowerHostCalls(*program.code, plansOfRoots))
    return error;
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(*program.code, &os))
    return createStringError("the generated code is not valid, which is a "
                             "defect of sluice: " +
                             problem);
  return Error::success();
}

Expected<std::unique_ptr<TargetMachine>>
driver::prepareTarget(codegen::CodeGenOptions &options) {
  auto machine =
      codegen::createTargetMachine(options.cpu, options.optimizationLevel);
  if (!machine)
    return machine;
  options.vectorBits = codegen::vectorBitsOf(**machine);
  options.math.isFused =
      options.math.mayFuse && codegen::fusesMultiplyAdd(**machine);
  return machine;
}
