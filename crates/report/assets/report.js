// Nothing here is needed for reading: copy buttons, and keys.
'use strict';
for (const pre of document.querySelectorAll('pre[data-copy]')) {
  if (!navigator.clipboard) break;
  const box = document.createElement('div'), button = document.createElement('button');
  box.className = 'pre'; button.className = 'copy'; button.type = 'button'; button.textContent = 'Copy';
  pre.replaceWith(box); box.append(pre, button);
  button.addEventListener('click', async () => {
    try { await navigator.clipboard.writeText(pre.textContent.trim()); } catch { return; }
    button.textContent = 'Copied'; setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}

// The figure whose sheet is open.
let source = null;
const figure = (id) => [...document.querySelectorAll('td a[href^="#"]')].find((link) => link.getAttribute('href') === '#' + id) || null;
function follow() {
  if (source) source.removeAttribute('aria-current');
  source = null;
  const id = decodeURIComponent(location.hash.slice(1)), cell = id && document.getElementById(id);
  if (!cell) return;
  const fold = cell.closest('details:not([open])');
  if (fold) { fold.open = true; cell.scrollIntoView(); }
  if (!cell.classList.contains('cell')) return;
  source = figure(id);
  if (source) {
    source.setAttribute('aria-current', 'true');
    const folded = source.closest('details:not([open])');
    if (folded) folded.open = true;
  }
  cell.tabIndex = -1;
  cell.focus({ preventScroll: true });
}
addEventListener('hashchange', follow);

function beside(from, step, down) {
  const td = from.closest('td'), row = td.parentNode, link = (td) => td && td.querySelector('a[href^="#"]');
  if (!down) {
    let to = td;
    do to = step > 0 ? to.nextElementSibling : to.previousElementSibling; while (to && !link(to));
    return link(to);
  }
  const rows = [...row.closest('table').rows];
  for (let at = rows.indexOf(row) + step; rows[at]; at += step) if (link(rows[at].cells[td.cellIndex])) return link(rows[at].cells[td.cellIndex]);
  return null;
}
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
  // Not `source`: the last change of the address may not have been told yet.
  const cell = document.querySelector('.cell:target'), from = cell && figure(cell.id);
  if (cell && event.key === 'Escape') {
    location.hash = cell.querySelector('.x').getAttribute('href');
    if (from) from.focus();
    event.preventDefault();
    return;
  }
  const arrow = { ArrowRight: [1, false], ArrowLeft: [-1, false], ArrowDown: [1, true], ArrowUp: [-1, true] }[event.key];
  if (from && arrow) {
    const to = beside(from, ...arrow);
    if (to) { location.hash = to.getAttribute('href'); event.preventDefault(); }
    return;
  }
  const link = document.querySelector(`a[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (link && event.key.length === 1) { link.click(); event.preventDefault(); }
});
follow();
