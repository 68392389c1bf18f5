import { money } from '@vuka/domain';
import { z } from 'zod';

import { queryFailed } from '../../outcome-class.js';
import type { PayoutInstruction, ProviderAnswer } from '../../payout-provider.js';
import { MAX_TEXT, providerText } from '../../provider-text.js';
import { endOf } from './codes.js';
import { CHAPA_CURRENCY, fromChapaAmount, isBankOf, nationalOf, networkOf } from './networks.js';

/**
 * A transfer as Chapa writes it, in a status, in a callback and in the list of all transfers. Each has names of its own for the same.
 * Shapes: [D] developer.chapa.co/integrations/webhooks, and the types of Chapa's SDKs.
 */

const written = z.union([z.string(), z.number()]);
const name = (max: number) =>
  z
    .string()
    .transform((text) => providerText(text, max))
    .nullish();

export const transferRecord = z.object({
  reference: z.string().nullish(),
  tx_ref: z.string().nullish(),
  status: z.string(),
  amount: written,
  currency: z.string(),
  charge: written.nullish(),
  account_number: written,
  bank_code: written.nullish(),
  bank_id: written.nullish(),
  mode: z.string().nullish(),
  bank_reference: name(MAX_TEXT.receipt),
  cross_party_reference: name(MAX_TEXT.receipt),
  chapa_reference: name(MAX_TEXT.receipt),
  chapa_transfer_id: name(MAX_TEXT.paymentId),
});
export type TransferRecord = z.infer<typeof transferRecord>;

export interface ReadingOptions {
  /** Ours is a key of live, so a transfer of test mode has paid nobody. */
  readonly isLive: boolean;
  /** `charge` is taken besides the amount. Otherwise it is not told. */
  readonly chargeIsOnTop: boolean;
}

/** Our id of it; '': none. */
export function referenceOf({ tx_ref, reference }: Pick<TransferRecord, 'tx_ref' | 'reference'>): string {
  // A status has ours in `tx_ref`, a callback in `reference`.
  return (tx_ref || reference || '').toLowerCase();
}

export function isAbout(record: Pick<TransferRecord, 'tx_ref' | 'reference'>, { attemptId }: PayoutInstruction) {
  return referenceOf(record) === attemptId.toLowerCase();
}

/** The bank's number, which the recipient sees, else Chapa's. '': none yet. */
export function receiptOf(
  record: Pick<TransferRecord, 'bank_reference' | 'cross_party_reference' | 'chapa_reference' | 'chapa_transfer_id'>,
): string {
  const { bank_reference, cross_party_reference, chapa_reference, chapa_transfer_id } = record;
  return bank_reference || cross_party_reference || chapa_reference || chapa_transfer_id || '';
}

/** What a record says of the attempt that it is about. */
export function readRecord(
  record: TransferRecord,
  instruction: PayoutInstruction,
  options: ReadingOptions,
): ProviderAnswer {
  const differs = differenceOf(record, instruction);
  if (differs !== null) return { outcome: 'mismatch', detail: `the provider's record has another ${differs}` };
  if (options.isLive && record.mode?.toLowerCase() === 'test') return queryFailed('a record of test mode');
  const named = record.chapa_transfer_id ? { providerPaymentId: record.chapa_transfer_id } : {};
  const row = endOf(record.status);
  switch (row?.end) {
    case 'paid':
      return { ...paid(record, instruction, options), ...named };
    case 'not_paid':
      // The name of a row, and not what Chapa wrote.
      return { outcome: 'not_paid', code: row.failure, routeLeft: row.routeLeft, detail: row.name, ...named };
    // pending, queued, and what is in no table.
    case undefined:
      return { outcome: 'submitted', ...named };
  }
}

/** What of it is not as instructed. Names of banks are not compared: a published record has 128 as another bank's. */
function differenceOf(record: TransferRecord, { amount, destination }: PayoutInstruction): string | null {
  const network = networkOf(amount.currency, destination);
  if (record.currency.toUpperCase() !== amount.currency) return 'currency';
  if (fromChapaAmount(record.amount) !== amount.minor) return 'amount';
  if (destination.kind !== 'mobile' || network === undefined) return 'kind of recipient';
  const bank = record.bank_code ?? record.bank_id;
  if (String(bank) !== String(network.bankCode)) return 'bank';
  return isSameNumber(record.account_number, destination.phone) ? null : 'account number';
}

function isSameNumber(told: string | number, phone: string): boolean {
  return nationalOf(String(told)) === nationalOf(phone);
}

/** A payment is recorded by its receipt. One that has none yet is asked about again. */
function paid(record: TransferRecord, instruction: PayoutInstruction, options: ReadingOptions): ProviderAnswer {
  const { amount, destination } = instruction;
  const receipt = receiptOf(record);
  if (receipt === '' || destination.kind !== 'mobile') return queryFailed('success without a receipt');
  const charge = options.chargeIsOnTop ? fromChapaAmount(record.charge ?? '') : null;
  return {
    outcome: 'succeeded',
    receipt,
    publicName: null,
    amount,
    recipient: destination.phone,
    ...(charge !== null && { fee: money(charge, CHAPA_CURRENCY) }),
  };
}

/** What Chapa asks before it pays. It names no currency, because it transfers birr alone. */
export const approvalQuestion = z.object({
  reference: z.string(),
  amount: written,
  account_number: written,
  bank: written,
  currency: z.string().optional(),
});
export type ApprovalQuestion = z.infer<typeof approvalQuestion>;

/** What it would pay otherwise than instructed. */
export function differenceOfQuestion(asked: ApprovalQuestion, instruction: PayoutInstruction): string | null {
  const { amount, destination } = instruction;
  const network = networkOf(amount.currency, destination);
  if (!isAbout(asked, instruction)) return 'reference';
  if ((asked.currency ?? CHAPA_CURRENCY) !== amount.currency) return 'currency';
  if (fromChapaAmount(asked.amount) !== amount.minor) return 'amount';
  if (destination.kind !== 'mobile' || network === undefined) return 'kind of recipient';
  if (!isBankOf(network, String(asked.bank))) return 'bank';
  return isSameNumber(asked.account_number, destination.phone) ? null : 'account number';
}
