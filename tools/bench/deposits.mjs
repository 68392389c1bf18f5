import { openEvmSandbox, SANDBOX_PAYER } from '../../libs/chains/dist/index.js';
import { EVM_CHAINS } from '../../libs/domain/dist/index.js';
import { askNode, chainFact, tokenNamed } from '../../libs/testing/dist/index.js';

/** The default chain; other chains run the same code. */
export const CHAIN = EVM_CHAINS.find(({ name }) => name === 'CELO');
const TOKEN = tokenNamed(CHAIN.name, 'USDC');
/** One whole token, more than the claims ask for. */
const VALUE = 10n ** BigInt(TOKEN.decimals);
const IN_A_BLOCK = 100;
const GAS = '0x30d40';
/** `transfer(address,uint256)` */
const TRANSFER = '0xa9059cbb';
const hex = (value) => `0x${value.toString(16)}`;

export const transferData = (to, value) =>
  TRANSFER + to.slice(2).toLowerCase().padStart(64, '0') + value.toString(16).padStart(64, '0');

/**
 * Sends `count` transfers of a dollar to the addresses in turn, a hundred per block, and waits until they are final.
 * Returns their hashes.
 */
export async function sendDeposits(url, addresses, count) {
  const hands = await openEvmSandbox(CHAIN, url);
  try {
    const first = await hands.transfer({ asset: TOKEN.symbol, amount: '1', to: addresses[0], mine: false });
    if (!first.ok) throw new Error(first.error);
    const from = Number(
      (await askNode(url, [{ method: 'eth_getTransactionCount', params: [SANDBOX_PAYER, 'pending'] }]))[0],
    );
    const calls = Array.from({ length: count }, (_, index) => {
      const data = transferData(addresses[index % addresses.length], VALUE);
      return {
        method: 'eth_sendTransaction',
        params: [{ from: SANDBOX_PAYER, to: TOKEN.address, data, gas: GAS, nonce: hex(from + index) }],
      };
    });
    const hashes = [];
    for (let at = 0; at < count; at += IN_A_BLOCK) {
      hashes.push(...(await askNode(url, calls.slice(at, at + IN_A_BLOCK))));
      await hands.mine(1);
    }
    await hands.mine(1 + chainFact(CHAIN.name).blocksOnTop[2]);
    const receipts = await askNode(
      url,
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    if (receipts.some((receipt) => receipt?.status !== '0x1'))
      throw new Error('not all of the transfers are in a block');
    return hashes;
  } finally {
    hands.close();
  }
}
