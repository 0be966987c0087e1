//===- LegionStatements.cpp - Graphs, loops and host statements -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a graph, statement by statement, with the checks of points that
// no proof covers.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

//===----------------------------------------------------------------------===//
// Checks of projections
//===----------------------------------------------------------------------===//

/// If points could not be proven disjoint, the program checks them before it
/// starts: projections depend only on points and parameters.
void LegionEmitter::writePointChecks(const RegionStatement &statement) {
  unsigned rank = statement.domain.size();
  for (const auto &group : argumentsToCheck(statement)) {
    const RegionPartition &info = program.partitions[group[0]->partition];
    std::string colorRank = std::to_string(info.colors.size());
    std::vector<std::string> words;
    for (const RegionArgument *argument : group) {
      bool isIdentity = argument->projection.kind == RegionProjection::Identity;
      words.push_back("{" +
                      (isIdentity ? "ownColor<" + colorRank + ">"
                                  : projectionOf(*argument, rank)) +
                      ", " + accessNumber(*argument) + "}");
    }
    use(Helper::CheckPoints);
    checks += "  " + callText(2, "checkPoints<" + colorRank + ">(",
                              {"\"" + statement.label + "\"",
                               stringLiteral(info.name), launchText(statement),
                               extentsText(program, info.colors),
                               "{" + join(words, ", ") + "}"},
                              ");\n");
  }
}

//===----------------------------------------------------------------------===//
// Host statements
//===----------------------------------------------------------------------===//

/// A host statement is a separate task. All shards of the top-level task launch
/// it, and Legion runs it once, so its output appears once. Each host statement
/// waits for the previous one, since they print in order and may keep state for
/// the next one.
void LegionEmitter::writeHost(const RegionStatement &statement, unsigned indent,
                              raw_ostream &out) {
  std::string margin(indent, ' ');
  std::string id = variantOf(statement);
  hasHost = true;
  out << margin << "{\n";
  writeList(out, margin + "  TaskLauncher launcher(", {id, "UntypedBuffer()"},
            ");\n");
  writeArguments(statement, /*isPoint=*/false, indent + 2, out);
  out << margin << "  launcher.add_future(lastHost);\n"
      << margin << "  lastHost = runtime->execute_task(ctx, launcher);\n";
  for (const RegionArgument &argument : statement.arguments) {
    if (!isResult(argument))
      continue;
    if (isFolded(argument))
      out << foldText(indent + 2, argument, "lastHost");
    else
      out << margin << "  " << regionNames[argument.root] << " = lastHost;\n";
  }
  out << margin << "}\n";
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// "for (...) {" or "while (...) {", in a line or several.
void LegionEmitter::writeLoopHead(const RegionStatement &statement,
                                  unsigned indent, raw_ostream &out) {
  std::string margin(indent, ' '), deep(indent + 5, ' ');
  std::string flag;
  if (statement.whileScalar != noIndex) {
    const RegionRoot &root = program.roots[statement.whileScalar];
    flag = regionNames[statement.whileScalar] + ".get_result<" +
           cTypeName(root.fields[0].type).str() +
           (statement.isUnless ? ">() == 0" : ">() != 0");
  }
  if (statement.count.parameter == noIndex &&
      statement.count.constant == INT64_MAX) {
    out << margin << "while (" << (flag.empty() ? "true" : flag) << ") {\n";
    return;
  }
  std::string counter = "iteration" + std::to_string(++numLoops);
  std::string start = "for (int64_t " + counter + " = 0;";
  std::string bound = counter + " < " + extentText(program, statement.count);
  std::string next = "++" + counter + ") {\n";
  std::string condition = bound + (flag.empty() ? "" : " && " + flag) + ";";
  size_t room = 80 - indent;
  if (start.size() + condition.size() + next.size() + 1 <= room) {
    out << margin << start << ' ' << condition << ' ' << next;
    return;
  }
  if (condition.size() + 5 > room)
    condition = bound + " &&\n" + deep + flag + ";";
  out << margin << start << '\n' << deep << condition << '\n' << deep << next;
}

void LegionEmitter::writeLoop(const RegionStatement &statement, unsigned indent,
                              raw_ostream &out) {
  std::string margin(indent, ' ');
  writeLoopHead(statement, indent, out);
  std::optional<LoopTrace> trace;
  if (options.hasStaticTraces)
    trace = traceOf(program, statement.body);
  std::string number = std::to_string(numTraces);
  if (trace) {
    ++numTraces;
    out << margin << "  runtime->begin_trace(ctx, " << number
        << ", /*logical_only=*/true,\n"
        << margin << "                       /*static_trace=*/true);\n";
  }
  writeStatements(statement.body, indent + 2, out, trace ? &*trace : nullptr);
  if (trace)
    out << margin << "  runtime->end_trace(ctx, " << number << ");\n";
  out << margin << "}\n";
}

void LegionEmitter::writeStatements(ArrayRef<RegionStatement> statements,
                                    unsigned indent, raw_ostream &out,
                                    const LoopTrace *trace) {
  for (auto [i, statement] : enumerate(statements)) {
    std::string place = placeText(statement.location);
    out.indent(indent) << "// " << statement.label
                       << (place.empty() ? "" : ", ") << place << '\n';
    ArrayRef<TracedOperation> traced;
    if (trace)
      traced = trace->operations[i];
    const TracedOperation *first = traced.empty() ? nullptr : &traced[0];
    writePointChecks(statement);
    switch (statement.kind) {
    case RegionStatement::Task:
      writeTask(statement, indent, out, first);
      break;
    case RegionStatement::Host:
      writeHost(statement, indent, out);
      break;
    case RegionStatement::Copy:
      writeCopy(statement, indent, out, first);
      break;
    case RegionStatement::Fill:
      writeFill(statement, indent, out, traced);
      break;
    case RegionStatement::Loop:
      writeLoop(statement, indent, out);
      break;
    case RegionStatement::MustEpoch:
      for (const RegionStatement &member : statement.body)
        writePointChecks(member);
      writeEpoch(statement, indent, out);
      break;
    }
  }
}

/// Declares `dependences` for the operation that follows.
void LegionEmitter::writeDependences(const TracedOperation *traced,
                                     unsigned indent, raw_ostream &out) {
  if (!traced || traced->dependences.empty())
    return;
  use(Helper::Dependence);
  std::string margin(indent, ' ');
  out << margin << "const std::vector<StaticDependence> dependences = {\n";
  for (const TracedDependence &dependence : traced->dependences) {
    std::vector<std::string> words{
        std::to_string(dependence.offset), std::to_string(dependence.previous),
        std::to_string(dependence.current),
        dependence.isAnti ? "LEGION_ANTI_DEPENDENCE"
                          : "LEGION_TRUE_DEPENDENCE"};
    std::string fields;
    for (unsigned field : dependence.fields)
      fields +=
          (fields.empty() ? "{" : ", ") + fieldNames[dependence.root][field];
    words.push_back(fields + "}");
    writeList(out, margin + "    dependence(", words, "),\n");
  }
  out << margin << "};\n";
}
