//===- InferVersions.cpp - From regions to their versions -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each body, innermost first: the nodes and the regions that they name
// become a program (SequentialProgram.h), whose graph has the versions, opens
// and closes. Then the nodes get edges to these. A loop or must-epoch accesses
// the roots of everything that its body accesses.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/InferVersions.h"
#include "ImportGraph.h"
#include "MentionedArguments.h"
#include "mlir/IR/Verifier.h"
#include "sluice/RDIR/SequentialProgram.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// What a body does to the fields of a root.
struct RootAccess {
  FieldMask read = 0, changed = 0;
  Location place;
};
using RootAccesses = llvm::MapVector<RegionIndex, RootAccess>;

/// One body.
class BodyInference {
public:
  BodyInference(MentionReader &mentions, ModuleImporter &importer,
                const ImportedModule &module)
      : mentions(mentions), importer(importer), module(module) {}

  /// Reads the body and the bodies nested in it. Nothing changes yet.
  LogicalResult read(Block &body);
  /// Replaces what the nodes name by versions.
  void write();

  const RootAccesses &accesses() const { return summary; }

private:
  LogicalResult readNode(NodeOpInterface node);
  void readNested(NodeOpInterface node, const BodyInference &nested);
  LogicalResult checkChoice(LoopOp choice, const BodyInference &inner);
  void summarize(const MentionedArgument &argument);
  LogicalResult checkApart(NodeOpInterface node,
                           ArrayRef<MentionedArgument> arguments);
  void addTask(NodeOpInterface node, std::vector<MentionedArgument> arguments);
  std::vector<uint32_t> tasksOfNodes(const Graph &graph) const;
  Location placeOf(const Graph &graph, NodeIndex index, uint32_t task) const;
  Operation *addData(const Graph &graph, NodeIndex index, Location place);
  Operation *addMove(NodeKind kind, Location place);
  void setEdges(const Graph &graph, NodeIndex index, Operation *op,
                const std::vector<MentionedArgument> *arguments);

