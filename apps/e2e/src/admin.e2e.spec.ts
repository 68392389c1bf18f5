/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call -- the admin API's JSON has no type out here: the expectations are what checks it */
import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { key, openFixture, FIXTURE_WITHIN_MS, until, type Fixture } from '@vuka/testing';

import { LOOK_EVERY_MS, Operator } from './admin-operator.spec-support.js';
import {
  approvedSettlement,
  MONEY,
  openIncident,
  owedToUs,
  paidPage,
  parkedRow,
  poisonDeadLetter,
  proposedSettlement,
  rowInReview,
  TIME,
} from './admin-shapes.spec-support.js';

const ACT = ['--reason', 'ticket 7', '--by', 'Ann Otieno'] as const;

let fixture: Fixture;
let admin: Operator;

beforeAll(async () => {
  fixture = await openFixture();
  admin = new Operator(fixture);
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await admin.end();
  await fixture.end();
}, 60_000);

describe('show', () => {
  it('shows the whole life of a paid transaction, in the shapes that programs rely on', async () => {
    const code = await admin.send('7890', 'admin-paid');
    await fixture.receiver.waitForFinal(code, 60_000);
    const page = await until(
      async () => {
        const shown = await admin.json('show', code);
        return shown.webhooks.at(-1)?.state === 'delivered' && shown;
      },
      { withinMs: 60_000, what: 'the last webhook is delivered', everyMs: LOOK_EVERY_MS },
    );
    expect(page).toEqual(paidPage(code, page.transaction));
    expect(page.webhooks[1].posts).toEqual([
      { attempt: 1, started_at: TIME, duration_ms: expect.any(Number), status: 200, error: null },
    ]);
  }, 60_000);

  it('shows where the money of a failed transaction went, and never a full number or a callback path', async () => {
    const code = await admin.send('0000', 'admin-failed');
    await fixture.receiver.waitForFinal(code, 60_000);
    const page = await admin.json('show', code);
    expect(page.transaction).toMatchObject({ state: 'FAILED', failure_code: 'recipient_not_found' });
    expect(page.hold.state).toBe('voided');
    const { account_number } = admin.sentAs(code).body as { account_number: string };
    const [text, object] = [(await admin.vuka('show', code)).stdout, JSON.stringify(page)];
    for (const shown of [text, object]) {
      expect(shown).toContain('***0000');
      expect(shown).not.toContain(account_number);
      expect(shown).not.toContain('sesame');
    }
    expect(text).toMatch(/admin-failed {3}KES 500\.00 {3}FAILED/);
    expect(text).toMatch(/payout-released:\d+ .*held:1:KES +→ +wallet:1:KES +KES 530\.00/);
  }, 60_000);

  it('asks for the partner if two partners use one code, and also accepts ids', async () => {
    await admin.send('7890', 'admin-same');
    await admin.send('7890', 'admin-same', fixture.two);
    const ran = await admin.vuka('show', 'admin-same');
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('npm run vuka -- show admin-same --partner 2'),
    });
    const second = await admin.json('show', 'admin-same', '--partner', '2');
    expect(second.transaction.partner_id).toBe(2);
    expect((await admin.json('show', String(second.transaction.id))).transaction).toEqual(
      expect.objectContaining({ id: second.transaction.id }),
    );
    expect(await admin.refusal('show', 'admin-same')).toEqual({
      code: 1,
      error: { code: 'ambiguous', message: expect.any(String), hint: 'name the partner with --partner' },
    });
    expect(await admin.refusal('show', 'admin-nowhere')).toEqual({
      code: 1,
      error: { code: 'not_found', message: expect.any(String), hint: null },
    });
    expect(await admin.vuka('show', 'admin-nowhere', '--json')).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^\{\s+"error": \{\s+"code": "not_found",/),
      stderr: '',
    });
  }, 60_000);
});

describe('a parked one', () => {
  it('is listed with the reason and the command; if released too early it is parked again, and after a top-up it is paid', async () => {
    const code = await admin.send('0007', 'admin-parked');
    const parked = await until(
      async () => {
        const { parked: list } = await admin.json('stuck');
        return list.find(({ transaction_code }: { transaction_code: string }) => transaction_code === code);
      },
      { withinMs: 60_000, what: 'it is parked', everyMs: LOOK_EVERY_MS },
    );
    expect(parked).toEqual(parkedRow(code));
    // It retries each second, so a release may find it just under way.
    const released = await until(
      async () => {
        const ran = await admin.ask('release', code, ...ACT);
        return ran.code === 0 && JSON.parse(ran.text);
      },
      { withinMs: 60_000, what: 'it is released', everyMs: 100 },
    );
    expect(released).toEqual({
      released: { transaction_id: parked.transaction_id, transaction_code: code, partner_id: 1, park_deadline: TIME },
    });
    expect((await fixture.one.control(code, 'top_up')).status).toBe(200);
    await fixture.receiver.waitForFinal(code, 60_000);
    const again = await admin.refusal('release', code, ...ACT);
    expect(again).toEqual({
      code: 1,
      error: { code: 'invalid_request', message: expect.stringContaining('COMPLETE'), hint: null },
    });
  }, 90_000);
});

