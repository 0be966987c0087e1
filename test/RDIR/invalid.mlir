// What makes no sense at all is refused, with its place.
// RUN: sluice-opt %s --split-input-file --verify-diagnostics

// Declarations.
// expected-error @+1 {{'rdir.parameter' op has the type 'i7', expected i8, i16, i32, i64, f32 or f64}}
rdir.parameter @n : i7 = 3

// -----
// expected-error @+1 {{elements literal must be a shaped type}}
rdir.parameter @n : i64 = dense<1>

// -----
// expected-error @+1 {{'rdir.parameter' op has the type 'tensor<2xi64>', expected i8, i16, i32, i64, f32 or f64}}
rdir.parameter @n : tensor<2xi64> = dense<1>

// -----
// expected-error @+1 {{'rdir.variable' op has the type 'f16', expected i8, i16, i32, i64, f32 or f64}}
rdir.variable @v : f16 = 1.0

// -----
// expected-error @+1 {{'rdir.reduction' op has the type 'i1', expected i8, i16, i32, i64, f32 or f64}}
rdir.reduction @r : i1 identity 1 fold @f

// -----
// expected-error @+1 {{'rdir.root' op has 0 extents, expected 1 to 3}}
rdir.root @r [] {x : f64}

// -----
// expected-error @+1 {{'rdir.root' op has 4 extents, expected 1 to 3}}
rdir.root @r [2, 2, 2, 2] {x : f64}

// -----
// expected-error @+1 {{'rdir.root' op has 0 among its extents, expected at least 1}}
rdir.root @r [0] {x : f64}

// -----
// expected-error @+1 {{'rdir.root' op has 65 fields, expected at most 64}}
rdir.root @r [8] {f0 : i8, f1 : i8, f2 : i8, f3 : i8, f4 : i8, f5 : i8, f6 : i8, f7 : i8, f8 : i8, f9 : i8, f10 : i8, f11 : i8, f12 : i8, f13 : i8, f14 : i8, f15 : i8, f16 : i8, f17 : i8, f18 : i8, f19 : i8, f20 : i8, f21 : i8, f22 : i8, f23 : i8, f24 : i8, f25 : i8, f26 : i8, f27 : i8, f28 : i8, f29 : i8, f30 : i8, f31 : i8, f32 : i8, f33 : i8, f34 : i8, f35 : i8, f36 : i8, f37 : i8, f38 : i8, f39 : i8, f40 : i8, f41 : i8, f42 : i8, f43 : i8, f44 : i8, f45 : i8, f46 : i8, f47 : i8, f48 : i8, f49 : i8, f50 : i8, f51 : i8, f52 : i8, f53 : i8, f54 : i8, f55 : i8, f56 : i8, f57 : i8, f58 : i8, f59 : i8, f60 : i8, f61 : i8, f62 : i8, f63 : i8, f64 : i8}

// -----
// expected-error @+1 {{'rdir.root' op has 8 : i32 among its extents, expected a number of type i64}}
"rdir.root"() <{sym_name = "r", extents = [8 : i32], field_names = [], field_types = []}> : () -> ()

// -----
// expected-error @+1 {{'rdir.root' op has two fields "x"}}
rdir.root @r [8] {x : f64, x : i32}

// -----
// expected-error @+1 {{'rdir.root' op field "x" has the type 'vector<2x2xf64>', expected i8, i16, i32, i64, f32, f64 or a vector of these}}
rdir.root @r [8] {x : vector<2x2xf64>}

// -----
// expected-error @+1 {{'rdir.root' op field "x" has the type 'f16', expected i8, i16, i32, i64, f32, f64 or a vector of these}}
rdir.root @r [8] {x : f16}

// -----
// expected-error @+1 {{'rdir.root' op names @n, which is not a parameter of the module}}
rdir.root @r [@n] {x : f64}

// -----
rdir.parameter @n : f64 = 3.0
// expected-error @+1 {{'rdir.root' op uses parameter @n of type 'f64' as a number of elements or repetitions, which needs an integer}}
rdir.root @r [@n] {x : f64}

// -----
// expected-error @+1 {{'rdir.root' op names @r, which is not a parameter of the module}}
rdir.root @r [@r] {x : f64}

// -----
// expected-error @+1 {{'rdir.root' op has "a" among its extents, expected numbers and names of parameters}}
"rdir.root"() {sym_name = "r", extents = ["a"], field_names = ["x"], field_types = [f64]} : () -> ()

