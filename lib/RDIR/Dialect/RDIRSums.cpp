//===- RDIRSums.cpp - Numbers that depend on iterations and parameters ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum as an array: the number, then each name and its factor; a unit
// attribute comes before the modulus. The value of a sum may need more than 64
// bits, even if each number in it is small: whoever computes it checks that.
//
//===----------------------------------------------------------------------===//

#include "RDIRSums.h"
#include "RDIRVerify.h"

using namespace mlir;
using namespace sluice::rdir;

bool Sum::isOfPoint() const {
  return !modulus && llvm::all_of(terms, [](const Term &term) {
    return isa<IntegerAttr>(term.name);
  });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Like the numbers of affine maps.
static bool isSmall(int64_t number) {
  constexpr int64_t limit = int64_t(1) << 62;
  return -limit < number && number < limit;
}

static std::optional<int64_t> readNumber(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getType().isInteger(64) || !isSmall(number.getInt()))
    return std::nullopt;
  return number.getInt();
}

static bool isName(Attribute attribute) {
  if (auto coordinate = dyn_cast<IntegerAttr>(attribute))
    return coordinate.getType().isIndex() && coordinate.getInt() >= 0 &&
           coordinate.getInt() < 3;
  auto iteration = dyn_cast<StringAttr>(attribute);
  return isa<FlatSymbolRefAttr>(attribute) ||
         (iteration && !iteration.getValue().empty());
}

std::optional<Sum> sluice::rdir::readSum(Attribute attribute) {
  Sum sum;
  if (isa_and_nonnull<FlatSymbolRefAttr>(attribute)) {
    sum.terms.push_back({attribute, 1});
    return sum;
  }
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute)) {
    if (!number.getType().isInteger(64))
      return std::nullopt;
    sum.constant = number.getInt();
    return sum;
  }
  auto parts = dyn_cast_or_null<ArrayAttr>(attribute);
  std::optional<int64_t> constant;
  if (!parts || parts.size() % 2 == 0 || !(constant = readNumber(parts[0])))
    return std::nullopt;
  sum.constant = *constant;
  for (size_t i = 1; i != parts.size(); i += 2) {
    if (isa<UnitAttr>(parts[i])) {
      if (i + 2 != parts.size() || (!isa<FlatSymbolRefAttr>(parts[i + 1]) &&
                                    readNumber(parts[i + 1]).value_or(0) < 1))
        return std::nullopt;
      sum.modulus = parts[i + 1];
      continue;
    }
    std::optional<int64_t> factor = readNumber(parts[i + 1]);
    if (!isName(parts[i]) || !factor || *factor == 0 ||
        llvm::any_of(sum.terms, [&](const Sum::Term &term) {
          return term.name == parts[i];
        }))
      return std::nullopt;
    sum.terms.push_back({parts[i], *factor});
  }
  return sum;
}

Attribute sluice::rdir::writeSum(MLIRContext *context, const Sum &sum) {
  Builder builder(context);
  if (sum.isConstant())
    return builder.getI64IntegerAttr(sum.constant);
  if (!sum.modulus && sum.constant == 0 && sum.terms.size() == 1 &&
      sum.terms[0].factor == 1 && isa<FlatSymbolRefAttr>(sum.terms[0].name))
    return sum.terms[0].name;
  SmallVector<Attribute> parts{builder.getI64IntegerAttr(sum.constant)};
  for (const Sum::Term &term : sum.terms) {
    parts.push_back(term.name);
    parts.push_back(builder.getI64IntegerAttr(term.factor));
  }
  if (sum.modulus) {
    parts.push_back(builder.getUnitAttr());
    parts.push_back(sum.modulus);
  }
  return builder.getArrayAttr(parts);
}

std::optional<SmallVector<Sum, 3>>
sluice::rdir::readSums(Attribute projection) {
  auto list = dyn_cast_or_null<ArrayAttr>(projection);
  if (!list || list.empty() || list.size() > 3)
    return std::nullopt;
  SmallVector<Sum, 3> sums;
  for (Attribute entry : list) {
    std::optional<Sum> sum = readSum(entry);
    if (!sum)
      return std::nullopt;
    sums.push_back(std::move(*sum));
  }
  return sums;
}

/// Null if none, else a number of at least 1 or a parameter.
static bool isDivisor(Attribute attribute) {
  return isa<FlatSymbolRefAttr>(attribute) ||
         readNumber(attribute).value_or(0) >= 1;
}

