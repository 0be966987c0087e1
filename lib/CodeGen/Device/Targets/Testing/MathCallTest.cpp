//===- MathCallTest.cpp - Calls of math functions on every form -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every accepted call must be lowered for every format.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "HostRunner.h"
#include "Kernels.h"
#include "llvm/Support/FileSystem.h"

#include <cmath>

using namespace sluice;
using namespace sluice::testing;

namespace {

/// A call of a function of x and x + 0.5, or of x and 3.
struct MathCall {
  std::string callee;
  std::string operands; ///< a character each; i: an integer
  double tolerance;
};

class MathCallTest : public DeviceTest {
protected:
  static constexpr size_t numValues = 64;

  /// A kernel k(a) with a call of each function: item i makes
  /// a[64 * (j + 1) + i] = f_j(a[i]).
  template <typename Real>
  static std::string kernelOf(const std::vector<MathCall> &calls) {
    std::string type = sizeof(Real) == 8 ? "double" : "float";
    std::string functions, body;
    for (size_t j = 0; j < calls.size(); ++j) {
      std::string words, values, number = std::to_string(j);
      for (char kind : calls[j].operands) {
        std::string one = kind == 'i' ? "i32" : type;
        words += (words.empty() ? "" : ", ") + one;
        values += (values.empty() ? "" : ", ") + one +
                  (kind == 'i'      ? " 3"
                   : values.empty() ? " %x"
                                    : " %y");
      }
      bool isAboveOne = calls[j].callee.find("acosh") != std::string::npos;
      functions += "declare " + type + " @" + calls[j].callee + "(" + words +
                   ")\ndefine " + type + " @f" + number + "(" + type +
                   " %v) {\n  %x = fadd " + type + " %v, " +
                   (isAboveOne ? "1.0" : "0.0") + "\n  %y = fadd " + type +
                   " %x, 0.5\n  %r = call " + type + " @" + calls[j].callee +
                   "(" + values + ")\n  ret " + type + " %r\n}\n";
      body += "  %y" + number + " = call " + type + " @f" + number + "(" +
              type + " %x)\n  %i" + number + " = add i64 %id, " +
              std::to_string(numValues * (j + 1)) + "\n  %q" + number +
              " = getelementptr " + type + ", ptr addrspace(1) %a, i64 %i" +
              number + "\n  store " + type + " %y" + number +
              ", ptr addrspace(1) %q" + number + "\n";
    }
    return functions + kernelOfItems(type, body);
  }

  /// Calls all functions in one kernel, since compilers take long for each
  /// kernel, and compares the results with the host within the tolerances.
  template <typename Real> void check(const std::vector<MathCall> &calls) {
    for (const MathCall &call : calls)
      ASSERT_TRUE(codegen::isDeviceFunction(call.callee)) << call.callee;
    std::unique_ptr<llvm::Module> module = parse(kernelOf<Real>(calls));
    ASSERT_TRUE(module);
    Images images = emit(*module);
    ASSERT_EQ(images.failure, "");
    for (const codegen::KernelProblem &problem : images.problems)
      ADD_FAILURE() << problem.problem;
    checkPTX(images.ptx);
    checkLibdevice(*module);
    std::vector<Real> host(numValues * (calls.size() + 1));
    for (size_t i = 0; i < numValues; ++i)
      host[i] = Real(i + 1) / (numValues + 1);
    std::vector<Real> device = host;
    std::vector<Parameter> parameters = {
        buffer(host.data(), host.size() * sizeof(Real))};
    ASSERT_EQ(runOnHost(*module, "k", parameters, 8, 8), "");
    RETURN_WITHOUT_RUNNER();
    parameters = {buffer(device.data(), device.size() * sizeof(Real))};
    ASSERT_EQ(runner()->run(images.spir, "k", parameters, 8, 8), "");
    for (size_t i = numValues; i < host.size(); ++i) {
      const MathCall &call = calls[i / numValues - 1];
      ASSERT_NEAR(host[i], device[i],
                  call.tolerance * (1 + std::fabs(double(host[i]))))
          << call.callee << " at " << i % numValues;
    }
  }

private:
  /// The same with CUDA's library, if it is installed.
  void checkLibdevice(const llvm::Module &module) {
    codegen::DeviceCodeOptions options = machineOptions();
    options.wantsSPIRV = false;
    options.libdevice = "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc";
    if (!llvm::sys::fs::exists(options.libdevice))
      return;
    Images images = emit(module, options);
    ASSERT_EQ(images.failure, "");
    EXPECT_TRUE(images.problems.empty());
    EXPECT_NE(images.ptx.find(".entry k("), std::string::npos);
  }
};

TEST_F(MathCallTest, Libm) {
  std::vector<MathCall> doubles = {{"fma", "xxx", 0}, {"ldexp", "xi", 0}};
  std::vector<MathCall> floats = {{"ldexpf", "xi", 0}};
  auto add = [&](const std::string &name, const char *operands) {
    doubles.push_back({name, operands, 1e-15});
    floats.push_back({name + "f", operands, 1e-6});
  };
  for (const char *name :
       {"sin",   "cos",   "tan",   "asin",  "acos",  "atan",  "sinh",
        "cosh",  "tanh",  "asinh", "acosh", "atanh", "exp",   "exp2",
        "exp10", "expm1", "log",   "log2",  "log10", "log1p", "cbrt",
        "sqrt",  "fabs",  "floor", "ceil",  "trunc", "round", "rint"})
    add(name, "x");
  for (const char *name : {"atan2", "pow", "hypot", "fmod", "remainder", "fdim",
                           "fmin", "fmax", "copysign"})
    add(name, "xx");
  check<double>(doubles);
  check<float>(floats);
}

TEST_F(MathCallTest, Intrinsics) {
  std::vector<MathCall> doubles = {{"llvm.ldexp.f64.i32", "xi", 0}};
  std::vector<MathCall> floats;
  auto add = [&](const std::string &name, const char *operands) {
    doubles.push_back({"llvm." + name + ".f64", operands, 1e-15});
    floats.push_back({"llvm." + name + ".f32", operands, 1e-6});
  };
  for (const char *name :
       {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "exp", "exp2", "exp10", "log", "log2", "log10"})
    add(name, "x");
  for (const char *name : {"pow", "atan2"})
    add(name, "xx");
  check<double>(doubles);
  check<float>(floats);
}

TEST_F(MathCallTest, VectorsAndHalf) {
  std::vector<float> data(64);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = float(i) / 8;
  compare(perItem("float", R"(
declare <2 x float> @llvm.sqrt.v2f32(<2 x float>)
declare half @llvm.floor.f16(half)
declare <2 x float> @llvm.exp2.v2f32(<2 x float>)
define float @f(float %x) {
  %a = insertelement <2 x float> <float 4.0, float 9.0>, float %x, i32 0
  %b = call <2 x float> @llvm.sqrt.v2f32(<2 x float> %a)
  %i = fptosi <2 x float> %b to <2 x i32>
  %w = sitofp <2 x i32> %i to <2 x float>
  %e = call <2 x float> @llvm.exp2.v2f32(<2 x float> %w)
  %c = extractelement <2 x float> %b, i32 0
  %d = extractelement <2 x float> %e, i32 1
  %h = fptrunc float %x to half
  %g = call half @llvm.floor.f16(half %h)
  %k = fpext half %g to float
  %s = fadd float %c, %d
  %t = fadd float %s, %k
  ret float %t
})"),
          data, 8, 8);
}

} // namespace
