//===- RDIROps.td - Operations of the rdir dialect ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of roots, partitions, parameters and reductions; graphs and
// their nodes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_OPS_TD
#define SLUICE_RDIR_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "sluice/RDIR/RDIRDialect.td"
include "sluice/RDIR/RDIRInterfaces.td"

class RDIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<RDIR_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// Declarations with a name in a module.
class RDIR_Declaration<string mnemonic, list<Trait> traits = []>
    : RDIR_Op<mnemonic, !listconcat([Symbol, HasParent<"::mlir::ModuleOp">],
                                    traits)>;

def RDIR_ParameterOp : RDIR_Declaration<"parameter"> {
  let summary = "a number that the command line of the program may set";
  let description = [{
    Extents, trip counts and constant arguments of tasks may be parameters. The
    built program takes `--n=2048`.

    ```mlir
    rdir.parameter @n : i64 = 1024
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, TypedAttrInterface:$value);
  let assemblyFormat =
    "$sym_name custom<TypedValue>($value) attr-dict-with-keyword";
  let hasVerifier = 1;
}

def RDIR_ReductionOp : RDIR_Declaration<"reduction"> {
  let summary = "a reduction operator of the program's own";
  let description = [{
    The function folds one value into another: `void f(T *into, const T
    *value)`. It must be commutative and associative. The operators `"+"`,
    `"*"`, `"min"`, `"max"`, `"and"`, `"or"` and `"xor"` need no declaration.

    ```mlir
    rdir.reduction @closest : f64 identity 1.0e30 fold @closest_fold
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, TypedAttrInterface:$identity,
    FlatSymbolRefAttr:$fold);
  let assemblyFormat = [{
    $sym_name custom<Identity>($identity) `fold` $fold attr-dict-with-keyword
  }];
  let hasVerifier = 1;
}

def RDIR_VariableOp : RDIR_Declaration<"variable"> {
  let summary = "a scalar: a root of one element";
  let description = [{
    ```mlir
    rdir.variable @alpha : f64 = 0.0
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, TypedAttrInterface:$value);
  let assemblyFormat =
    "$sym_name custom<TypedValue>($value) attr-dict-with-keyword";
  let hasVerifier = 1;
}

def RDIR_RootOp : RDIR_Declaration<"root", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "an array of elements with fields";
  let description = [{
    One to three extents, numbers or parameters. A field is an integer (`i8`,
    `i16`, `i32`, `i64`), `f32`, `f64` or a vector of these. Distinct roots are
    distinct memory.

    ```mlir
    rdir.root @nodes [@n] {voltage : f64, piece : i32, near : vector<4xf64>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, ArrayAttr:$extents,
    StrArrayAttr:$field_names, TypeArrayAttr:$field_types);
  let assemblyFormat = [{
    $sym_name custom<Extents>($extents)
    custom<Fields>($field_names, $field_types) attr-dict-with-keyword
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Index of a field, or -1.
    int getFieldIndex(::llvm::StringRef name);
  }];
}

def RDIR_PartitionOp : RDIR_Declaration<"partition", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "parts of a root, or of a color of another partition";
  let description = [{
    The colors are the points of a grid with one to three extents. `disjoint`
    promises that no element has two colors, `aliased` does not; `complete`
    that each element has a color, `incomplete` does not. What is declared
    above may be named in `of` and `by`:

    - `blocks`: equal blocks of the parent's box;
    - `blocks(@p)`: equal blocks of each color of `@p`; colors are those of
      `@p`, then the blocks;
    - `halo(@p, [w, ...])`: each color of `@p` grown by `w` elements on both
      sides of each dimension, as far as the root reaches; with `axes` along
      the axes only, without corners; with `periodic` the first elements of a
      dimension follow its last ones, with `periodic [0]` only in dimension 0;
    - `coloring(@f)`: the C function `f` adds the elements of a color;
    - `field("f")`: the color is the number in the field of an element;
    - `color([i mod 4])`: the color is computed from the element's coordinates;
    - `image(@p, "f")`: what field `f` of the elements in a color of `@p` names;
    - `preimage("f", @p)`: the elements whose field `f` names one in a color of
      `@p`;
    - in both, `"f" to "g"` names the range from the value of `f` up to that of
      `g`, `"f" to next` up to that of `f` in the next element, and sums such as
      `[2 * i, j div 2]` the element with these coordinates;
    - `union(@p, @q)`, `intersection(@p, @q)`, `difference(@p, @q)`: color by
      color; with `@q[2]` in place of `@q` one color for all, with `@q whole`
      all colors of `@q` together;
    - `cross(@p, @q)`: what a color of `@p` and one of `@q` have in common;
      colors are those of `@p`, then those of `@q`.

    Without `by` the partition is abstract: it can be checked, not executed.

    ```mlir
    rdir.partition @blocks of @grid [4, 4] disjoint complete by blocks
    rdir.partition @halos of @grid [4, 4] aliased complete
      by halo(@blocks, [1, 1], axes)
    rdir.partition @quads of @blocks[0, 1] [2, 2] disjoint complete by blocks
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, FlatSymbolRefAttr:$parent,
    OptionalAttr<DenseI64ArrayAttr>:$parent_color, ArrayAttr:$colors,
    UnitAttr:$is_disjoint, UnitAttr:$is_complete,
    DefaultValuedAttr<RDIR_PartitionKind, "PartitionKind::Abstract">:$kind,
    OptionalAttr<FlatSymbolRefAttr>:$left,
    OptionalAttr<FlatSymbolRefAttr>:$right, OptionalAttr<StrAttr>:$field,
    OptionalAttr<FlatSymbolRefAttr>:$function,
    OptionalAttr<DenseI64ArrayAttr>:$width, UnitAttr:$axes_only,
    OptionalAttr<DenseI64ArrayAttr>:$right_color, UnitAttr:$right_whole,
    OptionalAttr<StrAttr>:$last, UnitAttr:$to_next,
    OptionalAttr<ArrayAttr>:$map, OptionalAttr<DenseI64ArrayAttr>:$periodic);
  let assemblyFormat = [{
    $sym_name `of` custom<ParentAndColors>($parent, $parent_color, $colors)
    custom<Rule>($is_disjoint, $is_complete, $kind, $left, $right, $field,
                 $function, $width, $axes_only, $right_color, $right_whole,
                 $last, $to_next, $map, $periodic)
    attr-dict-with-keyword
  }];
  let hasVerifier = 1;
}

def RDIR_ConstraintOp : RDIR_Op<"constraint", [HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "what the tree of partitions does not say about two regions";
  let description = [{
    ```mlir
    rdir.constraint subregion @blocks[0, 0] of @halos[0, 0]
    rdir.constraint disjoint @p[0], @q[3]
    ```
  }];
  let arguments = (ins UnitAttr:$is_disjoint, FlatSymbolRefAttr:$first,
    OptionalAttr<DenseI64ArrayAttr>:$first_color, FlatSymbolRefAttr:$second,
    OptionalAttr<DenseI64ArrayAttr>:$second_color);
  let assemblyFormat = [{
    custom<Constraint>($is_disjoint, $first, $first_color, $second,
                       $second_color) attr-dict-with-keyword
  }];
}

def RDIR_GraphOp : RDIR_Declaration<"graph", [IsolatedFromAbove, SingleBlock,
    NoTerminator, RegionKindInterface]> {
  let summary = "a graph of data nodes and compute nodes";
  let description = [{
    The graphs of a module run one after another, in their order; one that says
    `repeats @n`, `repeats while @going` or both runs several times. Before each
    run, partitions by fields that it changes are made anew.

    ```mlir
    rdir.graph @main {
      %before = rdir.region @grid initial
      rdir.task @relax reads(%before) writes(%after)
      %after = rdir.region @grid
    }
    ```

    Nodes may name regions in place of versions, which then follow from the
    order of the nodes (`sluice-opt --rdir-explicit` writes them):

    ```mlir
    rdir.graph @main {
      rdir.task @relax over [4] reads(@halos {old}) writes(@blocks {new})
      rdir.host @print reads(@grid)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifyRegions() {
      return verifyBody(getBody());
    }
  }];
  let extraClassDeclaration = [{
    static ::mlir::RegionKind getRegionKind(unsigned) {
      return ::mlir::RegionKind::Graph;
    }
  }];
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The common parts of the printed forms of all nodes. All attributes are
/// optional: graphs with a million nodes are common.
class RDIR_NodeOp<string mnemonic, list<Trait> traits = []>
    : RDIR_Op<mnemonic, !listconcat([RDIR_NodeInterface,
        ParentOneOf<["GraphOp", "LoopOp", "MustEpochOp"]>,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)> {
  let results = (outs RDIR_NodeType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setSourceName(*this, setName);
    }
    ::llvm::LogicalResult $cppClass::verify() { return verifyNode(*this); }
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &tables) {
      return verifyNodeSymbols(*this, tables);
    }
  }];
}

class RDIR_DataOp<string mnemonic, dag own> : RDIR_NodeOp<mnemonic> {
  let arguments = !con(own, (ins UnitAttr:$initial,
    Variadic<RDIR_NodeType>:$nodes, DenseI8ArrayAttr:$kinds,
    OptionalAttr<ArrayAttr>:$reductions, OptionalAttr<ArrayAttr>:$projections,
    OptionalAttr<DenseI32ArrayAttr>:$ports));
  let extraClassDeclaration = [{
    NodeKind getNodeKind() { return NodeKind::Region; }
    ::mlir::ArrayAttr getOverAttr() { return {}; }
    ::mlir::Block *getNestedBody() { return nullptr; }
  }];
}

def RDIR_RegionOp : RDIR_DataOp<"region", (ins FlatSymbolRefAttr:$region,
    OptionalAttr<DenseI64ArrayAttr>:$color, OptionalAttr<ArrayAttr>:$fields)> {
  let summary = "a version of a root, a partition or a color of a partition";
  let description = [{
    With all fields of the root if none are named. `initial`: there is a value
    before the graph starts.

    ```mlir
    %v0 = rdir.region @nodes {voltage, charge} initial
    %b0 = rdir.region @blocks
    %c0 = rdir.region @blocks[2, 3]
    ```
  }];
}

def RDIR_ScalarOp : RDIR_DataOp<"scalar", (ins FlatSymbolRefAttr:$variable)> {
  let summary = "a version of a variable";
  let description = [{
    ```mlir
    %a0 = rdir.scalar @alpha initial
    ```
  }];
}

class RDIR_ComputeOp<string mnemonic, string kind, dag own = (ins),
                     list<Trait> traits = []>
    : RDIR_NodeOp<mnemonic, traits> {
  let arguments = !con(own, (ins Variadic<RDIR_NodeType>:$nodes,
    DenseI8ArrayAttr:$kinds, OptionalAttr<ArrayAttr>:$reductions,
    OptionalAttr<ArrayAttr>:$projections,
    OptionalAttr<DenseI32ArrayAttr>:$ports, OptionalAttr<ArrayAttr>:$over,
    OptionalAttr<ArrayAttr>:$constants,
    OptionalAttr<DenseI8ArrayAttr>:$coherence));
  code kindAccessor = "NodeKind getNodeKind() { return NodeKind::" # kind
                      # "; }\n";
  let extraClassDeclaration = kindAccessor # [{
    ::mlir::Block *getNestedBody() { return nullptr; }
  }];
}

