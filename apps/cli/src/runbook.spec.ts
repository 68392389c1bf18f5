import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@vuka/contracts';

import { parseDeskArguments } from './commands/desk-command.js';

const ROOT = join(import.meta.dirname, '../../..');
const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
const EXAMPLES: Readonly<Record<string, string>> = {
  '<code>': 'order-1',
  '<transaction_id>': '1042',
  '<order_number>': '5000000000000001',
  '<settlement>': '7',
  '<incident>': '3',
  '<R>': 'SBX1',
  '<event id>': '0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11',
};

/** Every code that is logged as an error: what somebody may be called for at night. */
function alarmCodes(): string[] {
  const sources = ['libs', 'apps'].flatMap((group) =>
    readdirSync(join(ROOT, group), { recursive: true, encoding: 'utf8' })
      .filter((path) => /^[^/]+\/src\/.*\.ts$/.test(path) && !/\.spec(-support)?\.ts$/.test(path))
      .map((path) => readFileSync(join(ROOT, group, path), 'utf8')),
  );
  const found = sources.flatMap((text) =>
    [...text.matchAll(/log\.error\(\s*\{\s*code: '([a-z_]+)'/g)].map(([, code]) => code ?? ''),
  );
  return [...new Set(found)].sort();
}

describe('docs/runbook.md', () => {
  it('knows every alarm', () => {
    const codes = alarmCodes();
    expect(codes).toContain('dead_letter');
    expect(codes.filter((code) => !runbook.includes(`\`${code}\``))).toEqual([]);
  });

  it('gives commands that are right usage', () => {
    const commands = [...runbook.matchAll(/npm run vuka -- ([^`\n]+)/g)].map(([, words]) => words ?? '');
    expect(commands.length).toBeGreaterThan(10);
    const wrong = commands.filter((words) => {
      const filled = Object.entries(EXAMPLES).reduce(
        (text, [place, example]) => text.replaceAll(place, example),
        words,
      );
      const argv = [...filled.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      return parseDeskArguments(argv).kind !== 'command';
    });
    expect(wrong).toEqual([]);
  });

  it('knows whose outbox every topic comes from, and who reads it', () => {
    const rows = [...runbook.matchAll(/^\| `([a-z]+)` \| `(\w+)` \| `([\w.-]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(
      ([, schema, login, lock, topics, readers]) => ({
        schema,
        login,
        lock,
        topics: [...(topics ?? '').matchAll(/`([^`]+)`/g)].map(([, topic]) => topic),
        readers: (readers ?? '').trim().split(', ').sort(),
      }),
    );
    const owners = [...new Set(Object.values(TOPICS).map(({ owner }) => owner))];
    const wanted = owners.map((owner) => {
      const own = Object.entries(TOPICS).filter(([, topic]) => topic.owner === owner);
      return {
        schema: owner,
        login: `vuka_${owner}`,
        lock: `${owner}.kafka-relay`,
        topics: own.map(([name]) => name),
        readers: [...new Set(own.flatMap(([, { consumers }]) => consumers as readonly string[]))].sort(),
      };
    });
    expect(rows).toHaveLength(wanted.length);
    expect(rows).toEqual(expect.arrayContaining(wanted));
  });

  it('links to sections that are there', () => {
    const anchors = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) =>
      (title ?? '')
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor ?? ''))).toEqual([]);
  });
});
