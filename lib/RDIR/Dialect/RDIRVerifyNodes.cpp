//===- RDIRVerifyNodes.cpp - Verifies the nodes of graphs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors in a single node are reported when the module is read, so that checks
// of whole graphs can rely on valid nodes.
//
//===----------------------------------------------------------------------===//

#include "RDIRSums.h"
#include "RDIRVerify.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sluice::rdir;

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static LogicalResult verifyOperators(NodeOpInterface node, size_t numReduce) {
  ArrayAttr operators = node.getReductionsAttr();
  size_t count = operators ? operators.size() : 0;
  if (count != numReduce)
    return node.emitOpError("has ")
           << numReduce << " Reduce edges, but " << count << " operators";
  if (!operators)
    return success();
  static const StringRef known[] = {"+", "*", "min", "max", "and", "or", "xor"};
  for (Attribute op : operators) {
    auto text = dyn_cast<StringAttr>(op);
    if (!isa<FlatSymbolRefAttr>(op) &&
        !(text && llvm::is_contained(known, text.getValue())))
      return node.emitOpError("has the operator ")
             << op << R"(, expected "+", "*", "min", "max", "and", "or", "xor")"
             << " or the name of a reduction";
  }
  return success();
}

/// An affine expression that is a sum of dimensions times numbers.
static bool isLinear(AffineExpr expr) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (expr.getKind() == AffineExprKind::Add)
      return isLinear(binary.getLHS()) && isLinear(binary.getRHS());
    return expr.getKind() == AffineExprKind::Mul &&
           isa<AffineConstantExpr>(binary.getRHS()) &&
           isLinear(binary.getLHS());
  }
  return !isa<AffineSymbolExpr>(expr);
}

static LogicalResult verifyProjection(NodeOpInterface node, Attribute attr) {
  if (isa<UnitAttr, FlatSymbolRefAttr>(attr))
    return success();
  if (auto text = dyn_cast<StringAttr>(attr); text && text == "whole")
    return success();
  if (readSums(attr))
    return success();
  auto map = dyn_cast<AffineMapAttr>(attr);
  if (!map)
    return node.emitOpError("has the projection ")
           << attr << ", expected an affine map, sums, the name of a function, "
           << "\"whole\" or unit";
  if (map.getValue().getNumSymbols() ||
      !llvm::all_of(map.getValue().getResults(), isLinear))
    return node.emitOpError("has the projection ")
           << attr
           << ", which is not a sum of multiples of the point's numbers; use "
              "'by @function'";
  if (!linearMap(map.getValue()))
    return node.emitOpError("has the projection ")
           << attr << ", whose numbers must be between -2^62 and 2^62";
  return success();
}

static LogicalResult verifyEdgeLists(NodeOpInterface node) {
  size_t numEdges = node.getNodes().size(), numReduce = 0;
  if (node.getKinds().size() != numEdges)
    return node.emitOpError("has ")
           << numEdges << " edges, but " << node.getKinds().size() << " kinds";
  for (int8_t code : node.getKinds()) {
    if (!EdgeCode::isValid(code))
      return node.emitOpError("has the unknown kind of edge ") << int(code);
    numReduce += EdgeCode::decode(code).kind == EdgeKind::Reduce;
  }
  if (failed(verifyOperators(node, numReduce)))
    return failure();
  if (ArrayAttr projections = node.getProjectionsAttr()) {
    if (projections.size() != numEdges)
      return node.emitOpError("has ") << numEdges << " edges, but "
                                      << projections.size() << " projections";
    for (Attribute projection : projections)
      if (failed(verifyProjection(node, projection)))
        return failure();
  }
  DenseI32ArrayAttr ports = node.getPortsAttr();
  if (ports && ports.size() != int64_t(numEdges))
    return node.emitOpError("has ")
           << numEdges << " edges, but " << ports.size() << " ports";
  if (ports && llvm::any_of(ports.asArrayRef(), [](int32_t port) {
        return port < -1 || port == INT32_MAX;
      }))
    return node.emitOpError("has a port that is no number of an argument");
  return success();
}

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

