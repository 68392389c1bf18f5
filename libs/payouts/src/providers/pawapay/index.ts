import { type Clock, type MonotonicClock, systemClock } from '@vuka/runtime';

import type { AvailabilityProvider } from '../../availability-provider.js';
import {
  type BalanceProvider,
  type CallbackProvider,
  type CallbackReading,
  type ConnectedProvider,
  type Float,
  type NetworkProvider,
  type PayoutInstruction,
  type ProviderAnswer,
  type ProviderCallback,
  TOO_LATE,
} from '../../payout-provider.js';
import { capabilitiesWith } from '../../provider-factory.js';
import { ProviderHttp } from '../../provider-http.js';
import { providerJson } from '../../provider-text.js';
import type { StatementProvider } from '../../statement-provider.js';
import { PAWAPAY_CAPABILITIES } from './capabilities.js';
import { floatsOf, type OwnWallets, walletOf } from './floats.js';
import { type RequestOptions, payoutIdIn, readCallback, readQuery, readSubmit, toRequest } from './mapping.js';
import { PAWAPAY_NETWORKS } from './networks.js';
import { attemptIdsOf, payoutIdOf } from './payout-id.js';
import { PublicKeys } from './public-keys.js';
import { keyIdOf, verifyCallback, type Verdict } from './signature.js';
import { StatementDownload } from './statements/download.js';
import { PawapayStatements } from './statements/read-statements.js';
import { readAvailability } from './toolkit/availability.js';
import { predictionBody, readPrediction } from './toolkit/predict-network.js';
import { readResend } from './toolkit/resend.js';
import { PAWAPAY_BALANCE_RULES, readBalances } from './wallet-balances.js';

/** The adapter of pawaPay's Merchant API v2 (docs/operators/providers/pawapay.md). */
export interface PawapayOptions {
  /** [D] https://api.pawapay.io, or https://api.sandbox.pawapay.io. */
  readonly baseUrl: string;
  /** The API token. */
  readonly credential: string;
  /** The host of our callback URL, as pawaPay was given it. Without it no callback counts as signed. */
  readonly callbackHost?: string;
  /** Where pawaPay tells that a statement is made. Nothing waits for it. */
  readonly statementCallbackUrl?: string;
  readonly customerMessage?: string;
  readonly callTimeoutMs?: number;
  /** Submits at one time, and as many questions. */
  readonly maxConnections?: number;
  readonly dedupesForMs?: number | null;
  readonly refundSafeAfterMs?: number;
  /** Networks, by pawaPay's names, that have a wallet of their own in this account. Default none: each country has one. */
  readonly ownWallets?: OwnWallets;
  /** Default five minutes. [U]: whether a callback that is sent again is signed again. An older one is a hint. */
  readonly signatureMaxAgeMs?: number;
  readonly clock?: Clock & MonotonicClock;
}

export type PawapayProvider = ConnectedProvider &
  AvailabilityProvider &
  BalanceProvider &
  CallbackProvider &
  NetworkProvider &
  StatementProvider;

/** How far pawaPay's clock may be ahead of ours. */
const SKEW_MS = 60_000;
const SIGNATURE_MAX_AGE_MS = 5 * 60_000;
export const CUSTOMER_MESSAGE = /^[A-Za-z0-9 ]{4,22}$/;

