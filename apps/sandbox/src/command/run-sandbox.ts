import { openSandboxHands, SandboxNodeError, type SandboxHands } from '@vuka/chains';
import type { Chain } from '@vuka/domain';
import { BootError } from '@vuka/runtime';
import type { ExitCode } from '@vuka/terminal';

import { findSandboxChains } from './find-sandbox.js';
import { parseSandboxCommand, type SandboxAction } from './sandbox-command.js';
import { sandboxHelp } from './sandbox-help.js';

export interface SandboxSurroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Standard output. */
  readonly say: (text: string) => void;
  /** Standard error. */
  readonly tell: (text: string) => void;
}

/** Returns the exit code. */
export async function runSandbox(argv: readonly string[], { env, say, tell }: SandboxSurroundings): Promise<ExitCode> {
  const parsed = parseSandboxCommand(argv);
  if (parsed.kind === 'help') {
    say(sandboxHelp());
    return 0;
  }
  if (parsed.kind === 'wrong') return refuse(parsed.problem, tell);
  const { chain, place, action } = parsed;
  try {
    return await onChain(chain, urlOf(chain, await findSandboxChains(place, env)), (hands) =>
      carryOut(action, chain, hands, { say, tell }),
    );
  } catch (error) {
    if (error instanceof BootError) tell(`✗ ${error.message}\n  ${error.advice}`);
    else if (error instanceof SandboxNodeError) tell(`✗ ${chain.name}: ${error.message}`);
    else throw error;
    return 1;
  }
}

function urlOf({ name }: Chain, urls: Readonly<Record<string, string>>): string {
  const url = urls[name];
  if (url !== undefined) return url;
  const others = Object.keys(urls).join(', ');
  throw new BootError(
    `This sandbox runs no node for ${name}.`,
    others === ''
      ? 'It runs no chains; the output of its start says why (VUKA_SANDBOX_CHAINS).'
      : `It runs ${others} (VUKA_SANDBOX_CHAINS).`,
  );
}

async function onChain<T>(chain: Chain, url: string, work: (hands: SandboxHands) => Promise<T>): Promise<T> {
  const hands = await openSandboxHands(chain, url);
  try {
    return await work(hands);
  } finally {
    hands.close();
  }
}

async function carryOut(
  action: SandboxAction,
  { name }: Chain,
  hands: SandboxHands,
  { say, tell }: Pick<SandboxSurroundings, 'say' | 'tell'>,
): Promise<ExitCode> {
  switch (action.name) {
    case 'transfer': {
      const { asset, amount, to, from, memo, mine } = action;
      const sent = await hands.transfer({
        asset,
        amount,
        to,
        mine,
        ...(from !== null && { from }),
        ...(memo !== null && { memo }),
      });
      if (!sent.ok) return refuse(`${sent.error}.`, tell);
      const { hash, blockNumber } = sent.value;
      const where =
        blockNumber === null ? 'it waits: the chain is stalled' : `in block ${blockNumber} of ${await hands.height()}`;
      tell(`✓ ${amount} ${asset} to ${to} on ${name}, ${where}`);
      say(hash);
      return 0;
    }
    case 'mine':
      await hands.mine(action.blocks);
      tell(`✓ ${name} is at block ${await hands.height()}`);
      return 0;
    case 'reorg': {
      const done = await hands.reorg(action.depth);
      if (!done.ok) return refuse(`${done.error}.`, tell);
      tell(`✓ ${name} has replaced its newest ${action.depth} blocks, and is at block ${await hands.height()}`);
      return 0;
    }
    case 'stall':
      await hands.stall(action.on);
      tell(
        action.on
          ? `✓ ${name} makes no blocks after block ${await hands.height()}; stall --off starts it again`
          : `✓ ${name} makes blocks again`,
      );
      return 0;
  }
}

function refuse(problem: string, tell: (text: string) => void): ExitCode {
  tell(`✗ ${problem}\n  npm run sandbox -- --help`);
  return 2;
}
