// A program for tests of Python: a stencil and its sum over @grid, integers in
// @marks, and vectors in @pairs.

rdir.parameter @n : i64 = 8
rdir.parameter @m : i64 = 6
rdir.parameter @steps : i64 = 2
rdir.parameter @factor : f64 = 0.5
rdir.parameter @failing : i32 = 0  // a number of a run that fails

rdir.variable @sum : f64 = 0.0
rdir.variable @runs : i32 = 40
rdir.root @grid [@n, @m] {value : f64, next : f64}
rdir.root @marks [@n] {mark : i32}
rdir.root @pairs [@n] {pair : vector<2xf32>, step : i8}

rdir.partition @blocks of @grid [3, 2] disjoint complete by blocks
rdir.partition @halos of @grid [3, 2] aliased complete by halo(@blocks, [1, 1], axes)
rdir.partition @pieces of @marks [3] disjoint complete by blocks
rdir.partition @pairPieces of @pairs [3] disjoint complete by blocks

rdir.graph @main {
  %g0 = rdir.region @grid {value, next} initial
  %g1 = rdir.region @grid {value, next}
  rdir.loop @steps reads(%g0) writes(%g1) {
    %value0 = rdir.region @grid {value}
    %next0 = rdir.region @grid {next}
    %halos = rdir.region @halos {value}
    rdir.open reads(%value0) writes(%halos)
    %n0 = rdir.region @blocks {next}
    rdir.open reads(%next0) writes(%n0)
    %n1 = rdir.region @blocks {next}
    rdir.task @smooth over [3, 2] reads(%halos) discards(%n0) writes(%n1)
    %value1 = rdir.region @grid {value}
    rdir.close reads(%halos) writes(%value1)
    %v0 = rdir.region @blocks {value}
    rdir.open reads(%value1) writes(%v0)
    %v1 = rdir.region @blocks {value}
    rdir.copy over [3, 2] reads(%n1) discards(%v0) writes(%v1)
    %value2 = rdir.region @grid {value}
    rdir.close reads(%v1) writes(%value2)
    %next1 = rdir.region @grid {next}
    rdir.close reads(%n1) writes(%next1)
  }
  %blocks = rdir.region @blocks {value}
  rdir.open reads(%g1) writes(%blocks)
  %s0 = rdir.scalar @sum initial
  %s1 = rdir.scalar @sum
  rdir.task @total over [3, 2] reads(%blocks) continues(%s0) reduces<"+">(%s1) with(@factor)

  %m0 = rdir.region @pieces {mark} initial
  %m1 = rdir.region @pieces {mark}
  rdir.task @mark over [3] reads(%m0) writes(%m1)

  %step = rdir.region @pairPieces {step} initial
  %p0 = rdir.region @pairPieces {pair} initial
  %p1 = rdir.region @pairPieces {pair}
  rdir.task @go over [3] reads(%step, %p0) writes(%p1)

  %r0 = rdir.scalar @runs initial
  %r1 = rdir.scalar @runs
  rdir.host @count reads(%r0) writes(%r1) with(@failing)
}
