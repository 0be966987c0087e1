//===- RDIREdges.cpp - Clauses of nodes -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node writes its edges as clauses such as `read from %x by @p`. MLIR's
// declarative assembly has no lists of this kind, so this file parses and
// prints them.
//
//===----------------------------------------------------------------------===//

#include "RDIREdges.h"
#include "RDIRSums.h"
#include "RDIRSyntax.h"
#include "mlir/IR/Builders.h"
#include "sluice/RDIR/EdgeWords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace sluice::rdir;

StringRef sluice::rdir::clauseName(EdgeKind kind) {
  return wordsOf(kind).clause;
}

StringRef sluice::rdir::edgeName(EdgeKind kind) { return wordsOf(kind).name; }

/// The direction of a clause's edges.
static bool isOutgoingClause(EdgeKind kind) {
  return kind == EdgeKind::Write || kind == EdgeKind::Reduce;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static const StringRef clauseWords[] = {
    "reads", "writes", "discards", "continues", "reduces",   "after",
    "edges", "over",   "with",     "coherence", "attributes"};

ParseResult ClauseParser::parseComputeClauses() {
  StringRef word;
  while (succeeded(parser.parseOptionalKeyword(&word, clauseWords)))
    if (parseClause(word))
      return failure();
  return refuseUnknownWord("reads, writes, discards, continues, reduces, "
                           "after, edges, over, with, coherence or attributes");
}

ParseResult ClauseParser::parseDataClauses() {
  StringRef word;
  while (succeeded(parser.parseOptionalKeyword(&word, {"edges", "attributes"})))
    if (parseClause(word))
      return failure();
  return refuseUnknownWord("edges or attributes");
}

/// A word that is not an operation is an unknown clause. The names of
/// operations contain a period.
ParseResult ClauseParser::refuseUnknownWord(StringRef expected) {
  SMLoc place = parser.getCurrentLocation();
  const char *begin = place.getPointer(), *end = begin;
  while (llvm::isAlnum(*end) || *end == '_' || *end == '.')
    ++end;
  StringRef word(begin, end - begin);
  if (word.empty() || !llvm::isAlpha(word.front()) || word.contains('.') ||
      word == "loc")
    return success();
  return parser.emitError(place)
         << "unknown clause '" << word << "', expected " << expected;
}

ParseResult ClauseParser::parseClause(StringRef word) {
  using Kind = EdgeKind;
  std::optional<EdgeKind> kind =
      llvm::StringSwitch<std::optional<EdgeKind>>(word)
          .Case("reads", Kind::Read)
          .Case("writes", Kind::Write)
          .Case("discards", Kind::Discard)
          .Case("continues", Kind::Continues)
          .Case("reduces", Kind::Reduce)
          .Case("after", Kind::HappensBefore)
          .Default(std::nullopt);
  if (kind) {
    Attribute reduction;
    if (*kind == Kind::Reduce && parseOperator(reduction))
      return failure();
    return parseEdges({*kind, isOutgoingClause(*kind)}, reduction);
  }
  if (word == "edges")
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                          [&] { return parseAnyEdge(); });
  if (word == "over")
    return parseExtents(parser, over);
  if (word == "with")
    return parseConstants();
  if (word == "coherence")
    return parseCoherence();
  return parser.parseOptionalAttrDict(state.attributes);
}

/// Edges to nodes, or, in the short form, the regions of nodes.
ParseResult ClauseParser::parseEdges(EdgeCode code, Attribute reduction) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        SMLoc place = parser.getCurrentLocation();
        FlatSymbolRefAttr region;
        if (parseOptionalSymbol(parser, region))
          return failure();
        return region ? parseMention(code.kind, region, place, reduction)
                      : parseEdge(code, reduction);
      });
}

ParseResult sluice::rdir::parseFieldNames(OpAsmParser &parser,
                                          ArrayAttr &fields) {
  SmallVector<Attribute> list;
  SMLoc place = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    list.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  const bool hasFields = *place.getPointer() == '{';
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces,
                                     parseField))
    return failure();
  if (hasFields && list.empty())
    return parser.emitError(place, "expected the name of a field");
  if (hasFields)
    fields = parser.getBuilder().getArrayAttr(list);
  return success();
}

