// RUN: sluice-opt %s --split-input-file --verify-diagnostics

// Data.

// expected-error @+1 {{has type 'i8', expected si8 to si64, ui8 to ui64, f32 or f64}}
dfg.scalar @s : i8 = 1

// -----

// expected-error @+1 {{has type 'si24'}}
dfg.scalar @s : si24 = 1

// -----

// expected-error @+1 {{of type 'ui8' has the value 256, expected 0 to 255}}
dfg.scalar @s : ui8 = 256

// -----

// expected-error @+1 {{of type 'si16' has the value -32769, expected -32768 to 32767}}
dfg.scalar @s : si16 = -32769

// -----

// expected-error @+1 {{of type 'f32' has the value 1.000000e+300 : f64, which is too large}}
dfg.scalar @s : f32 = 1.0e300

// -----

// expected-error @+1 {{of type 'si32' has the value 1.000000e+00 : f64 of another type}}
dfg.scalar @s : si32 = 1.0

// -----

// expected-error @+1 {{starts from 'tensor<2xf64>', which is not its element type and shape}}
dfg.dataset @d : f64 [3] initial(dense<1.0> : tensor<2xf64>)

// -----

// expected-error @+1 {{starts from 'tensor<3xi32>', which is not its element type and shape}}
dfg.dataset @d : si32 [3] initial(dense<1> : tensor<3xi32>)

// -----

// expected-error @+1 {{starts from sparse<}}
dfg.dataset @d : f64 [3] initial(sparse<0, 1.0> : tensor<3xf64>)

// -----

// expected-error @+1 {{has more elements than 64 bits can count}}
dfg.dataset @d : ui8 [4294967296, 4294967296]

// -----

// expected-error @+1 {{has more bytes than 64 bits can count}}
dfg.dataset @d : f64 [4611686018427387904]

// -----

// expected-error @+1 {{needs the path of a file}}
dfg.kernel_source ""

// -----

// expected-error @+1 {{has the hash 'abc', expected a SHA-256: 64 hexadecimal digits}}
dfg.halide_kernel @k generator("g") parameters({}) symbol("s") file("f") hash("abc") arguments([])

// -----

// expected-error @+1 {{has the argument {dimensions = 2 : i64}, expected name, kind}}
dfg.halide_kernel @k generator("g") parameters({}) symbol("s") file("f") hash("") arguments([{dimensions = 2}])

// -----

// expected-error @+1 {{has the argument {kind = "both"}}
dfg.halide_kernel @k generator("g") parameters({}) symbol("s") file("f") hash("") arguments([{name = "a", kind = "both", type = f32}])

// -----

// expected-error @+1 {{has the parameter "p" = 1 : i64, expected a string}}
dfg.halide_kernel @k generator("g") parameters({p = 1}) symbol("s") file("f") hash("") arguments([])

// -----

// expected-error @+1 {{needs a generator, a symbol and a file}}
dfg.halide_kernel @k generator("g") parameters({}) symbol("") file("f") hash("") arguments([])

// -----

// Graphs.

dfg.task_graph @g {
  // expected-error @+1 {{stands in a task graph, which holds tasks only}}
  %0 = arith.constant 1 : i64
}

// -----

// expected-error @+1 {{has the name 'a/b', which no file can have}}
dfg.task_graph @"a/b" {
}

// -----

// expected-error @+1 {{has the name '..', which no file can have}}
dfg.task_graph @".." {
}

// -----

// expected-error @+1 {{expects parent op 'dfg.task_graph'}}
dfg.task c "a"()

// -----

dfg.task_graph @g {
  // expected-note @+1 {{the other one is here}}
  dfg.task c "a"() named("x")
  // expected-error @+1 {{has the name 'x', as another task has}}
  dfg.task c "b"() named("x")
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{operand #0 does not dominate this use}}
  dfg.task c "a"() after(%later)
  // expected-note @+1 {{operand defined here}}
  %later = dfg.task c "b"()
}

// -----

dfg.task_graph @g {
  // expected-error @+2 {{operand #0 does not dominate this use}}
  // expected-note @+1 {{operand defined here (op in the same block)}}
  %a = dfg.task c "a"() after(%a)
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{use of undeclared SSA value name}}
  dfg.task c "a"() after(%nobody)
}

// -----

// Kinds and clauses.

