//===- Flags.cpp - Flags of compilers on the command line -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table says what becomes of each flag. The longest entry that fits counts.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/Flags.h"

#include "ProfileFlags.h"
#include "sluice/Toolchain/Tools.h"

#include "sluice/Base/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
enum class Form {
  Alone,   ///< -w
  Joined,  ///< -std=c11: the value, which may be empty, is part of the word
  Either,  ///< -I DIR, -IDIR
  Separate ///< -include FILE
};

enum class Fate {
  Compile,
  Link,
  Both,
  Nothing, ///< what it asks for is so anyway
  Level,
  Depend,
  Profile,
  Own, ///< an option of Sluice's that looks like one of a compiler
  Refuse
};

struct Flag {
  StringRef name;
  Form form;
  Fate use;
  StringRef wayOut;
};
} // namespace

static constexpr StringLiteral
    sanitizers("programs are not built with sanitizers; SLUICE_CHECK=1 finds "
               "wrong accesses and races of leaves while the program runs, and "
               "files without graphs may be compiled by clang with sanitizers "
               "that need no library (-fsanitize=undefined "
               "-fsanitize-trap=undefined -c) and given as .o"),
    wholePrograms("Sluice makes whole programs; give all sources to one "
                  "'sluice build', and compile files without graphs by "
                  "'clang -c', to be given as .o"),
    coverage("code is not instrumented for coverage; files without graphs may "
             "be compiled by 'clang --coverage -c' and given as .o"),
    instrumentation("code is not instrumented in this way; SLUICE_TRACE=FILE "
                    "writes a timeline of the nodes, and perf works on the "
                    "program as it is"),
    stages("'sluice build --print=STAGE' shows the stages of compilation"),
    dependencyOnly("'sluice build -MD -MF FILE' writes a dependency file "
                   "beside the program"),
    wholeModule("the code of a program is one module already, so this has "
                "nothing to add; leave it out"),
    bits("Sluice makes programs of 64 bits; leave it out"),
    library("programs need the C library and the runtime, which are linked by "
            "shared objects or --static-runtime; leave it out"),
    offload("Sluice's own nodes run on devices: give them a GPU hint, see "
            "'sluice build --help'"),
    profile("profiles are made with -fprofile-generate and used with "
            "-fprofile-use; files without graphs may be compiled by clang with "
            "others and -c, and given as .o"),
    profiled("profiles are of whole programs: give it to 'sluice build', not "
             "to kernels"),
    places("debug information is part of the program; leave it out");

