//===- RDIRSyntax.cpp - Parts of the rdir language ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and prints extents, colors, identities and other pieces that many
// operations share.
//
//===----------------------------------------------------------------------===//

#include "RDIRSyntax.h"
#include "RDIRSums.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace sluice::rdir;

//===----------------------------------------------------------------------===//
// Values, extents, fields
//===----------------------------------------------------------------------===//

static ParseResult parseValueOfType(OpAsmParser &parser, StringRef keyword,
                                    TypedAttr &value) {
  Type type;
  if (parser.parseColonType(type))
    return failure();
  bool isMissing = keyword == "=" ? failed(parser.parseEqual())
                                  : failed(parser.parseKeyword(keyword));
  SMLoc place = parser.getCurrentLocation();
  Attribute attribute;
  if (isMissing || parser.parseAttribute(attribute, type))
    return failure();
  value = dyn_cast<TypedAttr>(attribute);
  if (!value)
    return parser.emitError(place, "expected a number");
  return success();
}

ParseResult sluice::rdir::parseTypedValue(OpAsmParser &parser,
                                          TypedAttr &value) {
  return parseValueOfType(parser, "=", value);
}

void sluice::rdir::printTypedValue(OpAsmPrinter &printer, Operation *,
                                   TypedAttr value) {
  printer << ": " << value.getType() << " = ";
  printer.printAttributeWithoutType(value);
}

ParseResult sluice::rdir::parseIdentity(OpAsmParser &parser, TypedAttr &value) {
  return parseValueOfType(parser, "identity", value);
}

void sluice::rdir::printIdentity(OpAsmPrinter &printer, Operation *,
                                 TypedAttr value) {
  printer << ": " << value.getType() << " identity ";
  printer.printAttributeWithoutType(value);
}

ParseResult sluice::rdir::parseSymbol(OpAsmParser &parser,
                                      FlatSymbolRefAttr &name) {
  StringAttr text;
  if (parser.parseSymbolName(text))
    return failure();
  name = FlatSymbolRefAttr::get(text);
  return success();
}

ParseResult sluice::rdir::parseOptionalSymbol(OpAsmParser &parser,
                                              FlatSymbolRefAttr &name) {
  StringAttr text;
  if (succeeded(parser.parseOptionalSymbolName(text)))
    name = FlatSymbolRefAttr::get(text);
  return success();
}

ParseResult sluice::rdir::parseIntegers(OpAsmParser &parser,
                                        SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

/// A number, a parameter or a sum of them.
static ParseResult parseExtent(OpAsmParser &parser, Attribute &extent) {
  return parseSum(parser, extent, /*isColor=*/false);
}

ParseResult sluice::rdir::parseExtents(OpAsmParser &parser,
                                       ArrayAttr &extents) {
  SmallVector<Attribute, 3> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseExtent(parser, list.emplace_back());
      }))
    return failure();
  extents = parser.getBuilder().getArrayAttr(list);
  return success();
}

void sluice::rdir::printExtents(OpAsmPrinter &printer, Operation *,
                                ArrayAttr extents) {
  printer << '[';
  llvm::interleaveComma(extents, printer, [&](Attribute extent) {
    printSum(printer.getStream(), extent);
  });
  printer << ']';
}

ParseResult sluice::rdir::parseFields(OpAsmParser &parser, ArrayAttr &names,
                                      ArrayAttr &types) {
  SmallVector<Attribute> nameList, typeList;
  Builder &builder = parser.getBuilder();
  auto parseField = [&]() -> ParseResult {
    std::string name;
    Type type;
    if (parser.parseKeywordOrString(&name) || parser.parseColonType(type))
      return failure();
    nameList.push_back(builder.getStringAttr(name));
    typeList.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces,
                                     parseField))
    return failure();
  names = builder.getArrayAttr(nameList);
  types = builder.getArrayAttr(typeList);
  return success();
}

