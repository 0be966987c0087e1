//===- DFGOps.td - Operations of the dfg dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, graphs, nodes and their outputs, to which all front ends translate.
// The operations of task graphs, which are lowered to these, are at the end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DFG_OPS_TD
#define SLUICE_DFG_OPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sluice/DFG/DFGTypes.td"
include "sluice/DFG/DFGTasks.td"

class DFG_Op<string mnemonic, list<Trait> traits = []>
    : Op<DFG_Dialect, mnemonic, traits>;

/// The common interface of graphs and kernels: named, typed ports; pointer
/// ports declare their access.
class DFG_CallableOp<string mnemonic, list<Trait> traits = []>
    : DFG_Op<mnemonic, !listconcat([Symbol], traits)> {
  code portAccessors = [{
    /// Types of the input ports.
    ::llvm::ArrayRef<::mlir::Type> getInputTypes() {
      return getFunctionType().getInputs();
    }
    /// Types of the output ports.
    ::llvm::ArrayRef<::mlir::Type> getOutputTypes() {
      return getFunctionType().getResults();
    }
    /// Access of input port `index`: bits of `Access`.
    Access getInputAccess(unsigned index) {
      return static_cast<Access>(getAccess()[index]);
    }
    /// Name of input port `index`; never empty.
    ::std::string getInputName(unsigned index);
    /// Name of output port `index`; never empty.
    ::std::string getOutputName(unsigned index);
  }];
}

