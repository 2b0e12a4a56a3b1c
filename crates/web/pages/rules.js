// The page over the questions `learn` and `explain`.
'use strict';

const FIELDS = ['examples', 'background', 'bias'];
const SHOWN = 30;
let known = null;    // what can be asked for
let learned = null;  // the clauses that are explained, and their task

const texts = () => Object.fromEntries(FIELDS.map((id) => [id, $(id).value]));
const files = () => ({ 'exs.pl': $('examples'), 'bk.pl': $('background'), 'bias.pl': $('bias') });

function describe() {
  const learner = known.learners.find((one) => one.name === $('learner').value);
  $('about').textContent = learner.summary.replaceAll('`', '') + '. It needs ' + learner.needs.replaceAll('`', '') + '.';
}

function load(task) {
  for (const id of FIELDS) $(id).value = task[id];
  $('learner').value = task.learner;
  $('steps').value = task.steps || '';
  $('seed').value = task.seed === undefined ? 1 : task.seed;
  describe();
  for (const id of ['result', 'explained']) $(id).replaceChildren();
  $('status').textContent = '';
  $('ask').hidden = true;
}

// Examples by name, each a button that explains it.
function exampleList(title, names) {
  if (!names.length) return [];
  const items = names.slice(0, SHOWN).map((name) => {
    const button = make('button', { type: 'button' }, name);
    button.addEventListener('click', () => { $('example').value = name; explain(); $('ask').scrollIntoView({ block: 'nearest' }); });
    return make('li', {}, button);
  });
  const more = names.length > SHOWN ? [make('p', { class: 'meta' }, 'and ' + (names.length - SHOWN).toLocaleString('en') + ' more.')] : [];
  return [make('h3', {}, title), make('ul', { class: 'examples' }, ...items), ...more];
}

function percent(share) {
  const of = (value) => (100 * value).toFixed(1);
  return share ? of(share.value) + ' % (' + of(share.low) + ' to ' + of(share.high) + ')' : '–';
}

function show(answer, ms) {
  const { theory, correct, missed, wrong } = answer;
  const { counts } = theory.training;
  const n = theory.clauses.length;
  const yes = correct ? 'Every example is right.'
    : plural(counts.fn, 'positive example') + ' not covered, ' + plural(counts.fp, 'negative example') + ' covered.';
  $('status').className = 'verdict ' + (correct ? 'yes' : 'no');
  $('status').textContent = (n ? plural(n, 'clause') : 'No clause') + ' by ' + theory.learner + ' in ' + plural(theory.steps, 'step') + ' and ' + duration(ms) + '. ' + yes;
  const box = [];
  box.push(...messages(answer.messages, files()));
  if (n) {
    const rows = theory.clauses.map(({ clause, covers }) => make('tr', {},
      make('th', { scope: 'row' }, clause), make('td', {}, covers.tp.toLocaleString('en')), make('td', {}, covers.fp.toLocaleString('en'))));
    box.push(make('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Clauses' }, make('table', { class: 'counts clauses' },
      make('caption', {}, 'Each clause, with the positive and negative examples that it covers'),
      make('thead', {}, make('tr', {}, ...['clause', 'positive', 'negative'].map((name) => make('th', { scope: 'col' }, name)))),
      make('tbody', {}, ...rows))));
  }
  box.push(make('table', { class: 'counts' }, make('caption', {}, 'All of them together'),
    make('thead', {}, make('tr', {}, ...['examples', 'covered', 'not covered'].map((name) => make('th', { scope: 'col' }, name)))),
    make('tbody', {},
      make('tr', {}, make('th', { scope: 'row' }, 'positive'), make('td', {}, counts.tp.toLocaleString('en')), make('td', {}, counts.fn.toLocaleString('en'))),
      make('tr', {}, make('th', { scope: 'row' }, 'negative'), make('td', {}, counts.fp.toLocaleString('en')), make('td', {}, counts.tn.toLocaleString('en'))))));
  box.push(make('p', { class: 'meta' }, 'Accuracy ' + percent(theory.training.accuracy) + ' on the examples that it was learned from; the search ended: ' + theory.ending + '.'
    + (theory.undecided ? ' ' + plural(theory.undecided, 'proof') + ' met a bound and count as not covered.' : '')
    + (theory.raised ? ' ' + plural(theory.raised, 'proof') + ' raised an error.' : '')));
  const findings = theory['why-not'];
  if (findings.length) box.push(make('h3', {}, 'Why not more'), make('ul', {}, ...findings.map((one) => make('li', {}, one))));
  box.push(...exampleList('Positive, and not covered', missed), ...exampleList('Negative, and covered', wrong));
  box.push(make('details', {}, make('summary', {}, 'As a Prolog program'), make('pre', { tabindex: '0' }, answer.program)));
  $('result').replaceChildren(...box);
  learned = n ? { ...texts(), theory: answer.clauses } : null;
  $('ask').hidden = !n;
  $('explained').replaceChildren();
  const names = [...$('examples').value.matchAll(/\b(?:pos|neg)\((.*?)\)\s*\./g)].map((found) => found[1]).slice(0, 200);
  $('known').replaceChildren(...names.map((name) => make('option', { value: name })));
  if (!$('example').value || !names.includes($('example').value)) $('example').value = missed[0] || names[0] || '';
}