template <typename OpT> static LogicalResult verifyClauses(OpT op) {
  constexpr bool isCall =
      std::is_same_v<OpT, TaskOp> || std::is_same_v<OpT, HostOp>;
  constexpr bool isLaunchable = std::is_same_v<OpT, TaskOp> ||
                                std::is_same_v<OpT, CopyOp> ||
                                std::is_same_v<OpT, FillOp>;
  ArrayAttr over = op.getOverAttr();
  if (over && !isLaunchable)
    return op.emitOpError("cannot be launched; only tasks, copies and fills "
                          "have 'over'");
  if (over && failed(verifyExtents(op, over, ExtentsOf::Launch)))
    return failure();
  if (!isCall && op.getConstantsAttr())
    return op.emitOpError("calls no function, and so cannot have 'with'");
  if (!isCall && op.getCoherenceAttr())
    return op.emitOpError("calls no function, and so cannot have 'coherence'");
  if (std::optional<ArrayRef<int8_t>> coherence = op.getCoherence())
    for (int8_t value : *coherence)
      if (!symbolizeCoherence(value) || value < 0)
        return op.emitOpError("has the unknown coherence ") << int(value);
  if (ArrayAttr constants = op.getConstantsAttr())
    for (Attribute constant : constants) {
      auto typed = dyn_cast<TypedAttr>(constant);
      bool isNumber = isa<IntegerAttr, FloatAttr>(constant) &&
                      isElementType(typed.getType());
      if (!isNumber && !isa<FlatSymbolRefAttr, StringAttr>(constant))
        return op.emitOpError("has ")
               << constant << " in 'with', expected numbers of type i8, i16, "
               << "i32, i64, f32 or f64, names of parameters and iterations";
    }
  return success();
}

static LogicalResult verifyFill(FillOp op) {
  if (!isElementType(op.getValue().getType()) ||
      !isa<IntegerAttr, FloatAttr>(op.getValue()))
    return op.emitOpError("fills with ")
           << op.getValue()
           << ", expected a number of type i8, i16, i32, i64, f32 or f64";
  return success();
}

/// What the text calls `if` and `else`.
static bool isChoice(LoopOp op) {
  mlir::Block &body = op.getBody().front();
  if (!runsOnce(op) || op.getConditionAttr() ||
      body.getOperations().size() != 2)
    return false;
  auto isPart = [](Operation &op, bool isUnless) {
    auto loop = dyn_cast<LoopOp>(op);
    return loop && runsOnce(loop) && loop.getConditionAttr() &&
           loop->getNumOperands() == 0 &&
           loop->hasAttr(unlessAttribute) == isUnless &&
           !loop->hasAttr(choiceAttribute) && loop->use_empty();
  };
  return isPart(body.front(), false) && isPart(body.back(), true) &&
         cast<LoopOp>(body.front()).getConditionAttr() ==
             cast<LoopOp>(body.back()).getConditionAttr();
}

