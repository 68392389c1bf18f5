import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@vuka/persistence';
import {
  AdminSession,
  ledgerCheck,
  openFixture,
  ProviderBooks,
  FIXTURE_WITHIN_MS,
  until,
  type Fixture,
} from '@vuka/testing';

import { filled, readDay, valueAt, wordsOf, type Said } from './platform-day.spec-support.js';
import { connectToRunning } from './superuser.spec-support.js';

const COMMAND_WITHIN_MS = 90_000;
/** The page promises results within this time; people would check again. */
const SEEN_WITHIN_MS = 30_000;
const VUKA = 'npm run vuka -- ';
/** Stops a reader of events by a hand-made database change. The event is not an end, so its delay breaks no promise. */
const TROUBLE = `alter table notifier.deliveries add constraint trouble check (callback_url not like '%/shoes' or is_final) not valid`;

const LOOKS =
  /^npm run vuka -- (stuck|show|incidents|dead-letters|deliveries|ledger|acts)\b|^curl .* \$API\/v1\/(status|limits|validation)\b/;

interface Ran {
  readonly code: number;
  readonly text: string;
}

let fixture: Fixture;
let folder: string;
let database: Database;
let team: AdminSession;
const kept = new Map<string, string>();

beforeAll(async () => {
  fixture = await openFixture();
  folder = await mkdtemp(join(tmpdir(), 'vuka-day-'));
  database = await connectToRunning(fixture.vuka.dataDir);
  team = new AdminSession(fixture.vuka);
  for (const [name, value] of Object.entries({
    API: fixture.vuka.baseUrl,
    HOOKS: new URL(fixture.receiver.url()).origin,
    FILES: folder,
    BEGAN: dayOf(new Date()),
  }))
    kept.set(name, value);
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await team.end();
  await database.close();
  await fixture.end();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

function run(program: string, words: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout: COMMAND_WITHIN_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), text: stdout === '' ? stderr : stdout }),
    );
  });
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

function command(line: string): Promise<Ran> {
  kept.set('TODAY', dayOf(new Date()));
  if (line.startsWith(VUKA)) return team.ask(...wordsOf(line.slice(VUKA.length), kept));
  const [program = '', ...words] = wordsOf(line, kept);
  return run(program, words);
}

/** `asked`: the command and its answer, for the error message. */
function hold(asked: string, answer: unknown, said: Said): void {
  if (said.kind === 'refused') return;
  const value = valueAt(answer, filled(said.path, kept));
  switch (said.kind) {
    case 'keep':
      expect([asked, said.path, typeof value]).toEqual([asked, said.path, expect.stringMatching(/^(string|number)$/)]);
      kept.set(said.name, String(value));
      return;
    case 'is':
      expect([asked, said.path, String(value)]).toEqual([asked, said.path, filled(said.value, kept)]);
      return;
    case 'has':
      expect([asked, said.path, Array.isArray(value) ? value.length : value]).toEqual([asked, said.path, said.many]);
  }
}

const OUTSIDE: Readonly<Record<string, () => Promise<unknown>>> = {
  'the provider confirms its receipt in writing': async () => {
    const book = (await new ProviderBooks(fixture.vuka).entries()).filter(
      ({ status, recipient }) => status === 'PAID' && recipient.account_number?.endsWith('0009'),
    );
    kept.set('RECEIPT', book.at(-1)?.receipt ?? '');
  },
  'a table refuses what the notifier writes': () => database.query(TROUBLE),
  'Vuka is stopped': async () => {
    await database.close();
    expect(await fixture.vuka.stop()).toBe(0);
  },
  'Vuka is started': async () => {
    await fixture.vuka.restart();
    database = await connectToRunning(fixture.vuka.dataDir);
    kept.set('API', fixture.vuka.baseUrl);
  },
  'the table is put right': () => database.query('alter table notifier.deliveries drop constraint trouble'),
};

describe('docs/operators/platform-day.md', () => {
  it('works as written, command by command', async () => {
    const steps = readDay();
    expect(steps.length).toBeGreaterThan(30);
    for (const step of steps) {
      if (step.kind === 'outside') {
        const happens = OUTSIDE[step.what];
        if (happens === undefined) throw new Error(`the page has something happen that nobody knows: ${step.what}`);
        await happens();
        continue;
      }
      const { line, said } = step;
      const refusal = said.find((one) => one.kind === 'refused');
      // Reads are repeated until they show what the page says, and a partner repeats a request with one reference.
      // Changes by the team are made once.
      const isRepeatable =
        LOOKS.test(line) ||
        (line.includes('"reference"') && said.some((one) => one.kind === 'is' && one.value === 'PENDING'));
      const look = async (): Promise<true> => {
        const { code, text } = await command(line);
        if (code !== (refusal === undefined ? 0 : 1)) throw new Error(`${line}\nended with ${code}: ${text}`);
        const answer: unknown = JSON.parse(text);
        if (refusal !== undefined) expect([line, valueAt(answer, 'error.code')]).toEqual([line, refusal.code]);
        for (const one of said) hold(`${line}\n${text.slice(0, 500)}`, answer, one);
        return true;
      };
      await (isRepeatable ? until(look, { withinMs: SEEN_WITHIN_MS, what: line, everyMs: 500 }) : look());
    }
  }, 300_000);

  it('ends with a statement whose last balance is what the ledger says', async () => {
    const lines = (await readFile(join(folder, 'statement.csv'), 'utf8')).trimEnd().split(/\r?\n/);
    const [head = '', ...entries] = lines;
    const balanceOf = (line: string | undefined): string => line?.split(',')[head.split(',').indexOf('balance')] ?? '';
    const { text } = await team.ask('ledger');
    const { balances } = JSON.parse(text) as { balances: { account: string; balance: { amount: string } }[] };
    expect(entries.length).toBeGreaterThan(3);
    expect(balanceOf(entries.at(-1))).toBe(
      balances.find(({ account }) => account === filled('wallet:$PARTNER:KES', kept))?.balance.amount,
    );
  }, 30_000);

  it('leaves a ledger that is sound', async () => {
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 30_000);
});
