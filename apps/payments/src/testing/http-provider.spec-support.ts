import {
  sandboxProvider,
  type ConnectedProvider,
  type PayoutInstruction,
  type ProviderCapabilities,
  type ProviderAnswer,
  type TooLate,
} from '@vuka/payouts';

import { ScriptedProvider } from './payout-harness.spec-support.js';
import { TroubledSimulator } from './troubled-provider.spec-support.js';

/** Real HTTP, the test's clock. */
export class HttpProvider extends ScriptedProvider {
  private constructor(
    readonly server: TroubledSimulator,
    private readonly provider: ConnectedProvider,
    dedupes: boolean,
  ) {
    super([], dedupes);
  }

  /** Deduplicates from memory: a forgotten id is paid again. */
  static async start({ dedupes = true, callTimeoutMs = 1_000 } = {}): Promise<HttpProvider> {
    const server = await new TroubledSimulator({ dedupes: true, takesAll: true }).listen();
    return new HttpProvider(
      server,
      sandboxProvider({ baseUrl: server.baseUrl, credential: 'the-credential-of-this-test', callTimeoutMs }),
      dedupes,
    );
  }

  override get capabilities(): ProviderCapabilities {
    return { ...super.capabilities, callTimeoutMs: this.provider.capabilities.callTimeoutMs };
  }

  override submit(instruction: PayoutInstruction): Promise<ProviderAnswer | TooLate> {
    this.submitted.push(instruction.attemptId);
    return this.provider.submit(instruction);
  }

  override query(instruction?: PayoutInstruction): Promise<ProviderAnswer> {
    if (!instruction) throw new Error('a provider is asked about an id');
    this.queries += 1;
    return this.provider.query(instruction);
  }

  async stop(): Promise<void> {
    await this.provider.close();
    await this.server.stop();
  }
}
