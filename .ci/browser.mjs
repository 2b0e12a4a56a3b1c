// What `.ci/browser` looks at: node browser.mjs PACKAGES CHROMIUM REPORT SHOTS
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, executablePath, report, shots] = process.argv.slice(2);
const require = createRequire(join(packages, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const started = Date.now(), problems = [];
const complain = (...words) => { problems.push(words.join(' ')); };

const files = [];
(function walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else if (entry.name.endsWith('.html')) files.push(path);
  }
})(report);
files.sort();

// Ids and links of every page, for links between pages.
const ids = new Map(), links = [];
async function look(page, path) {
  const name = relative(report, path);
  const found = await page.evaluate(() => ({
    ids: [...document.querySelectorAll('[id]')].map((e) => e.id),
    links: [...document.querySelectorAll('a[href], link[href], script[src]')].map((e) => e.getAttribute('href') || e.getAttribute('src')),
    images: [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src),
    uses: [...document.querySelectorAll('use')].map((e) => e.getAttribute('href')).filter((h) => !document.getElementById(h.slice(1))),
  }));
  const twice = found.ids.filter((id, at) => found.ids.indexOf(id) !== at);
  if (new Set(found.ids).size !== found.ids.length) complain(name, 'has the id', twice[0], 'twice');
  for (const image of found.images) complain(name, 'lacks the picture', image);
  for (const use of new Set(found.uses)) complain(name, 'draws the missing', use);
  ids.set(path, new Set(found.ids));
  for (const link of new Set(found.links)) links.push([path, link]);
}

// Every page in a scheme and a width; `check` looks at it with axe-core, folds and a sheet open or not.
async function visit(browser, colorScheme, width, isOpen, check, isFirst) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  let name = '';
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complain(name, colorScheme, width, 'console:', message.text()); });
  page.on('pageerror', (error) => complain(name, colorScheme, width, 'error:', error.message));
  page.on('requestfailed', (request) => complain(name, 'cannot load', request.url()));
  page.on('request', (request) => { if (!/^(file|data):/.test(request.url())) complain(name, 'asks the network for', request.url()); });
  for (const path of files) {
    name = relative(report, path);
    await page.goto(pathToFileURL(path).href);
    if (isFirst) await look(page, path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) complain(name, colorScheme, width, 'is', wide, 'px wider than the window');
    if (!check) continue;
    if (isOpen) {
      await page.evaluate(() => {
        for (const fold of document.querySelectorAll('details')) fold.open = true;
        const cell = document.querySelector('.cell');
        if (cell) location.hash = cell.id;
      });
    }
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'], preload: false }));
    for (const found of violations) {
      counts[found.impact] = (counts[found.impact] || 0) + 1;
      if (['serious', 'critical'].includes(found.impact)) {
        complain(name, colorScheme, width, `axe ${found.id} (${found.impact}, ${found.nodes.length}):`, found.nodes[0].html.slice(0, 160), found.nodes[0].failureSummary.replaceAll('\n', ' ').slice(0, 200));
      }
    }
  }
  await context.close();
}

