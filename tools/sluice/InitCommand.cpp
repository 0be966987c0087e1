//===- InitCommand.cpp - sluice init --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the files of a new project: those of the folder `projects` next to
// this file, with names inserted. Existing files stay unchanged.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "ProjectFiles.h"
#include "sluice/Frontend/Clang/Compile.h"
#include "sluice/Toolchain/Toolchain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice::driver;

namespace {
struct ProjectKind {
  StringRef name;
  OptionID option;
  StringRef about;
  /// The command that runs the program immediately.
  StringRef run;
};

struct NewFile {
  std::string path, text;
};
} // namespace

static constexpr StringLiteral buildAndRun =
    "cmake -B build && cmake --build build && build/bin/@NAME@";

static constexpr ProjectKind kinds[] = {
    {"hpvm", OPT_init_hpvm, "A graph of nodes in HPVM-C, and its host program.",
     "sluice run @NAME@.cpp"},
    {"hetero", OPT_init_hetero,
     "Ordinary C++ in which loops and tasks are marked as nodes of a graph.",
     "sluice run @NAME@.cpp"},
    {"regions", OPT_init_regions,
     "Tasks over regions: which parts of which arrays each reads and writes.",
     "sluice run @NAME@.mlir @NAME@.cpp"},
    {"tasks", OPT_init_tasks,
     "A graph of kernels in C, described by a C++ program.", buildAndRun},
    {"pack", OPT_init_pack, "Packs data that is not contiguous, from C++.",
     buildAndRun}};

