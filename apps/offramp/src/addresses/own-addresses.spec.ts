import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { loadOwnAddresses, loadOwnWallets, OwnAddresses } from './own-addresses.js';

const TREASURY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const GAS_WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const GIVEN = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const STRANGER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-addresses-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function listed(text: string): Promise<string> {
  const path = join(folder, 'list.json');
  await writeFile(path, text);
  return path;
}

const refusalOf = async (text: string): Promise<string> => {
  try {
    await loadOwnAddresses(await listed(text));
    return 'taken';
  } catch (error) {
    const { name, message, cause } = error as Error;
    return `${name}: ${message} ${(cause as Error | undefined)?.message ?? ''}`;
  }
};

describe('addresses of ours', () => {
  it('are those that were given and those that are listed, in EIP-55 or lower case', async () => {
    const store = { oursAmong: async (senders: readonly string[]) => senders.filter((sender) => sender === GIVEN) };
    const own = new OwnAddresses(
      store,
      await loadOwnAddresses(await listed(JSON.stringify([TREASURY, GAS_WALLET.toLowerCase()]))),
    );
    expect([...(await own.among([STRANGER, TREASURY, GIVEN, GAS_WALLET]))].sort()).toEqual(
      [GIVEN, GAS_WALLET, TREASURY].sort(),
    );
    expect([...(await own.among([STRANGER]))]).toEqual([]);
    expect([...(await own.among([]))]).toEqual([]);
  });

  it('are of any family, on Stellar with all numbers of an account', async () => {
    const [solana, account] = [
      '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
      'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    ];
    const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
    for (const entry of [account, muxed]) {
      const own = new OwnAddresses(
        { oursAmong: async () => [] },
        await loadOwnAddresses(await listed(JSON.stringify([solana, entry]))),
      );
      expect([...(await own.among([STRANGER, solana, account, muxed, solana.toLowerCase()]))]).toEqual([
        solana,
        account,
        muxed,
      ]);
    }
  });

  it('are so too where it is said what they were funded with, which is added up by token and chain', async () => {
    const text = JSON.stringify([
      { address: TREASURY, funded: { 'USDC@CELO': '1.5', 'USDC@BNB': '2' } },
      { address: GAS_WALLET.toLowerCase(), funded: { 'USDC@CELO': '0.000001' } },
      GIVEN,
    ]);
    const { addresses, funded } = await loadOwnWallets(await listed(text));
    expect([...addresses]).toEqual([TREASURY, GAS_WALLET, GIVEN]);
    expect([...funded]).toEqual([
      ['USDC@CELO', 1_500_001n],
      ['USDC@BNB', 2n * 10n ** 18n],
    ]);
  });

  it('are none beyond the given ones where no file or an empty list is named', async () => {
    expect((await loadOwnAddresses(undefined)).size).toBe(0);
    expect((await loadOwnAddresses(await listed('[]'))).size).toBe(0);
  });

  it.each([
    ['{}', /is not a JSON array/],
    [`"${TREASURY}"`, /is not a JSON array/],
    [`["${TREASURY}", 7]`, /: entry 2 must be a string, or an object/],
    [`[{"address":"${TREASURY}"}]`, /: entry 1 must be a string, or an object/],
    [`[{"address":7,"funded":{}}]`, /: entry 1 must be a text\./],
    [
      `[{"address":"${TREASURY}","funded":{"USDC":"1"}}]`,
      /: entry 1: "funded" names a token that no chain of this address accepts/,
    ],
    [
      `[{"address":"${TREASURY}","funded":{"USDC@SOLANA":"1"}}]`,
      /: entry 1: "funded" names a token that no chain of this address accepts/,
    ],
    [
      `[{"address":"${TREASURY}","funded":{"USDC@CELO":"1.0000001"}}]`,
      /: entry 1: an amount must have at most 6 decimals/,
    ],
    [
      `[{"address":"${TREASURY}","funded":{"USDC@CELO":"1"}},{"address":"${TREASURY.toLowerCase()}","funded":{"USDC@CELO":"1"}}]`,
      /: entry 2 gives "funded" for an address a second time/,
    ],
    [`["${TREASURY.slice(0, -1)}"]`, /: entry 1 must be 0x and 40 hexadecimal digits/],
    ['["treasury"]', /: entry 1 must be an address/],
    ['["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGA"]', /: entry 1 must be an address/],
    [`["${GAS_WALLET}", "${TREASURY.replace('f39F', 'F39f')}"]`, /: entry 2 must be spelt as its checksum has it/],
    [`["${TREASURY}`, /cannot be read as JSON .*it is not JSON/],
  ])('%s is no start; the place is told, and not what stands there', async (text, why) => {
    const refusal = await refusalOf(text);
    expect(refusal).toMatch(/^BootError: OWN_ADDRESSES_FILE .*list\.json/);
    expect(refusal).toMatch(why);
    expect(refusal.toLowerCase()).not.toContain('aad88f6f4ce6ab88');
  });

  it('a missing file is refused at the start', async () => {
    await expect(loadOwnAddresses(join(folder, 'none.json'))).rejects.toMatchObject({ name: 'BootError' });
  });
});
