import { Inject, Injectable } from '@nestjs/common';
import { type Envelope, type EventType, encodeDeposit } from '@vuka/contracts';
import {
  centsReceived,
  isFinalForGood,
  tokenIdentity,
  type Chain,
  type Credit,
  type ArrivedDeposit,
} from '@vuka/domain';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database, type Transaction } from '@vuka/persistence';
import { type Clock, crashPoint, type WakeSignal } from '@vuka/runtime';

import { CLOCK, OUTBOX_SIGNAL, SETTINGS } from '@vuka/service-host';

import type { ServedChain } from '../chains/index.js';
import { releaseQuote } from '../quotes/index.js';
import { ClaimStore, type ClaimToCheck } from './claim.store.js';
import { type ArrivedTransfer, DepositStore } from './deposit.store.js';
import type { ExposureSettings } from './exposure.js';
import { nextCheckAfterMs } from './check-pace.js';
import type { Check } from './check-deposit.js';
import { RecheckStore } from './recheck.store.js';

type ValueCheck = Extract<Check, { kind: 'value' }>;

/** `lapsed`: another check has begun; this result is dropped. */
export type Recorded =
  | { readonly kind: 'again' | 'seen' | 'lapsed' }
  | { readonly kind: 'verified' | 'unapplied' | 'arrived' }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Another claim on the transfer has just committed. Roll back; the retry finds it. */
export class DepositTaken extends Error {
  public override readonly name = 'DepositTaken';
}

/** The exposure limit is reached. Roll back; the claim waits. */
export class Exposed extends Error {
  public override readonly name = 'Exposed';
}

const MOST_EVIDENCE = 100;

/** Commits claim, deposits and verdict in one transaction, under the check's fence. */
@Injectable()
export class RecordCheck {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: ExposureSettings,
  ) {}

  public async run(claim: ClaimToCheck, check: Check, served: ServedChain): Promise<Recorded> {
    try {
      return await this.record(claim, check, served);
    } catch (error) {
      if (!(error instanceof Exposed)) throw error;
      return this.record(claim, { kind: 'wait', seen: true, exposed: true, rate: check.rate }, served);
    }
  }

  private async record(claim: ClaimToCheck, check: Check, { chain }: ServedChain): Promise<Recorded> {
    const isFirstSight = check.kind === 'wait' && check.seen && claim.seenAt === null;
    const since = isFirstSight ? this.clock.now() : (claim.seenAt ?? claim.acceptedAt);
    const now = this.clock.now().getTime();
    const nextCheckAt = new Date(
      now + nextCheckAfterMs(chain.blockMs, now - since.getTime(), now >= claim.deadline.getTime()),
    );
    if (check.kind === 'trouble' || (check.kind === 'wait' && !isFirstSight)) {
      const trouble = check.kind === 'trouble' ? check.trouble.slice(0, 200) : null;
      await new ClaimStore(this.db).checkAgain(
        claim,
        { nextCheckAt, rate: check.rate, trouble, exposed: check.kind === 'wait' && check.exposed },
        this.clock.now(),
      );
      return { kind: 'again' };
    }
    return commitVerdict(this.db, this.outboxSignal, (tx) => this.write(tx, claim, check, chain, nextCheckAt));
  }

  private async write(
    tx: Transaction,
    claim: ClaimToCheck,
    check: Exclude<Check, { kind: 'trouble' }>,
    chain: Chain,
    nextCheckAt: Date,
  ): Promise<Recorded> {
    // Lock before any write, so that outbox order is commit order.
    const last = await ClaimStore.lock(tx, claim.transactionId, claim.fence);
    if (last === undefined) return { kind: 'lapsed' };
    const sequence = last + 1;
    if (check.kind === 'wait') {
      await this.tell(tx, claim, sequence, 'deposit.seen', named(claim));
      await ClaimStore.seen(tx, claim.transactionId, sequence, this.clock.now(), {
        nextCheckAt,
        rate: check.rate,
        trouble: null,
        exposed: check.exposed,
      });
      return { kind: 'seen' };
    }
    if (check.kind === 'unusable')
      return this.refuse(tx, claim, check.rate, {
        sequence,
        reason: check.judgement.reason,
        releases: check.judgement.releasesClaim,
      });
    const taken = await DepositStore.isTaken(tx, {
      ...claim,
      transactionHash: canonicalHash(claim, check),
      claimId: claim.transactionId,
      address: check.address,
    });
    if (taken)
      return this.refuse(tx, claim, check.rate, { sequence, reason: 'hash_already_processed', releases: false });
    return this.keep(tx, claim, check, chain, sequence);
  }

  private async refuse(
    tx: Transaction,
    claim: ClaimToCheck,
    rate: string | null,
    { sequence, reason, releases }: Refusal,
  ): Promise<Recorded> {
    if (releases) await releaseQuote(tx, claim.transactionId);
    await this.tell(tx, claim, sequence, 'deposit.unusable', { ...named(claim), reason, releases_claim: releases });
    await ClaimStore.end(tx, claim.transactionId, { state: 'unusable', reason, rate, sequence, now: this.clock.now() });
    return { kind: 'unusable', reason };
  }

  private async keep(
    tx: Transaction,
    claim: ClaimToCheck,
    check: ValueCheck,
    chain: Chain,
    sequence: number,
  ): Promise<Recorded> {
    const { judgement, screeningHit, sighting } = check;
    const staysForGood = isFinalForGood(chain.finality, sighting.heights, sighting.block.number);
    if (judgement.kind === 'verified' && !staysForGood)
      await expose(tx, claim.partnerId, judgement.credits, this.settings.chains.exposureLimitCents);
    const transfer = transferOf(
      claim,
      { ...check, rate: judgement.rate },
      chain.finality.version,
      staysForGood ? this.clock.now() : null,
    );
    // Only the first credit pays; other tokens and what exceeds the quote are unapplied.
    const deposits = judgement.credits.map((credit, place) => ({
      received: credit.received,
      decimals: credit.token.decimals,
      token: tokenIdentity(chain, credit.token),
      isBeyondQuote: credit.isBeyondQuote,
      state: judgement.kind === 'verified' && place === 0 ? ('consumed' as const) : ('unapplied' as const),
    }));
    const ids = await DepositStore.insert(tx, transfer, deposits, this.clock.now());
    if (ids === null) throw new DepositTaken('another claim has this transfer');
    const [deposit, ...also] = judgement.credits.map((credit, place) =>
      encodeDeposit(arrivedOf(transfer, credit, ids[place])),
    );
    if (deposit === undefined) throw new Error('value without a credit');
    const told = { ...named(claim), deposit, also, rate: judgement.rate };
    if (judgement.kind === 'verified') {
      const quoteNotApplied = judgement.quoteNotApplied ?? claim.quoteNotApplied;
      await this.tell(tx, claim, sequence, 'deposit.verified', {
        ...told,
        quote_passed_over: quoteNotApplied,
        screening_hit: screeningHit,
      });
    } else {
      await this.tell(tx, claim, sequence, 'deposit.unapplied', { ...told, reason: judgement.reason });
    }
    const reason = judgement.kind === 'unapplied' ? judgement.reason : null;
    await ClaimStore.end(tx, claim.transactionId, {
      state: judgement.kind,
      reason,
      rate: check.rate,
      sequence,
      now: this.clock.now(),
    });
    return { kind: judgement.kind };
  }

  private async tell<T extends EventType>(
    tx: Transaction,
    claim: ClaimToCheck,
    sequence: number,
    type: T,
    data: Envelope<T>['data'],
  ): Promise<void> {
    const { transactionId, correlationId, causationId } = claim;
    const event = newEnvelope({
      type,
      key: String(transactionId),
      sequence,
      occurredAt: this.clock.now(),
      correlationId,
      causationId,
      producer: 'offramp',
      data,
    });
    await appendToOutbox(tx, [event]);
  }
}

