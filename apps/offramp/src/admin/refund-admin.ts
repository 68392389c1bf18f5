import { Inject, Injectable } from '@nestjs/common';
import { type UnsignedTransfer } from '@vuka/chains';
import { chainNamed, fail, ok, readTransactionId, type Result } from '@vuka/domain';
import { type Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';
import { z } from 'zod';

import { type PeoplesWord, RecordRefund, RefundStore, type RefundView, TransferStore } from '../refunds/index.js';
import { Switches } from '../switches/index.js';
import { provenWhen, SignTransfer } from '../transfers/index.js';

export interface TransfersToSign {
  readonly kind: 'vuka-refunds-to-sign';
  readonly made_at: string;
  readonly transfers: readonly {
    readonly refund_id: number;
    readonly version: number;
    readonly transfer: UnsignedTransfer;
  }[];
}

/** Unknown keys are ignored. */
const signedFile = z.object({
  kind: z.literal('vuka-refunds-signed'),
  transfers: z
    .array(z.object({ refund_id: z.int().positive(), version: z.int().positive(), raw: z.string().min(1).max(20_000) }))
    .max(1_000),
});

export interface ImportedTransfer {
  readonly refund_id: number;
  readonly version: number;
  readonly taken: boolean;
  /** '' if taken. */
  readonly why: string;
}

const MOST_AT_ONCE = 500;
const WHY = {
  lapsed: 'the refund has ended',
  ungranted: 'payments has not granted it yet, so it must not be signed',
  reverted: 'its deposit vanished from the chain, so nothing is sent',
  ending:
    'it is cancelled, or its deposit vanished, so nothing is sent. If somebody sent it by hand, record that with refund-settle when it is on the chain',
  screened: 'screening marked its sender or its recipient, so nothing is sent until a person clears it (refund-clear)',
  withheld:
    'another deposit of its partner vanished, so the partner may owe money: nothing is sent until a person clears it (refund-clear)',
  suspended: 'its partner is suspended, so nothing is sent until the partner is resumed',
  may_vanish: 'its deposit may still vanish, so nothing is sent yet',
  rent_spent: 'its transfer costs too much, so nothing is sent until a person clears it (refund-clear)',
  behind_unsigned:
    'a transfer with a lower nonce or sequence number is not signed: sign and import that one first, or both together',
  void: 'it no longer waits for this signature: it was signed already, or prepared again',
} as const;

@Injectable()
export class RefundAdmin {
  public constructor(
    private readonly refunds: RefundStore,
    private readonly transfers: TransferStore,
    private readonly record: RecordRefund,
    private readonly sign: SignTransfer,
    private readonly switches: Switches,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  public open(limit: number): Promise<RefundView[]> {
    return this.refunds.open(limit);
  }

  /** Recorded before it is shown: from then on somebody may have signed it. */
  public async toSign(): Promise<TransfersToSign> {
    const now = this.clock.now();
    const waiting = await this.transfers.toSign(MOST_AT_ONCE);
    const isOn = await Promise.all(
      waiting.map(async ({ unsigned: { chain, symbol } }) => !(await this.switches.isOff(chain, symbol))),
    );
    const transfers = await this.transfers.noteExported(
      waiting.filter((_one, index) => isOn[index]),
      now,
    );
    return {
      kind: 'vuka-refunds-to-sign',
      made_at: now.toISOString(),
      transfers: transfers.map(({ refundId, version, unsigned }) => ({
        refund_id: refundId,
        version,
        transfer: unsigned,
      })),
    };
  }

  /** In the order of places. An error in one does not stop the others. Error: no file of ours. */
  public async take(file: unknown, word: PeoplesWord): Promise<Result<ImportedTransfer[], string>> {
    const parsed = signedFile.safeParse(file);
    if (!parsed.success) return fail('it is not a file of signed refunds (npm run keys -- sign makes one)');
    const known = await Promise.all(
      parsed.data.transfers.map(async (one) => ({
        ...one,
        unsigned: await this.transfers.prepared(one.refund_id, one.version),
      })),
    );
    const inOrder = known.sort((one, other) =>
      Number(BigInt(one.unsigned?.place ?? 0) - BigInt(other.unsigned?.place ?? 0)),
    );
    const imported: ImportedTransfer[] = [];
    for (const { refund_id, version, raw, unsigned } of inOrder) {
      const why =
        unsigned === undefined ? WHY.void : await this.takeOne({ refundId: refund_id, version, unsigned, raw }, word);
      imported.push({ refund_id, version, taken: why === '', why });
    }
    return ok(imported);
  }

  /**
   * People report the fate of an unsure refund. `sent`: hash of the included transfer; null: none was, and it is
   * prepared again if the chain agrees. `isHeld` false: nothing here proves that the transfer is the refund's.
   */
  public async settle(
    refundId: number,
    sent: string | null,
    word: PeoplesWord,
  ): Promise<Result<{ readonly isHeld: boolean }, string>> {
    const refund = await this.refunds.named(refundId);
    if (refund === undefined) return fail('there is no such refund');
    const family = chainNamed(refund.chain)?.family;
    const hash = sent === null || family === undefined ? null : readTransactionId(family, sent);
    if (sent !== null && hash === null) return fail('the hash is not a transaction hash of its chain');
    const recorded =
      hash === null ? await this.record.agreedDead(refund, word) : await this.record.agreedSent(refund, hash, word);
    if (recorded === 'done' || recorded === 'unheld') return ok({ isHeld: recorded === 'done' });
    if (recorded === 'unknown_transfer') return fail('none of its transfers has this hash');
    if (recorded === 'of_another') return fail('that is the transfer of another refund');
    return fail(
      recorded === 'lapsed' ? 'it has ended' : 'Vuka still follows it on its chain, so no person has to decide',
    );
  }

  /** People allow a refund that is held; a suspension stays. */
  public async clear(refundId: number, word: PeoplesWord): Promise<Result<void, string>> {
    const refund = await this.refunds.named(refundId);
    if (refund === undefined) return fail('there is no such refund');
    const recorded = await this.record.cleared(refund, word);
    if (recorded === 'done') return ok(undefined);
    return fail(recorded === 'lapsed' ? 'it has ended' : 'it does not wait for a person');
  }

  /** Only before it is signed. `ends`: what it waits for; null: it has ended. */
  public async cancel(refundId: number, word: PeoplesWord): Promise<Result<{ readonly ends: string | null }, string>> {
    const refund = await this.refunds.named(refundId);
    if (refund === undefined) return fail('there is no such refund');
    const recorded = await this.record.givenUp(refund, word);
    if (recorded === 'done') return ok({ ends: null });
    if (recorded === 'ending') return ok({ ends: await this.endsWhen(refundId) });
    return fail(recorded === 'lapsed' ? 'it has ended' : 'it is signed, so it may be on its way');
  }

  private async endsWhen(refundId: number): Promise<string> {
    const shown = await this.transfers.waiting(refundId);
    return shown === undefined ? 'when its chain has proven that it cannot arrive' : provenWhen(shown);
  }

  private async takeOne(
    {
      refundId,
      version,
      unsigned,
      raw,
    }: { refundId: number; version: number; unsigned: UnsignedTransfer; raw: string },
    word: PeoplesWord,
  ): Promise<string> {
    const refund = await this.refunds.named(refundId);
    if (refund === undefined || chainNamed(unsigned.chain) === undefined) return WHY.lapsed;
    const off = await this.switches.whyOff(unsigned.chain, unsigned.symbol);
    if (off !== null) return off;
    const place = unsigned.place === null ? null : BigInt(unsigned.place);
    const taken = await this.sign.withBytes(refund, { version, wallet: unsigned.from, place, unsigned }, raw, word);
    if (!taken.ok) return taken.error;
    if (taken.value !== 'behind_unsigned' || place === null) return taken.value === 'done' ? '' : WHY[taken.value];
    const below = await this.transfers.unsignedBelow(refundId, {
      chain: unsigned.chain,
      wallet: unsigned.from,
      place,
    });
    return below === null
      ? WHY.behind_unsigned
      : `${WHY.behind_unsigned}: refund ${String(below.refundId)}. Or cancel that refund (refund-cancel)`;
  }
}
