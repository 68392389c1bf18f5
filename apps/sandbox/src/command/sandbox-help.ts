import { CHAINS, DEFAULT_CHAIN } from '@vuka/domain';

import { MOST_BLOCKS } from './sandbox-command.js';

const CALL = 'npm run --silent sandbox --';

export function sandboxHelp(): string {
  return `sandbox: hands on the chains of a sandbox that runs (npm start, npm run stack).

  ${CALL} transfer --chain CELO --asset USDC --amount 12.5 --to 0x…
      sends a real transfer and makes as many blocks on top of it as make it final; its hash is the last line of standard output
      --asset     a token of the chain, a lookalike of one, or any contract's address (SOLANA: mint, STELLAR: CODE:ISSUER)
      --from 0x…  in whose name; given the tokens and the fees that it needs
      --memo 42   STELLAR: digits are an id, anything else a text; an M… address needs none
      --no-mine   leaves it to the pace of the chain: a block every second
  ${CALL} mine [--blocks N]    blocks at once, 1 to ${MOST_BLOCKS}; none is later than the clock
  ${CALL} reorg --depth N      the newest N blocks are replaced by empty ones: what was in them never happened;
                              SOLANA forgets what is not final yet, STELLAR takes nothing back
  ${CALL} stall [--off]        no more blocks; what is sent waits until --off

  --chain NAME      ${CHAINS.map(({ name }) => name).join(', ')}; ${DEFAULT_CHAIN} where absent
  --data-dir PATH   the folder of the sandbox; --stack: the stack's (VUKA_STACK_DIR, .vuka-stack). Without either the one that
                    runs, of VUKA_DATA_DIR (.vuka) and the stack's

docs/partners/sandbox-chains.md has more. Ends with 0: done; 1: a problem; 2: asked the wrong way.`;
}