/// `[1, 2] {a, b} by @f`, after the name of the region.
ParseResult ClauseParser::parseMention(EdgeKind kind, FlatSymbolRefAttr region,
                                       SMLoc place, Attribute reduction) {
  Builder &builder = parser.getBuilder();
  if (kind == EdgeKind::HappensBefore)
    return parser.emitError(place, "expected a node: a region has no order");
  ArrayAttr sums, fields;
  Attribute projection = builder.getUnitAttr();
  if (parseOptionalSums(parser, sums) || parseFieldNames(parser, fields) ||
      parseProjection(projection))
    return failure();
  if (sums && !isa<UnitAttr>(projection))
    return parser.emitError(place, "has a color, and cannot have a projection");
  NamedAttrList entry;
  entry.set(mention::edge, builder.getI8IntegerAttr(int8_t(kind)));
  entry.set(mention::region, region);
  entry.set(mention::place, LocationAttr(parser.getEncodedSourceLoc(place)));
  if (fields)
    entry.set(mention::fields, fields);
  if (reduction)
    entry.set(mention::reduction, reduction);
  SmallVector<int64_t, 3> color;
  if (sums)
    for (Attribute sum : sums)
      if (auto number = dyn_cast<IntegerAttr>(sum))
        color.push_back(number.getInt());
  if (sums && color.size() == sums.size())
    entry.set(mention::color, builder.getDenseI64ArrayAttr(color));
  else if (sums)
    entry.set(mention::projection, sums);
  else if (!isa<UnitAttr>(projection))
    entry.set(mention::projection, projection);
  mentions.push_back(entry.getDictionary(builder.getContext()));
  return success();
}

/// Sums of the point alone become affine maps: `over` may come after them.
void ClauseParser::addMentions() {
  const size_t numDims = over ? over.size() : 0;
  for (Attribute &projection : projections)
    if (auto sums = dyn_cast<ArrayAttr>(projection))
      projection = projectionOf(sums, numDims);
  if (mentions.empty())
    return;
  Builder &builder = parser.getBuilder();
  for (Attribute &entry : mentions) {
    NamedAttrList list(cast<DictionaryAttr>(entry));
    auto sums = dyn_cast_or_null<ArrayAttr>(list.get(mention::projection));
    if (!sums)
      continue;
    list.set(mention::projection, projectionOf(sums, numDims));
    entry = list.getDictionary(builder.getContext());
  }
  state.addAttribute(mentionsAttribute, builder.getArrayAttr(mentions));
}

/// `read to %x` or `write from %y`.
ParseResult ClauseParser::parseAnyEdge() {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  using Kind = EdgeKind;
  std::optional<EdgeKind> kind =
      llvm::StringSwitch<std::optional<EdgeKind>>(word)
          .Case("read", Kind::Read)
          .Case("write", Kind::Write)
          .Case("discard", Kind::Discard)
          .Case("continue", Kind::Continues)
          .Case("reduce", Kind::Reduce)
          .Case("happens_before", Kind::HappensBefore)
          .Default(std::nullopt);
  if (!kind)
    return parser.emitError(place)
           << "unknown kind of edge '" << word
           << "', expected read, write, discard, reduce, continue or "
              "happens_before";
  Attribute reduction;
  if (*kind == Kind::Reduce && parseOperator(reduction))
    return failure();
  bool isOutgoing = succeeded(parser.parseOptionalKeyword("to"));
  if (!isOutgoing && parser.parseKeyword("from"))
    return failure();
  return parseEdge({*kind, isOutgoing}, reduction);
}

/// `<"+">` or `<@closest>`.
ParseResult ClauseParser::parseOperator(Attribute &reduction) {
  FlatSymbolRefAttr name;
  if (parser.parseLess() || parseOptionalSymbol(parser, name))
    return failure();
  reduction = name;
  StringAttr text;
  if (!name) {
    if (parser.parseAttribute(text))
      return failure();
    reduction = text;
  }
  return parser.parseGreater();
}

