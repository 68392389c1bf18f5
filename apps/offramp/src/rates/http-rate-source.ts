import { Agent, request, type Dispatcher } from 'undici';
import { z } from 'zod';

import type { RateReading, RateSource } from './rate-source.js';

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 64 * 1024;

const decimal = z.string().regex(/^\d{1,12}(\.\d{1,18})?$/);
/** Format: docs/operators/rates.md. */
const answer = z.object({
  at: z.iso.datetime(),
  rates: z.record(z.string().regex(/^[A-Z]{3}$/), decimal).refine((rates) => Object.keys(rates).length <= 200),
  pegs: z
    .record(z.string().max(20), decimal)
    .refine((pegs) => Object.keys(pegs).length <= 50)
    .default({}),
});

/** 3 s, 64 KiB, no redirects. Errors never show the URL, which may hold a key. */
export class HttpRateSource implements RateSource {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number = TIMEOUT_MS,
  ) {
    this.agent = new Agent({
      connections: 1,
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: MAX_BYTES,
    });
  }

  async read(): Promise<RateReading> {
    const { statusCode, body } = await this.ask();
    const text = await body.text().catch((error: unknown) => refuse(`broke off: ${nameOf(error)}`));
    if (statusCode !== 200) return refuse(`answered ${statusCode}`);
    const parsed = answer.safeParse(jsonOf(text));
    if (!parsed.success) return refuse(`answered something else: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
    const { at, rates, pegs } = parsed.data;
    return { at: new Date(at), mids: new Map(Object.entries(rates)), pegs: new Map(Object.entries(pegs)) };
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private ask(): Promise<Dispatcher.ResponseData> {
    const options = {
      dispatcher: this.agent,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(this.timeoutMs),
    };
    return request(this.url, options).catch((error: unknown) => refuse(`does not answer: ${nameOf(error)}`));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function refuse(what: string): never {
  throw new Error(`the source of rates ${what}`);
}

/** Only a code, because messages may quote the URL. */
function nameOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'an error';
}
