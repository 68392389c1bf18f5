/** What the commands of this folder print: one line per step, with the time it took, readable on a terminal and in a CI log alike. */
const startedAt = Date.now();

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

let output = process.stdout;

/** From now on progress goes there: a command whose standard output is its answer keeps that clean. */
export function sayTo(stream) {
  output = stream;
}

export function say(text) {
  output.write(`${text}\n`);
}

/** Runs one step and prints how long it took. `work` gets a function that prints a line while the step runs. */
export async function step(title, work) {
  const from = Date.now();
  say(`… ${title}`);
  const result = await work((detail) => say(`    ${detail} (${seconds(Date.now() - from)})`));
  say(`✓ ${title} (${seconds(Date.now() - from)})`);
  return result;
}

/** Ends the command with what happened, why, and what to do about it. */
export function giveUp(what, hint) {
  process.stderr.write(`\n✗ ${what}\n${hint ? `  ${hint}\n` : ''}`);
  process.exit(1);
}

export const elapsed = () => seconds(Date.now() - startedAt);