export async function commitVerdict(
  db: Pick<Database, 'inTransaction'>,
  outboxSignal: WakeSignal,
  work: (tx: Transaction) => Promise<Recorded>,
): Promise<Recorded> {
  crashPoint('offramp.before-verdict');
  const recorded = await db.inTransaction(work, { retries: 2 }).catch((error: unknown) => {
    if (!(error instanceof DepositTaken)) throw error;
    return db.inTransaction(work, { retries: 2 });
  });
  crashPoint('offramp.after-verdict');
  if (recorded.kind !== 'lapsed') outboxSignal.notify();
  return recorded;
}

/** Reads again under a lock, so that the second of two deposits sees the first. Throws Exposed. */
export async function expose(
  tx: Transaction,
  partnerId: number,
  credits: readonly Credit[],
  limitCents: bigint,
): Promise<void> {
  await RecheckStore.lockExposure(tx, partnerId);
  const openCents = await RecheckStore.openCents(tx, partnerId);
  if (openCents + centsReceived(credits) > limitCents) throw new Exposed('the partner has as much open as it may have');
}

interface Refusal {
  readonly sequence: number;
  readonly reason: Envelope<'deposit.unusable'>['data']['reason'];
  readonly releases: boolean;
}

const named = (claim: ClaimToCheck): { claim_id: number; partner_id: number } => ({
  claim_id: claim.transactionId,
  partner_id: claim.partnerId,
});

/** A transfer can have several ids, but must be one deposit. */
export const canonicalHash = ({ transactionHash }: ClaimToCheck, { sighting }: Pick<ValueCheck, 'sighting'>): string =>
  sighting.transactionId ?? transactionHash;

export function transferOf(
  claim: ClaimToCheck,
  check: Pick<ValueCheck, 'sighting' | 'address' | 'screeningHit'> & { readonly rate: string },
  ruleVersion: number,
  finalizedAt: Date | null,
): ArrivedTransfer {
  const { sighting, address, screeningHit, rate } = check;
  const { block, heights, transfers } = sighting;
  return {
    claimId: claim.transactionId,
    partnerId: claim.partnerId,
    chain: claim.chain,
    transactionHash: canonicalHash(claim, check),
    address,
    screeningHit,
    rate,
    block: { number: block.number, hash: block.hash, time: new Date(block.timeMs) },
    ruleVersion,
    finalizedAt,
    evidence: {
      heights,
      transfers: transfers.slice(0, MOST_EVIDENCE).map(({ value, ...rest }) => ({ ...rest, value: value.toString() })),
    },
  };
}

export function arrivedOf(
  { chain, transactionHash, block }: ArrivedTransfer,
  { token, received }: Credit,
  depositId: number | undefined,
): ArrivedDeposit {
  if (depositId === undefined) throw new Error('a deposit without an id');
  const { decimals } = token;
  return { depositId, chain, received, decimals, transactionHash, blockNumber: block.number, blockTime: block.time };
}
