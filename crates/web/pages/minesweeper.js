// The page over the questions `position`, `board` and `play`; what is said follows from their answers.
'use strict';

const SHOWN = 60;
const MOST_TILES = 3000;
const state = {
  mode: 'analyse',
  found: null,     // the answer about the position that is shown
  chosen: null,    // the tile asked about
  because: [],     // the numbers that decide it
  game: null,      // { board, clicks, last }
};

const same = (a, b) => a && b && a[0] === b[0] && a[1] === b[1];
const named = ([row, column]) => 'row ' + row + ', column ' + column;
const listed = (places) => places.map(named).join('; ');
const percent = (risk) => {
  const of = 100 * risk;
  return of > 0 && of < 0.5 ? '<1' : of < 100 && of > 99.5 ? '>99' : of.toFixed(0);
};
const chance = (wins) => 'wins ' + (100 * wins.chance).toFixed(1) + ' % of games (' + wins.won + ' of ' + wins.of + ')';

const board = makeBoard($('board'), (row, column, what) => {
  if (state.mode === 'play') play(row, column, what); else edit(row, column, what);
});

// What a rule says, in words.
function reason(one) {
  const numbers = one.because && one.because.length ? listed(one.because) : '';
  switch (one.rule) {
    case 'S-1': return one.mine
      ? 'M-1: the number at ' + numbers + ' needs all of its covered tiles'
      : 'S-1: the number at ' + numbers + ' has all of its mines';
    case 'sets': return 'two numbers decide it: ' + numbers;
    case 'numbers': return plural(one.because.length, 'number') + ' together decide it: ' + numbers;
    case 'all': return 'the count of mines decides it' + (numbers ? ', with ' + numbers : '');
    default: return 'it is so in every arrangement of the mines';
  }
}

// Everything known of a tile: in words, and the numbers that decide it.
function why(found, tile) {
  const [row, column] = tile, sign = signs(found.position)[row - 1][column - 1];
  if (/\d/.test(sign)) return ['uncovered, ' + (sign === '0' ? 'no mine' : plural(Number(sign), 'mine')) + ' around.', []];
  if (sign === 'F') return ['It is marked; marks count as mines.', []];
  if (found.untouched) return ['Nothing is uncovered yet.', []];
  const certain = found.analyse.certain.find((one) => same(one.tile, tile));
  if (certain) return [(certain.mine ? 'A mine. ' : 'Safe. ') + reason(certain) + '.', certain.because || []];
  const risk = found.solve.mine[row - 1][column - 1];
  const pair = found.analyse.fifty_fifties.find((both) => both.flat().some((one) => same(one, tile)));
  const guess = found.analyse.guesses.find((one) => same(one.tile, tile) && one.wins);
  return ['Nothing decides it: a mine in ' + (100 * risk).toFixed(1) + ' % of all arrangements'
    + (pair ? '; a 50/50, which no number will tell' : '')
    + (guess ? '; the best play after it ' + chance(guess.wins) : '') + '.', []];
}

// The guess that is best by what is known.
function bestGuess({ analyse }) {
  const { best, guesses } = analyse;
  if (!guesses.length || !best) return null;
  if (best.wins) return { tile: best.tile, words: 'by complete search it ' + chance(best.wins) };
  return { tile: best.tile, words: 'a mine at ' + (100 * best.mine).toFixed(1) + ' %, by ' + best.rule };
}

// Shows a position with what is known of it.
function draw(found, shows) {
  const best = shows && !found.won ? bestGuess(found) : null;
  const rows = signs(found.position);
  document.querySelector('.two').classList.toggle('broad', rows[0].length > 16);
  board.show(rows.map((row, r) => row.map((sign, c) => {
    const tile = [r + 1, c + 1], classes = [];
    const risk = sign !== '.' || !shows ? null : found.solve.mine[r][c];
    let text = sign, label;
    if (/\d/.test(sign)) {
      classes.push('open', 'n' + sign);
      text = sign === '0' ? '' : sign;
      label = sign === '0' ? 'no mine around' : plural(Number(sign), 'mine') + ' around';
    } else if (sign === 'F') {
      text = '⚑';
      label = 'marked as a mine';
    } else {
      label = 'covered';
      text = '';
      if (risk !== null) {
        text = percent(risk);
        label += ', a mine at ' + text + ' percent' + (risk <= 0 ? ': safe' : risk >= 1 ? ': certain' : '');
        if (risk <= 0) classes.push('safe');
      }
      if (best && same(best.tile, tile)) { classes.push('best'); label += ', best guess'; }
    }
    const ended = state.game && state.mode === 'play' ? state.game.last : null;
    if (ended && ended.mines && ended.mines.some((one) => same(one, tile))) {
      const exploded = same(ended.exploded, tile);
      classes.push(exploded ? 'exploded' : 'mine');
      text = sign === 'F' ? '⚑' : '✱';
      label = exploded ? 'the mine that was met' : sign === 'F' ? 'marked, and a mine' : 'a mine';
    }
    if (state.because.some((one) => same(one, tile))) classes.push('because');
    if (same(state.chosen, tile)) classes.push('chosen');
    return { text, label, classes, risk };
  })));
  const left = found.mines_left;
  $('counts').textContent = (left === null ? 'The number of mines is not known' : plural(left, 'mine') + ' left')
    + ', ' + plural(found.covered, 'tile') + ' covered';
}

