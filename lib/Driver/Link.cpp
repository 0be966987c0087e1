//===- Link.cpp - Runs the linker -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang knows the libraries of the system, so its driver, which this process
// contains, says how to run lld; a process of clang runs it where clang would
// say or do more. A program in the cache is good as long as no file has changed
// that its linking looked at: these are found out here as well.
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "sluice/Base/Output.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Diagnostics/ToolOutput.h"
#include "sluice/Frontend/Clang/CompilerCommand.h"
#include "sluice/Toolchain/Manifest.h"
#include "sluice/Toolchain/Toolchain.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;

//===----------------------------------------------------------------------===//
// What the linker looks at
//===----------------------------------------------------------------------===//

/// Reads the rule for make that the linker wrote: "output: \", then a file on
/// each line.
static void readRule(StringRef path, std::vector<std::string> &files) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : drop_begin(lines)) {
    line.consume_back("\\");
    line = line.trim(' ');
    if (line.empty())
      return; // more rules follow, without prerequisites
    std::string file;
    for (size_t i = 0; i < line.size(); ++i) {
      bool isQuoted =
          i + 1 < line.size() &&
          ((line[i] == '\\' && StringRef(" #").contains(line[i + 1])) ||
           (line[i] == '$' && line[i + 1] == '$'));
      file += line[isQuoted ? ++i : i];
    }
    files.push_back(file);
  }
}

/// The words of the last line of `clang++ -###`, where each is quoted.
static std::vector<std::string> quotedWords(StringRef text) {
  std::vector<std::string> words;
  StringRef line = text.rtrim().rsplit('\n').second;
  if (line.empty())
    line = text.rtrim();
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '"')
      continue;
    std::string word;
    for (++i; i < line.size() && line[i] != '"'; ++i)
      word += line[i] == '\\' && i + 1 < line.size() ? line[++i] : line[i];
    words.push_back(std::move(word));
  }
  return words;
}

/// The words with which the linker is run; empty if they are not known.
static std::vector<std::string>
linkerWords(const std::optional<LinkerCall> &call,
            ArrayRef<std::string> linkWords) {
  if (call)
    return call->words;
  std::vector<std::string> words{"-###"};
  append_range(words, linkWords);
  std::string said;
  if (Error error = driver::askTool("clang++", words, said)) {
    consumeError(std::move(error));
    return {};
  }
  return quotedWords(said);
}

/// Every place where the linker, run with these words, looks for a library: one
/// that appears earlier on the path would be taken instead.
static void noteLibraries(ArrayRef<std::string> line,
                          std::vector<std::string> &places) {
  std::vector<std::string> folders, names;
  for (size_t i = 0; i < line.size(); ++i) {
    StringRef word = line[i];
    if (!word.consume_front("-L") && !word.consume_front("-l"))
      continue;
    bool isFolder = line[i][1] == 'L';
    if (word.empty() && i + 1 < line.size())
      word = line[++i];
    (isFolder ? folders : names).push_back(word.str());
  }
  for (const std::string &folder : folders)
    for (StringRef name : names) {
      SmallString<128> place(folder);
      if (name.consume_front(":")) {
        sys::path::append(place, name);
        places.push_back(place.str().str());
        continue;
      }
      sys::path::append(place, "lib" + name);
      places.push_back((place + ".so").str());
      places.push_back((place + ".a").str());
    }
}

