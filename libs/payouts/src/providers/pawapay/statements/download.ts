import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { Agent } from 'undici';

export const MAX_STATEMENT_BYTES = 32 * 1024 * 1024;
const PATIENCE_MS = 60_000;
const unzip = promisify(gunzip);

export type Download = { readonly bytes: Buffer } | { readonly failure: string };

/**
 * Fetches statements from where pawaPay has put them, which is another host than its API. So nothing of ours goes
 * there: no token and no trace. Redirects are not followed.
 */
export class StatementDownload {
  private readonly agent = new Agent({ connections: 1, pipelining: 0, connect: { timeout: PATIENCE_MS } });

  constructor(
    /** Plain http is for a sandbox whose API is plain http as well. */
    private readonly apiUrl: string,
    private readonly patienceMs = PATIENCE_MS,
    private readonly maxBytes = MAX_STATEMENT_BYTES,
  ) {}

  async get(address: string): Promise<Download> {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || !this.isAllowed(url)) return { failure: 'the address of the statement is none of https' };
    try {
      const { statusCode, body } = await this.agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        signal: AbortSignal.timeout(this.patienceMs),
      });
      const bytes = await this.bounded(body);
      if (statusCode !== 200) return { failure: `the statement's download answers HTTP ${statusCode}` };
      if (bytes === null) return { failure: `the statement has more than ${this.maxBytes} bytes` };
      return { bytes: await this.plain(bytes) };
    } catch (error) {
      // Its message may quote the address, which is a credential.
      const { code, name } = Object(error) as { code?: unknown; name?: unknown };
      return { failure: `the statement's download fails: ${String(typeof code === 'string' ? code : name)}` };
    }
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private isAllowed({ protocol, username, password }: URL): boolean {
    const isSafe = protocol === 'https:' || (protocol === 'http:' && this.apiUrl.startsWith('http:'));
    return isSafe && username === '' && password === '';
  }

  private async bounded(body: AsyncIterable<Buffer>): Promise<Buffer | null> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body) {
      length += chunk.length;
      // Leaving the loop closes the connection.
      if (length > this.maxBytes) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** [D] an older copy of the documents has it always packed. */
  private async plain(bytes: Buffer): Promise<Buffer> {
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isPacked ? await unzip(bytes, { maxOutputLength: this.maxBytes }) : bytes;
  }
}
