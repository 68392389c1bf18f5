import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { atDepth } from '@vuka/testing';

import { buildProviderProgram, type ProviderProcess, type ProviderProgram } from './provider-process.spec-support.js';
import { sandboxCredential } from './sandbox-provider.js';
import { until } from './until.spec-support.js';

const CREDENTIAL = sandboxCredential();
const HEADERS = { authorization: `Bearer ${CREDENTIAL}`, 'content-type': 'application/json' };
const ROUNDS = 3;
const ANSWERS_BEFORE_KILL = atDepth({ commit: 100, whole: 300 });
const CALLERS = 16;

/** Events per account that the book must end with. */
const COURSES: Readonly<Record<string, readonly string[]>> = {
  '0110123456789': ['ACCEPTED', 'PAID'],
  '0110120001': ['ACCEPTED', 'FAILED'],
  '0110120005': ['ACCEPTED', 'PAID', 'REVERSED'],
  '0110120008': ['ACCEPTED', 'PAID', 'PAID'],
};
const ACCOUNTS = Object.keys(COURSES);

interface Entry {
  readonly sequence: number;
  readonly id: string;
  readonly status: string;
  readonly recipient: { readonly account_number: string };
  readonly receipt?: string;
}

describe('the sandbox provider under kill -9', () => {
  let program: ProviderProgram;
  let folder: string;

  beforeAll(async () => {
    program = await buildProviderProgram();
    folder = await mkdtemp(join(tmpdir(), 'provider-crash-'));
  }, 30_000);
  afterAll(async () => {
    await program.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('has everything it answered for, and takes each step of it once', async () => {
    const answered = new Set<string>();
    let book: Entry[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const simulator = await program.start(folder, CREDENTIAL);
      const before = await readBook(simulator);
      expect(before.slice(0, book.length)).toEqual(book);
      book = before;
      await submitUntilKilled(simulator, answered);
      // A torn line that nobody was answered for.
      if (round === 1) await appendFile(join(folder, 'payouts.jsonl'), '{"event":"accepted","id":"torn","amo');
    }
    const simulator = await program.start(folder, CREDENTIAL);
    const entries = await allSettled(simulator);
    expect(await simulator.end('SIGTERM')).toBe(0);
    expectStepsOnce(entries, answered);
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, i) => i + 1));
  }, 60_000);

  it('refuses a folder in use, and takes it over from the dead', async () => {
    const simulator = await program.start(folder, CREDENTIAL);
    await expect(program.start(folder, CREDENTIAL)).rejects.toThrow('is in use by process');
    await simulator.end('SIGKILL');
    const next = await program.start(folder, CREDENTIAL);
    await next.end('SIGTERM');
  }, 30_000);
});

/** Kills the process while requests are under way. */
async function submitUntilKilled(simulator: ProviderProcess, answered: Set<string>): Promise<void> {
  let answers = 0;
  const killed: Promise<unknown>[] = [];
  const caller = async (): Promise<void> => {
    for (;;) {
      const id = randomUUID();
      const account_number = ACCOUNTS[answers % ACCOUNTS.length];
      const body = { id, amount: '100.00', currency: 'KES', recipient: { account_number, bank_code: '01' } };
      const status = await fetch(`${simulator.baseUrl}/v1/payouts`, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(body),
      }).then(
        (response) => response.status,
        () => null,
      );
      if (status === null) return;
      expect(status).toBe(202);
      answered.add(id);
      answers += 1;
      if (answers === ANSWERS_BEFORE_KILL) killed.push(simulator.end('SIGKILL'));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  expect(killed).toHaveLength(1);
  await Promise.all(killed);
}

async function readBook(simulator: ProviderProcess): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let after = 0; ;) {
    const response = await fetch(`${simulator.baseUrl}/v1/book?after=${after}`, { headers: HEADERS });
    const page = (await response.json()) as { entries: Entry[]; next_after: number; more: boolean };
    entries.push(...page.entries);
    if (!page.more) return entries;
    after = page.next_after;
  }
}

function storiesOf(entries: readonly Entry[]): Map<string, { account: string; told: string[] }> {
  const stories = new Map<string, { account: string; told: string[] }>();
  for (const { id, status, recipient } of entries) {
    const story = stories.get(id) ?? { account: recipient.account_number, told: [] };
    story.told.push(status);
    stories.set(id, story);
  }
  return stories;
}

function allSettled(simulator: ProviderProcess): Promise<Entry[]> {
  return until('everything settled', 20_000, async () => {
    const entries = await readBook(simulator);
    const isOpen = [...storiesOf(entries).values()].some(
      ({ account, told }) => told.length < (COURSES[account]?.length ?? 0),
    );
    return isOpen ? null : entries;
  });
}

function expectStepsOnce(entries: readonly Entry[], answered: ReadonlySet<string>): void {
  expect(answered.size).toBeGreaterThanOrEqual(ROUNDS * ANSWERS_BEFORE_KILL);
  const stories = storiesOf(entries);
  expect([...stories.values()].filter(({ account, told }) => told.join() !== COURSES[account]?.join())).toEqual([]);
  expect([...answered].filter((id) => !stories.has(id))).toEqual([]);
  const receipts = entries.flatMap(({ status, receipt }) => (status === 'PAID' ? [receipt] : []));
  expect(new Set(receipts).size).toBe(receipts.length);
}