// -----
// expected-error @+1 {{'rdir.root' op has 1 names of fields, but 0 types}}
"rdir.root"() {sym_name = "r", extents = [8], field_names = ["x"], field_types = []} : () -> ()

// -----
// expected-error @+1 {{'rdir.root' op has a field without a name}}
"rdir.root"() {sym_name = "r", extents = [8], field_names = [""], field_types = [f64]} : () -> ()

// -----
// Partitions.
// expected-error @+1 {{'rdir.partition' op names @r, which is neither a root nor a partition of the module}}
rdir.partition @p of @r [2] disjoint complete

// -----
// expected-error @+1 {{'rdir.partition' op names @q, which is declared below; declare what a partition is made from above it}}
rdir.partition @p of @q[0] [2] disjoint complete
rdir.partition @q of @p[0] [2] disjoint complete

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{custom op 'rdir.partition' expected 'disjoint' or 'aliased'}}
rdir.partition @p of @r [2] complete

// -----
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [2] disjoint

// expected-error @+1 {{custom op 'rdir.partition' expected 'complete' or 'incomplete'}}
// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{custom op 'rdir.partition' unknown rule 'magic', expected blocks, halo, coloring, field, color, image, preimage, union, intersection, difference or cross}}
rdir.partition @p of @r [2] disjoint complete by magic

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op gives a color of @r, which is a root; only partitions have colors}}
rdir.partition @p of @r[1] [2] disjoint complete

// -----
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [2] disjoint complete
// expected-error @+1 {{'rdir.partition' op is made of partition @p; name the color to divide, as in @p[0]}}
rdir.partition @q of @p [2] disjoint complete

// -----
rdir.root @r [8] {x : f64}
// expected-note @+1 {{'p' is declared here}}
rdir.partition @p of @r [2] disjoint complete
// expected-error @+1 {{'rdir.partition' op names color 2 of 'p', which has colors 0 to 1}}
rdir.partition @q of @p[2] [2] disjoint complete

// -----
rdir.parameter @n : i64 = 4
rdir.root @r [8] {x : f64}
// expected-note @+1 {{'p' is declared here}}
rdir.partition @p of @r [@n] disjoint complete
// expected-error @+1 {{'rdir.partition' op names color -1 of 'p', which has colors 0 to @n - 1, and at most 2097151}}
rdir.partition @q of @p[-1] [2] disjoint complete

// -----
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [2] disjoint complete
// expected-error @+1 {{'rdir.partition' op gives a color with 2 numbers, but 'p' has colors with 1}}
rdir.partition @q of @p[0, 1] [2] disjoint complete

// -----
rdir.parameter @n : i64 = 4
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [2] disjoint complete
// expected-error @+1 {{custom op 'rdir.partition' expected the numbers of a color of @p}}
rdir.partition @q of @p[@n] [2] disjoint complete

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op has blocks with 2 dimensions, but root 'r' has 1}}
rdir.partition @p of @r [2, 2] disjoint complete by blocks

// -----
rdir.root @r [8, 8] {x : f64}
rdir.partition @p of @r [2, 2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op has a halo of 1 widths, but root 'r' has 2 dimensions}}
rdir.partition @q of @r [2, 2] aliased complete by halo(@p, [1])

// -----
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op has a halo of negative width}}
rdir.partition @q of @r [2] aliased complete by halo(@p, [-1])

// -----
rdir.root @r [8] {x : f64}
// expected-note @+1 {{'p' is declared here}}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op has the colors [4], but 'p' has [2]}}
rdir.partition @q of @r [4] aliased complete by halo(@p, [1])

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op names @r, which is a root, where a partition is needed}}
rdir.partition @q of @r [4] aliased complete by halo(@r, [1])

// -----
rdir.root @r [8] {x : f64}
rdir.root @s [8] {x : f64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op is made from 'p', which is a partition of another root}}
rdir.partition @q of @s [2] aliased complete by halo(@p, [1])

// -----
rdir.root @r [8] {x : f64}
rdir.root @s [8] {x : f64}
rdir.partition @p of @r [2] disjoint complete by blocks
rdir.partition @o of @s [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op is made from 'o', which is a partition of another root}}
rdir.partition @q of @r [2] aliased complete by union(@p, @o)

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op names field "y", which root 'r' does not have}}
rdir.partition @p of @r [2] disjoint complete by field("y")

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op uses field "x" of type 'f64', expected an integer}}
rdir.partition @p of @r [2] disjoint complete by field("x")

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op 'by halo' needs the attribute 'left'}}
"rdir.partition"() {sym_name = "p", parent = @r, colors = [2], kind = 2 : i32} : () -> ()

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op 'by blocks' cannot have the attribute 'function'}}
"rdir.partition"() {sym_name = "p", parent = @r, colors = [2], kind = 1 : i32, function = @f} : () -> ()

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.partition' op only 'by halo' can have 'axes'}}
"rdir.partition"() {sym_name = "p", parent = @r, colors = [2], kind = 1 : i32, axes_only} : () -> ()