void sluice::rdir::printFields(OpAsmPrinter &printer, Operation *,
                               ArrayAttr names, ArrayAttr types) {
  if (names.empty())
    return;
  printer << '{';
  llvm::interleaveComma(llvm::zip(names, types), printer, [&](auto field) {
    printer.printKeywordOrString(
        cast<StringAttr>(std::get<0>(field)).getValue());
    printer << " : " << cast<TypeAttr>(std::get<1>(field)).getValue();
  });
  printer << '}';
}

//===----------------------------------------------------------------------===//
// Regions and partitions
//===----------------------------------------------------------------------===//

ParseResult sluice::rdir::parseRegionName(OpAsmParser &parser,
                                          FlatSymbolRefAttr &name,
                                          DenseI64ArrayAttr &color) {
  if (parseSymbol(parser, name))
    return failure();
  // The colors of cross products may stand in brackets of their own.
  SmallVector<int64_t, 3> numbers;
  while (succeeded(parser.parseOptionalLSquare()))
    if (parser.parseCommaSeparatedList(
            [&] { return parser.parseInteger(numbers.emplace_back()); }) ||
        parser.parseRSquare())
      return failure();
  if (!numbers.empty())
    color = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

void sluice::rdir::printRegionName(OpAsmPrinter &printer,
                                   FlatSymbolRefAttr name,
                                   DenseI64ArrayAttr color) {
  printer << name;
  if (!color)
    return;
  printer << '[';
  llvm::interleaveComma(color.asArrayRef(), printer);
  printer << ']';
}

ParseResult sluice::rdir::parseParentAndColors(OpAsmParser &parser,
                                               FlatSymbolRefAttr &parent,
                                               DenseI64ArrayAttr &color,
                                               ArrayAttr &colors) {
  SMLoc place;
  if (parseSymbol(parser, parent) || parser.getCurrentLocation(&place) ||
      parseExtents(parser, colors))
    return failure();
  // If there are two lists, the first is a color of the parent.
  if (failed(parser.parseOptionalLSquare()))
    return success();
  SmallVector<int64_t, 3> numbers;
  for (Attribute extent : colors) {
    auto number = dyn_cast<IntegerAttr>(extent);
    if (!number)
      return parser.emitError(place, "expected the numbers of a color of ")
             << parent;
    numbers.push_back(number.getInt());
  }
  color = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  SmallVector<Attribute, 3> list;
  if (parser.parseCommaSeparatedList(
          [&] { return parseExtent(parser, list.emplace_back()); }) ||
      parser.parseRSquare())
    return failure();
  colors = parser.getBuilder().getArrayAttr(list);
  return success();
}

void sluice::rdir::printParentAndColors(OpAsmPrinter &printer, Operation *op,
                                        FlatSymbolRefAttr parent,
                                        DenseI64ArrayAttr color,
                                        ArrayAttr colors) {
  printRegionName(printer, parent, color);
  printer << ' ';
  printExtents(printer, op, colors);
}

/// Parses one of two words.
static ParseResult parseEither(OpAsmParser &parser, StringRef yes, StringRef no,
                               bool &isYes) {
  isYes = succeeded(parser.parseOptionalKeyword(yes));
  if (isYes || succeeded(parser.parseOptionalKeyword(no)))
    return success();
  return parser.emitError(parser.getCurrentLocation())
         << "expected '" << yes << "' or '" << no << "'";
}

static ParseResult parsePromises(OpAsmParser &parser, UnitAttr &isDisjoint,
                                 UnitAttr &isComplete) {
  bool disjoint, complete;
  if (parseEither(parser, "disjoint", "aliased", disjoint) ||
      parseEither(parser, "complete", "incomplete", complete))
    return failure();
  UnitAttr unit = parser.getBuilder().getUnitAttr();
  if (disjoint)
    isDisjoint = unit;
  if (complete)
    isComplete = unit;
  return success();
}

/// `, axes` and `, periodic [0]`, in any order.
static ParseResult parseHaloForm(OpAsmParser &parser, size_t rank,
                                 UnitAttr &axesOnly,
                                 DenseI64ArrayAttr &periodic) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!axesOnly && succeeded(parser.parseOptionalKeyword("axes"))) {
      axesOnly = parser.getBuilder().getUnitAttr();
      continue;
    }
    if (periodic || failed(parser.parseOptionalKeyword("periodic")))
      return parser.emitError(parser.getCurrentLocation())
             << "expected 'axes' or 'periodic', each once";
    SmallVector<int64_t, 3> dimensions;
    if (failed(parser.parseOptionalLSquare())) {
      for (size_t d = 0; d != rank; ++d)
        dimensions.push_back(int64_t(d));
    } else if (parser.parseCommaSeparatedList([&] {
                 return parser.parseInteger(dimensions.emplace_back());
               }) ||
               parser.parseRSquare()) {
      return failure();
    }
    periodic = parser.getBuilder().getDenseI64ArrayAttr(dimensions);
  }
  return success();
}

