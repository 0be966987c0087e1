//===- HeteroCalls.h - Reading Hetero-C++ calls from the AST --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. Lists name variables; LLVM IR would only contain
// their values, promoted as in all variadic calls. So every argument that names
// a variable is replaced by the variable's address, and the record describes
// the variable:
//
//   __hetero_task_begin(2, x, n, k, 1, x, n, "t")
//     -> __hetero_task_begin(<record>, &x, &n, &k, 1, &x, &n, "t")
//   __hetero_launch(f, 2, x, n, k, 1, x, n)
//     -> __hetero_launch(<record>, &(float *){x}, &(size_t){n}, &(int){k})
//   for (int i = a; i < b; i += s) { __hetero_parallel_loop(1, ...);
//     -> __hetero_parallel_loop(<record>, ..., &i, a, a, b, s)
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HETERO_HETEROCALLS_H
#define SLUICE_LIB_FRONTEND_HETERO_HETEROCALLS_H

#include "../HPVM/Calls/ReadCalls.h"
#include "HeteroFunctions.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace clang {
class CallExpr;
class CodeGenerator;
class Expr;
class ForStmt;
class Stmt;
} // namespace clang

namespace sluice {

/// Reads and rewrites the calls of one translation unit.
class HeteroReader : public RegionReader {
public:
  HeteroReader(clang::ASTContext &ast, CallReader &calls)
      : ast(ast), calls(calls) {}

  /// Reads one function's body; call it before code is generated.
  void read(clang::FunctionDecl *function) override;
  /// True if the function contains a region of Hetero-C++.
  bool hasRegions(const clang::FunctionDecl *function) const override {
    return withRegions.contains(function);
  }

  /// Fills in the unit's records.
  void finish(clang::CodeGenerator &generator, CompiledUnit &unit);

private:
  struct SourceItem {
    clang::QualType type;
    HeteroItem item;
  };
  struct SourceLoop {
    clang::QualType type;
    HeteroLoop loop;
  };
  struct Call {
    HeteroCall record;
    std::vector<SourceItem> items = {};
    std::vector<SourceLoop> loops = {};
    clang::FunctionDecl *root = nullptr;
  };

  void walk(clang::Stmt *statement);
  void readCall(clang::CallExpr *call, HeteroFunction kind);
  void readLaunch(clang::CallExpr *call);
  void readRegion(clang::CallExpr *call, HeteroCall::Kind kind);
  void readLoop(clang::CallExpr *call);
  void readPrivate(clang::CallExpr *call);
  void readEnd(clang::CallExpr *call, HeteroFunction begin);

  /// Reads a list of inputs or outputs from argument `next` on; false if it is
  /// invalid.
  bool readList(clang::CallExpr *call, unsigned &next, bool isOutput,
                Call &target);
  bool readItem(clang::CallExpr *call, unsigned index, bool isSize,
                bool isOutput, Call &target);
  bool readName(clang::CallExpr *call, unsigned next, Call &target);
  void readLoopHeader(clang::ForStmt *loop, Call &target,
                      llvm::SmallVectorImpl<clang::Expr *> &arguments);
  std::optional<int64_t> constant(clang::CallExpr *call, unsigned index,
                                  llvm::StringRef what);
  clang::Expr *convert(clang::Expr *value, clang::QualType type);
  clang::Expr *toInt64(clang::Expr *value, clang::QualType through);
  clang::Expr *literal(uint64_t value, clang::QualType type,
                       clang::SourceLocation location);
  clang::Expr *addressOf(clang::ValueDecl *variable,
                         clang::SourceLocation location);
  void setRecord(clang::CallExpr *call, Call source);
  void finishRoot(clang::FunctionDecl *root, HeteroCall &record,
                  clang::CodeGenerator &generator);

  clang::ASTContext &ast;
  CallReader &calls;
  std::vector<Call> records;
  /// The path from the function's body to the statement that is being read.
  llvm::SmallVector<clang::Stmt *> stack;
  llvm::DenseSet<const clang::FunctionDecl *> withRegions;
  const clang::FunctionDecl *current = nullptr;
  llvm::StringSet<> rootAdapters;
  /// The number of errors before the call that is being read.
  unsigned errorsBefore = 0;
};

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HETERO_HETEROCALLS_H
