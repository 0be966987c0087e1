//===- DiagnosticsTest.cpp - Messages as text -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The printed form of each part of a message, with and without colour, and of
// messages without some parts.
//
//===----------------------------------------------------------------------===//

#include "TestFolder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "sluice/Diagnostics/MLIR.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace sluice;

namespace {
/// A file of one line, and messages about it.
struct Messages : testing::Test {
  Messages() : path(folder.file("a.c")) {
    std::ofstream(path) << "int x = y;\n";
  }
  ~Messages() override { setColorMode(ColorMode::Auto); }

  SourcePlace at(unsigned column) const { return {path, 1, column}; }

  static std::string print(const Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream os(text);
    DiagnosticPrinter(os).print(diagnostic);
    return text;
  }

  test::TestFolder folder;
  std::string path;
};
} // namespace

TEST_F(Messages, MarkAPlace) {
  Diagnostic wrong = {.rule = "H1", .message = "no y", .place = at(9)};
  wrong.note({path, 0, 0}, "in here");
  EXPECT_EQ(print(wrong), path +
                              ":1:9: error: no y [H1]\n"
                              "    1 | int x = y;\n"
                              "      |         ^\n" +
                              path + ": note: in here\n");
  EXPECT_EQ(textOf(wrong),
            path + ":1:9: error: no y [H1]\n" + path + ": note: in here\n");
}

TEST_F(Messages, MarkARangeAndShowTheFix) {
  EXPECT_EQ(print({.severity = Severity::Warning,
                   .message = "short",
                   .place = at(5),
                   .end = at(10),
                   .fix = Fix{"take z", {{at(9), at(10), "z"}}}}),
            path + ":1:5: warning: short\n"
                   "    1 | int x = y;\n"
                   "      |     ^~~~~\n"
                   "      |         z\n");
}

TEST_F(Messages, HaveNoPlaceInOptions) {
  EXPECT_EQ(print({.severity = Severity::Remark, .message = "none"}),
            "sluice: remark: none\n");
  EXPECT_EQ(textOf(Diagnostic{.message = "none"}), "error: none\n");
}

TEST_F(Messages, AreInColourWhenAsked) {
  setColorMode(ColorMode::Always);
  std::string text = print({.message = "red"});
  EXPECT_NE(text.find("\033["), std::string::npos) << text;
  setColorMode(ColorMode::Never);
  EXPECT_EQ(print({.message = "red"}), "sluice: error: red\n");
}

TEST_F(Messages, AreNotInColourInFiles) {
  EXPECT_EQ(print({.message = "plain"}), "sluice: error: plain\n");
}

TEST_F(Messages, ComeFromMLIR) {
  mlir::MLIRContext context;
  context.printOpOnDiagnostic(false);
  Diagnostic seen;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          seen = diagnosticOf(diagnostic);
                                          return mlir::success();
                                        });
  auto name = mlir::StringAttr::get(&context, path);
  mlir::emitWarning(mlir::FileLineColRange::get(name, 1, 5, 6), "w")
          .attachNote(mlir::FileLineColLoc::get(name, 1, 9))
      << "n";
  EXPECT_EQ(seen.severity, Severity::Warning);
  EXPECT_EQ(seen.place, at(5));
  EXPECT_EQ(seen.end, at(6));
  ASSERT_EQ(seen.notes.size(), 1u);
  EXPECT_EQ(seen.notes[0].place, at(9));
  mlir::emitError(mlir::UnknownLoc::get(&context), "e");
  EXPECT_FALSE(seen.place.isKnown());
}
