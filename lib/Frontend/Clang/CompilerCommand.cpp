//===- CompilerCommand.cpp - Command lines of clang and gcc ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order:
//   1. Clang's driver makes the jobs of the command line, without diagnostics.
//   2. If no job concerns Sluice, the process becomes clang, with further
//      arguments for headers and for the linker.
//   3. Otherwise the driver makes the jobs again and runs them: in this process
//      if Sluice may compile them, otherwise as processes of clang.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Clang/CompilerCommand.h"

#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "sluice/Frontend/Clang/Compile.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Driver/Action.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/InputInfo.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Tool.h"
#include "clang/Driver/ToolChain.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Options/Options.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace sluice;
namespace options = clang::options;

namespace {
/// Clang's driver with one command line.
class ClangDriver {
public:
  /// `runFrontEnd` runs lines of clang's front end in this process; an empty
  /// one makes a driver that runs nothing and says nothing.
  ClangDriver(llvm::ArrayRef<const char *> words,
              clang::driver::Driver::CC1ToolFunc runFrontEnd = nullptr);

  /// False if the command line needs no jobs, or is wrong.
  explicit operator bool() const {
    return compilation && !compilation->containsError();
  }
  clang::driver::Compilation &jobs() const { return *compilation; }
  int run();
  bool hasMessages() const {
    return diagnostics.getNumErrors() != 0 || diagnostics.getNumWarnings() != 0;
  }

private:
  static clang::DiagnosticConsumer *makeClient(clang::DiagnosticOptions &shown,
                                               bool isSilent);

  clang::DiagnosticOptions shown;
  clang::DiagnosticsEngine diagnostics;
  clang::driver::Driver driver;
  std::unique_ptr<clang::driver::Compilation> compilation;
};
} // namespace

clang::DiagnosticConsumer *
ClangDriver::makeClient(clang::DiagnosticOptions &shown, bool isSilent) {
  if (isSilent)
    return new clang::DiagnosticConsumer(); // which counts
  auto *printer = new clang::TextDiagnosticPrinter(llvm::errs(), shown);
  printer->setPrefix("sluice");
  return printer;
}

ClangDriver::ClangDriver(llvm::ArrayRef<const char *> words,
                         clang::driver::Driver::CC1ToolFunc runFrontEnd)
    : diagnostics(clang::DiagnosticIDs::create(), shown,
                  makeClient(shown, !runFrontEnd)),
      driver(SLUICE_CLANG, llvm::sys::getDefaultTargetTriple(), diagnostics) {
  unsigned missing = 0, count = 0;
  llvm::opt::InputArgList parsed =
      clang::getDriverOptTable().ParseArgs(words.drop_front(), missing, count);
  clang::ParseDiagnosticArgs(shown, parsed);
  clang::ProcessWarningOptions(diagnostics, shown, driver.getVFS(),
                               /*ReportDiags=*/false);
  driver.CC1Main = runFrontEnd;
  compilation.reset(driver.BuildCompilation(words));
}