static const Flag flags[] = {
    // Preprocessing.
    {"-I", Form::Either, Fate::Compile, ""},
    {"-D", Form::Either, Fate::Compile, ""},
    {"-U", Form::Either, Fate::Compile, ""},
    {"-isystem", Form::Either, Fate::Compile, ""},
    {"-iquote", Form::Either, Fate::Compile, ""},
    {"-idirafter", Form::Either, Fate::Compile, ""},
    {"-include", Form::Either, Fate::Compile, ""},
    {"-imacros", Form::Either, Fate::Compile, ""},
    {"-isysroot", Form::Either, Fate::Compile, ""},
    {"--sysroot=", Form::Joined, Fate::Both, ""},
    {"-nostdinc", Form::Alone, Fate::Compile, ""},
    {"-nostdinc++", Form::Alone, Fate::Compile, ""},
    {"-undef", Form::Alone, Fate::Compile, ""},
    {"-trigraphs", Form::Alone, Fate::Compile, ""},
    // Languages.
    {"-std=", Form::Joined, Fate::Compile, ""},
    {"--std=", Form::Joined, Fate::Compile, ""},
    {"-ansi", Form::Alone, Fate::Compile, ""},
    {"-stdlib=", Form::Joined, Fate::Refuse,
     "programs use the C++ library that Sluice was built with, libstdc++; "
     "leave it out"},
    {"-stdlib=libstdc++", Form::Alone, Fate::Nothing, ""},
    {"-x", Form::Either, Fate::Refuse,
     "the ending of a file says its language: .c for C, .cpp for C++"},
    {"-E", Form::Alone, Fate::Refuse,
     "'clang -E' with the same -I and -D does"},
    // Messages.
    {"-w", Form::Alone, Fate::Compile, ""},
    {"-W", Form::Joined, Fate::Compile, ""},
    {"-Wl,", Form::Joined, Fate::Link, ""},
    {"-Wa,", Form::Joined, Fate::Refuse,
     "no assembler runs; 'sluice build --print=asm' shows assembly"},
    {"-Wp,", Form::Joined, Fate::Refuse,
     "the preprocessor's options are given without -Wp, in front"},
    {"-pedantic", Form::Alone, Fate::Compile, ""},
    {"-pedantic-errors", Form::Alone, Fate::Compile, ""},
    {"-Xclang", Form::Separate, Fate::Refuse,
     "options of clang's inner parts are not for build files; give the "
     "driver's"},
    {"-mllvm", Form::Separate, Fate::Refuse,
     "options of LLVM's inner parts are not for build files; leave it out"},
    {"-Xlinker", Form::Separate, Fate::Link, ""},
    {"-v", Form::Alone, Fate::Refuse, stages},
    {"-###", Form::Alone, Fate::Refuse, stages},
    {"-save-temps", Form::Joined, Fate::Refuse, stages},
    // Code.
    {"-O", Form::Joined, Fate::Level, ""},
    {"-f", Form::Joined, Fate::Compile, ""},
    {"-fPIC", Form::Alone, Fate::Nothing, ""},
    {"-fpic", Form::Alone, Fate::Nothing, ""},
    {"-fPIE", Form::Alone, Fate::Nothing, ""},
    {"-fpie", Form::Alone, Fate::Nothing, ""},
    {"-fno-pic", Form::Alone, Fate::Nothing, ""},
    {"-fno-PIC", Form::Alone, Fate::Nothing, ""},
    {"-fno-pie", Form::Alone, Fate::Nothing, ""},
    {"-fno-PIE", Form::Alone, Fate::Nothing, ""},
    {"-fuse-ld=", Form::Joined, Fate::Link, ""},
    {"-fopenmp", Form::Joined, Fate::Both, ""},
    {"-fopenmp-simd", Form::Alone, Fate::Compile, ""},
    {"-fopenmp-targets", Form::Joined, Fate::Refuse, offload},
    {"-flto", Form::Joined, Fate::Nothing, ""},
    {"-fno-lto", Form::Alone, Fate::Nothing, ""},
    {"-ffat-lto-objects", Form::Alone, Fate::Nothing, ""},
    {"-fwhole-program-vtables", Form::Alone, Fate::Refuse, wholeModule},
    {"-fvirtual-function-elimination", Form::Alone, Fate::Refuse, wholeModule},
    {"-fsanitize", Form::Joined, Fate::Refuse, sanitizers},
    {"-fno-sanitize", Form::Joined, Fate::Nothing, ""},
    {"-fprofile", Form::Joined, Fate::Refuse, profile},
    {"-fprofile-generate", Form::Joined, Fate::Profile, profiled},
    {"-fprofile-use", Form::Joined, Fate::Profile, profiled},
    {"-fprofile-instr-generate", Form::Joined, Fate::Profile, profiled},
    {"-fprofile-instr-use", Form::Joined, Fate::Profile, profiled},
    {"-fprofile-update=", Form::Joined, Fate::Profile, profiled},
    {"-fno-profile", Form::Joined, Fate::Nothing, ""},
    {"-fno-profile-generate", Form::Joined, Fate::Profile, profiled},
    {"-fno-profile-use", Form::Joined, Fate::Profile, profiled},
    {"-fno-profile-instr-generate", Form::Joined, Fate::Profile, profiled},
    {"-fno-profile-instr-use", Form::Joined, Fate::Profile, profiled},
    {"-fcs-profile-generate", Form::Joined, Fate::Refuse, profile},
    {"-fauto-profile", Form::Joined, Fate::Refuse, profile},
    {"-fprofile-arcs", Form::Alone, Fate::Refuse, coverage},
    {"-ftest-coverage", Form::Alone, Fate::Refuse, coverage},
    {"-fcoverage-mapping", Form::Alone, Fate::Refuse, coverage},
    {"--coverage", Form::Alone, Fate::Refuse, coverage},
    {"-coverage", Form::Alone, Fate::Refuse, coverage},
    {"-finstrument-functions", Form::Joined, Fate::Refuse, instrumentation},
    {"-fxray", Form::Joined, Fate::Refuse, instrumentation},
    {"-ftime-trace", Form::Joined, Fate::Refuse, instrumentation},
    {"-pg", Form::Alone, Fate::Refuse, instrumentation},
    {"-p", Form::Alone, Fate::Refuse, instrumentation},
    {"-fsplit-stack", Form::Alone, Fate::Refuse,
     "stacks are not split; set their size with 'ulimit -s'"},
    {"-fsyntax-only", Form::Alone, Fate::Refuse, "'sluice check' does"},
    {"-fembed-bitcode", Form::Joined, Fate::Refuse, wholeModule},
    {"-m", Form::Joined, Fate::Compile, ""},
    {"-march=", Form::Joined, Fate::Own, ""},
    {"-march", Form::Alone, Fate::Own, ""},
    {"-mcpu=", Form::Joined, Fate::Refuse, "on x86 it is -march=CPU"},
    {"-m64", Form::Alone, Fate::Nothing, ""},
    {"-m32", Form::Alone, Fate::Refuse, bits},
    {"-m16", Form::Alone, Fate::Refuse, bits},
    {"-mx32", Form::Alone, Fate::Refuse, bits},
    {"-mcmodel=", Form::Joined, Fate::Refuse,
     "programs have the small code model; large data belongs on the heap"},
    {"-mcmodel=small", Form::Alone, Fate::Nothing, ""},
    {"-msoft-float", Form::Alone, Fate::Refuse,
     "programs use the processor's floating-point unit; leave it out"},
    {"-gsplit-dwarf", Form::Joined, Fate::Refuse, places},
    {"-gz", Form::Joined, Fate::Refuse, places},
    {"-pipe", Form::Alone, Fate::Nothing, ""},
    {"-pthread", Form::Alone, Fate::Both, ""},
    {"-c", Form::Alone, Fate::Refuse, wholePrograms},
    {"-S", Form::Alone, Fate::Refuse,
     "'sluice build --print=asm' shows assembly, --print=llvm LLVM IR"},
    {"-emit-llvm", Form::Alone, Fate::Refuse,
     "'sluice build --print=llvm' shows LLVM IR"},
    // Dependencies.
    {"-MD", Form::Alone, Fate::Depend, ""},
    {"-MMD", Form::Alone, Fate::Depend, ""},
    {"-MP", Form::Alone, Fate::Depend, ""},
    {"-MF", Form::Either, Fate::Depend, ""},
    {"-MT", Form::Either, Fate::Depend, ""},
    {"-MQ", Form::Either, Fate::Depend, ""},
    {"-M", Form::Alone, Fate::Refuse, dependencyOnly},
    {"-MM", Form::Alone, Fate::Refuse, dependencyOnly},
    {"-MG", Form::Alone, Fate::Refuse, dependencyOnly},
    // Linking.
    {"-l", Form::Either, Fate::Link, ""},
    {"-L", Form::Either, Fate::Link, ""},
    {"-T", Form::Either, Fate::Link, ""},
    {"-u", Form::Either, Fate::Link, ""},
    {"-z", Form::Separate, Fate::Link, ""},
    {"-rpath", Form::Separate, Fate::Link, ""},
    {"-rdynamic", Form::Alone, Fate::Link, ""},
    {"-s", Form::Alone, Fate::Link, ""},
    {"-pie", Form::Alone, Fate::Link, ""},
    {"-no-pie", Form::Alone, Fate::Link, ""},
    {"-nopie", Form::Alone, Fate::Link, ""},
    {"-static-libgcc", Form::Alone, Fate::Link, ""},
    {"-static-libstdc++", Form::Alone, Fate::Link, ""},
    {"-static", Form::Alone, Fate::Refuse,
     "the runtime opens devices and compiled variants while the program runs, "
     "which needs the dynamic linker; --static-runtime with -static-libstdc++ "
     "-static-libgcc leaves the C library alone"},
    {"-static-pie", Form::Alone, Fate::Refuse,
     "the runtime opens devices and compiled variants while the program runs, "
     "which needs the dynamic linker; use --static-runtime"},
    {"-shared", Form::Alone, Fate::Refuse, wholePrograms},
    {"-r", Form::Alone, Fate::Refuse, wholePrograms},
    {"-nostdlib", Form::Alone, Fate::Refuse, library},
    {"-nostdlib++", Form::Alone, Fate::Refuse, library},
    {"-nodefaultlibs", Form::Alone, Fate::Refuse, library},
    {"-nostartfiles", Form::Alone, Fate::Refuse, library},
    // Sluice's own that begin alike.
    {"-legacy", Form::Alone, Fate::Own, ""},
    {"-legion-static-traces", Form::Alone, Fate::Own, ""},
    {"-legion-no-must-epochs", Form::Alone, Fate::Own, ""},
    {"-legion-no-independent-requirements", Form::Alone, Fate::Own, ""},
};

