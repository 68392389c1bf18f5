import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { muxedAddress, readStellarAddress } from '@vuka/chains';
import { acceptedTokens, chainNamed, tokenIdentity, type Chain, type Sighting } from '@vuka/domain';

import { type AddressSources, openAddressSources } from '../addresses/address-sources.js';
import { CheckFixture, never, STELLAR_ACCOUNT } from '../testing/check-fixture.spec-support.js';
import { found, ScriptedReader } from '../testing/offramp.spec-support.js';

const STELLAR = chainNamed('STELLAR') ?? never();
const SOLANA = chainNamed('SOLANA') ?? never();
const [INNER, OUTER] = ['a1', 'b2'].map((byte) => byte.repeat(32)) as [string, string];
const SIGNATURE = '5'.repeat(88);
const KEYS = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
];
const [PAYER, OTHER] = [
  '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
] as const;

let fixture: CheckFixture;
let folder: string;
let files = 0;

beforeAll(async () => {
  fixture = await CheckFixture.open();
  folder = await mkdtemp(join(tmpdir(), 'offramp-families-'));
}, 60_000);
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await fixture.reset();
  await fixture.admin.query('alter sequence solana_address_indexes restart with 0');
  for (const chain of [STELLAR, SOLANA]) fixture.chains.set(chain.name, { chain, reader: new ScriptedReader() });
});

const usdc = (chain: Chain): string =>
  tokenIdentity(chain, acceptedTokens(chain).find(({ symbol }) => symbol === 'USDC') ?? never());
async function poolOf(keys: readonly string[]): Promise<AddressSources> {
  const path = join(folder, `${(files += 1)}.json`);
  await writeFile(path, JSON.stringify(keys));
  return openAddressSources(
    { depositXpub: null, stellarAccount: STELLAR_ACCOUNT, solanaAddressesFile: path },
    new Set(),
  );
}
const reasons = async (): Promise<unknown[]> => (await fixture.states()).map(({ state, reason }) => [state, reason]);

describe('a deposit on Stellar', () => {
  const paid = (more: Partial<Extract<Sighting, { kind: 'found' }>> = {}): Sighting => ({
    ...(found({
      at: fixture.clock.now(),
      transfers: [
        {
          token: usdc(STELLAR),
          from: 'GAYOLLLUIZE4DZMBB2ZBKGBUBZLIOYU6XFLW37GBP2VZD3ABNXCW4BVA',
          value: 20n * 10n ** 7n,
        },
      ],
    }) as Extract<Sighting, { kind: 'found' }>),
    ...more,
  });

  beforeEach(() => fixture.addresses.ofPartner(1, 'stellar'));

  it("is looked for at the partner's own number of the one account", async () => {
    const other = await fixture.addresses.ofPartner(2, 'stellar');
    fixture.reader('STELLAR').says(OUTER, paid());
    await fixture.take({ transactionId: 1, chain: 'STELLAR', transaction_hash: OUTER });
    await fixture.round(fixture.checker());
    expect(await reasons()).toEqual([['verified', null]]);
    const asked = readStellarAddress(fixture.reader('STELLAR').reads[0]?.address ?? '');
    if (!asked.ok || !other.ok) throw new Error('no address');
    expect(asked.value).toMatchObject({ account: STELLAR_ACCOUNT, id: expect.any(BigInt) });
    expect(fixture.reader('STELLAR').reads[0]?.address).not.toBe(other.value.address);
    expect(await fixture.db.query('select token, transaction_hash from deposits')).toEqual([
      { token: usdc(STELLAR), transaction_hash: OUTER },
    ]);
  });

  it.each([
    [INNER, OUTER],
    [OUTER, INNER],
  ])(
    'is one by whichever of its two names it is claimed, and the other name pays nothing again',
    async (first, second) => {
      fixture.reader('STELLAR').says(INNER, paid({ transactionId: OUTER }));
      fixture.reader('STELLAR').says(OUTER, paid());
      for (const [transactionId, hash] of [
        [1, first],
        [2, second],
      ] as const) {
        await fixture.take({ transactionId, chain: 'STELLAR', transaction_hash: hash });
        await fixture.round(fixture.checker());
      }
      expect(await reasons()).toEqual([
        ['verified', null],
        ['unusable', 'hash_already_processed'],
      ]);
      expect(await fixture.db.query('select transaction_hash, claim_id::integer as claim from deposits')).toEqual([
        { transaction_hash: OUTER, claim: 1 },
      ]);
    },
  );

  it('is one where both names are checked at at the same time', async () => {
    fixture.reader('STELLAR').says(INNER, paid({ transactionId: OUTER }));
    fixture.reader('STELLAR').says(OUTER, paid());
    for (const [transactionId, hash] of [
      [1, INNER],
      [2, OUTER],
    ] as const)
      await fixture.take({ transactionId, chain: 'STELLAR', transaction_hash: hash });
    await fixture.round(fixture.checker(), fixture.checker());
    expect((await reasons()).sort()).toEqual([
      ['unusable', 'hash_already_processed'],
      ['verified', null],
    ]);
    expect(await fixture.db.query('select count(*)::integer as count from deposits')).toEqual([{ count: 1 }]);
  });

  it('from another issuer with the same code does not count', async () => {
    fixture.reader('STELLAR').says(
      OUTER,
      found({
        at: fixture.clock.now(),
        transfers: [{ token: 'USDC:GAYOLLLUIZE4DZMBB2ZBKGBUBZLIOYU6XFLW37GBP2VZD3ABNXCW4BVA', value: 10n ** 10n }],
      }),
    );
    await fixture.take({ transactionId: 1, chain: 'STELLAR', transaction_hash: OUTER });
    await fixture.round(fixture.checker());
    expect(await reasons()).toEqual([['unusable', 'no_matching_transfer']]);
  });

  it('has its account and its number beside the address that is given', async () => {
    const given = await fixture.addresses.addressOf(1, STELLAR);
    if (!given.ok) throw new Error('no address');
    expect(given.value.memoAddress).toBe(STELLAR_ACCOUNT);
    expect(muxedAddress(given.value.memoAddress, BigInt(given.value.memo))).toBe(given.value.address);
    expect(await fixture.addresses.addressOf(1, { name: 'CELO', family: 'evm' })).toMatchObject({
      ok: true,
      value: { memoAddress: '', memo: '' },
    });
  });
});

