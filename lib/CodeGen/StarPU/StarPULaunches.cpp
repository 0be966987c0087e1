//===- StarPULaunches.cpp - Statements as StarPU codelets -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker calls a function of the generated program. It calls the user's
// function with plain pointers, and stores or folds the result.
//
//===----------------------------------------------------------------------===//

#include "StarPUEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// The scalars of a statement, each once: StarPU's buffers 0, 1 and so on.
static std::vector<unsigned> scalarsOf(const RegionStatement &statement) {
  std::vector<unsigned> scalars;
  for (const RegionArgument &argument : statement.arguments)
    if (argument.kind == RegionArgument::Scalar &&
        !is_contained(scalars, argument.root))
      scalars.push_back(argument.root);
  return scalars;
}

static bool isMove(const RegionStatement &statement) {
  return statement.kind == RegionStatement::Copy ||
         statement.kind == RegionStatement::Fill;
}

static bool movesScalar(const RegionStatement &statement) {
  return isMove(statement) &&
         statement.arguments[0].kind == RegionArgument::Scalar;
}

/// "(void *)STARPU_VARIABLE_GET_PTR(buffers[0])"
std::string StarPUEmitter::pointerText(const RegionStatement &statement,
                                       const RegionArgument &argument,
                                       StringRef type) const {
  std::vector<unsigned> scalars = scalarsOf(statement);
  size_t buffer = find(scalars, argument.root) - scalars.begin();
  return ("(" + type + " *)" +
          (options.hasRanks ? "sluiceAddress(" : "STARPU_VARIABLE_GET_PTR(") +
          local("buffers") + "[" + Twine(buffer) + "])")
      .str();
}

std::string StarPUEmitter::scalarText(const RegionStatement &statement,
                                      const RegionArgument &argument) const {
  return "*" +
         pointerText(statement, argument,
                     cTypeName(program.roots[argument.root].fields[0].type));
}

/// The call of the user's function, a line or several.
std::string StarPUEmitter::callText(const RegionStatement &statement) {
  std::string point = local("point"), value = local("value");
  std::vector<std::string> words{"&" + point + "->task"};
  const RegionArgument *result = nullptr;
  unsigned region = 0, field = 0;
  for (const RegionArgument &argument : statement.arguments) {
    if (isResult(argument))
      result = &argument;
    switch (argument.kind) {
    case RegionArgument::Iteration:
      llvm_unreachable("refused: see findSums");
    case RegionArgument::Constant:
      words.push_back(literalOf(argument.constant, argument.constantType));
      break;
    case RegionArgument::Parameter:
      words.push_back(
          parameterVariable(program.parameters[argument.parameter]));
      break;
    case RegionArgument::Scalar:
      if (isParameter(argument))
        words.push_back(scalarText(statement, argument));
      break;
    case RegionArgument::Region:
      for (size_t i = 0; i != argument.fields.size(); ++i)
        words.push_back(point + "->fields[" + std::to_string(field++) + "]");
      words.push_back(point + "->domains[" + std::to_string(region++) + "]");
    }
  }
  std::string text, head = "  ";
  raw_string_ostream out(text);
  bool isReduced = result && isFolded(*result);
  if (isReduced)
    head += cTypeName(program.roots[result->root].fields[0].type).str() + " " +
            value + " = ";
  else if (result)
    head += scalarText(statement, *result) + " =\n      ";
  writeList(out, head + statement.function + "(", words, ");\n");
  if (isReduced)
    writeList(out, "  sluiceFold(",
              {"&" + reductions[result->reduction],
               pointerText(statement, *result), "&" + value, "1"},
              ");\n");
  return text;
}

/// Copies and fills of scalars.
void StarPUEmitter::writeMoveOfScalar(const RegionStatement &statement) {
  const RegionArgument &to = statement.arguments.back();
  os << "  (void)" << local("argument") << ";\n  " << scalarText(statement, to)
     << " =\n      "
     << (statement.kind == RegionStatement::Fill
             ? literalOf(statement.fillValue, statement.fillType)
             : scalarText(statement, statement.arguments[0]))
     << ";\n";
}

void StarPUEmitter::writeBody(const RegionStatement &statement) {
  std::string name = "run_" + labelOf(statement);
  os << "static void " << name << "(void *" << local("buffers") << "[], void *"
     << local("argument") << ") {\n";
  if (movesScalar(statement)) {
    writeMoveOfScalar(statement);
  } else {
    os << "  const SluicePoint *" << local("point") << " = "
       << local("argument") << ";\n";
    if (scalarsOf(statement).empty())
      os << "  (void)" << local("buffers") << ";\n";
    os << callText(statement);
  }
  os << "}\n";
}

static StringRef modeOf(RegionPrivilege privilege) {
  switch (privilege) {
  case RegionPrivilege::Read:
    return "STARPU_R";
  case RegionPrivilege::ReadWrite:
    return "STARPU_RW";
  case RegionPrivilege::WriteDiscard:
    return "STARPU_W";
  case RegionPrivilege::Reduce:
    return "STARPU_REDUX";
  }
  llvm_unreachable("all privileges are handled");
}

std::string StarPUEmitter::scalarMode(const RegionStatement &statement,
                                      const RegionArgument &argument) const {
  // A handle has the methods of only one operator, and several operators do
  // not commute. Several ranks have their own copies.
  if (argument.privilege == RegionPrivilege::Reduce && !options.hasRanks &&
      reductionOfScalar.at(argument.root) == noIndex)
    return "STARPU_RW";
  return modeOf(argument.privilege).str();
}

