//===- ReadCalls.h - Reading HPVM-C calls from the AST --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the front end. Before clang generates code for a function, its
// variadic HPVM-C calls are checked, recorded and rewritten, so that the IR
// shows the source's meaning independently of the ABI:
//
//   __hpvm__return(2, f, s)      ->  __hpvm__return(<record>, &(float){f},
//                                                   &(struct S){s})
//   __hpvm__createNodeND(1, F, n) -> __hpvm__createNodeND(<record>, F, (long)n)
//   __hpvm__launch(0, F, args)   ->  __hpvm__launch(<record>, F, args)
//   __hpvm__attributes(1, p, 0)  ->  __hpvm__attributes(<record>)
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_HPVM_CALLS_READCALLS_H
#define SLUICE_LIB_FRONTEND_HPVM_CALLS_READCALLS_H

#include "sluice/Frontend/Clang/Compile.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class ASTContext;
class CallExpr;
class CodeGenerator;
class Expr;
} // namespace clang

namespace sluice {

/// The named metadata of a target; empty if the integer is no target.
llvm::StringRef hintOf(int64_t target, HPVMVersion version);

/// A port whose LLVM type is not known yet.
struct TypedPort {
  clang::QualType type;
  PortRecord record;
};

/// The AST's information about a call and a node function; finish() turns it
/// into records.
struct SourceCall {
  CallRecord record;
  std::vector<TypedPort> outputs = {};
};
struct SourceNode {
  NodeRecord record;
  std::vector<bool> isInput, isOutput;
  bool isNamedAsNode = false;
};

/// Reads constructs of another language in functions: regions of code that
/// become nodes.
class RegionReader {
public:
  virtual ~RegionReader() = default;

  /// Reads one function's body; called before its HPVM-C calls are read.
  virtual void read(clang::FunctionDecl *function) = 0;
  /// True if the function contains a region.
  virtual bool hasRegions(const clang::FunctionDecl *function) const = 0;
};

/// Reads and rewrites the calls of one translation unit.
class CallReader {
public:
  CallReader(clang::ASTContext &ast, HPVMVersion version,
             Diagnostics &diagnostics)
      : ast(ast), version(version), diagnostics(diagnostics) {}

  /// Sets the reader of regions in functions; there is none by default.
  void setRegionReader(RegionReader *reader) { regions = reader; }

  /// Reads everything below a declaration; call it before code is generated.
  void read(clang::Decl *declaration);

  /// At the end of the translation unit: adds the adapters to `generator` and
  /// fills in the unit's records.
  void finish(clang::CodeGenerator &generator, CompiledUnit &unit);

  /// Reads one HPVM-C call inside `function` (null: a global initialiser).
  void readCall(clang::CallExpr *call, llvm::StringRef name,
                clang::FunctionDecl *function);
  /// Reads the regions in a function.
  void readRegions(clang::FunctionDecl *function) {
    if (regions)
      regions->read(function);
  }

  /// Also used by readers of other calls.
  SourcePlace placeOf(clang::SourceLocation location);
  unsigned errorCount() const { return diagnostics.errorCount(); }
  Diagnostic &error(clang::SourceLocation location, std::string message,
                    llvm::StringRef rule);
  clang::Expr *addressOfTemporary(clang::Expr *value);
  /// Reports why a type cannot be a port's type; returns true if it can.
  bool checkPort(clang::QualType type, const SourcePlace &place,
                 const std::string &what);
  void finishPort(TypedPort &port, clang::CodeGenerator &generator);
  /// A function that takes a pointer to every parameter of `function` and calls
  /// it with the values.
  clang::FunctionDecl *makeAdapter(clang::FunctionDecl *function,
                                   llvm::StringRef name);

private:
  void readReturn(clang::CallExpr *call);
  void readCreateNode(clang::CallExpr *call);
  void readLaunch(clang::CallExpr *call);
  void readAttributes(clang::CallExpr *call, clang::FunctionDecl *function);
  void readHint(clang::CallExpr *call, clang::FunctionDecl *function);
  bool readPointerList(clang::CallExpr *call, unsigned first, unsigned count,
                       clang::FunctionDecl *function, bool isOutput);
  bool checkNodeFunction(clang::Expr *argument);
  void readNodeFunction(clang::Expr *argument);
  bool readExtent(clang::CallExpr *call, unsigned index);

  /// The constant value of an argument; reports an error if it has none.
  std::optional<int64_t> constantArgument(clang::CallExpr *call, unsigned index,
                                          llvm::StringRef what);
  void setRecord(clang::CallExpr *call, SourceCall source);
  SourceNode &nodeOf(clang::FunctionDecl *function);

  bool finishNode(clang::FunctionDecl *function, SourceNode &source,
                  clang::CodeGenerator &generator, CompiledUnit &unit);

  clang::ASTContext &ast;
  HPVMVersion version;
  Diagnostics &diagnostics;
  llvm::DenseSet<const clang::Decl *> done;
  std::vector<SourceCall> calls;
  llvm::MapVector<clang::FunctionDecl *, SourceNode> nodes;
  /// Lambdas passed as node functions, which has been rejected.
  llvm::SmallPtrSet<const clang::CXXRecordDecl *, 4> lambdas;
  RegionReader *regions = nullptr;
};

} // namespace sluice

#endif // SLUICE_LIB_FRONTEND_HPVM_CALLS_READCALLS_H
