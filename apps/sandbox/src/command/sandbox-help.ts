import { CHAINS, DEFAULT_CHAIN } from '@vuka/domain';

import { MOST_BLOCKS } from './sandbox-command.js';

const CALL = 'npm run --silent sandbox --';

export function sandboxHelp(): string {
  return `sandbox: works on the chains of a running sandbox (npm start, npm run stack).

  ${CALL} transfer --chain CELO --asset USDC --amount 12.5 --to 0x…
      sends a real transfer, then makes blocks until it is final; its hash is the last line of standard output
      --asset     a token of the chain, a lookalike of one, or any contract's address (SOLANA: mint, STELLAR: CODE:ISSUER)
      --from 0x…  the sender; it gets the tokens and the coins for fees first
      --memo 42   STELLAR: digits make an id memo, anything else a text memo; an M… address needs no memo
      --no-mine   makes no extra blocks: the chain makes one every second
  ${CALL} mine [--blocks N]    makes 1 to ${MOST_BLOCKS} blocks at once; no block time is later than the clock
  ${CALL} reorg --depth N      replaces the newest N blocks by empty ones: their transactions never happened;
                              SOLANA drops only what is not final yet, STELLAR has no reorganisations
  ${CALL} stall [--off]        stops the blocks; transfers wait until --off

  --chain NAME      ${CHAINS.map(({ name }) => name).join(', ')}; ${DEFAULT_CHAIN} where absent
  --data-dir PATH   the folder of the sandbox; --stack: the folder of the stack (VUKA_STACK_DIR, .vuka-stack). Without
                    either, the one that runs: VUKA_DATA_DIR (.vuka) or the stack

docs/partners/sandbox-chains.md says more. Exit codes: 0 done, 1 a problem, 2 wrong usage.`;
}
