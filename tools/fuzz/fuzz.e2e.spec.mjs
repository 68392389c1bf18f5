import { expect, it } from '@jest/globals';
import { atDepth, drawn } from '@vuka/testing';

import { findFuzzTools } from './python.mjs';
import { runScript } from '../command/run.mjs';

const SEEDS = drawn('fuzz seeds', [1, 2, 3], 1);
const EXAMPLES = atDepth({ commit: 5, whole: 10 });
/**
 * Most time goes to every bound of every field, which does not depend on the seed. A commit covers those of every
 * twelfth operation.
 */
const PARTS = atDepth({ commit: 12, whole: 1 });
const [PART] = drawn(
  'fuzz part',
  Array.from({ length: PARTS }, (_, at) => at + 1),
  1,
);
const WITHIN_MS = 5 * 60_000;
const SHOWN_LINES = 120;

const { reason } = await findFuzzTools((text) => process.stderr.write(`… ${text}\n`));
const mayBeLeftOut = reason !== undefined && process.env.CI !== 'true';
if (mayBeLeftOut)
  process.stderr.write(`\n! THE API IS NOT FUZZED HERE: ${reason}.\n  Where CI=true that is a failure.\n\n`);
const fuzzes = mayBeLeftOut ? it.skip : it;

fuzzes(
  'every answer to a fixed set of seeds is a documented one, and the ledger is sound afterwards',
  async () => {
    const said = [];
    const args = [`--seed=${SEEDS}`, `--examples=${EXAMPLES}`, `--part=${PART}/${PARTS}`];
    const { code, timedOut } = await runScript('tools/fuzz/fuzz.mjs', args, {
      onLine: (line) => said.push(line),
      timeoutMs: WITHIN_MS,
    });
    if (code !== 0)
      throw new Error(
        `npm run fuzz -- ${args.join(' ')} ended with ${code}${timedOut ? ', stopped in the middle' : ''}\n${said.slice(-SHOWN_LINES).join('\n')}`,
      );
    const text = said.join('\n');
    expect(text.match(/No issues found/g)).toHaveLength(SEEDS.length);
    expect(text).not.toMatch(/Tested: 0\b/);
    expect(text).toContain('the ledger is sound');
  },
  WITHIN_MS + 30_000,
);
