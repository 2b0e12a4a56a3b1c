// Answers questions by the module of a page: node ask.mjs module.js < questions.json
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const packed = readFileSync(process.argv[2], 'utf8').match(/"([^"]+)"/)[1];
const { instance: { exports: wasm } } = await WebAssembly.instantiate(gunzipSync(Buffer.from(packed, 'base64')), {});
const answers = JSON.parse(readFileSync(0, 'utf8')).map((question) => {
  const began = performance.now();
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const at = wasm.question(bytes.length);
  new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
  const read = () => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.address(), wasm.length()));
  try {
    wasm.answer();
  } catch (error) {
    throw new Error(`${question.ask} ${question.learner ?? ''}: ${read() || error}`, { cause: error });
  }
  const answer = read();
  console.error(`${question.ask} ${question.learner ?? ''} ${(performance.now() - began).toFixed(1)} ms`);
  return answer;
});
console.log(JSON.stringify(answers));
