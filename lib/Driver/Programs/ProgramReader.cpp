//===- ProgramReader.cpp - The files of a program to graphs and code ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of file has its own way to code and graphs; in the end both are
// one module of code and one of graphs.
//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"
#include "DeviceCode.h"
#include "FurtherRules.h"
#include "WrittenGraphs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sluice/Analysis/LeafFolds.h"
#include "sluice/Analysis/LeafOrder.h"
#include "sluice/CodeGen/CodeGen.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "sluice/Frontend/HPVM/ImportHPVM.h"
#include "sluice/Frontend/HPVM/LowerGotos.h"
#include "sluice/Frontend/HPVM/ReadIR.h"
#include "sluice/Frontend/Reports/RaceReports.h"
#include "sluice/Frontend/Reports/ThreadLocalReports.h"
#include "sluice/Frontend/Sources/Sources.h"
#include "sluice/Toolchain/FileHash.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
enum class FileKind { Source, IR, Graph, Unknown };
} // namespace

static FileKind kindOf(StringRef path) {
  return StringSwitch<FileKind>(sys::path::extension(path))
      .Cases({".c", ".cc", ".cpp", ".cxx", ".C"}, FileKind::Source)
      .Cases({".ll", ".bc"}, FileKind::IR)
      .Cases({".mlir", ".mlirbc"}, FileKind::Graph)
      .Default(FileKind::Unknown);
}

namespace {
/// Passes on what LLVM says, but not the warnings that the command line has
/// switched off.
class ChosenWarnings final : public DiagnosticHandler {
public:
  ChosenWarnings(bool hasWarnings, std::unique_ptr<DiagnosticHandler> others)
      : hasWarnings(hasWarnings), others(std::move(others)) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    bool isOff = info.getSeverity() == DS_Warning &&
                 (!hasWarnings || info.getKind() == DK_OptimizationFailure);
    return isOff || (others && others->handleDiagnostics(info));
  }

private:
  const bool hasWarnings;
  std::unique_ptr<DiagnosticHandler> others;
};
} // namespace

/// Loops that were wished to be vectors, and are not, are warned of unless the
/// words of clang's front end say no.
static void chooseWarnings(ArrayRef<std::string> words, LLVMContext &context) {
  bool hasWarnings = !is_contained(words, "-w"), saysFailures = hasWarnings;
  for (StringRef word : words)
    if (word.consume_front("-Wno-"))
      saysFailures &= !word.starts_with("pass-failed") && word != "everything";
    else if (word.starts_with("-Wpass-failed"))
      saysFailures = hasWarnings;
  if (!saysFailures)
    context.setDiagnosticHandler(std::make_unique<ChosenWarnings>(
        hasWarnings, context.getDiagnosticHandler()));
}

ProgramReader::ProgramReader(const ProgramOptions &options, Progress &progress)
    : options(options), progress(progress),
      program(std::make_unique<Program>()) {
  program->isUnit = !options.frontendWords.empty();
  chooseWarnings(options.frontendWords, program->codeContext);
  program->graphContext = createGraphContext();
  program->printer = std::make_unique<MLIRPrinter>(*program->graphContext);
  mlir::registerBuiltinDialectTranslation(*program->graphContext);
  mlir::registerLLVMDialectTranslation(*program->graphContext);
  writtenGraphs = mlir::ModuleOp::create(
      mlir::UnknownLoc::get(program->graphContext.get()));
}

void ProgramReader::fail(const Twine &message) {
  printError(message);
  failed = true;
}

CompileOptions ProgramReader::compileOptions() {
  CompileOptions compile;
  compile.frontendWords = options.frontendWords;
  if (program->isUnit)
    return compile;
  compile.arguments = options.compilerFlags;
  compile.version = options.isVersion05 ? HPVMVersion::V0_5 : HPVMVersion::V1_0;
  // Clang's front end decides about a single source.
  if (!needsOpenMP) {
    std::vector<std::string> sources;
    copy_if(options.files, std::back_inserter(sources),
            [](const std::string &path) {
              return kindOf(path) == FileKind::Source;
            });
    needsOpenMP = sources.size() > 1 && needOpenMPFlag(sources, compile);
  }
  if (*needsOpenMP)
    compile.arguments.insert(compile.arguments.begin(), "-fopenmp");
  return compile;
}