// -----
// Constraints.
rdir.root @r [8] {x : f64}
// expected-error @+1 {{custom op 'rdir.constraint' expected 'disjoint' or 'subregion'}}
rdir.constraint equal @r, @r

// -----
rdir.root @r [8] {x : f64}
// expected-error @+1 {{'rdir.constraint' op names @s, which is neither a root nor a partition of the module}}
rdir.constraint disjoint @r, @s

// -----
// Graphs and bodies.
rdir.graph @g {
  // expected-error @+1 {{'builtin.unrealized_conversion_cast' op may not stand in a graph, which holds nodes only}}
  "builtin.unrealized_conversion_cast"() : () -> i64
}

// -----
// expected-error @+1 {{'rdir.graph' op has a body with arguments; nodes of the body stand for its data}}
"rdir.graph"() ({
^bb0(%x: !rdir.node):
}) {sym_name = "g"} : () -> ()

// -----
rdir.graph @g {
  // expected-error @+1 {{use of undeclared SSA value name}}
  rdir.task reads(%unknown)
}

// -----
// expected-error @+1 {{'rdir.task' op expects parent op to be one of 'rdir.graph, rdir.loop, rdir.must_epoch'}}
%t = rdir.task

// -----
// Data nodes.
rdir.graph @g {
  // expected-error @+1 {{'rdir.region' op names @r, which is neither a root nor a partition of the module}}
  %0 = rdir.region @r
}

// -----
rdir.variable @v : f64 = 0.0
rdir.graph @g {
  // expected-error @+1 {{'rdir.region' op names @v, which is neither a root nor a partition of the module}}
  %0 = rdir.region @v
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{'rdir.region' op names field "y", which root 'r' does not have}}
  %0 = rdir.region @r {y}
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{'rdir.region' op names field "x" twice}}
  %0 = rdir.region @r {x, x}
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.region' expected the name of a field}}
  %0 = rdir.region @r {}
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{'rdir.region' op gives a color of @r, which is a root; only partitions have colors}}
  %0 = rdir.region @r[0]
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{'rdir.scalar' op names @r, which is not a variable of the module}}
  %0 = rdir.scalar @r
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.region' unknown clause 'reads', expected edges or attributes}}
  %0 = rdir.region @r reads(%0)
}

// -----
// Clauses.
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.task' unknown clause 'raeds', expected reads, writes, discards, continues, reduces, after, edges, over, with, coherence or attributes}}
  rdir.task raeds(%0)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.task' unknown kind of edge 'touch', expected read, write, discard, reduce, continue or happens_before}}
  %0 = rdir.task edges(touch to %0)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.task' expected 'from'}}
  %0 = rdir.task edges(read %0)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.task' invalid kind of attribute specified}}
  %0 = rdir.task reduces<7>(%0)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has the operator "-", expected "+", "*", "min", "max", "and", "or", "xor" or the name of a reduction}}
  %0 = rdir.task reduces<"-">(%0)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op names @closest, which is not a reduction of the module}}
  %0 = rdir.task reduces<@closest>(%0)
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op reduces with "xor" into elements of type 'f64', but the operator is on integers}}
  rdir.task reduces<"xor">(%0)
  %0 = rdir.region @r
}

// -----
rdir.reduction @closest : f32 identity 1.0e30 fold @f
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op reduces with @closest into elements of type 'f64', but the operator is on 'f32'}}
  rdir.task reduces<@closest>(%0)
  %0 = rdir.region @r
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.task' expected a port that is not negative, but got -1}}
  %0 = rdir.task reads(%0 port -1)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.task' expected an affine map, the sums of a color or the name of a function after 'by'}}
  %0 = rdir.task reads(%0 by 3)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.task' unknown coherence 'lazy', expected exclusive, atomic, simultaneous or relaxed}}
  %0 = rdir.task coherence([lazy])
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  %0 = rdir.region @r
  // expected-error @+1 {{'rdir.task' op has 1 ports, but 2 entries in 'coherence'}}
  rdir.task reads(%0) coherence([atomic, exclusive])
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op names @n in 'with', which is not a parameter of the module}}
  rdir.task with(@n)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op names the iteration '%text' in 'with', but no loop around it has that name}}
  rdir.task with("text")
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.open' op calls no function, and so cannot have 'with'}}
  rdir.open with(3)
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.close' op calls no function, and so cannot have 'coherence'}}
  rdir.close coherence([])
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.host' op cannot be launched; only tasks, copies and fills have 'over'}}
  rdir.host over [4]
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has 0 among its extents in 'over', expected at least 1}}
  rdir.task over [4, 0]
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op names @n, which is not a parameter of the module}}
  rdir.task over [@n]
}

