//===- SPIRVWords.cpp - SPIR-V as a sequence of words ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some drivers do not accept all of LLVM's SPIR-V. This file changes the
// finished words where that is simpler than another translator.
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/SPIRVWords.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

constexpr uint32_t magic = 0x07230203;
constexpr size_t headerWords = 5;

Expected<std::string> codegen::rewriteSPIRV(
    StringRef spirv,
    function_ref<void(SPIRVInstruction, SmallVectorImpl<uint32_t> &)> add) {
  if (spirv.size() % 4 != 0)
    return createStringError("SPIR-V of " + Twine(spirv.size()) +
                             " bytes, which is not a number of words");
  SmallVector<uint32_t, 0> copy(spirv.size() / 4);
  if (!spirv.empty())
    memcpy(copy.data(), spirv.data(), spirv.size());
  ArrayRef<uint32_t> words = copy;
  if (words.size() < headerWords || words[0] != magic)
    return createStringError("this is not SPIR-V");
  SmallVector<uint32_t, 0> result(words.take_front(headerWords));
  for (size_t at = headerWords; at < words.size();) {
    size_t size = words[at] >> 16;
    if (size == 0 || size > words.size() - at)
      return createStringError("SPIR-V breaks off at word " + Twine(at));
    add(words.slice(at, size), result);
    at += size;
  }
  return std::string(reinterpret_cast<const char *>(result.data()),
                     result.size() * 4);
}

namespace {

/// Numbers of the SPIR-V specification.
enum WordOpcode : uint32_t {
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpConstantFalse = 42,
  OpConstant = 43,
  OpConstantNull = 46,
};

/// Rewrites constants that are scalar zeros.
class Zeros {
public:
  void add(SPIRVInstruction op, SmallVectorImpl<uint32_t> &result) {
    uint32_t code = codeOf(op);
    if (code == OpTypeBool && op.size() >= 2)
      widths[op[1]] = 0;
    if ((code == OpTypeInt || code == OpTypeFloat) && op.size() >= 3)
      widths[op[1]] = op[2];
    auto width = code == OpConstantNull && op.size() == 3 ? widths.find(op[1])
                                                          : widths.end();
    if (width == widths.end())
      append_range(result, op);
    else
      addZero(op, width->second, result);
  }

private:
  /// A value takes one word for every 32 bits, rounded up.
  static void addZero(SPIRVInstruction op, uint32_t width,
                      SmallVectorImpl<uint32_t> &result) {
    uint32_t numWords = (width + 31) / 32;
    uint32_t code = width == 0 ? OpConstantFalse : OpConstant;
    result.push_back((3 + numWords) << 16 | code);
    result.push_back(op[1]);
    result.push_back(op[2]);
    result.append(numWords, 0);
  }

  DenseMap<uint32_t, uint32_t> widths; ///< Widths of scalar types; 0 for bool.
};

} // namespace

Expected<std::string> codegen::rewriteForOldTranslator(StringRef spirv) {
  Zeros zeros;
  return rewriteSPIRV(
      spirv, [&](SPIRVInstruction op, SmallVectorImpl<uint32_t> &result) {
        zeros.add(op, result);
      });
}
