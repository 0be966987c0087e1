// Whether the points of a launch interfere is decided for all iterations, and
// for all values of parameters.
// RUN: sluice-opt %s --rdir-check -split-input-file -verify-diagnostics -o /dev/null

rdir.parameter @n : i64 = 4
rdir.root @a [64, 64] {x : f64}
rdir.partition @t of @a [@n, @n] disjoint complete by blocks
rdir.graph @cholesky {
  rdir.loop %k in @n {
    rdir.task @factor writes(@t[%k, %k])
    rdir.task @solve over [@n - %k - 1] reads(@t[%k, %k]) writes(@t[i + %k + 1, %k])
    rdir.task @update over [@n - %k - 1, @n - %k - 1]
      reads(@t[i + %k + 1, %k], @t[j + %k + 1, %k]) writes(@t[i + %k + 1, j + %k + 1])
  }
}
rdir.graph @lu {
  rdir.loop %k in @n {
    rdir.task @factor writes(@t[%k, %k])
    rdir.task @solve over [@n - %k - 1] reads(@t[%k, %k]) writes(@t[i + %k + 1, %k])
    rdir.task @solve over [@n - %k - 1] reads(@t[%k, %k]) writes(@t[%k, i + %k + 1])
    rdir.task @update over [@n - %k - 1, @n - %k - 1]
      reads(@t[i + %k + 1, %k], @t[%k, j + %k + 1]) writes(@t[i + %k + 1, j + %k + 1])
  }
}
// Points on a diagonal, and what comes before them in both directions.
rdir.graph @wavefront {
  rdir.loop %d in @n {
    rdir.task @step over [%d + 1] writes(@t[i, %d - i])
  }
  rdir.loop %i in @n - 1 {
    rdir.loop %j in @n - 1 {
      rdir.task @cell reads(@t[%i, %j + 1], @t[%i + 1, %j]) writes(@t[%i + 1, %j + 1])
    }
  }
}

// -----

// All points write the tile of the iteration.
rdir.parameter @n : i64 = 4
rdir.root @a [64] {x : f64}
rdir.partition @t of @a [@n] disjoint complete by blocks
rdir.graph @main {
  rdir.loop %k in @n {
    // expected-note @+3 {{one version is here}}
    // expected-note @+2 {{the other version is here}}
    // expected-error @+1 {{points (0) and (1) of '@f' interfere}}
    rdir.task @f over [@n - %k] writes(@t[%k])
  }
}

// -----

// Each note stands at its mention.
rdir.root @a [64] {x : f64}
rdir.partition @t of @a [8] disjoint complete by blocks
rdir.graph @main {
  // expected-error @+1 {{points (0) and (1) of '@f' interfere}}
  rdir.task @f over [4]
    // expected-note @+1 {{one version is here}}
    reads(@t[i + 1])
    // expected-note @+1 {{the other version is here}}
    writes(@t[i])
}

// -----

// Whether a point reads what another one writes depends on the iteration.
rdir.parameter @n : i64 = 4
rdir.root @a [64] {x : f64}
rdir.partition @t of @a [@n] disjoint complete by blocks
rdir.graph @main {
  rdir.loop %k in @n {
    // expected-note @+3 {{the version is here}}
    // expected-note @+2 {{the other version is here}}
    // expected-remark @+1 {{points (1) and (0) may do in some iteration}}
    rdir.task @f over [@n] reads(@t[0]) writes(@t[i + %k])
  }
}

// -----

// A modulus leaves it to the run.
rdir.parameter @n : i64 = 4
rdir.root @a [64] {x : f64, y : f64}
rdir.partition @t of @a [@n] disjoint complete by blocks
rdir.graph @main {
  rdir.loop %k in @n {
    rdir.task @f over [@n] reads(@t[i + %k mod @n] {x}) writes(@t {y})
  }
}
rdir.graph @second {
  rdir.loop %k in @n {
    // expected-note @+3 {{the version is here}}
    // expected-note @+2 {{the other version is here}}
    // expected-remark @+1 {{a function chooses the colors}}
    rdir.task @g over [@n] writes(@t[i + %k mod @n] {x})
  }
}
