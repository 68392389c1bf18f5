import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readStellarAddress } from '@vuka/chains';

import { type AddressSource, openAddressSources, stellarSource } from './address-sources.js';
import { SANDBOX_XPUB } from './sandbox-xpub.js';

const ACCOUNT = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const KEYS = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'address-sources-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function listed(entries: unknown): Promise<string> {
  const path = join(folder, `${Math.random()}.json`);
  await writeFile(path, JSON.stringify(entries));
  return path;
}
const open = async (
  settings: Partial<Parameters<typeof openAddressSources>[0]>,
  ...served: string[]
): Promise<ReadonlyMap<string, AddressSource>> =>
  openAddressSources({ depositXpub: null, stellarAccount: null, ...settings }, new Set(served));
const solana = async (entries: unknown): Promise<AddressSource> =>
  (await open({ solanaAddressesFile: await listed(entries) })).get('solana')!;

describe('the sources of deposit addresses', () => {
  it('are those of the families that are served, and those that are set', async () => {
    expect([...(await open({})).keys()]).toEqual([]);
    expect([...(await open({}, 'CELO', 'BASE')).keys()]).toEqual(['evm']);
    expect([
      ...(
        await open({ depositXpub: SANDBOX_XPUB, stellarAccount: ACCOUNT, solanaAddressesFile: await listed(KEYS) })
      ).keys(),
    ]).toEqual(['evm', 'solana', 'stellar']);
  });

  it.each([
    ['SOLANA', 'SOLANA_ADDRESSES_FILE'],
    ['STELLAR', 'STELLAR_ACCOUNT'],
  ])('must be there where %s is served', async (chain, variable) => {
    await expect(open({}, chain)).rejects.toMatchObject({
      name: 'BootError',
      message: expect.stringContaining(variable),
    });
  });
});

describe('the list of Solana', () => {
  it('gives what stands in each place, and is the same list when it has grown', async () => {
    const [short, long] = [await solana(KEYS.slice(0, 2)), await solana(KEYS)];
    expect([0, 1, 2].map((index) => short.addressAt(index))).toEqual([KEYS[0], KEYS[1], undefined]);
    expect(long.addressAt(2)).toBe(KEYS[2]);
    expect([short.size, long.size]).toEqual([2, 3]);
    expect(short.keyId).toBe(long.keyId);
    expect((await solana([...KEYS].reverse())).keyId).not.toBe(long.keyId);
    expect(long.holds(KEYS[2]!)).toBe(true);
  });

  it.each([
    ['nothing', []],
    ['no list', { a: KEYS[0] }],
    ['a number', [KEYS[0], 7]],
    ['another family', [KEYS[0], ACCOUNT]],
    ['a key cut short', [KEYS[0]!.slice(0, -3)]],
    ['a key twice', [KEYS[0], KEYS[1], KEYS[0]]],
  ])('is refused with %s in it, and nothing of it is told', async (_what, entries) => {
    const error: unknown = await solana(entries).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'BootError', message: expect.stringContaining('SOLANA_ADDRESSES_FILE') });
    for (const key of KEYS) expect((error as Error).message).not.toContain(key);
  });
});

describe('the account of Stellar', () => {
  it('gives each its own number, which every wallet can show, and none is near another', () => {
    const source = stellarSource(ACCOUNT);
    const numbers = Array.from({ length: 2_000 }, (_, index) => {
      const read = readStellarAddress(source.addressAt(index)!);
      if (!read.ok || read.value.id === null) throw new Error('no muxed address');
      expect(read.value.account).toBe(ACCOUNT);
      return read.value.id;
    });
    const sorted = [...numbers].sort((one, other) => (one < other ? -1 : 1));
    expect(sorted.at(-1)).toBeLessThan(2n ** 53n);
    expect(sorted.every((number, index) => index === 0 || number - sorted[index - 1]! > 1_000n)).toBe(true);
    expect(source.addressAt(7)).toBe(stellarSource(ACCOUNT).addressAt(7));
  });

  it.each([
    '',
    ACCOUNT.slice(0, -1),
    ACCOUNT.replace('GA7Q', 'GA7R'),
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
  ])('is an account without a typing error, not %j', (text) => {
    expect(() => stellarSource(text)).toThrow(/^STELLAR_ACCOUNT must be/);
  });
});
