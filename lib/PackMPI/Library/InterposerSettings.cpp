//===- InterposerSettings.cpp - Reading the interposer's settings ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table for each variable with its values and their meaning.
//
//===----------------------------------------------------------------------===//

#include "InterposerSettings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

using namespace sluice::mpi;

namespace {
template <typename Value> struct Choice {
  const char *text;
  Value value;
};
} // namespace

template <typename Value>
static Value choose(const char *variable, const char *expected,
                    std::span<const Choice<Value>> choices, Value normal) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return normal;
  for (const Choice<Value> &choice : choices)
    if (!std::strcmp(choice.text, text))
      return choice.value;
  std::fprintf(stderr, "sluice-mpi: %s is '%s', expected %s\n", variable, text,
               expected);
  std::_Exit(2);
}

static Settings read() {
  static constexpr Choice<Mode> modes[] = {{"off", Mode::Off},
                                           {"pack", Mode::Pack},
                                           {"auto", Mode::Auto},
                                           {"all", Mode::All}};
  static constexpr Choice<Reports> reports[] = {{"0", Reports::None},
                                                {"1", Reports::FirstRank},
                                                {"all", Reports::EveryRank}};
  Settings settings;
  settings.mode =
      choose<Mode>("SLUICE_MPI", "off, pack, auto or all", modes, Mode::Auto);
  settings.reports = choose<Reports>("SLUICE_MPI_STATS", "0, 1 or all", reports,
                                     Reports::None);
  return settings;
}

const Settings &sluice::mpi::settings() {
  static const Settings instance = read();
  return instance;
}