async function learn() {
  const asked = { ask: 'learn', ...texts(), learner: $('learner').value, seed: Number($('seed').value) };
  if ($('steps').value) asked.max_steps = Number($('steps').value);
  $('status').className = 'verdict';
  $('status').textContent = 'Learning …';
  $('result').replaceChildren();
  $('ask').hidden = true;
  $('learn').disabled = true;
  $('stop').disabled = false;
  try {
    const { answer, ms } = await engine.ask(asked);
    if (answer.error) {
      $('status').className = 'verdict no';
      $('status').textContent = plural(answer.error.length, 'mistake') + ', and nothing was learned.';
      $('result').replaceChildren(...messages(answer.error, files()));
    } else show(answer, ms);
  } catch (error) {
    $('status').textContent = 'No answer: ' + error.message + '.';
  } finally {
    $('learn').disabled = false;
    $('stop').disabled = true;
  }
}

async function explain() {
  try {
    const { answer } = await engine.ask({ ask: 'explain', ...learned, example: $('example').value });
    if (answer.error) { $('explained').replaceChildren(...messages(answer.error, {})); return; }
    $('explained').replaceChildren(
      make('p', { class: 'verdict ' + (answer.covered ? 'yes' : 'no') }, answer.covered ? 'Covered, by this proof:' : 'Not covered:'),
      make('pre', { tabindex: '0' }, answer.text));
  } catch (error) { $('explained').textContent = 'No answer: ' + error.message + '.'; }
}

$('form').addEventListener('submit', (event) => { event.preventDefault(); learn(); });
$('why-form').addEventListener('submit', (event) => { event.preventDefault(); explain(); });
$('stop').addEventListener('click', () => engine.stop());
$('learner').addEventListener('change', describe);
$('share').addEventListener('click', async () => {
  const value = { ...texts(), learner: $('learner').value, steps: $('steps').value, seed: Number($('seed').value) };
  $('status').className = 'verdict';
  $('status').textContent = await link.share(value);
});

(async () => {
  try {
    known = (await engine.ask({ ask: 'about' })).answer;
    $('version').textContent = 'Version ' + known.version + '.';
    $('learner').append(...known.learners.map((one) => make('option', { value: one.name }, one.name)));
    $('task').append(...known.tasks.map((one) => make('option', { value: one.name }, one.about)));
    $('task').addEventListener('change', () => load(known.tasks.find((one) => one.name === $('task').value)));
    const given = await link.read().catch(() => null);
    if (given) $('task').prepend(make('option', { value: '', selected: true }, 'The task of the link'));
    load(given || known.tasks[0]);
  } catch (error) { $('status').textContent = 'No answer: ' + error.message + '.'; }
})();