/// Returns the unit that was compiled ahead, and prints its warnings; or
/// compiles the source.
Expected<CompiledUnit> ProgramReader::compile(const std::string &path,
                                              const CompileOptions &compile) {
  std::vector<Diagnostic> warnings;
  std::optional<CompiledUnit> unit;
  if (ahead)
    unit = ahead->take(path, program->codeContext, warnings);
  if (!unit)
    return compileSource(path, compile, program->codeContext, diagnostics);
  diagnostics.spellFile(path);
  for (const Diagnostic &warning : warnings)
    printDiagnostic(warning);
  return std::move(*unit);
}

/// Checks for somebody who waits, and wants messages as data, are worth a
/// thread: what clang prints itself would come in any order.
void ProgramReader::compileAhead() {
  bool areSources = all_of(options.files, [](const std::string &path) {
    return kindOf(path) == FileKind::Source;
  });
  if (options.hasRemarks && areDiagnosticsRedirected() && areSources &&
      options.files.size() > 1 && std::thread::hardware_concurrency() > 1)
    ahead.emplace(options.files, compileOptions());
}

void ProgramReader::readSource(const std::string &path) {
  CompileOptions compile = compileOptions();
  Diagnostics before = diagnostics;
  Expected<CompiledUnit> unit = this->compile(path, compile);
  if (!unit && program->isUnit) {
    // Compilers say no more than that.
    consumeError(unit.takeError());
    isRefused = true;
    return;
  }
  if (!unit) {
    printError(toString(unit.takeError()));
    std::optional<CompiledUnit> sound =
        compileSoundParts(path, compile, program->codeContext, before, leftOut);
    failed |= !sound;
    isRefused = true;
    if (sound) {
      // Without what follows from clang's errors.
      diagnostics = std::move(before);
      units.push_back(std::move(*sound));
    }
    return;
  }
  append_range(program->dependencies, unit->dependencies);
  if (debuggingOf(options) == codegen::Debugging::Memory)
    codegen::noteAssignments(*unit->module);
  units.push_back(std::move(*unit));
}

/// Reads LLVM IR. With `isLeafCode` it belongs to graphs in .mlir files.
void ProgramReader::readCodeFile(const std::string &path, bool isLeafCode) {
  ReadIROptions reading;
  reading.isLegacy = options.isLegacy;
  reading.version = options.isVersion05 ? HPVMVersion::V0_5 : HPVMVersion::V1_0;
  Expected<CompiledUnit> unit =
      readIR(path, reading, program->codeContext, diagnostics);
  if (!unit)
    return fail(toString(unit.takeError()));
  program->dependencies.push_back(path);
  if (isLeafCode || (hasWrittenGraphs && !hasHostCode(*unit->module)))
    leafModules.push_back(std::move(unit->module));
  else
    units.push_back(std::move(*unit));
}

/// Moves what is not of the graphs (`llvm.func` and so on) to a module of its
/// own and translates it.
static std::unique_ptr<Module> takeCode(mlir::ModuleOp graphs,
                                        LLVMContext &context) {
  mlir::OwningOpRef<mlir::ModuleOp> code =
      mlir::ModuleOp::create(graphs.getLoc());
  for (mlir::Operation &op : make_early_inc_range(*graphs.getBody()))
    if (isa<mlir::LLVM::LLVMDialect>(op.getDialect()))
      op.moveBefore(code->getBody(), code->getBody()->end());
  return mlir::translateModuleToLLVMIR(*code, context);
}

