import { type Clock, type MonotonicClock, systemClock } from '@vuka/runtime';

import {
  type ApprovalProvider,
  type ApprovalReading,
  type BalanceProvider,
  type CallbackProvider,
  type CallbackReading,
  type ConnectedProvider,
  MAIN_WALLET,
  type PayoutInstruction,
  type ProviderAnswer,
  type ProviderCallback,
  TOO_LATE,
} from '../../payout-provider.js';
import { capabilitiesWith } from '../../provider-factory.js';
import { ProviderHttp } from '../../provider-http.js';
import { providerJson } from '../../provider-text.js';
import type { StatementProvider } from '../../statement-provider.js';
import { CHAPA_BALANCE_RULES, readBalances } from './balances.js';
import { CHAPA_CAPABILITIES } from './capabilities.js';
import { attemptIdsIn, readApproval, readCallback, readQuery, readSubmit, toRequest } from './mapping.js';
import { CHAPA_CURRENCY, networkNamed } from './networks.js';
import type { ReadingOptions } from './record.js';
import { type Proof, proofOf } from './signature.js';
import { AllTransfers } from './statement.js';

/** The adapter of Chapa's API v1 (docs/operators/providers/chapa.md). */
export interface ChapaOptions {
  /** [D] https://api.chapa.co. */
  readonly baseUrl: string;
  /** The secret key. Its prefix says whether it is of test mode. */
  readonly credential: string;
  /** The secret hash of webhooks and the secret of approvals: those in force. Without one nothing counts as signed. */
  readonly signingSecrets?: readonly string[] | undefined;
  readonly accountName?: string | undefined;
  /** Default 0: whole birr, until Chapa has confirmed that it carries cents. */
  readonly decimals?: 0 | 2 | undefined;
  /** Default `payload`. `constant`: a question for approval has nothing but the constant. */
  readonly approvalsSign?: 'payload' | 'constant' | undefined;
  readonly chargeIsOnTop?: boolean | undefined;
  readonly callTimeoutMs?: number | undefined;
  /** Submits at one time, and as many questions. */
  readonly maxConnections?: number | undefined;
  readonly dedupesForMs?: number | null | undefined;
  readonly notFoundProvesAfterMs?: number | null | undefined;
  readonly refundSafeAfterMs?: number | undefined;
  readonly clock?: Clock & MonotonicClock;
}

export type ChapaProvider = ConnectedProvider &
  BalanceProvider &
  CallbackProvider &
  StatementProvider &
  ApprovalProvider;

/** [D] of keys of test mode, which pay nobody. Both modes have one address. */
export const TEST_KEY = /^CHASECK_TEST-/;
export const ACCOUNT_NAME = /^[A-Za-z0-9 ]{2,50}$/;
const DEFAULT_NAME = 'Vuka payout';
const DAY_MS = 24 * 3_600_000;

export function chapaProvider(options: ChapaOptions): ChapaProvider {
  const { baseUrl, credential, signingSecrets = [], approvalsSign = 'payload', clock = systemClock } = options;
  const capabilities = capabilitiesWith(CHAPA_CAPABILITIES, options);
  const requests = { decimals: options.decimals ?? 0, accountName: options.accountName ?? DEFAULT_NAME } as const;
  const readings = { isLive: !TEST_KEY.test(credential), chargeIsOnTop: options.chargeIsOnTop ?? false };
  const { callTimeoutMs, callsAtOnce: maxConnections, lateWindowMs } = capabilities;
  const connect = (): ProviderHttp =>
    new ProviderHttp({ baseUrl, headers: { authorization: `Bearer ${credential}` }, callTimeoutMs, maxConnections });
  // Apart, so that submits which Chapa does not answer keep nobody from asking what became of payouts.
  const paying = connect();
  const asking = connect();
  // A day more: what has just ended may change for as long as the window is.
  const transfers = new AllTransfers((path, call) => asking.call('GET', path, call), clock, lateWindowMs + DAY_MS);

  const query = async (instruction: PayoutInstruction): Promise<ProviderAnswer> => {
    const { attemptId, traceparent } = instruction;
    const path = `/v1/transfers/verify/${encodeURIComponent(attemptId)}`;
    return readQuery(await asking.call('GET', path, { traceparent }), instruction, readings);
  };
  const submit: ConnectedProvider['submit'] = async (instruction, lease) => {
    const request = toRequest(instruction, requests);
    if ('refusal' in request) return request.refusal;
    const { traceparent } = instruction;
    if (lease?.mayPay() === false) return TOO_LATE;
    const reply = await paying.call('POST', '/v1/transfers', { body: request.body, traceparent });
    const answer = readSubmit(reply, instruction);
    if (answer.outcome !== 'duplicate') return answer;
    const status = await query(instruction);
    // It has this reference: that it cannot tell more now takes nothing from that.
    return status.outcome === 'query_failed' || status.outcome === 'unknown' ? { outcome: 'submitted' } : status;
  };

  return {
    id: 'chapa',
    capabilities,
    balanceRules: CHAPA_BALANCE_RULES,
    floats: [{ wallet: MAIN_WALLET, currency: CHAPA_CURRENCY }],
    walletOf: ({ kind, mobileNetwork }, currency) =>
      kind === 'mobile' && networkNamed(currency, mobileNetwork) !== undefined ? MAIN_WALLET : null,
    submit,
    query,
    balances: async () => readBalances(await asking.call('GET', '/v1/balances'), clock.now()),
    statement: (cursor) => transfers.read(cursor),
    parseCallback: async (callback) => callbackOf(callback, signingSecrets, readings),
    decideApproval: async (callback) =>
      approvalOf(callback, signingSecrets, approvalsSign === 'constant' ? ['payload', 'constant'] : ['payload']),
    // [D] 200 approves and 400 rejects.
    approvalReply: (isApproved) => ({
      status: isApproved ? 200 : 400,
      contentType: 'application/json',
      body: JSON.stringify({ status: isApproved ? 'approved' : 'rejected' }),
    }),
    close: async () => void (await Promise.all([paying.close(), asking.close()])),
  };
}

function callbackOf(callback: ProviderCallback, secrets: readonly string[], readings: ReadingOptions): CallbackReading {
  const { proof, detail } = proofOf(callback, secrets);
  const body = providerJson(callback.body);
  const signed = proof === 'payload';
  return {
    signed,
    detail,
    attemptIds: attemptIdsIn(body),
    answerFor: (instruction) =>
      signed
        ? readCallback(body, instruction, readings)
        : { outcome: 'query_failed', detail: `a callback that proves nothing: ${detail}` },
  };
}

function approvalOf(callback: ProviderCallback, secrets: readonly string[], proofs: readonly Proof[]): ApprovalReading {
  const { proof, detail } = proofOf(callback, secrets);
  const signed = proofs.includes(proof);
  return { signed, detail: signed ? '' : detail, ...readApproval(providerJson(callback.body)) };
}