/// `%x by affine_map<...> port 1`.
ParseResult ClauseParser::parseEdge(EdgeCode code, Attribute reduction) {
  if (parser.parseOperand(operands.emplace_back()))
    return failure();
  kinds.push_back(code.encode());
  Attribute projection = parser.getBuilder().getUnitAttr();
  if (parseProjection(projection))
    return failure();
  hasProjections |= !isa<UnitAttr>(projection);
  projections.push_back(projection);
  if (code.kind == EdgeKind::Reduce)
    reductions.push_back(reduction);
  int32_t port = -1;
  if (succeeded(parser.parseOptionalKeyword("port"))) {
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseInteger(port))
      return failure();
    if (port < 0)
      return parser.emitError(place)
             << "expected a port that is not negative, but got " << port;
    hasPorts = true;
  }
  ports.push_back(port);
  return success();
}

ParseResult ClauseParser::parseProjection(Attribute &projection) {
  if (succeeded(parser.parseOptionalKeyword("whole"))) {
    projection = parser.getBuilder().getStringAttr("whole");
    return success();
  }
  if (failed(parser.parseOptionalKeyword("by")))
    return success();
  ArrayAttr sums;
  if (parseOptionalSums(parser, sums))
    return failure();
  if (sums) {
    projection = sums;
    return success();
  }
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseAttribute(projection))
    return failure();
  if (!isa<AffineMapAttr, FlatSymbolRefAttr>(projection))
    return parser.emitError(place)
           << "expected an affine map, the sums of a color or the name of a "
              "function after 'by'";
  return success();
}

ParseResult ClauseParser::parseConstants() {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        OpAsmParser::UnresolvedOperand name;
        OptionalParseResult isIteration =
            parser.parseOptionalOperand(name, /*allowResultNumber=*/false);
        if (!isIteration.has_value())
          return parser.parseAttribute(list.emplace_back());
        list.push_back(
            parser.getBuilder().getStringAttr(name.name.drop_front()));
        return ParseResult(*isIteration);
      }))
    return failure();
  constants = parser.getBuilder().getArrayAttr(list);
  return success();
}

ParseResult ClauseParser::parseCoherence() {
  SmallVector<int8_t> list;
  auto parseOne = [&]() -> ParseResult {
    StringRef word;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<Coherence> known = symbolizeCoherence(word);
    if (!known)
      return parser.emitError(place)
             << "unknown coherence '" << word
             << "', expected exclusive, atomic, simultaneous or relaxed";
    list.push_back(static_cast<int8_t>(*known));
    return success();
  };
  if (parser.parseLParen() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) ||
      parser.parseRParen())
    return failure();
  coherence = parser.getBuilder().getDenseI8ArrayAttr(list);
  return success();
}

