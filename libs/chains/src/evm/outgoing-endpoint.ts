import type { ChainHeights } from '@vuka/domain';

import { RpcError } from '../reader/endpoint-client.js';
import { MalformedAnswerError, objectAt } from '../reader/json-values.js';

import { EvmEndpoint } from './evm-endpoint.js';
import type { GasPrices } from './fee-bid.js';
import { quantityAt } from './rpc-values.js';
import { balanceData } from './transfer-signer.js';

export interface Purse {
  readonly tokenMinor: bigint;
  readonly feeMinor: bigint;
}

export type GasEstimate = { readonly kind: 'gas'; readonly gas: bigint } | { readonly kind: 'reverts' };

/** For a transaction agreed to be in no block. */
export interface Whereabouts {
  readonly isPooled: boolean;
  /** This endpoint has it in a block: included meanwhile, or pruned elsewhere. */
  readonly isMined: boolean;
  /** A final transaction, another one, used its nonce. */
  readonly isOvertaken: boolean;
}

const WORD = /^0x[0-9a-fA-F]{1,64}$/;
/** Code of a reverting call (execution API). */
const REVERTED = '3';

/** Rejects with RpcError and MalformedAnswerError. */
export class OutgoingEndpoint extends EvmEndpoint {
  async nonce(address: string): Promise<number> {
    return this.count(address, 'latest');
  }

  async prices(): Promise<GasPrices> {
    const { client } = this.parts;
    const [block, price] = await Promise.all([
      client.call('eth_getBlockByNumber', ['latest', false]),
      client.call('eth_gasPrice', []),
    ]);
    const told = objectAt(block, 'block')['baseFeePerGas'];
    const [baseFee, gasPrice] = [
      told === undefined || told === null ? null : wordAt(told, 'baseFeePerGas'),
      wordAt(price, 'gas price'),
    ];
    return { baseFee, price: gasPrice, tip: baseFee !== null && gasPrice > baseFee ? gasPrice - baseFee : 0n };
  }

  async purse(holder: string, token: string): Promise<Purse> {
    const { client } = this.parts;
    const [tokens, coins] = await Promise.all([
      client.call('eth_call', [{ to: token, data: balanceData(holder) }, 'latest']),
      client.call('eth_getBalance', [holder, 'latest']),
    ]);
    return { tokenMinor: wordAt(tokens, 'token balance'), feeMinor: wordAt(coins, 'balance') };
  }

  async estimate(from: string, token: string, data: string): Promise<GasEstimate> {
    try {
      return {
        kind: 'gas',
        gas: wordAt(await this.parts.client.call('eth_estimateGas', [{ from, to: token, data }]), 'gas'),
      };
    } catch (error) {
      if (error instanceof RpcError && error.trouble === 'refused' && error.detail === REVERTED)
        return { kind: 'reverts' };
      throw error;
    }
  }

  /** `finalHeight`: newest final block, from this endpoint's heights. */
  async whereabouts(
    transactionId: string | null,
    from: string,
    nonce: number,
    finalHeight: (heights: ChainHeights) => number,
  ): Promise<Whereabouts> {
    const known =
      transactionId === null ? null : await this.parts.client.call('eth_getTransactionByHash', [transactionId]);
    if (known !== null) {
      const isMined = (objectAt(known, 'transaction')['blockHash'] ?? null) !== null;
      return { isPooled: !isMined, isMined, isOvertaken: false };
    }
    // Old states may be pruned, so ask only if the nonce is used.
    if ((await this.count(from, 'latest')) <= nonce) return { isPooled: false, isMined: false, isOvertaken: false };
    const height = finalHeight(await this.askHeights());
    return {
      isPooled: false,
      isMined: false,
      isOvertaken: height >= 0 && (await this.count(from, `0x${height.toString(16)}`)) > nonce,
    };
  }

  /** Nodes also refuse what they already have. */
  async send(raw: string): Promise<'given' | 'refused'> {
    try {
      await this.parts.client.call('eth_sendRawTransaction', [raw]);
      return 'given';
    } catch (error) {
      if (error instanceof RpcError && error.trouble === 'refused') return 'refused';
      throw error;
    }
  }

  private async count(address: string, at: string): Promise<number> {
    return quantityAt(await this.parts.client.call('eth_getTransactionCount', [address, at]), 'nonce');
  }
}

function wordAt(value: unknown, where: string): bigint {
  if (typeof value !== 'string' || !WORD.test(value)) throw new MalformedAnswerError(where);
  return BigInt(value);
}