unsigned StarPUEmitter::writeScalarUses(const RegionStatement &statement) {
  std::vector<std::string> words;
  for (unsigned root : scalarsOf(statement)) {
    // If two arguments read and write it, it has both modes.
    std::vector<std::string> modes;
    for (const RegionArgument &argument : statement.arguments)
      if (argument.kind == RegionArgument::Scalar && argument.root == root)
        modes.push_back(scalarMode(statement, argument));
    std::string mode = all_equal(modes) ? modes[0] : "STARPU_RW";
    words.push_back("{&" + roots[root] + ", " + mode + "}");
  }
  if (!words.empty())
    writeList(os,
              "static SluiceScalarUse scalars_" + labelOf(statement) + "[] = {",
              words, "};\n");
  return words.size();
}

std::string StarPUEmitter::partitionOf(const RegionArgument &argument) const {
  if (argument.partition == noIndex)
    return "&" + roots[argument.root] + ".whole";
  if (isAllColors(argument))
    return "&" + allColors[argument.partition];
  return "&" + partitions[argument.partition];
}

std::string StarPUEmitter::accessText(const RegionArgument &argument,
                                      unsigned rank) {
  bool isOne = argument.partition == noIndex || isAllColors(argument);
  int64_t color = isOne ? 0 : argument.color;
  uint64_t mask = 0;
  for (unsigned field : argument.fields)
    mask |= uint64_t(1) << field;
  std::vector<std::string> words{".partition = " + partitionOf(argument)};
  if (color != 0)
    words.push_back(".fixedColor = " + std::to_string(color));
  if (color < 0 && argument.projection.kind != RegionProjection::Identity)
    words.push_back(".project = " + projectionOf(argument, rank));
  words.push_back(".fields = 0x" + utohexstr(mask, /*LowerCase=*/true));
  words.push_back((".mode = " + modeOf(argument.privilege)).str());
  if (argument.privilege == RegionPrivilege::Reduce)
    words.push_back(".reduction = &" + reductions[argument.reduction]);
  if (argument.projection.needsCheck)
    words.push_back(".mustBeApart = 1");
  std::string text;
  raw_string_ostream out(text);
  writeList(out, "    {", words, "}");
  return text;
}

unsigned StarPUEmitter::writeAccesses(const RegionStatement &statement) {
  std::vector<std::string> words;
  for (const RegionArgument &argument : statement.arguments)
    if (argument.kind == RegionArgument::Region)
      words.push_back(accessText(argument, statement.domain.size()));
  if (!words.empty())
    os << "static SluiceRegionAccess accesses_" << labelOf(statement)
       << "[] = {\n"
       << join(words, ",\n") << "};\n";
  return words.size();
}

void StarPUEmitter::writeLaunch(const RegionStatement &statement) {
  std::string label = labelOf(statement);
  std::string place = placeText(statement.location);
  // Projections come before their uses.
  for (const RegionArgument &argument : statement.arguments)
    if (argument.partition != noIndex && argument.color < 0 &&
        argument.projection.kind == RegionProjection::Affine)
      projectionOf(argument, statement.domain.size());
  os << "\n/* " << statement.label << (place.empty() ? "" : ", ") << place
     << " */\n";
  bool isRegionMove = isMove(statement) && !movesScalar(statement);
  if (!isRegionMove)
    writeBody(statement);
  std::string function = isRegionMove ? statement.kind == RegionStatement::Copy
                                            ? "sluiceRunCopy"
                                            : "sluiceRunFill"
                                      : "run_" + label;
  unsigned numScalars = writeScalarUses(statement);
  unsigned numAccesses = writeAccesses(statement);
  bool hasValue = isRegionMove && statement.kind == RegionStatement::Fill;
  if (hasValue) {
    const RegionArgument &to = statement.arguments[0];
    const RegionField &field = program.roots[to.root].fields[to.fields[0]];
    os << "static const " << cTypeName(field.type) << " value_" << label
       << " = " << literalOf(statement.fillValue, statement.fillType) << ";\n";
  }
  os << "static SluiceLaunch launch_" << label << " = {\n    .name = \""
     << statement.label << "\",\n    .codelet = {.where = STARPU_CPU,\n"
     << "                .cpu_funcs = {"
     << (options.hasRanks ? "sluiceRunPoint" : function) << "},\n"
     << "                .nbuffers = STARPU_VARIABLE_NBUFFERS,\n"
     << "                .name = \"" << statement.label << "\"},\n";
  if (options.hasRanks)
    os << "    .function = " << function << ",\n";
  if (options.hasRanks && statement.kind == RegionStatement::Host)
    os << "    .isHost = 1,\n";
  for (const RegionArgument &argument : statement.arguments)
    if (options.hasRanks && argument.kind == RegionArgument::Scalar &&
        argument.privilege == RegionPrivilege::Reduce)
      os << "    .scalarReduction = &" << reductions[argument.reduction]
         << ",\n";
  if (!statement.domain.empty())
    os << "    .rank = " << statement.domain.size() << ",\n";
  if (!statement.domain.empty() && isConstant(statement.domain))
    os << "    .extents = " << extentsText(program, statement.domain) << ",\n";
  if (numScalars)
    os << "    .numScalars = " << numScalars << ",\n    .scalars = scalars_"
       << label << ",\n";
  if (numAccesses)
    os << "    .numAccesses = " << numAccesses << ",\n    .accesses = accesses_"
       << label << ",\n";
  if (hasValue)
    os << "    .value = &value_" << label << ",\n";
  os << "};\n";
}

void StarPUEmitter::writeLaunches(ArrayRef<RegionStatement> statements) {
  for (const RegionStatement &statement : statements)
    if (statement.kind == RegionStatement::Loop ||
        statement.kind == RegionStatement::MustEpoch)
      writeLaunches(statement.body);
    else
      writeLaunch(statement);
}
