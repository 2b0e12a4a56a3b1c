// The module in a worker: ask(question) is a promise of its answer, stop() ends what runs.
//
// A page from disk may read no file and start no worker from one. So the module is a script
// (module.js: gzip, base64), and the worker is made from the text of a function.
'use strict';

function worker() {
  let wasm;
  const start = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const module = await new Response(plain).arrayBuffer();
    wasm = (await WebAssembly.instantiate(module, {})).instance.exports;
  };
  let ready;
  self.onmessage = async ({ data: { packed, number, question } }) => {
    if (packed) { ready = start(packed); return; }
    const read = () => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.address(), wasm.length()));
    try {
      await ready;
      const began = performance.now();
      const bytes = new TextEncoder().encode(JSON.stringify(question));
      const at = wasm.question(bytes.length);
      new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
      wasm.answer();
      self.postMessage({ number, answer: JSON.parse(read()), ms: performance.now() - began });
    } catch (error) {
      self.postMessage({ number, broken: (error instanceof WebAssembly.RuntimeError && read()) || String(error) });
    }
  };
}

const engine = (() => {
  const source = URL.createObjectURL(new Blob(['(', worker.toString(), ')()'], { type: 'text/javascript' }));
  let running = null, number = 0;
  const waiting = new Map();
  const end = (reason) => {
    if (running) running.terminate();
    running = null;
    for (const [, { reject }] of waiting) reject(new Error(reason));
    waiting.clear();
  };
  const begin = () => {
    running = new Worker(source);
    running.postMessage({ packed: KIBITZ_MODULE });
    running.onmessage = ({ data }) => {
      const { resolve } = waiting.get(data.number) || {};
      if (data.broken) { end('the program broke off (' + data.broken + '): where memory was enough, this is a mistake of ours'); return; }
      waiting.delete(data.number);
      if (resolve) resolve({ answer: data.answer, ms: data.ms });
    };
    running.onerror = (event) => end('the worker cannot be started: ' + (event.message || 'no reason is given'));
  };
  return {
    ask(question) {
      if (!running) begin();
      return new Promise((resolve, reject) => {
        waiting.set(++number, { resolve, reject });
        running.postMessage({ number, question });
      });
    },
    stop() { end('stopped'); },
  };
})();

// Elements by id, and made ones: make('p', {class: 'meta'}, 'text', other).
const $ = (id) => document.getElementById(id);
function make(name, attributes, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...inside);
  return made;
}

const plural = (n, one, many) => n.toLocaleString('en') + ' ' + (n === 1 ? one : many || one + 's');
const duration = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en')) + ' ms';

// Messages of the programs: the text with its excerpt; a button goes to the place in a text.
function messages(list, fields) {
  return list.map((one) => {
    const box = make('div', { class: 'message ' + one.severity }, make('pre', { tabindex: '0' }, one.text));
    const field = fields[one.file];
    if (field && one.line) {
      const go = make('button', { type: 'button' }, 'Go to line ' + one.line);
      go.addEventListener('click', () => {
        const lines = field.value.split('\n');
        const at = lines.slice(0, one.line - 1).join('\n').length + (one.line > 1 ? 1 : 0) + one.column - 1;
        field.focus();
        field.setSelectionRange(at, Math.min(at + 1, field.value.length));
      });
      box.append(go);
    }
    return box;
  });
}

// A task in the fragment of the address: JSON, deflated, in base64 for addresses.
const link = {
  async pack(value) {
    const bytes = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const packed = new Uint8Array(await new Response(bytes).arrayBuffer());
    let text = '';
    for (const byte of packed) text += String.fromCharCode(byte);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  },
  async unpack(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return JSON.parse(await new Response(plain).text());
  },
  // What the address holds under `#task=`, or null.
  async read() {
    const found = location.hash.match(/^#task=([\w-]+)$/);
    return found ? link.unpack(found[1]) : null;
  },
  // Puts a value into the address, and copies it where that is allowed; what to say.
  async share(value) {
    const hash = '#task=' + await link.pack(value);
    history.replaceState(null, '', hash);
    try {
      await navigator.clipboard.writeText(location.href);
      return 'The link is copied, and stands in the address bar: ' + plural(location.href.length, 'character') + '.';
    } catch {
      return 'The link stands in the address bar: ' + plural(location.href.length, 'character') + '.';
    }
  },
};
