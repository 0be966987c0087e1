//===- FakePTXParser.cpp - Parsing PTX ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text of a PTX module into instructions for the interpreter.
//
//===----------------------------------------------------------------------===//

#include "FakePTX.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace fake;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static bool isWordPart(char c) {
  return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '.' || c == '%' || c == '@';
}

/// ".loc 1 2 3", but not ".local".
static bool isDebugLine(std::string_view line) {
  for (std::string_view word : {".loc", ".file"})
    if (line.starts_with(word) && line.size() > word.size() &&
        isspace(static_cast<unsigned char>(line[word.size()])))
      return true;
  return false;
}

/// Removes comments and lines of debug information, which end without ';'.
static std::string withoutComments(const std::string &text) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (size_t comment = line.find("//"); comment != std::string::npos)
      line.resize(comment);
    size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || isDebugLine(line.substr(first)))
      continue;
    out += line + '\n';
  }
  return out;
}

static std::vector<std::string> splitWords(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (isspace(static_cast<unsigned char>(c)) || c == 0) {
      ++at;
      continue;
    }
    size_t end = at + 1;
    if (c == '"')
      end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    else if (isWordPart(c) && c != '@')
      while (end < text.size() && isWordPart(text[end]) && text[end] != '@')
        ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  explicit Parser(std::vector<std::string> words) : words(std::move(words)) {}
  PTXModule parse();

private:
  bool isAtEnd() const { return at >= words.size(); }
  const std::string &peek() const {
    static const std::string nothing;
    return isAtEnd() ? nothing : words[at];
  }
  std::string next() {
    if (isAtEnd())
      throw PTXError("the PTX ends in the middle");
    return words[at++];
  }
  bool take(const char *word) {
    if (peek() != word)
      return false;
    ++at;
    return true;
  }
  void expect(const char *word) {
    if (!take(word))
      throw PTXError("expected '" + std::string(word) + "' before '" + peek() +
                     "'");
  }
  uint64_t nextNumber();

  void parseDirective();
  PTXVariable parseVariable(Space space);
  void parseContents(PTXVariable &variable, unsigned elementSize);
  void addVariable(PTXVariable variable);
  void parseFunction(bool isEntry);
  std::vector<std::string> parseParameters();
  void parseLimits();
  void parseBody();
  void parseStatement();
  void parseInstruction();
  PTXOperand parseOperand();
  PTXOperand parseMemory();
  PTXOperand parseList(const char *end);
  PTXOperand wordOperand(const std::string &word);
  uint32_t registerNumber(const std::string &name);

  std::vector<std::string> words;
  size_t at = 0;
  PTXModule module;
  PTXFunction *function = nullptr;
  std::map<std::string, uint32_t> registers;
  /// Names of call parameters are reused; each use has its own memory.
  std::map<std::string, std::string> renamed;
  unsigned numRenamed = 0;
};
} // namespace

static const char *specials[] = {
    "%tid.x",   "%tid.y",   "%tid.z",   "%ntid.x",   "%ntid.y",   "%ntid.z",
    "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};

static std::optional<uint64_t> numberOf(const std::string &word) {
  if (word.empty() || !isdigit(static_cast<unsigned char>(word[0])))
    return std::nullopt;
  bool isFloat = word.size() > 2 && word[0] == '0' && strchr("fFdD", word[1]) &&
                 (word.size() == 10 || word.size() == 18);
  const char *start = word.c_str() + (isFloat ? 2 : 0);
  return strtoull(start, nullptr, isFloat ? 16 : 0);
}

uint64_t Parser::nextNumber() {
  bool isNegative = take("-");
  std::string word = next();
  std::optional<uint64_t> number = numberOf(word);
  if (!number)
    throw PTXError("expected a number, not '" + word + "'");
  return isNegative ? -*number : *number;
}

static std::optional<PTXType> typeOf(const std::string &name) {
  if (name == "pred")
    return PTXType{'p', 1};
  if (name.size() < 2 || !strchr("usfb", name[0]))
    return std::nullopt;
  for (unsigned bits : {8, 16, 32, 64, 128})
    if (name.substr(1) == std::to_string(bits))
      return PTXType{name[0], bits};
  return std::nullopt;
}

static std::vector<std::string> splitDots(const std::string &word) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= word.size();) {
    size_t dot = std::min(word.find('.', at), word.size());
    parts.push_back(word.substr(at, dot - at));
    at = dot + 1;
  }
  return parts;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// ".align 8 .b8 name[16]", after the name of the space.
