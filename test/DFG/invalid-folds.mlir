// What is wrong with reductions and scans of ports.
// RUN: sluice-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{unknown operator 'plus', expected sum, product, min, max, and, or, xor or with}}
dfg.kernel @a(%x: !llvm.ptr reduce(plus f64, 8))

// -----

// expected-error @+1 {{the kernel has no input 'size' with the size of a reduction or scan}}
dfg.kernel @a(%x: !llvm.ptr reduce(sum f64, %size), %bytes: i64)

// -----

// expected-error @+1 {{input 'x' is marked 'reduce', but its type 'i64' is not a pointer}}
dfg.kernel @a(%x: i64 reduce(sum f64, 8))

// -----

// expected-error @+1 {{there is no arithmetic of elements of type 'i7'; expected i8 to i64, ui8 to ui64, f32 or f64}}
dfg.kernel @a(%x: !llvm.ptr reduce(sum i7, 8))

// -----

// expected-error @+1 {{the operator 'xor' is for integers, and its elements are 'f32'}}
dfg.kernel @a(%x: !llvm.ptr reduce(xor f32, 8))

// -----

// expected-error @+1 {{the port with its size is no i64}}
dfg.kernel @a(%x: !llvm.ptr scan(sum f32, %n), %n: i32)

// -----

// expected-error @+1 {{its size of 12 bytes is no multiple of the 8 bytes of an element}}
dfg.kernel @a(%x: !llvm.ptr reduce(sum f64, 12))

// -----

// expected-error @+1 {{needs two functions and the bytes of an element, as in 'with @none @closer 16'}}
dfg.kernel @a(%x: !llvm.ptr reduce(with @none @closer 0, 12))

// -----

// expected-error @+1 {{a port of a graph is 'inout'; what its nodes fold into it, their kernels say}}
dfg.graph @g(%x: !llvm.ptr reduce(sum f64, 8)) {
  dfg.output
}

// -----

// expected-error @+1 {{attribute 'dfg.folds' holds the reductions and scans of a 'dfg.kernel'}}
dfg.kernel @a(%x: !llvm.ptr inout) attributes {dfg.folds = 3 : i64}
