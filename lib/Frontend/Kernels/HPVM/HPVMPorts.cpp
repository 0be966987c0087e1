//===- HPVMPorts.cpp - Matching arguments with a graph's ports ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array or PtrScalar is a pointer and its size in bytes, as in HPVM; a
// scalar by value is a number.
//
//===----------------------------------------------------------------------===//

#include "../C/CMatch.h"
#include "HPVMProgram.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "sluice/CodeGen/PlanModel.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
class PortMatch {
public:
  PortMatch(dfg::TaskOp task, const HPVMRoot &root)
      : task(task), root(root), graph(root.graph), arguments(cArguments(task)) {
  }

  bool run();

private:
  bool checkStreams();
  bool findPorts();
  bool checkPort(unsigned argument);
  bool checkElement(const CArgument &argument, unsigned port);
  bool checkAccess(const CArgument &argument, unsigned port);
  bool checkDisjoint();
  std::optional<unsigned> argumentAt(unsigned port) const;
  std::string describe(unsigned port);
  bool refuse(const Twine &message);

  dfg::TaskOp task;
  const HPVMRoot &root;
  dfg::GraphOp graph;
  std::vector<CArgument> arguments;
  /// The first port of each argument.
  std::vector<unsigned> ports;
};
} // namespace

bool PortMatch::refuse(const Twine &message) {
  mlir::InFlightDiagnostic error = task.emitError() << message;
  error.attachNote(graph.getLoc())
      << "the graph is '" << spell(root.prototype) << "'";
  return false;
}

std::string PortMatch::describe(unsigned port) {
  return "input " + std::to_string(port) + " '" + graph.getInputName(port) +
         "' of '" + task.getCallee().str() + "'";
}

bool PortMatch::checkStreams() {
  bool streams = is_contained(graph.getOutputOp().getStream(), true);
  for (unsigned i = 0; i != graph.getInputTypes().size(); ++i)
    streams |= codegen::isStreamInput(graph, i);
  return !streams || refuse("'" + task.getCallee() +
                            "' takes a stream of items, but a task runs once; "
                            "clear the stream flags of its binds and edges");
}

bool PortMatch::findPorts() {
  unsigned next = 0;
  std::string parts;
  for (const CArgument &argument : arguments) {
    if (argument.kind == CArgument::Kind::Object)
      return refuse("'" + argument.name +
                    "' is a Python dictionary, which graphs do not take");
    unsigned count = argument.kind == CArgument::Kind::Value ? 1 : 2;
    ports.push_back(next);
    next += count;
    parts += (parts.empty() ? "" : ", ") + ("'" + argument.name + "' ") +
             std::to_string(count);
  }
  size_t number = graph.getInputTypes().size();
  return next == number ||
         refuse("the graph '" + task.getCallee() + "' has " + Twine(number) +
                (number == 1 ? " input" : " inputs") +
                ", but the arguments of the task become " + Twine(next) +
                (parts.empty() ? "" : " (" + parts + ")"));
}

/// The C type of the port, if known.
static const CType *typeOf(const HPVMRoot &root, unsigned port) {
  const auto &parameters = root.prototype.parameters;
  dfg::GraphOp graph = root.graph;
  return parameters.size() == graph.getInputTypes().size()
             ? &parameters[port].type
             : nullptr;
}

bool PortMatch::checkElement(const CArgument &argument, unsigned port) {
  const CType *type = typeOf(root, port);
  if (!type || type->target.empty())
    return true;
  const CType &target = type->target.front();
  bool takesAny = target.kind == CType::Kind::Void ||
                  target.kind == CType::Kind::Unknown || target.isChar;
  bool fits = target.bits == argument.bits &&
              target.kind == (argument.isFloat ? CType::Kind::Float
                                               : CType::Kind::Integer);
  bool hasSign = argument.kind != CArgument::Kind::Array || argument.isFloat ||
                 target.isBool || target.hasAnySign ||
                 target.isSigned == argument.isSigned;
  if (!takesAny && fits && !hasSign)
    return refuse(describe(port) + " is '" + type->spelling + "', but '" +
                  argument.name + "' holds '" + spellElement(argument) +
                  "', the same bits as other values; a 'void *' takes both");
  return takesAny || fits ||
         refuse(describe(port) + " is '" + type->spelling + "', but '" +
                argument.name + "' holds '" + spellElement(argument) + "'");
}

bool PortMatch::checkAccess(const CArgument &argument, unsigned port) {
  dfg::Access wanted = graph.getInputAccess(port);
  if (dfg::writes(wanted) && !dfg::writes(argument.access))
    return refuse("the graph writes '" + argument.name + "', its " +
                  describe(port) + " (" + dfg::spellAccess(wanted) +
                  "), but the task says that it only reads it; remove 'in'");
  if (dfg::reads(wanted) && !dfg::reads(argument.access))
    return refuse("the graph reads '" + argument.name + "', its " +
                  describe(port) + " (" + dfg::spellAccess(wanted) +
                  "), but the task says that it only writes it; remove 'out'");
  return true;
}

bool PortMatch::checkPort(unsigned number) {
  const CArgument &argument = arguments[number];
  unsigned port = ports[number];
  mlir::Type type = graph.getInputTypes()[port];
  if (argument.kind == CArgument::Kind::Value) {
    bool fits = type.isIntOrFloat() &&
                type.getIntOrFloatBitWidth() == argument.bits &&
                isa<mlir::FloatType>(type) == argument.isFloat;
    const CType *written = typeOf(root, port);
    return fits || refuse(describe(port) + " is '" +
                          (written ? written->spelling : "of another type") +
                          "', but the value of '" + argument.name + "' is '" +
                          spellElement(argument) + "'");
  }
  if (!isa<mlir::LLVM::LLVMPointerType>(type))
    return refuse(describe(port) + " is no pointer, but '" + argument.name +
                  "' is passed by its address");
  if (!graph.getInputTypes()[port + 1].isInteger(64))
    return refuse(describe(port + 1) + " is the size of '" + argument.name +
                  "' in bytes; declare it 'size_t'");
  return checkElement(argument, port) && checkAccess(argument, port);
}

std::optional<unsigned> PortMatch::argumentAt(unsigned port) const {
  for (auto [number, first] : enumerate(ports))
    if (first == port && arguments[number].kind != CArgument::Kind::Value)
      return unsigned(number);
  return std::nullopt;
}

/// The race check assumed that some pointers refer to different memory.
bool PortMatch::checkDisjoint() {
  for (auto [first, second] : root.disjoint) {
    std::optional<unsigned> a = argumentAt(first), b = argumentAt(second);
    if (a && b && *a != *b && arguments[*a].name == arguments[*b].name)
      return refuse("'" + arguments[*a].name + "' is given as " +
                    describe(first) + " and as " + describe(second) +
                    ", but the graph writes one of them and takes them for "
                    "different memory");
  }
  return true;
}

bool PortMatch::run() {
  if (task.getExtents()) {
    task.emitError("a graph says itself how its nodes are replicated; remove "
                   "the extents of the task");
    return false;
  }
  if (!checkStreams() || !findPorts())
    return false;
  for (unsigned i = 0; i != arguments.size(); ++i)
    if (!checkPort(i))
      return false;
  return checkDisjoint();
}

bool driver::matchPorts(dfg::TaskOp task, const HPVMRoot &root) {
  return PortMatch(task, root).run();
}