describe('a deposit on Solana', () => {
  it('is held back where any of those it may have come from is ours, or on the list', async () => {
    const addresses = fixture.addressesFrom(await poolOf(KEYS));
    await addresses.ofPartner(1, 'solana');
    const sent = (more: object): Sighting =>
      found({
        at: fixture.clock.now(),
        transfers: [{ token: usdc(SOLANA), from: PAYER, value: 20n * 10n ** 6n, ...more }],
      });
    fixture.reader('SOLANA').says(SIGNATURE, sent({ alsoFrom: [KEYS[0]] }));
    await fixture.take({ transactionId: 1, chain: 'SOLANA', transaction_hash: SIGNATURE });
    await fixture.round(fixture.checker({ addresses }));
    expect(await reasons()).toEqual([['unusable', 'no_matching_transfer']]);
    const listed = { isHit: async (_chain: string, senders: readonly string[]) => senders.includes(OTHER) };
    const second = SIGNATURE.replace(/5$/, '4');
    fixture.reader('SOLANA').says(second, sent({ alsoFrom: [OTHER] }));
    await fixture.take({ transactionId: 2, chain: 'SOLANA', transaction_hash: second });
    await fixture.round(fixture.checker({ addresses, screening: listed }));
    expect(await fixture.db.query('select token, screening_hit from deposits')).toEqual([
      { token: usdc(SOLANA), screening_hit: true },
    ]);
  });
});

describe('the list of addresses of Solana', () => {
  it('is given from its beginning, each entry once, and its end is an alarm before it is reached', async () => {
    const addresses = fixture.addressesFrom(await poolOf(KEYS));
    await addresses.check();
    expect(fixture.alarms()).toEqual(['deposit_addresses_run_out']);
    const given = [];
    for (const partner of [1, 2, 1, 3]) given.push(await addresses.ofPartner(partner, 'solana'));
    expect(given.map((one) => one.ok && one.value.address)).toEqual([KEYS[0], KEYS[1], KEYS[0], KEYS[2]]);
    for (const partner of [4, 5, 4])
      expect(await addresses.ofPartner(partner, 'solana')).toMatchObject({
        ok: false,
        error: { code: 'service_unavailable' },
      });
    expect(fixture.alarms().filter((code) => code === 'deposit_addresses_exhausted')).toHaveLength(1);
    expect(await addresses.ofPartner(1, 'solana')).toMatchObject({ ok: true });
  });

  it('may grow, and then has no gap but of what was asked for in vain', async () => {
    const short = fixture.addressesFrom(await poolOf(KEYS.slice(0, 1)));
    await short.ofPartner(1, 'solana');
    expect((await short.ofPartner(2, 'solana')).ok).toBe(false);
    const grown = fixture.addressesFrom(await poolOf(KEYS));
    await expect(grown.check()).resolves.toBeUndefined();
    expect(await grown.ofPartner(1, 'solana')).toMatchObject({ ok: true, value: { address: KEYS[0] } });
    expect(await grown.ofPartner(2, 'solana')).toMatchObject({ ok: true, value: { address: KEYS[2] } });
  });

  it.each([
    ['another list', [KEYS[1]!, KEYS[0]!]],
    ['a list with another entry in the place of one that was given', [KEYS[0]!, KEYS[2]!]],
    ['a shorter one', [KEYS[0]!]],
  ])('is no start where %s stands there', async (_what, keys) => {
    const addresses = fixture.addressesFrom(await poolOf(KEYS));
    for (const partner of [1, 2]) await addresses.ofPartner(partner, 'solana');
    await expect(fixture.addressesFrom(await poolOf(keys)).check()).rejects.toMatchObject({
      name: 'BootError',
      message: expect.stringContaining('SOLANA_ADDRESSES_FILE'),
    });
  });

  it('decides the address, whatever the table says', async () => {
    const addresses = fixture.addressesFrom(await poolOf(KEYS));
    await addresses.ofPartner(1, 'solana');
    await fixture.db.query(`update deposit_addresses set address = '${PAYER}'`);
    expect(await addresses.ofPartner(1, 'solana')).toMatchObject({ ok: false, error: { code: 'service_unavailable' } });
    expect(fixture.alarms()).toContain('deposit_address_differs');
    await expect(addresses.check()).rejects.toMatchObject({ name: 'BootError' });
  });

  it('and the account of Stellar are no other than addresses were given from', async () => {
    await fixture.addresses.ofPartner(1, 'stellar');
    const other = await openAddressSources(
      { depositXpub: null, stellarAccount: 'GAYOLLLUIZE4DZMBB2ZBKGBUBZLIOYU6XFLW37GBP2VZD3ABNXCW4BVA' },
      new Set(),
    );
    await expect(fixture.addressesFrom(other).check()).rejects.toMatchObject({
      name: 'BootError',
      message: expect.stringContaining('STELLAR_ACCOUNT'),
    });
    await expect(fixture.addresses.check()).resolves.toBeUndefined();
  });
});