/// The entry that fits best; null if `word` is no flag of a compiler.
static const Flag *find(StringRef word) {
  // -g, -g2, -ggdb3, -gdwarf-5, -gline-tables-only: as programs have it anyway.
  static const Flag debug = {"-g", Form::Joined, Fate::Nothing, ""};
  static const Flag noDebug = {"-g0", Form::Alone, Fate::Link, ""};
  const Flag *best = nullptr;
  for (const Flag &flag : flags) {
    bool fits = flag.form == Form::Joined || flag.form == Form::Either
                    ? word.starts_with(flag.name)
                    : word == flag.name;
    if (fits && (!best || flag.name.size() > best->name.size()))
      best = &flag;
  }
  if (!best && word == "-g0")
    return &noDebug;
  if (!best &&
      (word == "-g" || word.starts_with("-ggdb") ||
       word.starts_with("-gdwarf") || word.starts_with("-gline") ||
       word.starts_with("-gcolumn") || word == "-gno-column-info" ||
       word == "-gstrict-dwarf" || word == "-gno-strict-dwarf" ||
       (word.size() == 3 && word.starts_with("-g") && isDigit(word[2]))))
    return &debug;
  return best;
}

static Error refuse(StringRef word, const Flag &flag) {
  return createStringError("'" + word + "' is not supported: " + flag.wayOut);
}

