// Sweeps over a plate, whose time is simulated: a block for each rank, which
// takes as many nanoseconds a sweep as are asked for, and then `overhead` more,
// since what the runtime does takes no simulated time. In the end stand the
// time of a sweep on the slowest rank, and what all cells add up to.

rdir.parameter @n : i64 = 512
rdir.parameter @rows : i64 = 8
rdir.parameter @columns : i64 = 8
rdir.parameter @pairs : i64 = 20
rdir.parameter @nanoseconds : i64 = 160000
rdir.parameter @overhead : i64 = 0

rdir.variable @pace : f64 = 0.0
rdir.variable @digest : i64 = 0
rdir.root @plate [@n, @n] {now : f64, next : f64}
rdir.partition @blocks of @plate [@rows, @columns] disjoint complete by blocks
rdir.partition @halos of @plate [@rows, @columns] aliased complete by halo(@blocks, [1, 1], axes)

rdir.graph @main {
  %before = rdir.region @blocks {now, next}
  %started = rdir.region @blocks {now, next}
  rdir.task @start over [@rows, @columns] discards(%before) writes(%started) with(@n)
  %p1 = rdir.region @plate {now, next}
  rdir.close reads(%started) writes(%p1)
  %p2 = rdir.region @plate {now, next}
  rdir.loop @pairs reads(%p1) writes(%p2) {
    %now0 = rdir.region @plate {now}
    %next0 = rdir.region @plate {next}
    %nowHalos = rdir.region @halos {now}
    rdir.open reads(%now0) writes(%nowHalos)
    %nextBlocks0 = rdir.region @blocks {next}
    rdir.open reads(%next0) writes(%nextBlocks0)
    %nextBlocks1 = rdir.region @blocks {next}
    rdir.task @sweep over [@rows, @columns] reads(%nowHalos, %nextBlocks0) writes(%nextBlocks1) with(@pairs, @nanoseconds, @overhead)
    %now1 = rdir.region @plate {now}
    rdir.close reads(%nowHalos) writes(%now1)
    %next1 = rdir.region @plate {next}
    rdir.close reads(%nextBlocks1) writes(%next1)

    %nextHalos = rdir.region @halos {next}
    rdir.open reads(%next1) writes(%nextHalos)
    %nowBlocks0 = rdir.region @blocks {now}
    rdir.open reads(%now1) writes(%nowBlocks0)
    %nowBlocks1 = rdir.region @blocks {now}
    rdir.task @sweep over [@rows, @columns] reads(%nextHalos, %nowBlocks0) writes(%nowBlocks1) with(@pairs, @nanoseconds, @overhead)
    %now2 = rdir.region @plate {now}
    rdir.close reads(%nowBlocks1) writes(%now2)
  }
  %b = rdir.region @blocks {now}
  rdir.open reads(%p2) writes(%b)
  %pace0 = rdir.scalar @pace initial
  %pace1 = rdir.scalar @pace
  rdir.task @measure over [@rows, @columns] reads(%b) continues(%pace0) reduces<"max">(%pace1)
  %digest0 = rdir.scalar @digest initial
  %digest1 = rdir.scalar @digest
  rdir.task @add over [@rows, @columns] reads(%b) continues(%digest0) reduces<"+">(%digest1) with(@n)
  rdir.host @report reads(%pace1, %digest1)
}