int ClangDriver::run() {
  llvm::SmallVector<std::pair<int, const clang::driver::Command *>, 4> failing;
  int status = driver.ExecuteCompilation(*compilation, failing);
  for (const auto &[ended, job] : failing)
    status = status ? status : ended;
  diagnostics.getClient()->finish();
  return status < 0 ? 1 : status;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The words as options and their values: that of "-o --version" is a file.
static llvm::opt::InputArgList parseWords(llvm::ArrayRef<const char *> words,
                                          llvm::opt::Visibility visibility) {
  unsigned missing = 0, count = 0;
  return clang::getDriverOptTable().ParseArgs(words, missing, count,
                                              visibility);
}

/// The same for a command line of the driver, of which the first word is the
/// compiler.
static llvm::opt::InputArgList parseLine(llvm::ArrayRef<const char *> line) {
  return parseWords(line.drop_front(),
                    llvm::opt::Visibility(options::ClangOption));
}

/// Whether clang answers at once and makes no jobs.
static bool isQuestion(llvm::ArrayRef<const char *> line) {
  if (line.size() > 1 && llvm::StringRef(line[1]).starts_with("-cc1"))
    return true;
  llvm::opt::InputArgList args = parseLine(line);
  for (const llvm::opt::Arg *arg : args)
    for (llvm::StringRef start : {"-print-", "--print-", "--version", "--help",
                                  "-help", "--autocomplete", "-dumpversion",
                                  "-dumpmachine", "-dumpspecs", "-ccc-print"})
      if (arg->getOption().getKind() != llvm::opt::Option::InputClass &&
          arg->getSpelling().starts_with(start))
        return true;
  return false;
}

/// The same line without "--", behind which there are only files.
static std::vector<const char *>
withPlainFiles(llvm::ArrayRef<const char *> line, llvm::StringSaver &memory) {
  std::vector<const char *> words = line.vec();
  llvm::opt::InputArgList args = parseLine(line);
  for (const llvm::opt::Arg *arg : args) {
    if (!arg->getOption().matches(options::OPT__DASH_DASH))
      continue;
    auto place = words.begin() + 1 + arg->getIndex();
    for (const char *&file : llvm::make_range(place + 1, words.end()))
      if (llvm::StringRef name(file); name.starts_with("-") && name != "-")
        file = memory.save("./" + name).data();
    words.erase(place);
    break;
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

/// The job, if it makes an object of a source with clang's front end.
static std::optional<ObjectJob>
objectJobOf(const clang::driver::Command &command) {
  const llvm::opt::ArgStringList &words = command.getArguments();
  if (words.empty() || llvm::StringRef(words.front()) != "-cc1" ||
      command.getInputInfos().size() != 1 ||
      !command.getInputInfos().front().isFilename() ||
      command.getOutputFilenames().empty())
    return std::nullopt;
  ObjectJob job;
  job.source = command.getInputInfos().front().getFilename();
  job.output = command.getOutputFilenames().front();
  job.words.assign(std::next(words.begin()), words.end());
  return job;
}

static bool concernsSluice(const clang::driver::Command &command) {
  std::optional<ObjectJob> job = objectJobOf(command);
  return job && whyOnlyClang(*job).empty() && mayConcernSluice(*job);
}

/// Whether remarks are to say what Sluice does not do.
static bool wantsLeft(llvm::ArrayRef<const char *> line) {
  llvm::opt::InputArgList args = parseLine(line);
  const llvm::opt::Arg *wish = args.getLastArg(options::OPT_Rpass_missed_EQ);
  return wish && llvm::Regex(wish->getValue()).match("sluice");
}

/// Names the sources that clang compiles alone although they may have graphs.
static void describeLeftJobs(const clang::driver::Compilation &compilation) {
  Diagnostics said;
  if (compilation.getArgs().hasArg(options::OPT_E, options::OPT_M,
                                   options::OPT_MM))
    return;
  for (const clang::driver::Command &command : compilation.getJobs()) {
    std::optional<ObjectJob> job = objectJobOf(command);
    std::string why = job ? whyOnlyClang(*job) : "";
    if (!why.empty() && mayConcernSluice(*job))
      said.remark({.file = job->source},
                  "clang alone compiles this, since " + why, "sluice-cc");
  }
  said.print(llvm::errs());
}

/// Without what the front end has already printed and written in this process.
static std::vector<std::string> unsaidWords(const ObjectJob &job) {
  std::vector<const char *> line;
  for (const std::string &word : job.words)
    line.push_back(word.c_str());
  llvm::opt::InputArgList args =
      parseWords(line, llvm::opt::Visibility(options::CC1Option));
  std::vector<std::string> words = job.words;
  std::vector<bool> isSaid(words.size());
  for (const llvm::opt::Arg *arg : args) {
    const llvm::opt::Option &option = arg->getOption();
    if (option.matches(options::OPT_H) || option.matches(options::OPT_v) ||
        option.matches(options::OPT_header_include_file) ||
        option.matches(options::OPT_diagnostic_log_file) ||
        option.matches(options::OPT_diagnostic_serialized_file) ||
        (option.matches(options::OPT_dependency_file) &&
         llvm::StringRef(arg->getValue()) == "-"))
      for (unsigned i = 0; i <= arg->getNumValues(); ++i)
        isSaid[arg->getIndex() + i] = true;
  }
  size_t at = 0;
  llvm::erase_if(words, [&](const std::string &) { return isSaid[at++]; });
  return words;
}

/// Compiles by clang what has been found to be its job. All warnings have been
/// printed.
static int leaveToClang(const ObjectJob &job) {
  std::vector<std::string> unsaid = unsaidWords(job);
  std::vector<llvm::StringRef> words = {SLUICE_CLANG, "-cc1"};
  words.insert(words.end(), unsaid.begin(), unsaid.end());
  words.push_back("-w");
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(SLUICE_CLANG, words, std::nullopt, {},
                                         0, 0, &problem);
  if (status < 0)
    printError("cannot run '" SLUICE_CLANG "': " + problem);
  return status < 0 ? 1 : status;
}

//===----------------------------------------------------------------------===//
// Command lines
//===----------------------------------------------------------------------===//

static std::vector<std::string> headerWords() {
  std::vector<std::string> words;
  std::string folder = findHeaderFolder();
  for (const std::string &headers : {folder, folder + "/../.."})
    // Named again, the system's folder would come before that of C++.
    if (!llvm::sys::fs::equivalent(headers, "/usr/include")) {
      words.push_back("-isystem");
      words.push_back(headers);
    }
  return words;
}

/// Whether somebody links, and how.
static std::optional<LinkRequest>
linkRequestOf(const clang::driver::Compilation &compilation) {
  const llvm::opt::DerivedArgList &args = compilation.getArgs();
  bool links = llvm::any_of(compilation.getJobs(), [](const auto &command) {
    return llvm::isa<clang::driver::LinkJobAction>(command.getSource());
  });
  if (!links || args.hasArg(options::OPT_r))
    return std::nullopt;
  return LinkRequest{
      .isStatic = args.hasArg(options::OPT_static, options::OPT_static_pie),
      .usesOpenMP = args.hasFlag(options::OPT_fopenmp, options::OPT_fopenmp_EQ,
                                 options::OPT_fno_openmp, /*Default=*/false),
      .namesLibraries =
          args.hasArg(options::OPT_nostdlib, options::OPT_nodefaultlibs)};
}

static int becomeClang(std::vector<const char *> words) {
  words.push_back(nullptr);
  llvm::outs().flush();
  removeWorkFolder();
  restoreLimits();
  execv(SLUICE_CLANG, const_cast<char **>(words.data()));
  printError(std::string("cannot run '" SLUICE_CLANG "': ") +
             std::strerror(errno));
  return 1;
}

/// Adds words that need not be of use.
static std::vector<const char *>
withWords(llvm::ArrayRef<const char *> line,
          const std::vector<std::string> &added) {
  std::vector<const char *> words = line.vec();
  words.push_back("--start-no-unused-arguments");
  for (const std::string &word : added)
    words.push_back(word.c_str());
  words.push_back("--end-no-unused-arguments");
  return words;
}

/// Makes the jobs without a word. Adds what the linker needs to `added`, and
/// says whether a job concerns Sluice; none if there are no jobs.
static std::optional<bool> lookAtJobs(llvm::ArrayRef<const char *> words,
                                      const CompilerHooks &hooks,
                                      std::vector<std::string> &added) {
  std::vector<const char *> silent = words.vec();
  unsigned numErased = 0;
  llvm::opt::InputArgList args = parseLine(words);
  for (const llvm::opt::Arg *arg : args)
    if (arg->getOption().matches(options::OPT_v) ||
        arg->getOption().matches(options::OPT__HASH_HASH_HASH))
      silent.erase(silent.begin() + 1 + arg->getIndex() - numErased++);
  ClangDriver driver(silent);
  if (!driver)
    return std::nullopt;
  if (std::optional<LinkRequest> request = linkRequestOf(driver.jobs()))
    for (std::string &word : hooks.link(*request))
      added.push_back(std::move(word));
  if (wantsLeft(words))
    describeLeftJobs(driver.jobs());
  return llvm::any_of(driver.jobs().getJobs(), concernsSluice);
}

/// Runs the jobs of a command line; some in this process.
static int runJobs(llvm::ArrayRef<const char *> words,
                   const std::vector<std::string> &flags,
                   const CompilerHooks &hooks) {
  std::vector<ObjectJob> jobs;
  auto runFrontEnd = [&](llvm::SmallVectorImpl<const char *> &line) {
    auto isThis = [&](const ObjectJob &job) {
      return llvm::is_contained(line, job.output) &&
             llvm::is_contained(line, job.source);
    };
    auto job = llvm::find_if(jobs, isThis);
    assert(job != jobs.end() && "no other job is run in this process");
    std::optional<int> status = hooks.compile(*job);
    return status ? *status : leaveToClang(*job);
  };
  ClangDriver driver(words, runFrontEnd);
  if (!driver)
    return 1;
  for (clang::driver::Command &command : driver.jobs().getJobs()) {
    command.InProcess = concernsSluice(command);
    if (!command.InProcess)
      continue;
    jobs.push_back(*objectJobOf(command));
    jobs.back().flags = flags;
    jobs.back().saysLeft = wantsLeft(words);
  }
  return driver.run();
}

std::optional<LinkerCall>
sluice::linkerCallOf(llvm::ArrayRef<std::string> compilerWords) {
  // Clang's program, not its driver, changes its words by these.
  for (const char *name :
       {"CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS", "QA_OVERRIDE_GCC3_OPTIONS"})
    if (std::getenv(name))
      return std::nullopt;
  std::vector<const char *> line = {SLUICE_CLANG, "--driver-mode=g++"};
  size_t length = 0;
  for (const std::string &word : compilerWords) {
    line.push_back(word.c_str());
    length += word.size() + 1;
    // The driver's program puts words into files, and takes them from there.
    if (llvm::StringRef(word).starts_with("@") || length > 50000)
      return std::nullopt;
  }
  if (isQuestion(line))
    return std::nullopt;
  llvm::opt::InputArgList args = parseLine(line);
  if (args.hasArg(options::OPT_v, options::OPT__HASH_HASH_HASH))
    return std::nullopt;
  ClangDriver driver(line);
  if (!driver || driver.hasMessages() || driver.jobs().getJobs().size() != 1)
    return std::nullopt;
  const clang::driver::Command &command = *driver.jobs().getJobs().begin();
  if (!llvm::isa<clang::driver::LinkJobAction>(command.getSource()))
    return std::nullopt;
  LinkerCall call{command.getExecutable(), {}};
  call.words.assign(command.getArguments().begin(),
                    command.getArguments().end());
  return call;
}

int sluice::runCompilerCommand(llvm::ArrayRef<const char *> given, bool isCpp,
                               const CompilerHooks &hooks) {
  std::vector<const char *> line = {SLUICE_CLANG};
  if (isCpp)
    line.push_back("--driver-mode=g++");
  line.insert(line.end(), given.begin(), given.end());
  llvm::BumpPtrAllocator memory;
  llvm::SmallVector<const char *> words(line.begin(), line.end());
  if (llvm::Error error = clang::driver::expandResponseFiles(
          words, /*ClangCLMode=*/false, memory)) {
    printError(toString(std::move(error)));
    return 1;
  }
  if (isQuestion(words))
    return becomeClang(line);
  llvm::StringSaver names(memory);
  // What is added would become files.
  if (parseLine(words).hasArg(options::OPT__DASH_DASH)) {
    line = withPlainFiles(words, names);
    words.assign(line.begin(), line.end());
  }
  std::vector<std::string> added = headerWords();
  std::optional<bool> isConcerned = lookAtJobs(words, hooks, added);
  if (!isConcerned) // clang says what is wrong
    return becomeClang(line);
  bool isShown = parseLine(words).hasArg(options::OPT__HASH_HASH_HASH);
  if (!*isConcerned || isShown)
    return becomeClang(withWords(line, added));
  return runJobs(withWords(words, added),
                 std::vector<std::string>(words.begin(), words.end()), hooks);
}
