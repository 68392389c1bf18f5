import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminSession, FIXTURE_WITHIN_MS, ledgerCheck, openFixture, type Fixture } from '@vuka/testing';

const WHY = ['--reason', 'bank statement, line 14'] as const;

let fixture: Fixture;
let team: AdminSession;

beforeAll(async () => {
  fixture = await openFixture();
  team = new AdminSession(fixture.vuka);
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await team.end();
  await fixture.end();
}, 60_000);

/** What these commands tell, as far as it is looked at. */
interface Told {
  readonly approval: { readonly id: string };
  readonly adjustment: { readonly id: number };
  readonly operator: object;
  readonly acts: readonly { readonly act: string }[];
}

async function as(person: string, ...words: readonly string[]): Promise<Told> {
  const { text } = await team.ask('--as', person, ...words);
  return JSON.parse(text) as Told;
}

/** A credential of its own, asked for by Ann and agreed by Ben. */
async function letIn(person: string, by: string, role = 'money'): Promise<void> {
  const file = join(fixture.vuka.dataDir, 'operators', `${person}.json`);
  const { credential_sha256: hash } = await team.tell<{ credential_sha256: string }>(
    'operator-credential',
    person,
    '--out',
    file,
  );
  const { approval } = await as(by, 'operator-make', person, '--role', role, '--credential-sha256', hash, ...WHY);
  expect(approval).toMatchObject({ state: 'waiting', operation: 'admin.makeOperator' });
  expect((await as('ben', 'approve', approval.id)).operator).toMatchObject({ name: person, state: 'in force' });
}

const REFUSED = { error: expect.objectContaining({ code: 'forbidden' }) };

describe('one person with two accounts of the same making', () => {
  it('cannot do both halves: neither of a funding nor of a key', async () => {
    await letIn('cyd', 'ann');
    await letIn('dan', 'ann');
    const partner = String(fixture.one.partner.id);
    const { adjustment } = await as('cyd', 'fund', partner, '--currency', 'KES', '--amount', '500', ...WHY);
    expect(adjustment).toMatchObject({ state: 'proposed', proposed_by: 'cyd' });
    const { approval } = await as('cyd', 'key-issue', partner, '--kind', 'consumer', ...WHY);
    expect(approval).toMatchObject({ state: 'waiting', asked_by: 'cyd', can_approve: ['Ben Mwangi'] });
    for (const person of ['cyd', 'dan', 'ann']) {
      expect([person, await as(person, 'approve-adjustment', String(adjustment.id), ...WHY)]).toEqual([
        person,
        REFUSED,
      ]);
      expect([person, await as(person, 'approve', approval.id)]).toEqual([person, REFUSED]);
    }
    expect((await as('ben', 'approve-adjustment', String(adjustment.id), ...WHY)).adjustment).toMatchObject({
      state: 'approved',
      approved_by: 'Ben Mwangi',
    });
    expect(await as('ben', 'approve', approval.id)).toMatchObject({
      approval: { state: 'done' },
      issued: { state: 'live' },
    });
  }, 120_000);

  it('is on the record with who asked and who approved', async () => {
    const { acts } = await as('ann', 'acts');
    const issued = acts.find(({ act }) => act === 'key.issued');
    expect(issued).toMatchObject({ by: 'cyd', approved_by: 'Ben Mwangi' });
    expect(acts.map(({ act }) => act)).toEqual(
      expect.arrayContaining(['operator.made', 'approval.asked', 'approval.approved']),
    );
  }, 60_000);
});

describe('a person who was shut out', () => {
  it('opens nothing any more', async () => {
    expect((await as('ben', 'operator-remove', 'dan', ...WHY)).operator).toMatchObject({ state: 'removed' });
    expect(await as('dan', 'partners')).toMatchObject({ error: { code: 'unavailable' } });
    expect(await as('cyd', 'operator-remove', 'Ben Mwangi', ...WHY)).toEqual(REFUSED);
  }, 60_000);

  it('leaves a ledger that is sound', async () => {
    expect((await ledgerCheck(fixture.vuka)).code).toBe(0);
  }, 60_000);
});
