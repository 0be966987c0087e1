// What a graph that names regions must not do is refused at its place in the
// text.
// RUN: sluice-opt %s --rdir-explicit -split-input-file -verify-diagnostics -o /dev/null

rdir.root @a [8] {x : f64, y : f64}
rdir.partition @p of @a [2] disjoint complete by blocks
rdir.graph @main {
  // expected-error @+1 {{the graph names regions at its tasks, and so its versions are inferred, but '%v' is a version; name versions everywhere, or nowhere}}
  %v = rdir.region @a initial
  rdir.task @f writes(@p)
  // expected-error @+1 {{but '@g' has edges to nodes; only 'after' names nodes there}}
  rdir.task @g reads(%v)
  // expected-error @+1 {{but this open is given; opens and closes follow from the regions that tasks name}}
  rdir.open
  // expected-error @+1 {{but this loop names regions; what it accesses follows from its body}}
  rdir.loop 3 reads(@a) { }
}

// -----

rdir.root @a [8] {x : f64, y : f64}
rdir.variable @v : f64 = 0.0
rdir.partition @p of @a [2] disjoint complete by blocks
rdir.graph @main {
  // expected-error @+1 {{@b is neither a root, a partition nor a variable of the module}}
  rdir.task @f reads(@b)
  // expected-error @+2 {{names field "z", which root 'a' does not have}}
  rdir.task @f reads(@a)
               reads(@p {z})
  // expected-error @+1 {{@v is a variable, which has no fields}}
  rdir.task @f reads(@v {x})
  // expected-error @+1 {{names color 2 of @p, which has colors 0 to 1}}
  rdir.task @f reads(@p[2])
  // expected-error @+1 {{names color -1 of @p, which has colors 0 to 1}}
  rdir.task @f reads(@p[-1])
  // expected-error @+1 {{gives a color with 2 numbers, but @p has colors with 1}}
  rdir.task @f reads(@p[0, 0])
  // expected-error @+1 {{@a is no partition, and so has no colors}}
  rdir.task @f reads(@a[0])
  // expected-error @+1 {{depends on the point, but '@f' is not launched: there is no 'over'}}
  rdir.task @f reads(@p[i])
  // expected-error @+1 {{has a projection, but '@f' is not launched: there is no 'over'}}
  rdir.task @f reads(@p by @g)
  // expected-error @+1 {{has a projection, but @a is not a partition as a whole}}
  rdir.task @f over [2] reads(@a by @g)
  // expected-error @+1 {{'@f' discards 'p', but does not write it}}
  rdir.task @f over [2] discards(@p)
  // expected-error @+1 {{needs no 'continues': a reduction continues the version before it}}
  rdir.task @f continues(@v) reduces<"+">(@v)
  // expected-error @+1 {{'@f' reduces into 'v', and accesses it in another way, too}}
  rdir.task @f reads(@v) reduces<"+">(@v)
}

// -----

// One argument must not change what another one has.
rdir.root @a [8] {x : f64, y : f64}
rdir.partition @p of @a [2] disjoint complete by blocks
rdir.partition @h of @a [2] aliased complete by halo(@p, [1])
rdir.graph @main {
  rdir.task @f over [2] reads(@h {x}) writes(@p {y})
  // expected-note @+2 {{the other one is here}}
  // expected-error @+1 {{'p' and 'h' may share elements, and one of them is changed; let '@g' name one region that covers both, or other fields [T2]}}
  rdir.task @g over [2] reads(@h {x}) writes(@p {x})
  // expected-note @+2 {{the other one is here}}
  // expected-error @+1 {{'a' and 'p[1]' may share elements, and one of them is changed}}
  rdir.task @g writes(@p[1]) reads(@a)
}

// -----

// A version of a partition is written, or reduced into with one operator, also
// through two projections that name other colors. Fields have versions of their
// own.
rdir.root @a [16] {x : i64, y : i64}
rdir.partition @t of @a [16] disjoint complete by blocks
rdir.graph @main {
  rdir.loop %k in 4 {
    rdir.task @f writes(@t[%k] {x}, @t[%k + 8] {x})
    rdir.task @g writes(@t[%k] {x}, @t[-%k + 15] {y})
  }
  // expected-note @+2 {{the other one is here}}
  // expected-error @+2 {{'@h' changes 't' through two projections in two ways; let it write both, reduce both with one operator, or let two tasks change them [D1]}}
  rdir.task @h over [4] writes(@t[i] {x})
                        reduces<"+">(@t[i + 8] {x})
  // expected-note @+2 {{the other one is here}}
  // expected-error @+2 {{'@h' changes 't' through two projections in two ways}}
  rdir.task @h over [4] reduces<"+">(@t[i] {x})
                        reduces<"max">(@t[i + 8] {x})
  rdir.task @h over [4] reduces<"+">(@t[i] {x}, @t[i + 8] {x})
  rdir.loop %k in 4 {
    // expected-note @+2 {{the other one is here}}
    // expected-error @+1 {{'@h' changes 't' through two projections in two ways}}
    rdir.task @h writes(@t[%k] {x}) reduces<"+">(@t[8] {x})
  }
  rdir.task @h over [4] reads(@t[i + 8] {x}) writes(@t[i] {x})
}