/// `"f"`, `"f" to "g"`, `"f" to next` or `[2 * i]`.
static ParseResult parseNames(OpAsmParser &parser, StringAttr &field,
                              StringAttr &last, UnitAttr &toNext,
                              ArrayAttr &map) {
  OptionalParseResult isField = parser.parseOptionalAttribute(field);
  if (!isField.has_value())
    return parseElementSums(parser, map);
  if (failed(*isField) || failed(parser.parseOptionalKeyword("to")))
    return *isField;
  if (failed(parser.parseOptionalKeyword("next"))) {
    OptionalParseResult isLast = parser.parseOptionalAttribute(last);
    if (!isLast.has_value())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a field in quotes, or 'next'");
    return *isLast;
  }
  toNext = parser.getBuilder().getUnitAttr();
  return success();
}

static void printNames(OpAsmPrinter &printer, StringAttr field, StringAttr last,
                       UnitAttr toNext, ArrayAttr map) {
  if (map)
    return printElementSums(printer, map);
  printer << field;
  if (last)
    printer << " to " << last;
  if (toNext)
    printer << " to next";
}

ParseResult sluice::rdir::parseRule(
    OpAsmParser &parser, UnitAttr &isDisjoint, UnitAttr &isComplete,
    PartitionKindAttr &kind, FlatSymbolRefAttr &left, FlatSymbolRefAttr &right,
    StringAttr &field, FlatSymbolRefAttr &function, DenseI64ArrayAttr &width,
    UnitAttr &axesOnly, DenseI64ArrayAttr &rightColor, UnitAttr &rightWhole,
    StringAttr &last, UnitAttr &toNext, ArrayAttr &map,
    DenseI64ArrayAttr &periodic) {
  if (parsePromises(parser, isDisjoint, isComplete))
    return failure();
  MLIRContext *context = parser.getContext();
  kind = PartitionKindAttr::get(context, PartitionKind::Abstract);
  if (failed(parser.parseOptionalKeyword("by")))
    return success();
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<PartitionKind> known = symbolizePartitionKind(word);
  if (!known || *known == PartitionKind::Abstract ||
      *known == PartitionKind::Each)
    return parser.emitError(place)
           << "unknown rule '" << word
           << "', expected blocks, halo, coloring, field, color, image, "
              "preimage, union, intersection, difference or cross";
  kind = PartitionKindAttr::get(context, *known);
  if (*known == PartitionKind::Blocks) {
    if (failed(parser.parseOptionalLParen()))
      return success();
    kind = PartitionKindAttr::get(context, PartitionKind::Each);
    return failure(parseSymbol(parser, left) || parser.parseRParen());
  }
  if (parser.parseLParen())
    return failure();
  SmallVector<int64_t, 3> numbers;
  switch (*known) {
  case PartitionKind::Abstract:
  case PartitionKind::Blocks:
  case PartitionKind::Each:
    break;
  case PartitionKind::Halo:
    if (parseSymbol(parser, left) || parser.parseComma() ||
        parseIntegers(parser, numbers))
      return failure();
    width = parser.getBuilder().getDenseI64ArrayAttr(numbers);
    if (parseHaloForm(parser, numbers.size(), axesOnly, periodic))
      return failure();
    break;
  case PartitionKind::Coloring:
    if (parseSymbol(parser, function))
      return failure();
    break;
  case PartitionKind::Field: {
    OptionalParseResult isField = parser.parseOptionalAttribute(field);
    if (!isField.has_value())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a field in quotes");
    if (failed(*isField))
      return failure();
    break;
  }
  case PartitionKind::Color:
    if (parseElementSums(parser, map))
      return failure();
    break;
  case PartitionKind::Image:
    if (parseSymbol(parser, left) || parser.parseComma() ||
        parseNames(parser, field, last, toNext, map))
      return failure();
    break;
  case PartitionKind::Preimage:
    if (parseNames(parser, field, last, toNext, map) || parser.parseComma() ||
        parseSymbol(parser, left))
      return failure();
    break;
  case PartitionKind::Union:
  case PartitionKind::Intersection:
  case PartitionKind::Difference:
    if (parseSymbol(parser, left) || parser.parseComma() ||
        parseRegionName(parser, right, rightColor))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("whole")))
      rightWhole = parser.getBuilder().getUnitAttr();
    break;
  case PartitionKind::Cross:
    if (parseSymbol(parser, left) || parser.parseComma() ||
        parseSymbol(parser, right))
      return failure();
    break;
  }
  return parser.parseRParen();
}

