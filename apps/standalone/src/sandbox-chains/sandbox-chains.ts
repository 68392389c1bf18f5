import { join } from 'node:path';

import { SandboxChain } from '@vuka/chains';
import { EVM_CHAINS, type EvmChain } from '@vuka/domain';
import { findAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import type { ChainSettings, Logger } from '@vuka/platform';

import { ServerMember } from '../stack/server-member.js';

/** What sandbox.json tells of a chain. */
export interface ChainAddress {
  readonly rpc_url: string;
  readonly chain_id: number;
}

export interface SandboxChainsOptions {
  /** Each chain's node has a folder of its own in it. */
  readonly folder: string;
  /** Where the logs of the nodes are looked for; their own folders where absent. */
  readonly logFileOf?: (member: string) => string;
  /** Names of those that are wanted. Where an endpoint is given for one, it gets no node. */
  readonly wanted: readonly string[];
  readonly settings: Pick<ChainSettings, 'endpoints' | 'agree'>;
  readonly log: Logger;
  readonly onChange?: () => void;
  /** For people. */
  readonly tell: (line: string) => void;
}

/** Nodes of the sandbox's own, one for each chain. One that dies is started again, on its folder and its port. */
export class SandboxChains {
  private readonly up = new Set<EvmChain>();
  private readonly planned: ReadonlyMap<EvmChain, ServerMember<LocalChain>>;

  constructor(private readonly options: SandboxChainsOptions) {
    const { wanted, settings } = options;
    const chains = EVM_CHAINS.filter(({ name }) => wanted.includes(name) && settings.endpoints[name] === undefined);
    this.planned = new Map(chains.map((chain) => [chain, this.memberOf(chain)]));
  }

  /** All at once. One that cannot be had is told of in one line and not served; nothing is thrown for it. */
  async start(): Promise<void> {
    const { tell, settings } = this.options;
    if (this.planned.size === 0) return;
    const why = settings.agree > 1 ? `CHAIN_RPC_AGREE is ${settings.agree}, and each node of the sandbox stands alone.` : await whyNoAnvil();
    if (why !== undefined) return tell(`  ! No chains: ${why} Deposits (POST /v1/pay) are answered 503.`);
    await Promise.all([...this.planned].map(async ([chain, member]) => {
      try {
        await member.start();
        this.up.add(chain);
      } catch (error) {
        tell(`  ! ${chain.name} is not served: ${(error as Error).message}`);
      }
    }));
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }

  /** Those that came up. */
  get members(): readonly ServerMember<LocalChain>[] {
    return this.served.map(([, member]) => member);
  }

  /** Where each node writes, by the member's name. */
  get nodeLogs(): readonly (readonly [member: string, file: string])[] {
    return this.served.map(([chain, { name }]) => [name, nodeLog(this.folderOf(chain.name))]);
  }

  /** By the chain's name, as offramp's settings have them. */
  get endpoints(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(this.served.map(([{ name }, { running }]) => [name, [running.url]]));
  }

  /** For sandbox.json. */
  get directory(): Readonly<Record<string, ChainAddress>> {
    return Object.fromEntries(this.served.map(([{ name, chainId }, { running }]) => [name, { rpc_url: running.url, chain_id: chainId }]));
  }

  private get served(): readonly (readonly [EvmChain, ServerMember<LocalChain>])[] {
    return [...this.planned].filter(([chain]) => this.up.has(chain));
  }

  private memberOf(chain: EvmChain): ServerMember<LocalChain> {
    const { log, logFileOf, onChange = () => undefined } = this.options;
    const name = `chain-${chain.name.toLowerCase()}`;
    const path = this.folderOf(chain.name);
    return new ServerMember<LocalChain>({
      name,
      logFile: logFileOf?.(name) ?? nodeLog(path),
      begin: (port) => beginChain(chain, path, log, port),
      advice: `See ${nodeLog(path)}.`,
    }, { log, onChange });
  }

  private folderOf(chain: string): string {
    return join(this.options.folder, chain.toLowerCase());
  }
}

const nodeLog = (folder: string): string => join(folder, 'anvil.log');

async function whyNoAnvil(): Promise<string | undefined> {
  const found = await findAnvil();
  return found.ok ? undefined : found.why;
}

/** A node and its tokens. */
async function beginChain(chain: EvmChain, folder: string, log: Logger, port: number | undefined): Promise<LocalChain> {
  const node = await startLocalChain({ folder, chainId: chain.chainId, log, ...(port !== undefined && { port }) });
  const hands = new SandboxChain(chain, node.url);
  try {
    await hands.install();
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  } finally {
    hands.close();
  }
}