def DFG_KernelOp : DFG_CallableOp<"kernel"> {
  let summary = "declares a leaf: code that runs once per instance";
  let description = [{
    Declares the ports of a leaf. The code is the LLVM function `symbol` (the
    kernel's own name if absent) in the module's leaf code: an `llvm.func`
    beside it, or a function in the bitcode of `dfg.code`. That function takes
    one parameter per input port and returns a struct of the output ports, and
    may call the intrinsics `llvm.hpvm.*` that are legal in leaves.

    A pointer port says how it is used: `in`, `out` or `inout`.

    ```mlir
    dfg.kernel @saxpy(%a: f32, %x: !llvm.ptr in, %bytes_x: i64,
                      %y: !llvm.ptr inout, %bytes_y: i64) -> (done: i64)
      target(cpu) symbol("saxpy.leaf")
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<FunctionType>:$function_type,
    DenseI32ArrayAttr:$access, StrArrayAttr:$input_names,
    StrArrayAttr:$output_names,
    DefaultValuedAttr<DFG_Target, "Target::None">:$target,
    OptionalAttr<StrAttr>:$symbol);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = portAccessors # [{
    /// Name of the LLVM function with the code.
    ::llvm::StringRef getCodeName() {
      return getSymbol() ? *getSymbol() : getSymName();
    }
  }];
}

def DFG_GraphOp : DFG_CallableOp<"graph", [IsolatedFromAbove, SymbolTable,
    SingleBlock, RegionKindInterface,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a graph of nodes; the function of an internal node or a root";
  let description = [{
    The region holds nodes, integer arithmetic without side effects for
    extents, and the terminator `dfg.output`. A graph that another graph's node
    names is an internal node's function; any other one is a root, which the
    host launches.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<FunctionType>:$function_type,
    DenseI32ArrayAttr:$access, StrArrayAttr:$input_names,
    StrArrayAttr:$output_names,
    DefaultValuedAttr<DFG_Target, "Target::None">:$target);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = portAccessors # [{
    static ::mlir::RegionKind getRegionKind(unsigned) {
      return ::mlir::RegionKind::SSACFG;
    }
    /// The terminator.
    OutputOp getOutputOp();
    /// Location of the declaration of input port `index`.
    ::mlir::BlockArgument getInput(unsigned index) {
      return getBody().getArgument(index);
    }
  }];
}

def DFG_NodeOp : DFG_Op<"node", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a node of a graph: instances of a kernel or of a graph";
  let description = [{
    Creates a node with one instance, or replicated in one to three dimensions
    with the extents in brackets (x, y, z). Results are the node's outputs; a
    further result of type `!dfg.token` may follow them.

    Each operand may be marked: `one_to_one` (instance *i* of this node takes
    the value of instance *i* of the source; both grids must be equal; without
    it the edge is all-to-all and takes the value of the source's last
    instance) and `stream` (one value per item).

    ```mlir
    %sum, %t = dfg.node @sum[%w, %h](%x, %bytes, one_to_one %k) after(%u)
      : (!llvm.ptr, i64, i32) -> (i32, !dfg.token)
    ```

    The attribute `dfg.pipelined`, one flag per input, says which one-to-one
    inputs are taken chunk by chunk, while the source still runs; all others are
    taken when the source has ended. The compiler decides it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<I64>:$extents,
    Variadic<AnyType>:$inputs, Variadic<DFG_TokenType>:$dependencies,
    DenseBoolArrayAttr:$one_to_one, DenseBoolArrayAttr:$stream,
    OptionalAttr<StrAttr>:$node_name);
  let results = (outs Variadic<AnyType>:$outputs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The kernel or graph of the node; null if the name resolves to neither.
    ::mlir::Operation *resolveCallee(::mlir::SymbolTableCollection &tables);
    ::mlir::Operation *resolveCallee();
    /// Outputs without the trailing token.
    unsigned getNumPorts();
    bool isOneToOne(unsigned input) { return getOneToOne()[input]; }
    bool isStream(unsigned input) { return getStream()[input]; }
    /// True if the one-to-one edge into `input` runs chunk by chunk.
    bool isPipelined(unsigned input);
    /// Decides that, for all inputs.
    void setPipelined(::llvm::ArrayRef<bool> flags);
    /// Name for messages, pictures and traces.
    ::llvm::StringRef getDisplayName() {
      return getNodeName() ? *getNodeName() : getCallee();
    }
  }];
}

def DFG_OutputOp : DFG_Op<"output", [Terminator, Pure,
    HasParent<"GraphOp">]> {
  let summary = "binds the outputs of a graph; the terminator of its region";
  let description = [{
    Operand *i* becomes output *i* of the graph. It must be a result of a node;
    `stream` marks outputs with one value per item.

    ```mlir
    dfg.output %0, stream %1 : i64, f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values,
                       DenseBoolArrayAttr:$stream);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def DFG_CodeOp : DFG_Op<"code"> {
  let summary = "the leaf code of a module that is not written as llvm.func";
  let description = [{
    Either the bitcode itself, or a file with the SHA-256 of its content.

    ```mlir
    dfg.code file("leaves.bc") hash("9f86d081...")
    dfg.code bitcode("BC\C0\DE...")
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$bitcode,
    OptionalAttr<StrAttr>:$file, OptionalAttr<StrAttr>:$hash);
  let assemblyFormat = [{
    (`bitcode` `(` $bitcode^ `)`)? (`file` `(` $file^ `)`)?
    (`hash` `(` $hash^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def DFG_DatasetOp : DFG_Op<"dataset", [Symbol]> {
  let summary = "named memory that nodes or tasks share";
  let description = [{
    A dense array, row-major. For nodes it lives as long as the program and is
    zero at the start. For tasks it lives from its first to its last task and
    starts from `initial`, or from zeros; signed and unsigned integer types are
    told apart there (`si32`, `ui8`).

    ```mlir
    dfg.dataset @field : f64 [512, 512]
    dfg.dataset @weights : f32 [3] initial(dense<[1.0, 2.0, 1.0]> : tensor<3xf32>)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, TypeAttr:$element_type,
    DenseI64ArrayAttr:$shape, OptionalAttr<ElementsAttr>:$initial,
    UnitAttr:$printed);
  let assemblyFormat = [{
    $sym_name `:` $element_type $shape (`initial` `(` $initial^ `)`)?
    (`printed` $printed^)? attr-dict
  }];
  let hasVerifier = 1;
}

def DFG_ScalarOp : DFG_Op<"scalar", [Symbol]> {
  let summary = "one number that tasks share";
  let description = [{
    Tasks read it by value, or use it by reference. Without a value some task
    must write it first.

    ```mlir
    dfg.scalar @width : si32 = 640
    dfg.scalar @found : f64
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, TypeAttr:$type,
    OptionalAttr<AnyAttrOf<[I64Attr, F64Attr]>>:$value);
  let assemblyFormat = "$sym_name `:` $type (`=` $value^)? attr-dict";
  let hasVerifier = 1;
}

def DFG_ObjectOp : DFG_Op<"object", [Symbol]> {
  let summary = "a Python dictionary that tasks share";
  let description = [{
    ```mlir
    dfg.object @state
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name attr-dict";
}

def DFG_KernelSourceOp : DFG_Op<"kernel_source"> {
  let summary = "where the kernels of C and HPVM tasks are looked for";
  let description = [{
    A source, bitcode, object, archive or shared library; paths are relative to
    the file that says so. `flags` are clang's.

    ```mlir
    dfg.kernel_source "kernels.c" flags(["-O2"])
    ```
  }];
  let arguments = (ins StrAttr:$path, OptionalAttr<StrArrayAttr>:$flags);
  let assemblyFormat = "$path (`flags` `(` $flags^ `)`)? attr-dict";
  let hasVerifier = 1;
}

def DFG_HalideKernelOp : DFG_Op<"halide_kernel", [Symbol]> {
  let summary = "a Halide generator, compiled";
  let description = [{
    The object file holds the function `symbol`, compiled with `parameters`.
    `arguments` says what it takes: for each, its name, whether it is an input
    buffer, an output buffer or a scalar, its element type, its number of
    dimensions, and the stride its innermost dimension must have (0: any).
    A symbol appears in one file only; `file` is relative to the file that says
    so, `hash` its SHA-256.

    ```mlir
    dfg.halide_kernel @blur_0 generator("halide_blur") parameters({p1 = "4"})
      symbol("halide_blur_4f2a") file("blur.mlir.objects/halide_blur_4f2a.o")
      hash("9f86d081...") arguments([{name = "input", kind = "input",
        type = f64, dimensions = 2, stride = 1}, ...])
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, StrAttr:$generator,
    DictionaryAttr:$parameters, StrAttr:$symbol, StrAttr:$file, StrAttr:$hash,
    ArrayAttr:$arguments);
  let assemblyFormat = [{
    $sym_name `generator` `(` $generator `)` `parameters` `(` $parameters `)`
    `symbol` `(` $symbol `)` `file` `(` $file `)` `hash` `(` $hash `)`
    `arguments` `(` $arguments `)` attr-dict
  }];
  let hasVerifier = 1;
}

def DFG_TaskGraphOp : DFG_Op<"task_graph", [Symbol, SingleBlock, NoTerminator,
    NoRegionArguments, RegionKindInterface]> {
  let summary = "a program of tasks";
  let description = [{
    Tasks in the order in which they were created; running them one after
    another in that order is what the program means. `serial`: nothing else
    may happen.

    ```mlir
    dfg.task_graph @matrix {
      %negate = dfg.task c "mat_invert"(@A)
      %abs = dfg.task c "mat_abs"(@B)
      %add = dfg.task c "mat_add"(@A, in @B) after(%negate, %abs)
      %bright = dfg.task halide "halide_bright"(value @offset, in @A, out @C)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, UnitAttr:$serial,
    OptionalAttr<StrAttr>:$python_path);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`serial` $serial^)? (`python_path` `(` $python_path^ `)`)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::mlir::RegionKind getRegionKind(unsigned) {
      return ::mlir::RegionKind::SSACFG;
    }
  }];
}

def DFG_TaskOp : DFG_Op<"task", [HasParent<"TaskGraphOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a kernel with its arguments";
  let description = [{
    `callee` is the C function, generator, Python function, form or root; `of`
    the Python module. The result is the task's end; `after` lists tasks that
    must end before this one starts, beside those that its data makes it wait
    for. An argument is read and written unless it says `in`, `out`; scalars may
    be passed by `value`.

    ```mlir
    %t = dfg.task c "save"(in @image[0:200:2, 0:256], value @gain) after(%blur)
      named("saving") contiguous
    %p = dfg.task python "solve" of "kernels"(@state)
    %h = dfg.task halide "halide_blur"(in @image, out @blurred)
      variants([{p1 = "1"}, {p1 = "4"} ]) writes(["a.bmp"])
    %g = dfg.task c "scale" over [64, 64](@image) // one instance per point
    ```
  }];
  let arguments = (ins DFG_TaskKind:$kind, StrAttr:$callee,
    OptionalAttr<StrAttr>:$of, ArrayAttr:$args,
    Variadic<DFG_TokenType>:$dependencies, OptionalAttr<StrAttr>:$task_name,
    // Halide: sets of parameters, the first is the one in use.
    OptionalAttr<ArrayAttr>:$variants,
    // C: extents of the grid. C and HPVM: the one source of the kernel.
    OptionalAttr<DenseI64ArrayAttr>:$extents, OptionalAttr<StrAttr>:$source,
    OptionalAttr<StrArrayAttr>:$flags,
    OptionalAttr<StrArrayAttr>:$written_files,
    OptionalAttr<StrArrayAttr>:$read_files,
    // FEM: the generator function.
    OptionalAttr<StrAttr>:$generator, UnitAttr:$contiguous,
    UnitAttr:$returns_status, UnitAttr:$takes_large_sizes,
    UnitAttr:$takes_any_sign);
  let results = (outs DFG_TokenType:$end);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Arguments as they are.
    auto getTaskArgs() { return getArgs().getAsRange<TaskArgAttr>(); }
    /// Name for messages, pictures and traces; "module.function" for Python.
    /// Not unique: see Analysis/TaskOrder.h.
    ::std::string getDisplayName();
    /// Dataset, scalar or object; null if the name resolves to none.
    ::mlir::Operation *resolve(TaskArgAttr argument);
  }];
}

def DFG_UseDatasetOp : DFG_Op<"use_dataset", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "address and size in bytes of a dataset, for a node's operands";
  let description = [{
    ```mlir
    %field, %bytes = dfg.use_dataset @field
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$dataset);
  let results = (outs AnyType:$address, I64:$size);
  let assemblyFormat = "$dataset `:` type($address) attr-dict";
}

#endif // SLUICE_DFG_OPS_TD
