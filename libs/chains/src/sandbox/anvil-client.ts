import { FetchRequest, JsonRpcProvider } from 'ethers';

import { SandboxNodeError } from './sandbox-hands.js';

const TIMEOUT_MS = 10_000;

/** Sandbox only; the URL holds no key. */
export class AnvilClient {
  private readonly provider: JsonRpcProvider;

  constructor(url: string, chainId: number) {
    const request = new FetchRequest(url);
    request.timeout = TIMEOUT_MS;
    this.provider = new JsonRpcProvider(request, chainId, { staticNetwork: true, cacheTimeout: -1, batchStallTime: 0 });
  }

  async ask<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    try {
      return (await this.provider.send(method, params)) as T;
    } catch (error) {
      throw new SandboxNodeError(`the node refuses ${method}: ${told(error)}`, { cause: error });
    }
  }

  close(): void {
    this.provider.destroy();
  }
}

/** Without ethers' copy of the request. */
function told(error: unknown): string {
  const {
    error: inner,
    shortMessage,
    message,
  } = error as { error?: { message?: string }; shortMessage?: string; message?: string };
  return inner?.message ?? shortMessage ?? message ?? String(error);
}
