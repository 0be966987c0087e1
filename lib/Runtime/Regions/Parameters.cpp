//===- Parameters.cpp - The command line of programs over regions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of a region program belongs to the runtime, so the runtime
// parses the program's command line.
//
//===----------------------------------------------------------------------===//

#include "TableProgram.h"

#include "sluice/Base/Text.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace sluice;
using namespace sluice::regions;

static std::span<const SluiceRegionParameter>
parametersOf(const SluiceRegionProgram &table) {
  return {table.parameters, table.numParameters};
}

static bool isWhole(const SluiceRegionParameter &parameter) {
  return isInteger(SluiceElementType(parameter.type));
}

[[noreturn]] static void refuse(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(2);
}

static void printHelp(const SluiceRegionProgram &table, const char *program) {
  if (table.numParameters == 0) {
    std::printf("Usage: %s\n", program);
    return;
  }
  std::printf("Usage: %s [--NAME=VALUE]...\n\nParameters\n", program);
  size_t width = 0;
  for (const SluiceRegionParameter &parameter : parametersOf(table))
    width = std::max(width, std::strlen(parameter.name));
  for (const SluiceRegionParameter &parameter : parametersOf(table))
    std::printf("  --%s=VALUE%*s%s (default %s)\n", parameter.name,
                int(width - std::strlen(parameter.name) + 2), "",
                isWhole(parameter) ? "a whole number" : "a number",
                parameter.defaultText);
}

template <typename Value>
static void setInteger(const SluiceRegionParameter &parameter,
                       const char *text) {
  constexpr int64_t max = std::numeric_limits<Value>::max();
  char *end;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || *end != 0)
    refuse(concat("--", parameter.name, " needs a whole number, not ",
                  quoted(text)));
  if (errno == ERANGE || value < parameter.min || value > max)
    refuse(concat("--", parameter.name, " is ", text, ", but must be from ",
                  parameter.min, " to ", max));
  *static_cast<Value *>(parameter.variable) = static_cast<Value>(value);
}

template <typename Value>
static void setReal(const SluiceRegionParameter &parameter, const char *text) {
  char *end;
  const double value = std::strtod(text, &end);
  if (end == text || *end != 0)
    refuse(concat("--", parameter.name, " needs a number, not ", quoted(text)));
  *static_cast<Value *>(parameter.variable) = static_cast<Value>(value);
}

static void setParameter(const SluiceRegionParameter &parameter,
                         const char *text) {
  switch (SluiceElementType(parameter.type)) {
  case SLUICE_I8:
    return setInteger<int8_t>(parameter, text);
  case SLUICE_I16:
    return setInteger<int16_t>(parameter, text);
  case SLUICE_I32:
    return setInteger<int32_t>(parameter, text);
  case SLUICE_I64:
    return setInteger<int64_t>(parameter, text);
  case SLUICE_F32:
    return setReal<float>(parameter, text);
  case SLUICE_F64:
    return setReal<double>(parameter, text);
  }
}

/// The parameter that "--NAME=VALUE" sets; null if there is none.
static const SluiceRegionParameter *
findParameter(const SluiceRegionProgram &table, std::string_view argument) {
  for (const SluiceRegionParameter &parameter : parametersOf(table))
    if (argument.starts_with(concat("--", parameter.name, "=")))
      return &parameter;
  return nullptr;
}

[[noreturn]] static void refuseUnknown(const SluiceRegionProgram &table,
                                       const char *argument) {
  std::string expected;
  for (const SluiceRegionParameter &parameter : parametersOf(table))
    expected += concat(expected.empty() ? ", expected --" : ", --",
                       parameter.name, "=VALUE");
  if (expected.empty())
    expected = ": the program has no parameters";
  refuse(concat("unknown parameter ", quoted(argument), expected));
}

void sluice::regions::setParameters(const SluiceRegionProgram &table, int argc,
                                    char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0 ||
        std::strcmp(argv[i], "-h") == 0) {
      printHelp(table, argv[0]);
      std::exit(0);
    }
    const SluiceRegionParameter *parameter = findParameter(table, argv[i]);
    if (!parameter)
      refuseUnknown(table, argv[i]);
    setParameter(*parameter, std::strchr(argv[i], '=') + 1);
  }
}
