import { join } from 'node:path';

import { openEvmSandbox, sandboxNodeFile } from '@vuka/chains';
import type { ChainSettings } from '@vuka/config';
import type { ChainAddress } from '@vuka/data-folder';
import { CHAINS, type Chain, type EvmChain } from '@vuka/domain';
import { findAnvil, type LocalNode, ServerMember, startLocalChain, startLocalNode } from '@vuka/local-servers';
import type { Logger } from '@vuka/runtime';

export interface SandboxChainsOptions {
  readonly folder: string;
  /** Default: the nodes' own folders. */
  readonly logFileOf?: (member: string) => string;
  /** A chain with a configured endpoint gets no node. */
  readonly wanted: readonly string[];
  readonly settings: Pick<ChainSettings, 'endpoints' | 'agree' | 'epochBlocks'>;
  readonly log: Logger;
  readonly onChange?: () => void;
  readonly tell: (line: string) => void;
}

const WITHOUT_CHAINS = 'POST /v1/pay answers 503.';

/** One node per chain. A node that dies restarts with its folder and port. */
export class SandboxChains {
  private readonly up = new Set<Chain>();
  private readonly planned: ReadonlyMap<Chain, ServerMember<LocalNode>>;

  constructor(private readonly options: SandboxChainsOptions) {
    const { wanted, settings } = options;
    const chains = CHAINS.filter(({ name }) => wanted.includes(name) && settings.endpoints[name] === undefined);
    this.planned = new Map(chains.map((chain) => [chain, this.memberOf(chain)]));
  }

  /** Never throws: a node that cannot start is reported in one line and not served. */
  async start(): Promise<void> {
    const {
      tell,
      settings: { agree },
    } = this.options;
    if (this.planned.size === 0) return;
    if (agree > 1)
      return tell(
        `  ! No chains: CHAIN_RPC_AGREE is ${agree}, but the sandbox has only one node for each chain. ${WITHOUT_CHAINS}`,
      );
    const without = await this.withoutAnvil();
    await Promise.all(
      [...this.planned]
        .filter(([chain]) => !without.includes(chain))
        .map(async ([chain, member]) => {
          try {
            await member.start();
            this.up.add(chain);
          } catch (error) {
            tell(`  ! ${chain.name} is not served: ${(error as Error).message}`);
          }
        }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }

  get members(): readonly ServerMember<LocalNode>[] {
    return this.served.map(([, member]) => member);
  }

  get nodeLogs(): readonly (readonly [member: string, file: string])[] {
    return this.served.map(([chain, { name }]) => [name, this.nodeLog(chain)]);
  }

  get endpoints(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(this.served.map(([{ name }, { running }]) => [name, [running.url]]));
  }

  /** For sandbox.json. */
  get directory(): Readonly<Record<string, ChainAddress>> {
    return Object.fromEntries(
      this.served.map(([chain, { running }]) => [
        chain.name,
        { rpc_url: running.url, ...(chain.family === 'evm' && { chain_id: chain.chainId }) },
      ]),
    );
  }

  private get served(): readonly (readonly [Chain, ServerMember<LocalNode>])[] {
    return [...this.planned].filter(([chain]) => this.up.has(chain));
  }

  private async withoutAnvil(): Promise<readonly Chain[]> {
    const chains = [...this.planned.keys()];
    const needy = chains.filter(({ family }) => family === 'evm');
    const found = needy.length === 0 ? undefined : await findAnvil();
    if (found === undefined || found.ok) return [];
    const others = chains.filter((chain) => !needy.includes(chain)).map(({ name }) => name);
    const told =
      others.length === 0
        ? `No chains: ${found.why} ${WITHOUT_CHAINS}`
        : `Only these chains: ${others.join(' and ')}. ${found.why} POST /v1/pay answers 503 for the others.`;
    this.options.tell(`  ! ${told}`);
    return needy;
  }

  private memberOf(chain: Chain): ServerMember<LocalNode> {
    const {
      log,
      logFileOf,
      settings: { epochBlocks },
      onChange = () => undefined,
    } = this.options;
    const name = `chain-${chain.name.toLowerCase()}`;
    const file = this.nodeLog(chain);
    return new ServerMember<LocalNode>(
      {
        name,
        logFile: logFileOf?.(name) ?? file,
        begin: (port) =>
          beginNode(chain, { folder: this.folderOf(chain), log, ...(port !== undefined && { port }) }, epochBlocks),
        advice: `See ${file}.`,
      },
      { log, onChange },
    );
  }

  private folderOf({ name }: Chain): string {
    return join(this.options.folder, name.toLowerCase());
  }

  private nodeLog(chain: Chain): string {
    return join(this.folderOf(chain), chain.family === 'evm' ? 'anvil.log' : 'node.log');
  }
}

type Place = Omit<Parameters<typeof startLocalNode>[0], 'name' | 'program'>;

function beginNode(chain: Chain, place: Place, epochBlocks?: number): Promise<LocalNode> {
  return chain.family === 'evm'
    ? beginAnvil(chain, place, epochBlocks)
    : startLocalNode({ ...place, name: `${chain.family} node`, program: sandboxNodeFile(chain.family) });
}

async function beginAnvil(chain: EvmChain, place: Place, epochBlocks = 1): Promise<LocalNode> {
  const node = await startLocalChain({ ...place, chainId: chain.chainId, epochBlocks });
  const hands = await openEvmSandbox(chain, node.url);
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
