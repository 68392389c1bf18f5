/** One line per step with its time, for terminals and CI logs. */
const startedAt = Date.now();

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

let output = process.stdout;

export function sayTo(stream) {
  output = stream;
}

export function say(text) {
  output.write(`${text}\n`);
}

export async function step(title, work) {
  const from = Date.now();
  say(`… ${title}`);
  const result = await work((detail) => say(`    ${detail} (${seconds(Date.now() - from)})`));
  say(`✓ ${title} (${seconds(Date.now() - from)})`);
  return result;
}

export function giveUp(what, hint) {
  process.stderr.write(`\n✗ ${what}\n${hint ? `  ${hint}\n` : ''}`);
  process.exit(1);
}

export const elapsed = () => seconds(Date.now() - startedAt);
