//===- NodeOp.cpp - dfg.node ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses, prints and verifies nodes: their edges, extents and the order that
// tokens give.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "sluice/DFG/AssumedExtents.h"
#include "sluice/DFG/DFG.h"
#include "sluice/DFG/Folds.h"
#include "sluice/DFG/Given.h"
#include "sluice/DFG/OrderedDims.h"
#include "sluice/DFG/TemporaryMemory.h"
#include "sluice/DFG/Tiling.h"

#include <algorithm>

using namespace mlir;
using namespace sluice;
using namespace sluice::dfg;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

ParseResult NodeOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> extents, inputs, dependencies;
  SmallVector<bool> oneToOne, stream;
  SMLoc place = parser.getCurrentLocation();

  FlatSymbolRefAttr callee;
  SmallVector<bool> ordered;
  auto parseExtent = [&]() -> ParseResult {
    ordered.push_back(succeeded(parser.parseOptionalKeyword("ordered")));
    return parser.parseOperand(extents.emplace_back());
  };
  if (parser.parseAttribute(callee, "callee", state.attributes) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare,
                                     parseExtent))
    return failure();
  if (llvm::is_contained(ordered, true))
    state.addAttribute(orderedName, builder.getDenseBoolArrayAttr(ordered));

  auto parseInput = [&]() -> ParseResult {
    oneToOne.push_back(succeeded(parser.parseOptionalKeyword("one_to_one")));
    stream.push_back(succeeded(parser.parseOptionalKeyword("stream")));
    return parser.parseOperand(inputs.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("after")) &&
      parser.parseOperandList(dependencies, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("named"))) {
    StringAttr name;
    if (parser.parseLParen() ||
        parser.parseAttribute(name, "node_name", state.attributes) ||
        parser.parseRParen())
      return failure();
  }

  FunctionType type;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != inputs.size())
    return parser.emitError(place, "expected ")
           << inputs.size() << " input types, but the signature has "
           << type.getNumInputs();
  Type token = TokenType::get(parser.getContext());
  if (parser.resolveOperands(extents, builder.getI64Type(), state.operands) ||
      parser.resolveOperands(inputs, type.getInputs(), place, state.operands) ||
      parser.resolveOperands(dependencies, token, state.operands))
    return failure();
  state.addTypes(type.getResults());

  auto &properties = state.getOrAddProperties<NodeOp::Properties>();
  properties.one_to_one = builder.getDenseBoolArrayAttr(oneToOne);
  properties.stream = builder.getDenseBoolArrayAttr(stream);
  properties.operandSegmentSizes = {static_cast<int32_t>(extents.size()),
                                    static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(dependencies.size())};
  return success();
}

void NodeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCalleeAttr();
  const unsigned ordered = orderedDims(*this);
  if (!getExtents().empty())
    printer << '[';
  for (auto [index, extent] : llvm::enumerate(getExtents()))
    printer << (index ? ", " : "") << (ordered >> index & 1 ? "ordered " : "")
            << extent;
  if (!getExtents().empty())
    printer << ']';
  printer << '(';
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    if (index)
      printer << ", ";
    if (isOneToOne(index))
      printer << "one_to_one ";
    if (isStream(index))
      printer << "stream ";
    printer << input;
  }
  printer << ')';
  if (!getDependencies().empty())
    printer << " after(" << getDependencies() << ')';
  if (getNodeName())
    printer << " named(" << getNodeNameAttr() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"callee", "one_to_one", "stream", "node_name",
                                 "operandSegmentSizes", orderedName});
  printer << " : ";
  printer.printFunctionalType(getInputs().getTypes(), getResultTypes());
}

void NodeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults() == 0)
    return;
  // Names of nodes made by transforms contain characters that names of values
  // may not have.
  std::string name = getDisplayName().str();
  std::ranges::replace_if(
      name, [](char c) { return c == '+' || c == '/'; }, '_');
  setName(getResult(0), name);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

