/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call -- the desk's JSON has no type out here: the expectations are what checks it */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountNumber,
  commandOf,
  DeskSession,
  key,
  openScene,
  SCENE_WITHIN_MS,
  until,
  type Scene,
  type SentPayout,
} from '@vuka/testing';

import { connectToRunning } from './superuser.spec-support.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND_WITHIN_MS = 60_000;
/** Each look is a page of the desk, and its queries. */
const LOOK_EVERY_MS = 150;
const MONEY = { amount: expect.stringMatching(/^-?\d+(\.\d\d)?$/), currency: expect.stringMatching(/^[A-Z]{3}$/) };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** Who, and why. */
const ACT = ['--reason', 'ticket 7', '--by', 'Ann Otieno'] as const;
const HOST = expect.stringMatching(/^127\.0\.0\.1:\d+$/);

let scene: Scene;
let team: DeskSession;

beforeAll(async () => {
  scene = await openScene();
  team = new DeskSession(scene.vuka);
}, SCENE_WITHIN_MS);

afterAll(async () => {
  await team.end();
  await scene.end();
}, 60_000);

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command as its operator types it, in a process of its own: for its words to a person, and for a Vuka that is down. */
const vuka = (...words: readonly string[]): Promise<Ran> => script('vuka', words);

const typedOnce = new Set<string>();