std::optional<SmallVector<ElementSum, 3>>
sluice::rdir::readElementSums(Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!list || list.empty() || list.size() > 3)
    return std::nullopt;
  SmallVector<ElementSum, 3> sums;
  for (Attribute entry : list) {
    auto parts = dyn_cast<ArrayAttr>(entry);
    if (!parts || parts.size() != 3)
      return std::nullopt;
    std::optional<Sum> sum = readSum(parts[0]);
    if (!sum || sum->modulus)
      return std::nullopt;
    for (Attribute part : {parts[1], parts[2]})
      if (!isa<UnitAttr>(part) && !isDivisor(part))
        return std::nullopt;
    auto orNull = [](Attribute part) {
      return isa<UnitAttr>(part) ? Attribute() : part;
    };
    sums.push_back({std::move(*sum), orNull(parts[1]), orNull(parts[2])});
  }
  return sums;
}

Attribute sluice::rdir::writeElementSum(MLIRContext *context,
                                        const ElementSum &sum) {
  Builder builder(context);
  auto orUnit = [&](Attribute part) {
    return part ? part : Attribute(builder.getUnitAttr());
  };
  return builder.getArrayAttr(
      {writeSum(context, sum.sum), orUnit(sum.divisor), orUnit(sum.modulus)});
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

StringAttr sluice::rdir::iterationName(Operation *loop) {
  return isa<LoopOp>(loop) ? loop->getAttrOfType<StringAttr>(iterationAttribute)
                           : StringAttr();
}

bool sluice::rdir::runsOnce(LoopOp loop) {
  auto number = dyn_cast_or_null<IntegerAttr>(loop.getCountAttr());
  return number && number.getInt() == 1 && !iterationName(loop);
}

LoopOp sluice::rdir::loopOfIteration(Operation *op, StringAttr name) {
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp())
    if (auto loop = dyn_cast<LoopOp>(at); loop && iterationName(at) == name)
      return loop;
  return nullptr;
}

unsigned sluice::rdir::iterationDepth(Operation *loop) {
  unsigned depth = 0;
  for (Operation *at = loop->getParentOp(); at; at = at->getParentOp())
    depth += bool(iterationName(at));
  return depth;
}

LogicalResult sluice::rdir::verifySumNames(Operation *op, const Sum &sum,
                                           size_t numDims,
                                           SymbolTableCollection &tables) {
  auto verifyParameter = [&](Attribute name) {
    auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(name);
    return symbol ? verifyParameterName(op, symbol, tables) : success();
  };
  for (const Sum::Term &term : sum.terms) {
    if (failed(verifyParameter(term.name)))
      return failure();
    if (auto name = dyn_cast<StringAttr>(term.name);
        name && !loopOfIteration(op, name))
      return op->emitOpError("names the iteration '%")
             << name.getValue() << "', but no loop around it has that name";
    if (auto coordinate = dyn_cast<IntegerAttr>(term.name);
        coordinate && size_t(coordinate.getInt()) >= numDims)
      return op->emitOpError("names the coordinate '")
             << "ijk"[coordinate.getInt()] << "' of its points, which have "
             << numDims
             << (numDims ? "" : "; give the launch its extents with 'over'");
  }
  return verifyParameter(sum.modulus);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
class SumParser {
public:
  SumParser(OpAsmParser &parser, bool isColor)
      : parser(parser), isColor(isColor) {}

  ParseResult parse(Attribute first);
  OptionalParseResult parseOptional();
  ParseResult parseModulus();
  ParseResult parseElement(Attribute &element);
  Attribute result() { return writeSum(parser.getContext(), sum); }

private:
  OptionalParseResult parseName(Attribute &name);
  OptionalParseResult parseNumber(int64_t sign, int64_t &number);
  OptionalParseResult parseTerm(int64_t sign);
  ParseResult refuseTerm();
  ParseResult parseFactor(Attribute name, int64_t factor);
  ParseResult parseDivisor(Attribute &divisor);
  ParseResult parseRest();
  ParseResult add(Attribute name, int64_t factor);
  ParseResult checkNumbers();
  ParseResult refuseLarge();

  OpAsmParser &parser;
  bool isColor;
  Sum sum;
};
} // namespace

OptionalParseResult SumParser::parseName(Attribute &name) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isIteration =
      parser.parseOptionalOperand(operand, /*allowResultNumber=*/false);
  if (isIteration.has_value()) {
    name = builder.getStringAttr(operand.name.drop_front());
    return *isIteration;
  }
  StringAttr symbol;
  if (succeeded(parser.parseOptionalSymbolName(symbol))) {
    name = FlatSymbolRefAttr::get(symbol);
    return success();
  }
  StringRef word;
  if (!isColor || failed(parser.parseOptionalKeyword(&word, {"i", "j", "k"})))
    return std::nullopt;
  name = builder.getIndexAttr(word[0] - 'i');
  return success();
}

ParseResult SumParser::refuseLarge() {
  return parser.emitError(parser.getCurrentLocation(),
                          "the numbers of a sum must be between -2^62 and "
                          "2^62");
}