dfg.task_graph @g {
  // expected-error @+1 {{unknown kind 'cuda', expected c, halide, python, fem or hpvm}}
  dfg.task cuda "a"()
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{of kind python needs the module of its kernel: of "NAME"}}
  dfg.task python "a"()
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has 'of', which only python and fem tasks have}}
  dfg.task c "a" of "m"()
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has 'over', which only c tasks have}}
  dfg.task halide "a" over [4]()
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has 'variants', which only halide tasks have}}
  dfg.task c "a"() variants([{}])
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has 'generator', which only fem tasks have}}
  dfg.task python "a" of "m"() generator("g")
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has 'source', which only c and hpvm tasks have}}
  dfg.task halide "a"() source("a.c")
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has 'contiguous', which only c tasks have}}
  dfg.task halide "a"() contiguous
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has no variants; the one without parameters is variants([{}])}}
  dfg.task halide "a"() variants([])
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has the variant {p = 1 : i64}, expected {name = "value", ...}}}
  dfg.task halide "a"() variants([{p = 1}])
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{'contiguous' stands here twice}}
  dfg.task c "a"() contiguous contiguous
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{'named' stands here twice}}
  dfg.task c "a"() named("b") contiguous named("c")
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{"kind" stands here twice}}
  dfg.task c "a"() {kind = 1 : i32}
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has an empty or unprintable kernel}}
  dfg.task c ""()
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has an empty or unprintable name}}
  dfg.task c "a"() named("b\0A")
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has an empty or unprintable name of a file}}
  dfg.task c "a"() writes(["a.bmp", ""])
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has a grid of 4 dimensions, expected one to three}}
  dfg.task c "a" over [1, 1, 1, 1]()
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has a grid with the extent 0, expected at least 1}}
  dfg.task c "a" over [4, 0]()
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has a grid of more points than 64 bits count}}
  dfg.task c "a" over [4294967296, 4294967296]()
}

// -----

// Arguments.

dfg.task_graph @g {
  // expected-error @+1 {{names @nobody, which is no dataset, scalar or object of the module}}
  dfg.task c "a"(@nobody)
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{names @g, which is no dataset, scalar or object of the module}}
  dfg.task c "a"(@g)
}

// -----

dfg.dataset @d : i32 [4]
dfg.task_graph @g {
  // expected-error @+1 {{uses @d with elements of type 'i32', expected si8 to si64, ui8 to ui64, f32 or f64}}
  dfg.task c "a"(@d)
}

// -----

dfg.dataset @d : f32 [4]
dfg.task_graph @g {
  // expected-error @+1 {{passes @d by value, which only scalars are}}
  dfg.task c "a"(value @d)
}

// -----

dfg.object @o
dfg.task_graph @g {
  // expected-error @+1 {{of kind halide uses the object @o, which only python and fem tasks can}}
  dfg.task halide "a"(@o)
}

// -----

dfg.scalar @s : f32 = 1.0
dfg.task_graph @g {
  // expected-error @+1 {{@s is passed by value, so it is only read, and has no parts}}
  dfg.task c "a"(value @s[0:1])
}

// -----

dfg.scalar @s : f32 = 1.0
dfg.task_graph @g {
  // expected-error @+1 {{takes a part of @s, which only datasets have}}
  dfg.task c "a"(@s[0:1])
}

// -----

dfg.dataset @d : f32 [4, 4]
dfg.task_graph @g {
  // expected-error @+1 {{takes a part of @d with 1 ranges, but it has 2 dimensions}}
  dfg.task c "a"(@d[0:1])
}

// -----

dfg.dataset @d : f32 [4]
dfg.task_graph @g {
  // expected-error @+1 {{takes a part of @d up to element 4 of dimension 0, which has 4}}
  dfg.task c "a"(@d[0:5:2])
}

// -----

dfg.dataset @d : f32 [4]
dfg.task_graph @g {
  // expected-error @+1 {{takes a part of @d up to element 9 of dimension 0, which has 4}}
  dfg.task c "a"(@d[9:9])
}

// -----

dfg.dataset @d : f32 [4]
dfg.task_graph @g {
  // expected-error @+1 {{the range 3:1:1 is none, expected 0 <= begin <= end and step >= 1}}
  dfg.task c "a"(@d[3:1])
}

// -----

dfg.dataset @d : f32 [4]
dfg.task_graph @g {
  // expected-error @+1 {{the range 0:4:0 is none}}
  dfg.task c "a"(@d[0:4:0])
}

// -----

dfg.task_graph @g {
  // expected-error @+1 {{has the argument 4 : i64, expected #dfg.arg<...>}}
  %0 = "dfg.task"() {args = [4], callee = "a", kind = 0 : i32} : () -> !dfg.token
}

// -----

dfg.dataset @d : f32 [4]
dfg.task_graph @g {
  // expected-error @+1 {{expected ')'}}
  dfg.task c "a"(@d inout)
}