def RDIR_TaskOp : RDIR_ComputeOp<"task", "Task",
    (ins OptionalAttr<FlatSymbolRefAttr>:$function)> {
  let summary = "a call of a C function, or a launch of many";
  let description = [{
    Clauses, in any order:

    - `over [4, @n]`: launched for each point of a grid;
    - `reads(...)`, `writes(...)`, `discards(...)`, `continues(...)`,
      `reduces<"+">(...)`: edges to data nodes. A region both read and written
      is read-write, one both discarded and written is overwritten. What
      `reduces` folds into the version that `continues` names;
    - `with(@n, 3.0 : f64)`: further arguments;
    - `coherence([exclusive, atomic])`: by port, for Legion: what other tasks
      may do to the argument meanwhile, if it is theirs as well;
    - `after(...)`: HappensBefore edges from compute nodes;
    - `edges(read to %x, write from %y)`: any edge, also one that is ill-formed.

    In a launch, each point has the color of a partition that the identity, an
    affine map (`by affine_map<(i, j) -> (i, j + 1)>`), sums (`by [i + %k, j]`)
    or a function (`by @f`) gives; `whole` gives every point all colors. Sums
    add multiples of the point's coordinates (`i`, `j`, `k`), of the iterations
    of loops around the task and of parameters; `mod` and a number may follow.
    Extents may be sums of iterations and parameters, constants iterations.

    Ports number the arguments of the function. An edge takes the next number,
    but the write, reduce or continues edge of what an edge before it names
    (the same region, fields and projection) takes that one's port; `port 3`
    overrides this.

    ```mlir
    %t = rdir.task @sweep over [4, 4]
      reads(%h0, %q0 by affine_map<(i, j) -> (i, j + 1)>) writes(%b1)
      with(3.0 : f64)
    ```
  }];
}

