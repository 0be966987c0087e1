// The rows "halo" of `./dev bench rdir`: examples/halo without its reduction.
// The host statement @serve speaks with the driver: it answers for the sweeps
// before it and waits for the next order.

rdir.parameter @n : i64 = 320
rdir.parameter @rows : i64 = 4
rdir.parameter @columns : i64 = 1
rdir.parameter @pairs : i64 = 100

rdir.variable @more : i32 = 1
rdir.root @plate [@n, @n] {now : f64, next : f64}
rdir.partition @blocks of @plate [@rows, @columns] disjoint complete by blocks
rdir.partition @halos of @plate [@rows, @columns] aliased complete by halo(@blocks, [1, 1], axes)

rdir.graph @main {
  %plate0 = rdir.region @plate {now, next} initial
  %more0 = rdir.scalar @more initial
  %plate1 = rdir.region @plate {now, next}
  %more1 = rdir.scalar @more
  rdir.loop while @more reads(%plate0, %more0) writes(%plate1, %more1) {
    %p0 = rdir.region @plate {now, next}
    %p1 = rdir.region @plate {now, next}
    %m0 = rdir.scalar @more
    %m1 = rdir.scalar @more
    rdir.host @serve reads(%p0, %m0) writes(%p1, %m1) with(@n, @pairs)
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
  }
}
