//===- Flags.cpp - Compiler flags on the command line ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles each flag as CompilerFlags.td declares.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Flags.h"
#include "sluice/Driver/Program.h"

#include "MakeRule.h"
#include "ProfileFlags.h"
#include "sluice/Toolchain/Tools.h"

#include "sluice/Base/Output.h"
#include "sluice/Driver/CommandOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace llvm::opt;
using namespace sluice;
using namespace sluice::driver;

static Error refuse(StringRef word, const Arg &arg) {
  // Profiles cover whole programs and are used where programs are built.
  StringRef instead =
      arg.getOption().matches(OPT_profile_Group)
          ? "profiles are of whole programs: give it to "
            "'sluice build', not to kernels"
      : arg.getOption().matches(OPT_llvm_Group)
          ? "passes run over whole programs: give it to "
            "'sluice build', not to kernels"
          : commandLineTable().getOptionHelpText(arg.getOption().getID());
  return createStringError("'" + word + "' is not supported: " + instead);
}

/// The level that `text` asks for: -O0 to -O3, or an equivalent that build
/// files use.
static std::optional<unsigned> levelOf(StringRef text) {
  return StringSwitch<std::optional<unsigned>>(text)
      .Case("0", 0)
      .Cases({"", "1", "g"}, 1)
      .Cases({"2", "s", "z"}, 2)
      .Cases({"3", "fast"}, 3)
      .Default(std::nullopt);
}

static std::string unknownLevel(StringRef word) {
  return ("unknown level " + word +
          ", expected -O0 to -O3, -Os, -Oz, -Og or -Ofast")
      .str();
}

void driver::takeKernelFlags(ArrayRef<std::string> flags,
                             ProgramOptions &options) {
  for (const std::string &flag : flags) {
    std::string word = flag;
    unsigned missing = 0, count = 0;
    InputArgList args = commandLineTable().ParseArgs(
        {word.c_str()}, missing, count, Visibility(command::kernels));
    StringRef level(flag);
    if (args.hasArg(OPT_level_Group) && level.consume_front("-O"))
      options.optimizationLevel =
          levelOf(level).value_or(options.optimizationLevel);
    if (args.hasArg(OPT_debug_Group, OPT_no_debug))
      options.isDebuggable = args.hasArg(OPT_debug_Group);
  }
}