/** `npm run <name>`, without npm: the first as it is typed, and then what comes of it. */
function script(name: string, words: readonly string[]): Promise<Ran> {
  const command = typedOnce.has(name) ? commandOf(name) : [`tools/vuka/${name}.mjs`];
  typedOnce.add(name);
  return new Promise((resolve) => {
    const options = {
      cwd: ROOT,
      env: { ...process.env, VUKA_DATA_DIR: scene.vuka.dataDir },
      timeout: COMMAND_WITHIN_MS,
    };
    execFile(process.execPath, [...command, ...words], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each command has a shape of its own, and each test says which it expects
type Told = any;

const json = (...words: readonly string[]): Promise<Told> => team.tell(...words);

async function typed(...words: readonly string[]): Promise<Told> {
  const { code, stdout, stderr } = await vuka(...words, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The refusal of a command, as programs see it. */
async function refusal(
  ...words: readonly string[]
): Promise<{ code: number; error: { code: string; message: string } }> {
  const { code, text } = await team.ask(...words);
  return { code, error: JSON.parse(text).error };
}

async function send(number: string, reference: string, client = scene.one): Promise<string> {
  const answer = await client.bankTransfer('KES', {
    amount: 500,
    account_number: accountNumber(number),
    bank_code: '01',
    reference,
    callback_url: scene.receiver.url('/hook?token=sesame'),
  });
  expect(answer.status).toBe(200);
  return reference;
}

async function untilState(code: string, state: string): Promise<void> {
  const at = async (): Promise<boolean> => (await json('show', code)).transaction.state === state;
  await until(at, { withinMs: 60_000, what: `${code} is ${state}`, everyMs: LOOK_EVERY_MS });
}

/** As the rail's people would read it to us on the telephone. */
async function receiptOf(code: string): Promise<string> {
  const [attempt] = (await json('show', code)).attempts;
  const { base_url, credential } = JSON.parse(readFileSync(join(scene.vuka.dataDir, 'sandbox-rail.json'), 'utf8')) as {
    base_url: string;
    credential: string;
  };
  const answer = await fetch(`${base_url}/v1/payouts/${attempt.rail_reference}`, {
    headers: { authorization: `Bearer ${credential}` },
  });
  return ((await answer.json()) as { receipt: string }).receipt;
}

const sentAs = (code: string): SentPayout => scene.one.sent.find((payout) => payout.code === code)!;

describe('show', () => {
  it('tells the whole life of one that was paid, in the shapes that programs rely on', async () => {
    const code = await send('7890', 'desk-paid');
    await scene.receiver.waitForFinal(code, 60_000);
    const page = await until(
      async () => {
        const shown = await json('show', code);
        return shown.webhooks.at(-1)?.state === 'delivered' && shown;
      },
      { withinMs: 60_000, what: 'the last webhook is delivered', everyMs: LOOK_EVERY_MS },
    );
    expect(page).toEqual({
      transaction: {
        id: expect.any(Number),
        transaction_code: code,
        partner_id: 1,
        operation: 'bank_transfer',
        status: 'COMPLETE',
        state: 'COMPLETE',
        amount: { amount: '500.00', currency: 'KES' },
        fee: { amount: '0.00', currency: 'KES' },
        service_fee: { amount: '30.00', currency: 'KES' },
        created_at: TIME,
        updated_at: TIME,
        due_at: null,
        park_deadline: null,
        destination: {
          kind: 'bank',
          account_number: '***7890',
          shortcode: null,
          bank_code: '01',
          bank_name: expect.any(String),
          mobile_network: null,
        },
        callback_host: HOST,
        message: expect.any(String),
        failure_code: null,
        receipt_number: expect.stringMatching(/^SBX/),
        recipient_name: 'TEST 7890',
        request_id: expect.any(String),
        traceparent: expect.stringMatching(/^00-/),
        sequence: 4,
        public_sequence: 2,
      },
      pay: null,
      deposits: [],
      timeline: [
        { sequence: 1, at: TIME, from: null, to: 'ACCEPTED', event: 'accepted', attempt_no: 0, detail: '' },
        {
          sequence: 2,
          at: TIME,
          from: 'ACCEPTED',
          to: 'SUBMITTING',
          event: 'attempt.started',
          attempt_no: 1,
          detail: 'sandbox',
        },
        { sequence: 3, at: TIME, from: 'SUBMITTING', to: 'SUBMITTED', event: 'submitted', attempt_no: 1, detail: '' },
        {
          sequence: 4,
          at: TIME,
          from: 'SUBMITTED',
          to: 'COMPLETE',
          event: 'succeeded',
          attempt_no: 1,
          detail: expect.any(String),
        },
      ],
      timeline_left_out: 0,
      attempts: [
        expect.objectContaining({
          attempt_no: 1,
          rail: 'sandbox',
          state: 'PAID',
          amount: { amount: '500.00', currency: 'KES' },
          created_at: TIME,
          receipt_number: page.transaction.receipt_number,
        }),
      ],
      hold: { state: 'posted', amount: { amount: '530.00', currency: 'KES' }, opened_at: TIME, closed_at: TIME },
      postings: [
        {
          reference: `p1:${page.transaction.id}`,
          kind: 'P1',
          at: TIME,
          legs: [{ from: 'wallet:1:KES', to: 'held:1:KES', amount: { amount: '530.00', currency: 'KES' } }],
        },
        {
          reference: `p5:${page.transaction.id}`,
          kind: 'P5',
          at: TIME,
          legs: [
            { from: 'held:1:KES', to: 'rail:sandbox:KES', amount: { amount: '500.00', currency: 'KES' } },
            { from: 'held:1:KES', to: 'fees:KES', amount: { amount: '30.00', currency: 'KES' } },
          ],
        },
      ],
      paid_again: [],
      incidents: [],
      settlements: [],
      webhooks: [1, 2].map((sequence) =>
        expect.objectContaining({
          webhook_id: `${page.transaction.id}_${sequence}`,
          sequence,
          state: 'delivered',
          host: HOST,
          created_at: TIME,
        }),
      ),
    });
    expect(page.webhooks[1].posts).toEqual([
      { attempt: 1, started_at: TIME, duration_ms: expect.any(Number), status: 200, error: null },
    ]);
  }, 60_000);

  it('tells of a failed one where the money went, and never a whole number or a callback path', async () => {
    const code = await send('0000', 'desk-failed');
    await scene.receiver.waitForFinal(code, 60_000);
    const page = await json('show', code);
    expect(page.transaction).toMatchObject({ state: 'FAILED', failure_code: 'recipient_not_found' });
    expect(page.hold.state).toBe('voided');
    const { account_number } = sentAs(code).body as { account_number: string };
    const [text, object] = [(await vuka('show', code)).stdout, JSON.stringify(page)];
    for (const shown of [text, object]) {
      expect(shown).toContain('***0000');
      expect(shown).not.toContain(account_number);
      expect(shown).not.toContain('sesame');
    }
    expect(text).toMatch(/desk-failed {3}KES 500\.00 {3}FAILED/);
    expect(text).toMatch(/p6:\d+ .*held:1:KES +→ +wallet:1:KES +KES 530\.00/);
  }, 60_000);

  it('asks which one is meant where two partners use one code, and knows ids too', async () => {
    await send('7890', 'desk-same');
    await send('7890', 'desk-same', scene.two);
    const ran = await vuka('show', 'desk-same');
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('npm run vuka -- show desk-same --partner 2'),
    });
    const second = await json('show', 'desk-same', '--partner', '2');
    expect(second.transaction.partner_id).toBe(2);
    expect((await json('show', String(second.transaction.id))).transaction).toEqual(
      expect.objectContaining({ id: second.transaction.id }),
    );
    expect(await refusal('show', 'desk-same')).toEqual({
      code: 1,
      error: { code: 'ambiguous', message: expect.any(String), hint: '--partner says whose' },
    });
    expect(await refusal('show', 'desk-nowhere')).toEqual({
      code: 1,
      error: { code: 'not_found', message: expect.any(String), hint: null },
    });
    expect(await vuka('show', 'desk-nowhere', '--json')).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^\{\s+"error": \{\s+"code": "not_found",/),
      stderr: '',
    });
  }, 60_000);
});

describe('a parked one', () => {
  it('is listed with the reason and the command; released before the cause is gone it is parked again, and after a top-up paid', async () => {
    const code = await send('0007', 'desk-parked');
    const parked = await until(
      async () => {
        const { parked: list } = await json('stuck');
        return list.find(({ transaction_code }: { transaction_code: string }) => transaction_code === code);
      },
      { withinMs: 60_000, what: 'it is parked', everyMs: LOOK_EVERY_MS },
    );
    expect(parked).toEqual({
      transaction_id: expect.any(Number),
      transaction_code: code,
      partner_id: 1,
      amount: { amount: '500.00', currency: 'KES' },
      state: 'QUEUED',
      since: TIME,
      why: expect.stringContaining('float'),
      attempt_no: expect.any(Number),
      rail: expect.stringMatching(/^sandbox/),
      rail_reference: expect.any(String),
      polls: expect.any(Number),
      next_look_at: TIME,
      until: TIME,
      settlement_id: null,
      settlement_approved_at: null,
      next: [`npm run vuka -- release ${code} --partner 1 --reason "<what was put right>" --by "<you>"`],
    });
    // It is tried again by itself each second: what is released is sometimes just under way.
    const released = await until(
      async () => {
        const ran = await team.ask('release', code, ...ACT);
        return ran.code === 0 && JSON.parse(ran.text);
      },
      { withinMs: 60_000, what: 'it is released', everyMs: 100 },
    );
    expect(released).toEqual({
      released: { transaction_id: parked.transaction_id, transaction_code: code, partner_id: 1, park_deadline: TIME },
    });
    expect((await scene.one.control(code, 'top_up')).status).toBe(200);
    await scene.receiver.waitForFinal(code, 60_000);
    const again = await refusal('release', code, ...ACT);
    expect(again).toEqual({
      code: 1,
      error: { code: 'invalid_request', message: expect.stringContaining('COMPLETE'), hint: null },
    });
  }, 90_000);
});

describe('one in review', () => {
  const code = 'desk-review';
  const settle = (...words: string[]): readonly string[] => [
    'settle',
    code,
    '--evidence',
    'portal page 4 of account 254712345678',
    ...words,
  ];

  it('is listed as what people must decide, and only such ones are settled by people', async () => {
    await send('0009', code);
    await untilState(code, 'REVIEW');
    const { review } = await json('stuck');
    expect(review).toEqual([
      expect.objectContaining({
        transaction_code: code,
        state: 'REVIEW',
        why: expect.stringMatching(/amount/),
        rail: 'sandbox',
        settlement_id: null,
      }),
    ]);
    expect(review[0].next).toEqual([
      expect.stringContaining(`settle ${code} --partner 1 --paid`),
      expect.stringContaining(`settle ${code} --partner 1 --not-paid`),
    ]);
    expect(await refusal('settle', 'desk-paid', '--not-paid', '--evidence', 'none', '--by', 'Ann')).toEqual({
      code: 1,
      error: {
        code: 'invalid_request',
        message: expect.stringMatching(/IN_DOUBT or REVIEW.*COMPLETE/),
        hint: expect.any(String),
      },
    });
  }, 60_000);

  it('is settled by two people, not by one, and the partner is told', async () => {
    const receipt = await receiptOf(code);
    const { settlement } = await json(
      ...settle('--paid', '--receipt', receipt, '--amount', '501', '--by', 'Ann Otieno'),
    );
    expect(settlement).toEqual({
      id: expect.any(Number),
      transaction_id: expect.any(Number),
      attempt_no: 1,
      outcome: 'paid',
      receipt_number: receipt,
      paid: { amount: '501.00', currency: 'KES' },
      evidence: 'portal page 4 of account ***5678',
      state: 'proposed',
      proposed_by: 'Ann Otieno',
      proposed_at: TIME,
      approved_by: null,
      approved_at: null,
      withdrawn_at: null,
      executed_at: null,
      executes_by: null,
      superseded_why: null,
    });
    const id = String(settlement.id);
    expect((await json('stuck')).review[0]).toMatchObject({
      settlement_id: settlement.id,
      next: [`npm run vuka -- approve ${id} --by "<a second person>"`],
    });
    expect(await refusal(...settle('--not-paid', '--by', 'Ben'))).toMatchObject({
      code: 1,
      error: { code: 'invalid_request' },
    });
    expect(await refusal('approve', id, '--by', ' ANN  otieno ')).toMatchObject({
      code: 1,
      error: { code: 'forbidden' },
    });
    expect((await json('show', code)).transaction.state).toBe('REVIEW');

    const approved = await json('approve', id, '--by', 'Ben Mwangi');
    expect(approved).toEqual({
      settlement: expect.objectContaining({
        id: settlement.id,
        state: 'approved',
        approved_by: 'Ben Mwangi',
        approved_at: TIME,
        executed_at: TIME,
      }),
      transaction: expect.objectContaining({ transaction_code: code, status: 'COMPLETE' }),
    });
    expect((await scene.receiver.waitForFinal(code, 60_000)).payload).toMatchObject({
      status: 'COMPLETE',
      receipt_number: receipt,
    });
    expect(await refusal('approve', id, '--by', 'Ben Mwangi')).toMatchObject({ code: 1 });
    expect((await json('stuck')).review).toEqual([]);
  }, 60_000);
});

describe('a proposal', () => {
  it('is withdrawn before it moves anything', async () => {
    const code = await send('0009', 'desk-withdrawn');
    await untilState(code, 'REVIEW');
    const { settlement } = await json('settle', code, '--not-paid', '--evidence', 'a mistake', '--by', 'Ann');
    expect(await json('withdraw', String(settlement.id), ...ACT)).toEqual({
      settlement: expect.objectContaining({ state: 'withdrawn', withdrawn_at: TIME }),
    });
    expect(await refusal('approve', String(settlement.id), '--by', 'Ben')).toMatchObject({
      code: 1,
      error: { message: expect.stringContaining('withdrawn') },
    });
    expect((await json('show', code)).transaction.state).toBe('REVIEW');
  }, 60_000);
});

describe('a payment made twice', () => {
  it('is an open incident and ours to claim back; resolving says who saw to it, once', async () => {
    const code = await send('0008', 'desk-twice');
    const found = await until(
      async () => {
        const stuck = await json('stuck');
        return (
          stuck.owed_to_us.some(({ transaction_code }: { transaction_code: string }) => transaction_code === code) &&
          stuck
        );
      },
      { withinMs: 60_000, what: 'the second payment is seen', everyMs: LOOK_EVERY_MS },
    );
    expect(found.owed_to_us).toEqual([
      expect.objectContaining({
        transaction_code: code,
        owed_by: 'us',
        amount: MONEY,
        receipt_number: expect.stringMatching(/^SBX/),
        posted_at: TIME,
        unwound_at: null,
      }),
    ]);
    const incident = found.incidents.find(
      ({ transaction_code }: { transaction_code: string }) => transaction_code === code,
    );
    expect(incident).toMatchObject({
      transaction_code: code,
      event: 'succeeded',
      state: 'COMPLETE',
      times: 1,
      at: TIME,
      resolved_at: null,
    });
    const note = 'rail refunds account 0110123456789, ticket 5512';
    const resolved = await json('resolve', String(incident.id), '--by', 'Ann Otieno', '--note', note);
    expect(resolved.incident).toMatchObject({
      id: incident.id,
      resolved_by: 'Ann Otieno',
      resolution: 'rail refunds account ***6789, ticket 5512',
      resolved_at: TIME,
    });
    expect(await refusal('resolve', String(incident.id), '--by', 'Ben', '--note', 'me too')).toMatchObject({
      code: 1,
      error: { message: expect.stringContaining('Ann Otieno') },
    });
    expect((await json('stuck')).incidents).toEqual([]);
    expect((await vuka('show', code)).stdout).toMatch(
      /the rail, to us +stands[^]*paid a second time[^]*resolved by Ann Otieno/,
    );
  }, 90_000);
});

describe('a dead letter', () => {
  it('is listed, and stays one where a replay cannot be read either', async () => {
    const eventId = randomUUID();
    await insertPoison(eventId);
    const letter = await until(async () => (await json('dead-letters')).dead_letters[0], {
      withinMs: 60_000,
      what: 'the poison is a dead letter',
      everyMs: LOOK_EVERY_MS,
    });
    expect(letter).toEqual({
      event_id: eventId,
      consumer_group: 'notifier',
      topic: expect.any(String),
      key: 'poison',
      reason: 'malformed',
      detail: expect.any(String),
      tries: expect.any(Number),
      at: TIME,
      replay_requested_at: null,
      requested_by: null,
      replayed_at: null,
      next: [`npm run vuka -- replay ${eventId} --group notifier --reason "<what was put right>" --by "<you>"`],
    });
    expect((await json('stuck')).dead_letters).toEqual([letter]);
    await json('replay', eventId, ...ACT);
    const after = await until(
      async () =>
        (await json('dead-letters')).dead_letters.find(({ tries }: { tries: number }) => tries > letter.tries),
      { withinMs: 60_000, what: 'it was replayed', everyMs: LOOK_EVERY_MS },
    );
    expect(after).toMatchObject({
      event_id: eventId,
      reason: 'malformed',
      replay_requested_at: null,
      replayed_at: null,
    });
    expect(await refusal('replay', randomUUID(), ...ACT)).toMatchObject({ code: 1, error: { code: 'not_found' } });
  }, 60_000);

  /** What no producer of ours would write: only the folder's own superuser can. */
  async function insertPoison(eventId: string): Promise<void> {
    const db = await connectToRunning(scene.vuka.dataDir);
    await db.query(
      `insert into outbox (bucket, topic, key, sequence, event_id, envelope, created_at) values (3, 'payments.transaction.events.v1', 'poison', 1, $1, '{"not":"an event"}', $2)`,
      [eventId, new Date()],
    );
    await db.close();
  }
});

describe('asked the wrong way', () => {
  it.each([
    [['shwo'], /no command "shwo"/],
    [['settle', 'desk-paid', '--paid', '--receipt', 'R', '--by', 'Ann'], /--evidence is missing/],
  ])(
    '%j: exit code 2, and how it goes',
    async (words, problem) => {
      const ran = await vuka(...words);
      expect(ran).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(problem) });
      expect(ran.stderr).toMatch(/npm run vuka --.* --help/);
    },
    30_000,
  );
});

describe('the ledger', () => {
  it('is sound, as rules and balances', async () => {
    const { ok, checks, balances } = await json('ledger');
    expect(ok).toBe(true);
    expect(checks.length).toBeGreaterThan(9);
    for (const check of checks) expect(check).toEqual({ rule: expect.any(String), broken: [] });
    expect(balances).toContainEqual({ account: 'suspense:KES', balance: MONEY });
    for (const line of balances)
      expect(line).toEqual({
        account: expect.any(String),
        balance: { amount: expect.stringMatching(/^-?\d+(\.\d\d)?$/), currency: expect.any(String) },
      });
    // A payment is with people: what the rail has paid by it, nobody has said.
    expect(await script('ledger-check', [])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/The ledger is sound as far as it was read\. Not read: KES of rail sandbox\./),
      stderr: '',
    });
  }, 60_000);
});

