//===- LowerArguments.cpp - Edges to arguments ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges at one port are one argument. Only Read: read-only. Read and Write:
// read-write. Discard and Write: overwrite. Reduce: reduce. A task that reads
// the data it reduces into folds into the values themselves: read-write. Data
// that is only discarded or continued orders the task and is not an argument.
//
//===----------------------------------------------------------------------===//

#include "LowerRegions.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using rdir::EdgeKind;

/// True if the two are versions of the same region with the same fields.
static bool isSameRegion(mlir::Operation *a, mlir::Operation *b) {
  if (auto x = dyn_cast<rdir::ScalarOp>(a))
    if (auto y = dyn_cast<rdir::ScalarOp>(b))
      return x.getVariable() == y.getVariable();
  if (auto x = dyn_cast<rdir::RegionOp>(a))
    if (auto y = dyn_cast<rdir::RegionOp>(b))
      return x.getRegionAttr() == y.getRegionAttr() &&
             x.getColorAttr() == y.getColorAttr() &&
             x.getFieldsAttr() == y.getFieldsAttr();
  return false;
}

/// True if the two are versions of different fields of one region.
static bool isOtherFields(mlir::Operation *a, mlir::Operation *b) {
  auto x = dyn_cast<rdir::RegionOp>(a), y = dyn_cast<rdir::RegionOp>(b);
  return x && y && x.getRegionAttr() == y.getRegionAttr() &&
         x.getColorAttr() == y.getColorAttr() && x.getFieldsAttr() &&
         y.getFieldsAttr() &&
         none_of(x.getFieldsAttr(), [&](mlir::Attribute field) {
           return is_contained(y.getFieldsAttr(), field);
         });
}

/// The kinds of the edges to versions of the same fields, and their operators.
static std::set<std::pair<EdgeKind, const void *>>
kindsOf(ArrayRef<NodeEdge> edges, mlir::Operation *data) {
  std::set<std::pair<EdgeKind, const void *>> kinds;
  for (const NodeEdge &edge : edges)
    if (isSameRegion(edge.data, data))
      kinds.insert({edge.kind, edge.reduction.getAsOpaquePointer()});
  return kinds;
}

/// The port of an edge that is stored at its data node: the stated one, that of
/// the same region, or the next.
static unsigned
portFor(const NodeEdge &edge,
        const std::map<unsigned, SmallVector<NodeEdge>> &ports) {
  if (edge.port >= 0)
    return edge.port;
  for (const auto &[port, edges] : ports)
    if (isSameRegion(edges.front().data, edge.data) &&
        edges.front().projection == edge.projection)
      return port;
  return ports.empty() ? 0 : ports.rbegin()->first + 1;
}

static bool hasKind(ArrayRef<NodeEdge> edges,
                    std::initializer_list<EdgeKind> kinds) {
  return any_of(edges, [&](const NodeEdge &edge) {
    return is_contained(kinds, edge.kind);
  });
}

/// Reading and changing elements of one region is one argument, in whatever
/// order the edges appear, unless ports distinguish them.
static void joinReads(std::map<unsigned, SmallVector<NodeEdge>> &ports) {
  auto isFree = [](ArrayRef<NodeEdge> edges) {
    return isa<rdir::RegionOp>(edges.front().data) &&
           all_of(edges, [](const NodeEdge &edge) { return edge.port < 0; });
  };
  SmallVector<unsigned> changed, read;
  for (auto &[port, edges] : ports) {
    bool isChanged = hasKind(edges, {EdgeKind::Write, EdgeKind::Reduce});
    if (isFree(edges) && (isChanged || hasKind(edges, {EdgeKind::Read})))
      (isChanged ? changed : read).push_back(port);
  }
  for (unsigned from : read)
    for (unsigned &to : changed) {
      const NodeEdge &a = ports[from].front(), &b = ports[to].front();
      if (!isSameRegion(a.data, b.data) || a.projection != b.projection)
        continue;
      unsigned first = std::min(from, to), second = std::max(from, to);
      append_range(ports[first], ports[second]);
      ports.erase(second);
      to = first;
      break;
    }
}