describe('one in review', () => {
  const code = 'admin-review';
  const settle = (...words: string[]): readonly string[] => [
    'settle',
    code,
    '--evidence',
    'portal page 4 of account 254712345678',
    ...words,
  ];

  it('is listed for a decision by people, and only such a transaction can be settled', async () => {
    await admin.send('0009', code);
    await admin.untilState(code, 'REVIEW');
    const { review } = await admin.json('stuck');
    expect(review).toEqual([rowInReview(code)]);
    expect(review[0].next).toEqual([
      expect.stringContaining(`settle ${code} --partner 1 --paid`),
      expect.stringContaining(`settle ${code} --partner 1 --not-paid`),
    ]);
    expect(await admin.refusal('settle', 'admin-paid', '--not-paid', '--evidence', 'none', '--by', 'Ann')).toEqual({
      code: 1,
      error: {
        code: 'invalid_request',
        message: expect.stringMatching(/IN_DOUBT or REVIEW.*COMPLETE/),
        hint: expect.any(String),
      },
    });
  }, 60_000);

  it('is settled by two people, not by one, and the partner is told', async () => {
    const receipt = await admin.receiptOf(code);
    const { settlement } = await admin.json(
      ...settle('--paid', '--receipt', receipt, '--amount', '501', '--by', 'Ann Otieno'),
    );
    expect(settlement).toEqual(proposedSettlement(receipt));
    const id = String(settlement.id);
    expect((await admin.json('stuck')).review[0]).toMatchObject({
      settlement_id: settlement.id,
      next: [`npm run vuka -- approve ${id} --by "<a second person>"`],
    });
    expect(await admin.refusal(...settle('--not-paid', '--by', 'Ben'))).toMatchObject({
      code: 1,
      error: { code: 'invalid_request' },
    });
    expect(await admin.refusal('approve', id, '--by', ' ANN  otieno ')).toMatchObject({
      code: 1,
      error: { code: 'forbidden' },
    });
    expect((await admin.json('show', code)).transaction.state).toBe('REVIEW');

    const approved = await admin.json('approve', id, '--by', 'Ben Mwangi');
    expect(approved).toEqual(approvedSettlement(settlement.id, code));
    expect((await fixture.receiver.waitForFinal(code, 60_000)).payload).toMatchObject({
      status: 'COMPLETE',
      receipt_number: receipt,
    });
    expect(await admin.refusal('approve', id, '--by', 'Ben Mwangi')).toMatchObject({ code: 1 });
    expect((await admin.json('stuck')).review).toEqual([]);
  }, 60_000);
});

describe('a proposal', () => {
  it('is withdrawn before it moves anything', async () => {
    const code = await admin.send('0009', 'admin-withdrawn');
    await admin.untilState(code, 'REVIEW');
    const { settlement } = await admin.json('settle', code, '--not-paid', '--evidence', 'a mistake', '--by', 'Ann');
    expect(await admin.json('withdraw', String(settlement.id), ...ACT)).toEqual({
      settlement: expect.objectContaining({ state: 'withdrawn', withdrawn_at: TIME }),
    });
    expect(await admin.refusal('approve', String(settlement.id), '--by', 'Ben')).toMatchObject({
      code: 1,
      error: { message: expect.stringContaining('withdrawn') },
    });
    expect((await admin.json('show', code)).transaction.state).toBe('REVIEW');
  }, 60_000);
});

describe('a payment made twice', () => {
  it('is an open incident to claim back from the provider; resolving records once who handled it', async () => {
    const code = await admin.send('0008', 'admin-twice');
    const found = await until(
      async () => {
        const stuck = await admin.json('stuck');
        return (
          stuck.owed_to_us.some(({ transaction_code }: { transaction_code: string }) => transaction_code === code) &&
          stuck
        );
      },
      { withinMs: 60_000, what: 'the second payment is seen', everyMs: LOOK_EVERY_MS },
    );
    expect(found.owed_to_us).toEqual([owedToUs(code)]);
    const incident = found.incidents.find(
      ({ transaction_code }: { transaction_code: string }) => transaction_code === code,
    );
    expect(incident).toMatchObject(openIncident(code));
    const note = 'provider refunds account 0110123456789, ticket 5512';
    const resolved = await admin.json('resolve', String(incident.id), '--by', 'Ann Otieno', '--note', note);
    expect(resolved.incident).toMatchObject({
      id: incident.id,
      resolved_by: 'Ann Otieno',
      resolution: 'provider refunds account ***6789, ticket 5512',
      resolved_at: TIME,
    });
    expect(await admin.refusal('resolve', String(incident.id), '--by', 'Ben', '--note', 'me too')).toMatchObject({
      code: 1,
      error: { message: expect.stringContaining('Ann Otieno') },
    });
    expect((await admin.json('stuck')).incidents).toEqual([]);
    expect((await admin.vuka('show', code)).stdout).toMatch(
      /the provider, to Vuka +stands[^]*paid a second time[^]*resolved by Ann Otieno/,
    );
  }, 90_000);
});