def RDIR_HostOp : RDIR_ComputeOp<"host", "Host",
    (ins OptionalAttr<FlatSymbolRefAttr>:$function)> {
  let summary = "a task that runs on the main thread";
  let description = [{
    ```mlir
    rdir.host @print reads(%g1)
    ```
  }];
}

def RDIR_OpenOp : RDIR_ComputeOp<"open", "Open"> {
  let summary = "from a version of a region to versions of its parts";
  let description = [{
    ```mlir
    rdir.open reads(%g0) writes(%b0)
    ```
  }];
}

def RDIR_CloseOp : RDIR_ComputeOp<"close", "Close"> {
  let summary = "from versions of parts to a version of the whole";
  let description = [{
    ```mlir
    rdir.close reads(%b1) writes(%g1)
    ```
  }];
}

def RDIR_CopyOp : RDIR_ComputeOp<"copy", "Copy"> {
  let summary = "copies the elements of one region to another";
  let description = [{
    ```mlir
    rdir.copy reads(%x0) discards(%y0) writes(%y1)
    ```
  }];
}

def RDIR_FillOp : RDIR_ComputeOp<"fill", "Fill",
    (ins TypedAttrInterface:$value)> {
  let summary = "sets all elements of a region";
  let description = [{
    ```mlir
    rdir.fill 0.0 : f64 discards(%x0) writes(%x1)
    ```
  }];
}