static LogicalResult verifyLoop(LoopOp op) {
  Attribute count = op.getCountAttr();
  if (Attribute attribute = op->getAttr(iterationAttribute)) {
    auto name = dyn_cast<StringAttr>(attribute);
    if (!name || name.getValue().empty() ||
        !llvm::all_of(name.getValue(), [](char c) {
          return llvm::isAlnum(c) || StringRef("_$.-").contains(c);
        }))
      return op.emitOpError("has ") << attribute << " as the name of its "
                                    << "iteration, which is no name";
    if (op.getConditionAttr())
      return op.emitOpError("names its iteration '%")
             << name.getValue() << "', but has the condition "
             << op.getConditionAttr()
             << "; count the iterations in a variable, or give their number "
                "only";
    if (loopOfIteration(op, name))
      return op.emitOpError("names its iteration '%")
             << name.getValue() << "', like a loop around it";
  }
  if (op->hasAttr(unlessAttribute) && (!op.getConditionAttr() || !runsOnce(op)))
    return op.emitOpError("has 'unless', but not one iteration and a variable "
                          "that decides about it");
  if (op->hasAttr(choiceAttribute) && !isChoice(op))
    return op.emitOpError("has 'else', but its body is not a loop with 'if' "
                          "followed by one with 'unless'");
  if (!count && !op.getConditionAttr())
    return op.emitOpError("has no end: give a number of iterations, or 'while' "
                          "and a variable");
  if (!count || isa<FlatSymbolRefAttr>(count))
    return success();
  if (isa<ArrayAttr>(count))
    if (std::optional<Sum> sum = readSum(count); sum && !sum->modulus)
      return success();
  auto number = dyn_cast<IntegerAttr>(count);
  if (!number || !number.getType().isInteger(64) || number.getInt() < 0)
    return op.emitOpError("has the number of iterations ")
           << count << ", expected a number that is not negative, the name "
           << "of a parameter, or a sum of them";
  return success();
}

/// The regions that a node names in place of versions; the names in them are
/// looked up when the versions are inferred.
static LogicalResult verifyMentions(NodeOpInterface node) {
  Attribute attribute = node->getAttr(mentionsAttribute);
  if (!attribute)
    return success();
  auto refuse = [&] {
    return node.emitOpError("has ") << attribute << " as what it names";
  };
  auto mentions = dyn_cast<ArrayAttr>(attribute);
  if (!mentions || !isCompute(node.getNodeKind()))
    return refuse();
  for (Attribute element : mentions) {
    auto entry = dyn_cast<DictionaryAttr>(element);
    auto edge = entry ? entry.getAs<IntegerAttr>(mention::edge) : IntegerAttr();
    if (!edge || !edge.getType().isInteger(8) || edge.getInt() < 0 ||
        edge.getInt() > int(EdgeKind::Continues) ||
        !entry.getAs<FlatSymbolRefAttr>(mention::region) ||
        !entry.getAs<LocationAttr>(mention::place))
      return refuse();
    auto color = entry.get(mention::color);
    auto fields = entry.get(mention::fields);
    auto reduction = entry.get(mention::reduction);
    Attribute projection = entry.get(mention::projection);
    auto names = dyn_cast_or_null<ArrayAttr>(fields);
    if ((color && (!isa<DenseI64ArrayAttr>(color) || projection ||
                   cast<DenseI64ArrayAttr>(color).empty())) ||
        (fields && (!names || names.empty() ||
                    !llvm::all_of(names, llvm::IsaPred<StringAttr>))) ||
        bool(reduction) != (EdgeKind(edge.getInt()) == EdgeKind::Reduce) ||
        (reduction && !isa<StringAttr, FlatSymbolRefAttr>(reduction)))
      return refuse();
    if (projection && failed(verifyProjection(node, projection)))
      return failure();
  }
  return success();
}

LogicalResult sluice::rdir::verifyNode(NodeOpInterface node) {
  if (failed(verifyEdgeLists(node)) || failed(verifyMentions(node)))
    return failure();
  return TypeSwitch<Operation *, LogicalResult>(node.getOperation())
      .Case<TaskOp, OpenOp, CloseOp, CopyOp, HostOp, MustEpochOp>(
          [](auto op) { return verifyClauses(op); })
      .Case<FillOp>([](FillOp op) {
        return failed(verifyClauses(op)) ? failure() : verifyFill(op);
      })
      .Case<LoopOp>([](LoopOp op) {
        return failed(verifyClauses(op)) ? failure() : verifyLoop(op);
      })
      .Default([](Operation *) { return success(); });
}