PTXVariable Parser::parseVariable(Space space) {
  PTXVariable variable;
  variable.space = space;
  unsigned elementSize = 4;
  bool isPointer = false; // then the alignment is that of its target
  while (peek().size() > 1 && peek()[0] == '.') {
    std::string word = next();
    isPointer |= word == ".ptr";
    if (word == ".align")
      variable.alignment = isPointer ? (nextNumber(), 1) : nextNumber();
    else if (std::optional<PTXType> type = typeOf(word.substr(1)))
      elementSize = std::max(type->bits / 8, 1u);
  }
  variable.name = next();
  variable.alignment = std::max<uint64_t>(variable.alignment, elementSize);
  variable.size = elementSize;
  if (take("[")) {
    variable.isExternal = peek() == "]";
    variable.size = variable.isExternal ? 0 : nextNumber() * elementSize;
    expect("]");
  }
  if (take("="))
    parseContents(variable, elementSize);
  return variable;
}

void Parser::parseContents(PTXVariable &variable, unsigned elementSize) {
  variable.contents.resize(variable.size);
  uint64_t offset = 0;
  bool isList = take("{");
  do {
    uint64_t value = nextNumber();
    if (offset + elementSize > variable.size)
      throw PTXError("'" + variable.name + "' has too many values");
    memcpy(variable.contents.data() + offset, &value, elementSize);
    offset += elementSize;
  } while (isList && take(","));
  if (isList)
    expect("}");
}

static uint64_t place(PTXVariable &variable, uint64_t end) {
  uint64_t mask = variable.alignment - 1;
  variable.offset = (end + mask) & ~mask;
  return variable.offset + variable.size;
}

void Parser::addVariable(PTXVariable variable) {
  std::string name = variable.name;
  if (variable.space == Space::Param)
    function->paramSize = place(variable, function->paramSize);
  else if (variable.space == Space::Local)
    function->localSize = place(variable, function->localSize);
  else if (variable.space == Space::Shared) {
    if (!variable.isExternal)
      module.sharedSize = place(variable, module.sharedSize);
    module.shared[name] = std::move(variable);
    return;
  } else {
    module.globals[name] = std::move(variable);
    return;
  }
  function->variables[name] = std::move(variable);
}

