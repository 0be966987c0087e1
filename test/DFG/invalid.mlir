// RUN: sluice-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{input 'n' is marked 'in', but its type 'i64' is not a pointer}}
dfg.kernel @k(%n: i64 in)

// -----

// expected-error @+1 {{input 0 has the type '!dfg.token', which no port can carry}}
dfg.kernel @k(%n: !dfg.token)

// -----

// expected-error @+1 {{output 0 has the type 'tensor<4xf32>', which no port can carry}}
dfg.kernel @k() -> (tensor<4xf32>)

// -----

// expected-error @+1 {{unknown target 'fpga', expected none, cpu, gpu or cpu_or_gpu}}
dfg.kernel @k() target(fpga)

// -----

// expected-error @+1 {{needs either 'bitcode' or 'file'}}
dfg.code hash("00")

// -----

// expected-error @+1 {{needs the 'hash' (SHA-256) of file 'a.bc'}}
dfg.code file("a.bc")

// -----

// expected-error @+1 {{has the negative extent -1}}
dfg.dataset @d : f32 [-1]

// -----

// expected-error @+1 {{has elements of type 'tensor<1xf32>'}}
dfg.dataset @d : tensor<1xf32> [4]

// -----

dfg.graph @g() {
  // expected-error @+1 {{names @nobody, which is neither a kernel nor a graph}}
  dfg.node @nobody() : () -> ()
  dfg.output
}

// -----

dfg.kernel @k(%n: i64)
dfg.graph @g(%n: i64) {
  // expected-error @+1 {{passes 2 inputs, but 'k' takes 1}}
  dfg.node @k(%n, %n) : (i64, i64) -> ()
  dfg.output
}

// -----

dfg.kernel @k(%x: f32)
dfg.graph @g(%n: i64) {
  // expected-error @+1 {{passes a value of type 'i64' to input 'x' of 'k', which has type 'f32'}}
  dfg.node @k(%n) : (i64) -> ()
  dfg.output
}

// -----

dfg.kernel @k() -> (i64)
dfg.graph @g() {
  // expected-error @+1 {{has 0 outputs, but 'k' has 1}}
  dfg.node @k() : () -> ()
  dfg.output
}

// -----

dfg.kernel @k() -> (i64)
dfg.graph @g() {
  // expected-error @+1 {{gives output 0 the type 'i32', but 'k' has type 'i64'}}
  %0 = dfg.node @k() : () -> i32
  dfg.output
}

// -----

dfg.kernel @k()
dfg.graph @g(%n: i64) {
  // expected-error @+1 {{has 4 extents, but at most 3 are possible}}
  dfg.node @k[%n, %n, %n, %n]() : () -> ()
  dfg.output
}

// -----

dfg.kernel @k()
dfg.graph @g() {
  %n = arith.constant -3 : i64
  // expected-error @+1 {{has the negative extent -3}}
  dfg.node @k[%n]() : () -> ()
  dfg.output
}

// -----

dfg.kernel @k(%n: i64)
dfg.graph @g(%n: i64) {
  // expected-error @+1 {{input 0 is an argument of the graph and cannot be 'one_to_one'}}
  dfg.node @k[%n](one_to_one %n) : (i64) -> ()
  dfg.output
}

// -----

dfg.kernel @a() -> (i64)
dfg.kernel @b(%n: i64)
dfg.graph @g() {
  %four = arith.constant 4 : i64
  %five = arith.constant 5 : i64
  // expected-note @+1 {{'a' is created here}}
  %0 = dfg.node @a[%four]() : () -> i64
  // expected-error @+1 {{takes input 0 one-to-one from 'a', but the extents in dimension 0 are 5 and 4}}
  dfg.node @b[%five](one_to_one %0) : (i64) -> ()
  dfg.output
}

// -----

dfg.kernel @a() -> (i64)
dfg.kernel @b(%n: i64)
dfg.graph @g() {
  %four = arith.constant 4 : i64
  // expected-note @+1 {{'a' is created here}}
  %0 = dfg.node @a[%four]() : () -> i64
  // expected-error @+1 {{but the grids have 2 and 1 dimensions}}
  dfg.node @b[%four, %four](one_to_one %0) : (i64) -> ()
  dfg.output
}

// -----

dfg.graph @g(%n: i64) {
  dfg.node @h(%n) : (i64) -> ()
  dfg.output
}
dfg.graph @h(%n: i64) {
  // expected-error @+1 {{makes graph 'h' contain itself}}
  dfg.node @h(%n) : (i64) -> ()
  dfg.output
}

// -----

dfg.graph @g(%n: i64) -> (i64) {
  // expected-error @+1 {{value 0 is not an output of a node}}
  dfg.output %n : i64
}

// -----

