//===- RealTest.cpp - Real numbers on every form --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and the operations that IEEE 754 defines are bit-identical to the
// host. A product and a sum are never fused unless the module says so.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"
#include "Kernels.h"

#include <set>
#include <sstream>

using namespace sluice;
using namespace sluice::testing;

namespace {

class RealTest : public DeviceTest {
protected:
  /// Checks each @g for float and double; all NaNs compare equal. One kernel
  /// computes all of them, since a device takes long to compile one.
  void check(const std::vector<std::string> &bodies) {
    checkType(bodies, reals<double, uint64_t>(), "double", "f64");
    checkType(bodies, reals<float, uint32_t>(), "float", "f32");
  }
  void check(const std::string &body) { check(std::vector{body}); }

private:
  static std::string replaced(std::string body, const std::string &type,
                              const std::string &suffix,
                              const std::string &name) {
    auto all = [&](const std::string &from, const std::string &to) {
      for (size_t at = 0; (at = body.find(from, at)) != std::string::npos;)
        body.replace(at, from.size(), to), at += to.size();
    };
    all("$T", type);
    all("$S", suffix);
    all("$B", type == "float" ? "i32" : "i64");
    all("@g(", name + "(");
    return body;
  }

  template <typename Real>
  void checkType(const std::vector<std::string> &bodies,
                 const std::vector<Real> &values, const std::string &type,
                 const std::string &suffix) {
    // Each has the values once.
    std::vector<Real> data;
    std::set<std::string> declarations;
    std::string functions, labels, blocks;
    for (size_t i = 0; i != bodies.size(); ++i) {
      std::string n = std::to_string(i), name = "@g" + n;
      std::istringstream lines(replaced(bodies[i], type, suffix, name));
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("declare "))
          declarations.insert(line + "\n");
        else
          functions += line + "\n";
      }
      labels += " i64 " + n + ", label %of" + n;
      blocks += "of" + n + ":\n  %r" + n + " = call " + type + " " + name +
                "(" + type + " %x)\n  %n" + n + " = fcmp uno " + type + " %r" +
                n + ", %r" + n + "\n  %s" + n + " = select i1 %n" + n + ", " +
                type + " 0.0, " + type + " %r" + n + "\n  store " + type +
                " %s" + n + ", ptr addrspace(1) %p\n  br label %end\n";
      data.insert(data.end(), values.begin(), values.end());
    }
    std::string kernel;
    for (const std::string &line : declarations)
      kernel += line;
    kernel += functions +
              kernelOfItems(type, "  %which = udiv i64 %id, " +
                                      std::to_string(values.size()) +
                                      "\n  switch i64 %which, label %end [" +
                                      labels + " ]\n" + blocks + "end:\n");
    compare(kernel, data, 8, data.size() / 8);
  }
};

TEST_F(RealTest, Arithmetic) {
  check(R"(
define $T @g($T %x) {
  %a = fmul $T %x, %x
  %b = fadd $T %a, %x
  %c = fdiv $T %b, 3.0
  %d = fsub $T %c, %x
  %e = fneg $T %d
  ret $T %e
})");
  check(R"(
define $T @g($T %x) {
  %y = fdiv $T 1.0, %x
  ret $T %y
})");
}

TEST_F(RealTest, FlagsDoNotContract) {
  check(R"(
define $T @g($T %x) {
  %a = fmul contract reassoc $T %x, %x
  %b = fadd contract reassoc $T %a, %x
  %c = fdiv arcp afn $T %b, 3.0
  ret $T %c
})");
}

TEST_F(RealTest, FusedMultiplyAdd) {
  check(R"(
declare $T @llvm.fma.$S($T, $T, $T)
define $T @g($T %x) {
  %a = call $T @llvm.fma.$S($T %x, $T %x, $T -0.1e1)
  ret $T %a
})");
}

TEST_F(RealTest, SquareRootsAndRoundings) {
  std::vector<std::string> bodies;
  for (const char *name : {"sqrt", "fabs", "floor", "ceil", "trunc", "rint",
                           "nearbyint", "roundeven", "round", "canonicalize"})
    bodies.push_back(std::string("declare $T @llvm.") + name +
                     ".$S($T)\ndefine $T @g($T %x) {\n  %a = call $T @llvm." +
                     name + ".$S($T %x)\n  ret $T %a\n}\n");
  check(bodies);
}