// -----
// Launches.
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [4] disjoint complete
rdir.graph @g {
  %0 = rdir.region @p
  // expected-error @+1 {{'rdir.task' op is launched over 2 dimensions, but partition 'p' of edge 0 has colors with 1; say with 'by' which color a point has, or 'whole'}}
  rdir.task over [4, 4] reads(%0)
}

// -----
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [4] disjoint complete
rdir.graph @g {
  %0 = rdir.region @p
  // expected-error @+1 {{'rdir.task' op gives edge 0 a projection from 2 to 1 numbers, but points have 1 and colors of 'p' have 1}}
  rdir.task over [4] reads(%0 by affine_map<(i, j) -> (i)>)
}

// -----
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [4] disjoint complete
rdir.graph @g {
  %0 = rdir.region @p
  // expected-error @+1 {{'rdir.task' op has the projection affine_map<(d0) -> (d0 mod 2)>, which is not a sum of multiples of the point's numbers; use 'by @function'}}
  rdir.task over [4] reads(%0 by affine_map<(i) -> (i mod 2)>)
}

// -----
rdir.root @r [8] {x : f64}
rdir.partition @p of @r [4] disjoint complete
rdir.graph @g {
  %0 = rdir.region @p
  // expected-error @+1 {{'rdir.task' op gives edge 0 a projection, but the computation is not launched: there is no 'over'}}
  rdir.task reads(%0 whole)
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  %0 = rdir.region @r
  // expected-error @+1 {{'rdir.task' op gives edge 0 a projection, but its data is not a partition as a whole}}
  rdir.task over [4] reads(%0 by @f)
}

// -----
rdir.graph @g {
  %0 = rdir.task
  // expected-error @+1 {{'rdir.task' op gives edge 0 a projection, but the edge does not join data and computation}}
  rdir.task over [4] reads(%0 by @f)
}

// -----
// Fills and loops.
rdir.graph @g {
  // expected-error @+1 {{'rdir.fill' op fills with "text", expected a number of type i8, i16, i32, i64, f32 or f64}}
  rdir.fill "text"
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.fill' op fills with 1.000000e+00 : f16, expected a number of type i8, i16, i32, i64, f32 or f64}}
  rdir.fill 1.0 : f16
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.fill' expected a number and its type}}
  rdir.fill unit
}

// -----
rdir.root @r [8] {x : f64, y : i32}
rdir.graph @g {
  // expected-error @+1 {{'rdir.fill' op fills with a number of type 'f64', but an element has type 'i32'}}
  rdir.fill 1.0 : f64 writes(%0)
  %0 = rdir.region @r
}

// -----
rdir.graph @g {
  // expected-error @+1 {{custom op 'rdir.loop' expected a number of iterations, a parameter, or 'while', 'if' or 'unless' and a variable}}
  rdir.loop { }
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.loop' op has the number of iterations -1 : i64, expected a number that is not negative, the name of a parameter, or a sum of them}}
  rdir.loop -1 { }
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.loop' op names @n, which is not a parameter of the module}}
  rdir.loop @n { }
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.loop' op tests @flag, which is not an integer variable of the module}}
  rdir.loop while @flag { }
}

// -----
rdir.variable @flag : f64 = 0.0
rdir.graph @g {
  // expected-error @+1 {{'rdir.loop' op tests @flag, which is not an integer variable of the module}}
  rdir.loop while @flag { }
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.loop' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "rdir.loop"() ({
  }) {kinds = array<i8>} : () -> !rdir.node
}

