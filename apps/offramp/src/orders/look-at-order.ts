import { centsDue, judgeArrival, type Credits, type Sighting, type UnusableReason } from '@vuka/domain';
import { answerWithin, type Clock } from '@vuka/runtime';

import type { DepositAddresses, OwnAddresses } from '../addresses/index.js';
import {
  type OrderClaim,
  OVERRUN_MS,
  READ_MS,
  type ReadsExposure,
  sendersOf,
  type ServedChain,
} from '../claims/index.js';
import type { Screening } from '../screening/index.js';

type Found = Extract<Sighting, { kind: 'found' }>;

/** What is in a block, by token, as it is told of the order. */
export interface Seen {
  readonly credits: Credits;
  readonly blockTime: Date;
  readonly transactionId: string;
}

/** What one look at what came to an order's address came to; nothing of it is recorded yet. */
export type OrderLook =
  | { readonly kind: 'trouble'; readonly trouble: string }
  | { readonly kind: 'wait'; readonly seen: Seen | null; readonly exposed: boolean }
  | { readonly kind: 'unusable'; readonly reason: UnusableReason }
  | {
      readonly kind: 'arrived';
      readonly credits: Credits;
      readonly sighting: Found;
      readonly address: string;
      readonly screeningHit: boolean;
    };

export interface OrderLookParts {
  readonly addresses: Pick<DepositAddresses, 'ofOrder'>;
  readonly own: Pick<OwnAddresses, 'among'>;
  readonly screening: Screening;
  readonly exposure: ReadsExposure;
  readonly clock: Clock;
  readonly readMs?: number;
}

/** Asks the chain about one transfer to an order's address and judges what it says, outside any transaction. No rate counts: the order's is checkout's to use. */
export async function lookAtOrder(
  claim: OrderClaim,
  { chain, reader }: ServedChain,
  parts: OrderLookParts,
): Promise<OrderLook> {
  const { addresses, own, screening, clock, readMs = READ_MS } = parts;
  const given = await addresses.ofOrder(claim.orderNumber, chain.family);
  if (!given.ok) return { kind: 'trouble', trouble: "the order's address is not the one it must be" };
  const { address } = given.value;
  const late: Sighting = { kind: 'trouble', reason: 'no answer in time' };
  const sighting = await answerWithin(
    readMs + OVERRUN_MS,
    reader.read(claim.transactionHash, address, clock.now().getTime() + readMs),
    late,
  );
  if (sighting.kind === 'trouble') return { kind: 'trouble', trouble: sighting.reason };
  const ownAddresses = sighting.kind === 'found' ? await own.among(sendersOf(chain, sighting)) : new Set<string>();
  const exposure = await parts.exposure.of(claim.partnerId);
  const judgement = judgeArrival({
    chain,
    sighting,
    expectedCents: expectedCents(claim),
    deadline: claim.deadline,
    ownAddresses,
    exposure,
    now: clock.now(),
  });
  if (judgement.kind === 'unusable') return judgement;
  const credits = judgement.kind === 'wait' ? judgement.seen : judgement.credits;
  if (sighting.kind !== 'found' || credits === null) return { kind: 'wait', seen: null, exposed: false };
  if (judgement.kind === 'wait') {
    const seen = {
      credits,
      blockTime: new Date(sighting.block.timeMs),
      transactionId: sighting.transactionId ?? claim.transactionHash,
    };
    return { kind: 'wait', seen, exposed: judgement.exposed };
  }
  return {
    kind: 'arrived',
    credits,
    sighting,
    address,
    screeningHit: await screening.isHit(chain.name, sendersOf(chain, sighting, credits)),
  };
}

/** A claim of an order has its frozen rate from the beginning. */
function expectedCents({ orderNumber, amount, rate }: OrderClaim): bigint {
  if (rate === null) throw new Error(`order ${orderNumber} has no rate`);
  return centsDue(amount, rate);
}