describe('a dead letter', () => {
  it('is listed, and stays one if its replay fails too', async () => {
    const eventId = randomUUID();
    await admin.insertPoison(eventId);
    const deadLetter = await until(async () => (await admin.json('dead-letters')).dead_letters[0], {
      withinMs: 60_000,
      what: 'the poison is a dead letter',
      everyMs: LOOK_EVERY_MS,
    });
    expect(deadLetter).toEqual(poisonDeadLetter(eventId));
    expect((await admin.json('stuck')).dead_letters).toEqual([deadLetter]);
    await admin.json('replay', eventId, ...ACT);
    const after = await until(
      async () =>
        (await admin.json('dead-letters')).dead_letters.find(
          ({ tries }: { tries: number }) => tries > deadLetter.tries,
        ),
      { withinMs: 60_000, what: 'it was replayed', everyMs: LOOK_EVERY_MS },
    );
    expect(after).toMatchObject({
      event_id: eventId,
      reason: 'malformed',
      replay_requested_at: null,
      replayed_at: null,
    });
    expect(await admin.refusal('replay', randomUUID(), ...ACT)).toMatchObject({
      code: 1,
      error: { code: 'not_found' },
    });
  }, 60_000);
});

describe('wrong usage', () => {
  it.each([
    [['shwo'], /no command "shwo"/],
    [['settle', 'admin-paid', '--paid', '--receipt', 'R', '--by', 'Ann'], /--evidence is missing/],
  ])(
    '%j: exit code 2, with a hint',
    async (words, problem) => {
      const ran = await admin.vuka(...words);
      expect(ran).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(problem) });
      expect(ran.stderr).toMatch(/npm run vuka --.* --help/);
    },
    30_000,
  );
});

describe('the ledger', () => {
  it('is sound, as rules and balances', async () => {
    const { ok, checks, balances } = await admin.json('ledger');
    expect(ok).toBe(true);
    expect(checks.length).toBeGreaterThan(9);
    for (const check of checks) expect(check).toEqual({ rule: expect.any(String), broken: [] });
    expect(balances).toContainEqual({ account: 'suspense:KES', balance: MONEY });
    for (const line of balances)
      expect(line).toEqual({
        account: expect.any(String),
        balance: { amount: expect.stringMatching(/^-?\d+(\.\d\d)?$/), currency: expect.any(String) },
      });
    // A payment waits for people, and the provider has not confirmed it yet.
    expect(await admin.script('ledger-check', [])).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /The ledger is sound as far as it could be read\. Not read: KES in the wallet main of provider sandbox\./,
      ),
      stderr: '',
    });
  }, 60_000);
});

describe('a Vuka that is stopped', () => {
  it('can be read and changed, and continues from there when it starts', async () => {
    const receipt = await admin.receiptOf('admin-withdrawn');
    expect(await fixture.vuka.stop()).toBe(0);
    expect((await admin.typed('stuck')).review).toEqual([
      expect.objectContaining({ transaction_code: 'admin-withdrawn' }),
    ]);
    const { settlement } = await admin.typed(
      'settle',
      'admin-withdrawn',
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
    const { stdout } = await admin.vuka('approve', String(settlement.id), '--by', 'Ben');
    expect(stdout).toMatch(/COMPLETE.*when Vuka starts again/);
    expect(fixture.vuka.postgresPid()).toBeNull();
    await fixture.vuka.restart();
    await fixture.receiver.waitForFinal('admin-withdrawn', 60_000);
  }, 120_000);

  it('and one that was killed, whose database is left an orphan', async () => {
    await fixture.vuka.kill9({ postgres: false });
    expect((await admin.typed('show', 'admin-paid')).transaction.state).toBe('COMPLETE');
    expect((await admin.vuka('ledger')).code).toBe(0);
    await fixture.vuka.restart();
  }, 120_000);

  it('is used by one command at a time, and no command continues open work', async () => {
    await admin.send('7890', 'admin-midway');
    await fixture.vuka.kill9({ postgres: false });
    const before = await admin.typed('show', 'admin-midway');
    const together = await Promise.all(['stuck', 'ledger', 'partners'].map((command) => admin.vuka(command, '--json')));
    expect(together.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(together.filter(({ stderr }) => /does not answer commands: waiting/.test(stderr)).length).toBeGreaterThan(0);
    expect(await admin.typed('show', 'admin-midway')).toEqual(before);
    await fixture.vuka.restart();
    await fixture.receiver.waitForFinal('admin-midway', 60_000);
  }, 120_000);

  it('is all sound, seen from outside', async () => {
    const settled = new Map(
      ['admin-review', 'admin-withdrawn'].map((code) => [key(admin.sentAs(code)), 'COMPLETE'] as const),
    );
    await fixture.checker.expectSound({ settled });
  }, 240_000);
});