ParseResult SumParser::add(Attribute name, int64_t factor) {
  int64_t *to = &sum.constant;
  if (name) {
    auto known = llvm::find_if(
        sum.terms, [&](const Sum::Term &term) { return term.name == name; });
    if (known == sum.terms.end()) {
      sum.terms.push_back({name, 0});
      known = std::prev(sum.terms.end());
    }
    to = &known->factor;
  }
  if (__builtin_add_overflow(*to, factor, to))
    return refuseLarge();
  llvm::erase_if(sum.terms,
                 [](const Sum::Term &term) { return term.factor == 0; });
  return success();
}

/// A number alone may be of any size.
ParseResult SumParser::checkNumbers() {
  bool isGood = sum.terms.empty() || isSmall(sum.constant);
  for (const Sum::Term &term : sum.terms)
    isGood &= isSmall(term.factor);
  return isGood ? success() : refuseLarge();
}

/// What may follow a name: `* 2`.
ParseResult SumParser::parseFactor(Attribute name, int64_t factor) {
  if (failed(parser.parseOptionalStar()))
    return add(name, factor);
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  if (__builtin_mul_overflow(factor, number, &factor))
    return refuseLarge();
  return add(name, factor);
}

/// The sign may be what makes the number fit.
OptionalParseResult SumParser::parseNumber(int64_t sign, int64_t &number) {
  APInt parsed;
  SMLoc place = parser.getCurrentLocation();
  OptionalParseResult isNumber = parser.parseOptionalInteger(parsed);
  if (!isNumber.has_value() || failed(*isNumber))
    return isNumber;
  parsed = parsed.sext(parsed.getBitWidth() + 1);
  if (sign < 0)
    parsed.negate();
  if (!parsed.isSignedIntN(64))
    return parser.emitError(place, "integer value too large");
  number = parsed.getSExtValue();
  return success();
}

OptionalParseResult SumParser::parseTerm(int64_t sign) {
  int64_t number;
  OptionalParseResult isNumber = parseNumber(sign, number);
  if (isNumber.has_value()) {
    if (failed(*isNumber))
      return failure();
    if (failed(parser.parseOptionalStar()))
      return add({}, number);
    Attribute name;
    OptionalParseResult hasName = parseName(name);
    if (!hasName.has_value())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a name after '*'");
    return failed(*hasName) ? failure() : add(name, number);
  }
  Attribute name;
  OptionalParseResult hasName = parseName(name);
  if (!hasName.has_value())
    return std::nullopt;
  return failed(*hasName) ? failure() : parseFactor(name, sign);
}

ParseResult SumParser::refuseTerm() {
  return parser.emitError(parser.getCurrentLocation())
         << "expected a number, a parameter "
         << (isColor ? "('@n'), an iteration ('%k') or a coordinate of the "
                       "point (i, j or k)"
                     : "('@n') or an iteration ('%k')");
}

ParseResult SumParser::parseRest() {
  while (true) {
    int64_t sign = 1;
    if (succeeded(parser.parseOptionalMinus()))
      sign = -1;
    else if (failed(parser.parseOptionalPlus()))
      return checkNumbers();
    OptionalParseResult term = parseTerm(sign);
    if (!term.has_value())
      return refuseTerm();
    if (failed(*term))
      return failure();
  }
}

OptionalParseResult SumParser::parseOptional() {
  const bool isNegative = succeeded(parser.parseOptionalMinus());
  OptionalParseResult first = parseTerm(isNegative ? -1 : 1);
  if (!first.has_value() && isNegative)
    return refuseTerm();
  if (!first.has_value() || failed(*first))
    return first;
  return parseRest();
}

ParseResult SumParser::parse(Attribute first) {
  if (first)
    return failure(parseFactor(first, 1) || parseRest());
  OptionalParseResult result = parseOptional();
  if (!result.has_value())
    return parser.emitError(parser.getCurrentLocation())
           << "expected a number, a parameter or a sum of them";
  return *result;
}

/// `mod 4` or `mod @n`.
ParseResult SumParser::parseModulus() {
  if (!isColor || failed(parser.parseOptionalKeyword("mod")))
    return success();
  return parseDivisor(sum.modulus);
}

/// `4` or `@n`.
ParseResult SumParser::parseDivisor(Attribute &divisor) {
  if (!isSmall(sum.constant))
    return refuseLarge();
  StringAttr name;
  if (succeeded(parser.parseOptionalSymbolName(name))) {
    divisor = FlatSymbolRefAttr::get(name);
    return success();
  }
  int64_t number;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseInteger(number))
    return failure();
  if (number < 1 || !isSmall(number))
    return parser.emitError(place, "expected a number of at least 1");
  divisor = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