  MentionReader &mentions;
  ModuleImporter &importer;
  const ImportedModule &module;
  Block *body = nullptr;
  SequentialProgram program;
  /// By task.
  std::vector<NodeOpInterface> nodes;
  std::vector<std::vector<MentionedArgument>> argumentsOf;
  std::vector<std::unique_ptr<BodyInference>> nested;
  RootAccesses summary;
  /// While writing: the operation of each node, and numbers for names.
  std::vector<Operation *> operations;
  std::vector<NodeIndex> nodesOfTasks;
  llvm::StringMap<unsigned> numbers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool isChange(Privilege privilege) {
  return privilege != Privilege::Read;
}

void BodyInference::summarize(const MentionedArgument &argument) {
  RegionIndex root = module.forest.root(argument.region);
  auto [entry, isNew] = summary.insert({root, {0, 0, argument.place}});
  (isChange(argument.privilege) ? entry->second.changed : entry->second.read) |=
      argument.fields;
}

/// Two arguments that change the same fields of one region, through different
/// projections, and not both by writing or with one operator: these make one
/// version together.
static bool needTwoVersions(const MentionedArgument &a,
                            const MentionedArgument &b) {
  return a.region == b.region && (a.fields & b.fields) &&
         isChange(a.privilege) && isChange(b.privilege) &&
         a.reduction != b.reduction;
}

/// A version of one argument would be closed for that of another.
LogicalResult BodyInference::checkApart(NodeOpInterface node,
                                        ArrayRef<MentionedArgument> arguments) {
  for (auto [i, a] : llvm::enumerate(arguments))
    for (const MentionedArgument &b : arguments.take_front(i)) {
      if (needTwoVersions(a, b)) {
        InFlightDiagnostic error =
            emitError(a.place)
            << mentions.nameOf(node) << " changes '"
            << module.forest.name(a.region)
            << "' through two projections in two ways; let it write both, "
               "reduce both with one operator, or let two tasks change them "
               "[D1]";
        error.attachNote(b.place) << "the other one is here";
        return failure();
      }
      if ((!isChange(a.privilege) && !isChange(b.privilege)) ||
          a.region == b.region || !(a.fields & b.fields) ||
          !module.forest.mayAlias(a.region, b.region))
        continue;
      InFlightDiagnostic error =
          emitError(a.place)
          << '\'' << module.forest.name(a.region) << "' and '"
          << module.forest.name(b.region)
          << "' may share elements, and one of them is changed; let "
          << mentions.nameOf(node)
          << " name one region that covers both, or other fields"
          << disjointHint(module.forest, a.region, b.region) << " [T2]";
      error.attachNote(b.place) << "the other one is here";
      return failure();
    }
  return success();
}

void BodyInference::addTask(NodeOpInterface node,
                            std::vector<MentionedArgument> arguments) {
  ProgramTask &task = program.tasks.emplace_back();
  task.kind = node.getNodeKind();
  for (const MentionedArgument &argument : arguments)
    task.arguments.push_back({.region = argument.region,
                              .privilege = argument.privilege,
                              .fields = argument.fields,
                              .reduction = argument.reductionIndex});
  nodes.push_back(node);
  argumentsOf.push_back(std::move(arguments));
}

/// A condition is read before each iteration.
void BodyInference::readNested(NodeOpInterface node,
                               const BodyInference &inner) {
  std::vector<MentionedArgument> arguments;
  RootAccesses accesses = inner.accesses();
  auto loop = dyn_cast<LoopOp>(node.getOperation());
  if (FlatSymbolRefAttr condition =
          loop ? loop.getConditionAttr() : FlatSymbolRefAttr()) {
    auto [entry, isNew] = accesses.insert(
        {importer.region(condition, {}), {0, 0, node.getLoc()}});
    entry->second.read |= 1;
  }
  for (auto &[root, access] : accesses) {
    auto add = [&](FieldMask fields, Privilege privilege) {
      if (!fields)
        return;
      arguments.push_back(MentionedArgument{.region = root,
                                            .fields = fields,
                                            .privilege = privilege,
                                            .place = access.place});
      summarize(arguments.back());
    };
    add(access.read & ~access.changed, Privilege::Read);
    add(access.changed, Privilege::ReadWrite);
  }
  addTask(node, std::move(arguments));
}

/// The body of `else` is chosen after the one of `if` may have run.
LogicalResult BodyInference::checkChoice(LoopOp choice,
                                         const BodyInference &inner) {
  const RootAccesses &accesses = inner.accesses();
  auto tested = accesses.find(importer.region(choice.getConditionAttr(), {}));
  if (tested == accesses.end() || !tested->second.changed)
    return success();
  return emitError(tested->second.place)
         << "the body of 'if' changes '" << *choice.getCondition()
         << "', by which its 'else' is chosen; let it change another variable, "
            "or write 'rdir.loop unless' for what should follow if it becomes "
            "0";
}

LogicalResult BodyInference::readNode(NodeOpInterface node) {
  if (failed(mentions.checkForm(node)))
    return failure();
  if (Block *inner = node.getNestedBody()) {
    nested.push_back(
        std::make_unique<BodyInference>(mentions, importer, module));
    if (failed(nested.back()->read(*inner)) ||
        (node->hasAttr(choiceAttribute) &&
         failed(checkChoice(cast<LoopOp>(inner->front()),
                            *nested.back()->nested.front()))))
      return failure();
    readNested(node, *nested.back());
    return success();
  }
  FailureOr<std::vector<MentionedArgument>> arguments = mentions.read(node);
  if (failed(arguments) || failed(checkApart(node, *arguments)))
    return failure();
  for (const MentionedArgument &argument : *arguments)
    summarize(argument);
  addTask(node, std::move(*arguments));
  return success();
}

LogicalResult BodyInference::read(Block &block) {
  body = &block;
  program.forest = &module.forest;
  bool isGood = true;
  for (Operation &op : block)
    isGood &= succeeded(readNode(cast<NodeOpInterface>(op)));
  return success(isGood);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The task for which each node was added.
std::vector<uint32_t> BodyInference::tasksOfNodes(const Graph &graph) const {
  std::vector<uint32_t> tasks(graph.numNodes());
  uint32_t task = 0;
  for (NodeIndex index = 0; index < graph.numNodes(); ++index) {
    while (task + 1 < nodesOfTasks.size() && nodesOfTasks[task] < index)
      ++task;
    tasks[index] = task;
  }
  // A task writes versions that come after it.
  for (const Edge &edge : graph.allEdges())
    if (edge.kind == EdgeKind::Write && isTaskLike(graph.node(edge.from).kind))
      tasks[edge.to] = tasks[edge.from];
  return tasks;
}

/// The place without a node's name.
static Location withoutName(Location place) {
  if (auto named = dyn_cast<NameLoc>(place))
    return named.getChildLoc();
  return place;
}

Location BodyInference::placeOf(const Graph &graph, NodeIndex index,
                                uint32_t task) const {
  const Node &node = graph.node(index);
  if (!isCompute(node.kind)) {
    // A task may read a region in one place and change it in another.
    const bool isMade = llvm::any_of(graph.in(index), [&](uint32_t edge) {
      return graph.edge(edge).from == nodesOfTasks[task];
    });
    const MentionedArgument *found = nullptr;
    for (const MentionedArgument &argument : argumentsOf[task])
      if (argument.region == node.region && (argument.fields & node.fields) &&
          (!found || (isChange(argument.privilege) == isMade &&
                      isChange(found->privilege) != isMade)))
        found = &argument;
    if (found)
      return found->place;
  }
  return withoutName(NodeOpInterface(nodes[task]).getLoc());
}

Operation *BodyInference::addData(const Graph &graph, NodeIndex index,
                                  Location place) {
  const Node &node = graph.node(index);
  RegionMention region = mentions.mentionOf(node.region);
  StringRef base = region.name.getValue();
  std::string name = (base + "_" + std::to_string(numbers[base]++)).str();
  Location named = nameLocation(name, place);
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  const bool isStart = node.isInitial && isa<GraphOp>(body->getParentOp());
  auto initial = isStart ? builder.getUnitAttr() : UnitAttr();
  auto kinds = builder.getDenseI8ArrayAttr({});
  Type type = NodeType::get(builder.getContext());
  if (isa<VariableOp>(importer.declaration(region.name)))
    return ScalarOp::create(builder, named, type, region.name, initial,
                            ValueRange(), kinds, {}, {}, {});
  return RegionOp::create(builder, named, type, region.name, region.color,
                          mentions.fieldNames(node.region, node.fields),
                          initial, ValueRange(), kinds, {}, {}, {});
}

Operation *BodyInference::addMove(NodeKind kind, Location place) {
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  auto kinds = builder.getDenseI8ArrayAttr({});
  Type type = NodeType::get(builder.getContext());
  // The result has no name in the source.
  Location unnamed = nameLocation("@", place);
  auto create = [&]<typename OpT>(OpT *) -> Operation * {
    return OpT::create(builder, unnamed, type, ValueRange(), kinds, ArrayAttr(),
                       ArrayAttr(), DenseI32ArrayAttr(), ArrayAttr(),
                       ArrayAttr(), DenseI8ArrayAttr());
  };
  return kind == NodeKind::Open ? create(static_cast<OpenOp *>(nullptr))
                                : create(static_cast<CloseOp *>(nullptr));
}

/// `arguments`: of a task; null for opens and closes.
void BodyInference::setEdges(const Graph &graph, NodeIndex index, Operation *op,
                             const std::vector<MentionedArgument> *arguments) {
  Builder builder(op->getContext());
  auto node = cast<NodeOpInterface>(op);
  SmallVector<Value> operands;
  SmallVector<int8_t> kinds;
  SmallVector<int32_t> ports;
  SmallVector<Attribute> projections, reductions;
  auto add = [&](const Edge &edge, bool isOutgoing) {
    operands.push_back(
        operations[isOutgoing ? edge.to : edge.from]->getResult(0));
    kinds.push_back(EdgeCode{edge.kind, isOutgoing}.encode());
    ports.push_back(edge.port);
    const MentionedArgument *argument =
        arguments ? &(*arguments)[edge.port] : nullptr;
    projections.push_back(argument && argument->projection
                              ? argument->projection
                              : builder.getUnitAttr());
    if (edge.kind == EdgeKind::Reduce)
      reductions.push_back(argument->reduction);
  };
  for (uint32_t edge : graph.in(index))
    add(graph.edge(edge), /*isOutgoing=*/false);
  for (uint32_t edge : graph.out(index))
    add(graph.edge(edge), /*isOutgoing=*/true);
  // The other operands are the orders that the text states.
  for (Value other : node.getNodes()) {
    operands.push_back(other);
    kinds.push_back(EdgeCode{EdgeKind::HappensBefore, false}.encode());
    ports.push_back(-1);
    projections.push_back(builder.getUnitAttr());
  }
  op->setOperands(operands);
  op->setAttr("kinds", builder.getDenseI8ArrayAttr(kinds));
  if (!llvm::all_of(projections, llvm::IsaPred<UnitAttr>))
    op->setAttr("projections", builder.getArrayAttr(projections));
  if (!reductions.empty())
    op->setAttr("reductions", builder.getArrayAttr(reductions));
  op->removeAttr(mentionsAttribute);
  op->removeAttr(choiceAttribute);
  if (!arguments || node.getNestedBody())
    return;
  // Numbers that the edges have anyway need not be written.
  const SmallVector<uint32_t> byDefault = edgePorts(node);
  for (auto [port, known] : llvm::zip(ports, byDefault))
    if (port >= 0 && uint32_t(port) != known) {
      op->setAttr("ports", builder.getDenseI32ArrayAttr(ports));
      break;
    }
}

void BodyInference::write() {
  for (const auto &inner : nested)
    inner->write();
  Graph graph = buildGraph(program, &nodesOfTasks);
  const std::vector<uint32_t> tasks = tasksOfNodes(graph);
  operations.assign(graph.numNodes(), nullptr);
  for (auto [task, index] : llvm::enumerate(nodesOfTasks))
    operations[index] = nodes[task];
  for (NodeIndex index = 0; index < graph.numNodes(); ++index) {
    if (Operation *op = operations[index]) {
      op->moveBefore(body, body->end());
      continue;
    }
    Location place = placeOf(graph, index, tasks[index]);
    NodeKind kind = graph.node(index).kind;
    operations[index] =
        isCompute(kind) ? addMove(kind, place) : addData(graph, index, place);
  }
  for (NodeIndex index = 0; index < graph.numNodes(); ++index) {
    NodeKind kind = graph.node(index).kind;
    if (isCompute(kind))
      setEdges(graph, index, operations[index],
               isTaskLike(kind) ? &argumentsOf[tasks[index]] : nullptr);
  }
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

bool sluice::rdir::namesRegions(GraphOp graph) {
  return graph
      ->walk([](Operation *op) {
        const bool isShort =
            op->hasAttr(mentionsAttribute) || op->hasAttr(choiceAttribute);
        return isShort ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult sluice::rdir::inferVersions(ModuleOp module) {
  if (llvm::none_of(module.getOps<GraphOp>(), namesRegions))
    return success();
  ImportedModule imported;
  ModuleImporter importer(module, imported);
  importer.addDeclarations();
  MentionReader mentions(importer, imported);
  bool isGood = true;
  std::vector<std::unique_ptr<BodyInference>> bodies;
  for (GraphOp graph : module.getOps<GraphOp>()) {
    if (!namesRegions(graph))
      continue;
    bodies.push_back(
        std::make_unique<BodyInference>(mentions, importer, imported));
    isGood &= succeeded(bodies.back()->read(graph.getBody().front()));
  }
  if (!isGood)
    return failure();
  for (const auto &body : bodies)
    body->write();
  return verify(module);
}
