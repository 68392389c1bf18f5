import {
  sandboxProvider,
  type ConnectedProvider,
  type PayoutInstruction,
  type ProviderCapabilities,
  type RailAnswer,
} from '@vuka/payouts';

import { ScriptedRail } from './payout-road.spec-support.js';
import { TroubledRail } from './troubled-rail.spec-support.js';

/** A rail behind real HTTP with a book of its own, on a road whose clock is the test's. */
export class HttpRail extends ScriptedRail {
  private constructor(
    readonly server: TroubledRail,
    private readonly provider: ConnectedProvider,
    dedupes: boolean,
  ) {
    super([], dedupes);
  }

  /** It dedupes by its own memory alone: what it forgets, it pays again. */
  static async start({ dedupes = true, callTimeoutMs = 1_000 } = {}): Promise<HttpRail> {
    const server = await new TroubledRail({ dedupes: true, takesAll: true }).listen();
    return new HttpRail(
      server,
      sandboxProvider({ baseUrl: server.baseUrl, credential: 'the-credential-of-this-test', callTimeoutMs }),
      dedupes,
    );
  }

  override get capabilities(): ProviderCapabilities {
    return { ...super.capabilities, callTimeoutMs: this.provider.capabilities.callTimeoutMs };
  }

  override submit(instruction: PayoutInstruction): Promise<RailAnswer> {
    this.submitted.push(instruction.attemptId);
    return this.provider.submit(instruction);
  }

  override query(instruction?: PayoutInstruction): Promise<RailAnswer> {
    if (!instruction) throw new Error('a rail is asked about an id');
    this.queries += 1;
    return this.provider.query(instruction);
  }

  async stop(): Promise<void> {
    await this.provider.close();
    await this.server.stop();
  }
}
