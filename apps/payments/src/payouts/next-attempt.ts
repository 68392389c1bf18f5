import { Inject, Injectable } from '@nestjs/common';
import { isFailureCode } from '@vuka/domain';
import type { PayoutProvider } from '@vuka/payouts';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { PayoutStops } from '../controls/index.js';
import type { TransactionTrigger } from '../machine/index.js';
import {
  AttemptStore,
  DestinationVault,
  givenOf,
  type History,
  NO_HISTORY,
  type TransactionSnapshot,
  type WhyFrozen,
} from '../transactions/index.js';
import { Routes, routesLeft } from './choose-route.js';
import { Parking } from './parking.js';

@Injectable()
export class NextAttempt {
  constructor(
    private readonly attempts: AttemptStore,
    private readonly vault: DestinationVault,
    private readonly routes: Routes,
    private readonly parking: Parking,
    private readonly stops: PayoutStops,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** null: somebody else has started or ended it. */
  async of(snapshot: TransactionSnapshot): Promise<TransactionTrigger | null> {
    const { life } = snapshot;
    const { attempts, clock, parking } = this;
    const now = clock.now();
    if (!life.dueAt || life.dueAt > now) return null;
    const history = life.attemptNo === 0 ? NO_HISTORY : await attempts.historyOf(snapshot.details.id);
    const paid = history.duplicatePayment.find(({ unwound }) => !unwound);
    // Checked first: FAILED would give back what may still be paid.
    if (!paid && history.isContradicted) {
      return {
        event: { type: 'deferred', provenNotTaken: true },
        history,
        change: { attemptNo: life.attemptNo, detail: CONTRADICTED, ...parking.untilPeople(now) },
      };
    }
    if (!paid && snapshot.deposit?.state === 'reverted') {
      return {
        event: { type: 'overdue' },
        history,
        change: { attemptNo: life.attemptNo, detail: 'its deposit vanished', failureCode: 'deposit_reverted' },
      };
    }
    // It waited only for people: its last attempt failed, and no provider was left.
    if (!paid && life.failureCode !== null && isFailureCode(life.failureCode)) {
      return {
        event: { type: 'overdue' },
        history,
        change: { attemptNo: life.attemptNo, detail: 'no provider is left', failureCode: life.failureCode },
      };
    }
    const stopped = paid ? null : await this.stops.why(snapshot.details.partnerId);
    if (stopped) {
      return {
        event: { type: 'deferred', provenNotTaken: true },
        history,
        change: { attemptNo: life.attemptNo, detail: STOPPED[stopped], ...parking.untilPeople(now) },
      };
    }
    if (!paid && life.parkDeadline && life.parkDeadline <= now) {
      return {
        event: { type: 'overdue' },
        history,
        change: { attemptNo: life.attemptNo, detail: 'park deadline passed', failureCode: 'rail_unavailable' },
      };
    }
    const left = paid ? [] : routesLeft(this.routes.of(snapshot), history);
    const open = await this.routes.open(snapshot, left);
    const route = await this.routes.choose(open, snapshot, history);
    if (!paid && !route) {
      return {
        event: { type: 'deferred', provenNotTaken: true },
        history,
        change: {
          attemptNo: life.attemptNo,
          detail: whyNone(left, open),
          ...parking.untilProvider(snapshot, now),
        },
      };
    }
    return paid ? settledBy(paid, history) : this.startOn(route as PayoutProvider, snapshot, history, now);
  }

  private startOn(
    route: PayoutProvider,
    snapshot: TransactionSnapshot,
    history: History,
    now: Date,
  ): TransactionTrigger {
    const attemptNo = snapshot.life.attemptNo + 1;
    const amount = givenOf(snapshot.details);
    const wallet = route.walletOf(snapshot.destination, amount.currency);
    if (wallet === null) throw new Error(`${route.id} has no wallet for what it was routed`);
    const providerReference = this.vault.providerReference(snapshot.details, snapshot.destination, attemptNo);
    return {
      event: { type: 'attempt.started' },
      history,
      change: {
        attemptNo,
        detail: route.id,
        newAttempt: {
          attemptNo,
          providerReference,
          provider: route.id,
          wallet,
          state: 'INTENT',
          amount,
          nextAt: now,
        },
      },
    };
  }
}

/** What is paid is not paid again: that payment becomes this transaction's. */
function settledBy(paid: History['duplicatePayment'][number], history: History): TransactionTrigger {
  return {
    event: { type: 'attempt.started' },
    history,
    receipt: paid.receiptNumber,
    change: {
      attemptNo: paid.attemptNo,
      detail: 'paid by an earlier attempt',
      provider: paid.provider,
      wallet: paid.wallet,
      receiptNumber: paid.receiptNumber,
    },
  };
}

const STOPPED: Readonly<Record<WhyFrozen, string>> = {
  suspended: 'the partner is suspended',
  frozen: 'the partner is frozen by people',
  vanished: 'the partner is frozen',
  sent_back: 'the partner is frozen',
};

export const CORRIDOR_CLOSED = 'its corridor is switched off or closed';

function whyNone(left: readonly PayoutProvider[], open: readonly PayoutProvider[]): string {
  if (left.length === 0) return 'no provider for this destination';
  return open.length === 0 ? CORRIDOR_CLOSED : 'its corridor is ill, and few payments try it';
}

export const CONTRADICTED = 'a provider contradicts that an earlier attempt was not paid: people look';
