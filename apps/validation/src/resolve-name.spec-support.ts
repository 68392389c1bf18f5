import { expect } from '@jest/globals';
import type { ResolvedName } from '@vuka/contracts';
import type { Result } from '@vuka/domain';
import type { NameAnswer, NameProvider, NameQuestion, NetworkAnswer, NetworkProvider, PaidVia } from '@vuka/payouts';

const NEVER_PAYS = (): never => {
  throw new Error('nothing is paid here');
};

export class NamingProvider implements NameProvider {
  readonly asked: NameQuestion[] = [];
  readonly floats = [];
  walletOf = NEVER_PAYS;
  submit = NEVER_PAYS;
  query = NEVER_PAYS;

  constructor(
    public answers: (question: NameQuestion) => NameAnswer | Promise<NameAnswer>,
    readonly id = 'sandbox',
  ) {}

  get capabilities(): NameProvider['capabilities'] {
    return {
      dedupesForMs: null,
      notFoundProvesAfterMs: null,
      lateWindowMs: 0,
      latePollScheduleMs: [1],
      pollScheduleMs: [1],
      callTimeoutMs: 3_000,
      resolvesNames: true,
      debitsAt: 'payment',
      callsAtOnce: 8,
    };
  }

  lookUpName(question: NameQuestion): Promise<NameAnswer> {
    this.asked.push(question);
    return Promise.resolve(this.answers(question));
  }
}

/** Pays phones in KES, tells no names. */
export class PredictingProvider implements NetworkProvider {
  readonly questions: object[] = [];
  readonly id = 'predicting';
  readonly floats = [];
  submit = NEVER_PAYS;
  query = NEVER_PAYS;
  readonly capabilities = new NamingProvider(NEVER_PAYS).capabilities;

  constructor(private readonly answer: NetworkAnswer | Error) {}

  walletOf(via: PaidVia, currency: string): string | null {
    return via.kind === 'mobile' && currency === 'KES' ? 'ke' : null;
  }

  async predictNetwork(question: object): Promise<NetworkAnswer> {
    this.questions.push(question);
    if (this.answer instanceof Error) throw this.answer;
    return this.answer;
  }
}

export function heldAnswer(): { readonly answer: Promise<NameAnswer>; readonly give: (answer: NameAnswer) => void } {
  let give: (answer: NameAnswer) => void = () => undefined;
  const answer = new Promise<NameAnswer>((resolve) => {
    give = resolve;
  });
  return { answer, give: (given) => give(given) };
}

export function expectUnknown(answer: Result<ResolvedName>): void {
  expect(answer).toEqual({
    ok: false,
    error: { code: 'service_unavailable', message: expect.stringMatching(/Nothing is known/) },
  });
}
