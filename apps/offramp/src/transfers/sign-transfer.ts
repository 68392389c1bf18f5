import { Inject, Injectable } from '@nestjs/common';
import type { Broadcast, OutgoingTransfers, TransferSigner } from '@vuka/chains';
import { chainNamed, fail, ok, type ChainFamily, type Result } from '@vuka/domain';
import { crashPoint } from '@vuka/runtime';

import {
  type LiveVersion,
  type PeoplesWord,
  type Recorded,
  RecordRefund,
  type RefundInHand,
  type RefundNamed,
} from '../refunds/index.js';

type VersionToSign = Pick<LiveVersion, 'version' | 'wallet' | 'place' | 'unsigned'>;

export type SignerOf = (family: ChainFamily) => Promise<TransferSigner>;

/** SignerOf. */
export const SIGNER_OF = Symbol('SIGNER_OF');

@Injectable()
export class SignTransfer {
  public constructor(
    @Inject(RecordRefund) private readonly record: Pick<RecordRefund, 'signed'>,
    @Inject(SIGNER_OF) private readonly signerOf: SignerOf,
  ) {}

  /** Only in a sandbox. `next`: the wallet's next place, if known. */
  public async withKey(
    refund: RefundNamed,
    version: VersionToSign,
    secret: string,
    next: bigint | null = null,
  ): Promise<Recorded> {
    const signed = (await this.signer(version)).sign(version.unsigned, secret);
    if (!signed.ok) throw new Error(`refund ${String(refund.refundId)} cannot be signed: ${signed.error}`);
    return this.record.signed(refund, { ...version, chain: version.unsigned.chain }, signed.value, { next });
  }

  /** The error says what is wrong with the bytes. */
  public async withBytes(
    refund: RefundNamed,
    version: VersionToSign,
    raw: string,
    broughtIn: PeoplesWord,
  ): Promise<Result<Recorded, string>> {
    const verified = (await this.signer(version)).verify(version.unsigned, raw);
    if (!verified.ok) return fail(verified.error);
    return ok(
      await this.record.signed(refund, { ...version, chain: version.unsigned.chain }, verified.value, { broughtIn }),
    );
  }

  /** Only bytes that are committed as signed. */
  public async give(
    sends: OutgoingTransfers,
    { refundId }: Pick<RefundInHand, 'refundId'>,
    { raw, transactionId }: LiveVersion,
    until: number,
  ): Promise<Broadcast> {
    if (raw === null || transactionId === null)
      throw new Error(`refund ${String(refundId)} has nothing that is signed`);
    const given = await sends.broadcast({ reference: `refund-${String(refundId)}`, raw, transactionId }, until);
    crashPoint('offramp.after-broadcast');
    return given;
  }

  private signer({ unsigned }: VersionToSign): Promise<TransferSigner> {
    const chain = chainNamed(unsigned.chain);
    if (chain === undefined) throw new Error(`${unsigned.chain} is no chain`);
    return this.signerOf(chain.family);
  }
}