LogicalResult sluice::rdir::verifyBody(mlir::Region &body) {
  if (body.front().getNumArguments())
    return body.getParentOp()->emitOpError("has a body with arguments; nodes "
                                           "of the body stand for its data");
  for (Operation &op : body.front())
    if (!isa<NodeOpInterface>(op))
      return op.emitOpError("may not stand in a graph, which holds nodes only");
  return success();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The fields that a data node names are different fields of its root.
static LogicalResult verifyFieldNames(RegionOp op, ArrayAttr fields,
                                      SymbolTableCollection &tables) {
  auto root = dyn_cast_or_null<RootOp>(
      rootOf(lookupDeclaration(op, op.getRegionAttr(), tables), tables));
  if (!root)
    return success(); // An invalid partition is reported at its own location.
  uint64_t seen = 0;
  ArrayRef<Attribute> known = root.getFieldNames().getValue();
  if (fields.empty())
    return op.emitOpError("names no field");
  for (Attribute field : fields) {
    size_t index = llvm::find(known, field) - known.begin();
    if (index == known.size())
      return op.emitOpError("names field ")
             << field << ", which root '" << root.getSymName()
             << "' does not have";
    if (seen >> index & 1)
      return op.emitOpError("names field ") << field << " twice";
    seen |= uint64_t(1) << index;
  }
  return success();
}

/// Types of the fields that a data node has, without vectors.
static SmallVector<Type> fieldTypes(Operation *data,
                                    SymbolTableCollection &tables) {
  SmallVector<Type> types;
  Operation *root = nullptr;
  ArrayAttr fields;
  if (auto scalar = dyn_cast_or_null<ScalarOp>(data)) {
    root = lookupDeclaration(data, scalar.getVariableAttr(), tables);
  } else if (auto region = dyn_cast_or_null<RegionOp>(data)) {
    root =
        rootOf(lookupDeclaration(data, region.getRegionAttr(), tables), tables);
    fields = region.getFieldsAttr();
  }
  if (auto variable = dyn_cast_or_null<VariableOp>(root))
    types.push_back(variable.getValue().getType());
  if (auto array = dyn_cast_or_null<RootOp>(root))
    for (auto [name, type] :
         llvm::zip(array.getFieldNames(), array.getFieldTypes()))
      if (!fields || llvm::is_contained(fields, name))
        types.push_back(getElementTypeOrSelf(cast<TypeAttr>(type).getValue()));
  return types;
}

/// Operators of reductions exist and fit the types.
static LogicalResult verifyReductionNames(NodeOpInterface node,
                                          SymbolTableCollection &tables) {
  ArrayAttr operators = node.getReductionsAttr();
  unsigned numReduce = 0;
  for (auto [index, code] : llvm::enumerate(node.getKinds())) {
    if (EdgeCode::decode(code).kind != EdgeKind::Reduce)
      continue;
    Attribute op = operators[numReduce++];
    Operation *data = isCompute(node.getNodeKind())
                          ? node.getNodes()[index].getDefiningOp()
                          : node.getOperation();
    Type needed;
    bool isBitwise = false;
    if (auto name = dyn_cast<FlatSymbolRefAttr>(op)) {
      auto reduction =
          dyn_cast_or_null<ReductionOp>(lookupDeclaration(node, name, tables));
      if (!reduction)
        return node.emitOpError("names ")
               << name << ", which is not a reduction of the module";
      needed = reduction.getIdentity().getType();
    } else {
      StringRef text = cast<StringAttr>(op).getValue();
      isBitwise = text == "and" || text == "or" || text == "xor";
    }
    if (!needed && !isBitwise)
      continue;
    for (Type type : fieldTypes(data, tables))
      if (needed ? type != needed : !isa<IntegerType>(type)) {
        InFlightDiagnostic error = node.emitOpError("reduces with ")
                                   << op << " into elements of type " << type
                                   << ", but the operator is on ";
        if (needed)
          error << needed;
        else
          error << "integers";
        return error;
      }
  }
  return success();
}

/// The partition of which a data node is a version as a whole; null if there is
/// none.
static PartitionOp wholePartition(Operation *data,
                                  SymbolTableCollection &tables) {
  auto region = dyn_cast_or_null<RegionOp>(data);
  if (!region || region.getColorAttr())
    return nullptr;
  return dyn_cast_or_null<PartitionOp>(
      lookupDeclaration(data, region.getRegionAttr(), tables));
}

/// The projection of an edge leads from the points of its compute node's launch
/// to the colors of its data node's partition.
static LogicalResult verifyEdgeProjection(NodeOpInterface node, unsigned index,
                                          SymbolTableCollection &tables) {
  ArrayAttr projections = node.getProjectionsAttr();
  Attribute projection = projections ? projections[index] : Attribute();
  bool isDefault = !projection || isa<UnitAttr>(projection);
  auto other =
      dyn_cast_or_null<NodeOpInterface>(node.getNodes()[index].getDefiningOp());
  if (!other || isCompute(node.getNodeKind()) == isCompute(other.getNodeKind()))
    return isDefault ? success()
                     : node.emitOpError("gives edge ")
                           << index << " a projection, but the edge does not "
                           << "join data and computation";
  bool computes = isCompute(node.getNodeKind());
  NodeOpInterface compute = computes ? node : other;
  NodeOpInterface data = computes ? other : node;
  ArrayAttr over = compute.getOverAttr();
  if (!over)
    return isDefault ? success()
                     : node.emitOpError("gives edge ")
                           << index << " a projection, but the computation is "
                           << "not launched: there is no 'over'";
  PartitionOp partition = wholePartition(data, tables);
  bool isWhole = projection && isa<StringAttr>(projection);
  if (!partition)
    return isDefault || isWhole ? success()
                                : node.emitOpError("gives edge ")
                                      << index
                                      << " a projection, but its data is not a "
                                      << "partition as a whole";
  if (isWhole)
    return success();
  size_t numDims = over.size(), numColorDims = partition.getColors().size();
  if (auto sums = readSums(projection)) {
    if (sums->size() != numColorDims)
      return node.emitOpError("gives edge ")
             << index << " a projection to " << sums->size()
             << " numbers, but colors of '" << partition.getSymName()
             << "' have " << numColorDims;
    for (const Sum &sum : *sums)
      if (failed(verifySumNames(compute, sum, numDims, tables)))
        return failure();
    return success();
  }
  if (isDefault && numDims != numColorDims)
    return node.emitOpError("is launched over ")
           << numDims << " dimensions, but partition '"
           << partition.getSymName() << "' of edge " << index
           << " has colors with " << numColorDims
           << "; say with 'by' which color a point has, or 'whole'";
  auto map = projection ? dyn_cast<AffineMapAttr>(projection) : AffineMapAttr();
  if (map && (map.getValue().getNumDims() != numDims ||
              map.getValue().getNumResults() != numColorDims))
    return node.emitOpError("gives edge ")
           << index << " a projection from " << map.getValue().getNumDims()
           << " to " << map.getValue().getNumResults()
           << " numbers, but points have " << numDims << " and colors of '"
           << partition.getSymName() << "' have " << numColorDims;
  return success();
}

/// Verifies edges from a node to itself, and edges of data nodes and of
/// launches.
static LogicalResult verifyEdges(NodeOpInterface node,
                                 SymbolTableCollection &tables) {
  if (node.getReductionsAttr() && failed(verifyReductionNames(node, tables)))
    return failure();
  // The edge of a data node may lead to a launch as well.
  if (!node.getOverAttr() && !node.getProjectionsAttr() &&
      isCompute(node.getNodeKind()))
    return success();
  for (unsigned i = 0, e = node.getNodes().size(); i != e; ++i)
    if (failed(verifyEdgeProjection(node, i, tables)))
      return failure();
  return success();
}

static LogicalResult
verifyCallSymbols(NodeOpInterface node, ArrayAttr constants,
                  std::optional<ArrayRef<int8_t>> coherence,
                  SymbolTableCollection &tables) {
  if (constants)
    for (Attribute constant : constants)
      if (auto name = dyn_cast<FlatSymbolRefAttr>(constant))
        if (!isa_and_nonnull<ParameterOp>(
                lookupDeclaration(node, name, tables)))
          return node.emitOpError("names ")
                 << name << " in 'with', which is not a parameter of the "
                 << "module";
  if (constants)
    for (Attribute constant : constants)
      if (auto name = dyn_cast<StringAttr>(constant))
        if (!loopOfIteration(node, name))
          return node.emitOpError("names the iteration '%")
                 << name.getValue()
                 << "' in 'with', but no loop around it has that name";
  // The ports of what is only mentioned are not known yet.
  if (node->hasAttr(mentionsAttribute))
    return success();
  if (!coherence)
    return success();
  uint32_t numPorts = 0;
  for (auto [port, code] : llvm::zip(edgePorts(node), node.getKinds()))
    if (EdgeCode::decode(code).kind != EdgeKind::HappensBefore)
      numPorts = std::max(numPorts, port + 1);
  if (coherence->size() != numPorts)
    return node.emitOpError("has ")
           << numPorts << " ports, but " << coherence->size()
           << " entries in 'coherence'";
  return success();
}

static LogicalResult verifyFillSymbols(FillOp op,
                                       SymbolTableCollection &tables) {
  for (auto [node, code] : llvm::zip(op.getNodes(), op.getKinds())) {
    if (EdgeCode::decode(code).kind != EdgeKind::Write)
      continue;
    for (Type type : fieldTypes(node.getDefiningOp(), tables))
      if (type != op.getValue().getType())
        return op.emitOpError("fills with a number of type ")
               << op.getValue().getType() << ", but an element has type "
               << type;
  }
  return success();
}

static LogicalResult verifyLoopSymbols(LoopOp op,
                                       SymbolTableCollection &tables) {
  if (std::optional<Sum> sum = readSum(op.getCountAttr()))
    if (failed(verifySumNames(op, *sum, /*numDims=*/0, tables)))
      return failure();
  FlatSymbolRefAttr condition = op.getConditionAttr();
  if (!condition)
    return success();
  auto variable =
      dyn_cast_or_null<VariableOp>(lookupDeclaration(op, condition, tables));
  if (!variable || !isa<IntegerType>(variable.getValue().getType()))
    return op.emitOpError("tests ")
           << condition << ", which is not an integer variable of the module";
  return success();
}

LogicalResult sluice::rdir::verifyNodeSymbols(NodeOpInterface node,
                                              SymbolTableCollection &tables) {
  LogicalResult own =
      TypeSwitch<Operation *, LogicalResult>(node.getOperation())
          .Case<RegionOp>([&](RegionOp op) -> LogicalResult {
            if (failed(verifyRegionName(op, op.getRegionAttr(),
                                        op.getColorAttr(), tables)))
              return failure();
            ArrayAttr fields = op.getFieldsAttr();
            return fields ? verifyFieldNames(op, fields, tables) : success();
          })
          .Case<ScalarOp>([&](ScalarOp op) -> LogicalResult {
            if (isa_and_nonnull<VariableOp>(
                    lookupDeclaration(op, op.getVariableAttr(), tables)))
              return success();
            return op.emitOpError("names ")
                   << op.getVariableAttr()
                   << ", which is not a variable of the module";
          })
          .Case<TaskOp, HostOp>([&](auto op) {
            return verifyCallSymbols(op, op.getConstantsAttr(),
                                     op.getCoherence(), tables);
          })
          .Case<FillOp>(
              [&](FillOp op) { return verifyFillSymbols(op, tables); })
          .Case<LoopOp>(
              [&](LoopOp op) { return verifyLoopSymbols(op, tables); })
          .Default([](Operation *) { return success(); });
  if (failed(own))
    return failure();
  if (ArrayAttr over = node.getOverAttr())
    if (failed(verifyExtentSymbols(node, over, tables)))
      return failure();
  return verifyEdges(node, tables);
}
