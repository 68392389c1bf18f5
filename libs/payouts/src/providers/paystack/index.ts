import { type Clock, systemClock } from '@vuka/runtime';

import { type KeptValues, ProviderValues } from '../../kept-values.js';
import {
  type BalanceProvider,
  type CallbackProvider,
  type CallbackReading,
  type CallLease,
  type ConnectedProvider,
  type NameProvider,
  type PayoutInstruction,
  type ProviderAnswer,
  type ProviderCallback,
  TOO_LATE,
  type TooLate,
} from '../../payout-provider.js';
import { capabilitiesWith } from '../../provider-factory.js';
import { ProviderHttp } from '../../provider-http.js';
import { providerJson } from '../../provider-text.js';
import type { StatementProvider } from '../../statement-provider.js';
import { readBalances } from './balances.js';
import type { BankCodes } from './banks.js';
import { PAYSTACK_BALANCE_RULES, PAYSTACK_CAPABILITIES } from './capabilities.js';
import { FLOATS, type PaystackAccount, walletOf } from './channels.js';
import {
  type NoRecipient,
  readCallback,
  readQuery,
  readSubmit,
  referenceIn,
  type RequestOptions,
  toRequest,
} from './mapping.js';
import { readName, resolveQuestion } from './names.js';
import { readRecipient, RECIPIENT_CODE, recipientBody, recipientKey } from './recipients.js';
import { attemptIdsOf, referenceOf } from './reference.js';
import { faultOfSignature } from './signature.js';
import { TransferList } from './statements/transfer-list.js';

/** The adapter of Paystack's Transfers API (docs/operators/providers/paystack.md). */
export interface PaystackOptions {
  /** [D] https://api.paystack.co, for test keys and live keys alike. */
  readonly baseUrl: string;
  /** The secret key. Callbacks are signed with it too. */
  readonly credential: string;
  readonly reason?: string;
  /** Our codes of Kenyan banks to theirs (`kepss`). Default none: no Kenyan bank is paid. */
  readonly kesBanks?: BankCodes;
  readonly callTimeoutMs?: number;
  /** Submits at one time, as many questions, and as many names. */
  readonly maxConnections?: number;
  readonly dedupesForMs?: number | null;
  readonly notFoundProvesAfterMs?: number | null;
  readonly refundSafeAfterMs?: number;
  /** Codes of recipients. Default: in memory. */
  readonly kept?: KeptValues;
  readonly clock?: Clock;
}

export type PaystackProvider = ConnectedProvider &
  BalanceProvider &
  CallbackProvider &
  NameProvider &
  StatementProvider;

export const REASON = /^[A-Za-z0-9 ]{3,100}$/;
const DEFAULT_REASON = 'Payout';