unsigned NodeOp::getNumPorts() {
  bool hasToken = getNumResults() != 0 &&
                  isa<TokenType>(getResultTypes()[getNumResults() - 1]);
  return getNumResults() - hasToken;
}

static constexpr llvm::StringLiteral pipelinedName = "dfg.pipelined";

bool NodeOp::isPipelined(unsigned input) {
  auto flags = (*this)->getAttrOfType<DenseBoolArrayAttr>(pipelinedName);
  return flags && flags[input];
}

void NodeOp::setPipelined(ArrayRef<bool> flags) {
  if (llvm::is_contained(flags, true))
    (*this)->setAttr(pipelinedName,
                     DenseBoolArrayAttr::get(getContext(), flags));
  else
    (*this)->removeAttr(pipelinedName);
}

unsigned dfg::orderedDims(NodeOp node) {
  auto flags = node->getAttrOfType<DenseBoolArrayAttr>(orderedName);
  unsigned dims = 0;
  for (unsigned i = 0; flags && i != flags.size(); ++i)
    dims |= unsigned(flags[i]) << i;
  return dims;
}

void dfg::setOrderedDims(NodeOp node, unsigned dims) {
  SmallVector<bool> flags;
  for (unsigned i = 0, e = node.getExtents().size(); i != e; ++i)
    flags.push_back(dims >> i & 1);
  if (llvm::is_contained(flags, true))
    node->setAttr(orderedName,
                  DenseBoolArrayAttr::get(node.getContext(), flags));
  else
    node->removeAttr(orderedName);
}

static LogicalResult verifyDimensions(Operation *op, NamedAttribute named) {
  Attribute attribute = named.getValue();
  auto node = dyn_cast<NodeOp>(op);
  auto flags = dyn_cast<DenseBoolArrayAttr>(attribute);
  if (node && flags && flags.size() == int64_t(node.getExtents().size()))
    return success();
  return op->emitOpError("attribute '")
         << named.getName().getValue()
         << "' needs one flag for each extent of a 'dfg.node'";
}

static constexpr llvm::StringLiteral tiledName = "dfg.tiled";

std::optional<Tiling> sluice::dfg::tilingOf(NodeOp node) {
  auto numbers = node->getAttrOfType<DenseI64ArrayAttr>(tiledName);
  if (!numbers)
    return std::nullopt;
  return Tiling{numbers[0], numbers[1], numbers[2] != 0};
}

void sluice::dfg::setTiling(NodeOp node, const Tiling &tiling) {
  node->setAttr(tiledName, DenseI64ArrayAttr::get(
                               node.getContext(),
                               {tiling.ahead, tiling.behind, tiling.isUsual}));
}

/// The next node in that direction; null if there is none.
static NodeOp neighbourOf(NodeOp node, bool isAfter) {
  Operation *op = node;
  do
    op = isAfter ? op->getNextNode() : op->getPrevNode();
  while (op && !isa<NodeOp>(op));
  return dyn_cast_or_null<NodeOp>(op);
}

bool sluice::dfg::isInTile(NodeOp node) {
  NodeOp after = neighbourOf(node, /*isAfter=*/true);
  return tilingOf(node) || (after && tilingOf(after));
}

static LogicalResult verifyTiled(Operation *op, Attribute value) {
  auto node = dyn_cast<NodeOp>(op);
  auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
  if (!node || !numbers || numbers.size() != 3 ||
      llvm::any_of(numbers.asArrayRef(),
                   [](int64_t number) { return number < 0; }))
    return op->emitOpError("attribute '")
           << tiledName << "' needs three numbers, none negative, of a "
           << "'dfg.node'";
  NodeOp before = neighbourOf(node, /*isAfter=*/false);
  if (!before || before.getExtents().empty() || node.getExtents().empty())
    return op->emitOpError("has '")
           << tiledName << "', but it and a node before it are not replicated";
  return success();
}

