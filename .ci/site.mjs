// Opens the doors of a site: node site.mjs PACKAGES CHROMIUM SITE
import { createRequire } from 'node:module';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [packages, executablePath, site] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, 'x.js'))('playwright-core');
const problems = [];
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();
let name = '';
page.on('console', (message) => { if (message.type() === 'error') problems.push(`${name}: ${message.text()}`); });
page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`));
page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) problems.push(`${name} asks the network for ${request.url()}`); });

// The front page leads to the others. What could not be built is left out: `.ci/site` says so, and --strict fails there.
const parts = { book: ['index.html'], playground: ['index.html', 'minesweeper.html', 'rules.html', 'systems.html'] };
const built = Object.keys(parts).filter((part) => existsSync(join(site, part)));
const doors = ['index.html', ...built.flatMap((part) => parts[part].map((page) => `${part}/${page}`))];
const reached = new Set();
for (const door of doors) {
  name = door;
  const path = join(site, door);
  if (!existsSync(path)) { problems.push(`${door} is missing`); continue; }
  await page.goto(pathToFileURL(resolve(path)).href);
  const title = await page.title();
  if (!title) problems.push(`${door} has no title`);
  // The link of a picture (SVG) has no address of its own, only the attribute.
  const addresses = (links) => links.map((link) => new URL(link.getAttribute('href'), document.baseURI).href);
  for (const href of await page.$$eval('a[href]', addresses)) {
    if (!href.startsWith('file:')) continue;
    const target = fileURLToPath(href.replace(/[?#].*$/, ''));
    const file = existsSync(target) && statSync(target).isDirectory() ? join(target, 'index.html') : target;
    if (!existsSync(file)) problems.push(`${door} links to ${href}, which is missing`);
    reached.add(resolve(file));
  }
}
for (const part of built) {
  const door = `${part}/index.html`;
  if (!reached.has(resolve(join(site, door)))) problems.push(`no door leads to ${door}`);
}
await browser.close();
for (const problem of problems) console.error(`error: ${problem}`);
if (problems.length) process.exit(1);
console.log(`site: ${doors.length} pages, ok`);
