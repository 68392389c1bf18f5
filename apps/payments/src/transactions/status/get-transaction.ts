import { Injectable } from '@nestjs/common';
import type { paymentsApi, StatusRow } from '@vuka/contracts';
import {
  fail,
  ok,
  paidInCurrencies,
  readTransactionId,
  TRANSACTION_HASHES,
  type ChainFamily,
  type Result,
} from '@vuka/domain';
import type { z } from 'zod';

import { DestinationVault } from '../destination-vault.js';
import { statusRowOf } from './status-row.js';
import { CommitWriter } from '../../commit/index.js';
import { type TransactionSnapshot, TransactionStore } from '../transaction.store.js';

export type GetTransactionInput = z.output<(typeof paymentsApi)['operations']['getTransaction']['input']>;

/**
 * Errors: not_found, also for another partner or currency; service_unavailable while it is being recorded, because
 * the answer is unknown.
 */
@Injectable()
export class GetTransaction {
  constructor(
    private readonly store: TransactionStore,
    private readonly vault: DestinationVault,
    private readonly writer: CommitWriter,
  ) {}

  async run(input: GetTransactionInput): Promise<Result<StatusRow>> {
    if ('transaction_hash' in input.by)
      return this.answer(await this.store.byHash(input.partner_id, spellingsOf(input.by.transaction_hash)), input);
    const code = 'transaction_code' in input.by ? input.by.transaction_code : input.by.reference;
    const recording = this.writer.isRecording(input.partner_id, code);
    const snapshot = await this.store.byCode(input.partner_id, code);
    if (!snapshot && recording) {
      return fail({
        code: 'service_unavailable',
        message: 'This transaction is being recorded at this moment. Ask again in a few seconds',
      });
    }
    return this.answer(snapshot, input);
  }

  private answer(snapshot: TransactionSnapshot | undefined, { currency }: GetTransactionInput): Result<StatusRow> {
    if (!snapshot || !isMeant(snapshot.details.amount.currency, currency))
      return fail({ code: 'not_found', message: 'No such transaction' });
    return ok(statusRowOf(snapshot, this.vault));
  }
}

/** The chain is not given, so all canonical forms. */
function spellingsOf(hash: string): string[] {
  const families = Object.keys(TRANSACTION_HASHES) as ChainFamily[];
  return [...new Set(families.flatMap((family) => readTransactionId(family, hash) ?? []))];
}

/** A currency includes all that its wallet pays out; null: any. */
function isMeant(currency: string, asked: string | null): boolean {
  return asked === null || (paidInCurrencies(asked) as readonly string[]).includes(currency);
}