static void printHaloForm(OpAsmPrinter &printer, DenseI64ArrayAttr width,
                          UnitAttr axesOnly, DenseI64ArrayAttr periodic) {
  printer << ", [";
  llvm::interleaveComma(width.asArrayRef(), printer);
  printer << ']';
  if (axesOnly)
    printer << ", axes";
  if (!periodic)
    return;
  printer << ", periodic";
  bool isEach = periodic.size() == width.size();
  for (auto [d, dimension] : llvm::enumerate(periodic.asArrayRef()))
    isEach &= dimension == int64_t(d);
  if (isEach)
    return;
  printer << " [";
  llvm::interleaveComma(periodic.asArrayRef(), printer);
  printer << ']';
}

void sluice::rdir::printRule(OpAsmPrinter &printer, Operation *,
                             UnitAttr isDisjoint, UnitAttr isComplete,
                             PartitionKindAttr kind, FlatSymbolRefAttr left,
                             FlatSymbolRefAttr right, StringAttr field,
                             FlatSymbolRefAttr function,
                             DenseI64ArrayAttr width, UnitAttr axesOnly,
                             DenseI64ArrayAttr rightColor, UnitAttr rightWhole,
                             StringAttr last, UnitAttr toNext, ArrayAttr map,
                             DenseI64ArrayAttr periodic) {
  printer << (isDisjoint ? "disjoint " : "aliased ")
          << (isComplete ? "complete" : "incomplete");
  PartitionKind value = kind.getValue();
  if (value == PartitionKind::Abstract)
    return;
  printer << " by "
          << (value == PartitionKind::Each ? "blocks"
                                           : stringifyPartitionKind(value));
  if (value == PartitionKind::Blocks)
    return;
  printer << '(';
  switch (value) {
  case PartitionKind::Abstract:
  case PartitionKind::Blocks:
    break;
  case PartitionKind::Each:
    printer << left;
    break;
  case PartitionKind::Halo:
    printer << left;
    printHaloForm(printer, width, axesOnly, periodic);
    break;
  case PartitionKind::Coloring:
    printer << function;
    break;
  case PartitionKind::Field:
    printer << field;
    break;
  case PartitionKind::Color:
    printElementSums(printer, map);
    break;
  case PartitionKind::Image:
    printer << left << ", ";
    printNames(printer, field, last, toNext, map);
    break;
  case PartitionKind::Preimage:
    printNames(printer, field, last, toNext, map);
    printer << ", " << left;
    break;
  case PartitionKind::Union:
  case PartitionKind::Intersection:
  case PartitionKind::Difference:
    printer << left << ", ";
    printRegionName(printer, right, rightColor);
    printer << (rightWhole ? " whole" : "");
    break;
  case PartitionKind::Cross:
    printer << left << ", " << right;
    break;
  }
  printer << ')';
}