/// The edges of a compute node by port: first its own, then those stored at
/// data nodes.
std::map<unsigned, SmallVector<NodeEdge>>
ProgramLowering::edgesByPort(rdir::NodeOpInterface node) {
  std::map<unsigned, SmallVector<NodeEdge>> ports;
  SmallVector<uint32_t> numbers = rdir::edgePorts(node);
  mlir::ArrayAttr projections = node.getProjectionsAttr();
  mlir::ArrayAttr reductions = node.getReductionsAttr();
  unsigned numReductions = 0;
  for (auto [i, code] : enumerate(node.getKinds())) {
    EdgeKind kind = rdir::EdgeCode::decode(code).kind;
    NodeEdge edge{kind, node.getNodes()[i].getDefiningOp(), {}, {}};
    if (kind == EdgeKind::Reduce && reductions)
      edge.reduction = reductions[numReductions++];
    if (kind == EdgeKind::HappensBefore || !edge.data)
      continue;
    if (projections && !mlir::isa<mlir::UnitAttr>(projections[i]))
      edge.projection = projections[i];
    if (node.getPortsAttr())
      edge.port = node.getPortsAttr()[i];
    ports[numbers[i]].push_back(edge);
  }
  for (const NodeEdge &edge : dataEdges.lookup(node))
    ports[portFor(edge, ports)].push_back(edge);
  joinReads(ports);
  return ports;
}

/// True if the arguments share a field, and one of them changes it.
static bool isConflict(const RegionArgument &a, const RegionArgument &b) {
  if (a.privilege == RegionPrivilege::Read &&
      b.privilege == RegionPrivilege::Read)
    return false;
  return any_of(a.fields,
                [&](unsigned field) { return is_contained(b.fields, field); });
}

/// Equal for equal extents.
static std::string textOf(ArrayRef<Extent> extents) {
  std::string text;
  raw_string_ostream out(text);
  for (const Extent &extent : extents) {
    out << extent.constant << ' ' << extent.parameter;
    for (const ExtentTerm &term : extent.terms)
      out << " + " << term.factor << ' ' << term.parameter << ' '
          << term.iteration;
    out << ';';
  }
  return text;
}

/// Rejects a version that is read at two ports: the function would get it
/// through two pointers, and could change data that it sees as constant.
void ProgramLowering::refuseRepeats(rdir::NodeOpInterface node,
                                    const RegionStatement &statement) {
  using Elements =
      std::tuple<unsigned, unsigned, int64_t, std::vector<int64_t>,
                 std::vector<int64_t>, std::string, std::string, std::string>;
  std::map<Elements, std::vector<size_t>> seen;
  for (auto [index, argument] : enumerate(statement.arguments)) {
    if (argument.kind != RegionArgument::Region)
      continue;
    const RegionProjection &by = argument.projection;
    std::vector<size_t> &same =
        seen[{argument.root, argument.partition, argument.color, by.matrix,
              by.offset, by.function, textOf(by.shifts), textOf(by.moduli)}];
    for (size_t other : same)
      if (isConflict(statement.arguments[other], argument)) {
        fail(node) << "arguments " << other << " and " << index << " of "
                   << nodeText(node)
                   << " are the same elements, which it changes; let one "
                      "argument both read and change them";
        return;
      }
    same.push_back(index);
  }
}

void ProgramLowering::lowerArguments(rdir::NodeOpInterface node,
                                     RegionStatement &statement) {
  std::map<unsigned, SmallVector<NodeEdge>> ports = edgesByPort(node);
  for (auto &[port, edges] : ports) {
    bool isDiscarded = any_of(ports, [&](const auto &entry) {
      return any_of(entry.second, [&](const NodeEdge &edge) {
        return edge.kind == EdgeKind::Discard &&
               isSameRegion(edge.data, edges.front().data);
      });
    });
    lowerPort(node, port, edges, isDiscarded, statement);
  }
  if (!isa<rdir::CopyOp>(node.getOperation()))
    refuseRepeats(node, statement);
  findChecks(statement);
}