/// Files of words that the linker reads itself: "-Wl,@FILE".
static void noteResponseFiles(ArrayRef<std::string> flags,
                              std::vector<std::string> &places) {
  for (StringRef flag : flags) {
    SmallVector<StringRef> parts;
    flag.split(parts, ',');
    for (StringRef part : parts)
      if (part.consume_front("@")) {
        places.push_back(part.str());
        auto text = MemoryBuffer::getFile(part);
        if (text && (*text)->getBuffer().contains('@'))
          places.push_back(dependsOnMore);
      }
  }
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// Words for the linker as they are: "-Wl," splits them at commas, which paths
/// may have.
static void addForLinker(std::vector<std::string> &words,
                         ArrayRef<std::string> added) {
  for (const std::string &word : added)
    append_values(words, "-Xlinker", word);
}

static std::vector<std::string> linkWords(ArrayRef<std::string> objects,
                                          const driver::LinkOptions &options) {
  std::vector<std::string> words{"-fuse-ld=lld"};
  if (options.isVariant)
    append_values(words, "-shared", "-nostdlib", "-Wl,-z,nodelete");
  // The process may have functions of the same names.
  if (options.isShared)
    append_values(words, "-shared", "-Wl,-Bsymbolic");
  // A copy uses its own functions, and is as small as it can be.
  if (options.isSimulated)
    append_values(words, "-shared", "-Wl,-Bsymbolic", "-Wl,--gc-sections",
                  "-Wl,--strip-all");
  append_range(words, objects);
  append_range(words, options.flags);
  if (options.isVariant) {
    // Without it, functions of libm are those of its oldest version.
    append_values(words, "-Wl,--as-needed", "-lm");
    return words;
  }
  // The driver knows the library.
  if (options.isProfiled)
    words.push_back("-fprofile-generate");
  if (options.usesOpenMP) {
    words.push_back("-fopenmp");
    // The system's may be of another version.
    addForLinker(words, {"-rpath", SLUICE_LLVM_BIN "/../lib"});
  }
  std::string folder = driver::libraryFolder();
  // Variants opened later find the program's globals by name.
  words.push_back("-Wl,--export-dynamic-symbol=sluice.dataset.*");
  for (const std::string &name : options.exports)
    words.push_back("-Wl,--export-dynamic-symbol=" + name);
  if (options.hasPython) {
    // A copy beside the program, or beside its folder, comes first.
    append_values(words, "-L" + folder, "-lSluicePython", "-Wl,-rpath,$ORIGIN",
                  "-Wl,-rpath,$ORIGIN/../lib");
    addForLinker(words, {"-rpath", folder});
  }
  // Sanitizers, and a C library that is inside, bring their own heap.
  bool hasOwnHeap =
      !StringRef(SLUICE_SANITIZER).empty() ||
      any_of(options.flags, [](StringRef flag) {
        return flag == "-static" || flag.starts_with("-fsanitize=");
      });
  if (options.isChecked && !hasOwnHeap)
    append_values(words, "-Wl,-u,sluiceCheckHeap",
                  folder + "/libSluiceCheckHeap.a");
  if (options.isStatic) {
    // Kernels that are compiled at run time look for these in the program.
    for (StringRef name :
         {"sluiceGroupMalloc", "sluiceBeginTrial", "sluiceEndTrial"})
      append_values(words, ("-Wl,-u," + name).str(),
                    ("-Wl,--export-dynamic-symbol=" + name).str());
    // Where the library for MPI is, which a rank opens.
    append_values(words, folder + "/libSluiceRuntime.a", "-lstdc++");
  } else
    append_values(words, "-L" + folder, "-lSluiceRuntime");
  addForLinker(words, {"-rpath", folder});
  append_values(words, "-lm", "-lpthread", "-ldl");
  // A runtime that was built with sanitizers needs theirs.
  if (!StringRef(SLUICE_SANITIZER).empty())
    words.push_back("-fsanitize=" SLUICE_SANITIZER);
  return words;
}

namespace {
/// A path for an output of the linker, in whose path '%' stands for a digit by
/// chance: of a folder with such a name, the descriptor.
class PlainPath {
public:
  explicit PlainPath(const std::string &path) : path(path) {
    if (StringRef(path).contains('%'))
      folder = ::open(sys::path::parent_path(path).str().c_str(),
                      O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  PlainPath(const PlainPath &) = delete;
  PlainPath &operator=(const PlainPath &) = delete;
  ~PlainPath() {
    if (folder >= 0)
      ::close(folder);
  }

  std::string text() const {
    return folder < 0 ? path
                      : ("/proc/" + Twine(::getpid()) + "/fd/" + Twine(folder) +
                         "/" + sys::path::filename(path))
                            .str();
  }

private:
  const std::string &path;
  int folder = -1;
};
} // namespace

/// Runs the linker, or clang++ with `words`, which runs it.
static Error runLinker(const std::optional<LinkerCall> &call,
                       ArrayRef<std::string> words, StringRef further,
                       std::string &said) {
  std::vector<std::string> line = call ? call->words : words.vec();
  if (!further.empty())
    line.push_back(((call ? "" : "-Wl,") + further).str());
  if (!call)
    return driver::runTool("clang++", line, said);
  StringRef program = call->program;
  if (sys::path::parent_path(program) == SLUICE_LLVM_BIN)
    program = sys::path::filename(program); // as messages are to name it
  return driver::runTool(program, line, said);
}

static bool isInWorkFolder(StringRef path) {
  Result<std::string> folder = workFolder();
  return folder.ok() && path.starts_with(*folder + "/");
}

Error driver::link(ArrayRef<std::string> objects, const LinkOptions &options,
                   StringRef output) {
  bool isWork = isInWorkFolder(output);
  Expected<std::string> linked =
      isWork ? Expected<std::string>(output.str()) : temporaryPath("");
  if (!linked)
    return linked.takeError();
  Expected<std::string> rule = temporaryPath(".d");
  if (!rule)
    return rule.takeError();
  std::vector<std::string> basic = linkWords(objects, options);
  PlainPath plain(*linked);
  std::vector<std::string> words{"-o", plain.text()};
  addForLinker(words, {"--dependency-file=" + *rule});
  append_range(words, basic);
  FileRemover ruleRemover(*rule);
  std::string said;
  std::optional<LinkerCall> call = linkerCallOf(words);
  std::string problem = toString(runLinker(call, words, "", said));
  if (StringRef(problem).contains("' crashed;"))
    // It may have failed to start its threads.
    problem = toString(runLinker(call, words, "--threads=1", said));
  if (options.messages)
    *options.messages = said;
  else
    printToolOutput(said,
                    problem.empty() ? Severity::Warning : Severity::Error);
  if (!problem.empty()) {
    sys::fs::remove(*linked);
    return createStringError(problem);
  }
  std::vector<std::string> places;
  readRule(*rule, places);
  // Temporary objects go before anybody asks.
  erase_if(places,
           [](const std::string &place) { return isInWorkFolder(place); });
  if (options.dependencies) {
    std::vector<std::string> &all = *options.dependencies;
    append_range(all, places);
    noteResponseFiles(options.flags, all);
    if (!options.flags.empty() || std::getenv("LIBRARY_PATH"))
      noteLibraries(linkerWords(call, basic), all);
    if (places.empty()) // an own --dependency-file was asked for
      all.push_back(dependsOnMore);
  }
  if (isWork)
    return Error::success();
  FileRemover remover(*linked);
  append_range(places, options.inputs);
  if (Error refused = checkOutput(output, places))
    return refused;
  Status status = copyToOutput(*linked, output.str(), /*isProgram=*/true);
  return status.ok() ? Error::success() : createStringError(status.message());
}

Error driver::linkObject(ArrayRef<char> object, const LinkOptions &options,
                         StringRef output) {
  Expected<std::string> path =
      writeTemporary(StringRef(object.data(), object.size()), ".o");
  if (!path)
    return path.takeError();
  FileRemover remover(*path);
  return link({*path}, options, output);
}
