import type { ConnectedProvider, PayoutInstruction, ProviderCapabilities, RailAnswer } from '../../payout-provider.js';
import { RailHttp } from '../../rail-http.js';
import { readQuery, readSubmit, submitBody } from './sandbox-mapping.js';

export interface SandboxProviderOptions {
  readonly baseUrl: string;
  readonly credential: string;
  /** Default 3,000. */
  readonly callTimeoutMs?: number;
  /** Calls at one time; more wait their turn within their timeout. Default 128. */
  readonly maxConnections?: number;
}

const CAPABILITIES = {
  dedupesById: true,
  lateWindowMs: 60_000,
  // The rail pays one second after it accepts; the rest is for when it is down or holds a payment back.
  pollScheduleMs: [1_050, 300, 500, 1_000, 2_000, 5_000, 15_000],
  callTimeoutMs: 3_000,
  resolvesNames: true,
} as const satisfies ProviderCapabilities;

/** The sandbox rail (apps/sandbox-rail) over HTTP. */
export function sandboxProvider(options: SandboxProviderOptions): ConnectedProvider {
  const callTimeoutMs = options.callTimeoutMs ?? CAPABILITIES.callTimeoutMs;
  const http = new RailHttp({
    baseUrl: options.baseUrl,
    headers: { authorization: `Bearer ${options.credential}` },
    callTimeoutMs,
    maxConnections: options.maxConnections ?? 128,
  });
  const query = async (instruction: PayoutInstruction): Promise<RailAnswer> => {
    const reply = await http.call('GET', `/v1/payouts/${encodeURIComponent(instruction.attemptId)}`, { traceparent: instruction.traceparent });
    return readQuery(reply, instruction);
  };
  const submit = async (instruction: PayoutInstruction): Promise<RailAnswer> => {
    const answer = readSubmit(await http.call('POST', '/v1/payouts', { body: submitBody(instruction), traceparent: instruction.traceparent }), instruction);
    if (answer.outcome !== 'duplicate') return answer;
    const status = await query(instruction);
    // The rail has said that it holds this very payout; that it cannot tell more now takes nothing from that.
    return status.outcome === 'query_failed' ? { outcome: 'submitted' } : status;
  };
  return { id: 'sandbox', capabilities: { ...CAPABILITIES, callTimeoutMs }, submit, query, close: () => http.close() };
}
