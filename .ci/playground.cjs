// Opens the playgrounds from disk and uses them: node playground.cjs CHROMIUM PAGES [SCREENSHOTS].
'use strict';
const assert = require('node:assert');
const { mkdirSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
const path = require('node:path');
const { chromium } = require('playwright-core');
const axe = require('axe-core');

const [, , executablePath, pages, shots] = process.argv;
if (shots) mkdirSync(shots, { recursive: true });
const address = (name) => pathToFileURL(path.resolve(pages, name)).href;

// What a page shows once its first answer is there.
const READY = {
  'index.html': 'h1',
  'minesweeper.html': '#board [role=gridcell]',
  'rules.html': '#learner option',
  'systems.html': '#result figure',
};

let n = 0;
async function checked(page, what) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert(wide <= 0, `${what}: ${wide} pixels too wide`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => axe.run(document, { preload: false, resultTypes: ['violations'] }));
  for (const one of violations) {
    const text = `${what}: ${one.impact} ${one.id}: ${one.nodes[0].html.slice(0, 160)} ${one.nodes[0].failureSummary}`;
    assert(!['serious', 'critical'].includes(one.impact), text);
    console.log(text);
  }
  n += 1;
  if (shots) await page.screenshot({ path: path.join(shots, what.replaceAll(/\W+/g, '-') + '.png'), fullPage: true });
}

async function minesweeper(page) {
  const text = (id) => page.locator(id).textContent();
  await page.locator('#position').fill('8x3/1\n........\n....\n');
  await page.locator('#told pre').first().waitFor();
  assert.match(await text('#told'), /position:3:/);
  await page.locator('#example').selectOption({ index: 0 });
  await page.locator('#summary:has-text("safe")').waitFor();
  await page.locator('#board [role=gridcell]').first().focus();
  for (const key of ['ArrowRight', 'ArrowDown', 'w']) await page.keyboard.press(key);
  assert.match(await text('#why'), /^row 2, column 2: /);
  // A game, by keyboard alone.
  await page.locator('#mode input[value=play]').check();
  await page.locator('#level').selectOption('16x16/40');
  await page.locator('#odds').check();
  await page.locator('#board [role=gridcell]').nth(120).focus();
  await page.keyboard.press('Enter');
  await page.locator('#game:has-text("3BV")').waitFor();
  await page.locator('#board [role=gridcell].safe').first().waitFor();
  await checked(page, 'minesweeper.html odds');
  for (let clicks = 0; clicks < 400 && !/^Won/.test(await text('#summary')); clicks++) {
    const before = await text('#board');
    await page.locator('#hint').press('Enter');
    await page.locator('#board [role=gridcell].chosen').waitFor();
    assert(!/^A mine/.test(await text('#summary')));
    await page.keyboard.press(/A mine/.test(await text('#why')) ? 'f' : 'Enter');
    await page.waitForFunction((before) => document.getElementById('board').textContent !== before, before);
  }
  console.log('minesweeper: ' + await text('#summary'));
  assert.match(await text('#summary'), /^Won, without a guess/);
}

async function rules(page) {
  const text = (id) => page.locator(id).textContent();
  await page.locator('#task').selectOption('krki-1000');
  for (const _ of [1, 2]) {
    await page.locator('#learn').click();
    await page.locator('#status:has-text(" by foil in ")').waitFor();
    console.log('rules: ' + await text('#status'));
  }
  await page.locator('#example').fill('illegal(0,0,1,1,1,1)');
  await page.locator('#why-form button').click();
  await page.locator('#explained pre').waitFor();
  assert.match(await text('#explained'), /illegal\(0,0,1,1,1,1\)/);
  await page.locator('#share').click();
  await page.locator('#status:has-text("link")').waitFor();
  const examples = await page.locator('#examples').inputValue();
  await page.goto('about:blank');
  await page.goBack();
  await page.locator('#task option:has-text("link")').waitFor({ state: 'attached' });
  assert.equal(await page.locator('#examples').inputValue(), examples);
  await page.locator('#task').selectOption('too-short');
  await page.locator('#learn').click();
  await page.locator('#result li').first().waitFor();
  await page.locator('#bias').fill('head_pred(grandparent,2).\nbody_pred(parent,two).\n');
  await page.locator('#learn').click();
  await page.locator('.message button').first().click();
  assert(await page.locator('#bias').evaluate((field) => field === document.activeElement));
}

async function systems(page) {
  const text = (id) => page.locator(id).textContent();
  assert.match(await text('#status'), /^3 behaviors, /);
  console.log('systems: ' + await text('#status'));
  const system = await page.locator('#system').inputValue();
  await page.locator('#system').fill(system.replace('kind = "m_plus"', 'kind = "m_plum"'));
  await page.locator('#simulate').click();
  await page.locator('.message').waitFor();
  assert.match(await text('.message'), /m_plus/);
  await page.locator('#name').selectOption('u-tube');
  await page.locator('#result figure').first().waitFor();
  await page.locator('#name').selectOption('bathtub');
  await page.locator('#result figure').first().waitFor();
  await page.locator('#quiz').click();
  const submit = page.locator('#result button');
  await submit.waitFor();
  await page.locator('#result input').first().check();
  await submit.click();
  assert.match(await text('#status'), /^(Right|Not right), [01] of 1 right\.$/);
  for (const reason of [/follows: every/, /cannot follow: /]) assert.match(await text('#result'), reason);
  while (await submit.count()) await submit.click();
  assert.match(await text('#status'), /: [0-9]+ of [0-9]+ right\.$/);
  await page.locator('#simulate').click();
  await page.locator('#result figure').first().waitFor();
  for (const closed of await page.locator('#result summary').all()) await closed.click();
}

(async () => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const wrong = [];
  const open = async (name, colorScheme, width) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.on('console', (message) => { if (message.type() === 'error') wrong.push(`${name}: ${message.text()}`); });
    page.on('pageerror', (error) => wrong.push(`${name}: ${error}`));
    page.on('request', (request) => { if (/^https?:/.test(request.url())) wrong.push(`${name} asks for ${request.url()}`); });
    await page.goto(address(name));
    await page.locator(READY[name]).first().waitFor({ state: 'attached' });
    return page;
  };
  for (const [colorScheme, width] of [['light', 360], ['light', 1280], ['dark', 360], ['dark', 1280]]) {
    for (const name of Object.keys(READY)) {
      const page = await open(name, colorScheme, width);
      await checked(page, `${name} ${colorScheme} ${width}`);
      await page.context().close();
    }
  }
  for (const [name, use] of [['minesweeper.html', minesweeper], ['rules.html', rules], ['systems.html', systems]]) {
    const page = await open(name, 'dark', 1280);
    await use(page);
    await checked(page, `${name} used`);
    await page.context().close();
  }
  await browser.close();
  assert.deepEqual(wrong, []);
  console.log(`playgrounds: ${n} looks without an error or a serious finding`);
})().catch((error) => { console.error(error); process.exit(1); });
