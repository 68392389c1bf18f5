import { Inject, Injectable } from '@nestjs/common';
import type { paymentsApi } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import {
  type ApprovalProvider,
  asksForApproval,
  callbackHeaders,
  type CallbackTokens,
  isOneOf,
  type PayoutProvider,
  type ProviderCallback,
} from '@vuka/payouts';
import { answerWithin, type CounterMetric, type Logger, Metrics } from '@vuka/runtime';
import { CALLBACK_TOKENS, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';
import type { z } from 'zod';

import { type ApprovalRefusal, DecideApproval } from './decide-approval.js';

type AnswerApprovalOperation = (typeof paymentsApi)['operations']['answerApproval'];
export type AnswerApprovalInput = z.output<AnswerApprovalOperation['input']>;
export type ApprovalAnswer = z.input<AnswerApprovalOperation['output']>;

/** Less than the gateway waits. */
export const DECIDED_WITHIN_MS = 2_000;

const NOBODYS: Problem = { code: 'not_found', message: 'No provider has this path' };

/**
 * Answers a provider that asks before it pays, in its own words. Yes is said only where the decision came in time: an
 * outage, a bug and a late decision are a refusal. A decision that comes later says no more than that the provider
 * has our id.
 */
@Injectable()
export class AnswerApproval {
  private readonly providers: ReadonlyMap<string, ApprovalProvider>;
  private readonly answers: CounterMetric<'provider' | 'answer'>;

  constructor(
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CALLBACK_TOKENS) private readonly tokens: CallbackTokens,
    private readonly decisions: DecideApproval,
    metrics: Metrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.providers = new Map(providers.filter(asksForApproval).map((provider) => [provider.id, provider]));
    this.answers = metrics.counter(
      'vuka_approvals_total',
      'Questions of providers that ask before they pay, by what they were answered',
      ['provider', 'answer'],
    );
  }

  /** A wrong provider and a wrong token look the same, and take the same time. Errors: not_found. */
  async run({ provider: id, token, ...question }: AnswerApprovalInput): Promise<Result<ApprovalAnswer>> {
    const provider = this.providers.get(id);
    const isOurs = isOneOf(token, provider === undefined ? [] : (this.tokens.get(id) ?? []));
    if (provider === undefined || !isOurs) return fail(NOBODYS);
    const answer = await this.decide(provider, {
      ...question,
      headers: callbackHeaders(question.headers),
      body: Buffer.from(question.body, 'base64'),
    });
    this.answers.add({ provider: id, answer });
    const { status, contentType, body } = provider.approvalReply(answer === 'approved');
    return ok({ status, content_type: contentType, body });
  }

  private async decide(
    provider: ApprovalProvider,
    question: ProviderCallback,
  ): Promise<'approved' | 'trouble' | ApprovalRefusal> {
    try {
      const decision = await answerWithin(DECIDED_WITHIN_MS, this.decisions.run(provider, question), null);
      if (decision === null) throw new Error('no decision in time');
      return decision.isApproved ? 'approved' : decision.why;
    } catch (error) {
      this.log.error(
        { code: 'approval_refused', provider: provider.id, why: 'trouble', err: error },
        'a provider asked whether to pay, and was told not to, because we could not decide',
      );
      return 'trouble';
    }
  }
}
