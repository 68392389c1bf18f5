import { describe, expect, it } from '@jest/globals';
import { ESLint } from 'eslint';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';

import { ROOT } from '../command/run.mjs';
import words, { betterName, findingsIn } from './words.mjs';

const HERE = 'apps/payments/src/x.ts';

async function lint(text, path = HERE) {
  const config = { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser }, plugins: { vuka: words } };
  const eslint = new ESLint({
    cwd: ROOT,
    overrideConfigFile: true,
    overrideConfig: [{ ...config, rules: { 'vuka/words': 'error' } }],
  });
  const [{ messages }] = await eslint.lintText(text, { filePath: join(ROOT, path) });
  return messages.map(({ line, message }) => `${line} ${message.split(':')[0]}`);
}

describe('words of names', () => {
  it.each(['openDesk', 'desk', 'DESK_URL', 'sweep_lanes', 'HappeningOf', 'lastNews'])('refuse %s', (name) => {
    expect(betterName(name, HERE)).toEqual(expect.any(String));
  });

  it.each(['desktop', 'newsletter', 'plane', 'rewired', 'broadcast', 'recommended'])('let %s pass', (name) => {
    expect(betterName(name, HERE)).toBeUndefined();
  });

  it('let a word pass where it stands for something else', () => {
    expect(betterName('toWire', 'libs/chains/src/x.ts')).toBeUndefined();
    expect(betterName('toWire', HERE)).toBe('event bus');
  });
});

describe('words of comments', () => {
  it('are those of pages', () => {
    expect(findingsIn('* The desk tells it.')).toEqual([{ found: 'desk', better: 'admin operations' }]);
    expect(findingsIn('`rail:` accounts and rail_rejected stay.')).toEqual([]);
  });
});

describe('the rule', () => {
  it('names line and word, of a name once', async () => {
    expect(await lint('// the wire\nconst deskOf = 1;\nexport const b = deskOf + deskOf;')).toEqual([
      '1 "the wire"',
      '2 "deskOf"',
    ]);
  });

  it('ignores strings', async () => {
    expect(await lint("export const code = 'rail_rejected desk';")).toEqual([]);
  });
});
