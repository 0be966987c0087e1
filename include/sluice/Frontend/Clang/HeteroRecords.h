//===- HeteroRecords.h - What Hetero-C++ calls say in the source ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Like the records of HPVM-C calls in Compile.h: what LLVM IR no longer says
// about lists of inputs and outputs, and about loops, travels beside the
// module.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_CLANG_HETERORECORDS_H
#define SLUICE_FRONTEND_CLANG_HETERORECORDS_H

#include "sluice/Diagnostics/Diagnostics.h"

#include "llvm/Support/Alignment.h"

#include <string>
#include <vector>

namespace llvm {
class Type;
} // namespace llvm

namespace sluice {

/// A value that enters or leaves a node, as the source declares it.
struct PortRecord {
  /// The type it has in memory: bool is i8, and a type with a union in it is
  /// an array of integers, so that no byte of any member is lost.
  llvm::Type *type = nullptr;
  llvm::Align alignment = {};
  /// The parameter's name, or that of the variable returned; may be empty.
  std::string name = {};
  /// The type as written.
  std::string spelling = {};
  SourcePlace place = {};
  bool isRestrict = false;
  bool isInput = false;
  bool isOutput = false;
};

/// A variable that a list names.
struct HeteroItem {
  /// The argument that points to the variable.
  unsigned argument = 0;
  /// The variable itself is the buffer: `&x` or an array, not a pointer.
  bool isMemory = false;
  /// Stands in the place of a buffer's size.
  bool isSize = false;
  bool isSigned = false;
  bool isOutput = false;
  PortRecord variable = {};
};

/// One loop of a parallel loop nest. The arguments from `argument` on: a
/// pointer to the variable, then as i64 its first value, that value as the
/// condition compares it, what it is compared with, and the step.
struct HeteroLoop {
  unsigned argument = 0;
  bool isDown = false;
  /// `<=` or `>=`.
  bool isInclusive = false;
  bool isUnsigned = false;
  PortRecord variable = {};
};

/// A call that names variables. In the IR its first argument is `firstNumber`
/// plus the record's index.
struct HeteroCall {
  static constexpr unsigned firstNumber = 0x50000000;

  /// Launch: a pointer to a temporary for every parameter of the root follows.
  enum class Kind { Launch, LaunchRegion, Task, Loop, Private };
  Kind kind = Kind::Task;
  SourcePlace place = {};
  /// It was reported: what the record says is a part, and no more is said
  /// about what follows from the rest.
  bool isBroken = false;
  /// The node's name; may be empty.
  std::string name = {};
  std::vector<HeteroItem> items = {};
  /// The outermost first.
  std::vector<HeteroLoop> loops = {};
  /// Launch: the root in the module and in the source, its parameters, and a
  /// function that takes a pointer to each and calls it.
  std::string root = {}, rootName = {}, adapter = {};
  std::vector<PortRecord> parameters = {};
};

} // namespace sluice

#endif // SLUICE_FRONTEND_CLANG_HETERORECORDS_H
