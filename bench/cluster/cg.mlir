// The rows "cg" of `./dev bench cluster`: the conjugate gradients of
// examples/cg with a number of steps. A repetition starts at zero, as the
// program by hand does: after many steps there would be nothing left to improve.
// What the host statement orders, tasks of all ranks do: 0 is the end, 1 solves,
// 2 compares besides.

rdir.parameter @rows : i64 = 4096      // a square: the points of a grid
rdir.parameter @entries : i64 = 20224  // 5 rows - 4 sqrt(rows)
rdir.parameter @pieces : i64 = 2
rdir.parameter @steps : i64 = 20

rdir.root @matrix [@entries] {row : i64, column : i64, value : f64}
rdir.root @vectors [@rows] {first : i64, b : f64, x : f64, r : f64, p : f64, q : f64}
rdir.variable @old : f64 = 0.0         // the sum of r r, before the step
rdir.variable @new : f64 = 0.0         // and after it
rdir.variable @pq : f64 = 0.0
rdir.variable @order : i32 = 1
rdir.variable @wrong : f64 = 0.0

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
  %x0 = rdir.region @blocks {x} initial
  %r0 = rdir.region @blocks {r} initial
  %p0 = rdir.region @blocks {p} initial
  %q0 = rdir.region @blocks {q} initial
  %old0 = rdir.scalar @old initial
  %new0 = rdir.scalar @new initial
  %pq0 = rdir.scalar @pq initial
  %order0 = rdir.scalar @order initial
  %wrong0 = rdir.scalar @wrong initial
  %x9 = rdir.region @blocks {x}
  %r9 = rdir.region @blocks {r}
  %p9 = rdir.region @blocks {p}
  %q9 = rdir.region @blocks {q}
  %old9 = rdir.scalar @old
  %new9 = rdir.scalar @new
  %pq9 = rdir.scalar @pq
  %order9 = rdir.scalar @order
  %wrong9 = rdir.scalar @wrong
  rdir.loop while @order
    reads(%lines, %first, %b, %x0, %r0, %p0, %q0, %old0, %new0, %pq0, %order0, %wrong0)
    writes(%x9, %r9, %p9, %q9, %old9, %new9, %pq9, %order9, %wrong9) {
    %o0 = rdir.scalar @order
    %o1 = rdir.scalar @order
    %w0 = rdir.scalar @wrong
    rdir.host @serve reads(%o0, %w0) writes(%o1)

    // x = 0, r = b, p = b. It reads the order, so that all begin when it comes.
    %bb = rdir.region @blocks {b}
    %xa = rdir.region @blocks {x}
    %xb = rdir.region @blocks {x}
    %ra = rdir.region @blocks {r}
    %rb = rdir.region @blocks {r}
    %pa = rdir.region @blocks {p}
    %pb = rdir.region @blocks {p}
    %olda = rdir.scalar @old
    %oldz = rdir.scalar @old
    %oldb = rdir.scalar @old
    rdir.fill 0.0 : f64 discards(%olda) writes(%oldz)
    rdir.task @restart over [@pieces] reads(%bb, %o1) discards(%xa, %ra, %pa) writes(%xb, %rb, %pb)
      continues(%oldz) reduces<"+">(%oldb)

    %ll = rdir.region @lines {column, value}
    %ff = rdir.region @blocks {first}
    %qa = rdir.region @blocks {q}
    %newa = rdir.scalar @new
    %pqa = rdir.scalar @pq
    %xc = rdir.region @blocks {x}
    %rc = rdir.region @blocks {r}
    %pc = rdir.region @blocks {p}
    %qc = rdir.region @blocks {q}
    %oldc = rdir.scalar @old
    %newc = rdir.scalar @new
    %pqc = rdir.scalar @pq
    rdir.loop @steps
      reads(%ll, %ff, %xb, %rb, %pb, %qa, %oldb, %newa, %pqa)
      writes(%xc, %rc, %pc, %qc, %oldc, %newc, %pqc) {
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
    }
    %w1 = rdir.scalar @wrong
    rdir.fill 0.0 : f64 discards(%w0) writes(%w1)
    %w2 = rdir.scalar @wrong
    rdir.task @compare over [@pieces] reads(%xc, %o1) continues(%w1) reduces<"max">(%w2) with(@rows, @steps)
  }
}
