//===- ReadIRLegacy.cpp - Assembly of HPVM's own LLVM 9 -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22 reads old bitcode, but not typed pointers in text. LLVM 14 reads
// these, but not the attributes that only HPVM's LLVM had.
//
//===----------------------------------------------------------------------===//

#include "ReadIRLegacy.h"

#include "sluice/Base/Process.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/WholeFiles.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static bool isWordCharacter(char c) {
  return isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
}

namespace {
/// Copies a text and rewrites the words of parameter lists.
class Modernizer {
public:
  explicit Modernizer(StringRef text) : text(text) {}

  std::string run() {
    while (position < text.size())
      step();
    return std::move(out);
  }

private:
  void step();
  void word();
  void quoted();
  void comment();
  /// The type of a pointer parameter, which precedes its attributes.
  StringRef pointeeBefore(size_t end) const;

  StringRef text;
  size_t position = 0;
  /// Open parentheses, and the start of the innermost parameter.
  SmallVector<size_t> parameterStarts;
  std::string out;
};
} // namespace

void Modernizer::quoted() {
  size_t end = text.find('"', position + 1);
  end = end == StringRef::npos ? text.size() : end + 1;
  out += text.slice(position, end);
  position = end;
}

void Modernizer::comment() {
  size_t end = std::min(text.find('\n', position), text.size());
  out += text.slice(position, end);
  position = end;
}

/// `%struct.S* noalias sret` -> `%struct.S`: the type ends at the last star.
StringRef Modernizer::pointeeBefore(size_t end) const {
  StringRef parameter = text.slice(parameterStarts.back(), end).trim();
  size_t star = parameter.rfind('*');
  return star == StringRef::npos ? StringRef()
                                 : parameter.take_front(star).rtrim();
}

void Modernizer::word() {
  size_t start = position;
  while (position < text.size() && isWordCharacter(text[position]))
    ++position;
  StringRef word = text.slice(start, position);
  bool isName =
      start != 0 && (text[start - 1] == '%' || text[start - 1] == '@');
  bool isParameter = !parameterStarts.empty() && !isName;
  if (isParameter && (word == "in" || word == "out")) {
    out += ("\"hpvm." + word + "\"").str();
    return;
  }
  out += word;
  bool needsType = isParameter && (word == "sret" || word == "byval") &&
                   !text.substr(position).starts_with("(");
  if (needsType)
    if (StringRef type = pointeeBefore(start); !type.empty())
      out += ("(" + type + ")").str();
}

void Modernizer::step() {
  char c = text[position];
  if (c == '"')
    return quoted();
  if (c == ';')
    return comment();
  if (isWordCharacter(c))
    return word();
  if (c == '(')
    parameterStarts.push_back(position + 1);
  else if (c == ')' && !parameterStarts.empty())
    parameterStarts.pop_back();
  else if (c == ',' && !parameterStarts.empty())
    parameterStarts.back() = position + 1;
  out += c;
  ++position;
}

std::string sluice::modernizeAssembly(StringRef text) {
  return Modernizer(text).run();
}

//===----------------------------------------------------------------------===//
// Assembling
//===----------------------------------------------------------------------===//

static Expected<std::string> findAssembler() {
  for (StringRef folder : {"", "/usr/lib/llvm-14/bin"}) {
    ErrorOr<std::string> found =
        folder.empty() ? sys::findProgramByName("llvm-as-14")
                       : sys::findProgramByName("llvm-as", {folder});
    if (found)
      return *found;
  }
  return createStringError(
      "old assembly is read with the help of 'llvm-as-14', which is not "
      "installed; on Debian and Ubuntu, install the package 'llvm-14'");
}

/// A temporary file with `content`.
static Expected<std::string> temporaryFile(StringRef ending,
                                           std::string_view content) {
  Result<std::string> path = workPath(std::string_view(ending));
  if (!path.ok())
    return createStringError(path.status().message());
  if (Status status = writeFileAtomically(*path, content); !status.ok())
    return createStringError(status.message());
  return *path;
}

Expected<std::unique_ptr<MemoryBuffer>> sluice::assembleLegacy(StringRef text,
                                                               StringRef path) {
  Expected<std::string> assembler = findAssembler();
  if (!assembler)
    return assembler.takeError();
  static constexpr StringRef endings[] = {".ll", ".bc", ".txt"};
  const std::string modern = modernizeAssembly(text);
  std::string files[3];
  llvm::scope_exit cleanup([&] {
    for (const std::string &file : files)
      if (!file.empty())
        sys::fs::remove(file);
  });
  for (auto [file, ending] : zip(files, endings)) {
    Expected<std::string> made =
        temporaryFile(ending, ending == ".ll" ? std::string_view(modern) : "");
    if (!made)
      return made.takeError();
    file = *made;
  }
  auto &[input, output, messages] = files;
  Result<ProcessEnd> end =
      runProgram({.program = *assembler,
                  .arguments = {"-disable-verify", input, "-o", output},
                  .input = Redirect::nowhere(),
                  .output = Redirect::nowhere(),
                  .errors = Redirect::file(messages)});
  if (!end.ok())
    return createStringError(end.status().message());
  if (!end->succeeded()) {
    auto log = MemoryBuffer::getFile(messages);
    std::string reason = log ? (*log)->getBuffer().trim().str() : "";
    // Line numbers are those of the original file, so its name is used.
    size_t at = reason.find(input);
    if (at != std::string::npos)
      reason.replace(at, input.size(), path);
    return createStringError(
        "'" + path + "' is not assembly of LLVM 14 or older: " + reason);
  }
  auto bitcode = MemoryBuffer::getFile(output);
  if (!bitcode)
    return createStringError(bitcode.getError(),
                             "cannot read '" + output + "'");
  return std::move(*bitcode);
}
