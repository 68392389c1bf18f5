import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { chainNamed, type StellarChain } from '@vuka/domain';
import { type Clock, systemClock } from '@vuka/runtime';

import type { NodeParts } from '../node-program.js';
import { Hands } from './hands.js';
import { problemBody, type Answer, type Body } from './horizon-answers.js';
import { answerGet } from './horizon-resources.js';
import { StellarLedger } from './ledger/stellar-ledger.js';
import type { StellarHolding, StellarSend } from './sandbox-stellar.js';
import { answerSubmission } from './submissions.js';

export interface StellarNodeOptions {
  readonly clock?: Clock;
  /** Ledger interval; default: the network's. */
  readonly paceMs?: number;
  /** Default: public. */
  readonly networkPassphrase?: string;
  /** Above: 429. Sandbox calls do not count. */
  readonly mostASecond?: number;
}

const MOST_BODY_BYTES = 256 * 1024;
const MOST_A_SECOND = 2_000;

/**
 * Horizon's HTTP format, state in `folder`. The SDK makes envelopes, hashes, memos and result codes; ledgers
 * close every 5 s. There is no core: result and meta XDR are empty, and only payments are known. POST
 * /sandbox/… controls it.
 */
export async function openStellarNode(folder: string, options: StellarNodeOptions = {}): Promise<NodeParts> {
  const known = chainNamed('STELLAR');
  if (known?.family !== 'stellar') throw new Error('there is no STELLAR in the registry');
  const chain: StellarChain = { ...known, networkPassphrase: options.networkPassphrase ?? known.networkPassphrase };
  const ledger = new StellarLedger({
    folder,
    networkPassphrase: chain.networkPassphrase,
    paceMs: options.paceMs ?? chain.blockMs,
    clock: options.clock ?? systemClock,
  });
  const node = new HorizonNode(chain, ledger, options.mostASecond ?? MOST_A_SECOND);
  return { handle: node.handle, close: async () => ledger.stop() };
}

class HorizonNode {
  private readonly hands: Hands;
  private second = 0;
  private inSecond = 0;

  constructor(
    private readonly chain: StellarChain,
    private readonly ledger: StellarLedger,
    private readonly mostASecond: number,
  ) {
    this.hands = new Hands(chain, ledger);
    this.hands.install();
  }

  readonly handle: RequestListener = (request, response) => {
    // Closed, so that none outlives a restart.
    if (request.method === 'POST') response.setHeader('connection', 'close');
    this.answer(request).then(
      (answer) => send(response, answer),
      () => send(response, { status: 500, body: problemBody('server_error', 'Internal Server Error', 500) }),
    );
  };

  private async answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const isHand = url.pathname.startsWith('/sandbox/');
    if (!isHand && this.isTooOften())
      return { status: 429, body: problemBody('rate_limit_exceeded', 'Rate Limit Exceeded', 429) };
    if (request.method === 'GET') return answerGet(url, this.ledger, this.chain.networkPassphrase);
    const text = request.method === 'POST' ? await bodyOf(request) : undefined;
    if (text === undefined) return { status: 404, body: problemBody('not_found', 'Resource Missing', 404) };
    if (isHand)
      return { status: 200, body: await this.byHand(url.pathname.slice('/sandbox/'.length), JSON.parse(text)) };
    return answerSubmission(
      url.pathname,
      new URLSearchParams(text).get('tx') ?? '',
      this.ledger,
      this.chain.networkPassphrase,
    );
  }

  private async byHand(what: string, asked: unknown): Promise<Body> {
    switch (what) {
      case 'send':
        return told(await this.hands.send(asked as Partial<StellarSend>));
      case 'hold':
        return told(this.hands.hold(asked as StellarHolding));
      case 'mine':
        return this.mine((asked as { ledgers: number }).ledgers);
      case 'height':
        return { ok: this.ledger.latest };
      case 'stall':
        this.ledger.stall((asked as { on: boolean }).on);
        return { ok: null };
      default:
        return { refused: `a sandbox cannot ${what}` };
    }
  }

  private mine(ledgers: number): Body {
    try {
      this.ledger.closeNow(ledgers);
      return { ok: null };
    } catch (error) {
      if (error instanceof RangeError) return { refused: error.message };
      throw error;
    }
  }

  private isTooOften(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    this.inSecond = second === this.second ? this.inSecond + 1 : 1;
    this.second = second;
    return this.inSecond > this.mostASecond;
  }
}

const told = (
  result: { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string },
): Body => (result.ok ? { ok: result.value ?? null } : { refused: result.error });

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, {
    'content-type': status < 400 ? 'application/hal+json; charset=utf-8' : 'application/problem+json; charset=utf-8',
  });
  response.end(JSON.stringify(body));
}
