import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { SandboxSolana, SandboxStellar, type SandboxHands, type SandboxTransfer } from '@vuka/chains';
import { chainNamed, type Chain } from '@vuka/domain';
import { openFixture, until, type Fixture, type FixtureOptions } from '@vuka/testing';

import { ChainDriver } from './chain-driver.spec-support.js';

export interface PayFixture extends Fixture {
  chain(name: string): ChainDriver;
  solana(): SandboxSolana;
  stellar(): SandboxStellar;
  /** kill -9; resolves when a new node runs. */
  killNode(chain: string): Promise<void>;
  transfer(chain: string, transfer: SandboxTransfer): Promise<string>;
  transfers(): number;
}

export interface PayFixtureOptions extends FixtureOptions {
  readonly chains: readonly string[];
}

export async function openPayFixture({ chains, ...options }: PayFixtureOptions): Promise<PayFixture> {
  const fixture = await openFixture({ ...options, env: { ...options.env, VUKA_SANDBOX_CHAINS: chains.join(',') } });
  const urlOf = (name: string): string => {
    const url = fixture.vuka.chainUrls.get(name);
    if (url === undefined)
      throw new Error(`the sandbox runs no ${name}: ${[...fixture.vuka.chainUrls.keys()].join(', ')}`);
    return url;
  };
  const drivers = new Map<string, ChainDriver>();
  const chain = (name: string): ChainDriver => {
    const url = urlOf(name);
    const driver = drivers.get(url) ?? new ChainDriver(name, url);
    drivers.set(url, driver);
    return driver;
  };
  const solana = (): SandboxSolana => new SandboxSolana(facts('SOLANA', 'solana'), urlOf('SOLANA'));
  const stellar = (): SandboxStellar => new SandboxStellar(facts('STELLAR', 'stellar'), urlOf('STELLAR'));
  let sent = 0;
  const transfer = async (name: string, transferred: SandboxTransfer): Promise<string> => {
    const hash =
      name === 'SOLANA'
        ? await hashOf(solana(), transferred)
        : name === 'STELLAR'
          ? await hashOf(stellar(), transferred)
          : await chain(name).transfer(transferred);
    sent += 1;
    return hash;
  };
  const killNode = async (name: string): Promise<void> => {
    const file = join(fixture.vuka.dataDir, 'chains', name.toLowerCase(), 'server.json');
    const pidNow = (): number => (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
    const pid = pidNow();
    process.kill(pid, 'SIGKILL');
    const heightOf = (): Promise<number> =>
      (name === 'SOLANA' ? solana() : name === 'STELLAR' ? stellar() : chain(name)).height();
    await until(async () => pidNow() !== pid && (await heightOf()) > 0, {
      withinMs: 60_000,
      what: `another node of ${name}`,
      everyMs: 50,
    });
  };
  const end = async (): Promise<void> => {
    for (const driver of drivers.values()) await driver.close();
    await fixture.end();
  };
  return { ...fixture, chain, solana, stellar, transfer, transfers: () => sent, killNode, end };
}

async function hashOf(hands: SandboxHands, transfer: SandboxTransfer): Promise<string> {
  const sent = await hands.transfer(transfer);
  if (!sent.ok) throw new Error(sent.error);
  return sent.value.hash;
}

function facts<F extends Chain['family']>(name: string, family: F): Extract<Chain, { family: F }> {
  const chain = chainNamed(name);
  if (chain?.family !== family) throw new Error(`${name} is no chain of the family ${family}`);
  return chain as Extract<Chain, { family: F }>;
}