dfg.kernel @k() -> (i64)
dfg.graph @g() -> (i64, i64) {
  %0 = dfg.node @k() : () -> i64
  // expected-error @+1 {{binds values of types ('i64'), but graph 'g' has outputs ('i64', 'i64')}}
  dfg.output %0 : i64
}

// -----

dfg.kernel @k(%n: i64)
dfg.graph @g(%n: i64) {
  %0 = arith.muli %n, %n : i64
  // expected-error @+1 {{input 0 is computed in the graph; only extents may be}}
  dfg.node @k(%0) : (i64) -> ()
  dfg.output
}

// -----

dfg.graph @g(%p: !llvm.ptr in) {
  // expected-error @+1 {{may not stand in a graph}}
  %0 = llvm.load %p : !llvm.ptr -> i64
  dfg.output
}

// -----

dfg.graph @g() {
  // expected-error @+1 {{names @nobody, which is not a dataset of the module}}
  %p, %size = dfg.use_dataset @nobody : !llvm.ptr
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @root(%x: i64, %n: i64) {
  // expected-error @+1 {{attribute 'dfg.ordered' needs one flag for each extent of a 'dfg.node'}}
  dfg.node @k[%n](%x) {dfg.ordered = array<i1: true, false>} : (i64) -> i64
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @root(%x: i64, %n: i64) {
  // expected-error @+1 {{attribute 'dfg.usual' needs a number, 0 or 16 to 30, for each extent of a 'dfg.node'}}
  dfg.node @k[%n](%x) {dfg.usual = array<i8: 16, 0>} : (i64) -> i64
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @root(%x: i64, %n: i64) {
  // expected-error @+1 {{attribute 'dfg.usual' needs a number, 0 or 16 to 30, for each extent of a 'dfg.node'}}
  dfg.node @k[%n](%x) {dfg.usual = array<i8: 31>} : (i64) -> i64
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @root(%x: i64, %n: i64) {
  // expected-note @+1 {{'k' is created here}}
  %0 = dfg.node @k[ordered %n](%x) : (i64) -> i64
  // expected-error @+1 {{takes input 0 one-to-one from 'k', but instances of 'k' run in order; use an all-to-all edge or equal grids}}
  dfg.node @k[%n](one_to_one %0) named("after") : (i64) -> i64
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @root(%x: i64, %n: i64) {
  %0 = dfg.node @k[%n](%x) : (i64) -> i64
  // expected-error @+1 {{'dfg.pipelined' needs one flag for each input of a 'dfg.node'}}
  dfg.node @k[%n](one_to_one %0) {dfg.pipelined = array<i1: true, false>} : (i64) -> i64
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @root(%x: i64, %n: i64) {
  %0 = dfg.node @k[%n](%x) : (i64) -> i64
  // expected-error @+1 {{input 0 is marked in 'dfg.pipelined', but is not 'one_to_one'}}
  dfg.node @k[%n](%0) {dfg.pipelined = array<i1: true>} : (i64) -> i64
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @tiled(%n: i64) {
  %0 = dfg.node @k[%n](%n) : (i64) -> i64
  // expected-error @+1 {{'dfg.tiled' needs three numbers, none negative, of a 'dfg.node'}}
  dfg.node @k[%n](%n) {dfg.tiled = array<i64: 1, -1, 0>} : (i64) -> i64
  dfg.output
}

// -----

dfg.kernel @k(%x: i64) -> (y: i64)
dfg.graph @tiledalone(%n: i64) {
  // expected-error @+1 {{has 'dfg.tiled', but it and a node before it are not replicated}}
  dfg.node @k[%n](%n) {dfg.tiled = array<i64: 1, 1, 0>} : (i64) -> i64
  dfg.output
}

// -----

// expected-error @+1 {{a port of a kernel is not temporary; what is so for all of its nodes, a graph says}}
dfg.kernel @k(%x: !llvm.ptr inout temporary)

// -----

// expected-error @+1 {{input 'n' is marked 'temporary', but its type 'i64' is not a pointer}}
dfg.graph @temporary(%n: i64 temporary) {
  dfg.output
}

// -----

// expected-error @+1 {{attribute 'dfg.temporary' needs numbers of its 1 inputs, in their order}}
dfg.graph @temporary(%x: !llvm.ptr) attributes {dfg.temporary = array<i64: 1>} {
  dfg.output
}

// -----

// expected-error @+1 {{attribute 'dfg.temporary' needs the numbers of inputs of a 'dfg.graph'}}
dfg.kernel @k(%x: !llvm.ptr) attributes {dfg.temporary = array<i64: 0>}

// -----

// expected-error @+1 {{has the unknown attribute 'dfg.fast'}}
dfg.kernel @k(%x: i64) -> (y: i64) attributes {dfg.fast}
