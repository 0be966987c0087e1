//===- sluice.cpp - The command line --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the words and calls the command; the files beside it hold the commands
// that need more than a few lines.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "Help.h"
#include "InputFiles.h"
#include "MessageReport.h"
#include "PassOptions.h"
#include "RunRanks.h"
#include "TaskCommands.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Progress.h"
#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Driver/CheckRegions.h"
#include "sluice/Driver/CompilerWrapper.h"
#include "sluice/Driver/DeviceList.h"
#include "sluice/Driver/RegionPrograms.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice::driver;

/// Writes the remaining standard output. Returns an exit status if this fails,
/// which LLVM would report as a fatal error.
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

/// The program in the cache; no path after an error message.
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

int runCommand(const CommandLine &line) {
  BuildOptions options = buildOptions(line, "native");
  // Any other value is for the runtime to refuse.
  const char *check = std::getenv("SLUICE_CHECK");
  if (check && StringRef(check) == "1")
    options.program.isChecked = true;
  bool isTaskGraph = hasTaskGraphs(options.program);
  std::optional<RankOptions> ranks = rankOptions(line);
  if (!ranks)
    return exitUsage;
  // Tasks run as a whole, also those that are graphs.
  options.program.isForRanks = ranks->numRanks > 1 && !isTaskGraph;
  if (line.has(OPT_root) && !isTaskGraph)
    return usage("--root needs a module with task graphs");
  std::optional<TaskFiles> tasks;
  if (isTaskGraph && !(tasks = taskFiles(options, line.value(OPT_root))))
    return exitUsage;
  // Programs name themselves by what was run, not by where it is cached.
  std::string name = llvm::sys::path::stem(options.program.files.front()).str();
  SmallVector<char *> words{name.data()};
  for (const char *argument : line.arguments)
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
    if (!finishReport(/*isGood=*/true))
      return exitProblems;
    sluice::removeWorkFolder();
    sluice::restoreLimits();
    if (ranks->numRanks > 1)
      return runRanks(*ranks, program.path, line.arguments);
    execv(program.path.c_str(), words.data());
    if (errno != ENOENT)
      break;
  }
  return problem("cannot start '" + program.path + "': " + strerror(errno));
}

/// The stage that --print names.
static Stage parseStage(StringRef name) {
  return StringSwitch<Stage>(name)
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
      .Default(Stage::None);
}

/// The language that --emit names.
static SourceLanguage parseLanguage(StringRef name) {
  return StringSwitch<SourceLanguage>(name)
      .Case("c++", SourceLanguage::Cpp)
      .Case("legion", SourceLanguage::Legion)
      .Case("starpu", SourceLanguage::StarPU)
      .Case("starpu-mpi", SourceLanguage::StarPUMPI)
      .Default(SourceLanguage::Header);
}

/// 'sluice build --emit': source code instead of an executable.
static int emitSource(const CommandLine &line, const ProgramOptions &options) {
  if (line.files.size() != 1)
    return usage("--emit takes one .mlir file, the tasks' sources are compiled "
                 "with what it writes");
  EmitOptions emit;
  emit.language = parseLanguage(line.value(OPT_emit));
  emit.legion = {.hasStaticTraces = line.has(OPT_legion_static_traces),
                 .hasMustEpochs = !line.has(OPT_legion_no_must_epochs),
                 .hasIndependentRequirements =
                     !line.has(OPT_legion_no_independent_requirements)};
  return emitRegions(options, emit, line.output) ? exitFine : exitProblems;
}

/// Refuses options that exclude --shared. Returns the exit status; none if
/// there are none.
static std::optional<int> refuseShared(const CommandLine &line,
                                       const BuildOptions &options) {
  if (!options.isShared)
    return std::nullopt;
  if (!hasRegions(options.program))
    return usage("--shared is for programs over regions");
  for (OptionID other :
       {OPT_static_runtime, OPT_simulated, OPT_emit, OPT_print})
    if (line.has(other))
      return usage("--shared makes an object for processes that have the "
                   "runtime; it does not go together with --static-runtime, "
                   "--simulated, --emit and --print");
  if (line.output.empty() && line.flags.dependencies.isWanted)
    return usage("-MD and -MMD need -o");
  return std::nullopt;
}