ParseResult sluice::rdir::parseConstraint(OpAsmParser &parser,
                                          UnitAttr &isDisjoint,
                                          FlatSymbolRefAttr &first,
                                          DenseI64ArrayAttr &firstColor,
                                          FlatSymbolRefAttr &second,
                                          DenseI64ArrayAttr &secondColor) {
  bool disjoint;
  if (parseEither(parser, "disjoint", "subregion", disjoint) ||
      parseRegionName(parser, first, firstColor))
    return failure();
  if (disjoint)
    isDisjoint = parser.getBuilder().getUnitAttr();
  if (disjoint ? parser.parseComma() : parser.parseKeyword("of"))
    return failure();
  return parseRegionName(parser, second, secondColor);
}

void sluice::rdir::printConstraint(OpAsmPrinter &printer, Operation *,
                                   UnitAttr isDisjoint, FlatSymbolRefAttr first,
                                   DenseI64ArrayAttr firstColor,
                                   FlatSymbolRefAttr second,
                                   DenseI64ArrayAttr secondColor) {
  printer << (isDisjoint ? "disjoint " : "subregion ");
  printRegionName(printer, first, firstColor);
  printer << (isDisjoint ? ", " : " of ");
  printRegionName(printer, second, secondColor);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

ParseResult sluice::rdir::parseBody(OpAsmParser &parser,
                                    OperationState &state) {
  // A limit on nesting, since the parser recurses over bodies.
  constexpr unsigned maxDepth = 256;
  static thread_local unsigned depth = 0;
  if (depth == maxDepth)
    return parser.emitError(parser.getCurrentLocation())
           << "is nested more than " << maxDepth << " deep";
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  mlir::Region *body = state.addRegion();
  // Bodies are isolated: they may reuse names.
  if (parser.parseRegion(*body, {}, /*enableNameShadowing=*/true))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void sluice::rdir::printBody(OpAsmPrinter &printer, mlir::Region &body) {
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

/// `repeats 100`, `repeats @n while @going`, `repeats while @going`.
static ParseResult parseRepeats(OpAsmParser &parser, OperationState &state) {
  if (failed(parser.parseOptionalKeyword("repeats")))
    return success();
  Attribute count = parser.getBuilder().getI64IntegerAttr(INT64_MAX);
  FlatSymbolRefAttr name, condition;
  int64_t number;
  SMLoc place = parser.getCurrentLocation();
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    if (failed(*isNumber))
      return failure();
    if (number < 0)
      return parser.emitError(place, "expected a number of at least 0");
    count = parser.getBuilder().getI64IntegerAttr(number);
  } else if (parseOptionalSymbol(parser, name)) {
    return failure();
  } else if (name) {
    count = name;
  }
  if (succeeded(parser.parseOptionalKeyword("while"))) {
    if (parseSymbol(parser, condition))
      return failure();
    state.addAttribute(whileAttribute, condition);
  } else if (!isNumber.has_value() && !name) {
    return parser.emitError(place, "expected a number, a parameter or 'while'");
  }
  state.addAttribute(repeatsAttribute, count);
  return success();
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             state.attributes) ||
      parseRepeats(parser, state) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  return parseBody(parser, state);
}

void GraphOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (Attribute count = (*this)->getAttr(repeatsAttribute)) {
    printer << " repeats ";
    printer.printAttributeWithoutType(count);
    if (Attribute condition = (*this)->getAttr(whileAttribute))
      printer << " while " << condition;
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", repeatsAttribute, whileAttribute});
  printBody(printer, getBody());
}