function choose(tile) {
  state.chosen = tile;
  const [words, because] = tile ? why(state.found, tile) : ['', []];
  state.because = because;
  $('why').textContent = tile ? named(tile) + ': ' + words : '';
}

// The findings of an analysis below the board.
function report({ answer, ms }) {
  const { certain, fifty_fifties: pairs, guesses, ln_arrangements: ln } = answer.analyse;
  const safe = certain.filter((one) => !one.mine), mines = certain.filter((one) => one.mine);
  const best = answer.won ? null : bestGuess(answer);
  const parts = [];
  if (answer.won) parts.push('Every safe tile is uncovered.');
  else if (answer.untouched) parts.push('Nothing is uncovered yet.');
  else {
    parts.push(safe.length ? plural(safe.length, 'tile is', 'tiles are') + ' safe.' : 'No tile is certainly safe.');
    if (mines.length) parts.push(plural(mines.length, 'tile is a mine', 'tiles are mines') + '.');
  }
  if (best && !answer.untouched) parts.push('Best guess: ' + named(best.tile) + ', ' + best.words + '.');
  $('summary').textContent = parts.join(' ');

  const box = $('listed');
  box.replaceChildren();
  if (certain.length) {
    box.append(make('h2', {}, 'What is certain'));
    const list = make('ol', { class: 'found', tabindex: '0', 'aria-label': 'What is certain' });
    for (const one of [...safe, ...mines].slice(0, SHOWN)) {
      const button = make('button', { type: 'button' }, (one.mine ? 'Mine' : 'Safe') + ' at ' + named(one.tile));
      button.addEventListener('click', () => { choose(one.tile); draw(answer, true); });
      list.append(make('li', {}, button, ' ' + reason(one) + '.'));
    }
    box.append(list);
    if (certain.length > SHOWN) box.append(make('p', { class: 'meta' }, 'and ' + (certain.length - SHOWN) + ' more; a click on a tile says why.'));
  }
  for (const [one, other] of pairs) {
    box.append(make('p', {}, '50/50: mines at ' + listed(one) + ', or at ' + listed(other) + '; nothing will tell.'));
  }
  if (guesses.length && !answer.untouched) {
    const rows = guesses.map((one) => make('tr', {},
      make('th', { scope: 'row' }, one.player), make('td', {}, named(one.tile)), make('td', {}, one.rule),
      make('td', {}, (100 * one.mine).toFixed(1)), make('td', {}, one.wins ? (100 * one.wins.chance).toFixed(1) : '–')));
    box.append(make('h2', {}, 'What players would guess'), make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'What players would guess' },
      make('table', { class: 'counts' }, make('caption', { class: 'vh' }, 'What players would guess'), make('thead', {}, make('tr', {},
        ...['player', 'tile', 'rule', 'mine, %', 'wins, %'].map((name) => make('th', { scope: 'col' }, name)))),
      make('tbody', {}, ...rows))));
  }
  const n = ln === undefined || ln === null ? '' : ln < 30 ? plural(Math.round(Math.exp(ln)), 'arrangement') + ' of the mines; ' : '1e' + (ln / Math.LN10).toFixed(0) + ' arrangements of the mines; ';
  box.append(make('p', { class: 'meta' }, n + 'answered in ' + duration(ms) + '.'));
}

function failed(error) {
  $('summary').textContent = '';
  $('told').replaceChildren(make('div', { class: 'message' }, make('p', {}, 'No answer: ' + error.message + '.')));
}