/// 'sluice build --shared' without -o.
static int printCached(const BuildOptions &options) {
  CachedFile file = cachedExecutable(options);
  if (file.path.empty())
    return exitProblems;
  outs() << file.path << '\n';
  return exitFine;
}

int buildCommand(const CommandLine &line) {
  BuildOptions options = buildOptions(line, "x86-64-v2");
  options.isSimulated = line.has(OPT_simulated);
  options.isStatic = line.has(OPT_static_runtime) || options.isSimulated;
  options.program.isForRanks = !hasTaskGraphs(options.program);
  options.print = parseStage(line.value(OPT_print));
  if (options.isSimulated && !hasRegions(options.program))
    return usage("--simulated is for programs over regions");
  options.isShared = line.has(OPT_shared);
  if (std::optional<int> status = refuseShared(line, options))
    return *status;
  if (line.has(OPT_emit))
    return emitSource(line, options.program);
  if (line.has(OPT_legion_static_traces) ||
      line.has(OPT_legion_no_must_epochs) ||
      line.has(OPT_legion_no_independent_requirements))
    return usage("options of Legion need --emit=legion");
  if (line.output.empty() && options.isShared)
    return printCached(options);
  if (line.output.empty() && options.print == Stage::None)
    return usage("'sluice build' needs -o PROGRAM");
  if (hasTaskGraphs(options.program)) {
    if (line.flags.dependencies.isWanted)
      return usage("-MD and -MMD are for programs; a task graph's build files "
                   "come from its meta-program");
    std::optional<TaskFiles> files = taskFiles(options, line.value(OPT_root));
    if (!files)
      return exitUsage;
    return buildTasks(*files, line.output) ? exitFine : exitProblems;
  }
  if (line.has(OPT_root))
    return usage("--root needs a module with task graphs");
  if (options.print != Stage::None)
    return printStage(options) ? exitFine : exitProblems;
  std::vector<std::string> files;
  if (!buildExecutable(options, line.output, &files))
    return exitProblems;
  if (!line.flags.dependencies.isWanted)
    return exitFine;
  if (Error error = writeDependencyFile(line.flags.dependencies, line.output,
                                        options.program.files, files))
    return problem(toString(std::move(error)));
  return exitFine;
}

static std::string counted(size_t number, StringRef one, StringRef many) {
  return (Twine(number) + " " + (number == 1 ? one : many)).str();
}

/// The status of a check that found no problem.
static int statusOf(sluice::ProofState state, const CommandLine &line) {
  return state != sluice::ProofState::Proven && line.has(OPT_require_proof)
             ? exitUnproven
             : exitFine;
}

static int checkRegionModule(const CommandLine &line) {
  std::optional<std::string> file = moduleOfRegions(line);
  if (!file)
    return exitUsage;
  RegionCheckOptions options;
  options.file = *file;
  options.hasOrder = line.has(OPT_order);
  if (line.files.size() > 1)
    options.checkCode = [&] {
      BuildOptions build = buildOptions(line, "native");
      build.program = programOptions(line);
      return checkRegionCode(build);
    };
  std::optional<sluice::ProofState> state = checkRegions(options, outs());
  return state ? statusOf(*state, line) : exitProblems;
}

static int checkTaskFile(const CommandLine &line,
                         const ProgramOptions &options) {
  BuildOptions build = buildOptions(line, "native");
  build.program = options;
  build.program.cpu = line.has(OPT_march) ? line.value(OPT_march) : "native";
  std::optional<TaskFiles> files = taskFiles(build, line.value(OPT_root));
  if (!files)
    return exitUsage;
  files->options.hasRemarks = true;
  std::optional<sluice::ProofState> state = checkTasks(*files);
  return state ? statusOf(*state, line) : exitProblems;
}