// -----

rdir.graph @main {
  // expected-error @+1 {{expected a number, a parameter ('@n') or an iteration ('%k')}}
  rdir.task @f over [-]
}

// -----

rdir.parameter @n : i64 = 4
rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete by blocks
rdir.graph @main {
  rdir.loop %k in @n {
    // expected-error @+1 {{names the iteration '%j', but no loop around it has that name}}
    rdir.task @f writes(@p[%j])
  }
}

// -----

rdir.root @a [8] {x : f64}
rdir.partition @p of @a [4] disjoint complete by blocks
rdir.graph @main {
  rdir.loop %k in 4 {
    // expected-error @+1 {{depends on an iteration or a parameter, but '@f' runs on the main thread, and cannot choose colors; let a task do it}}
    rdir.host @f reads(@p[%k])
  }
}

// -----

rdir.variable @going : i32 = 1
rdir.graph @main {
  // expected-error @+1 {{names its iteration '%k', but has the condition @going}}
  rdir.loop %k in 4 while @going {
    rdir.task @f writes(@going)
  }
}

// -----

rdir.graph @main {
  rdir.loop %k in 4 {
    // expected-error @+1 {{names its iteration '%k', like a loop around it}}
    rdir.loop %k in 4 {
      rdir.task @f with(%k)
    }
  }
}

// -----

rdir.graph @main {
  // expected-error @+1 {{names the iteration '%k' in 'with', but no loop around it has that name}}
  rdir.task @f with(%k)
}

// -----

rdir.root @a [8] {x : f64}
// expected-error @+1 {{among its extents of colors, expected numbers and names of parameters}}
rdir.partition @p of @a [4 - %k] disjoint complete by blocks

// -----

rdir.parameter @n : i64 = 4
rdir.graph @main {
  // expected-error @+1 {{the numbers of a sum must be between -2^62 and 2^62}}
  rdir.task @f over [@n + 9223372036854775807]
}

// -----

rdir.graph @main {
  // expected-error @+1 {{expected a number, a parameter ('@n') or an iteration ('%k')}}
  rdir.task @f over [@n - ]
}

// -----

rdir.graph @main {
  // expected-error @+1 {{has 3 : i64 as what it names}}
  %0 = "rdir.task"() {kinds = array<i8>, rdir.mentions = 3} : () -> !rdir.node
}

// -----

// The body of 'if' has run when its 'else' is chosen.
rdir.variable @flag : i32 = 1
rdir.variable @other : i32 = 1
rdir.graph @main {
  rdir.loop if @flag {
    rdir.loop 3 {
      // expected-error @+1 {{the body of 'if' changes 'flag', by which its 'else' is chosen; let it change another variable, or write 'rdir.loop unless' for what should follow if it becomes 0}}
      rdir.task @f reads(@flag) writes(@flag)
    }
  } else {
    rdir.task @f reads(@flag) writes(@flag)
  }
  rdir.loop if @other {
    rdir.task @f writes(@flag)
  } else {
    rdir.task @f writes(@other)
  }
}

// -----

rdir.variable @flag : i32 = 1
rdir.graph @main {
  // expected-error @+1 {{the graph names regions at its tasks, and so its versions are inferred, but '%s' is a version}}
  %s = rdir.scalar @flag initial
  rdir.loop if @flag {
  } else {
  }
}

// -----

rdir.variable @flag : f32 = 1.0
rdir.graph @main {
  // expected-error @+1 {{tests @flag, which is not an integer variable of the module}}
  rdir.loop unless @flag {
  }
}

// -----

rdir.variable @flag : i32 = 1
rdir.graph @main {
  rdir.loop unless @flag {
  // expected-error @+1 {{'else' follows the body of 'if'}}
  } else {
  }
}

// -----

rdir.variable @flag : i32 = 1
rdir.graph @main {
  // expected-error @+1 {{has 'unless', but not one iteration and a variable that decides about it}}
  %l = "rdir.loop"() <{count = 2 : i64, condition = @flag, kinds = array<i8>}> ({ ^bb0: }) {rdir.unless} : () -> !rdir.node
}

// -----

rdir.variable @flag : i32 = 1
rdir.graph @main {
  // expected-error @+1 {{has 'else', but its body is not a loop with 'if' followed by one with 'unless'}}
  %l = "rdir.loop"() <{count = 1 : i64, kinds = array<i8>}> ({ ^bb0: }) {rdir.choice} : () -> !rdir.node
}

// -----

// The text of 'if' has no place for a number of iterations.
rdir.variable @flag : i32 = 1
rdir.graph @main {
  // expected-error @+1 {{has 'else', but its body is not a loop with 'if' followed by one with 'unless'}}
  %l = "rdir.loop"() <{count = 1 : i64, kinds = array<i8>}> ({
  ^bb0:
    %a = "rdir.loop"() <{count = 3 : i64, condition = @flag, kinds = array<i8>}> ({ ^bb0: }) : () -> !rdir.node
    %b = "rdir.loop"() <{count = 1 : i64, condition = @flag, kinds = array<i8>}> ({ ^bb0: }) {rdir.unless} : () -> !rdir.node
  }) {rdir.choice} : () -> !rdir.node
}
