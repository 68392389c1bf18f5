import { Inject, Injectable } from '@nestjs/common';
import { CORRIDORS, fail, ok, type Coverage, type Problem, type Result, faultOfWord, nameOf } from '@vuka/domain';
import { recordAuditEntry, Database, type Transaction } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { CLOCK, COVERAGE } from '@vuka/service-host';

import { type CorridorScope, covers, scopeName } from './corridor.js';
import { type CorridorSwitch, CorridorSwitchStore } from './corridor-switch.store.js';
import { WakeCorridor } from './wake-corridor.js';

export interface CorridorWish extends CorridorScope {
  readonly reason: string;
  readonly by: string;
}

/** One person is enough: nothing is paid or lost by it. See docs/operators/providers/README.md. */
@Injectable()
export class SwitchCorridors {
  constructor(
    private readonly db: Database,
    @Inject(COVERAGE) private readonly coverage: Coverage,
    @Inject(WakeCorridor) private readonly waiting: Pick<WakeCorridor, 'run'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Errors: invalid_request (words, scope, off already), not_found (no route pays so). */
  async switchOff(wish: CorridorWish): Promise<Result<CorridorSwitch, Problem>> {
    const fault = faultOfWord(wish) ?? faultOfScope(wish);
    if (fault !== null) return fail({ code: 'invalid_request', message: fault });
    if (!this.isRouted(wish)) return fail({ code: 'not_found', message: `No configured route is ${scopeName(wish)}` });
    const word = wordOf(wish, this.clock.now());
    const made = await this.db.inTransaction(async (tx) => {
      const off = await new CorridorSwitchStore(tx).switchOff(wish, word);
      if (off) await record(tx, 'corridor.switched_off', off, word);
      return off;
    });
    return made === undefined
      ? fail({ code: 'invalid_request', message: `${scopeName(wish)} is switched off already` })
      : ok(made);
  }

  /** What waited is due at once. Errors: invalid_request (words), not_found (not switched off in just these words). */
  async switchOn(wish: CorridorWish): Promise<Result<CorridorSwitch, Problem>> {
    const fault = faultOfWord(wish);
    if (fault !== null) return fail({ code: 'invalid_request', message: fault });
    const word = wordOf(wish, this.clock.now());
    const lifted = await this.db.inTransaction(async (tx) => {
      const on = await new CorridorSwitchStore(tx).switchOn(wish, word);
      if (on) await record(tx, 'corridor.switched_on', on, word);
      return on;
    });
    if (lifted === undefined)
      return fail({ code: 'not_found', message: `${scopeName(wish)} is not switched off in just these words` });
    await this.waiting.run(lifted);
    return ok(lifted);
  }

  /** A stopped deployment does not know its routes: then every scope is taken. */
  private isRouted(scope: CorridorScope): boolean {
    return (
      this.coverage.length === 0 ||
      this.coverage.some((route) => route.carriers.some(({ provider }) => covers(scope, { ...route, provider })))
    );
  }
}

function faultOfScope(scope: CorridorScope): string | null {
  const { currency, kind, network } = scope;
  if (kind !== null && currency === null) return 'a kind needs a currency';
  if (network !== null && kind !== 'mobile') return 'a network needs the kind mobile';
  const isKnown = CORRIDORS.some((one) => covers(scope, { ...one, provider: scope.provider }));
  return isKnown ? null : `our rules know no corridor ${scopeName(scope)}`;
}

interface Word {
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
}

function wordOf({ by, reason }: CorridorWish, at: Date): Word {
  return { by: nameOf(by), reason: maskText(reason.trim()), at };
}

function record(tx: Transaction, act: string, one: CorridorSwitch, word: Word): Promise<void> {
  return recordAuditEntry(tx, { ...word, act, partnerId: null, subject: scopeName(one) });
}
