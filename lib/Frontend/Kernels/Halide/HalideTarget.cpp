//===- HalideTarget.cpp - Halide's names of CPUs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide and clang use different names for CPUs and their features. Code for
// the CPU that the user chose needs a translation.
//
//===----------------------------------------------------------------------===//

#include "HalideTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;
using namespace sluice;

namespace {
/// A Halide feature, and LLVM's names for what it includes.
struct Feature {
  StringRef name;
  SmallVector<StringRef, 5> parts;
};
} // namespace

static ArrayRef<Feature> x86Features() {
  static const Feature features[] = {
      {"sse41", {"sse4.1"}},
      {"avx", {"avx"}},
      {"f16c", {"f16c"}},
      {"fma", {"fma"}},
      {"avx2", {"avx2"}},
      {"avx512", {"avx512f", "avx512cd"}},
      {"avx512_skylake",
       {"avx512f", "avx512cd", "avx512vl", "avx512bw", "avx512dq"}}};
  return features;
}

/// Features, including those that they imply.
static Expected<StringMap<bool>> featuresOf(StringRef cpu) {
  if (cpu == "native")
    return sys::getHostCPUFeatures();
  if (X86::parseArchX86(cpu) == X86::CK_None)
    return createStringError("unknown CPU '" + cpu + "'");
  StringMap<bool> result;
  SmallVector<StringRef> names;
  X86::getFeaturesForCPU(cpu, names);
  for (StringRef name : names) {
    result[name] = true;
    X86::updateImpliedFeatures(name, true, result);
  }
  return result;
}

Expected<std::string> driver::halideTarget(StringRef cpu) {
  Expected<StringMap<bool>> features = featuresOf(cpu);
  if (!features)
    return features.takeError();
  std::string target = "x86-64-linux";
  for (const Feature &feature : x86Features())
    if (all_of(feature.parts,
               [&](StringRef part) { return features->lookup(part); }))
      target += ("-" + feature.name).str();
  return target;
}

/// The features that a Halide target may contain besides those of every CPU.
static bool isCallable(StringRef feature) {
  static const StringSet<> known = {"x86",
                                    "64",
                                    "linux",
                                    "sse41",
                                    "avx",
                                    "f16c",
                                    "fma",
                                    "fma4",
                                    "avx2",
                                    "avx512",
                                    "avx512_knl",
                                    "avx512_skylake",
                                    "avx512_cannonlake",
                                    "avx512_sapphirerapids",
                                    "large_buffers",
                                    "no_asserts",
                                    "no_bounds_query",
                                    "no_runtime",
                                    "strict_float",
                                    "disable_llvm_loop_opt",
                                    "enable_llvm_loop_opt"};
  return known.contains(feature);
}

Expected<std::string> driver::requestedTarget(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '-');
  std::string target;
  for (StringRef part : parts) {
    bool isHost = part == "host" && target.empty();
    if (!isHost && !isCallable(part))
      return createStringError(
          "'" + part + "' of the target '" + text +
          "' cannot be used: tasks of Halide run on x86-64 under Linux");
    // Halide's runtime is linked once, and not with every function.
    if (part == "no_runtime")
      continue;
    Expected<std::string> host = halideTarget("native");
    if (!host)
      return host.takeError();
    target += (target.empty() ? "" : "-") + (isHost ? *host : part.str());
  }
  return target;
}
