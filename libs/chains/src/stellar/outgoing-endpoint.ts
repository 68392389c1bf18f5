import type { EndpointParts } from '../reader/create-reader.js';
import { RpcError } from '../reader/endpoint-client.js';
import { objectAt } from '../reader/json-values.js';

import { Horizon } from './horizon.js';
import { purseOf, refusalOf, type Purse } from './purse.js';
import { readAddress } from './routing.js';
import { StellarEndpoint, type StellarChainFacts } from './stellar-endpoint.js';

/** Why a transaction that is in no ledger can never be in one. */
export interface Whereabouts {
  readonly isOver: boolean;
  /** What the account says of the transaction's sequence number. `used`: by what, this one does not remember. */
  readonly sequence: 'unused' | 'of_another' | 'used';
}

/** Behind one address there may be several Horizons, some of them behind the others by seconds: so long after its end nobody has what another one lacks. */
const OVER_AFTER_MS = 300_000;
const CLIENT_ERROR = 400;
const CONFLICT = 409;

/** What one Horizon says to who sends there. Throws RpcError, MalformedAnswerError. */
export class StellarOutgoingEndpoint extends StellarEndpoint {
  private readonly network: Horizon;

  constructor(parts: EndpointParts<StellarChainFacts>) {
    super(parts);
    this.network = new Horizon(parts.client);
  }

  /** A wallet that is no account yet has nothing, and no sequence. */
  async purse(wallet: string, asset: string): Promise<Purse> {
    const account = await this.network.account(wallet);
    return account === undefined ? { tokenMinor: 0n, feeMinor: 0n, sequence: 0n } : purseOf(account, asset);
  }

  /** Why `to` could not have it; null where it could. */
  async refusal(to: string, asset: string, amountMinor: bigint): Promise<string | null> {
    const { account, id } = readAddress(to);
    return refusalOf(await this.network.account(account), asset, amountMinor, id !== undefined) ?? null;
  }

  fee(): Promise<bigint> {
    return this.network.usualFee();
  }

  /** Of a transaction that it knows in no ledger. */
  async whereabouts(hash: string, from: string, place: bigint, endsAtMs: number): Promise<Whereabouts> {
    // The time first: what the account says is no older then.
    const { closedAtMs } = await this.network.newest();
    const isOver = closedAtMs > endsAtMs + OVER_AFTER_MS;
    const account = await this.network.account(from);
    // One that is merged, and perhaps made anew, has forgotten what it did.
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