std::optional<std::string> driver::refusalOf(StringRef flag) {
  std::string word = flag.str();
  unsigned missing = 0, count = 0;
  InputArgList args = commandLineTable().ParseArgs(
      {word.c_str()}, missing, count, Visibility(command::kernels));
  // An option without its required value was not parsed as an argument.
  const Arg *arg =
      args.getLastArg(OPT_refuse_Group, OPT_profile_Group, OPT_llvm_Group);
  if (arg)
    return toString(refuse(word, *arg));
  if (args.hasArg(OPT_level_Group) && !levelOf(flag.drop_front(2)))
    return unknownLevel(flag);
  if (args.hasArg(OPT_verbose))
    return "'" + word +
           "' is not supported: 'sluice build --verbose' shows the steps of "
           "compilation";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// Handles -O0 to -O3 and the equivalents that build files use.
static Error takeLevel(StringRef word, CompilerFlags &result) {
  StringRef text = word.drop_front(2);
  if (text == "s" || text == "z") {
    // Clang marks functions to be optimised for size.
    result.compiler.push_back(word.str());
    result.level = 2;
    return Error::success();
  }
  if (text == "fast") {
    result.compiler.push_back("-ffast-math");
    result.level = 3;
    return Error::success();
  }
  std::optional<unsigned> level = levelOf(text);
  if (!level)
    return createStringError(unknownLevel(word));
  // The last flag wins, as in other compilers.
  llvm::erase_if(result.compiler,
                 [](StringRef flag) { return flag == "-Os" || flag == "-Oz"; });
  result.level = *level;
  return Error::success();
}

static void takeDependency(const Arg &arg, DependencyFile &wanted) {
  switch (arg.getOption().getID()) {
  case OPT_MD:
  case OPT_MMD:
    wanted.isWanted = true;
    break;
  case OPT_MP:
    wanted.hasPhonies = true;
    break;
  case OPT_MF:
    wanted.path = arg.getValue();
    break;
  case OPT_MT:
    wanted.targets.push_back(arg.getValue());
    break;
  case OPT_MQ:
    wanted.targets.push_back(nameForMake(arg.getValue()));
    break;
  }
}

/// LLVM ends the process if the pattern of remarks is wrong.
static Error checkRemarks(StringRef word, StringRef option) {
  auto [name, pattern] = option.split('=');
  std::string problem;
  if (!is_contained({"pass-remarks", "pass-remarks-missed",
                     "pass-remarks-analysis", "pass-remarks-filter"},
                    name.ltrim('-')) ||
      pattern.empty() || Regex(pattern).isValid(problem))
    return Error::success();
  return createStringError("'" + word + "': '" + pattern +
                           "' is no regular expression: " + problem);
}

/// Passes the flag on in the form that the compiler or the linker reads.
static void pass(const Arg &arg, const InputArgList &args,
                 std::vector<std::string> &line) {
  if (arg.getOption().matches(OPT_rpath)) {
    line.push_back(std::string("-Wl,-rpath,") + arg.getValue());
    return;
  }
  if (arg.getOption().matches(OPT_no_debug)) {
    line.push_back("-Wl,--strip-debug");
    return;
  }
  ArgStringList words;
  arg.render(args, words);
  line.insert(line.end(), words.begin(), words.end());
}

Expected<CompilerFlags> driver::takeCompilerFlags(const InputArgList &args) {
  CompilerFlags result;
  for (const Arg *arg : args) {
    const Option &option = arg->getOption();
    StringRef word = args.getArgString(arg->getIndex());
    if (option.matches(OPT_refuse_Group))
      return refuse(word, *arg);
    if (option.matches(OPT_level_Group)) {
      if (Error error = takeLevel(word, result))
        return std::move(error);
    } else if (option.matches(OPT_debug_Group) ||
               option.matches(OPT_no_debug)) {
      result.isDebuggable = !option.matches(OPT_no_debug);
    } else if (option.matches(OPT_profile_Group)) {
      if (Error error = takeProfileFlag(option.getPrefixedName(),
                                        arg->getValue(), result.profiling))
        return std::move(error);
    } else if (option.matches(OPT_mllvm)) {
      if (Error error = checkRemarks(word, arg->getValue()))
        return std::move(error);
      result.llvm.push_back(arg->getValue());
    } else if (option.matches(OPT_llvm_Group)) {
      // "-Rpass-missed=X" is LLVM's "-pass-remarks-missed=X".
      StringRef kind = word;
      kind.consume_front("-Rpass");
      result.llvm.push_back(("-pass-remarks" + kind).str());
      if (Error error = checkRemarks(word, result.llvm.back()))
        return std::move(error);
    } else if (option.matches(OPT_depend_Group)) {
      takeDependency(*arg, result.dependencies);
    }
    bool isBoth = option.matches(OPT_both_Group);
    if (isBoth || option.matches(OPT_compile_Group))
      pass(*arg, args, result.compiler);
    if (isBoth || option.matches(OPT_link_Group))
      pass(*arg, args, result.linker);
  }
  if (Error error = findProfile(result.profiling))
    return std::move(error);
  return result;
}

//===----------------------------------------------------------------------===//
// Processors
//===----------------------------------------------------------------------===//

/// LLVM's information about the processors of this architecture.
static std::unique_ptr<MCSubtargetInfo> processors() {
  InitializeNativeTarget();
  Triple triple(sys::getDefaultTargetTriple());
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  return std::unique_ptr<MCSubtargetInfo>(
      target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
}

bool driver::isKnownCpu(StringRef cpu) {
  std::unique_ptr<MCSubtargetInfo> known = processors();
  return cpu == "native" || !known || known->isCPUStringValid(cpu);
}

std::string driver::cpuWithFeatures(StringRef cpu,
                                    ArrayRef<std::string> compilerFlags) {
  std::string result = cpu.str();
  std::unique_ptr<MCSubtargetInfo> subtarget;
  for (StringRef flag : compilerFlags) {
    if (!flag.consume_front("-m") || flag.contains('='))
      continue;
    if (!subtarget && !(subtarget = processors()))
      return result;
    bool isOn = !flag.consume_front("no-");
    StringRef name = flag == "sse4" ? (isOn ? "sse4.2" : "sse4.1") : flag;
    if (any_of(
            subtarget->getAllProcessorFeatures(),
            [&](const SubtargetFeatureKV &known) { return name == known.Key; }))
      result += (isOn ? ",+" : ",-") + name.str();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Dependency files
//===----------------------------------------------------------------------===//

Error driver::writeDependencyFile(const DependencyFile &wanted,
                                  StringRef output,
                                  ArrayRef<std::string> sources,
                                  ArrayRef<std::string> files) {
  SmallString<128> path(wanted.path == "-" ? "/dev/stdout" : wanted.path);
  if (path.empty()) {
    if (!sys::fs::is_regular_file(output))
      return createStringError("'" + output +
                               "' is no file to write a dependency file "
                               "beside; name one with -MF FILE");
    path = output;
    sys::path::replace_extension(path, "d");
  }
  if (sys::fs::equivalent(path, output))
    return createStringError("the dependency file '" + path +
                             "' is the program itself; name another one");
  if (Error error = checkOutput(path, files))
    return error;
  MakeRule rule;
  rule.targets = wanted.targets;
  if (rule.targets.empty())
    rule.targets.push_back(nameForMake(output));
  rule.sources = sources;
  rule.files = files;
  rule.hasPhonies = wanted.hasPhonies;
  return writeMakeRule(path.str().str(), rule);
}
