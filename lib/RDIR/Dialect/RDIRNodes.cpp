//===- RDIRNodes.cpp - The assembly of nodes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes have clauses in any order and bodies with arguments. MLIR's declarative
// assembly cannot express this, so this file parses and prints them.
//
//===----------------------------------------------------------------------===//

#include "RDIREdges.h"
#include "RDIRSums.h"
#include "RDIRSyntax.h"
#include "RDIRVerify.h"

using namespace mlir;
using namespace sluice::rdir;

/// Attributes that have a place of their own in the assembly.
static const StringRef nodeAttributes[] = {"kinds",
                                           "reductions",
                                           "projections",
                                           "ports",
                                           "over",
                                           "constants",
                                           "coherence",
                                           "region",
                                           "color",
                                           "fields",
                                           "initial",
                                           "variable",
                                           "function",
                                           "value",
                                           "count",
                                           "condition",
                                           iterationAttribute,
                                           unlessAttribute,
                                           choiceAttribute,
                                           mentionsAttribute};

static void printAttributes(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), nodeAttributes);
}

template <typename OpT>
static ParseResult parseCompute(OpAsmParser &parser, OperationState &state) {
  ClauseParser clauses(parser, state);
  return failure(clauses.parseComputeClauses() ||
                 clauses.finishCompute(
                     state.getOrAddProperties<typename OpT::Properties>()));
}

template <typename OpT>
static void printCompute(OpAsmPrinter &printer, OpT op) {
  if (ArrayAttr over = op.getOverAttr()) {
    printer << " over ";
    printExtents(printer, op, over);
  }
  printEdges(printer, op);
  if (ArrayAttr constants = op.getConstantsAttr()) {
    printer << " with(";
    llvm::interleaveComma(constants, printer, [&](Attribute constant) {
      if (auto iteration = dyn_cast<StringAttr>(constant))
        printer << '%' << iteration.getValue();
      else
        printer << constant;
    });
    printer << ')';
  }
  if (std::optional<ArrayRef<int8_t>> coherence = op.getCoherence()) {
    printer << " coherence([";
    llvm::interleaveComma(*coherence, printer, [&](int8_t value) {
      printer << stringifyCoherence(static_cast<Coherence>(value));
    });
    printer << "])";
  }
  printAttributes(printer, op);
}

//===----------------------------------------------------------------------===//
// Data nodes
//===----------------------------------------------------------------------===//

/// `initial` and the clauses.
template <typename PropertiesT>
static ParseResult parseData(OpAsmParser &parser, OperationState &state,
                             PropertiesT &properties) {
  if (succeeded(parser.parseOptionalKeyword("initial")))
    properties.initial = parser.getBuilder().getUnitAttr();
  ClauseParser clauses(parser, state);
  return failure(clauses.parseDataClauses() || clauses.finish(properties));
}

ParseResult RegionOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (parseRegionName(parser, properties.region, properties.color))
    return failure();
  return failure(parseFieldNames(parser, properties.fields) ||
                 parseData(parser, state, properties));
}

void RegionOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printRegionName(printer, getRegionAttr(), getColorAttr());
  if (ArrayAttr fields = getFieldsAttr())
    printFieldNames(printer, fields);
  printer << (getInitial() ? " initial" : "");
  printEdges(printer, *this);
  printAttributes(printer, *this);
}

ParseResult ScalarOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  return failure(parseSymbol(parser, properties.variable) ||
                 parseData(parser, state, properties));
}

void ScalarOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getVariableAttr() << (getInitial() ? " initial" : "");
  printEdges(printer, *this);
  printAttributes(printer, *this);
}

//===----------------------------------------------------------------------===//
// Compute nodes
//===----------------------------------------------------------------------===//

ParseResult TaskOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  return failure(parseOptionalSymbol(parser, properties.function) ||
                 parseCompute<TaskOp>(parser, state));
}

void TaskOp::print(OpAsmPrinter &printer) {
  if (getFunctionAttr())
    printer << ' ' << getFunctionAttr();
  printCompute(printer, *this);
}

ParseResult HostOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  return failure(parseOptionalSymbol(parser, properties.function) ||
                 parseCompute<HostOp>(parser, state));
}

void HostOp::print(OpAsmPrinter &printer) {
  if (getFunctionAttr())
    printer << ' ' << getFunctionAttr();
  printCompute(printer, *this);
}

ParseResult OpenOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseCompute<OpenOp>(parser, state);
}

void OpenOp::print(OpAsmPrinter &printer) { printCompute(printer, *this); }

ParseResult CloseOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseCompute<CloseOp>(parser, state);
}

void CloseOp::print(OpAsmPrinter &printer) { printCompute(printer, *this); }

ParseResult CopyOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseCompute<CopyOp>(parser, state);
}

void CopyOp::print(OpAsmPrinter &printer) { printCompute(printer, *this); }

ParseResult FillOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  SMLoc place = parser.getCurrentLocation();
  Attribute value;
  if (parser.parseAttribute(value))
    return failure();
  properties.value = dyn_cast<TypedAttr>(value);
  if (!properties.value)
    return parser.emitError(place, "expected a number and its type");
  return parseCompute<FillOp>(parser, state);
}

void FillOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValueAttr();
  printCompute(printer, *this);
}

//===----------------------------------------------------------------------===//
// Nodes with a body
//===----------------------------------------------------------------------===//