export function pawapayProvider(options: PawapayOptions): PawapayProvider {
  const { baseUrl, credential, clock = systemClock } = options;
  const ownWallets = ownWalletsOf(options);
  const capabilities = capabilitiesWith(PAWAPAY_CAPABILITIES, options);
  const requests = requestOptionsOf(options);
  const { callTimeoutMs, callsAtOnce: maxConnections } = capabilities;
  const connect = (): ProviderHttp =>
    new ProviderHttp({ baseUrl, headers: { authorization: `Bearer ${credential}` }, callTimeoutMs, maxConnections });
  // Apart, so that submits which pawaPay does not answer keep nobody from asking what became of payouts.
  const paying = connect();
  const asking = connect();
  const floats = floatsOf(ownWallets);
  const download = new StatementDownload(baseUrl);
  const statements = statementsOf(options, { asking, download, floats, clock });
  const keys = new PublicKeys(() => asking.call('GET', '/v2/public-key/http'), clock);

  const query = async (instruction: PayoutInstruction): Promise<ProviderAnswer> => {
    const { attemptId, traceparent } = instruction;
    const path = `/v2/payouts/${payoutIdOf(attemptId)}`;
    return readQuery(await asking.call('GET', path, { traceparent }), instruction);
  };
  const submit: ConnectedProvider['submit'] = async (instruction, lease) => {
    const request = toRequest(instruction, requests);
    if ('refusal' in request) return request.refusal;
    const { traceparent } = instruction;
    if (lease?.mayPay() === false) return TOO_LATE;
    const reply = await paying.call('POST', '/v2/payouts', { body: request.body, traceparent });
    const answer = readSubmit(reply, instruction);
    if (answer.outcome !== 'duplicate') return answer;
    const status = await query(instruction);
    // It has this very payout: that it cannot tell more now takes nothing from that.
    if (status.outcome !== 'query_failed' && status.outcome !== 'unknown') return status;
    return { outcome: 'submitted', providerPaymentId: payoutIdOf(instruction.attemptId) };
  };
  const judge = async (callback: ProviderCallback): Promise<Verdict> => {
    const { callbackHost: host, signatureMaxAgeMs: maxAgeMs = SIGNATURE_MAX_AGE_MS } = options;
    if (host === undefined) return { valid: false, detail: 'signatures are not checked: callback_host is not set' };
    const keyId = keyIdOf(callback);
    const known = keyId === null ? new Map() : await keys.forKey(keyId);
    const nowMs = (callback.receivedAt ?? clock.now()).getTime();
    return verifyCallback(callback, known, { host, nowMs, maxAgeMs, skewMs: SKEW_MS });
  };

  return {
    id: 'pawapay',
    capabilities,
    balanceRules: PAWAPAY_BALANCE_RULES,
    floats,
    walletOf: (via, currency) => walletOf(via, currency, ownWallets),
    submit,
    query,
    balances: async () => readBalances(await asking.call('GET', '/v2/wallet-balances'), clock.now()),
    availability: async () => readAvailability(await asking.call('GET', '/v2/availability'), clock.now()),
    predictNetwork: async ({ phone, currency, ...bounds }) => {
      const body = predictionBody(phone);
      return readPrediction(await asking.call('POST', '/v2/predict-provider', { body, ...bounds }), phone, currency);
    },
    statement: (cursor) => statements.page(cursor),
    parseCallback: async (callback) => readingOf(callback, await judge(callback)),
    resend: async (attemptId) => {
      const payoutId = payoutIdOf(attemptId);
      return readResend(await asking.call('POST', `/v2/payouts/resend-callback/${payoutId}`), payoutId);
    },
    close: async () => void (await Promise.all([paying.close(), asking.close(), download.close()])),
  };
}

function readingOf({ body }: ProviderCallback, verdict: Verdict): CallbackReading {
  const record = providerJson(body);
  const payoutId = payoutIdIn(record);
  const detail = verdict.valid ? '' : verdict.detail;
  return {
    signed: verdict.valid,
    detail,
    attemptIds: payoutId === null ? [] : attemptIdsOf(payoutId),
    answerFor: (instruction) =>
      verdict.valid
        ? readCallback(record, instruction)
        : { outcome: 'query_failed', detail: `a callback that proves nothing: ${detail}` },
  };
}

function statementsOf(
  { statementCallbackUrl: callbackUrl }: PawapayOptions,
  { asking, ...around }: { asking: ProviderHttp; download: StatementDownload; floats: readonly Float[]; clock: Clock },
): PawapayStatements {
  return new PawapayStatements({
    ...around,
    call: (method, path, call) => asking.call(method, path, call),
    beginsBackMs: PAWAPAY_CAPABILITIES.lateWindowMs,
    ...(callbackUrl !== undefined && { callbackUrl }),
  });
}

function ownWalletsOf({ ownWallets = [] }: PawapayOptions): OwnWallets {
  const unknown = ownWallets.find((name) => !PAWAPAY_NETWORKS.some(({ provider }) => provider === name));
  if (unknown !== undefined) throw new RangeError(`pawapayProvider: ownWallets names no network of ours: ${unknown}`);
  return ownWallets;
}

function requestOptionsOf({ customerMessage }: PawapayOptions): RequestOptions {
  if (customerMessage === undefined) return {};
  // pawaPay would turn down every payout for it.
  if (!CUSTOMER_MESSAGE.test(customerMessage))
    throw new RangeError('pawapayProvider: customerMessage must be 4 to 22 letters, digits and spaces');
  return { customerMessage };
}