class RDIR_ControlOp<string mnemonic, string kind, dag own = (ins)>
    : RDIR_ComputeOp<mnemonic, kind, own, [IsolatedFromAbove, SingleBlock,
        NoTerminator, RegionKindInterface]> {
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setSourceName(*this, setName);
    }
    ::llvm::LogicalResult $cppClass::verify() { return verifyNode(*this); }
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &tables) {
      return verifyNodeSymbols(*this, tables);
    }
    ::llvm::LogicalResult $cppClass::verifyRegions() {
      return verifyBody(getBody());
    }
  }];
  let extraClassDeclaration = kindAccessor # [{
    ::mlir::Block *getNestedBody() { return &getBody().front(); }
    static ::mlir::RegionKind getRegionKind(unsigned) {
      return ::mlir::RegionKind::Graph;
    }
  }];
}

def RDIR_LoopOp : RDIR_ControlOp<"loop", "Loop",
    (ins OptionalAttr<AnyAttr>:$count,
         OptionalAttr<FlatSymbolRefAttr>:$condition)> {
  let summary = "repeats a graph";
  let description = [{
    The count is a number, a parameter or a sum of them and of iterations of
    loops around this one. `%k in @n` gives the number of the iteration a name.
    `while @flag` tests an integer variable before each iteration. In place of
    all this, `if @flag` runs the body once if the variable is not 0, and
    `unless @flag` if it is 0; in graphs that name regions, `else` and a second
    body may follow that of `if`. The body has data nodes of its own; those that
    nobody in it writes stand for the state at the start of an iteration. The
    edges of the loop name what the body touches.

    ```mlir
    rdir.loop 100 while @going reads(%b0, %f0) writes(%b1, %f1) {
      %b = rdir.region @blocks initial
      %f = rdir.scalar @going initial
      rdir.task @step over [4] reads(%b, %f) writes(%c, %g)
      %c = rdir.region @blocks
      %g = rdir.scalar @going
    }
    ```
  }];
}

def RDIR_MustEpochOp : RDIR_ControlOp<"must_epoch", "MustEpoch"> {
  let summary = "tasks that all run at the same time";
  let description = [{
    ```mlir
    rdir.must_epoch reads(%b0) writes(%b1) {
      %b = rdir.region @blocks initial
      rdir.task @step over [4] reads(%b) writes(%c)
      %c = rdir.region @blocks
    }
    ```
  }];
}

#endif // SLUICE_RDIR_OPS_TD