/// `100`, `@n`, `%k in @n - %j` or nothing.
static ParseResult parseCount(OpAsmParser &parser, OperationState &state,
                              Attribute &count) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult hasName =
      parser.parseOptionalOperand(operand, /*allowResultNumber=*/false);
  if (!hasName.has_value()) {
    OptionalParseResult result = parseOptionalSum(parser, count);
    return result.has_value() ? *result : success();
  }
  if (failed(*hasName))
    return failure();
  Attribute name = parser.getBuilder().getStringAttr(operand.name.drop_front());
  if (failed(parser.parseOptionalKeyword("in")))
    return parseSum(parser, count, /*isColor=*/false, name);
  state.addAttribute(iterationAttribute, name);
  return parseSum(parser, count, /*isColor=*/false);
}

/// A loop that runs a body once, if the variable is 0 or if it is not.
static Operation *makeChosen(Location place, FlatSymbolRefAttr condition,
                             bool isUnless, mlir::Region &body) {
  OpBuilder builder(place.getContext());
  auto loop = LoopOp::create(
      builder, nameLocation("@", place), NodeType::get(place.getContext()),
      builder.getI64IntegerAttr(1), condition, ValueRange(),
      builder.getDenseI8ArrayAttr({}), ArrayAttr(), ArrayAttr(),
      DenseI32ArrayAttr(), ArrayAttr(), ArrayAttr(), DenseI8ArrayAttr());
  if (isUnless)
    loop->setAttr(unlessAttribute, builder.getUnitAttr());
  loop.getBody().takeBody(body);
  return loop;
}

/// `@flag {...}` or `@flag {...} else {...}`
static ParseResult parseChoice(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<LoopOp::Properties>();
  properties.count = parser.getBuilder().getI64IntegerAttr(1);
  if (parseSymbol(parser, properties.condition) ||
      parseCompute<LoopOp>(parser, state) || parseBody(parser, state))
    return failure();
  SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("else")))
    return success();
  Location otherPlace = parser.getEncodedSourceLoc(place);
  OperationState other(otherPlace, LoopOp::getOperationName());
  if (failed(parseBody(parser, other)))
    return failure();
  auto condition = std::exchange(properties.condition, nullptr);
  mlir::Region &body = *state.regions.front();
  Operation *first = makeChosen(parser.getEncodedSourceLoc(parser.getNameLoc()),
                                condition, /*isUnless=*/false, body);
  body.emplaceBlock().push_back(first);
  body.front().push_back(makeChosen(otherPlace, condition, /*isUnless=*/true,
                                    *other.regions.front()));
  state.addAttribute(choiceAttribute, parser.getBuilder().getUnitAttr());
  return success();
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  SMLoc place = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("if")))
    return parseChoice(parser, state);
  if (succeeded(parser.parseOptionalKeyword("unless"))) {
    state.addAttribute(unlessAttribute, parser.getBuilder().getUnitAttr());
    properties.count = parser.getBuilder().getI64IntegerAttr(1);
    if (parseSymbol(parser, properties.condition) ||
        parseCompute<LoopOp>(parser, state) || parseBody(parser, state))
      return failure();
    SMLoc otherPlace = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword("else")))
      return parser.emitError(otherPlace, "'else' follows the body of 'if'");
    return success();
  }
  if (parseCount(parser, state, properties.count))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("while"))) {
    if (parseSymbol(parser, properties.condition))
      return failure();
  } else if (!properties.count) {
    return parser.emitError(place, "expected a number of iterations, a "
                                   "parameter, or 'while', 'if' or "
                                   "'unless' and a variable");
  }
  return failure(parseCompute<LoopOp>(parser, state) ||
                 parseBody(parser, state));
}

void LoopOp::print(OpAsmPrinter &printer) {
  if ((*this)->hasAttr(choiceAttribute)) {
    auto loops = getBody().getOps<LoopOp>();
    auto first = *loops.begin(), second = *std::next(loops.begin());
    printer << " if " << first.getConditionAttr();
    printCompute(printer, *this);
    printBody(printer, first.getBody());
    printer << " else";
    return printBody(printer, second.getBody());
  }
  if (getConditionAttr() && runsOnce(*this)) {
    printer << ((*this)->hasAttr(unlessAttribute) ? " unless " : " if ")
            << getConditionAttr();
    printCompute(printer, *this);
    return printBody(printer, getBody());
  }
  if (StringAttr name = iterationName(*this))
    printer << " %" << name.getValue() << " in";
  if (Attribute count = getCountAttr()) {
    printer << ' ';
    printSum(printer.getStream(), count);
  }
  if (getConditionAttr())
    printer << " while " << getConditionAttr();
  printCompute(printer, *this);
  printBody(printer, getBody());
}

ParseResult MustEpochOp::parse(OpAsmParser &parser, OperationState &state) {
  return failure(parseCompute<MustEpochOp>(parser, state) ||
                 parseBody(parser, state));
}

void MustEpochOp::print(OpAsmPrinter &printer) {
  printCompute(printer, *this);
  printBody(printer, getBody());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void sluice::rdir::setSourceName(Operation *op, OpAsmSetValueNameFn setName) {
  StringRef name = sourceName(op);
  // Numeric names are only for messages; the printer numbers values itself.
  if (!name.empty() && !llvm::isDigit(name.front()))
    setName(op->getResult(0), name);
}