// By keys alone from the front page to the line of code of a table.
async function keys(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(report, 'index.html')).href);
  const jansen = await page.locator('header a[href="jansen2000/index.html"]').getAttribute('aria-keyshortcuts').catch(() => null);
  if (!jansen) { await context.close(); return; }
  for (const [key, want] of [[jansen, /jansen2000\/index\.html/], ['2', /jansen2000\/table2\.html/], ['c', /code\/choice-model\.html#L\d+$/]]) {
    await page.keyboard.press(key);
    await page.waitForURL(want, { timeout: 5000 }).catch(() => complain('the key', key, 'leads to', page.url(), 'and not to', String(want)));
  }
  // A figure opens and closes, and the focus comes back to it.
  await page.goto(pathToFileURL(join(report, 'jansen2000/table2.html')).href);
  await page.locator('td a[href="#Kasparov.lambda-mat"]').focus();
  await page.keyboard.press('Enter');
  await page.locator('.cell:target').waitFor({ timeout: 5000 }).catch(() => complain('Enter opens no sheet'));
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/#Kasparov\.lambda-mob$/, { timeout: 5000 }).catch(() => complain('an arrow leads to', page.url()));
  await page.keyboard.press('Escape');
  await page.locator('.cell:target').waitFor({ state: 'detached', timeout: 5000 }).catch(() => complain('Escape closes no sheet'));
  await page.waitForFunction(() => document.activeElement.getAttribute('href') === '#Kasparov.lambda-mob', null, { timeout: 5000 })
    .catch(async () => complain('the focus goes to', await page.evaluate(() => document.activeElement.outerHTML.slice(0, 160))));
  await context.close();
}

// Every dot of the front page leads to a value with a sheet, and says which before it is selected.
async function dots(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(report, 'index.html')).href);
  const found = await page.evaluate(() => [...document.querySelectorAll('.scatter a')].filter((a) => a.querySelector('circle')).map((a) => [
    a.getAttribute('href'), a.querySelector('title')?.textContent || '', a.querySelector('circle').getBoundingClientRect().width,
  ]));
  if (found.length < 500) complain('the front page has only', found.length, 'dots');
  for (const [href, title, size] of found) {
    const [file, anchor] = href.split('#');
    if (!ids.get(join(report, file))?.has(decodeURIComponent(anchor))) complain('the dot', href, 'leads nowhere');
    if (!/: published .+, reproduced ./.test(title)) complain('the dot', href, 'has the title', title);
    if (size < 3) complain('the dot', href, 'is', size, 'px wide');
  }
  if (found.length) {
    await page.locator('.scatter .filled a').first().dispatchEvent('click');
    await page.locator('.cell:target').waitFor({ timeout: 5000 }).catch(() => complain('a dot opens no sheet'));
  }
  await context.close();
}

const pictured = [
  ['index.html', 1280, 'light', true], ['index.html', 1280, 'dark', true], ['index.html', 390, 'light', true], ['index.html', 390, 'dark', true],
  ['jansen2000/table2.html', 1280, 'dark', true],
  ['morales1992/krk-strategy-1.html', 1280, 'light', true], ['sugar1975/table4-2-1.html', 390, 'light', false],
];
async function picture(browser) {
  mkdirSync(shots, { recursive: true });
  for (const [path, width, colorScheme, fullPage] of pictured) {
    if (!files.includes(join(report, path))) continue;
    const context = await browser.newContext({ viewport: { width, height: 2400 }, colorScheme });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(report, path)).href);
    await page.screenshot({ path: join(shots, `${path.replace(/\.html$/, '').replace('/', '-')}-${width}-${colorScheme}.png`), fullPage });
    await context.close();
  }
}

const counts = {};
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
await Promise.all([
  visit(browser, 'light', 390, false, true, true).then(() => visit(browser, 'light', 1280, false, false, false)),
  visit(browser, 'dark', 1280, true, true, false).then(() => visit(browser, 'dark', 390, false, false, false)),
]);
for (const [path, link] of links) {
  if (/^(https?:|data:)/.test(link)) continue;
  const [file, anchor] = link.split('#');
  const to = file ? join(dirname(path), file) : path;
  const known = ids.get(to);
  const name = relative(report, path);
  if (!known && !['style.css', 'report.js'].includes(relative(report, to))) complain(name, 'has the dead link', link);
  else if (anchor && known && !known.has(decodeURIComponent(anchor))) complain(name, 'has the dead anchor', link);
}
await dots(browser);
await keys(browser);
await picture(browser);
await browser.close();
for (const problem of problems.slice(0, 60)) console.error(problem);
const seconds = Math.round((Date.now() - started) / 1000);
console.log(`browser: ${files.length} pages, ${links.length} links, both schemes and widths; axe-core: ${JSON.stringify(counts)}; ${problems.length} problems; ${seconds} s`);
process.exit(problems.length ? 1 : 0);
