//===- TaskSyntax.cpp - Syntax of tasks and their arguments ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and prints tasks, with their arguments and clauses.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "sluice/DFG/DFG.h"

using namespace mlir;
using namespace sluice::dfg;

//===----------------------------------------------------------------------===//
// Arguments: [value] [in|out] @data [ '[' begin ':' end [':' step], ... ']' ]
//===----------------------------------------------------------------------===//

/// Parses one range. The printed end of a range is its last element plus one.
static ParseResult parseRange(AsmParser &parser, SmallVector<int64_t> &offsets,
                              SmallVector<int64_t> &sizes,
                              SmallVector<int64_t> &steps) {
  int64_t begin, end, step = 1;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseInteger(begin) || parser.parseColon() ||
      parser.parseInteger(end))
    return failure();
  if (succeeded(parser.parseOptionalColon()) && parser.parseInteger(step))
    return failure();
  if (begin < 0 || end < begin || step < 1 || end > INT64_MAX - step)
    return parser.emitError(place)
           << "the range " << begin << ':' << end << ':' << step
           << " is none, expected 0 <= begin <= end and step >= 1";
  offsets.push_back(begin);
  sizes.push_back((end - begin + step - 1) / step);
  steps.push_back(step);
  return success();
}

static FailureOr<TaskArgAttr> parseArgument(AsmParser &parser) {
  PassBy passBy = PassBy::Reference;
  Access access = Access::InOut;
  SMLoc place = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("value"))) {
    passBy = PassBy::Value;
    access = Access::In;
  } else if (succeeded(parser.parseOptionalKeyword("in"))) {
    access = Access::In;
  } else if (succeeded(parser.parseOptionalKeyword("out"))) {
    access = Access::Out;
  }
  StringAttr name;
  if (parser.parseSymbolName(name))
    return failure();
  SmallVector<int64_t> offsets, sizes, steps;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare, [&] {
        return parseRange(parser, offsets, sizes, steps);
      }))
    return failure();
  auto argument = TaskArgAttr::getChecked(
      [&] { return parser.emitError(place); }, parser.getContext(),
      FlatSymbolRefAttr::get(name), access, passBy, ArrayRef<int64_t>(offsets),
      ArrayRef<int64_t>(sizes), ArrayRef<int64_t>(steps));
  if (!argument)
    return failure();
  return argument;
}

static void printArgument(AsmPrinter &printer, TaskArgAttr argument) {
  if (argument.getPassBy() == PassBy::Value)
    printer << "value ";
  else if (argument.getAccess() != Access::InOut)
    printer << spellAccess(argument.getAccess()) << ' ';
  printer.printSymbolName(argument.getData().getValue());
  if (!argument.isPart())
    return;
  printer << '[';
  for (auto [dimension, offset] : llvm::enumerate(argument.getOffsets())) {
    int64_t step = argument.getSteps()[dimension];
    int64_t size = argument.getSizes()[dimension];
    printer << (dimension ? ", " : "") << offset << ':'
            << (size ? offset + (size - 1) * step + 1 : offset);
    if (step != 1)
      printer << ':' << step;
  }
  printer << ']';
}

Attribute TaskArgAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<TaskArgAttr> argument = parseArgument(parser);
  if (failed(argument) || parser.parseGreater())
    return {};
  return *argument;
}

void TaskArgAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printArgument(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static ParseResult parseArguments(OpAsmParser &parser, OperationState &state) {
  SmallVector<Attribute> arguments;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<TaskArgAttr> argument = parseArgument(parser);
    if (failed(argument))
      return failure();
    arguments.push_back(*argument);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  state.addAttribute("args", parser.getBuilder().getArrayAttr(arguments));
  return success();
}

/// The clauses `word(attribute)`, in any order.
static constexpr std::pair<StringLiteral, StringLiteral> attributeClauses[] = {
    {"named", "task_name"},      {"variants", "variants"},
    {"source", "source"},        {"flags", "flags"},
    {"writes", "written_files"}, {"reads", "read_files"},
    {"generator", "generator"}};
static constexpr StringLiteral flagClauses[] = {
    "contiguous",     "returns_status", "takes_large_sizes",
    "takes_any_sign", "only_rank0",     "independent"};

/// One clause, if there is one.
static OptionalParseResult parseClause(OpAsmParser &parser,
                                       OperationState &state) {
  SMLoc place = parser.getCurrentLocation();
  auto refuse = [&](StringRef word) {
    return parser.emitError(place) << "'" << word << "' stands here twice";
  };
  for (auto [word, name] : attributeClauses) {
    if (failed(parser.parseOptionalKeyword(word)))
      continue;
    if (state.attributes.get(name))
      return refuse(word);
    Attribute value;
    return ParseResult(
        failure(parser.parseLParen() ||
                parser.parseAttribute(value, name, state.attributes) ||
                parser.parseRParen()));
  }
  for (StringRef word : flagClauses) {
    if (failed(parser.parseOptionalKeyword(word)))
      continue;
    if (state.attributes.get(word))
      return refuse(word);
    state.addAttribute(word, parser.getBuilder().getUnitAttr());
    return ParseResult(success());
  }
  return std::nullopt;
}

/// Clauses in any order, then other attributes.
static ParseResult parseClauses(OpAsmParser &parser, OperationState &state) {
  while (true) {
    OptionalParseResult clause = parseClause(parser, state);
    if (!clause.has_value())
      break;
    if (failed(*clause))
      return failure();
  }
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (auto twice = state.attributes.findDuplicate())
    return parser.emitError(place) << twice->getName() << " stands here twice";
  return success();
}

ParseResult TaskOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<TaskKind> kind = symbolizeTaskKind(word);
  if (!kind)
    return parser.emitError(place)
           << "unknown kind '" << word
           << "', expected c, halide, python, fem or hpvm";
  state.addAttribute("kind", TaskKindAttr::get(builder.getContext(), *kind));
  StringAttr text;
  if (parser.parseAttribute(text, "callee", state.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("of")) &&
      parser.parseAttribute(text, "of", state.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("over"))) {
    SmallVector<int64_t> extents;
    auto parseOne = [&] { return parser.parseInteger(extents.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return failure();
    state.addAttribute("extents", builder.getDenseI64ArrayAttr(extents));
  }
  SmallVector<OpAsmParser::UnresolvedOperand> after;
  if (parseArguments(parser, state))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("after")) &&
      parser.parseOperandList(after, OpAsmParser::Delimiter::Paren))
    return failure();
  Type token = TokenType::get(builder.getContext());
  if (parseClauses(parser, state) ||
      parser.resolveOperands(after, token, state.operands))
    return failure();
  state.addTypes(token);
  return success();
}

void TaskOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyTaskKind(getKind()) << ' ' << getCalleeAttr();
  if (getOfAttr())
    printer << " of " << getOfAttr();
  if (getExtents()) {
    printer << " over [";
    llvm::interleaveComma(*getExtents(), printer);
    printer << ']';
  }
  printer << '(';
  llvm::interleaveComma(getTaskArgs(), printer, [&](TaskArgAttr argument) {
    printArgument(printer, argument);
  });
  printer << ')';
  if (!getDependencies().empty())
    printer << " after(" << getDependencies() << ')';
  SmallVector<StringRef> printed{"kind", "callee", "of", "args", "extents"};
  for (auto [word, name] : attributeClauses) {
    printed.push_back(name);
    if (Attribute value = (*this)->getAttr(name)) {
      printer << ' ' << word << '(';
      printer.printAttributeWithoutType(value);
      printer << ')';
    }
  }
  for (StringRef word : flagClauses) {
    printed.push_back(word);
    if ((*this)->hasAttr(word))
      printer << ' ' << word;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), printed);
}