int checkCommand(const CommandLine &line) {
  ProgramOptions options = programOptions(line);
  if (hasRegions(options))
    return checkRegionModule(line);
  if (hasTaskGraphs(options))
    return checkTaskFile(line, options);
  if (line.has(OPT_order))
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
  const sluice::ProofReport &proof = program->proof;
  if (sluice::verbosity() != sluice::Verbosity::Quiet) {
    if (proof.state == sluice::ProofState::Nothing)
      outs() << "no graphs: " << proof.text << '\n';
    else if (numRoots == 0 && numLeaves == 0)
      outs() << "no graphs, but OpenMP: " << proof.text << '\n';
    else
      outs() << "no problems in " << counted(numRoots, "graph", "graphs")
             << " with " << counted(numLeaves, "leaf", "leaves") << '\n'
             << proof.text << '\n';
  }
  return statusOf(proof.state, line);
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

/// The arguments before and after "--".
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

/// "sm_90", "sm_90a".
static bool isChip(StringRef name) {
  if (!name.consume_front("sm_"))
    return false;
  name.consume_back("a") || name.consume_back("f");
  return name.size() >= 2 && name.size() <= 3 && all_of(name, isDigit);
}

/// Checks a command line of a command that compiles programs. Returns the exit
/// status of an error; none if the command line is valid.
static std::optional<int> refuse(const CommandLine &line) {
  std::string chip = line.value(OPT_device_arch);
  if (!chip.empty() && !isChip(chip))
    return usage("unknown device architecture '" + chip +
                 "', expected one like sm_75 or sm_90");
  std::string cpu = line.value(OPT_march);
  if (!cpu.empty() && !isKnownCpu(cpu))
    return usage("unknown CPU '" + cpu +
                 "'; clang --print-supported-cpus lists them");
  if (line.flags.dependencies.isWanted && line.command != "build")
    return usage("-MD and -MMD need 'sluice build'");
  if (line.files.empty())
    return usage("no input files; see 'sluice " + line.command + " --help'");
  if (sluice::Status status = sluice::checkOutput(line.output, line.files);
      !status.ok())
    return problem(status.message());
  if (!checkInputs(line.files))
    return exitProblems;
  return std::nullopt;
}

/// The command lines of compilers are read by clang; what gets here asks for
/// help.
static int helpOnly(const CommandLine &line) {
  printHelp(line.command, visibilityOf(line.command));
  return exitFine;
}

namespace {
struct Command {
  StringRef name;
  int (*start)(const CommandLine &line);
  bool readsPrograms = true;
};
} // namespace

static constexpr Command commands[] = {
    {"run", runCommand},
    {"build", buildCommand},
    {"cc", helpOnly, false},
    {"c++", helpOnly, false},
    {"check", checkCommand},
    {"graph", graphCommand},
    {"tune", tuneCommand, false},
    {"pack", packCommand, false},
    {"devices", devicesCommand, false},
    {"cache", cacheCommand, false},
    {"lsp", lspCommand, false},
    {"init", initCommand, false},
    {"trace", traceCommand, false},
    {"debug", debugCommand, false},
    {"completion", completionCommand, false}};

/// "run, build or check".
static std::string commandNames() {
  std::string names;
  for (const Command &command : commands)
    names += (&command == commands                 ? ""
              : &command == std::end(commands) - 1 ? " or "
                                                   : ", ") +
             command.name.str();
  return names;
}

static int unknownCommand(StringRef name) {
  const Command *nearest = min_element(commands, [&](auto &a, auto &b) {
    return name.edit_distance(a.name) < name.edit_distance(b.name);
  });
  if (name.edit_distance(nearest->name) <= 2)
    return usage("unknown command '" + name + "'; did you mean '" +
                 nearest->name + "'?");
  if (sys::fs::exists(name))
    return usage("'" + name + "' is no command; did you mean 'sluice run " +
                 name + "'?");
  return usage("unknown command '" + name + "', expected " + commandNames());
}

static int start(const Command &command, const SplitArguments &words) {
  SmallVector<const char *> own(drop_begin(words.own, 2));
  // A file of arguments stands for its content; for Pack, a file of layouts.
  BumpPtrAllocator memory;
  if (command.start != packCommand) {
    cl::ExpansionContext files(memory, cl::TokenizeGNUCommandLine);
    if (Error error = files.expandResponseFiles(own))
      return usage(toString(std::move(error)));
  }
  std::string hint = "; see 'sluice " + command.name.str() + " --help'";
  unsigned visibility = visibilityOf(command.name);
  Expected<opt::InputArgList> args = parseOptions(own, visibility);
  if (!args)
    return usage(toString(args.takeError()) + hint);
  sluice::setColorMode(
      StringSwitch<sluice::ColorMode>(args->getLastArgValue(OPT_color))
          .Case("always", sluice::ColorMode::Always)
          .Case("never", sluice::ColorMode::Never)
          .Default(sluice::ColorMode::Auto));
  if (args->hasArg(OPT_help)) {
    printHelp(command.name, visibility);
    return exitFine;
  }
  if (args->hasArg(OPT_quiet) && args->hasArg(OPT_verbose))
    return usage("--quiet and --verbose contradict each other");
  if (args->hasArg(OPT_quiet, OPT_verbose))
    sluice::setVerbosity(args->hasArg(OPT_quiet) ? sluice::Verbosity::Quiet
                                                 : sluice::Verbosity::Verbose);
  if (!startReport(command.name, *args))
    return exitUsage;
  if (!words.programs.empty() && command.name != "run" &&
      command.name != "tune")
    return usage("only 'sluice run' and 'sluice tune' take arguments for the "
                 "program");
  Expected<CompilerFlags> flags = takeCompilerFlags(*args);
  if (!flags)
    return usage(toString(flags.takeError()));
  CommandLine line = {command.name,      *args,
                      std::move(*flags), args->getAllArgValues(OPT_INPUT),
                      words.programs,    args->getLastArgValue(OPT_o).str()};
  if (command.readsPrograms)
    if (std::optional<int> status = refuse(line))
      return *status;
  if (std::optional<int> status = takePassOptions(line))
    return *status;
  return command.start(line);
}

/// Whether the command line is that of a compiler: 'sluice cc', or 'sluice-cc'
/// where build systems want the name of one file. Removes that name.
static bool isCompiler(ArrayRef<const char *> &words, bool &isCpp) {
  StringRef name = sys::path::filename(words.empty() ? "" : words.front());
  if (!name.consume_front("sluice-")) {
    if (words.size() < 2)
      return false;
    name = words[1];
    words = words.drop_front();
  }
  isCpp = name == "c++";
  words = words.drop_front();
  // Clang has its own help.
  bool asksForHelp = words.size() == 1 && StringRef(words.front()) == "--help";
  return (isCpp || name == "cc") && !asksForHelp;
}

static int runCommandLine(int argc, char **argv) {
  ArrayRef<const char *> all(argv, argc);
  bool isCpp = false;
  if (isCompiler(all, isCpp))
    return compile(all, isCpp);
  SplitArguments words = split(argc, argv);
  bool asksForHelp = words.own.size() > 1 && StringRef(words.own[1]) == "help";
  // 'sluice help build' is 'sluice build --help'.
  if (asksForHelp && words.own.size() > 2 &&
      StringRef(words.own[2]) != "help") {
    words.own[1] = words.own[2];
    words.own[2] = "--help";
  } else if (asksForHelp) {
    words.own[1] = "--help";
  }
  if (words.own.size() < 2) {
    printHelp("", opt::DefaultVis);
    return exitUsage;
  }
  StringRef name = words.own[1];
  for (const Command &command : commands)
    if (command.name == name)
      return start(command, words);
  if (!name.starts_with("-"))
    return unknownCommand(name);
  Expected<opt::InputArgList> args =
      parseOptions(ArrayRef(words.own).drop_front(), opt::DefaultVis);
  if (args && args->hasArg(OPT_help)) {
    printHelp("", opt::DefaultVis);
    return exitFine;
  }
  if (args && args->hasArg(OPT_version)) {
    printVersion(outs());
    return exitFine;
  }
  std::string text = args ? "" : toString(args.takeError());
  if (StringRef(text).contains("did you mean"))
    return usage(text);
  return usage("expected a command before '" + name + "': " + commandNames());
}

/// Opens closed standard descriptors. Otherwise, the next file that is opened
/// would get such a number, and receive printed output. Programs that are run
/// find the descriptors closed.
static void reserveStandardFiles() {
  for (int file = 0; file != 3; ++file)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", (file ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

int main(int argc, char **argv) {
  reserveStandardFiles();
  sluice::removeTemporariesOnSignals();
  int status = sluice::runOnLargeStack(
      "sluice", [&] { return runCommandLine(argc, argv); });
  int written = finishOutput();
  if (!finishReport(status == exitFine && written == exitFine))
    written = exitProblems;
  return status ? status : written;
}
