// The rows "halo" of `./dev bench cluster`: that of `bench rdir`, whose host
// statement touches scalars only, so that nothing but edges crosses in a
// repetition. What it orders, tasks of all ranks do: 0 is the end, 1 sweeps, 2
// begins anew and compares.

rdir.parameter @n : i64 = 320
rdir.parameter @rows : i64 = 2
rdir.parameter @columns : i64 = 1
rdir.parameter @pairs : i64 = 100

rdir.variable @order : i32 = 1
rdir.variable @wrong : f64 = 0.0
rdir.root @plate [@n, @n] {now : f64, next : f64}
rdir.partition @blocks of @plate [@rows, @columns] disjoint complete by blocks
rdir.partition @halos of @plate [@rows, @columns] aliased complete by halo(@blocks, [1, 1], axes)

rdir.graph @main {
  %before = rdir.region @blocks {now, next}
  %started = rdir.region @blocks {now, next}
  rdir.task @start over [@rows, @columns] discards(%before) writes(%started) with(@n)
  %plate0 = rdir.region @plate {now, next}
  rdir.close reads(%started) writes(%plate0)
  %order0 = rdir.scalar @order initial
  %wrong0 = rdir.scalar @wrong initial
  %plate1 = rdir.region @plate {now, next}
  %order1 = rdir.scalar @order
  %wrong1 = rdir.scalar @wrong
  rdir.loop while @order reads(%plate0, %order0, %wrong0) writes(%plate1, %order1, %wrong1) {
    %o0 = rdir.scalar @order
    %o1 = rdir.scalar @order
    %w0 = rdir.scalar @wrong
    rdir.host @serve reads(%o0, %w0) writes(%o1)

    %p0 = rdir.region @plate {now, next}
    %b0 = rdir.region @blocks {now, next}
    rdir.open reads(%p0) writes(%b0)
    %b1 = rdir.region @blocks {now, next}
    rdir.task @reset over [@rows, @columns] reads(%b0, %o1) writes(%b1) with(@n)
    %p1 = rdir.region @plate {now, next}
    rdir.close reads(%b1) writes(%p1)

    %p2 = rdir.region @plate {now, next}
    rdir.loop @pairs reads(%p1) writes(%p2) {
      %now0 = rdir.region @plate {now}
      %next0 = rdir.region @plate {next}
      %nowHalos = rdir.region @halos {now}
      rdir.open reads(%now0) writes(%nowHalos)
      %nextBlocks0 = rdir.region @blocks {next}
      rdir.open reads(%next0) writes(%nextBlocks0)
      %nextBlocks1 = rdir.region @blocks {next}
      rdir.task @sweep over [@rows, @columns] reads(%nowHalos, %nextBlocks0) writes(%nextBlocks1)
      %now1 = rdir.region @plate {now}
      rdir.close reads(%nowHalos) writes(%now1)
      %next1 = rdir.region @plate {next}
      rdir.close reads(%nextBlocks1) writes(%next1)

      %nextHalos = rdir.region @halos {next}
      rdir.open reads(%next1) writes(%nextHalos)
      %nowBlocks0 = rdir.region @blocks {now}
      rdir.open reads(%now1) writes(%nowBlocks0)
      %nowBlocks1 = rdir.region @blocks {now}
      rdir.task @sweep over [@rows, @columns] reads(%nextHalos, %nowBlocks0) writes(%nowBlocks1)
      %now2 = rdir.region @plate {now}
      rdir.close reads(%nowBlocks1) writes(%now2)
    }
    %b2 = rdir.region @blocks {now}
    rdir.open reads(%p2) writes(%b2)
    %w1 = rdir.scalar @wrong
    rdir.fill 0.0 : f64 discards(%w0) writes(%w1)
    %w2 = rdir.scalar @wrong
    rdir.task @compare over [@rows, @columns] reads(%b2, %o1) continues(%w1) reduces<"max">(%w2) with(@n, @pairs)
  }
}
