import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ListScreening, loadScreening, SANDBOX_SCREENED } from './screening.js';

const ONE = '0x00000000000000000000000000000000000000Aa';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'screening-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function listed(text: string): Promise<string> {
  const path = join(folder, 'list.json');
  await writeFile(path, text);
  return path;
}

describe('screening', () => {
  it('hits where one of the senders is on the list, in whatever letter case', async () => {
    const list = new ListScreening([ONE]);
    expect(await list.isHit('CELO', ['0x01', ONE.toLowerCase()])).toBe(true);
    expect(await list.isHit('CELO', ['0x01'])).toBe(false);
    expect(await list.isHit('CELO', [])).toBe(false);
  });

  it('knows addresses of every family, each as its chain compares them', async () => {
    const [solana, account] = [
      '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
      'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    ];
    const list = await loadScreening(await listed(JSON.stringify([ONE, solana, account])), 'live');
    expect(await list.isHit('SOLANA', ['x', solana])).toBe(true);
    expect(await list.isHit('SOLANA', [solana.toLowerCase()])).toBe(false);
    expect(await list.isHit('STELLAR', ['MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ'])).toBe(
      true,
    );
  });

  it('has one test address in the sandbox, nobody in live, and what a file says in both', async () => {
    expect(await (await loadScreening(undefined, 'sandbox')).isHit('CELO', [SANDBOX_SCREENED])).toBe(true);
    expect(await (await loadScreening(undefined, 'live')).isHit('CELO', [SANDBOX_SCREENED])).toBe(false);
    const given = await loadScreening(await listed(JSON.stringify([ONE])), 'sandbox');
    expect([await given.isHit('BNB', [ONE]), await given.isHit('BNB', [SANDBOX_SCREENED])]).toEqual([true, false]);
  });

  it.each(['{}', '["0x12"]', '[1]', 'not json', `["${ONE}`])(
    'an invalid list (%s) is refused at the start',
    async (text) => {
      await expect(loadScreening(await listed(text), 'sandbox')).rejects.toMatchObject({ name: 'BootError' });
    },
  );

  it('a missing file is refused at the start', async () => {
    await expect(loadScreening(join(folder, 'none.json'), 'live')).rejects.toMatchObject({ name: 'BootError' });
  });
});
