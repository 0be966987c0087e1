//===- OpenMPSources.cpp - Sources with directives of OpenMP --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether OpenMP is on decides what the preprocessor says of `_OPENMP`, so it
// must be known before. Clang's lexer finds the directives, without macros and
// conditions: too many are found rather than too few.
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

private:
  /// Reads on behind a '#' at the start of a line.
  bool readDirective(clang::Lexer &lexer, llvm::StringRef path);

  static constexpr unsigned maxFiles = 256;
  llvm::vfs::FileSystem &files;
  llvm::StringSet<> seen;
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
  if (name != "pragma" && name != "include")
    return false;
  lexer.LexFromRawLexer(token);
  llvm::StringRef text = textOf(token);
  if (name == "pragma")
    return text == "omp";
  if (!text.consume_front("\"") || !text.consume_back("\""))
    return false;
  llvm::SmallString<128> header(text);
  if (llvm::sys::path::is_relative(header)) {
    header = llvm::sys::path::parent_path(path);
    llvm::sys::path::append(header, text);
  }
  return find(header);
}

bool DirectiveSearch::find(llvm::StringRef path) {
  if (seen.size() == maxFiles || !seen.insert(path).second)
    return false;
  auto buffer = files.getBufferForFile(path);
  if (!buffer || !(*buffer)->getBuffer().contains("omp")) {
    if (!buffer || !(*buffer)->getBuffer().contains("include"))
      return false;
  }
  clang::LangOptions language;
  language.CPlusPlus = true;
  language.LineComment = true;
  llvm::StringRef text = (*buffer)->getBuffer();
  clang::Lexer lexer(clang::SourceLocation(), language, text.begin(),
                     text.begin(), text.end());
  clang::Token token;
  for (bool isEnd = false; !isEnd;) {
    isEnd = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::hash) && token.isAtStartOfLine()) {
      if (readDirective(lexer, path))
        return true;
    } else if (textOf(token) == "_Pragma") {
      lexer.LexFromRawLexer(token);
      lexer.LexFromRawLexer(token);
      llvm::StringRef pragma = textOf(token);
      if (pragma.consume_front("\"") && pragma.ltrim().starts_with("omp "))
        return true;
    }
  }
  return false;
}

bool sluice::hasOpenMPDirectives(llvm::StringRef path,
                                 llvm::vfs::FileSystem &files) {
  return DirectiveSearch(files).find(path);
}
