//===- RegionCode.cpp - The code of a program over regions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources of the tasks are compiled to LLVM IR and linked with the table of
// the program before they are optimised, so that tasks are inlined into their
// callers. The header that declares them never touches the disk: clang sees it
// in memory.
//
//===----------------------------------------------------------------------===//

#include "RegionCode.h"
#include "../Programs/WrittenGraphs.h"
#include "../TaskGraphs/TaskCompilation.h"
#include "AddOrders.h"
#include "PythonTasks.h"
#include "RegionFile.h"
#include "RegionFunctions.h"
#include "RegionModule.h"
#include "sluice/Base/Progress.h"
#include "sluice/Base/Text.h"
#include "sluice/CodeGen/CertainAccesses.h"
#include "sluice/CodeGen/RegionTable.h"
#include "sluice/CodeGen/TaskNodes.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/Driver/RegionPrograms.h"
#include "sluice/Frontend/HPVM/ReadIR.h"
#include "sluice/Frontend/Reports/ThreadLocalReports.h"
#include "sluice/Frontend/Sources/Sources.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static bool fail(const Twine &message) {
  printError(message);
  return false;
}

//===----------------------------------------------------------------------===//
// Source code
//===----------------------------------------------------------------------===//

bool driver::canEmit(const CheckedRegions &regions, const EmitOptions &emit) {
  if (emit.language == SourceLanguage::Header)
    return true;
  const codegen::RegionStatement *found = codegen::findSums(regions.program);
  if (const codegen::RegionGraph *repeated =
          codegen::findRepeated(regions.program)) {
    mlir::emitError(*repeated->location)
        << "graph '@" << repeated->name
        << "' is repeated, which generated source code does not express; "
           "'sluice run' and 'sluice build' do";
    return false;
  }
  const codegen::RegionPartition *beyond =
      emit.language == SourceLanguage::Legion
          ? codegen::findBeyondLegion(regions.program)
          : nullptr;
  if (!found && beyond)
    mlir::emitError(*beyond->location)
        << "partition '@" << beyond->name
        << "' has a rule that generated Legion programs do not express: "
           "blocks of each color, cross products, coordinates, ranges, "
           "periodic halos, and sets with one right side for all colors; "
           "'sluice run' and '--emit=starpu' do";
  if (!found)
    return !beyond;
  mlir::emitError(found->location)
      << "depends on the iteration of a loop, or on a sum of parameters, which "
         "generated source code does not express; 'sluice run' and 'sluice "
         "build' do";
  return false;
}