static std::optional<Space> spaceOf(const std::string &word) {
  if (word == ".global" || word == ".const")
    return Space::Global;
  if (word == ".shared")
    return Space::Shared;
  if (word == ".local")
    return Space::Local;
  if (word == ".param")
    return Space::Param;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

PTXModule Parser::parse() {
  while (!isAtEnd())
    parseDirective();
  if (!module.version || !module.target)
    throw PTXError("no .version or .target");
  return std::move(module);
}

void Parser::parseDirective() {
  std::string word = next();
  if (word == ".version") {
    std::string version = next();
    module.version = atoi(version.c_str()) * 10 +
                     atoi(version.c_str() + version.find('.') + 1);
  } else if (word == ".target") {
    std::string target = next();
    if (target.compare(0, 3, "sm_") != 0)
      throw PTXError("unknown target '" + target + "'");
    module.target = unsigned(atoi(target.c_str() + 3));
    while (take(","))
      next();
  } else if (word == ".address_size") {
    if (nextNumber() != 64)
      throw PTXError("addresses of other than 64 bits");
  } else if (word == ".entry" || word == ".func") {
    parseFunction(word == ".entry");
  } else if (std::optional<Space> space = spaceOf(word)) {
    addVariable(parseVariable(*space));
    expect(";");
  } else if (word == ".section") {
    while (next() != "}")
      ;
  } else if (word != ".visible" && word != ".extern" && word != ".weak" &&
             word != ".common" && word != ";") {
    throw PTXError("unknown directive '" + word + "'");
  }
}

std::vector<std::string> Parser::parseParameters() {
  std::vector<std::string> names;
  expect("(");
  while (!take(")")) {
    expect(".param");
    PTXVariable variable = parseVariable(Space::Param);
    names.push_back(variable.name);
    addVariable(std::move(variable));
    take(",");
  }
  return names;
}

void Parser::parseLimits() {
  while (peek().size() > 1 && peek()[0] == '.') {
    std::string word = next();
    std::array<unsigned, 3> sizes{1, 1, 1};
    size_t count = 0;
    while (count < 3 && numberOf(peek())) {
      sizes[count++] = unsigned(nextNumber());
      take(",");
    }
    if (word == ".maxntid")
      function->maxThreads = int(sizes[0] * sizes[1] * sizes[2]);
    if (word == ".reqntid")
      function->requiredBlock = sizes;
  }
}

void Parser::parseFunction(bool isEntry) {
  PTXFunction parsed;
  function = &parsed;
  registers.clear();
  renamed.clear();
  parsed.isEntry = isEntry;
  if (!isEntry && peek() == "(")
    parsed.result = parseParameters().at(0);
  parsed.name = next();
  if (peek() == "(")
    parsed.parameters = parseParameters();
  parseLimits();
  bool isDeclaration = take(";");
  if (!isDeclaration) {
    expect("{");
    parseBody();
  }
  parsed.numRegisters = uint32_t(registers.size());
  function = nullptr;
  if (!isDeclaration)
    module.functions[parsed.name] = std::move(parsed);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Parser::parseBody() {
  for (unsigned depth = 1; depth > 0;) {
    if (take("{"))
      ++depth;
    else if (take("}"))
      --depth;
    else if (!take(";"))
      parseStatement();
  }
}

void Parser::parseStatement() {
  const std::string word = peek();
  if (std::optional<Space> space = spaceOf(word)) {
    ++at;
    PTXVariable variable = parseVariable(*space);
    if (*space == Space::Param) {
      std::string unique = variable.name + '#' + std::to_string(++numRenamed);
      renamed[variable.name] = unique;
      variable.name = unique;
    }
    addVariable(std::move(variable));
    expect(";");
    return;
  }
  if (word == ".reg" || word == ".pragma") {
    while (next() != ";")
      ;
    return;
  }
  if (at + 1 < words.size() && words[at + 1] == ":") {
    at += 2;
    function->labels[word] = function->body.size();
    if (!take(".branchtargets"))
      return;
    do
      function->branchTargets[word].push_back(next());
    while (take(","));
    expect(";");
    return;
  }
  parseInstruction();
}

void Parser::parseInstruction() {
  PTXInstruction instruction;
  size_t first = at;
  if (take("@")) {
    instruction.isGuarded = true;
    instruction.isNegated = take("!");
    instruction.guard = registerNumber(next());
  }
  std::vector<std::string> parts = splitDots(next());
  instruction.op = PTXName(std::string_view(parts[0]));
  parts.erase(parts.begin());
  for (const std::string &part : parts) {
    instruction.modifiers.emplace_back(std::string_view(part));
    if (std::optional<PTXType> type = typeOf(part))
      instruction.types.push_back(*type);
    else if (std::optional<Space> space = spaceOf('.' + part))
      instruction.space = *space;
  }
  while (!take(";")) {
    instruction.operands.push_back(parseOperand());
    if (!take("|"))
      take(",");
  }
  for (size_t i = first; i + 1 < at; ++i)
    instruction.text += (i > first ? " " : "") + words[i];
  function->body.push_back(std::move(instruction));
}

uint32_t Parser::registerNumber(const std::string &name) {
  return registers.emplace(name, uint32_t(registers.size())).first->second;
}

PTXOperand Parser::wordOperand(const std::string &word) {
  PTXOperand operand;
  if (word[0] == '%') {
    auto special = std::find(std::begin(specials), std::end(specials), word);
    bool isSpecial = special != std::end(specials);
    operand.kind =
        isSpecial ? PTXOperand::Kind::Special : PTXOperand::Kind::Register;
    if (!isSpecial && word.find('.') != std::string::npos)
      throw PTXError("unknown special register '" + word + "'");
    for (const char *other : {"%laneid", "%warpid", "%clock64", "%smid"})
      if (word == other)
        throw PTXError("unknown special register '" + word + "'");
    operand.reg = isSpecial ? uint32_t(special - std::begin(specials))
                            : registerNumber(word);
  } else if (std::optional<uint64_t> number = numberOf(word)) {
    operand.number = *number;
  } else {
    operand.kind = PTXOperand::Kind::Symbol;
    auto found = renamed.find(word);
    operand.symbol = found == renamed.end() ? word : found->second;
  }
  return operand;
}

PTXOperand Parser::parseList(const char *end) {
  PTXOperand operand;
  operand.kind = PTXOperand::Kind::List;
  while (!take(end)) {
    operand.list.push_back(parseOperand());
    take(",");
  }
  return operand;
}

PTXOperand Parser::parseMemory() {
  PTXOperand base = wordOperand(next());
  PTXOperand operand;
  operand.kind = PTXOperand::Kind::Memory;
  operand.hasRegister = base.kind == PTXOperand::Kind::Register;
  operand.reg = base.reg;
  operand.symbol = base.symbol;
  operand.number = base.number;
  if (take("+"))
    operand.number += nextNumber();
  expect("]");
  return operand;
}

PTXOperand Parser::parseOperand() {
  if (take("["))
    return parseMemory();
  if (take("{"))
    return parseList("}");
  if (take("("))
    return parseList(")");
  if (take("-")) {
    PTXOperand operand = wordOperand(next());
    operand.number = -operand.number;
    return operand;
  }
  return wordOperand(next());
}

PTXModule fake::parsePTX(const std::string &text) {
  return Parser(splitWords(withoutComments(text))).parse();
}
