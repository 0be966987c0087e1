//===- TuneCommand.cpp - The command line of 'sluice tune' ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program does the work: told so by its environment, a meta-program keeps
// all variants of its Halide tasks and has the runtime try them, and so does an
// executable that was made with all of them.
//
//===----------------------------------------------------------------------===//

#include "TuneCommand.h"
#include "TaskCommands.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Stack.h"
#include "sluice/Base/Temporary.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice::driver;

namespace {
struct TuneLine {
  std::string output = "tuned.ini";
  /// As they are written; empty: the runtime's.
  std::string relative, absolute;
  std::string candidates;
  std::vector<std::string> files;
};
} // namespace

static int usage(const Twine &message) {
  errs() << "sluice: error: " << message << "; see 'sluice tune --help'\n";
  return 2;
}

/// "p1=1,2,4", but no path.
static bool isCandidate(StringRef word) {
  auto [name, values] = word.split('=');
  return !name.empty() && !values.empty() && !word.contains('/');
}

/// "--rtol=1e-6": true if `word` is such an option, whose number is `value`.
static bool isTolerance(StringRef word, StringRef option, std::string &value) {
  if (!word.consume_front(option))
    return false;
  value = word.str();
  return true;
}

static bool isNumber(const std::string &text) {
  double number = 0;
  return text.empty() || (!StringRef(text).getAsDouble(number) &&
                          std::isfinite(number) && number >= 0);
}

/// Reads the line; 0, or the exit status after saying what is wrong.
static int parseLine(ArrayRef<const char *> words, TuneLine &line) {
  for (size_t i = 0; i != words.size(); ++i) {
    StringRef word = words[i];
    if (word == "-o") {
      if (++i == words.size())
        return usage("-o needs a file");
      line.output = words[i];
    } else if (word == "--candidates") {
      line.candidates = "*";
    } else if (isTolerance(word, "--rtol=", line.relative) ||
               isTolerance(word, "--atol=", line.absolute)) {
      if (word.ends_with("=") || !isNumber(line.relative) ||
          !isNumber(line.absolute))
        return usage("'" + word + "', expected a number of at least 0");
    } else if (word.starts_with("-")) {
      return usage("unknown option '" + word + "'");
    } else if (isCandidate(word)) {
      if (line.candidates == "*")
        return usage("--candidates tries all values, '" + word +
                     "' only some; take one of them");
      line.candidates += (line.candidates.empty() ? "" : " ") + word.str();
    } else {
      line.files.push_back(word.str());
    }
  }
  return line.files.empty()
             ? usage("expected a meta-program, an executable or a .mlir file")
             : 0;
}

static bool isModule(const std::string &file) {
  StringRef ending = sys::path::extension(file);
  return ending == ".mlir" || ending == ".mlirbc";
}

/// What is to be run; empty after saying why there is nothing.
static std::string findProgram(const TuneLine &line) {
  if (none_of(line.files, isModule)) {
    if (line.files.size() > 1) {
      usage("'" + line.files[0] + "' and '" + line.files[1] +
            "' are two programs; take one at a time");
      return "";
    }
    if (sys::fs::can_execute(line.files[0]) &&
        !sys::fs::is_directory(line.files[0]))
      return line.files[0];
    errs() << "sluice: error: '" << line.files[0] << "' is no program\n";
    return "";
  }
  BuildOptions build;
  build.program.files = line.files;
  build.program.cpu = "native";
  std::optional<TaskFiles> files = taskFiles(build, "");
  if (!files)
    return "";
  files->options.keepsVariants = true;
  return cacheTasks(*files).path;
}

/// Tells apart what lies at a path before the program ran and after.
static std::string stampOf(StringRef path) {
  sys::fs::file_status status;
  if (sys::fs::status(path, status))
    return "";
  sys::fs::UniqueID id = status.getUniqueID();
  return (Twine(id.getDevice()) + " " + Twine(id.getFile()) + " " +
          Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

/// Runs the program; its exit status, or 1 after saying how it ended.
static int runProgram(const std::string &program,
                      ArrayRef<const char *> arguments) {
  std::string name = program;
  std::vector<char *> argv{name.data()};
  for (const char *argument : arguments)
    argv.push_back(const_cast<char *>(argument));
  argv.push_back(nullptr);
  pid_t id = 0;
  if (int problem = posix_spawn(&id, program.c_str(), nullptr, nullptr,
                                argv.data(), environ)) {
    errs() << "sluice: error: cannot start '" << program
           << "': " << strerror(problem) << '\n';
    return 1;
  }
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  errs() << "sluice: error: '" << program
         << "' was ended by a signal: " << strsignal(WTERMSIG(status)) << '\n';
  return 1;
}

int runTuneCommand(ArrayRef<const char *> words,
                   ArrayRef<const char *> arguments) {
  TuneLine line;
  if (int status = parseLine(words, line))
    return status;
  if (!line.candidates.empty() && any_of(line.files, isModule))
    return usage("a .mlir file has no generators to compile for other values; "
                 "tune its meta-program");
  std::string program = findProgram(line);
  if (program.empty())
    return 1;
  line.files.push_back(program);
  if (sluice::Status status = sluice::checkOutput(line.output, line.files);
      !status.ok()) {
    errs() << "sluice: error: " << status.message() << '\n';
    return 1;
  }
  SmallString<128> output(line.output);
  sys::fs::make_absolute(output);
  setenv("SLUICE_TUNE", output.c_str(), 1);
  if (!line.candidates.empty())
    setenv("SLUICE_TUNE_CANDIDATES", line.candidates.c_str(), 1);
  if (!line.relative.empty())
    setenv("SLUICE_TUNE_RTOL", line.relative.c_str(), 1);
  if (!line.absolute.empty())
    setenv("SLUICE_TUNE_ATOL", line.absolute.c_str(), 1);
  std::string before = stampOf(output);
  sluice::restoreLimits();
  if (int status = runProgram(program, arguments))
    return status;
  // Only a graph that ran writes it.
  if (!sys::fs::exists(output) ||
      (sys::fs::is_regular_file(output) && stampOf(output) == before)) {
    errs() << "sluice: error: '" << program
           << "' ended without running a task graph, so there is nothing to "
              "tune; expected a meta-program or an executable made with "
              "--variants\n";
    return 1;
  }
  return 0;
}