describe('a Vuka that is stopped', () => {
  it('is looked at and decided on as well, and carries on from there when it starts', async () => {
    const receipt = await receiptOf('desk-withdrawn');
    expect(await scene.vuka.stop()).toBe(0);
    expect((await typed('stuck')).review).toEqual([expect.objectContaining({ transaction_code: 'desk-withdrawn' })]);
    const { settlement } = await typed(
      'settle',
      'desk-withdrawn',
      '--paid',
      '--receipt',
      receipt,
      '--amount',
      '501',
      '--evidence',
      'portal',
      '--by',
      'Ann',
    );
    const { stdout } = await vuka('approve', String(settlement.id), '--by', 'Ben');
    expect(stdout).toMatch(/COMPLETE.*when Vuka starts again/);
    expect(scene.vuka.postgresPid()).toBeNull();
    await scene.vuka.restart();
    await scene.receiver.waitForFinal('desk-withdrawn', 60_000);
  }, 120_000);

  it('and one that was killed, whose database is left an orphan', async () => {
    await scene.vuka.kill9({ postgres: false });
    expect((await typed('show', 'desk-paid')).transaction.state).toBe('COMPLETE');
    expect((await vuka('ledger')).code).toBe(0);
    await scene.vuka.restart();
  }, 120_000);

  it('is all sound, seen from outside', async () => {
    const settled = new Map(['desk-review', 'desk-withdrawn'].map((code) => [key(sentAs(code)), 'COMPLETE'] as const));
    await scene.checker.expectSound({ settled });
  }, 240_000);
});
