//===- LegionLaunches.cpp - Task launchers and epochs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legion has a launcher for each kind of launch: one task, an index launch, or
// an epoch of several tasks that run at the same time.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

/// The scalar that the statement's function returns, or null.
static const RegionArgument *resultOf(const RegionStatement &statement) {
  for (const RegionArgument &argument : statement.arguments)
    if (isResult(argument))
      return &argument;
  return nullptr;
}

/// "box<2>({4, 4})".
std::string LegionEmitter::launchText(const RegionStatement &statement) {
  use(Helper::Box);
  return "box<" + std::to_string(statement.domain.size()) + ">(" +
         extentsText(program, statement.domain) + ")";
}

/// Gives `launcher` its regions, futures and properties. `isPoint`: it launches
/// one task for the point `*point`.
void LegionEmitter::writeArguments(const RegionStatement &statement,
                                   bool isPoint, unsigned indent,
                                   raw_ostream &out) {
  std::string margin(indent, ' ');
  for (const Requirement &requirement : requirementsOf(program, statement)) {
    out << margin << "launcher.add_region_requirement(\n";
    writeRequirement(requirement, statement.domain.size(), isPoint,
                     statement.kind == RegionStatement::Host, "", ");",
                     indent + 4, out);
  }
  for (const RegionArgument &argument : statement.arguments)
    if (argument.kind == RegionArgument::Scalar && isParameter(argument))
      out << margin << "launcher.add_future(" << regionNames[argument.root]
          << ");\n";
  if (options.hasIndependentRequirements &&
      statement.hasIndependentRequirements)
    out << margin << "launcher.independent_requirements = true;\n";
}

/// Executes `launcher` and keeps its result.
void LegionEmitter::writeExecution(const RegionStatement &statement,
                                   unsigned indent, raw_ostream &out) {
  std::string margin(indent, ' ');
  bool isLaunch = !statement.domain.empty();
  const char *execute =
      isLaunch ? "runtime->execute_index_space" : "runtime->execute_task";
  const RegionArgument *result = resultOf(statement);
  if (!result) {
    out << margin << execute << "(ctx, launcher);\n";
    return;
  }
  const std::string &scalar = regionNames[result->root];
  if (!isFolded(*result)) {
    out << margin << scalar << " = " << execute << "(ctx, launcher);\n";
    return;
  }
  std::vector<std::string> words{"ctx", "launcher"};
  if (isLaunch)
    words.push_back(reductionOf(result->reduction, 1) + "::REDOP_ID");
  out << assignText(indent, "const Future value", std::string(execute) + "(",
                    words, ");\n")
      << foldText(indent, *result, "value");
}

void LegionEmitter::writeTask(const RegionStatement &statement, unsigned indent,
                              raw_ostream &out, const TracedOperation *traced) {
  std::string margin(indent, ' ');
  std::string id = variantOf(statement);
  out << margin << "{\n";
  writeDependences(traced, indent + 2, out);
  if (statement.domain.empty())
    writeList(out, margin + "  TaskLauncher launcher(", {id, "UntypedBuffer()"},
              ");\n");
  else
    writeList(out, margin + "  IndexTaskLauncher launcher(",
              {id, launchText(statement), "UntypedBuffer()", "ArgumentMap()"},
              ");\n");
  writeArguments(statement, /*isPoint=*/false, indent + 2, out);
  if (traced && !traced->dependences.empty())
    out << margin << "  launcher.static_dependences = &dependences;\n";
  writeExecution(statement, indent + 2, out);
  out << margin << "}\n";
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

/// Adds a member's tasks, one for each point of a launch. A task of an epoch
/// receives its point as an argument.
void LegionEmitter::writeMember(const RegionStatement &member, unsigned indent,
                                raw_ostream &out) {
  std::string margin(indent, ' ');
  std::string id = variantOf(member);
  bool isLaunch = !member.domain.empty();
  std::string rank = std::to_string(member.domain.size());
  use(Helper::Task);
  if (isLaunch) {
    out << margin << "const Domain launch = " << launchText(member) << ";\n";
    out << margin << "for (PointInRectIterator<" << rank << "> point("
        << launchText(member) << "); point();\n"
        << margin << "     ++point) {\n";
  } else {
    out << margin << "{\n";
  }
  out << margin << "  points.push_back("
      << (isLaunch ? "taskAt(*point, launch)" : "singleTask()") << ");\n"
      << margin << "  TaskLauncher launcher(\n"
      << margin << "      " << id
      << ", UntypedBuffer(&points.back(), sizeof(SluiceTask)));\n";
  writeArguments(member, isLaunch, indent + 2, out);
  out << margin << "  epoch.add_single_task(points.size() - 1, launcher);\n"
      << margin << "}\n";
}

/// Takes a member's result from `results`; `first` is the number of its first
/// task.
void LegionEmitter::writeMemberResult(const RegionStatement &member,
                                      unsigned indent, raw_ostream &out) {
  const RegionArgument *result = resultOf(member);
  if (!result)
    return;
  std::string margin(indent, ' ');
  const std::string &scalar = regionNames[result->root];
  std::string first = "first_" + identifier(member.label);
  if (!isFolded(*result)) {
    out << margin << scalar << " = results.get_future(" << first << ");\n";
    return;
  }
  std::string count =
      member.domain.empty() ? "1" : launchText(member) + ".volume()";
  out << margin << "for (size_t i = 0; i != " << count << "; ++i)\n"
      << foldText(indent + 2, *result, "results.get_future(" + first + " + i)");
}

void LegionEmitter::writeEpoch(const RegionStatement &statement,
                               unsigned indent, raw_ostream &out) {
  auto isTask = [](const RegionStatement &member) {
    return member.kind == RegionStatement::Task;
  };
  // Only tasks can be members of Legion's epochs. The members of a Sluice epoch
  // do not depend on each other, so running them one after another is also
  // correct.
  if (!options.hasMustEpochs || !all_of(statement.body, isTask))
    return writeStatements(statement.body, indent, out);
  std::string margin(indent, ' ');
  out << margin << "{\n"
      << margin << "  MustEpochLauncher epoch;\n"
      << margin << "  std::deque<SluiceTask> points;\n";
  for (const RegionStatement &member : statement.body) {
    out << margin << "  // " << member.label << '\n';
    if (resultOf(member))
      out << margin << "  const coord_t first_" << identifier(member.label)
          << " = points.size();\n";
    bool isLaunch = !member.domain.empty();
    if (isLaunch)
      out << margin << "  {\n";
    writeMember(member, indent + (isLaunch ? 4 : 2), out);
    if (isLaunch)
      out << margin << "  }\n";
  }
  use(Helper::Box);
  out << margin << "  epoch.launch_domain = box<1>({int64_t(points.size())});\n"
      << margin
      << "  FutureMap results = runtime->execute_must_epoch(ctx, epoch);\n";
  for (const RegionStatement &member : statement.body)
    writeMemberResult(member, indent + 2, out);
  // Tasks may still read their points.
  out << margin << "  results.wait_all_results();\n" << margin << "}\n";
}