// -----
// The generic form says what the other cannot.
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has 1 edges, but 0 kinds}}
  %0 = "rdir.task"(%0) {kinds = array<i8>} : (!rdir.node) -> !rdir.node
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has the unknown kind of edge 7}}
  %0 = "rdir.task"(%0) {kinds = array<i8: 7>} : (!rdir.node) -> !rdir.node
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has 1 Reduce edges, but 0 operators}}
  %0 = "rdir.task"(%0) {kinds = array<i8: 11>} : (!rdir.node) -> !rdir.node
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has 1 edges, but 0 projections}}
  %0 = "rdir.task"(%0) {kinds = array<i8: 0>, projections = []} : (!rdir.node) -> !rdir.node
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has the projection "half", expected an affine map, sums, the name of a function, "whole" or unit}}
  %0 = "rdir.task"(%0) {kinds = array<i8: 0>, projections = ["half"]} : (!rdir.node) -> !rdir.node
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has 1 edges, but 0 ports}}
  %0 = "rdir.task"(%0) {kinds = array<i8: 0>, ports = array<i32>} : (!rdir.node) -> !rdir.node
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has a port that is no number of an argument}}
  %0 = "rdir.task"(%0) {kinds = array<i8: 0>, ports = array<i32: -2>} : (!rdir.node) -> !rdir.node
}

// -----
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has the unknown coherence 9}}
  %0 = "rdir.task"() {kinds = array<i8>, coherence = array<i8: 9>} : () -> !rdir.node
}

// -----
rdir.root @r [8] {x : f64}
rdir.graph @g {
  // expected-error @+1 {{'rdir.region' op names no field}}
  %0 = "rdir.region"() {kinds = array<i8>, region = @r, fields = []} : () -> !rdir.node
}

// -----
// Counts that a program may not have, as numbers of 64 bits would wrap around.
rdir.root @r [2147483647, 2147483647, 2] {x : i8}

// -----
// expected-error @+1 {{'rdir.root' op has the extents [4294967296, 2147483648], expected fewer than 2^63 elements in all}}
rdir.root @r [4294967296, 2147483648] {x : i8}

// -----
rdir.root @r [8] {x : i8}
// expected-error @+1 {{'rdir.partition' op has the extents of colors [2147483648], expected fewer than 2^31 colors in all}}
rdir.partition @p of @r [2147483648] disjoint complete

// -----
rdir.parameter @n : i64 = 1
rdir.root @r [8, 8, 8] {x : i8}
// expected-error @+1 {{'rdir.partition' op has the extents of colors [4294967296, @n, 4294967296], expected fewer than 2^31 colors in all}}
rdir.partition @p of @r [4294967296, @n, 4294967296] disjoint complete

// -----
rdir.parameter @n : i64 = 0
rdir.graph @g {
  // A launch without points may have any other extents.
  rdir.task @f over [9223372036854775807, @n]
  // expected-error @+1 {{'rdir.task' op has the extents in 'over' [9223372036854775807, 2], expected fewer than 2^31 points in all}}
  rdir.task @f over [9223372036854775807, 2]
}

// -----
// A parameter hides nothing.
rdir.parameter @n : i64 = 0
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has 0 among its extents in 'over', expected at least 1}}
  rdir.task over [@n, 0]
}

// -----
rdir.parameter @n : i64 = 0
rdir.graph @g {
  // expected-error @+1 {{'rdir.task' op has -3 among its extents in 'over', expected at least 1}}
  rdir.task over [@n, -3]
}

// -----
rdir.parameter @n : i64 = 4
rdir.root @r [8, 8, 8] {x : i8}
rdir.partition @p of @r [@n, 2147483647, @n] disjoint complete
rdir.graph @g {
  %0 = rdir.region @p[1023, 5, 2097151] initial
  // expected-error @+1 {{'rdir.region' op names a color of 'p' that may be beyond all that there can be; give the extents of its colors as numbers}}
  %1 = rdir.region @p[2097151, 5, 0] initial
}

// -----
rdir.root @r [8] {x : i8}
rdir.partition @p of @r [2] disjoint complete
rdir.graph @g {
  %0 = rdir.region @p initial
  rdir.task @f over [2] reads(%0 by affine_map<(i) -> (i * 4611686018427387903 - 4611686018427387903)>)
  // expected-error @+1 {{'rdir.task' op has the projection affine_map<(d0) -> (d0 * 4611686018427387904)>, whose numbers must be between -2^62 and 2^62}}
  rdir.task @f over [2] reads(%0 by affine_map<(i) -> (i * 4611686018427387904)>)
}

// -----
// expected-error @+1 {{'rdir.root' op field "v" has the type 'vector<1048577xi64>', expected at most 1048576 values in an element}}
rdir.root @r [8] {u : vector<1048576xi64>, v : vector<1048577xi64>}