ParseResult ClauseParser::addOperands() {
  Type node = NodeType::get(parser.getContext());
  if (parser.resolveOperands(operands, node, state.operands))
    return failure();
  state.addTypes(node);
  StringRef name = parser.getNumResults() ? parser.getResultName(0).first : "@";
  if (!name.empty())
    state.location = nameLocation(name, state.location);
  return success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// `by @f`; nothing for the identity.
static void printBy(OpAsmPrinter &printer, Attribute projection) {
  if (isa<UnitAttr>(projection))
    return;
  printer << " by ";
  if (auto sums = dyn_cast<ArrayAttr>(projection))
    printSums(printer.getStream(), sums);
  else
    printer << projection;
}

void sluice::rdir::printFieldNames(OpAsmPrinter &printer, ArrayAttr fields) {
  printer << " {";
  llvm::interleaveComma(fields, printer, [&](Attribute field) {
    printer.printKeywordOrString(cast<StringAttr>(field).getValue());
  });
  printer << '}';
}

/// Prints the regions that the node names, with parentheses where the clause
/// changes.
static void printMentions(OpAsmPrinter &printer, Operation *node) {
  auto mentions = node->getAttrOfType<ArrayAttr>(mentionsAttribute);
  if (!mentions)
    return;
  std::pair<Attribute, Attribute> last;
  for (auto entry : mentions.getAsRange<DictionaryAttr>()) {
    auto edge = entry.getAs<IntegerAttr>(mention::edge);
    Attribute reduction = entry.get(mention::reduction);
    if (last == std::pair<Attribute, Attribute>(edge, reduction)) {
      printer << ", ";
    } else {
      printer << (last.first ? ") " : " ")
              << clauseName(EdgeKind(edge.getInt()));
      if (reduction)
        printer << '<' << reduction << '>';
      printer << '(';
    }
    last = {edge, reduction};
    printer << entry.get(mention::region);
    Attribute projection = entry.get(mention::projection);
    if (auto color = entry.getAs<DenseI64ArrayAttr>(mention::color)) {
      printer << '[';
      llvm::interleaveComma(color.asArrayRef(), printer);
      printer << ']';
    } else if (auto sums = dyn_cast_or_null<ArrayAttr>(projection)) {
      printSums(printer.getStream(), sums);
    }
    if (auto fields = entry.getAs<ArrayAttr>(mention::fields))
      printFieldNames(printer, fields);
    if (isa_and_nonnull<StringAttr>(projection))
      printer << " whole";
    else if (projection && !isa<ArrayAttr>(projection))
      printBy(printer, projection);
  }
  printer << (last.first ? ")" : "");
}

namespace {
/// Prints the edges in order, with parentheses where the clause changes.
class EdgePrinter {
public:
  EdgePrinter(OpAsmPrinter &printer, NodeOpInterface node)
      : printer(printer), node(node) {
    if (DenseI32ArrayAttr written = node.getPortsAttr())
      findPrintedPorts(written.asArrayRef());
  }

  void print();

private:
  void findPrintedPorts(ArrayRef<int32_t> written);
  void beginClause(EdgeCode code, Attribute reduction, bool isFree);
  void printOperator(Attribute reduction);

  OpAsmPrinter &printer;
  NodeOpInterface node;
  SmallVector<int32_t> printedPorts;
};
} // namespace

void EdgePrinter::findPrintedPorts(ArrayRef<int32_t> written) {
  if (!isCompute(node.getNodeKind()))
    return printedPorts.assign(written.begin(), written.end());
  SmallVector<uint32_t> defaults = defaultPorts(node);
  for (auto [port, byDefault] : llvm::zip(written, defaults))
    printedPorts.push_back(port == int32_t(byDefault) ? -1 : port);
}

void EdgePrinter::printOperator(Attribute reduction) {
  if (reduction)
    printer << '<' << reduction << '>';
}

void EdgePrinter::beginClause(EdgeCode code, Attribute reduction, bool isFree) {
  printer << ' ' << (isFree ? "edges" : clauseName(code.kind));
  if (!isFree)
    printOperator(reduction);
  printer << '(';
}

void EdgePrinter::print() {
  ArrayAttr reductions = node.getReductionsAttr();
  ArrayAttr projections = node.getProjectionsAttr();
  bool isData = !isCompute(node.getNodeKind());
  bool wasFree = false, isOpen = false;
  EdgeCode lastCode{};
  Attribute lastReduction;
  unsigned numReduce = 0;
  for (auto [index, operand] : llvm::enumerate(node.getNodes())) {
    EdgeCode code = EdgeCode::decode(node.getKinds()[index]);
    Attribute reduction;
    if (code.kind == EdgeKind::Reduce)
      reduction = reductions[numReduce++];
    bool isFree = isData || code.isOutgoing != isOutgoingClause(code.kind);
    bool isSame =
        isOpen && isFree == wasFree &&
        (isFree || (code.kind == lastCode.kind && reduction == lastReduction));
    if (isSame) {
      printer << ", ";
    } else {
      printer << (isOpen ? ")" : "");
      beginClause(code, reduction, isFree);
    }
    if (isFree) {
      printer << edgeName(code.kind);
      printOperator(reduction);
      printer << (code.isOutgoing ? " to " : " from ");
    }
    printer << operand;
    if (projections && isa<StringAttr>(projections[index]))
      printer << " whole";
    else if (projections)
      printBy(printer, projections[index]);
    if (!printedPorts.empty() && printedPorts[index] >= 0)
      printer << " port " << printedPorts[index];
    isOpen = true;
    wasFree = isFree;
    lastCode = code;
    lastReduction = reduction;
  }
  printer << (isOpen ? ")" : "");
}

void sluice::rdir::printEdges(OpAsmPrinter &printer, NodeOpInterface node) {
  EdgePrinter(printer, node).print();
  printMentions(printer, node);
}