// Analysing.

function question() {
  const mines = $('mines').value.trim();
  const asked = { ask: 'position', text: $('position').value };
  if (mines) asked[Number(mines) < 1 ? 'density' : 'mines'] = Number(mines);
  return asked;
}

let turn = 0, running = false;
async function analyse() {
  const own = ++turn;
  // What was asked before is of no interest any more, however long it would take.
  if (running) engine.stop();
  running = true;
  try {
    const { answer, ms } = await engine.ask(question());
    if (own !== turn) return;
    running = false;
    if (state.mode !== 'analyse') return;
    if (answer.error) {
      $('summary').textContent = answer.error.length === 1 ? 'The position cannot be used.' : 'The position cannot be used, for ' + answer.error.length + ' reasons.';
      $('listed').replaceChildren();
      $('told').replaceChildren(...messages(answer.error, { position: $('position') }));
      return;
    }
    const n = signs(answer.position).flat().length;
    if (n > MOST_TILES) throw new Error(plural(n, 'tile') + ' are more than a page can show: kibitz-minesweeper analyse takes them');
    $('told').replaceChildren();
    state.found = answer;
    choose(state.chosen && signs(answer.position)[state.chosen[0] - 1]?.[state.chosen[1] - 1] ? state.chosen : null);
    draw(answer, true);
    report({ answer, ms });
  } catch (error) {
    if (own === turn) { running = false; failed(error); }
  }
}

// Puts a sign on a tile of the text.
function put(row, column, sign) {
  const rows = signs(state.found.position);
  rows[row - 1][column - 1] = sign;
  $('position').value = state.found.position.split('\n')[0] + '\n' + rows.map((line) => line.join('')).join('\n') + '\n';
  state.chosen = null;
  analyse();
}

function edit(row, column, what) {
  if (!state.found) return;
  const brush = document.querySelector('#brush input:checked').value;
  if (what === 'mark' || what === 'f') {
    put(row, column, signs(state.found.position)[row - 1][column - 1] === 'F' ? '.' : 'F');
  } else if (/^[0-8.]$/.test(what)) put(row, column, what);
  else if (what === 'enter' && brush !== 'why') put(row, column, brush);
  else if (what === 'enter' || what === 'w') { choose([row, column]); draw(state.found, true); }
}

// Playing.

function newGame() {
  state.game = { board: null, clicks: [], last: null };
  state.chosen = null;
  state.because = [];
  const [columns, rows, mines] = $('level').value.match(/\d+/g).map(Number);
  const empty = $('level').value + '\n' + ('.'.repeat(columns) + '\n').repeat(rows);
  state.found = { position: empty, mines_left: mines, covered: rows * columns, won: false, untouched: true };
  for (const id of ['told', 'listed']) $(id).replaceChildren();
  $('why').textContent = '';
  $('game').textContent = '';
  $('summary').textContent = 'Uncover any tile: the board is laid around it.';
  draw(state.found, false);
}

const busy = { now: false };
async function play(row, column, what) {
  const game = state.game;
  if (busy.now || !game || (game.last && game.last.mines)) return;
  if (what === 'h') { hint(); return; }
  busy.now = true;
  try {
    if (what === 'w') {
      if (game.board) { await learn(); choose([row, column]); draw(state.found, $('odds').checked); }
      return;
    }
    const click = what === 'mark' || what === 'f' ? 'mark' : what === 'enter' ? 'uncover' : null;
    if (!click) return;
    if (!game.board) {
      if (click === 'mark') { $('why').textContent = 'Uncover a tile first.'; return; }
      $('summary').textContent = 'A board is looked for …';
      const asked = { ask: 'board', level: $('level').value, first: [row, column], seed: Number($('seed').value), hardest: $('hardest').value };
      const { answer, ms } = await engine.ask(asked);
      if (answer.error) { $('told').replaceChildren(...messages(answer.error, {})); return; }
      game.board = answer.level + '\n' + answer.board.join('\n') + '\n';
      $('game').textContent = '3BV ' + answer.three_bv + ', hardest deduction ' + answer.difficulty + ', '
        + (answer.swaps ? 'repaired by ' + plural(answer.swaps, 'swap') : 'drawn uniformly') + ', found in ' + duration(ms)
        + '. The same seed and first click give the same board.';
    }
    const sign = signs(state.found.position)[row - 1][column - 1];
    const does = click === 'uncover' && /\d/.test(sign) ? 'chord' : click;
    const clicks = [...game.clicks, [does, row, column]];
    const { answer } = await engine.ask({ ask: 'play', board: game.board, clicks });
    if (answer.error) { $('told').replaceChildren(...messages(answer.error, {})); return; }
    if (answer.changed) { game.clicks = clicks; game.last = answer; state.found = answer; state.chosen = null; state.because = []; }
    $('why').textContent = answer.changed || does !== 'chord' ? '' : 'A number uncovers the tiles around it once all of its mines are marked.';
    $('summary').textContent = answer.exploded ? 'A mine at ' + named(answer.exploded) + ': lost, and it could have been known.'
      : answer.won ? 'Won, without a guess, in ' + plural(game.clicks.length, 'click') + '.' : plural(answer.mines_left, 'mine') + ' left.';
    $('listed').replaceChildren();
    if ($('odds').checked && !answer.mines) await learn();
    draw(state.found, $('odds').checked && Boolean(state.found.solve));
  } catch (error) { failed(error); } finally { busy.now = false; }
}

