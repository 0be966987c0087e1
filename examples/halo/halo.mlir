// Heat on a plate: a 5-point stencil on blocks that read their neighbours'
// edges. Two fields change places; after every 20 sweeps the largest change of
// a cell is found.

rdir.parameter @n : i64 = 1024    // cells a side
rdir.parameter @rounds : i64 = 10 // of 20 sweeps

rdir.variable @change : f64 = 0.0
rdir.root @plate [@n, @n] {now : f64, next : f64}
rdir.partition @blocks of @plate [8, 2] disjoint complete by blocks
rdir.partition @halos of @plate [8, 2] aliased complete by halo(@blocks, [1, 1], axes)

rdir.graph @main {
  // Both fields begin with the same temperatures: sweeps leave the border as
  // it is.
  %before = rdir.region @blocks {now, next}
  %started = rdir.region @blocks {now, next}
  rdir.task @start over [8, 2] discards(%before) writes(%started)
  %plate0 = rdir.region @plate {now, next}
  rdir.close reads(%started) writes(%plate0)

  %change0 = rdir.scalar @change initial
  %change1 = rdir.scalar @change
  %plate1 = rdir.region @plate {now, next}
  rdir.loop @rounds reads(%plate0) discards(%change0) writes(%plate1, %change1) {
    %p0 = rdir.region @plate {now, next}
    %p1 = rdir.region @plate {now, next}
    rdir.loop 10 reads(%p0) writes(%p1) {
      %now0 = rdir.region @plate {now}
      %next0 = rdir.region @plate {next}

      // There: from `now` with its halos to `next`.
      %nowHalos = rdir.region @halos {now}
      rdir.open reads(%now0) writes(%nowHalos)
      %nextBlocks0 = rdir.region @blocks {next}
      rdir.open reads(%next0) writes(%nextBlocks0)
      %nextBlocks1 = rdir.region @blocks {next}
      rdir.task @sweep over [8, 2] reads(%nowHalos, %nextBlocks0) writes(%nextBlocks1)
      %now1 = rdir.region @plate {now}
      rdir.close reads(%nowHalos) writes(%now1)
      %next1 = rdir.region @plate {next}
      rdir.close reads(%nextBlocks1) writes(%next1)

      // And back.
      %nextHalos = rdir.region @halos {next}
      rdir.open reads(%next1) writes(%nextHalos)
      %nowBlocks0 = rdir.region @blocks {now}
      rdir.open reads(%now1) writes(%nowBlocks0)
      %nowBlocks1 = rdir.region @blocks {now}
      rdir.task @sweep over [8, 2] reads(%nextHalos, %nowBlocks0) writes(%nowBlocks1)
      %now2 = rdir.region @plate {now}
      rdir.close reads(%nowBlocks1) writes(%now2)
    }
    %blocks = rdir.region @blocks {now, next}
    rdir.open reads(%p1) writes(%blocks)
    %c0 = rdir.scalar @change
    %c1 = rdir.scalar @change
    rdir.fill 0.0 : f64 discards(%c0) writes(%c1)
    %c2 = rdir.scalar @change
    rdir.task @change over [8, 2] reads(%blocks) continues(%c1) reduces<"max">(%c2)
  }
  rdir.host @check reads(%plate1, %change1) with(@rounds)
}