static std::string replaceAll(std::string text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

/// Flags that clangd needs in addition to those of CMake. The system's header
/// folder must not be named again, since its headers would then not find each
/// other.
static std::string clangdFlags(StringRef kind, StringRef name) {
  std::string hpvm = sluice::findHeaderFolder();
  std::string include =
      sys::path::parent_path(sys::path::parent_path(hpvm)).str();
  std::string flags = "\"-isystem" + hpvm + "\"";
  if (include != "/usr/include")
    flags += ", \"-isystem" + include + "\"";
  if (kind == "regions")
    flags += ", -Ibuild/" + name.str() + ".headers";
  return flags;
}

static std::vector<NewFile> filesOf(const ProjectKind &kind, StringRef name) {
  std::pair<StringRef, std::string> words[] = {
      {"@ABOUT@", kind.about.str()},
      {"@RUN@", kind.run.str()},
      {"@CLANGD_FLAGS@", clangdFlags(kind.name, name)},
      {"@VERSION@", SLUICE_VERSION},
      {"@NAME@", name.str()}};
  std::vector<NewFile> files;
  for (auto [path, text] : projectFiles()) {
    if (!path.consume_front("common/") &&
        !path.consume_front((kind.name + "/").str()))
      continue;
    NewFile file = {path.str(), text.str()};
    file.path = replaceAll(replaceAll(file.path, "dot-", "."), "NAME", name);
    for (auto &[from, to] : words)
      file.text = replaceAll(std::move(file.text), from, to);
    files.push_back(std::move(file));
  }
  return files;
}

/// The reason why a program cannot have this name; empty if it can. CMake and
/// ninja reserve some names.
static std::string refusalOfName(StringRef name) {
  auto isUsual = [](char c) { return isAlnum(c) || c == '-' || c == '_'; };
  if (name.empty() || !isAlpha(name.front()) || !all_of(name, isUsual))
    return ("the program would be called '" + name +
            "', but names begin with a letter and have letters, digits, '-' "
            "and '_'; name another folder")
        .str();
  for (StringRef taken :
       {"all", "clean", "edit_cache", "help", "install", "package",
        "package_source", "preinstall", "rebuild_cache", "test"})
    if (name == taken)
      return ("CMake has a target '" + name +
              "' of its own; name another folder")
          .str();
  return "";
}

/// Quotes a word for a shell.
static std::string quotedForShell(StringRef word) {
  auto isPlain = [](char c) {
    return isAlnum(c) || StringRef("-_./").contains(c);
  };
  if (all_of(word, isPlain))
    return word.str();
  return "'" + replaceAll(word.str(), "'", "'\\''") + "'";
}

/// Removes the written files and created folders if not all of them can be
/// written.
static int removeAgain(ArrayRef<std::string> written, const Twine &message) {
  for (const std::string &path : reverse(written))
    sys::fs::remove(path);
  return problem(message);
}

/// Creates a folder and its parents, and adds the new ones to `made`.
static std::error_code makeFolder(StringRef folder,
                                  std::vector<std::string> &made) {
  if (folder.empty() || sys::fs::is_directory(folder))
    return {};
  if (sys::fs::exists(folder))
    return std::make_error_code(std::errc::not_a_directory);
  if (std::error_code error = makeFolder(sys::path::parent_path(folder), made))
    return error;
  std::error_code error =
      sys::fs::create_directory(folder, /*IgnoreExisting=*/false);
  if (!error)
    made.push_back(folder.str());
  return error;
}

static int writeFiles(StringRef folder, ArrayRef<NewFile> files) {
  std::vector<std::string> written;
  for (const NewFile &file : files) {
    SmallString<128> path(folder);
    sys::path::append(path, file.path);
    if (std::error_code error =
            makeFolder(sys::path::parent_path(path), written))
      return removeAgain(written, "cannot make the folder '" +
                                      sys::path::parent_path(path) +
                                      "': " + error.message());
    std::error_code error;
    raw_fd_ostream os(path, error, sys::fs::CD_CreateNew);
    if (!error) {
      written.push_back(path.str().str());
      os << file.text;
      os.close();
      error = os.error();
      os.clear_error();
    }
    if (error)
      return removeAgain(written,
                         "cannot write '" + path + "': " + error.message());
  }
  return exitFine;
}

/// The files that already exist, including dangling links.
static std::vector<std::string> filesInTheWay(StringRef folder,
                                              ArrayRef<NewFile> files) {
  std::vector<std::string> found;
  for (const NewFile &file : files) {
    SmallString<128> path(folder);
    sys::path::append(path, file.path);
    sys::fs::file_status status;
    if (!sys::fs::status(path, status, /*follow=*/false))
      found.push_back("'" + path.str().str() + "'");
  }
  return found;
}

int initCommand(const CommandLine &line) {
  const ProjectKind *kind = nullptr;
  for (const ProjectKind &each : kinds)
    if (line.has(each.option)) {
      if (kind)
        return usage("--" + kind->name + " and --" + each.name +
                     " are two projects; make one at a time");
      kind = &each;
    }
  if (!kind)
    kind = kinds;
  if (line.files.size() != 1)
    return usage("'sluice init' takes one folder, which need not be there yet");
  SmallString<128> folder(line.files.front());
  if (sys::fs::exists(folder) && !sys::fs::is_directory(folder))
    return problem("'" + folder + "' is there, and is no folder");
  SmallString<128> full(folder);
  (void)sys::fs::make_absolute(full);
  sys::path::remove_dots(full, /*remove_dot_dot=*/true);
  std::string name = sys::path::filename(full).str();
  if (std::string refusal = refusalOfName(name); !refusal.empty())
    return problem(refusal);

  std::vector<NewFile> files = filesOf(*kind, name);
  std::vector<std::string> found = filesInTheWay(folder, files);
  if (!found.empty())
    return problem("nothing was written, since " + join(found, ", ") +
                   (found.size() == 1 ? " is" : " are") +
                   " there already; name a new folder");
  if (int status = writeFiles(folder, files))
    return status;

  outs() << "wrote a project in '" << folder << "':";
  for (const NewFile &file : files)
    outs() << "\n  " << file.path;
  outs() << "\nnext:\n";
  if (folder != ".")
    outs() << "  cd " << quotedForShell(folder) << '\n';
  outs() << "  " << replaceAll(kind->run.str(), "@NAME@", name) << '\n';
  return exitFine;
}