void ProgramReader::readGraphs(const std::string &path) {
  mlir::MLIRContext &context = *program->graphContext;
  std::string problem;
  std::unique_ptr<MemoryBuffer> buffer = readSourceFile(path, problem);
  if (!buffer)
    return fail(problem);
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  auto graphs = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!graphs) {
    failed = true;
    return;
  }
  program->dependencies.push_back(path);
  for (dfg::CodeOp code : make_early_inc_range(graphs->getOps<dfg::CodeOp>())) {
    readCode(code, path);
    code.erase();
  }
  std::unique_ptr<Module> module = takeCode(*graphs, program->codeContext);
  if (!module)
    return fail("the code in '" + path + "' cannot be translated to LLVM IR");
  leafModules.push_back(std::move(module));
  for (mlir::Operation &op : make_early_inc_range(*graphs->getBody()))
    op.moveBefore(writtenGraphs->getBody(), writtenGraphs->getBody()->end());
}

/// Reads the leaf code that a .mlir file names or holds.
void ProgramReader::readCode(dfg::CodeOp code, StringRef path) {
  if (code.getFile()) {
    SmallString<128> file(*code.getFile());
    if (sys::path::is_relative(file)) {
      file = sys::path::parent_path(path);
      sys::path::append(file, *code.getFile());
    }
    std::string hash = fileDigest(file);
    if (hash != *code.getHash()) {
      code.emitError() << "names '" << file << "' with hash '"
                       << *code.getHash() << "', but the file's is '"
                       << (hash.empty() ? "unreadable" : hash) << "'";
      failed = true;
      return;
    }
    return readCodeFile(file.str().str(), /*isLeafCode=*/true);
  }
  // Bitcode is read from a file, by the reader that survives broken ones.
  Expected<std::string> file = writeTemporary(*code.getBitcode(), ".bc");
  if (!file)
    return fail(toString(file.takeError()));
  FileRemover remover(*file);
  readCodeFile(*file, /*isLeafCode=*/true);
  program->dependencies.pop_back();
}

void ProgramReader::readFile(const std::string &path) {
  // Clang's driver may have been told that it is one.
  if (program->isUnit)
    return readSource(path);
  switch (kindOf(path)) {
  case FileKind::Source:
    return readSource(path);
  case FileKind::IR:
    return readCodeFile(path, /*isLeafCode=*/false);
  case FileKind::Graph:
    return readGraphs(path);
  case FileKind::Unknown:
    return fail("'" + path +
                "' has no known ending; expected .c, .cc, .cpp, "
                ".cxx, .ll, .bc, .mlir, .mlirbc, .o, .a or .so");
  }
}

bool ProgramReader::callsGraphs() const {
  return any_of(units, [](const CompiledUnit &unit) {
    return !unit.calls.empty() || !unit.nodes.empty() ||
           !unit.heteroCalls.empty() ||
           any_of(*unit.module, [](const Function &function) {
             StringRef name = function.getName();
             return function.isDeclaration() &&
                    (name.starts_with("llvm.hpvm.") ||
                     name.starts_with("__hpvm__") ||
                     name.contains("__hetero_"));
           });
  });
}

bool ProgramReader::startsTeams() const {
  return any_of(units, [](const CompiledUnit &unit) {
    return unit.module->getFunction("__kmpc_fork_call") ||
           any_of(pauseFunctions,
                  [&](StringRef name) {
                    return unit.module->getFunction(name) != nullptr;
                  }) ||
           any_of(unit.module->globals(), isOfLastAssigned);
  });
}

