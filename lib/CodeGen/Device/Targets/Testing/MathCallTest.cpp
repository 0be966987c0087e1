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

class MathCallTest : public DeviceTest {
protected:
  /// Runs r = f(x) or f(x, y) for reals and compares within `tolerance`.
  template <typename Real>
  void check(const std::string &callee, const std::string &operands,
             double tolerance) {
    bool isDouble = sizeof(Real) == 8;
    std::string type = isDouble ? "double" : "float";
    std::string words, values;
    for (char kind : operands) {
      std::string one = kind == 'i' ? "i32" : type;
      words += (words.empty() ? "" : ", ") + one;
      values += (values.empty() ? "" : ", ") + one +
                (kind == 'i'      ? " 3"
                 : values.empty() ? " %x"
                                  : " %y");
    }
    std::string text = perItem(
        type, "declare " + type + " @" + callee + "(" + words + ")\ndefine " +
                  type + " @f(" + type + " %x) {\n  %y = fadd " + type +
                  " %x, 0.5\n  %r = call " + type + " @" + callee + "(" +
                  values + ")\n  ret " + type + " %r\n}\n");
    std::unique_ptr<llvm::Module> module = parse(text);
    ASSERT_TRUE(module);
    ASSERT_TRUE(codegen::isDeviceFunction(callee)) << callee;
    Images images = emit(*module);
    ASSERT_EQ(images.failure, "");
    for (const codegen::KernelProblem &problem : images.problems)
      ADD_FAILURE() << callee << ": " << problem.problem;
    checkPTX(images.ptx);
    checkLibdevice(*module);
    std::vector<Real> host, device;
    for (int i = 1; i <= 64; ++i)
      host.push_back(Real(i) / 65);
    if (callee.find("acosh") != std::string::npos)
      for (Real &x : host)
        x += 1;
    device = host;
    std::vector<Parameter> parameters = {
        buffer(host.data(), host.size() * sizeof(Real))};
    ASSERT_EQ(runOnHost(*module, "k", parameters, 8, 8), "");
    RETURN_WITHOUT_RUNNER();
    parameters = {buffer(device.data(), device.size() * sizeof(Real))};
    ASSERT_EQ(runner()->run(images.spir, "k", parameters, 8, 8), "");
    for (size_t i = 0; i < host.size(); ++i)
      ASSERT_NEAR(host[i], device[i],
                  tolerance * (1 + std::fabs(double(host[i]))))
          << callee << " at " << i;
  }

private:
  /// The same with CUDA's library, where it is installed.
  void checkLibdevice(const llvm::Module &module) {
    codegen::DeviceOptions options = machineOptions();
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
  for (const char *name :
       {"sin",   "cos",   "tan",   "asin",  "acos",  "atan",  "sinh",
        "cosh",  "tanh",  "asinh", "acosh", "atanh", "exp",   "exp2",
        "exp10", "expm1", "log",   "log2",  "log10", "log1p", "cbrt",
        "sqrt",  "fabs",  "floor", "ceil",  "trunc", "round", "rint"}) {
    check<double>(name, "x", 1e-15);
    check<float>(std::string(name) + "f", "x", 1e-6);
  }
  for (const char *name : {"atan2", "pow", "hypot", "fmod", "remainder", "fdim",
                           "fmin", "fmax", "copysign"}) {
    check<double>(name, "xx", 1e-15);
    check<float>(std::string(name) + "f", "xx", 1e-6);
  }
  check<double>("fma", "xxx", 0);
  check<double>("ldexp", "xi", 0);
  check<float>("ldexpf", "xi", 0);
}

TEST_F(MathCallTest, Intrinsics) {
  for (const char *name :
       {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "exp", "exp2", "exp10", "log", "log2", "log10"}) {
    check<double>(std::string("llvm.") + name + ".f64", "x", 1e-15);
    check<float>(std::string("llvm.") + name + ".f32", "x", 1e-6);
  }
  for (const char *name : {"pow", "atan2"}) {
    check<double>(std::string("llvm.") + name + ".f64", "xx", 1e-15);
    check<float>(std::string("llvm.") + name + ".f32", "xx", 1e-6);
  }
  check<double>("llvm.ldexp.f64.i32", "xi", 0);
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
