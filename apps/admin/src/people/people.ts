import { reads } from '@vuka/contracts';
import { type KnownOperator, operatorDoor, type PeopleDoor } from '@vuka/http';
import {
  type AuditPage,
  type Database,
  type KeptAuditEntry,
  listAuditEntries,
  sealMethods,
  sealRecords,
} from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';

import { Approvals } from './approvals.js';
import { takeFrom } from './operator.store.js';
import { Operators } from './operators.js';

export interface PeopleGround {
  readonly db: Database;
  readonly env: 'sandbox' | 'live';
  /** Of admin's secrets file, or of the data folder. Without a name, in the sandbox: who holds it. */
  readonly file: readonly KnownOperator[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** The one place that knows people. */
export class People {
  readonly operators: Operators;
  readonly approvals: Approvals;
  readonly door: PeopleDoor;

  constructor(private readonly ground: PeopleGround) {
    const { db, clock, env, file } = ground;
    this.operators = new Operators(db, clock);
    this.approvals = new Approvals(db, this.operators, clock);
    // What is done with real money has a name.
    const nameless = env === 'live' ? [] : file.filter(({ name }) => name === null);
    this.door = operatorDoor(async () => [...(await this.operators.known()), ...nameless]);
  }

  async begin(): Promise<void> {
    const { db, file, clock, log } = this.ground;
    const taken = await takeFrom(db, file, clock.now());
    if (taken.length > 0)
      log.warn({ code: 'operators_from_file', operators: taken }, 'people were let in by the file of admin');
  }

  /** Admin has no jobs, so it seals when it is asked for its blocks. */
  get sealed(): ReturnType<typeof sealMethods> {
    const { db } = this.ground;
    const methods = sealMethods(db);
    return { ...methods, sealHeads: reads([], () => sealRecords(db)) };
  }

  /** What was done about people, newest first. */
  acts(page: AuditPage): Promise<KeptAuditEntry[]> {
    return listAuditEntries(this.ground.db, page);
  }
}