std::string driver::sourceText(const codegen::RegionModel &program,
                               const EmitOptions &emit) {
  std::string text;
  raw_string_ostream os(text);
  switch (emit.language) {
  case SourceLanguage::Header:
    codegen::emitTaskHeader(program, os);
    break;
  case SourceLanguage::Cpp:
    codegen::emitRegionCpp(program, os);
    break;
  case SourceLanguage::Legion:
    codegen::emitLegion(program, emit.legion, os);
    break;
  case SourceLanguage::StarPU:
    codegen::emitStarPU(program, {.hasRanks = false}, os);
    break;
  case SourceLanguage::StarPUMPI:
    codegen::emitStarPU(program, {.hasRanks = true}, os);
    break;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

namespace {
class RegionCompiler {
public:
  RegionCompiler(const ProgramOptions &options, CheckedRegions &regions,
                 TargetMachine &machine, LLVMContext &context,
                 std::vector<std::string> &dependencies)
      : options(options), regions(regions), machine(machine), context(context),
        dependencies(dependencies) {}

  /// The whole program as one module; null after errors.
  std::unique_ptr<Module> run();

private:
  void placeHeader();
  void readFile(const std::string &path);
  void compile(const std::string &path);
  void addTable();
  bool isGenerated(StringRef path) const;

  const ProgramOptions &options;
  CheckedRegions &regions;
  TargetMachine &machine;
  LLVMContext &context;
  std::vector<std::string> &dependencies;
  Diagnostics diagnostics;
  /// Where sources find the header: in a folder of its own, and beside each
  /// source, where a copy that was written out before would hide it.
  std::vector<MemoryFile> headers;
  std::vector<CompiledUnit> units;
  bool failed = false;
};
} // namespace

/// No file system has this folder.
static constexpr char generatedFolder[] = "/sluice-generated";

void RegionCompiler::placeHeader() {
  std::string name = regions.program.name + ".rdir.h";
  std::string text = sourceText(regions.program, {SourceLanguage::Header, {}});
  std::vector<std::string> folders{generatedFolder};
  for (const std::string &file : options.files) {
    SmallString<128> folder(file);
    sys::fs::make_absolute(folder);
    sys::path::remove_filename(folder);
    if (!is_contained(folders, folder.str()))
      folders.push_back(folder.str().str());
  }
  for (const std::string &folder : folders)
    headers.push_back({folder + "/" + name, text});
}

bool RegionCompiler::isGenerated(StringRef path) const {
  SmallString<128> absolute(path);
  sys::fs::make_absolute(absolute);
  return absolute.str().starts_with(generatedFolder) ||
         any_of(headers, [&](const MemoryFile &header) {
           return header.path == absolute.str();
         });
}

void RegionCompiler::compile(const std::string &path) {
  CompileOptions compile;
  // Tasks are parallel among each other, unless a flag says otherwise.
  compile.arguments.push_back("-fno-openmp");
  llvm::append_range(compile.arguments, options.compilerFlags);
  compile.arguments.push_back("-I" + std::string(generatedFolder));
  compile.memoryFiles = headers;
  Expected<CompiledUnit> unit =
      compileSource(path, compile, context, diagnostics);
  if (!unit) {
    failed = true;
    fail(toString(unit.takeError()));
    return;
  }
  for (const std::string &file : unit->dependencies)
    if (!isGenerated(file))
      dependencies.push_back(file);
  units.push_back(std::move(*unit));
}

void RegionCompiler::readFile(const std::string &path) {
  StringRef ending = sys::path::extension(path);
  if (isModuleFile(path) || ending == ".py") {
    dependencies.push_back(path);
    return;
  }
  if (ending != ".ll" && ending != ".bc") {
    bool isSource = StringSwitch<bool>(ending)
                        .Cases({".c", ".cc", ".cpp", ".cxx", ".C"}, true)
                        .Default(false);
    if (isSource)
      return compile(path);
    failed = true;
    fail("'" + path +
         "' has no known ending; expected .c, .cc, .cpp, .cxx, .ll, .bc, "
         ".mlir, .mlirbc, .py, .o, .a or .so");
    return;
  }
  ReadIROptions reading;
  reading.isLegacy = options.isLegacy;
  Expected<CompiledUnit> unit = readIR(path, reading, context, diagnostics);
  if (!unit) {
    failed = true;
    fail(toString(unit.takeError()));
    return;
  }
  dependencies.push_back(path);
  units.push_back(std::move(*unit));
}

void RegionCompiler::addTable() {
  codegen::RegionTable table(regions.program);
  table.program->isChecked = options.isChecked;
  addOrders(regions.program, table);
  CompiledUnit &unit = units.emplace_back();
  unit.path = regions.path;
  unit.module = std::make_unique<Module>(regions.program.name, context);
  unit.module->setTargetTriple(machine.getTargetTriple());
  unit.module->setDataLayout(machine.createDataLayout());
  emitRegionTable(regions.program, table, *unit.module);
}

/// Code from elsewhere does not report its accesses.
static void warnOfUnknownCode(const codegen::RegionModel &program,
                              const Module &code) {
  for (const codegen::RegionFunction &wanted : functionsOf(program)) {
    const Function *function = code.getFunction(wanted.name);
    if (wanted.role == "task" && (!function || function->isDeclaration()))
      printWarning("what the task function '" + wanted.name +
                   "' accesses is not checked: its code is in an object or a "
                   "library");
  }
}

std::unique_ptr<Module> RegionCompiler::run() {
  placeHeader(); // of all functions
  failed = !addPythonFunctions(regions.program, options.files, diagnostics);
  Progress progress;
  size_t number = 0;
  for (const std::string &file : options.files) {
    progress.begin(
        concat(isModuleFile(file) ? "reading " : "compiling ", quoted(file)),
        ++number, options.files.size());
    readFile(file);
  }
  progress.finish();
  addTable();
  std::unique_ptr<Module> code;
  if (!failed)
    code = linkUnits(units, context, diagnostics);
  if (code && hasHostCode(*code)) {
    fail("a program over regions calls HPVM functions; build the two apart");
    code = nullptr;
  }
  if (code && !checkPythonFunctions(regions.program, *code, diagnostics))
    code = nullptr;
  if (code && !checkTaskFunctions(regions.program, *code, options.linkerFlags,
                                  /*isLinked=*/false, diagnostics))
    code = nullptr;
  std::vector<Function *> tasks;
  if (code)
    for (const codegen::RegionFunction &wanted : functionsOf(regions.program))
      if (Function *function = code->getFunction(wanted.name);
          function && wanted.role == "task")
        tasks.push_back(function);
  if (code && !giveThreadLocals(*code, tasks, "task", /*hasRemarks=*/false,
                                diagnostics))
    code = nullptr;
  diagnostics.print(errs());
  if (code && options.isChecked) {
    warnOfUnknownCode(regions.program, *code);
    codegen::instrumentTasks(*code);
  }
  return code;
}

std::unique_ptr<Module>
driver::compileRegions(const ProgramOptions &options, CheckedRegions &regions,
                       TargetMachine &machine, LLVMContext &context,
                       std::vector<std::string> &dependencies) {
  return RegionCompiler(options, regions, machine, context, dependencies).run();
}

bool driver::checkAccesses(const CheckedRegions &regions, const Module &code) {
  Diagnostics diagnostics;
  for (const codegen::CertainFault &access :
       codegen::findCertainFaults(regions.program, code))
    diagnostics.error(placeOf(access.place), access.message)
        .note(placeOf(access.statement->location), "the task is here");
  diagnostics.print(errs());
  return !diagnostics.hasErrors();
}

void driver::shareRegions(Module &code) {
  code.getFunction("main")->eraseFromParent();
  GlobalVariable *table = code.getGlobalVariable("sluice.region.program",
                                                 /*AllowInternal=*/true);
  table->setName("sluice_region_program");
  table->setLinkage(GlobalValue::ExternalLinkage);
  table->setVisibility(GlobalValue::DefaultVisibility);
  makeShareable(code);
}