/// Returns false if the port only orders the node and passes nothing to it.
/// `isDiscarded`: the data is discarded at some port. Otherwise, written data
/// may keep elements, even if other colors are read.
bool ProgramLowering::setPrivilege(rdir::NodeOpInterface node, unsigned port,
                                   ArrayRef<NodeEdge> edges, bool isDiscarded,
                                   RegionArgument &argument) {
  auto has = [&](EdgeKind kind) { return hasKind(edges, {kind}); };
  if (has(EdgeKind::Reduce)) {
    if (has(EdgeKind::Write))
      fail(node) << "argument " << port << " of " << nodeText(node)
                 << " is both reduced into and written; let it do one of them";
    argument.privilege = has(EdgeKind::Read) ? RegionPrivilege::ReadWrite
                                             : RegionPrivilege::Reduce;
    return true;
  }
  if (has(EdgeKind::Write)) {
    bool mayKeep = !isDiscarded && isa<rdir::RegionOp>(edges.front().data);
    argument.privilege = has(EdgeKind::Read) || mayKeep
                             ? RegionPrivilege::ReadWrite
                             : RegionPrivilege::WriteDiscard;
    return true;
  }
  argument.privilege = RegionPrivilege::Read;
  return has(EdgeKind::Read);
}

void ProgramLowering::setRegion(mlir::Operation *data,
                                RegionArgument &argument) {
  if (auto scalar = dyn_cast<rdir::ScalarOp>(data)) {
    argument.kind = RegionArgument::Scalar;
    argument.root = roots.lookup(
        rdir::lookupDeclaration(data, scalar.getVariableAttr(), tables));
    argument.fields = {0};
    return;
  }
  auto region = cast<rdir::RegionOp>(data);
  mlir::Operation *declaration =
      rdir::lookupDeclaration(data, region.getRegionAttr(), tables);
  argument.root = roots.lookup(rdir::rootOf(declaration, tables));
  if (isa<rdir::PartitionOp>(declaration)) {
    argument.partition = partitions.lookup(declaration);
    if (region.getColor())
      argument.color =
          linearColor(data, argument.partition, *region.getColor());
  }
  const RegionRoot &root = program.roots[argument.root];
  mlir::ArrayAttr names = region.getFieldsAttr();
  for (auto [i, field] : enumerate(root.fields))
    if (!names || any_of(names, [&](mlir::Attribute name) {
          return mlir::cast<mlir::StringAttr>(name).getValue() == field.name;
        }))
      argument.fields.push_back(i);
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

static bool haveEqualExtents(ArrayRef<Extent> a, ArrayRef<Extent> b) {
  return a.size() == b.size() && all_of(zip(a, b), [](const auto &pair) {
           const auto &[x, y] = pair;
           return x.parameter == y.parameter && x.constant == y.constant &&
                  x.terms.empty() && y.terms.empty();
         });
}

/// The identity takes coordinates; with equal extents, it can take linear
/// numbers.
static void setIdentity(const RegionStatement &statement,
                        const RegionPartition &partition,
                        RegionProjection &projection) {
  if (haveEqualExtents(statement.domain, partition.colors)) {
    projection.kind = RegionProjection::Identity;
    return;
  }
  projection.kind = RegionProjection::Affine;
  size_t rank = partition.colors.size();
  projection.matrix.assign(rank * rank, 0);
  for (size_t d = 0; d != rank; ++d)
    projection.matrix[d * rank + d] = 1;
  projection.offset.assign(rank, 0);
}

/// The verifier has compared the number of sums with the partition.
void ProgramLowering::setSums(rdir::NodeOpInterface node,
                              ArrayRef<rdir::Sum> sums,
                              const RegionStatement &statement,
                              RegionProjection &projection) {
  const size_t rank = statement.domain.size();
  projection.kind = RegionProjection::Affine;
  projection.matrix.assign(sums.size() * rank, 0);
  for (auto [row, sum] : enumerate(sums)) {
    projection.offset.push_back(sum.constant);
    rdir::Sum shift = sum;
    shift.constant = 0;
    shift.modulus = {};
    erase_if(shift.terms, [&](const rdir::Sum::Term &term) {
      auto coordinate = mlir::dyn_cast<mlir::IntegerAttr>(term.name);
      if (coordinate)
        projection.matrix[row * rank + coordinate.getInt()] = term.factor;
      return bool(coordinate);
    });
    projection.shifts.push_back(sumOf(node, shift));
    projection.moduli.push_back(sum.modulus ? extentOf(node, sum.modulus)
                                            : Extent{});
  }
}

void ProgramLowering::setProjection(rdir::NodeOpInterface node,
                                    mlir::Attribute attribute,
                                    const RegionStatement &statement,
                                    RegionArgument &argument) {
  if (statement.domain.empty() || argument.partition == noIndex ||
      argument.color >= 0)
    return;
  RegionProjection &projection = argument.projection;
  const RegionPartition &partition = program.partitions[argument.partition];
  if (auto sums = rdir::readSums(attribute))
    return setSums(node, *sums, statement, projection);
  auto map = mlir::dyn_cast_or_null<mlir::AffineMapAttr>(attribute);
  bool isIdentity = !attribute || (map && map.getValue().isIdentity());
  size_t rank = isIdentity ? statement.domain.size()
                : map      ? map.getValue().getNumResults()
                           : partition.colors.size();
  if (rank != partition.colors.size() ||
      (map && map.getValue().getNumInputs() != statement.domain.size())) {
    fail(node) << "the projection to '@" << partition.name << "' of "
               << nodeText(node) << " gives " << rank
               << " indices for a point of " << statement.domain.size()
               << ", but the partition's colors have "
               << partition.colors.size();
    return;
  }
  if (isIdentity)
    return setIdentity(statement, partition, projection);
  if (map) {
    projection.kind = RegionProjection::Affine;
    rdir::LinearMap linear = *rdir::linearMap(map.getValue());
    projection.matrix = std::move(linear.matrix);
    projection.offset = std::move(linear.offset);
    return;
  }
  if (auto function = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(attribute)) {
    projection.kind = RegionProjection::Function;
    projection.function = function.getValue();
  }
  // The string "whole": all colors at each point.
}

void ProgramLowering::setReduction(rdir::NodeOpInterface node,
                                   mlir::Attribute reduction,
                                   RegionArgument &argument) {
  const RegionRoot &root = program.roots[argument.root];
  if (argument.fields.empty()) // the root has none
    return;
  const RegionField &first = root.fields[argument.fields.front()];
  for (unsigned index : argument.fields)
    if (root.fields[index].type != first.type)
      fail(node) << "one reduction of " << nodeText(node) << " has fields '"
                 << first.name << "' and '" << root.fields[index].name
                 << "' of '@" << root.name
                 << "', whose types differ; reduce to a region of each type";
  argument.reduction = reductionOf(node, reduction, first.type);
}

void ProgramLowering::lowerPort(rdir::NodeOpInterface node, unsigned port,
                                ArrayRef<NodeEdge> edges, bool isDiscarded,
                                RegionStatement &statement) {
  const NodeEdge &first = edges.front();
  // Different fields of one region may have versions of their own.
  SmallVector<mlir::Operation *> others;
  for (const NodeEdge &edge : edges.drop_front())
    if (edge.projection == first.projection &&
        isOtherFields(edge.data, first.data) &&
        kindsOf(edges, edge.data) == kindsOf(edges, first.data)) {
      others.push_back(edge.data);
    } else if (!isSameRegion(edge.data, first.data) ||
               edge.projection != first.projection) {
      auto error = fail(node);
      error << "port " << port << " of " << nodeText(node)
            << " joins different regions, fields or projections";
      error.attachNote(first.data->getLoc()) << "one is here";
      error.attachNote(edge.data->getLoc()) << "the other is here";
      return;
    }
  RegionArgument argument;
  if (!setPrivilege(node, port, edges, isDiscarded, argument))
    return;
  setRegion(first.data, argument);
  for (mlir::Operation *other : others)
    setRegion(other, argument);
  llvm::sort(argument.fields);
  argument.fields.erase(llvm::unique(argument.fields), argument.fields.end());
  setProjection(node, first.projection, statement, argument);
  for (const NodeEdge &edge : edges)
    if (edge.kind == EdgeKind::Reduce)
      setReduction(node, edge.reduction, argument);
  if (auto coherence = node->getAttrOfType<mlir::DenseI8ArrayAttr>("coherence"))
    if (port < coherence.size())
      argument.coherence = Coherence(coherence[port]);
  statement.arguments.push_back(std::move(argument));
}

//===----------------------------------------------------------------------===//
// Checks at run time
//===----------------------------------------------------------------------===//

/// Whether the rank of an integer matrix equals its number of columns, by
/// elimination without division. Wrap-around can only reduce the rank: zeros
/// stay zero.
static bool isInjective(const RegionProjection &projection, size_t numDims) {
  using Number = unsigned __int128;
  std::vector<std::vector<Number>> rows;
  for (size_t r = 0; r != projection.offset.size(); ++r)
    rows.emplace_back(projection.matrix.begin() + r * numDims,
                      projection.matrix.begin() + (r + 1) * numDims);
  size_t rank = 0;
  for (size_t d = 0; d != numDims && rank < rows.size(); ++d) {
    auto pivot = std::find_if(rows.begin() + rank, rows.end(),
                              [&](const auto &row) { return row[d] != 0; });
    if (pivot == rows.end())
      return false;
    std::swap(*pivot, rows[rank]);
    for (size_t r = rank + 1; r < rows.size(); ++r) {
      Number factor = rows[r][d], divisor = rows[rank][d];
      for (size_t c = 0; c != numDims; ++c)
        rows[r][c] = rows[r][c] * divisor - rows[rank][c] * factor;
    }
    ++rank;
  }
  return rank == numDims;
}

static bool isEqual(const RegionProjection &a, const RegionProjection &b) {
  // Whether shifts are equal is not compared: at worst, a check is superfluous.
  return a.kind == b.kind && a.matrix == b.matrix && a.offset == b.offset &&
         a.function == b.function && a.shifts.empty() && b.shifts.empty();
}

static bool sharesField(const RegionArgument &a, const RegionArgument &b) {
  return any_of(a.fields,
                [&](unsigned field) { return is_contained(b.fields, field); });
}

/// The checks decide everything about affine maps of constant domains.
static bool isDecided(const RegionStatement &statement,
                      const RegionPartition &partition,
                      const RegionProjection &projection) {
  return projection.kind != RegionProjection::Function &&
         projection.shifts.empty() && isConstant(statement.domain) &&
         isConstant(partition.colors);
}

void ProgramLowering::findChecks(RegionStatement &statement) {
  for (RegionArgument &argument : statement.arguments) {
    RegionProjection &projection = argument.projection;
    bool isReduced = argument.privilege == RegionPrivilege::Reduce;
    if (!(isWritten(argument) || isReduced) ||
        projection.kind == RegionProjection::Whole)
      continue;
    const RegionPartition &partition = program.partitions[argument.partition];
    bool decided = isDecided(statement, partition, projection);
    bool apart =
        projection.kind == RegionProjection::Identity ||
        (projection.kind == RegionProjection::Affine &&
         none_of(projection.moduli,
                 [](const Extent &modulus) {
                   return modulus.constant != 0 || modulus.parameter != noIndex;
                 }) &&
         isInjective(projection, statement.domain.size()));
    projection.needsCheck = !decided && !apart && !isReduced;
    for (const RegionArgument &other : statement.arguments)
      if (&other != &argument && other.partition == argument.partition &&
          other.projection.kind != RegionProjection::Whole &&
          sharesField(argument, other) &&
          !isEqual(projection, other.projection) &&
          !(isReduced && other.privilege == RegionPrivilege::Reduce &&
            other.reduction == argument.reduction) &&
          !(decided && isDecided(statement, partition, other.projection)))
        projection.needsCheck = true;
  }
}