// What is known of the game's position, marks and all.
async function learn() {
  if (state.found.solve) return true;
  const { answer } = await engine.ask({ ask: 'position', text: state.found.position });
  if (answer.error) {
    $('why').textContent = 'A mark is wrong: ' + answer.error[0].message + '.';
    return false;
  }
  state.found = { ...state.found, solve: answer.solve, analyse: answer.analyse };
  return true;
}

async function hint() {
  if (busy.now || !state.game || !state.game.board || state.game.last.mines) {
    $('why').textContent = 'Uncover a tile first.';
    return;
  }
  busy.now = true;
  try {
    if (!await learn()) return;
    const { certain } = state.found.analyse;
    const next = certain.find((one) => !one.mine) || certain[0];
    if (next) { choose(next.tile); board.focus(...next.tile); }
    draw(state.found, $('odds').checked);
  } catch (error) { failed(error); } finally { busy.now = false; }
}

function setMode(mode) {
  state.mode = mode;
  $('analyse').hidden = mode !== 'analyse';
  $('play').hidden = mode !== 'play';
  for (const id of ['told', 'listed']) $(id).replaceChildren();
  choose(null);
  if (mode === 'play') newGame(); else { state.game = null; analyse(); }
}

// The page.

const BRUSHES = [['why', 'says why'], ['.', 'covers it'], ['F', 'marks it'], ...[...'012345678'].map((digit) => [digit, digit])];
$('brush').append(...BRUSHES.map(([value, words], at) => make('label', {}, make('input', { type: 'radio', name: 'brush', value, checked: at === 0 }), words)));
for (const input of document.querySelectorAll('#mode input')) input.addEventListener('change', () => setMode(input.value));
let timer;
for (const id of ['position', 'mines']) {
  $(id).addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(analyse, 200); });
}
$('share').addEventListener('click', async () => {
  $('why').textContent = await link.share({ position: $('position').value, mines: $('mines').value });
});
$('new').addEventListener('click', () => { $('seed').value = Math.floor(Math.random() * 1e6); newGame(); });
for (const id of ['level', 'hardest', 'seed']) $(id).addEventListener('change', newGame);
$('hint').addEventListener('click', hint);
$('odds').addEventListener('change', async () => {
  if (state.game && state.game.board && !(state.game.last.mines) && $('odds').checked) await learn().catch(failed);
  draw(state.found, $('odds').checked && Boolean(state.found.solve));
});

(async () => {
  try {
    const { answer } = await engine.ask({ ask: 'about' });
    $('version').textContent = 'Version ' + answer.version + '.';
    $('example').append(...answer.positions.map((one, at) => make('option', { value: at }, one.about)), make('option', { value: '' }, 'An empty 16x16 board, 40 mines'));
    const load = () => {
      const chosen = answer.positions[$('example').value];
      $('position').value = chosen ? chosen.text : '16x16/40\n' + ('.'.repeat(16) + '\n').repeat(16);
      $('mines').value = '';
      state.chosen = null;
      analyse();
    };
    $('example').addEventListener('change', load);
    $('seed').value = Math.floor(Math.random() * 1e6);
    const given = await link.read().catch(() => null);
    if (!given) { load(); return; }
    $('position').value = given.position;
    $('mines').value = given.mines;
    analyse();
  } catch (error) { failed(error); }
})();