TEST_F(RealTest, LeastAndGreatest) {
  std::vector<std::string> bodies;
  for (const char *name : {"minnum", "maxnum", "minimum", "maximum",
                           "minimumnum", "maximumnum", "copysign"}) {
    // For two zeros, minnum may return either.
    bool isExact =
        std::string(name) != "minnum" && std::string(name) != "maxnum" &&
        std::string(name) != "minimumnum" && std::string(name) != "maximumnum";
    bodies.push_back(
        std::string("declare $T @llvm.") + name +
        ".$S($T, $T)\ndefine $T @g($T %x) {\n  %y = fmul $T %x, -0.5\n"
        "  %a = call $T @llvm." +
        name + ".$S($T %x, $T %y)\n" +
        (isExact ? "  ret $T %a\n}\n"
                 : "  %b = fadd $T %a, 0.0\n"
                   "  ret $T %b\n}\n"));
  }
  check(bodies);
}

TEST_F(RealTest, ConversionsToIntegers) {
  std::vector<std::string> bodies;
  for (const char *integer : {"i8", "i16", "i32", "i64", "i1", "i13"})
    for (const char *sign : {"si", "ui"}) {
      std::string back = std::string(sign) + "tofp " + integer;
      bodies.push_back(
          std::string("declare ") + integer + " @llvm.fpto" + sign + ".sat." +
          integer + ".$S($T)\ndefine $T @g($T %x) {\n  %a = call " + integer +
          " @llvm.fpto" + sign + ".sat." + integer +
          ".$S($T %x)\n  %b = " + back + " %a to $T\n  ret $T %b\n}\n");
    }
  for (const char *name : {"lround", "llrint"})
    bodies.push_back(
        std::string("declare i64 @llvm.") + name +
        ".i64.$S($T)\ndefine $T @g($T %x) {\n"
        "  %m = call $T @llvm.fabs.$S($T %x)\n"
        "  %c = fcmp olt $T %m, 1048576.0\n"
        "  %s = select i1 %c, $T %x, $T 0.0\n  %a = call i64 @llvm." +
        name +
        ".i64.$S($T %s)\n  %b = sitofp i64 %a to $T\n  ret $T "
        "%b\n}\n");
  check(bodies);
}

TEST_F(RealTest, Classes) {
  std::vector<std::string> bodies;
  for (const char *mask : {"1", "2", "3", "4", "8", "16", "32", "64", "128",
                           "256", "512", "516", "504", "240", "1023", "0"})
    bodies.push_back(
        std::string("declare i1 @llvm.is.fpclass.$S($T, i32 immarg)\n"
                    "define $T @g($T %x) {\n  %a = call i1 "
                    "@llvm.is.fpclass.$S($T %x, i32 ") +
        mask + ")\n  %b = uitofp i1 %a to $T\n  ret $T %b\n}\n");
  check(bodies);
}

TEST_F(RealTest, Comparisons) {
  std::string body = "define $T @g($T %x) {\n  %y = fmul $T %x, %x\n"
                     "  %s0 = fadd $T 0.0, 0.0\n";
  unsigned n = 0;
  for (const char *predicate :
       {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
        "ult", "ule", "une", "uno", "true", "false"}) {
    std::string i = std::to_string(n), next = std::to_string(n + 1);
    body += "  %c" + i + " = fcmp " + predicate + " $T %x, %y\n  %v" + i +
            " = select i1 %c" + i + ", $T " + std::to_string(1 << n) +
            ".0, $T 0.0\n  %s" + next + " = fadd $T %s" + i + ", %v" + i + "\n";
    ++n;
  }
  check(body + "  ret $T %s" + std::to_string(n) + "\n}\n");
}

TEST_F(RealTest, IntegerPowers) {
  std::vector<std::string> bodies;
  for (const char *power : {"0", "1", "-3", "17"})
    bodies.push_back(std::string("declare $T @llvm.powi.$S.i32($T, i32)\n"
                                 "define $T @g($T %x) {\n  %a = call $T "
                                 "@llvm.powi.$S.i32($T %x, i32 ") +
                     power + ")\n  ret $T %a\n}\n");
  check(bodies);
}

TEST_F(RealTest, Bits) {
  check(R"(
define $T @g($T %x) {
  %a = bitcast $T %x to $B
  %b = xor $B %a, 1
  %c = bitcast $B %b to $T
  ret $T %c
})");
}

TEST_F(RealTest, Half) {
  std::vector<float> data = reals<float, uint32_t>();
  compare(perItem("float", R"(
define float @f(float %x) {
  %h = fptrunc float %x to half
  %n = fcmp uno half %h, %h
  %s = select i1 %n, half 0.0, half %h
  %r = fpext half %s to float
  ret float %r
})"),
          data, 8, data.size() / 8);
}

} // namespace
