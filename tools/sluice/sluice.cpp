//===- sluice.cpp - The command line --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "DevicesCommand.h"
#include "DrawCommand.h"
#include "Help.h"
#include "Inputs.h"
#include "PackCommand.h"
#include "TaskCommands.h"
#include "TuneCommand.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Driver/CheckRegions.h"
#include "sluice/Driver/Devices.h"
#include "sluice/Driver/Regions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice::driver;

/// Writes what is left for standard output; a status if that is not possible,
/// which LLVM would call a fatal error of its own.
static int finishOutput() {
  outs().flush();
  std::error_code error = outs().error();
  outs().clear_error();
  errs().clear_error();
  return error ? problem("cannot write to standard output: " + error.message())
               : exitFine;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// Checks while the program runs are made of leaves of HPVM graphs and of tasks
/// of task graphs.
static void warnIfUnchecked(const ProgramOptions &options) {
  if (!options.isChecked)
    return;
  if (hasRegions(options))
    errs() << "sluice: warning: tasks over regions are not checked while they "
              "run\n";
}

/// The program in the cache; no path after saying what is wrong with it.
static CachedFile programInCache(const BuildOptions &options,
                                 const std::optional<TaskFiles> &tasks) {
  CachedFile program = tasks ? cacheTasks(*tasks) : cachedExecutable(options);
  const char *trace = std::getenv("SLUICE_TRACE");
  if (program.path.empty() || !trace)
    return program;
  if (sluice::Status status = sluice::checkOutput(trace, program.inputs);
      !status.ok()) {
    problem("SLUICE_TRACE: " + status.message());
    return {};
  }
  return program;
}

static int runProgram(const CommandLine &line,
                      ArrayRef<const char *> arguments) {
  BuildOptions options = buildOptions(line, "native");
  // Any other value is for the runtime to refuse.
  const char *check = std::getenv("SLUICE_CHECK");
  if (check && StringRef(check) == "1")
    options.program.isChecked = true;
  warnIfUnchecked(options.program);
  bool isTaskGraph = hasTaskGraphs(options.program);
  if (!line.root.empty() && !isTaskGraph)
    return usage("--root needs a module with task graphs");
  std::optional<TaskFiles> tasks;
  if (isTaskGraph && !(tasks = taskFiles(options, line.root)))
    return exitUsage;
  // Programs name themselves by what was run, not by where it is cached.
  std::string name = llvm::sys::path::stem(options.program.files.front()).str();
  SmallVector<char *> words{name.data()};
  for (const char *argument : arguments)
    words.push_back(const_cast<char *>(argument));
  words.push_back(nullptr);
  CachedFile program;
  // Another process replaces a program when a file has changed meanwhile.
  for (int tries = 0; tries != 3; ++tries) {
    program = programInCache(options, tasks);
    if (program.path.empty())
      return exitProblems;
    if (int status = finishOutput())
      return status;
    sluice::removeWorkFolder();
    sluice::restoreLimits();
    execv(program.path.c_str(), words.data());
    if (errno != ENOENT)
      break;
  }
  return problem("cannot start '" + program.path + "': " + strerror(errno));
}

static std::optional<Stage> parseStage(StringRef name) {
  return StringSwitch<std::optional<Stage>>(name)
      .Case("graph", Stage::Tasks)
      .Case("canonical", Stage::Canonical)
      .Case("dfg", Stage::Graph)
      .Case("rdir", Stage::Regions)
      .Case("transformed", Stage::Transformed)
      .Case("plan", Stage::Plan)
      .Case("device", Stage::Device)
      .Case("spirv", Stage::SPIRV)
      .Case("ptx", Stage::PTX)
      .Case("kernels", Stage::Kernels)
      .Case("llvm", Stage::Optimized)
      .Case("asm", Stage::Assembly)
      .Default(std::nullopt);
}

static std::optional<SourceLanguage> parseLanguage(StringRef name) {
  return StringSwitch<std::optional<SourceLanguage>>(name)
      .Case("header", SourceLanguage::Header)
      .Case("c++", SourceLanguage::Cpp)
      .Case("legion", SourceLanguage::Legion)
      .Case("starpu", SourceLanguage::StarPU)
      .Default(std::nullopt);
}

/// 'sluice build --emit': source code instead of an executable.
static int emitSource(const CommandLine &line, const ProgramOptions &options) {
  std::optional<SourceLanguage> language = parseLanguage(line.language);
  if (!language)
    return usage("unknown language '" + line.language +
                 "', expected header, c++, legion or starpu");
  if (line.files.size() != 1)
    return usage("--emit takes one .mlir file, the tasks' sources are compiled "
                 "with what it writes");
  EmitOptions emit;
  emit.language = *language;
  emit.legion = {.hasStaticTraces = line.hasStaticTraces,
                 .hasMustEpochs = !line.noMustEpochs,
                 .hasIndependentRequirements = !line.noIndependent};
  return emitRegions(options, emit, line.output) ? exitFine : exitProblems;
}

static int buildProgram(const CommandLine &line) {
  BuildOptions options = buildOptions(line, "x86-64-v2");
  options.isStatic = line.isStatic;
  warnIfUnchecked(options.program);
  if (line.language.getNumOccurrences())
    return emitSource(line, options.program);
  if (line.hasStaticTraces || line.noMustEpochs || line.noIndependent)
    return usage("options of Legion need --emit=legion");
  if (!line.stage.empty()) {
    std::optional<Stage> stage = parseStage(line.stage);
    if (!stage)
      return usage(
          "unknown stage '" + line.stage +
          "', expected graph, canonical, dfg, rdir, transformed, plan, "
          "device, spirv, ptx, kernels, llvm or asm");
    options.print = *stage;
  }
  if (line.output.empty() && options.print == Stage::None)
    return usage("'sluice build' needs -o PROGRAM");
  if (hasTaskGraphs(options.program)) {
    if (line.flags.dependencies.isWanted)
      return usage("-MD and -MMD are for programs; a task graph's build files "
                   "come from its meta-program");
    std::optional<TaskFiles> files = taskFiles(options, line.root);
    if (!files)
      return exitUsage;
    return buildTasks(*files, line.output) ? exitFine : exitProblems;
  }
  if (!line.root.empty())
    return usage("--root needs a module with task graphs");
  if (options.print != Stage::None)
    return printStage(options) ? exitFine : exitProblems;
  std::vector<std::string> files;
  if (!buildExecutable(options, line.output, &files))
    return exitProblems;
  if (!line.flags.dependencies.isWanted)
    return exitFine;
  if (Error error =
          writeDependencyFile(line.flags.dependencies, line.output, files)) {
    errs() << "sluice: error: " << toString(std::move(error)) << '\n';
    return exitProblems;
  }
  return exitFine;
}

static std::string counted(size_t number, StringRef one, StringRef many) {
  return (Twine(number) + " " + (number == 1 ? one : many)).str();
}

static int checkRegionModule(const CommandLine &line) {
  std::optional<std::string> file = moduleOfRegions(line);
  if (!file)
    return exitUsage;
  RegionCheckOptions options;
  options.file = *file;
  options.hasOrder = line.hasOrder;
  return checkRegions(options, outs()) ? exitFine : exitProblems;
}

static int checkTaskFile(const CommandLine &line,
                         const ProgramOptions &options) {
  BuildOptions build = buildOptions(line, "native");
  build.program = options;
  build.program.cpu = line.cpu.empty() ? "native" : line.cpu.getValue();
  std::optional<TaskFiles> files = taskFiles(build, line.root);
  if (!files)
    return exitUsage;
  files->options.hasRemarks = true;
  return checkTasks(*files) ? exitFine : exitProblems;
}

static int checkProgram(const CommandLine &line) {
  ProgramOptions options = programOptions(line);
  if (hasRegions(options))
    return checkRegionModule(line);
  if (hasTaskGraphs(options))
    return checkTaskFile(line, options);
  if (line.hasOrder)
    return usage("--order needs a module of regions (the rdir dialect)");
  options.hasRemarks = true;
  std::unique_ptr<Program> program = readProgram(options);
  if (!program)
    return exitProblems;
  auto kernels = program->graphs->getOps<sluice::dfg::KernelOp>();
  size_t numLeaves = std::distance(kernels.begin(), kernels.end());
  size_t numRoots = program->getRoots().size();
  BuildOptions build = buildOptions(line, "native");
  if (!checkDeviceNodes(*program, build))
    return exitProblems;
  outs() << "no problems in " << counted(numRoots, "graph", "graphs")
         << " with " << counted(numLeaves, "leaf", "leaves") << '\n';
  outs() << program->verdict << '\n';
  return exitFine;
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

/// What stands before and after "--".
struct SplitArguments {
  SmallVector<const char *> own, programs;
};

static SplitArguments split(int argc, char **argv) {
  SplitArguments result;
  int i = 0;
  for (; i != argc && StringRef(argv[i]) != "--"; ++i)
    result.own.push_back(argv[i]);
  for (++i; i < argc; ++i)
    result.programs.push_back(argv[i]);
  return result;
}

static bool wantsHelp(ArrayRef<const char *> arguments) {
  return any_of(arguments, [](StringRef word) {
    return word == "--help" || word == "-h" || word == "-help";
  });
}

/// "sm_90", "sm_90a".
static bool isChip(StringRef name) {
  if (!name.consume_front("sm_"))
    return false;
  name.consume_back("a") || name.consume_back("f");
  return name.size() >= 2 && name.size() <= 3 && all_of(name, isDigit);
}

static int dispatch(StringRef name, const CommandLine &line,
                    ArrayRef<const char *> arguments) {
  if (line.version != "0.5" && line.version != "1.0")
    return usage("unknown HPVM version '" + line.version +
                 "', expected 0.5 or 1.0");
  if (!line.hint.empty() && !parseHint(line.hint))
    return usage("unknown hint '" + line.hint +
                 "', expected cpu, gpu or either");
  if (!line.chip.empty() && !isChip(line.chip))
    return usage("unknown device architecture '" + line.chip +
                 "', expected one like sm_75 or sm_90");
  if (!line.cpu.empty() && !isKnownCpu(line.cpu))
    return usage("unknown CPU '" + line.cpu +
                 "'; clang --print-supported-cpus lists them");
  if (line.flags.dependencies.isWanted && name != "build")
    return usage("-MD and -MMD need 'sluice build'");
  if (line.files.empty())
    return usage("no input files; see 'sluice " + name + " --help'");
  if (sluice::Status status =
          sluice::checkOutput(line.output, ArrayRef<std::string>(line.files));
      !status.ok())
    return problem(status.message());
  if (!checkInputs(ArrayRef<std::string>(line.files)))
    return exitProblems;
  if (name == "run")
    return runProgram(line, arguments);
  if (name == "build")
    return buildProgram(line);
  if (name == "check")
    return checkProgram(line);
  return drawProgram(line);
}

static int runCommand(int argc, char **argv) {
  SplitArguments arguments = split(argc, argv);
  StringRef name = arguments.own.size() > 1 ? arguments.own[1] : "";
  if (name.empty()) {
    printHelp("");
    return exitUsage;
  }
  if (name == "--version") {
    printVersion(outs());
    return exitFine;
  }
  if (name.starts_with("-") || name == "help") {
    if (name == "help" && arguments.own.size() > 2)
      return printHelp(arguments.own[2])
                 ? exitFine
                 : usage("unknown command '" + Twine(arguments.own[2]) + "'");
    if (name == "help" || wantsHelp(arguments.own)) {
      printHelp("");
      return exitFine;
    }
    return usage("expected a command before '" + name +
                 "': run, build, check, graph, tune, pack or devices");
  }
  if (wantsHelp(arguments.own))
    return printHelp(name) ? exitFine : usage("unknown command '" + name + "'");
  static const StringRef names[] = {"run",  "build", "check",  "graph",
                                    "tune", "pack",  "devices"};
  if (!is_contained(names, name))
    return usage("unknown command '" + name +
                 "', expected run, build, check, graph, tune, pack or devices");
  if (name == "tune")
    return runTuneCommand(ArrayRef(arguments.own).drop_front(2),
                          arguments.programs);
  if (name != "run" && !arguments.programs.empty())
    return usage("only 'sluice run' and 'sluice tune' take arguments for the "
                 "program");
  if (name == "devices")
    return runDevicesCommand(ArrayRef(arguments.own).drop_front(2));
  if (name == "pack")
    return runPackCommand(int(arguments.own.size()), arguments.own.data());

  // Files of words stand for what is in them, flags of compilers included.
  BumpPtrAllocator memory;
  cl::ExpansionContext files(memory, cl::TokenizeGNUCommandLine);
  if (Error error = files.expandResponseFiles(arguments.own))
    return usage(toString(std::move(error)));
  Expected<CompilerFlags> flags = takeCompilerFlags(arguments.own);
  if (!flags)
    return usage(toString(flags.takeError()));
  SmallVector<const char *> rest = flags->rest;
  cl::SubCommand command(name);
  CommandLine line(command, std::move(*flags));
  std::string problems;
  raw_string_ostream os(problems);
  if (!cl::ParseCommandLineOptions(rest.size(), rest.data(), "", &os)) {
    StringRef first = StringRef(problems).split('\n').first;
    first.consume_front("sluice: ");
    // The rest names the program by its path.
    first = first.split(".  Try:").first;
    return usage(first + "; see 'sluice " + name + " --help'");
  }
  return dispatch(name, line, arguments.programs);
}

/// A descriptor that is closed would be given to the next file that is opened,
/// and receive what is printed. Programs that are run find it closed.
static void reserveStandardFiles() {
  for (int file = 0; file != 3; ++file)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", (file ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

int main(int argc, char **argv) {
  reserveStandardFiles();
  sluice::removeTemporariesOnSignals();
  int status =
      sluice::runOnLargeStack("sluice", [&] { return runCommand(argc, argv); });
  int written = finishOutput();
  return status ? status : written;
}
