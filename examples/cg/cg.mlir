// The conjugate gradient method for a sparse matrix: A x = b, where A is
// symmetric and positive definite.
//
//   multiply    q = A p, and the sum of p q       one point for each block
//   improve     x += a p, r -= a q, sum of r r    of rows
//   direct      p = r + b p
//
// A block of rows needs the elements of p that its entries name: the image of
// the entries. Only these order the points of one launch after those of
// another.

rdir.parameter @rows : i64 = 4096      // a square: the points of a grid
rdir.parameter @entries : i64 = 20224  // 5 rows - 4 sqrt(rows)
rdir.parameter @pieces : i64 = 8
rdir.parameter @steps : i64 = 1000

rdir.root @matrix [@entries] {row : i64, column : i64, value : f64}
rdir.root @vectors [@rows] {first : i64, b : f64, x : f64, r : f64, p : f64, q : f64}
rdir.variable @old : f64 = 0.0         // the sum of r r, before the step
rdir.variable @new : f64 = 0.0         // and after it
rdir.variable @pq : f64 = 0.0
rdir.variable @step : i32 = 0
rdir.variable @going : i32 = 1

rdir.partition @blocks of @vectors [@pieces] disjoint complete by blocks
rdir.partition @lines of @matrix [@pieces] disjoint complete by preimage("row", @blocks)
rdir.partition @needed of @vectors [@pieces] aliased complete by image(@lines, "column")

rdir.graph @assemble {
  %m0 = rdir.region @matrix
  %m1 = rdir.region @matrix
  %v0 = rdir.region @vectors {first, b}
  %v1 = rdir.region @vectors {first, b}
  rdir.task @assemble discards(%m0, %v0) writes(%m1, %v1)
}

rdir.graph @solve {
  %lines = rdir.region @lines {column, value} initial
  %first = rdir.region @blocks {first} initial
  %b = rdir.region @blocks {b} initial

  // x = 0, r = b, p = b.
  %x0 = rdir.region @blocks {x}
  %x1 = rdir.region @blocks {x}
  rdir.fill 0.0 : f64 over [@pieces] discards(%x0) writes(%x1)
  %r0 = rdir.region @blocks {r}
  %r1 = rdir.region @blocks {r}
  rdir.copy over [@pieces] reads(%b) discards(%r0) writes(%r1)
  %p0 = rdir.region @blocks {p}
  %p1 = rdir.region @blocks {p}
  rdir.copy over [@pieces] reads(%b) discards(%p0) writes(%p1)
  %old0 = rdir.scalar @old initial
  %old1 = rdir.scalar @old
  rdir.task @square over [@pieces] reads(%r1) continues(%old0) reduces<"+">(%old1)

  %q0 = rdir.region @blocks {q}
  %n0 = rdir.region @vectors {p}
  %new0 = rdir.scalar @new initial
  %pq0 = rdir.scalar @pq initial
  %step0 = rdir.scalar @step initial
  %going0 = rdir.scalar @going initial
  %x2 = rdir.region @blocks {x}
  %r2 = rdir.region @blocks {r}
  %p2 = rdir.region @blocks {p}
  %q2 = rdir.region @blocks {q}
  %old2 = rdir.scalar @old
  %new2 = rdir.scalar @new
  %pq2 = rdir.scalar @pq
  %step2 = rdir.scalar @step
  %going2 = rdir.scalar @going
  rdir.loop @steps while @going
    reads(%lines, %first, %x1, %r1, %p1, %old1, %new0, %pq0, %step0, %going0)
    discards(%q0)
    writes(%x2, %r2, %p2, %q2, %old2, %new2, %pq2, %step2, %going2) {
    %entries = rdir.region @lines {column, value}
    %begin = rdir.region @blocks {first}

    // q = A p
    %p = rdir.region @blocks {p}
    %all = rdir.region @vectors {p}
    rdir.close reads(%p) writes(%all)
    %needed = rdir.region @needed {p}
    rdir.open reads(%all) writes(%needed)
    %q = rdir.region @blocks {q}
    %product = rdir.region @blocks {q}
    %pqBefore = rdir.scalar @pq
    %pqZero = rdir.scalar @pq
    %pqNow = rdir.scalar @pq
    rdir.fill 0.0 : f64 discards(%pqBefore) writes(%pqZero)
    rdir.task @multiply over [@pieces] reads(%entries, %begin, %needed) discards(%q) writes(%product)
      continues(%pqZero) reduces<"+">(%pqNow)

    // x and r
    %x = rdir.region @blocks {x}
    %r = rdir.region @blocks {r}
    %old = rdir.scalar @old
    %better = rdir.region @blocks {x}
    %rest = rdir.region @blocks {r}
    %newBefore = rdir.scalar @new
    %newZero = rdir.scalar @new
    %newNow = rdir.scalar @new
    rdir.fill 0.0 : f64 discards(%newBefore) writes(%newZero)
    rdir.task @improve over [@pieces] reads(%x, %r, %p, %product, %old, %pqNow) writes(%better, %rest)
      continues(%newZero) reduces<"+">(%newNow)

    // p
    %direction = rdir.region @blocks {p}
    rdir.task @direct over [@pieces] reads(%p, %rest, %old, %newNow) writes(%direction)
    %oldNow = rdir.scalar @old
    rdir.task @keep reads(%newNow) discards(%old) writes(%oldNow)
    %stepBefore = rdir.scalar @step
    %stepNow = rdir.scalar @step
    rdir.task @count reads(%stepBefore) writes(%stepNow)
    %goingBefore = rdir.scalar @going
    %goingNow = rdir.scalar @going
    rdir.task @isLarge reads(%newNow) discards(%goingBefore) writes(%goingNow) with(1.0e-20 : f64)
  }

  %all2 = rdir.region @vectors {x}
  rdir.close reads(%x2) writes(%all2)
  rdir.host @compare reads(%all2, %step2, %new2)
}