/// `2 * i + 1 div 4 mod @n`.
ParseResult SumParser::parseElement(Attribute &element) {
  ElementSum result;
  if (parse({}) ||
      (succeeded(parser.parseOptionalKeyword("div")) &&
       parseDivisor(result.divisor)) ||
      (succeeded(parser.parseOptionalKeyword("mod")) &&
       parseDivisor(result.modulus)))
    return failure();
  result.sum = std::move(sum);
  element = writeElementSum(parser.getContext(), result);
  return success();
}

ParseResult sluice::rdir::parseSum(OpAsmParser &parser, Attribute &sum,
                                   bool isColor, Attribute first) {
  SumParser parts(parser, isColor);
  if (parts.parse(first) || parts.parseModulus())
    return failure();
  sum = parts.result();
  return success();
}

OptionalParseResult sluice::rdir::parseOptionalSum(OpAsmParser &parser,
                                                   Attribute &sum) {
  SumParser parts(parser, /*isColor=*/false);
  OptionalParseResult result = parts.parseOptional();
  if (result.has_value() && succeeded(*result))
    sum = parts.result();
  return result;
}

ParseResult sluice::rdir::parseOptionalSums(OpAsmParser &parser,
                                            ArrayAttr &sums) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  // The colors of cross products may stand in brackets of their own.
  SmallVector<Attribute, 3> list;
  do {
    if (parser.parseCommaSeparatedList([&] {
          return parseSum(parser, list.emplace_back(), /*isColor=*/true);
        }) ||
        parser.parseRSquare())
      return failure();
  } while (succeeded(parser.parseOptionalLSquare()));
  sums = parser.getBuilder().getArrayAttr(list);
  return success();
}

ParseResult sluice::rdir::parseElementSums(OpAsmParser &parser,
                                           ArrayAttr &sums) {
  SmallVector<Attribute, 3> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return SumParser(parser, /*isColor=*/true)
            .parseElement(list.emplace_back());
      }))
    return failure();
  sums = parser.getBuilder().getArrayAttr(list);
  return success();
}

Attribute sluice::rdir::projectionOf(ArrayAttr sums, size_t numDims) {
  MLIRContext *context = sums.getContext();
  SmallVector<AffineExpr> results;
  for (Attribute entry : sums) {
    std::optional<Sum> sum = readSum(entry);
    if (!sum || !sum->isOfPoint())
      return sums;
    AffineExpr result = getAffineConstantExpr(sum->constant, context);
    for (const Sum::Term &term : sum->terms) {
      auto dim = size_t(cast<IntegerAttr>(term.name).getInt());
      if (dim >= numDims)
        return sums;
      result = result + getAffineDimExpr(dim, context) * term.factor;
    }
    results.push_back(result);
  }
  return AffineMapAttr::get(AffineMap::get(numDims, 0, results, context));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printName(llvm::raw_ostream &os, Attribute name) {
  if (auto iteration = dyn_cast<StringAttr>(name))
    os << '%' << iteration.getValue();
  else if (auto coordinate = dyn_cast<IntegerAttr>(name))
    os << "ijk"[coordinate.getInt()];
  else
    name.print(os, /*elideType=*/true);
}

void sluice::rdir::printSum(llvm::raw_ostream &os, Attribute attribute) {
  std::optional<Sum> sum = readSum(attribute);
  if (!sum)
    return attribute.print(os, /*elideType=*/true);
  bool isFirst = true;
  auto sign = [&](int64_t number) {
    if (!isFirst)
      os << (number < 0 ? " - " : " + ");
    const int64_t shown = isFirst || number >= 0 ? number : -number;
    isFirst = false;
    return shown;
  };
  for (const Sum::Term &term : sum->terms) {
    int64_t factor = sign(term.factor);
    if (factor == -1)
      os << '-';
    else if (factor != 1)
      os << factor << " * ";
    printName(os, term.name);
  }
  if (sum->constant || sum->terms.empty())
    os << sign(sum->constant);
  if (sum->modulus) {
    os << " mod ";
    sum->modulus.print(os, /*elideType=*/true);
  }
}

void sluice::rdir::printSums(llvm::raw_ostream &os, ArrayAttr sums) {
  os << '[';
  llvm::interleaveComma(sums, os, [&](Attribute sum) { printSum(os, sum); });
  os << ']';
}

void sluice::rdir::printElementSums(OpAsmPrinter &printer, ArrayAttr sums) {
  std::optional<SmallVector<ElementSum, 3>> list = readElementSums(sums);
  if (!list)
    return printer.printAttributeWithoutType(sums);
  printer << '[';
  llvm::interleaveComma(*list, printer, [&](const ElementSum &sum) {
    printSum(printer.getStream(), writeSum(sums.getContext(), sum.sum));
    for (auto [word, part] :
         {std::pair(" div ", sum.divisor), std::pair(" mod ", sum.modulus)})
      if (part) {
        printer << word;
        printer.printAttributeWithoutType(part);
      }
  });
  printer << ']';
}