LogicalResult DFGDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == orderedName)
    return verifyDimensions(op, attribute);
  if (name == usualName)
    return verifyUsual(op, attribute.getValue());
  if (name == tiledName)
    return verifyTiled(op, attribute.getValue());
  if (name == foldsName)
    return verifyFolds(op);
  if (name == temporaryName)
    return verifyTemporary(op, attribute.getValue());
  if (name == givenName)
    return isa<ScalarOp>(op)
               ? success()
               : LogicalResult(op->emitOpError("has '")
                               << name << "', but is no 'dfg.scalar'");
  if (name != pipelinedName)
    return op->emitOpError("has the unknown attribute '") << name << "'";
  auto node = dyn_cast<NodeOp>(op);
  auto flags = dyn_cast<DenseBoolArrayAttr>(attribute.getValue());
  if (!node || !flags || flags.size() != int64_t(node.getInputs().size()))
    return op->emitOpError("attribute '")
           << name << "' needs one flag for each input of a 'dfg.node'";
  for (auto [index, flag] : llvm::enumerate(flags.asArrayRef()))
    if (flag && !node.isOneToOne(index))
      return op->emitOpError("input ") << index << " is marked in '" << name
                                       << "', but is not 'one_to_one'";
  return success();
}

Operation *NodeOp::resolveCallee(SymbolTableCollection &tables) {
  auto graph = (*this)->getParentOfType<GraphOp>();
  Operation *callee =
      tables.lookupNearestSymbolFrom(graph->getParentOp(), getCalleeAttr());
  return isa_and_nonnull<KernelOp, GraphOp>(callee) ? callee : nullptr;
}

Operation *NodeOp::resolveCallee() {
  // Without a table of all symbols, which many nodes would make many times, and
  // without asking each operation for its attributes by name.
  auto graph = (*this)->getParentOfType<GraphOp>();
  StringAttr name = getCalleeAttr().getAttr();
  for (Operation &op : *graph->getBlock()) {
    auto kernel = dyn_cast<KernelOp>(op);
    auto callee = dyn_cast<GraphOp>(op);
    if ((kernel && kernel.getSymNameAttr() == name) ||
        (callee && callee.getSymNameAttr() == name))
      return &op;
  }
  SymbolTableCollection tables; // of a module around it
  return resolveCallee(tables);
}

LogicalResult NodeOp::verify() {
  if (getExtents().size() > 3)
    return emitOpError("has ")
           << getExtents().size() << " extents, but at most 3 are possible";
  if (getOneToOne().size() != getInputs().size() ||
      getStream().size() != getInputs().size())
    return emitOpError("has ")
           << getInputs().size() << " inputs, but " << getOneToOne().size()
           << " one-to-one flags and " << getStream().size() << " stream flags";
  for (Value extent : getExtents()) {
    std::optional<int64_t> known = constantExtent(extent);
    if (known && *known < 0)
      return emitOpError("has the negative extent ") << *known;
  }
  for (auto [index, input] : llvm::enumerate(getInputs()))
    if (input.getDefiningOp() &&
        !isa<NodeOp, UseDatasetOp>(input.getDefiningOp()))
      return emitOpError("input ")
             << index
             << " is computed in the graph; only extents may be, bind an "
                "argument of the graph or let a leaf compute it";
  return success();
}

/// True if the values are equal in every run: the same value, or constants.
static bool areEqualExtents(Value a, Value b, bool &known) {
  known = true;
  if (a == b)
    return true;
  std::optional<int64_t> first = constantExtent(a), second = constantExtent(b);
  known = first && second;
  return known && *first == *second;
}

