// The times of nodes, from a trace: a table, the description of a node, and the
// legend of the colours.
(() => {
  const {data, nodes, groups, hooks, choose} = explorer;

  // "12.3 ms": formats nanoseconds with three digits.
  explorer.spellTime = (time) => {
    for (const [unit, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']]) {
      if (time < 0.9995 * unit)
        continue;
      const value = time / unit;
      return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${
          name}`;
    }
    return `${Math.round(time)} ns`;
  };
  explorer.countOf = (count, one, several) =>
      `${count} ${count === 1 ? one : several}`;
  const {spellTime, countOf} = explorer;
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  explorer.spellNodeTime = (time) =>
      `${spellTime(time.total)}, ${percent(time.share)}${
          time.isShared ? ', fused' : ''}`;
  const meanOf = (time) => time.calls ? time.total / time.calls : 0;

  //--- Nodes ------------------------------------------------------------------

  for (const node of data.nodes) {
    const group = groups.get(node.id);
    if (!node.time || !group)
      continue;
    const title = group.querySelector('title');
    if (title)
      title.textContent += `\n${explorer.spellNodeTime(node.time)}, ${
          countOf(node.time.calls, 'call', 'calls')}`;
    // Frames are on the path together with their contents.
    if (node.time.onPath > 0 && group.matches('.node'))
      group.classList.add('critical');
  }

  hooks.describe.push((id, details) => {
    const node = nodes.get(id), time = node.time;
    if (!time) {
      if (node.timedWith)
        element('p', 'Its time is that of \u2018' +
                nodes.get(node.timedWith).name +
                '\u2019, whose nodes run together.', details);
      else if (node.colour)
        element('p', 'It did not run.', details);
      return;
    }
    element('p', `${explorer.spellNodeTime(time)} of all nodes' time; ${
        countOf(time.calls, 'call', 'calls')} of ${spellTime(meanOf(time))}, ${
        countOf(time.parts, 'part', 'parts')}, the longest ${
        spellTime(time.longest)}; ${
        spellTime(time.onPath)} on the critical path.`, details, 'time');
    if (time.isShared)
      element('p', 'It ran as one with others, whose time is in this.',
              details);
    if (time.ranks.length)
      element('p', time.ranks.map((total, rank) => `rank ${rank}: ${
          spellTime(total)}`).join(', '), details, 'ranks');
  });

  //--- Table ------------------------------------------------------------------

  const section = document.getElementById('times');
  section.hidden = false;
  const legend = element('div', '', section);
  legend.id = 'legend';
  const swatch = (colour, text) => {
    const box = element('span', '', legend, 'swatch');
    box.style.background = colour;
    legend.append(`${text} `);
  };
  for (const {share, colour} of data.scale)
    swatch(colour, percent(share));
  swatch(data.absent, 'did not run');

  const columns = [
    ['node', (node) => node.name],
    ['total', (node) => node.time.total, spellTime],
    ['share', (node) => node.time.share, percent],
    ['calls', (node) => node.time.calls, String],
    ['mean', (node) => meanOf(node.time), spellTime],
    ['on path', (node) => node.time.onPath, spellTime],
  ];
  const table = element('table', '', section);
  const heads = element('tr', '', element('thead', '', table));
  const body = element('tbody', '', table);
  const timed = data.nodes.filter(
      (node) => node.time && groups.get(node.id)?.matches('.node'));
  // A frame whose nodes run together has the time of all of them.
  for (const node of data.nodes)
    if (node.time && data.nodes.some((one) => one.timedWith === node.id))
      timed.push(node);
  const lines = new Map();
  for (const node of timed) {
    const line = element('tr', '', body);
    for (const [index, [, value, spell]] of columns.entries()) {
      const cell = element('td', spell ? spell(value(node)) : '', line);
      if (index)
        continue;
      element('span', '', cell, 'swatch').style.background = node.colour;
      cell.append(node.name + (node.time.isShared ? ' (fused)' : ''));
      cell.title = `${node.name}: ${node.kind}`;
    }
    line.onclick = () => choose(node.id, true);
    lines.set(node.id, line);
  }
  let sorted = -1, isRising = false;
  function sort(column) {
    const value = columns[column][1];
    isRising = column === sorted ? !isRising : column === 0;
    sorted = column;
    timed.sort((a, b) => (isRising ? 1 : -1) *
        (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
    body.append(...timed.map((node) => lines.get(node.id)));
  }
  for (const [column, [name]] of columns.entries())
    element('th', name, heads).onclick = () => sort(column);
  sort(1);

  hooks.chosen.push((id) => {
    body.querySelector('.here')?.classList.remove('here');
    lines.get(id)?.classList.add('here');
    lines.get(id)?.scrollIntoView({block: 'nearest'});
  });
})();
