import type { EndpointParts } from '../reader/create-reader.js';
import { RpcError } from '../reader/endpoint-client.js';
import { objectAt } from '../reader/json-values.js';

import { Horizon } from './horizon.js';
import { purseOf, refusalOf, type Purse } from './purse.js';
import { readAddress } from './routing.js';
import { StellarEndpoint, type StellarChainFacts } from './stellar-endpoint.js';

export interface Whereabouts {
  readonly isOver: boolean;
  /** `used`: the endpoint no longer knows by which transaction. */
  readonly sequence: 'unused' | 'of_another' | 'used';
}

/** Several Horizons may share one address. So long after expiry none of them still lags. */
const OVER_AFTER_MS = 300_000;
const CLIENT_ERROR = 400;
const CONFLICT = 409;

/** Throws RpcError, MalformedAnswerError. */
export class StellarOutgoingEndpoint extends StellarEndpoint {
  private readonly network: Horizon;

  constructor(parts: EndpointParts<StellarChainFacts>) {
    super(parts);
    this.network = new Horizon(parts.client);
  }

  /** No account yet: no money and no sequence. */
  async purse(wallet: string, asset: string): Promise<Purse> {
    const account = await this.network.account(wallet);
    return account === undefined ? { tokenMinor: 0n, feeMinor: 0n, sequence: 0n } : purseOf(account, asset);
  }

  /** null: it could receive it. */
  async refusal(to: string, asset: string, amountMinor: bigint): Promise<string | null> {
    const { account, id } = readAddress(to);
    return refusalOf(await this.network.account(account), asset, amountMinor, id !== undefined) ?? null;
  }

  fee(): Promise<bigint> {
    return this.network.usualFee();
  }

  /** For a transaction it knows in no ledger. */
  async whereabouts(hash: string, from: string, place: bigint, endsAtMs: number): Promise<Whereabouts> {
    // Time first, so that the account state is not older.
    const { closedAtMs } = await this.network.newest();
    const isOver = closedAtMs > endsAtMs + OVER_AFTER_MS;
    const account = await this.network.account(from);
    // A merged and recreated account has lost its history.
    if (account !== undefined && purseOf(account, '').sequence < place) return { isOver, sequence: 'unused' };
    const user = await this.network.userOf(from, place);
    return { isOver, sequence: user !== undefined && !user.hashes.has(hash) ? 'of_another' : 'used' };
  }

  async send(raw: string): Promise<'given' | 'refused'> {
    const { status, body } = await this.parts.client.post('submit', '/transactions_async', { tx: raw });
    const told = objectAt(body, 'submission')['tx_status'];
    if (told === 'PENDING' || (status === CONFLICT && told === 'DUPLICATE')) return 'given';
    if (status === CLIENT_ERROR) return 'refused';
    throw new RpcError('http_status', String(status));
  }
}