/// Those of .mlir files join them.
bool ProgramReader::importGraphs() {
  progress.begin("checking the rules of graphs");
  if (!program->code) {
    program->graphs = std::move(writtenGraphs);
    return true;
  }
  Module &code = *program->code;
  std::vector<std::string> standIns = standInForGraphs(code, *writtenGraphs);
  auto imported = hpvm::importProgram(code, *program->graphContext, diagnostics,
                                      {.requireInit = !program->isUnit});
  if (mlir::failed(imported)) {
    if (options.keepsRaces)
      program->refused = hpvm::drawRefused(code, diagnostics);
    if (!hasWrittenGraphs)
      findFurtherRaces(code, *program->graphContext, leftOut, diagnostics);
    return false;
  }
  auto note = [](CallBase *call,
                 const std::optional<hpvm::ArgumentLayout> &layout) {
    if (layout)
      codegen::setHostLayout(*call, {layout->size, layout->argumentOffsets,
                                     layout->resultOffsets});
  };
  for (const hpvm::LaunchSite &launch : imported->launches)
    note(launch.call, launch.layout);
  for (const hpvm::PushSite &push : imported->pushes)
    note(push.call, push.layout);
  for (Function *function : imported->unusedNodeFunctions)
    program->unusedNodeFunctions.push_back(function->getName().str());
  for (const std::string &name : standIns)
    program->unusedNodeFunctions.push_back(name + ".stand-in");
  program->graphs = std::move(imported->module);
  return mlir::succeeded(
      replaceStandIns(*program->graphs, *writtenGraphs, standIns));
}

/// If there are errors already, adds what else is wrong, and returns false.
bool ProgramReader::linkCode() {
  if (units.empty())
    return true;
  Diagnostics found = diagnostics;
  program->code = linkUnits(units, program->codeContext, found,
                            {.keepsBroken = true,
                             .openMP = &program->openMP,
                             .hasRemarks = options.hasRemarks,
                             .isUnit = program->isUnit});
  if (isRefused)
    addErrors(found, diagnostics.all().size(), leftOut, diagnostics);
  else
    diagnostics = std::move(found);
  if (!diagnostics.hasErrors() && !isRefused)
    return program->code != nullptr;
  if (program->code) {
    findFurtherErrors(*program->code, *program->graphContext, leftOut,
                      diagnostics);
    if (options.keepsRaces)
      program->refused = hpvm::drawRefused(*program->code, diagnostics);
    findFurtherRaces(*program->code, *program->graphContext, leftOut,
                     diagnostics);
  }
  return false;
}

bool ProgramReader::addLeafCode() {
  bool isGood = true;
  for (std::unique_ptr<Module> &module : leafModules) {
    lowerComputedGotos(*module);
    if (!program->code)
      program->code = std::move(module);
    else {
      // What MLIR translates says nothing about the target.
      module->setDataLayout(program->code->getDataLayout());
      module->setTargetTriple(program->code->getTargetTriple());
      isGood &= !Linker::linkModules(*program->code, std::move(module));
    }
  }
  if (!isGood)
    fail("the leaf code cannot be linked with the host's");
  return isGood && program->code &&
         mlir::succeeded(matchFolds(*program->graphs, *program->code));
}

/// Erases the calls of some functions that only the race check reads.
static void eraseCalls(Module &code, ArrayRef<StringRef> names) {
  for (StringRef name : names) {
    Function *function = code.getFunction(name);
    if (!function)
      continue;
    for (User *user : make_early_inc_range(function->users()))
      cast<CallBase>(user)->eraseFromParent();
    function->eraseFromParent();
  }
}

/// What the words of clang's front end have warnings be; none: nothing.
static std::optional<Severity> severityOfWarnings(ArrayRef<std::string> words) {
  if (is_contained(words, "-w"))
    return std::nullopt;
  Severity severity = Severity::Warning;
  for (const std::string &word : words) {
    if (word == "-Werror")
      severity = Severity::Error;
    else if (word == "-Wno-error")
      severity = Severity::Warning;
  }
  return severity;
}

/// The races of a source that is compiled as by other compilers: their warnings
/// are what its command line has warnings be.
void ProgramReader::describeUnitRaces() {
  Diagnostics found;
  describeRaces(program->races, /*hasRemarks=*/false, found, &program->openMP);
  std::optional<Severity> severity = severityOfWarnings(options.frontendWords);
  for (const Diagnostic &one : found.all()) {
    bool isError = one.severity == Severity::Error;
    if (!isError && !severity)
      continue;
    if (!isError && severity == Severity::Error)
      isError = areRacesErrors = true;
    Diagnostic &said =
        isError ? diagnostics.error(one.place, one.message, one.rule)
                : diagnostics.warning(one.place, one.message, one.rule);
    said.notes = one.notes;
    said.fix = one.fix;
  }
}

