import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { callbackHeaders, type ProviderCallback } from '@vuka/payouts';
import { Cipher } from '@vuka/runtime';

import type { ClaimedCallback, NewCallback } from './callback.store.js';

export interface ReceivedCallback {
  readonly provider: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Named by the path. */
  readonly attemptReference: string | null;
}

/** JSON. `body` is base64. */
interface Sealed {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly headers: ReceivedCallback['headers'];
  readonly body: string;
}

/** Kept sealed, to the byte: bodies name recipients, and paths have tokens. */
@Injectable()
export class CallbackEnvelope {
  constructor(private readonly cipher: Cipher) {}

  seal({ provider, attemptReference, body, ...request }: ReceivedCallback): NewCallback {
    const digest = createHash('sha256').update(body).digest('base64url');
    const bodyIndex = this.cipher.blindIndex(JSON.stringify(['callback', provider, attemptReference, digest]));
    const { method, host, path, headers } = request;
    const sealed: Sealed = { method, host, path, headers, body: body.toString('base64') };
    const text = this.cipher.seal(JSON.stringify(sealed), callbackBinding({ provider, bodyIndex }));
    return { provider, bodyIndex, attemptReference, sealed: text };
  }

  /** Throws if the text was not sealed for this row. */
  open(row: ClaimedCallback): ProviderCallback {
    const { headers, body, ...request } = JSON.parse(this.cipher.open(row.sealed, callbackBinding(row))) as Sealed;
    return {
      ...request,
      headers: callbackHeaders(headers),
      body: Buffer.from(body, 'base64'),
      receivedAt: row.receivedAt,
      ...(row.attemptReference !== null && { attemptId: row.attemptReference }),
    };
  }
}

export function callbackBinding({ provider, bodyIndex }: Pick<NewCallback, 'provider' | 'bodyIndex'>): string {
  return `provider_callbacks:${provider}:${bodyIndex}:sealed`;
}