std::optional<std::string> driver::refusalOf(StringRef word) {
  const Flag *flag = find(word);
  if (!flag || (flag->use != Fate::Refuse && flag->use != Fate::Profile))
    return std::nullopt;
  return toString(refuse(word, *flag));
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// -O0 to -O3 and what build files write for them.
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
  auto level = StringSwitch<std::optional<unsigned>>(text)
                   .Case("0", 0)
                   .Cases({"", "1", "g"}, 1)
                   .Case("2", 2)
                   .Case("3", 3)
                   .Default(std::nullopt);
  if (!level)
    return createStringError("unknown level " + word +
                             ", expected -O0 to -O3, -Os, -Oz, -Og or -Ofast");
  // The last one counts, as for compilers.
  llvm::erase_if(result.compiler,
                 [](StringRef flag) { return flag == "-Os" || flag == "-Oz"; });
  result.level = *level;
  return Error::success();
}

/// A name in a dependency file.
static std::string quoteForMake(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == ' ' || c == '#' || c == '\\')
      result += '\\';
    if (c == '$')
      result += '$';
    result += c;
  }
  return result;
}

static void takeDependency(StringRef name, StringRef value,
                           DependencyFile &wanted) {
  if (name == "-MD" || name == "-MMD")
    wanted.isWanted = true;
  else if (name == "-MP")
    wanted.hasPhonies = true;
  else if (name == "-MF")
    wanted.path = value.str();
  else
    wanted.targets.push_back(name == "-MQ" ? quoteForMake(value) : value.str());
}

Expected<CompilerFlags>
driver::takeCompilerFlags(ArrayRef<const char *> words) {
  CompilerFlags result;
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    const Flag *flag = word.size() > 1 && word[0] == '-' ? find(word) : nullptr;
    if (!flag || flag->use == Fate::Own) {
      result.rest.push_back(words[i]);
      // The value of -o may look like anything.
      if (word == "-o" && i + 1 != words.size())
        result.rest.push_back(words[++i]);
      continue;
    }
    if (flag->use == Fate::Refuse)
      return refuse(word, *flag);
    if (flag->use == Fate::Nothing)
      continue;
    if (flag->use == Fate::Level) {
      if (Error error = takeLevel(word, result))
        return std::move(error);
      continue;
    }
    if (flag->use == Fate::Profile) {
      if (Error error = takeProfileFlag(
              flag->name, word.drop_front(flag->name.size()), result.profiling))
        return std::move(error);
      continue;
    }
    StringRef value;
    bool isSeparate =
        flag->form == Form::Separate ||
        (flag->form == Form::Either && word.size() == flag->name.size());
    if (isSeparate) {
      if (++i == words.size())
        return createStringError("'" + word + "' needs a value behind it");
      value = words[i];
    } else {
      value = word.drop_front(flag->name.size());
    }
    if (flag->use == Fate::Depend) {
      takeDependency(flag->name, value, result.dependencies);
      continue;
    }
    auto pass = [&](std::vector<std::string> &line) {
      if (flag->name == "-rpath") {
        line.push_back(("-Wl,-rpath," + value).str());
      } else if (flag->name == "-g0") {
        line.push_back("-Wl,--strip-debug");
      } else if (isSeparate && flag->form == Form::Either &&
                 flag->name.size() == 2) {
        // One word each, which is how the rest of the driver knows them.
        line.push_back((flag->name + value).str());
      } else {
        line.push_back(word.str());
        if (isSeparate)
          line.push_back(value.str());
      }
    };
    if (flag->use != Fate::Link)
      pass(result.compiler);
    if (flag->use != Fate::Compile)
      pass(result.linker);
  }
  if (Error error = findProfile(result.profiling))
    return std::move(error);
  return result;
}

//===----------------------------------------------------------------------===//
// Processors
//===----------------------------------------------------------------------===//

/// What LLVM knows of the processors of this kind of machine.
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
  std::string text;
  raw_string_ostream os(text);
  std::vector<std::string> targets = wanted.targets;
  if (targets.empty())
    targets.push_back(quoteForMake(output));
  os << join(targets, " ") << ':';
  for (const std::string &file : files)
    os << " \\\n  " << quoteForMake(file);
  os << '\n';
  if (wanted.hasPhonies)
    for (const std::string &file : ArrayRef(files).drop_front(!files.empty()))
      os << '\n' << quoteForMake(file) << ":\n";
  Status status = writeOutput(path.str().str(), text);
  return status.ok() ? Error::success() : createStringError(status.message());
}
