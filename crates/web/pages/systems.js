// The page over the questions `simulate` and `quiz`.
'use strict';

let known = null;

// A picture of the program in the page, with words for those who do not see it.
function picture(svg, label) {
  const holder = make('div', { class: 'drawn', role: 'img', tabindex: '0', 'aria-label': label });
  holder.innerHTML = svg;
  holder.firstElementChild.setAttribute('aria-hidden', 'true');
  return holder;
}

// The first line of a text about a behavior says how it ends.
function behavior({ number, svg, text }) {
  const [title, ...table] = text.trim().split('\n');
  const ending = title.replace(/^behavior \d+: /, '').replaceAll('`', '');
  return make('figure', {},
    make('figcaption', {}, 'Behavior ' + number + ': ' + ending),
    picture(svg, 'Behavior ' + number + ', ' + ending + '; as a table below'),
    make('details', {}, make('summary', {}, 'As a table'), make('pre', { tabindex: '0' }, table.join('\n'))));
}

function show(answer, ms) {
  const { system, drawn } = answer;
  const n = system.states.length;
  const behaviors = system.behaviors;
  $('status').className = 'verdict ' + (system.limit ? 'no' : 'yes');
  $('status').textContent = (behaviors ? plural(behaviors.length, 'behavior') + ', ' : '') + plural(n, 'state') + ' in ' + duration(ms) + '.'
    + (system.limit ? ' Not all: ' + system.limit + '.' : '');
  const box = system.warnings.map(({ line, message }) => make('p', {}, 'Warning, line ' + line + ': ' + message + '.'));
  if (drawn.length) {
    box.push(make('div', { class: 'pictures' }, ...drawn.map(behavior)));
    if (drawn.length < behaviors.length) box.push(make('p', { class: 'meta' }, 'The first ' + drawn.length + ' of ' + behaviors.length.toLocaleString('en') + ' behaviors are drawn; the text has all.'));
  }
  const graph = make('div', { class: 'states', tabindex: '0', role: 'img', 'aria-label': 'The graph of ' + plural(n, 'state') });
  if (n <= 400) graph.innerHTML = answer.graph;
  box.push(make('details', { open: !drawn.length }, make('summary', {}, 'The graph of states'), n <= 400 ? graph : make('p', {}, 'More than 400 states are not drawn.')));
  box.push(make('details', {}, make('summary', {}, 'As text'), make('pre', { tabindex: '0' }, answer.text)));
  $('result').replaceChildren(...box);
}

// One exercise at a time: the choices, then the reasons, then the next.
function quiz({ title, exercises }) {
  let at = 0, right = 0;
  const score = () => right + ' of ' + at + ' right';
  const ask = () => {
    const { time, state, choices } = exercises[at];
    const boxes = choices.map(() => make('input', { type: 'checkbox' }));
    const answers = choices.map((choice, number) => make('div', {}, make('label', { class: 'check' }, boxes[number], make('code', {}, choice.state))));
    const next = make('button', { class: 'go', type: 'submit' }, 'Answer');
    const form = make('form', {},
      make('h2', { tabindex: '-1' }, 'Question ' + (at + 1) + ' of ' + exercises.length),
      make('p', {}, 'At ' + time + ': ', make('code', {}, state)),
      make('p', {}, 'Which states can come next?'),
      ...answers, make('div', { class: 'acts' }, next));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (boxes[0].disabled) { if (at < exercises.length) ask(); else end(); return; }
      const isRight = choices.every((choice, number) => choice.right === boxes[number].checked);
      at += 1;
      right += isRight;
      choices.forEach((choice, number) => {
        boxes[number].disabled = true;
        answers[number].append(make('p', { class: 'verdict ' + (choice.right ? 'yes' : 'no') }, (choice.right ? 'follows: ' : 'cannot follow: ') + choice.reason));
      });
      $('status').className = 'verdict ' + (isRight ? 'yes' : 'no');
      $('status').textContent = (isRight ? 'Right' : 'Not right') + ', ' + score() + '.';
      next.textContent = at < exercises.length ? 'Next question' : 'Finish';
    });
    $('result').replaceChildren(form);
    form.firstElementChild.focus();
  };
  const end = () => {
    $('status').className = 'verdict';
    $('status').textContent = title + ': ' + score() + '.';
    $('result').replaceChildren();
  };
  $('status').textContent = title + ': ' + plural(exercises.length, 'question') + '.';
  ask();
}

// Asks about the system of the page, and shows what comes back.
async function answered(question, doing, failure, shown) {
  const asked = { system: $('system').value, ...question };
  if ($('states').value) asked.max_states = Number($('states').value);
  $('status').className = 'verdict';
  $('status').textContent = doing + ' …';
  $('result').replaceChildren();
  $('simulate').disabled = $('quiz').disabled = true;
  $('stop').disabled = false;
  try {
    const { answer, ms } = await engine.ask(asked);
    if (answer.error) {
      $('status').className = 'verdict no';
      $('status').textContent = plural(answer.error.length, 'mistake') + ', and ' + failure + '.';
      $('result').replaceChildren(...messages(answer.error, { 'system.toml': $('system') }));
    } else shown(answer, ms);
  } catch (error) {
    $('status').textContent = 'No answer: ' + error.message + '.';
  } finally {
    $('simulate').disabled = $('quiz').disabled = false;
    $('stop').disabled = true;
  }
}

const simulate = () => answered({ ask: 'simulate', extent: $('extent').value }, 'Simulating', 'nothing was simulated', show);

$('form').addEventListener('submit', (event) => { event.preventDefault(); simulate(); });
$('quiz').addEventListener('click', () => answered({ ask: 'quiz' }, 'Looking for questions', 'there is no quiz', quiz));
$('stop').addEventListener('click', () => engine.stop());
$('share').addEventListener('click', async () => {
  $('status').className = 'verdict';
  $('status').textContent = await link.share({ system: $('system').value, extent: $('extent').value, states: $('states').value });
});

(async () => {
  try {
    known = (await engine.ask({ ask: 'about' })).answer;
    $('version').textContent = 'Version ' + known.version + '.';
    $('name').append(...known.systems.map((one) => make('option', { value: one.name }, one.name + ': ' + one.title)));
    const load = () => {
      $('system').value = known.systems.find((one) => one.name === $('name').value).toml;
      $('system').scrollTop = 0;
      simulate();
    };
    $('name').addEventListener('change', load);
    const given = await link.read().catch(() => null);
    if (!given) { $('name').value = 'bathtub'; load(); return; }
    $('name').prepend(make('option', { value: '', selected: true, disabled: true }, 'The system of the link'));
    $('system').value = given.system;
    $('extent').value = given.extent;
    $('states').value = given.states;
    simulate();
  } catch (error) { $('status').textContent = 'No answer: ' + error.message + '.'; }
})();
