import { Inject, Injectable } from '@nestjs/common';
import type { OutgoingTransfers, TransferFate } from '@vuka/chains';
import type { Chain } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';

import { LOGGER } from '@vuka/service-host';

import { keyOf, type RefundWallet } from '../addresses/index.js';
import {
  type FateKnown,
  type LiveVersion,
  type Recorded,
  RecordRefund,
  type RefundInHand,
  whyTooDear,
} from '../refunds/index.js';
import { OutgoingChains, shortOf } from './outgoing-chains.js';
import { endingOf } from './proven-when.js';
import { Hindrances } from './refund-guards.js';
import { SignTransfer } from './sign-transfer.js';
import { FORGOTTEN_AFTER_MS, TurnWaits } from './turn-waits.js';

interface UnderWay {
  readonly chain: Chain;
  readonly sends: OutgoingTransfers;
  readonly newest: LiveVersion;
  readonly wallet: RefundWallet | undefined;
  readonly known: FateKnown | null;
}

/** After this long in the pool, or refused, the fee was too low. */
export const REPLACE_AFTER_MS = 10 * 60_000;
const MOST_REPLACEMENTS = 10;

/** Sends again, replaces when the fee was too low, or declares dead. */
@Injectable()
export class FollowTransfer {
  public constructor(
    @Inject(OutgoingChains) private readonly outgoing: Pick<OutgoingChains, 'of' | 'orderFor'>,
    private readonly sign: SignTransfer,
    private readonly record: RecordRefund,
    private readonly hindrances: Hindrances,
    private readonly waits: TurnWaits,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(refund: RefundInHand, chain: Chain, wallet: RefundWallet | undefined): Promise<Recorded | 'again'> {
    const { record, outgoing } = this;
    const sends = await outgoing.of(chain.name);
    const signed = refund.versions.filter(({ state }) => state === 'signed');
    const fates = await Promise.all(
      signed.map(async (version) => ({
        version,
        fate: await sends.fate(version.unsigned, version.transactionId, this.waits.until()),
      })),
    );
    const of = (kind: TransferFate['kind']): LiveVersion[] =>
      fates.flatMap(({ version, fate }) => (fate.kind === kind ? [version] : []));
    const [final] = of('final');
    if (final !== undefined) return record.confirmed(refund, final);
    const [failed] = of('failed');
    if (failed !== undefined) return record.transferFailed(refund, failed);
    const trouble = fates.find(({ fate }) => fate.kind === 'trouble')?.fate;
    if (trouble?.kind === 'trouble') return this.waits.untold(refund, chain, trouble.reason);
    const unclear = fates.find(({ fate }) => fate.kind === 'unclear')?.fate;
    if (unclear?.kind === 'unclear' && !this.waits.isDeadAgreed(refund))
      return this.waits.unsure(refund, chain, unclear.reason);
    const dead = [...of('dead'), ...of('unclear')];
    if (dead.length > 0) return this.bury(refund, chain, dead);
    const newest = signed.at(-1);
    if (newest === undefined) throw new Error(`refund ${String(refund.refundId)} is signed and has no signed transfer`);
    const isKnown = of('included').length > 0 || of('waiting').includes(newest);
    const known = isKnown ? 'seen' : this.waits.silentMs(refund) > FORGOTTEN_AFTER_MS ? null : 'followed';
    const underWay = { chain, sends, newest, wallet, known } as const;
    if (!isKnown) return this.give(refund, underWay);
    if (refund.state === 'signed')
      return record.broadcast(refund, idOf(newest), this.waits.nextTurn(refund, chain).nextDueAt, known);
    return of('included').length > 0 ? this.followed(refund, underWay, null) : this.replace(refund, underWay, null);
  }

  /** Not believed after a long gap, or if an exported version may have been included: then people decide. */
  private async bury(refund: RefundInHand, chain: Chain, dead: readonly LiveVersion[]): Promise<Recorded | 'again'> {
    const { record, log } = this;
    const isAgreed = this.waits.isDeadAgreed(refund);
    const silentMs = this.waits.silentMs(refund);
    if (!isAgreed && silentMs > FORGOTTEN_AFTER_MS)
      return this.waits.unsure(
        refund,
        chain,
        `its chain says that it never arrived, but nobody followed it for ${String(Math.floor(silentMs / 60_000))} minutes`,
      );
    const taken = chain.family === 'evm' ? (dead[0]?.place ?? null) : null;
    const buried = await record.dead(refund, dead, { taken, isAgreed });
    if (buried === 'unsure')
      return this.waits.unsure(
        refund,
        chain,
        'its nonce is used, perhaps by an exported version of it that was never imported',
      );
    if (buried !== 'place_taken') return buried;
    log.error(
      { code: 'refund_place_taken', refund_id: refund.refundId, chain: chain.name, place: String(taken) },
      'a transfer left the refund wallet that is not a refund of Vuka',
    );
    return 'done';
  }

  /** Always the same bytes. If pools go on refusing them, the fee was too low. */
  private async give(refund: RefundInHand, underWay: UnderWay): Promise<Recorded | 'again'> {
    const { chain, sends, newest, known } = underWay;
    // Signed after it was given up: we follow it, but do not send it.
    const off = refund.endsAs === null ? await this.hindrances.whyOff(refund) : endingOf(refund);
    if (off !== null) return this.followed(refund, underWay, off);
    const given = await this.sign.give(sends, refund, newest, this.waits.until());
    if (given.kind === 'refused') return this.replace(refund, underWay, given.reason);
    if (given.kind !== 'given') return this.followed(refund, underWay, given.reason);
    if (refund.state === 'broadcast') return this.followed(refund, underWay, null);
    return this.record.broadcast(refund, idOf(newest), this.waits.nextTurn(refund, chain).nextDueAt, known);
  }

  /** Same place, higher fee; any one version may be included. `trouble`: recorded if not replaced yet. */
  private async replace(refund: RefundInHand, underWay: UnderWay, trouble: string | null): Promise<Recorded | 'again'> {
    const { chain, sends, newest, wallet, known } = underWay;
    const { record, sign, hindrances, waits } = this;
    if (refund.endsAs !== null || (await hindrances.whyOff(refund)) !== null)
      return this.followed(refund, underWay, trouble);
    const waiting = refund.versions.find(({ state }) => state === 'prepared');
    const secret = waiting === undefined ? null : keyOf(wallet, waiting);
    if (waiting !== undefined && secret !== null) {
      const signed = await sign.withKey(refund, waiting, secret);
      return signed === 'done' ? signed : this.followed(refund, underWay, trouble);
    }
    const live = refund.versions.filter(({ state }) => state === 'signed').length;
    const waitedMs = waits.now().getTime() - (newest.signedAt ?? waits.now()).getTime();
    if (chain.family !== 'evm' || waiting !== undefined || waitedMs < REPLACE_AFTER_MS || live > MOST_REPLACEMENTS)
      return this.followed(refund, underWay, trouble);
    const order = {
      ...(await this.outgoing.orderFor(refund, chain, { from: newest.wallet, to: newest.unsigned.to })),
      replaces: newest.unsigned,
    };
    const prepared = await sends.prepare(order, newest.place, this.waits.until());
    if (prepared.kind !== 'ready')
      return this.followed(refund, underWay, prepared.kind === 'short' ? shortOf(prepared.of) : prepared.reason);
    const tooDear = whyTooDear(chain, refund, prepared.cost);
    if (tooDear !== null) return this.followed(refund, underWay, tooDear, prepared.cost.totalMinor);
    return record.prepared(
      refund,
      { refundId: refund.refundId, wallet: newest.wallet, place: newest.place, unsigned: prepared.transfer },
      { known },
    );
  }

  private async followed(
    refund: RefundInHand,
    { chain, known }: Pick<UnderWay, 'chain' | 'known'>,
    trouble: string | null,
    costMinor?: bigint,
  ): Promise<'again'> {
    const isUnsure = refund.unsureSince !== null && known !== 'seen';
    if (isUnsure) return this.waits.unsure(refund, chain, trouble ?? 'its chain does not have it', known);
    await this.record.again(refund, {
      ...this.waits.nextTurn(refund, chain),
      trouble,
      known,
      ...(costMinor !== undefined && { costMinor }),
    });
    return 'again';
  }
}

function idOf({ transactionId }: LiveVersion): string {
  if (transactionId === null) throw new Error('a version that is not signed is on no chain');
  return transactionId;
}
