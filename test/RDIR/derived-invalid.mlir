// Rules of partitions that cannot be.
// RUN: sluice-opt %s -split-input-file -verify-diagnostics

rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
rdir.partition @q of @r [3] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op has the colors [2, 2], but those of its parts are [2] and [3]; name these one after the other}}
rdir.partition @c of @r [2, 2] disjoint complete by cross(@p, @q)

// -----
rdir.root @r [8] {x : i64}
rdir.root @s [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
rdir.partition @q of @s [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op is made from 'q', which is a partition of another root}}
rdir.partition @c of @r [2, 2] disjoint complete by cross(@p, @q)

// -----
rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op has the colors [3, 2], expected those of 'p', [2], and then the numbers of blocks of each}}
rdir.partition @c of @r [3, 2] disjoint complete by blocks(@p)

// -----
rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op has blocks with 2 dimensions, but its root has 1}}
rdir.partition @c of @r [2, 2, 2] disjoint complete by blocks(@p)

// -----
rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op is periodic in dimension 1, but has 1 widths}}
rdir.partition @h of @r [2] aliased complete by halo(@p, [1], periodic [1])

// -----
rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{custom op 'rdir.partition' expected 'axes' or 'periodic', each once}}
rdir.partition @h of @r [2] aliased complete by halo(@p, [1], periodic, periodic)

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{'rdir.partition' op names the coordinate 'j' of elements that have only 1}}
rdir.partition @c of @r [2] disjoint complete by color([j mod 2])

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{'rdir.partition' op computes 1 coordinate, but the colors have 2}}
rdir.partition @c of @r [2, 2] disjoint complete by color([i mod 2])

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{'rdir.partition' op names @n, which is not a parameter of the module}}
rdir.partition @c of @r [2] disjoint complete by color([i div @n])

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{expected a number of at least 1}}
rdir.partition @c of @r [2] disjoint complete by color([i div 0])

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{'rdir.partition' op computes coordinates with the number 1152921504606846976, but they must be between -2^60 and 2^60}}
rdir.partition @c of @r [2] disjoint incomplete by color([i + 1152921504606846976])

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{'rdir.partition' op computes coordinates with the number 1152921504606846976, but they must be between -2^60 and 2^60}}
rdir.partition @c of @r [2] disjoint incomplete by color([i + 1 div 3 mod 1152921504606846976])

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{'rdir.partition' op computes 4 coordinates, expected 1 to 3}}
rdir.partition @c of @r [2] disjoint incomplete by color([i, i, i, i])

// -----
rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{custom op 'rdir.partition' expected a field in quotes, or 'next'}}
rdir.partition @c of @r [2] aliased incomplete by image(@p, "x" to)

// -----
rdir.root @r [8] {x : i64}
// expected-error @+1 {{custom op 'rdir.partition' expected a field in quotes}}
rdir.partition @c of @r [2] disjoint incomplete by field(x)

// -----
rdir.root @r [8, 8] {x : i64}
rdir.root @s [8] {x : i64}
rdir.partition @p of @s [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op computes 1 coordinate, but the elements that they name have 2}}
rdir.partition @c of @r [2] aliased incomplete by image(@p, [2 * i])

// -----
rdir.root @r [8] {x : i64, two : vector<2xi64>}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op uses field "two" of type 'vector<2xi64>', expected an integer}}
rdir.partition @c of @r [2] aliased incomplete by image(@p, "two" to next)

// -----
rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op names field "y", which root 'r' does not have}}
rdir.partition @c of @r [2] aliased incomplete by preimage("x" to "y", @p)

// -----
rdir.root @r [8] {x : i64}
rdir.partition @p of @r [2] disjoint complete by blocks
// expected-note @+1 {{'q' is declared here}}
rdir.partition @q of @r [3] disjoint complete by blocks
// expected-error @+1 {{'rdir.partition' op names color 3 of 'q', which has colors 0 to 2}}
rdir.partition @c of @r [2] aliased incomplete by difference(@p, @q[3])
