//===- FakePTX.h - A PTX parser and interpreter ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the PTX that LLVM generates for kernels, thread after thread, so that
// tests compute the results of a GPU without having one. Supports only what
// LLVM generates; other features are refused by name.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKEPTX_H
#define SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKEPTX_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fake {

/// Invalid PTX, or a forbidden action of a kernel.
struct PTXError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Address spaces. All except global memory have a window in generic addresses,
/// identified by the upper byte.
enum class Space : uint8_t { Generic, Global, Shared, Local, Param };
constexpr uint64_t windowOf(Space space) { return uint64_t(space) << 60; }

struct PTXType {
  char kind = 'b'; ///< u, s, f, b; p for predicates
  unsigned bits = 32;
};

struct PTXOperand {
  enum class Kind { Register, Special, Number, Symbol, Memory, List };
  Kind kind = Kind::Number;
  uint32_t reg = 0;    ///< Register, Special; Memory: base, or none
  uint64_t number = 0; ///< Number; Memory: offset
  std::string symbol;  ///< Symbol; Memory: base
  bool hasRegister = false;
  std::vector<PTXOperand> list;
};

/// The first eight letters of a word as a number, since distinguishing
/// instructions takes most of the time.
struct PTXName {
  PTXName() = default;
  consteval PTXName(const char *text) : PTXName(std::string_view(text)) {}
  constexpr explicit PTXName(std::string_view text) {
    for (size_t i = 0; i < text.size() && i < 8; ++i)
      letters |= uint64_t(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  bool operator==(const PTXName &) const = default;
  uint64_t letters = 0;
};

struct PTXInstruction {
  std::string text; ///< for messages
  PTXName op;
  std::vector<PTXName> modifiers;
  std::vector<PTXType> types;
  Space space = Space::Generic;
  std::vector<PTXOperand> operands;
  uint32_t guard = 0;
  bool isGuarded = false, isNegated = false;

  bool has(PTXName modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) !=
           modifiers.end();
  }
  PTXType type() const { return types.empty() ? PTXType() : types.back(); }
};

/// Memory with a name: parameters, arrays.
struct PTXVariable {
  std::string name;
  Space space = Space::Global;
  uint64_t offset = 0, size = 0, alignment = 1;
  std::vector<unsigned char> contents; ///< of initialised ones
  bool isExternal = false;             ///< the dynamic shared memory
};

struct PTXFunction {
  std::string name;
  bool isEntry = false;
  std::vector<std::string> parameters; ///< names in `variables`
  std::optional<std::string> result;
  /// Local variables: parameters, also those of calls, and memory of a thread.
  std::map<std::string, PTXVariable> variables;
  uint64_t paramSize = 0, localSize = 0;
  std::vector<PTXInstruction> body;
  std::map<std::string, size_t> labels;
  std::map<std::string, std::vector<std::string>> branchTargets;
  uint32_t numRegisters = 0;
  int maxThreads = 1024;
  std::optional<std::array<unsigned, 3>> requiredBlock;
};

struct PTXModule {
  int version = 0;     ///< 63 for 6.3
  unsigned target = 0; ///< 75 for sm_75
  std::map<std::string, PTXFunction> functions;
  /// Global and constant memory; `offset` is the address after loading.
  std::map<std::string, PTXVariable> globals;
  std::map<std::string, PTXVariable> shared;
  uint64_t sharedSize = 0; ///< without the dynamic part
};

/// Throws PTXError.
PTXModule parsePTX(const std::string &text);

struct PTXLaunch {
  std::array<unsigned, 3> grid{}, block{};
  uint64_t dynamicShared = 0;
  std::vector<unsigned char> parameters; ///< in the entry's layout
  /// The bytes at a device address, or null.
  std::function<unsigned char *(uint64_t address, uint64_t size)> memory;
};

/// Runs the whole grid. Throws PTXError.
void runPTX(const PTXModule &module, const PTXFunction &entry,
            const PTXLaunch &launch);

/// The value of an instruction that only computes; false for other
/// instructions.
bool computePTX(const PTXInstruction &instruction, const uint64_t *values,
                size_t numValues, uint64_t &result);
uint64_t truncated(uint64_t value, unsigned bits);

} // namespace fake

#endif // SLUICE_LIB_DEVICE_TESTING_FAKECUDA_FAKEPTX_H
