import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@vuka/contracts';

import { parseCommand } from './commands/parse-command.js';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'docs/operators');
const PAGES = readdirSync(FOLDER)
  .filter((name) => /^runbook(-[a-z-]+)?\.md$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));
const runbook = PAGES.map(({ text }) => text).join('\n');
const kafka = readFileSync(join(FOLDER, 'kafka.md'), 'utf8');
const backups = readFileSync(join(FOLDER, 'backups.md'), 'utf8');
const SEVERITIES = ['page', 'day', 'note'];
const EXAMPLES: Readonly<Record<string, string>> = {
  '<code>': 'order-1',
  '<transaction_id>': '1042',
  '<order_number>': '5000000000000001',
  '<settlement>': '7',
  '<incident>': '3',
  '<R>': 'SBX1',
  '<key>': 'vk_live_consumer_a1',
  '<partner>': '7',
  '<event id>': '0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11',
};

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

describe('the runbook of docs/operators', () => {
  it('knows every alarm', () => {
    const codes = alarmCodes();
    expect(codes).toContain('dead_letter');
    expect(codes.filter((code) => !runbook.includes(`\`${code}\``))).toEqual([]);
  });

  it('has a heading and a severity for every alarm, and lists no other', () => {
    const headings = [...runbook.matchAll(/^### `([a-z_]+)`$/gm)].map(([, code]) => code ?? '').sort();
    const rows = [...runbook.matchAll(/^\| `([a-z_]+)` \| (\w+) \| \[([\w.-]+)\]\(\3#\1\) \|$/gm)].map(
      ([, code = '', severity = '', page = '']) => ({ code, severity, page }),
    );
    expect(alarmCodes().filter((code) => !headings.includes(code))).toEqual([]);
    expect(rows.map(({ code }) => code).sort()).toEqual(headings);
    expect(rows.filter(({ severity }) => !SEVERITIES.includes(severity))).toEqual([]);
    const elsewhere = rows.filter(
      ({ code, page }) => PAGES.find(({ name }) => name === page)?.text.includes(`### \`${code}\``) !== true,
    );
    expect(elsewhere).toEqual([]);
  });

  it('says of every alarm what it means and what to do', () => {
    const sections = runbook.split(/^(?=#{2,3} )/m).filter((text) => /^### `[a-z_]+`\n/.test(text));
    expect(sections.length).toBeGreaterThan(50);
    expect(sections.filter((text) => !text.includes('- **Means** '))).toEqual([]);
    expect(
      sections.filter((text) => !/- \*\*Do\*\* |\| do \||\n1\. /.test(text) && !text.includes('| look |')),
    ).toEqual([]);
  });

  it('gives commands that are right usage', () => {
    const commands = [...`${runbook}\n${backups}`.matchAll(/npm run vuka -- ([^`\n]+)/g)].map(
      ([, words]) => words ?? '',
    );
    expect(commands.length).toBeGreaterThan(10);
    const wrong = commands.filter((words) => {
      const filled = Object.entries(EXAMPLES).reduce(
        (text, [place, example]) => text.replaceAll(place, example),
        words,
      );
      const argv = [...filled.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      return parseCommand(argv).kind !== 'command';
    });
    expect(wrong).toEqual([]);
  });

  it('knows whose outbox every topic comes from, and who reads it', () => {
    const rows = [...kafka.matchAll(/^\| `([a-z]+)` \| `(\w+)` \| `([\w.-]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(
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

  it.each(PAGES)('links to sections that are there: $name', ({ text }) => {
    const anchors = [...text.matchAll(/^##+ (.+)$/gm)].map(([, title]) =>
      (title ?? '')
        .toLowerCase()
        .replace(/[^a-z0-9 _-]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor ?? ''))).toEqual([]);
  });
});
