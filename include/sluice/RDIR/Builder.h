//===- Builder.h - Writing rdir modules in C++ ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tools that make graphs: declarations and nodes in a few lines, and whole
// programs, for which it computes the graph.
//
//   ModuleBuilder module(context);
//   RootOp grid = module.root("grid", {64}, {{"value", module.f64()}});
//   PartitionOp blocks = module.blocks("blocks", {grid}, {4});
//
//   GraphBuilder graph = module.graph("relax");
//   NodeBuilder before = graph.region({blocks}).initial();
//   NodeBuilder after = graph.region({blocks});
//   graph.task("relax").over({4}).reads(before).writes(after);
//
//   ProgramBuilder program(module, "sum");
//   program.task("smooth").over({4}).readsWrites({blocks});
//   program.task("print").reads({grid});
//   program.finish(); // also adds the open and the close
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_BUILDER_H
#define SLUICE_RDIR_BUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "sluice/RDIR/ExportModule.h"
#include "sluice/RDIR/RDIR.h"
#include "sluice/RDIR/SequentialProgram.h"

#include <memory>

namespace sluice::rdir {

/// A number, or a parameter.
struct ExtentName {
  ExtentName(int64_t number) : number(number) {}
  ExtentName(ParameterOp parameter) : parameter(parameter) {}
  mlir::Attribute attribute(mlir::MLIRContext *context) const;

  int64_t number = 0;
  ParameterOp parameter;
};
using ExtentNames = std::vector<ExtentName>;

/// A root, a variable, a partition or a color of a partition, and some of its
/// fields; all fields if none are named.
struct RegionName {
  RegionName(RootOp root, std::vector<std::string> fields = {})
      : declaration(root), fields(std::move(fields)) {}
  RegionName(VariableOp variable) : declaration(variable) {}
  RegionName(PartitionOp partition, std::vector<std::string> fields = {})
      : declaration(partition), fields(std::move(fields)) {}
  RegionName(PartitionOp partition, std::vector<int64_t> color,
             std::vector<std::string> fields = {})
      : declaration(partition), color(std::move(color)),
        fields(std::move(fields)) {}

  mlir::Operation *declaration;
  std::vector<int64_t> color;
  std::vector<std::string> fields;
};

/// A node under construction: a handle, passed by value. Each call modifies the
/// operation at once.
class NodeBuilder {
public:
  explicit NodeBuilder(mlir::Operation *op) : op(op) {}

  operator mlir::Value() const { return op->getResult(0); }
  mlir::Operation *operation() const { return op; }

  /// Data nodes: the node has a value before the graph starts.
  NodeBuilder initial();
  /// Sets the node's name in the text.
  NodeBuilder named(llvm::StringRef name);
  /// Launches a task, copy or fill. Call it before adding edges.
  NodeBuilder over(const ExtentNames &extents);
  /// Edges. `projection`: an affine map, the symbol of a function, or the
  /// string "whole"; none means the identity.
  NodeBuilder reads(mlir::Value data, mlir::Attribute projection = {});
  NodeBuilder writes(mlir::Value data, mlir::Attribute projection = {});
  NodeBuilder discards(mlir::Value data, mlir::Attribute projection = {});
  NodeBuilder continues(mlir::Value data, mlir::Attribute projection = {});
  /// `reduction`: "+" and so on.
  NodeBuilder reduces(llvm::StringRef reduction, mlir::Value data,
                      mlir::Attribute projection = {});
  NodeBuilder reduces(ReductionOp reduction, mlir::Value data,
                      mlir::Attribute projection = {});
  NodeBuilder after(mlir::Value compute);
  /// Adds any edge, even an ill-formed one.
  NodeBuilder edge(EdgeCode code, mlir::Value other,
                   mlir::Attribute projection = {},
                   mlir::Attribute reduction = {});

private:
  mlir::Operation *op;
};

/// The nodes of a graph or of a body.
class GraphBuilder {
public:
  explicit GraphBuilder(mlir::Block *body);

  NodeBuilder region(const RegionName &name);
  NodeBuilder scalar(VariableOp variable);
  NodeBuilder task(llvm::StringRef function = {});
  NodeBuilder host(llvm::StringRef function = {});
  NodeBuilder open();
  NodeBuilder close();
  NodeBuilder copy();
  NodeBuilder fill(mlir::TypedAttr value);
  NodeBuilder loop(const ExtentName &count);
  NodeBuilder loopWhile(VariableOp condition);
  NodeBuilder mustEpoch();
  /// The body of a loop or must-epoch.
  static GraphBuilder body(NodeBuilder node);

private:
  mlir::OpBuilder builder;
  mlir::Location place;
};

/// A module and its declarations.
class ModuleBuilder {
public:
  explicit ModuleBuilder(mlir::MLIRContext &context);

  ParameterOp parameter(llvm::StringRef name, int64_t value);
  VariableOp variable(llvm::StringRef name, mlir::TypedAttr value);
  RootOp root(llvm::StringRef name, const ExtentNames &extents,
              const std::vector<std::pair<std::string, mlir::Type>> &fields);
  PartitionOp blocks(llvm::StringRef name, const RegionName &parent,
                     const ExtentNames &colors);
  /// The halos of `partition`.
  PartitionOp halos(llvm::StringRef name, PartitionOp partition,
                    llvm::ArrayRef<int64_t> width, bool hasCorners = true);
  /// A partition without a rule; only for checks.
  PartitionOp abstractPartition(llvm::StringRef name, const RegionName &parent,
                                const ExtentNames &colors, bool isDisjoint,
                                bool isComplete);
  GraphBuilder graph(llvm::StringRef name);

  mlir::Builder &types() { return builder; }
  mlir::Type f64() { return builder.getF64Type(); }
  mlir::ModuleOp get() const { return module.get(); }
  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(module); }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  mlir::Location place;
};

/// Tasks in program order; buildGraph computes the graph with its versions,
/// opens and closes. The module's declarations must be complete.
class ProgramBuilder {
public:
  ProgramBuilder(ModuleBuilder &module, std::string name);
  ~ProgramBuilder();

  /// A task of the program: a handle, like NodeBuilder.
  class Task {
  public:
    Task(ProgramBuilder &program, size_t index)
        : program(program), index(index) {}
    Task over(const std::vector<int64_t> &extents);
    Task reads(const RegionName &region);
    Task readsWrites(const RegionName &region);
    /// Overwrites all elements without reading them.
    Task overwrites(const RegionName &region);
    Task reduces(llvm::StringRef reduction, const RegionName &region);

  private:
    Task add(Privilege privilege, const RegionName &region,
             ReductionIndex reduction = noReduction);

    ProgramBuilder &program;
    size_t index;
  };

  Task task(std::string function);
  /// Writes the graph into the module.
  GraphOp finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace sluice::rdir

#endif // SLUICE_RDIR_BUILDER_H
