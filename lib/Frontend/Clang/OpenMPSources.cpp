//===- OpenMPSources.cpp - Sources with directives of OpenMP --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether OpenMP is on decides what the preprocessor says of `_OPENMP`, so it
// must be known before. Clang's lexer finds the directives, without macros and
// conditions: too many are found rather than too few. Who includes omp.h or
// asks for `_OPENMP` has OpenMP in mind, too.
//
//===----------------------------------------------------------------------===//

#include "OpenMPSources.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace sluice;

namespace {
class DirectiveSearch {
public:
  explicit DirectiveSearch(llvm::vfs::FileSystem &files) : files(files) {}

  bool find(llvm::StringRef path);
  /// Whether macros may have made a directive of what was read.
  bool hasMacros() const { return hasComputedPragma && hasWord; }

private:
  bool readText(llvm::StringRef path, llvm::StringRef text);
  bool readWord(clang::Lexer &lexer, clang::Token &token);
  /// Reads on behind a '#' at the start of a line.
  bool readDirective(clang::Lexer &lexer, llvm::StringRef path);

  static constexpr unsigned maxFiles = 256;
  llvm::vfs::FileSystem &files;
  llvm::StringSet<> seen;
  /// A `_Pragma` of what is no string yet, and the word `omp`.
  bool hasComputedPragma = false, hasWord = false;
};
} // namespace

/// The text of a token.
static llvm::StringRef textOf(const clang::Token &token) {
  if (token.is(clang::tok::raw_identifier))
    return token.getRawIdentifier();
  if (clang::tok::isStringLiteral(token.getKind()))
    return {token.getLiteralData(), token.getLength()};
  return {};
}

bool DirectiveSearch::readDirective(clang::Lexer &lexer, llvm::StringRef path) {
  clang::Token token;
  lexer.LexFromRawLexer(token);
  llvm::StringRef name = textOf(token);
  if (name == "if" || name == "elif" || name == "ifdef" || name == "ifndef") {
    lexer.LexFromRawLexer(token);
    return textOf(token) == "_OPENMP";
  }
  if (name != "pragma" && name != "include")
    return false;
  lexer.LexFromRawLexer(token);
  llvm::StringRef text = textOf(token);
  if (name == "pragma")
    return text == "omp";
  if (token.is(clang::tok::less)) {
    lexer.LexFromRawLexer(token);
    return textOf(token) == "omp";
  }
  if (!text.consume_front("\"") || !text.consume_back("\""))
    return false;
  if (text == "omp.h")
    return true;
  llvm::SmallString<128> header(text);
  if (llvm::sys::path::is_relative(header)) {
    header = llvm::sys::path::parent_path(path);
    llvm::sys::path::append(header, text);
  }
  return find(header);
}

/// Reads on from a name.
bool DirectiveSearch::readWord(clang::Lexer &lexer, clang::Token &token) {
  llvm::StringRef word = textOf(token);
  if (word == "_OPENMP")
    return true;
  if (word == "omp") {
    hasWord = true;
    // An attribute, or what a macro makes a directive of.
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::coloncolon))
      return true;
    return llvm::is_contained({"parallel", "for", "simd", "sections", "task",
                               "taskloop", "target", "teams", "critical",
                               "atomic", "single"},
                              textOf(token));
  }
  if (word != "_Pragma")
    return false;
  lexer.LexFromRawLexer(token);
  lexer.LexFromRawLexer(token);
  if (clang::tok::isStringLiteral(token.getKind()))
    return textOf(token).contains("omp ");
  hasComputedPragma = true;
  return false;
}

bool DirectiveSearch::readText(llvm::StringRef path, llvm::StringRef text) {
  clang::LangOptions language;
  language.CPlusPlus = true;
  language.LineComment = true;
  language.Digraphs = true;
  clang::Lexer lexer(clang::SourceLocation(), language, text.begin(),
                     text.begin(), text.end());
  clang::Token token;
  for (bool isEnd = false; !isEnd;) {
    isEnd = lexer.LexFromRawLexer(token);
    bool isDirective = token.is(clang::tok::hash) && token.isAtStartOfLine();
    if (isDirective
            ? readDirective(lexer, path)
            : token.is(clang::tok::raw_identifier) && readWord(lexer, token))
      return true;
    isEnd |= token.is(clang::tok::eof);
  }
  return false;
}

bool DirectiveSearch::find(llvm::StringRef path) {
  if (seen.size() == maxFiles || !seen.insert(path).second)
    return false;
  // A pipe could be read only once.
  llvm::ErrorOr<llvm::vfs::Status> status = files.status(path);
  if (!status || !status->isRegularFile())
    return false;
  auto buffer = files.getBufferForFile(path);
  if (!buffer)
    return false;
  llvm::StringRef text = (*buffer)->getBuffer();
  bool mayHave = llvm::any_of(
      llvm::ArrayRef<llvm::StringRef>{"omp", "_OPENMP", "_Pragma", "include"},
      [&](llvm::StringRef word) { return text.contains(word); });
  return mayHave && readText(path, text);
}

bool sluice::hasOpenMPDirectives(llvm::StringRef path,
                                 llvm::vfs::FileSystem &files) {
  DirectiveSearch search(files);
  return search.find(path) || search.hasMacros();
}
