import { WALLET_CURRENCIES } from '@vuka/domain';
import { systemClock } from '@vuka/runtime';

import {
  type BalanceProvider,
  type BalancesAnswer,
  type ConnectedProvider,
  type Float,
  MAIN_WALLET,
  type NameAnswer,
  type NameProvider,
  type NameQuestion,
  type PayoutInstruction,
  type ProviderAnswer,
  TOO_LATE,
} from '../../payout-provider.js';
import type { StatementProvider } from '../../statement-provider.js';
import { ProviderHttp } from '../../provider-http.js';
import { readBalances, SANDBOX_BALANCE_RULES } from './sandbox-balance.js';
import { lookupBody, readLookup } from './sandbox-lookup.js';
import { readQuery, readSubmit, submitBody } from './sandbox-mapping.js';
import { SANDBOX_PROFILES, type SandboxProfile } from './sandbox-profiles.js';
import { readStatement } from './sandbox-statement.js';

export interface SandboxProviderOptions {
  readonly baseUrl: string;
  readonly credential: string;
  /** Also the provider's id. Default `sandbox`. */
  readonly profile?: SandboxProfile;
  readonly refundSafeAfterMs?: number;
  readonly callTimeoutMs?: number;
  /** For each of submits, queries and lookups. More wait within their timeout. */
  readonly maxConnections?: number;
}

const FLOATS: readonly Float[] = WALLET_CURRENCIES.map((currency) => ({ wallet: MAIN_WALLET, currency }));

/** Client of apps/sandbox. */
export function sandboxProvider(options: SandboxProviderOptions): ConnectedProvider & NameProvider & BalanceProvider {
  const { profile = 'sandbox', baseUrl, credential } = options;
  const { capabilities, hasStatement } = SANDBOX_PROFILES[profile];
  const refundSafeAfterMs = options.refundSafeAfterMs ?? capabilities.refundSafeAfterMs;
  const callTimeoutMs = options.callTimeoutMs ?? capabilities.callTimeoutMs;
  const maxConnections = options.maxConnections ?? capabilities.callsAtOnce;
  const connect = (): ProviderHttp =>
    new ProviderHttp({ baseUrl, headers: { authorization: `Bearer ${credential}` }, callTimeoutMs, maxConnections });
  // Separate pools: unanswered submits and lookups must not block queries.
  const paying = connect();
  const asking = connect();
  const naming = connect();

  const query = async (instruction: PayoutInstruction): Promise<ProviderAnswer> => {
    const reply = await asking.call('GET', `/v1/payouts/${encodeURIComponent(instruction.attemptId)}`, {
      traceparent: instruction.traceparent,
    });
    return readQuery(reply, instruction);
  };
  const submit: ConnectedProvider['submit'] = async (instruction, lease) => {
    if (lease?.mayPay() === false) return TOO_LATE;
    const answer = readSubmit(
      await paying.call('POST', '/v1/payouts', { body: submitBody(instruction), traceparent: instruction.traceparent }),
      instruction,
    );
    if (answer.outcome !== 'duplicate') return answer;
    const status = await query(instruction);
    // The provider said that it has this payout. A failed or empty query afterwards does not disprove it.
    return status.outcome === 'query_failed' || status.outcome === 'unknown' ? { outcome: 'submitted' } : status;
  };
  const lookUpName = async (question: NameQuestion): Promise<NameAnswer> => {
    const { traceparent, timeoutMs } = question;
    return readLookup(await naming.call('POST', '/v1/lookups', { body: lookupBody(question), traceparent, timeoutMs }));
  };
  const balances = async (): Promise<BalancesAnswer> =>
    readBalances(await asking.call('GET', '/v1/balance'), systemClock.now());
  const close = async (): Promise<void> => void (await Promise.all([paying.close(), asking.close(), naming.close()]));
  const balanceRules = SANDBOX_BALANCE_RULES;
  const provider: ConnectedProvider & NameProvider & BalanceProvider = {
    id: profile,
    capabilities: { ...capabilities, callTimeoutMs, refundSafeAfterMs },
    floats: FLOATS,
    walletOf: () => MAIN_WALLET,
    submit,
    query,
    lookUpName,
    balanceRules,
    balances,
    close,
  };
  if (!hasStatement) return provider;
  const telling: typeof provider & StatementProvider = {
    ...provider,
    statement: (cursor) => readStatement(asking, cursor),
  };
  return telling;
}