export function paystackProvider(options: PaystackOptions): PaystackProvider {
  const { baseUrl, credential, clock = systemClock } = options;
  const capabilities = capabilitiesWith(PAYSTACK_CAPABILITIES, options);
  const requests = requestOptionsOf(options);
  const { callTimeoutMs, callsAtOnce: maxConnections, lateWindowMs } = capabilities;
  const connect = (): ProviderHttp =>
    new ProviderHttp({ baseUrl, headers: { authorization: `Bearer ${credential}` }, callTimeoutMs, maxConnections });
  // Apart, so that what Paystack does not answer keeps nobody from asking what became of payouts.
  const [paying, asking, naming] = [connect(), connect(), connect()];
  const transfers = new TransferList((path, call) => asking.call('GET', path, call), clock, lateWindowMs);
  const recipients = new Recipients(paying, credential, options.kept ?? new ProviderValues());

  const query = async (instruction: PayoutInstruction): Promise<ProviderAnswer> => {
    const { attemptId, traceparent } = instruction;
    const reply = await asking.call('GET', `/transfer/verify/${referenceOf(attemptId)}`, { traceparent });
    return readQuery(reply, instruction, requests);
  };
  const pay = async (
    instruction: PayoutInstruction,
    body: object,
    lease: CallLease | undefined,
  ): Promise<ProviderAnswer | NoRecipient | TooLate> => {
    if (lease?.mayPay() === false) return TOO_LATE;
    const reply = await paying.call('POST', '/transfer', { body, traceparent: instruction.traceparent });
    const answer = readSubmit(reply, instruction, requests);
    if (answer.outcome !== 'duplicate') return answer;
    const status = await query(instruction);
    // It has this very transfer: that it cannot tell more now takes nothing from that.
    return status.outcome === 'query_failed' || status.outcome === 'unknown' ? { outcome: 'submitted' } : status;
  };
  const submit: ConnectedProvider['submit'] = async (instruction, lease) => {
    const prepared = toRequest(instruction, requests);
    if ('refusal' in prepared) return prepared.refusal;
    const { account, bodyTo } = prepared;
    const known = await recipients.known(account);
    const code = known ?? (await recipients.make(account, instruction.traceparent));
    if (typeof code !== 'string') return code;
    const first = await pay(instruction, bodyTo(code), lease);
    if (first.outcome !== 'no_recipient') return first;
    if (known === null) return first.answer;
    // It was turned down, so nothing was taken. The same reference again, to the same account under its new code.
    const fresh = await recipients.make(account, instruction.traceparent);
    if (typeof fresh !== 'string') return fresh;
    const second = await pay(instruction, bodyTo(fresh), lease);
    return second.outcome === 'no_recipient' ? second.answer : second;
  };

  return {
    id: 'paystack',
    capabilities,
    balanceRules: PAYSTACK_BALANCE_RULES,
    floats: FLOATS,
    walletOf,
    submit,
    query,
    balances: async () => readBalances(await asking.call('GET', '/balance'), clock.now()),
    statement: (cursor) => transfers.read(cursor),
    parseCallback: async (callback) => readingOf(callback, faultOfSignature(callback, credential), requests.kesBanks),
    lookUpName: async (question) => {
      const resolve = resolveQuestion(question);
      if (resolve === null) return { outcome: 'cannot_tell' };
      const { traceparent, timeoutMs } = question;
      return readName(await naming.call('GET', resolve.path, { traceparent, timeoutMs }), resolve.accountNumber);
    },
    close: async () => void (await Promise.all([paying.close(), asking.close(), naming.close()])),
  };
}

/** Codes of recipients, which Paystack wants before it pays. */
class Recipients {
  constructor(
    private readonly http: ProviderHttp,
    private readonly credential: string,
    private readonly kept: KeptValues,
  ) {}

  async known(account: PaystackAccount): Promise<string | null> {
    const code = await this.kept.read(recipientKey(account, this.credential));
    return code !== null && RECIPIENT_CODE.test(code) ? code : null;
  }

  async make(account: PaystackAccount, traceparent: string | undefined): Promise<string | ProviderAnswer> {
    const body = recipientBody(account);
    const made = readRecipient(await this.http.call('POST', '/transferrecipient', { body, traceparent }), account);
    if (typeof made === 'string') await this.kept.keep(recipientKey(account, this.credential), made);
    return made;
  }
}

function readingOf({ body }: ProviderCallback, fault: string, kesBanks: BankCodes): CallbackReading {
  const event = providerJson(body);
  const reference = referenceIn(event);
  return {
    signed: fault === '',
    detail: fault,
    attemptIds: reference === null ? [] : attemptIdsOf(reference),
    answerFor: (instruction) =>
      fault === ''
        ? readCallback(event, instruction, kesBanks)
        : { outcome: 'query_failed', detail: `a callback that proves nothing: ${fault}` },
  };
}

function requestOptionsOf({ reason = DEFAULT_REASON, kesBanks = new Map() }: PaystackOptions): RequestOptions {
  if (!REASON.test(reason))
    throw new RangeError('paystackProvider: reason must be 3 to 100 letters, digits and spaces');
  return { reason, kesBanks };
}