/// What of a source that others link is not Sluice's to run.
void ProgramReader::describeUnitLeft() {
  for (const OpenMPSummary::Left &one : program->openMP.left)
    if (one.isOfLibrary)
      diagnostics.remark(one.place, one.reason, "openmp");
  for (const OpenMPGraph &graph : program->openMP.graphs) {
    const GlobalVariable *choice =
        program->code->getGlobalVariable(graph.choice, /*AllowInternal=*/true);
    if (choice && choice->getInitializer()->isNullValue())
      diagnostics.remark(graph.place,
                         "this loop runs on LLVM's OpenMP library, since its "
                         "iterations wait for each other",
                         "openmp");
  }
}

bool ProgramReader::findRaces() {
  progress.begin("looking for races");
  // Graphs that name leaves nobody has are reported later.
  std::string regions;
  program->races = checkRaces(*program->graphs, *program->code,
                              options.printsRegions ? &regions : nullptr,
                              /*testsTables=*/true);
  outs() << regions;
  weighArguments(program->races, program->openMP);
  weighChunks(program->races, program->openMP);
  // To follow a program takes longer than to look at its graphs.
  if (program->openMP.whole) {
    program->openMP.rehearsal = rehearse(
        *program->openMP.whole, isDecided(program->races, program->openMP));
    program->openMP.whole.reset();
    settleByFollowing(program->races, program->openMP);
  }
  if (program->isUnit && !options.hasRemarks)
    describeUnitRaces();
  else
    describeRaces(program->races, options.hasRemarks, diagnostics,
                  &program->openMP);
  if (program->isUnit && options.saysLeft)
    describeUnitLeft();
  auto leaves = program->graphs->getOps<dfg::KernelOp>();
  program->proof =
      proofOf(program->races, std::distance(leaves.begin(), leaves.end()),
              &program->openMP);
  // They run as programs in OpenMP do.
  if (!options.hasRemarks)
    for (const OpenMPGraph &graph :
         takeRacyLoops(program->races, program->openMP))
      leaveToTeam(*program->code, graph);
  // Nothing else reads these.
  eraseCalls(*program->code, {orderBegin, orderEnd});
  if (!options.isChecked)
    eraseCalls(*program->code,
               {"llvm.hpvm.assume.disjoint", "llvm.hpvm.assume.ordered"});
  return !areRacesErrors &&
         (options.keepsRaces || (!program->races.isRacy() &&
                                 program->openMP.rehearsal.races.empty()));
}

bool ProgramReader::readFiles() {
  hasWrittenGraphs = any_of(options.files, [](const std::string &path) {
    return kindOf(path) == FileKind::Graph;
  });
  compileAhead();
  size_t number = 0;
  for (const std::string &path : options.files) {
    progress.begin(
        ((kindOf(path) == FileKind::Source ? "compiling '" : "reading '") +
         StringRef(path) + "'")
            .str(),
        ++number, options.files.size());
    readFile(path);
  }
  ahead.reset();
  if (options.profiling.kind == codegen::Profiling::Kind::Use)
    program->dependencies.push_back(options.profiling.file);
  return !failed;
}

bool ProgramReader::giveThreadLocals() {
  return driver::giveThreadLocals(*program->code, program->getLeaves(), "node",
                                  options.hasRemarks, diagnostics);
}

std::unique_ptr<Program> ProgramReader::finish(bool isGood) {
  if (isGood && options.hint)
    applyHint(*program->graphs, *options.hint);
  progress.finish();
  diagnostics.print(errs());
  return isGood || !program->refused.empty() ? std::move(program) : nullptr;
}
