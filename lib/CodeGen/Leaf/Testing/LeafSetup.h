//===- LeafSetup.h - A leaf to test, and its data ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specification of a test, as its command line gives it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_TESTING_LEAFSETUP_H
#define SLUICE_LIB_CODEGEN_LEAF_TESTING_LEAFSETUP_H

#include "sluice/CodeGen/KernelPipeline.h"
#include "sluice/CodeGen/RangeFunction.h"
#include "llvm/Support/CommandLine.h"

#include <array>
#include <string>
#include <vector>

namespace sluice::codegen::leaftest {

// Options that several parts of the tool read.
extern llvm::cl::opt<std::string> leafName;
extern llvm::cl::opt<std::string> emit;
extern llvm::cl::opt<unsigned> seed;
extern llvm::cl::opt<int> lanes;
extern llvm::cl::opt<Debugging> debugging;

/// One port's data: a value, or a buffer whose address is the value.
struct Datum {
  std::vector<char> bytes;
  bool isBuffer = false;
};

/// A leaf, how it is to be compiled, and the data that it runs on.
struct Setup {
  RangeSpec spec;
  std::vector<std::array<int64_t, 3>> extents;
  std::vector<std::array<int64_t, 3>> ids; ///< of fixed levels
  std::vector<Datum> inputs;

  int64_t count(unsigned first, unsigned end) const {
    int64_t product = 1;
    for (unsigned level = first; level < end; ++level)
      for (int64_t extent : extents[level])
        product *= extent;
    return product;
  }
};

/// What the command line says about the leaf.
Setup makeSetup(llvm::Function &leaf);

} // namespace sluice::codegen::leaftest

#endif // SLUICE_LIB_CODEGEN_LEAF_TESTING_LEAFSETUP_H