/// A one-to-one edge joins nodes with equal grids.
static LogicalResult verifyGrids(NodeOp node, unsigned input) {
  auto source = node.getInputs()[input].getDefiningOp<NodeOp>();
  if (!source)
    return node.emitOpError("input ")
           << input
           << " is an argument of the graph and cannot be 'one_to_one': a "
              "bind is always all-to-all";
  auto complain = [&](const Twine &what) {
    InFlightDiagnostic error = node.emitOpError("takes input ")
                               << input << " one-to-one from '"
                               << source.getDisplayName() << "', but " << what
                               << "; use an all-to-all edge or equal grids";
    error.attachNote(source.getLoc())
        << "'" << source.getDisplayName() << "' is created here";
    return error;
  };
  for (NodeOp ordered : {node, source})
    if (orderedDims(ordered))
      return complain("instances of '" + ordered.getDisplayName() +
                      "' run in order");
  unsigned own = node.getExtents().size();
  unsigned others = source.getExtents().size();
  if (own != others)
    return complain("the grids have " + Twine(own) + " and " + Twine(others) +
                    " dimensions");
  for (unsigned i = 0; i != own; ++i) {
    Value a = node.getExtents()[i], b = source.getExtents()[i];
    bool known;
    if (!areEqualExtents(a, b, known) && known)
      return complain("the extents in dimension " + Twine(i) + " are " +
                      Twine(*constantExtent(a)) + " and " +
                      Twine(*constantExtent(b)));
  }
  return success();
}

template <typename OpT>
static LogicalResult verifyPortTypes(NodeOp node, OpT callee) {
  ArrayRef<Type> inputs = callee.getInputTypes();
  if (node.getInputs().size() != inputs.size())
    return node.emitOpError("passes ")
           << node.getInputs().size() << " inputs, but '" << callee.getSymName()
           << "' takes " << inputs.size();
  for (auto [index, value] : llvm::enumerate(node.getInputs()))
    if (value.getType() != inputs[index])
      return node.emitOpError("passes a value of type ")
             << value.getType() << " to input '" << callee.getInputName(index)
             << "' of '" << callee.getSymName() << "', which has type "
             << inputs[index];
  ArrayRef<Type> outputs = callee.getOutputTypes();
  if (node.getNumPorts() != outputs.size())
    return node.emitOpError("has ")
           << node.getNumPorts() << " outputs, but '" << callee.getSymName()
           << "' has " << outputs.size();
  for (auto [index, type] : llvm::enumerate(outputs))
    if (node.getResult(index).getType() != type)
      return node.emitOpError("gives output ")
             << index << " the type " << node.getResult(index).getType()
             << ", but '" << callee.getSymName() << "' has type " << type;
  return success();
}

/// True if a node somewhere below `graph` creates `wanted` again.
static bool contains(GraphOp graph, GraphOp wanted,
                     SymbolTableCollection &tables,
                     llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (!seen.insert(graph).second)
    return false;
  for (NodeOp child : graph.getBody().front().getOps<NodeOp>()) {
    auto callee = dyn_cast_or_null<GraphOp>(child.resolveCallee(tables));
    if (callee && (callee == wanted || contains(callee, wanted, tables, seen)))
      return true;
  }
  return false;
}

LogicalResult NodeOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto parent = (*this)->getParentOfType<GraphOp>();
  if (!parent)
    return emitOpError("must stand in a 'dfg.graph'");
  Operation *callee = resolveCallee(tables);
  if (!callee)
    return emitOpError("names ")
           << getCalleeAttr() << ", which is neither a kernel nor a graph";
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    if (failed(verifyPortTypes(*this, kernel)))
      return failure();
  } else {
    auto graph = cast<GraphOp>(callee);
    llvm::SmallPtrSet<Operation *, 8> seen;
    if (graph == parent || contains(graph, parent, tables, seen))
      return emitOpError("makes graph '")
             << parent.getSymName()
             << "' contain itself; the structure of a graph is finite";
    if (failed(verifyPortTypes(*this, graph)))
      return failure();
  }
  for (unsigned i = 0, e = getInputs().size(); i != e; ++i)
    if (isOneToOne(i) && failed(verifyGrids(*this, i)))
      return failure();
  return success();
}
