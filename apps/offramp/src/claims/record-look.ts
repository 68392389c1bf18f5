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
import { ClaimStore, type ClaimToLookAt } from './claim.store.js';
import { type ArrivedTransfer, DepositStore } from './deposit.store.js';
import type { ExposureSettings } from './exposure.js';
import { nextLookAfterMs } from './look-pace.js';
import type { Look } from './check-deposit.js';
import { RecheckStore } from './recheck.store.js';

type ValueLook = Extract<Look, { kind: 'value' }>;

/** What became of recording: `lapsed` = another process looked since, and this look is dropped. */
export type Recorded =
  | { readonly kind: 'again' | 'seen' | 'lapsed' }
  | { readonly kind: 'verified' | 'unapplied' | 'arrived' }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Another claim on the same transfer is committed at the same moment: what was written is undone, and the next try finds it. */
export class DepositTaken extends Error {
  public override readonly name = 'DepositTaken';
}

/** So much of the partner's may vanish by now that this would be too much: what was written is undone, and it waits. */
export class Exposed extends Error {
  public override readonly name = 'Exposed';
}

/** Transfers that are kept as evidence: a transaction may hold thousands. */
const MOST_EVIDENCE = 100;

/** Commits what a look came to: claim, deposits and verdict together, under the fence the look was begun with. */
@Injectable()
export class RecordLook {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: ExposureSettings,
  ) {}

  public async run(claim: ClaimToLookAt, look: Look, served: ServedChain): Promise<Recorded> {
    try {
      return await this.record(claim, look, served);
    } catch (error) {
      if (!(error instanceof Exposed)) throw error;
      return this.record(claim, { kind: 'wait', seen: true, exposed: true, rate: look.rate }, served);
    }
  }

  private async record(claim: ClaimToLookAt, look: Look, { chain }: ServedChain): Promise<Recorded> {
    const isFirstSight = look.kind === 'wait' && look.seen && claim.seenAt === null;
    const since = isFirstSight ? this.clock.now() : (claim.seenAt ?? claim.acceptedAt);
    const now = this.clock.now().getTime();
    const nextLookAt = new Date(
      now + nextLookAfterMs(chain.blockMs, now - since.getTime(), now >= claim.deadline.getTime()),
    );
    if (look.kind === 'trouble' || (look.kind === 'wait' && !isFirstSight)) {
      const trouble = look.kind === 'trouble' ? look.trouble.slice(0, 200) : null;
      await new ClaimStore(this.db).lookAgain(
        claim,
        { nextLookAt, rate: look.rate, trouble, exposed: look.kind === 'wait' && look.exposed },
        this.clock.now(),
      );
      return { kind: 'again' };
    }
    return commitVerdict(this.db, this.outboxSignal, (tx) => this.write(tx, claim, look, chain, nextLookAt));
  }

  private async write(
    tx: Transaction,
    claim: ClaimToLookAt,
    look: Exclude<Look, { kind: 'trouble' }>,
    chain: Chain,
    nextLookAt: Date,
  ): Promise<Recorded> {
    // Before anything is written: whoever tells of a claim later has the later place in the outbox.
    const last = await ClaimStore.lock(tx, claim.transactionId, claim.fence);
    if (last === undefined) return { kind: 'lapsed' };
    const sequence = last + 1;
    if (look.kind === 'wait') {
      await this.tell(tx, claim, sequence, 'deposit.seen', named(claim));
      await ClaimStore.seen(tx, claim.transactionId, sequence, this.clock.now(), {
        nextLookAt,
        rate: look.rate,
        trouble: null,
        exposed: look.exposed,
      });
      return { kind: 'seen' };
    }
    if (look.kind === 'unusable')
      return this.refuse(tx, claim, look.rate, {
        sequence,
        reason: look.judgement.reason,
        releases: look.judgement.releasesClaim,
      });
    const taken = await DepositStore.isTaken(tx, {
      ...claim,
      transactionHash: canonicalHash(claim, look),
      claimId: claim.transactionId,
      address: look.address,
    });
    if (taken)
      return this.refuse(tx, claim, look.rate, { sequence, reason: 'hash_already_processed', releases: false });
    return this.keep(tx, claim, look, chain, sequence);
  }

  private async refuse(
    tx: Transaction,
    claim: ClaimToLookAt,
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
    claim: ClaimToLookAt,
    look: ValueLook,
    chain: Chain,
    sequence: number,
  ): Promise<Recorded> {
    const { judgement, screeningHit, sighting } = look;
    const staysForGood = isFinalForGood(chain.finality, sighting.heights, sighting.block.number);
    if (judgement.kind === 'verified' && !staysForGood)
      await expose(tx, claim.partnerId, judgement.credits, this.settings.chains.exposureLimitCents);
    const transfer = transferOf(
      claim,
      { ...look, rate: judgement.rate },
      chain.finality.version,
      staysForGood ? this.clock.now() : null,
    );
    // What does not pay waits: all of it, or what came beside the token that pays, or beyond what its quote prices.
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
      const passedOver = judgement.quotePassedOver ?? claim.quotePassedOver;
      await this.tell(tx, claim, sequence, 'deposit.verified', {
        ...told,
        quote_passed_over: passedOver,
        screening_hit: screeningHit,
      });
    } else {
      await this.tell(tx, claim, sequence, 'deposit.unapplied', { ...told, reason: judgement.reason });
    }
    const reason = judgement.kind === 'unapplied' ? judgement.reason : null;
    await ClaimStore.end(tx, claim.transactionId, {
      state: judgement.kind,
      reason,
      rate: look.rate,
      sequence,
      now: this.clock.now(),
    });
    return { kind: judgement.kind };
  }

  private async tell<T extends EventType>(
    tx: Transaction,
    claim: ClaimToLookAt,
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

/** Commits what a look came to, and wakes who carries on what was told. */
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

/** What is open is read again under a lock, so that of two deposits at once the second sees the first. Throws Exposed. */
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

const named = (claim: ClaimToLookAt): { claim_id: number; partner_id: number } => ({
  claim_id: claim.transactionId,
  partner_id: claim.partnerId,
});

/** The name by which a transfer is one deposit, whichever of its names it was claimed by. */
export const canonicalHash = ({ transactionHash }: ClaimToLookAt, { sighting }: Pick<ValueLook, 'sighting'>): string =>
  sighting.transactionId ?? transactionHash;

/** `rate`: the one that it is taken at. */
export function transferOf(
  claim: ClaimToLookAt,
  look: Pick<ValueLook, 'sighting' | 'address' | 'screeningHit'> & { readonly rate: string },
  ruleVersion: number,
  finalizedAt: Date | null,
): ArrivedTransfer {
  const { sighting, address, screeningHit, rate } = look;
  const { block, heights, transfers } = sighting;
  return {
    claimId: claim.transactionId,
    partnerId: claim.partnerId,
    chain: claim.chain,
    transactionHash: canonicalHash(claim, look),
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
