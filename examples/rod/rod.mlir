rdir.parameter @steps : i64 = 1000
rdir.root @rod [64] {now : f64, next : f64}
rdir.partition @pieces of @rod [4] disjoint complete by blocks
rdir.partition @wider of @rod [4] aliased complete by halo(@pieces, [1])

rdir.graph @main {
  %cold = rdir.region @pieces
  %start = rdir.region @pieces
  rdir.task @heat over [4] discards(%cold) writes(%start)

  %rod0 = rdir.region @rod
  %rod1 = rdir.region @rod
  rdir.close reads(%start) writes(%rod0)
  rdir.loop @steps reads(%rod0) writes(%rod1) {
    %now0 = rdir.region @rod {now}
    %around = rdir.region @wider {now}
    %next0 = rdir.region @pieces {next}
    %next1 = rdir.region @pieces {next}
    rdir.open reads(%now0) writes(%around)
    %spread = rdir.task @spread over [4] reads(%around, %next0) writes(%next1)

    %again = rdir.region @rod {now}
    %old = rdir.region @pieces {now}
    %now1 = rdir.region @pieces {now}
    rdir.close reads(%around) writes(%again)
    rdir.open reads(%again) writes(%old)
    %step = rdir.copy over [4] reads(%next1) discards(%old) writes(%now1)
  }
  rdir.host @print reads(%rod1)
}
