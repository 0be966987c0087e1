// Frames contain nodes: internal nodes, bodies of loops, roots. A closed frame
// hides its contents and shows its time, if it has one.
(() => {
  const {nodes, groups, edges, svg, hooks} = explorer;
  const space = 'http://www.w3.org/2000/svg';

  // A frame contains whatever is drawn inside it: Graphviz's frames are either
  // apart or nested.
  const boxOf = (group) => (group.matches('.cluster')
      ? group.querySelector('path, polygon') ?? group : group).getBBox();
  const isWithin = (inner, outer) =>
      inner.x > outer.x && inner.y > outer.y &&
      inner.x + inner.width < outer.x + outer.width &&
      inner.y + inner.height < outer.y + outer.height;
  const boxes = new Map([...groups].map(([id, group]) => [id, boxOf(group)]));
  const frames = [...groups].filter(([, group]) => group.matches('.cluster'))
      .map(([id, group]) => {
        const box = boxes.get(id);
        const inside = new Set([...groups.keys()].filter((other) =>
            other !== id && isWithin(boxes.get(other), box)));
        return {id, group, box, inside, isClosed: false};
      });

  // Hides everything inside a closed frame, and edges between elements of the
  // same closed frame.
  function update() {
    const closed = frames.filter((frame) => frame.isClosed);
    const isHidden = (id) => closed.some((frame) => frame.inside.has(id));
    for (const [id, group] of groups)
      group.classList.toggle('hidden', isHidden(id));
    for (const {group, from, to} of edges)
      group.classList.toggle('hidden', closed.some((frame) =>
          frame.inside.has(from) && frame.inside.has(to)));
    for (const frame of frames) {
      frame.toggle.classList.toggle('hidden', isHidden(frame.id));
      frame.label.classList.toggle('hidden',
                                   !frame.isClosed || isHidden(frame.id));
      frame.toggle.textContent = frame.isClosed ? '+' : '\u2212';
      frame.shape.setAttribute('fill', frame.isClosed
          ? nodes.get(frame.id)?.colour ?? '#e8ecf0' : frame.fill);
    }
  }

  function addText(frame, className, x, y) {
    const text = document.createElementNS(space, 'text');
    text.setAttribute('class', className);
    text.setAttribute('x', x);
    text.setAttribute('y', y);
    frame.group.parentNode.append(text);
    return text;
  }

  // As large as fits.
  function writeLabel(frame) {
    const {x, y, width, height} = frame.box;
    const node = nodes.get(frame.id);
    const count = [...frame.inside].filter((id) => nodes.has(id)).length;
    const text = node?.time ? explorer.spellNodeTime(node.time)
        : `${count} ${count === 1 ? 'node' : 'nodes'}`;
    frame.label = addText(frame, 'closed', x + width / 2, y + height / 2);
    frame.label.textContent = text;
    frame.label.style.fontSize =
        `${Math.min(48, height / 3, width / (0.6 * text.length))}px`;
  }

  function set(frame, isClosed) {
    frame.isClosed = isClosed;
    update();
  }

  hooks.start.push(() => {
    for (const frame of frames) {
      frame.shape = frame.group.querySelector('path, polygon');
      frame.fill = frame.shape.getAttribute('fill');
      frame.shape.setAttribute('pointer-events', 'all');
      frame.toggle = addText(frame, 'toggle', frame.box.x + 6,
                             frame.box.y + 14);
      frame.toggle.addEventListener('click', (event) => {
        event.stopPropagation();
        set(frame, !frame.isClosed);
      });
      writeLabel(frame);
    }
    update();
    const inner = frames.filter((frame) =>
        frames.some((other) => other.inside.has(frame.id)));
    for (const [id, isClosed] of [['collapse', true], ['expand', false]]) {
      const button = document.getElementById(id);
      button.hidden = !frames.length;
      button.onclick = () => {
        // Closing all frames leaves the outermost ones open, unless there are
        // no others.
        for (const frame of isClosed && inner.length ? inner : frames)
          frame.isClosed = isClosed;
        update();
      };
    }
  });
  explorer.frames = frames;
  explorer.setFrame = (id, isClosed) =>
      set(frames.find((frame) => frame.id === id), isClosed);

  hooks.reveal.push((id) => {
    const around = frames.filter((frame) =>
        frame.isClosed && frame.inside.has(id));
    for (const frame of around)
      frame.isClosed = false;
    if (around.length)
      update();
  });
})();
