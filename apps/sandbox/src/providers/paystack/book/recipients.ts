import { receiptOf } from '../../book/receipt.js';
import { accountNameOf } from '../data/account-names.js';
import { type Channel, findBank, findChannel } from '../data/channel-table.js';
import type { RecipientRequest } from './book-line.js';

/** Whom a transfer can go to. */
export class Recipient {
  /** RCP_… */
  readonly code: string;
  readonly id: number;
  readonly channel: Channel;
  readonly bankName: string;
  /** As the bank has it; null where it does not say. */
  readonly accountName: string | null;
  isDeleted = false;

  constructor(
    readonly request: RecipientRequest,
    line: number,
    readonly atMs: number,
  ) {
    this.code = `RCP_${receiptOf(line, '').toLowerCase()}`;
    this.id = 20_000_000 + line;
    this.channel = findChannel(request.type, request.currency) as Channel;
    this.bankName = findBank(this.channel, request.bankCode)?.name ?? '';
    this.accountName = this.channel.resolves ? accountNameOf(request.accountNumber) : null;
  }
}

export class Recipients {
  readonly #byCode = new Map<string, Recipient>();
  readonly #byAccount = new Map<string, Recipient>();

  add(recipient: Recipient): void {
    this.#byCode.set(recipient.code, recipient);
    this.#byAccount.set(keyOf(recipient.request), recipient);
  }

  /** Deleted ones too. */
  find(code: string): Recipient | undefined {
    return this.#byCode.get(code);
  }

  /** The same account is the same recipient [D], unless it was deleted [U]. */
  ofAccount(request: RecipientRequest): Recipient | undefined {
    const known = this.#byAccount.get(keyOf(request));
    return known?.isDeleted === false ? known : undefined;
  }
}

function keyOf({ type, currency, bankCode, accountNumber }: RecipientRequest): string {
  return [type, currency, bankCode, accountNumber].join('/');
}
