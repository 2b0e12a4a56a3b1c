// A board as a grid of tiles: one of them has the focus, arrows move it.
'use strict';

// `act(row, column, what)` is called with 'enter', 'mark', or the key of a letter, digit or point.
function makeBoard(element, act) {
  let cells = [], shape = '', at = [0, 0];
  const cell = ([row, column]) => (cells[row] || [])[column];
  const move = (row, column, focus) => {
    const before = cell(at);
    if (before) before.tabIndex = -1;
    at = [row, column];
    cell(at).tabIndex = 0;
    if (focus) cell(at).focus();
  };
  const place = (target) => {
    const found = target.closest('[role=gridcell]');
    return found && [Number(found.ariaRowIndex) - 2, Number(found.ariaColIndex) - 2];
  };

  element.addEventListener('click', (event) => {
    const found = place(event.target);
    if (!found) return;
    move(...found, true);
    act(found[0] + 1, found[1] + 1, 'enter');
  });
  element.addEventListener('contextmenu', (event) => {
    const found = place(event.target);
    if (!found) return;
    event.preventDefault();
    move(...found, true);
    act(found[0] + 1, found[1] + 1, 'mark');
  });
  element.addEventListener('keydown', (event) => {
    if (event.altKey || event.metaKey || !place(event.target)) return;
    const [row, column] = at, rows = cells.length, columns = cells[0].length;
    const to = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? rows - 1 : row, columns - 1],
      PageUp: [0, column], PageDown: [rows - 1, column],
    }[event.key];
    if (to) {
      event.preventDefault();
      if (to[0] >= 0 && to[0] < rows && to[1] >= 0 && to[1] < columns) move(...to, true);
    } else if (!event.ctrlKey && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      act(row + 1, column + 1, 'enter');
    } else if (!event.ctrlKey && /^[0-8.a-z]$/i.test(event.key)) {
      event.preventDefault();
      act(row + 1, column + 1, event.key.toLowerCase());
    } else if (!event.ctrlKey && (event.key === 'Backspace' || event.key === 'Delete')) {
      event.preventDefault();
      act(row + 1, column + 1, '.');
    }
  });

  const build = (rows, columns) => {
    element.style.setProperty('--tile', columns > 20 ? '1.7rem' : columns > 12 ? '1.85rem' : '2.35rem');
    element.ariaRowCount = rows + 1;
    element.ariaColCount = columns + 1;
    const head = make('div', { role: 'row', 'aria-rowindex': 1 });
    const name = (role, text, column) => make('div', { role, class: 'name', 'aria-colindex': column }, text);
    head.append(name('presentation', '', null));
    for (let c = 1; c <= columns; c++) head.append(name('columnheader', String(c), c + 1));
    cells = [];
    const body = [head];
    for (let r = 0; r < rows; r++) {
      const row = make('div', { role: 'row', 'aria-rowindex': r + 2 }, name('rowheader', String(r + 1), 1));
      cells.push([]);
      for (let c = 0; c < columns; c++) {
        const tile = make('div', { role: 'gridcell', tabindex: -1, 'aria-rowindex': r + 2, 'aria-colindex': c + 2 });
        cells[r].push(tile);
        row.append(tile);
      }
      body.push(row);
    }
    element.replaceChildren(...body);
    at = [Math.min(at[0], rows - 1), Math.min(at[1], columns - 1)];
    cell(at).tabIndex = 0;
  };

  return {
    // Shows rows of tiles, each {text, label, classes, risk}.
    show(rows) {
      const now = rows.length + 'x' + rows[0].length;
      if (now !== shape) build(rows.length, rows[0].length);
      shape = now;
      rows.forEach((row, r) => row.forEach((tile, c) => {
        const own = cells[r][c];
        own.textContent = tile.text;
        own.className = tile.classes.join(' ');
        own.style.setProperty('--risk', tile.risk === null ? 0 : 100 * tile.risk);
        own.ariaLabel = 'row ' + (r + 1) + ', column ' + (c + 1) + ': ' + tile.label;
      }));
    },
    focus(row, column) { move(row - 1, column - 1, true); },
  };
}

// The signs of a position's lines: '.', 'F', or a digit.
function signs(position) {
  return position.trim().split('\n').slice(1).map((line) => [...line.trim()]);
}
