import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { FastifyReply, FastifyRequest } from 'fastify';

/** Public bytes that do not change during the process. */
export class PublishedFile {
  /** Identifies these bytes; part of the file's address. */
  readonly version: string;
  readonly etag: string;
  private compressed: Promise<Buffer> | undefined;

  constructor(
    readonly type: string,
    readonly bytes: Buffer,
  ) {
    this.version = createHash('sha256').update(bytes).digest('base64url').slice(0, 20);
    this.etag = `"${this.version}"`;
  }

  gzipped(): Promise<Buffer> {
    return (this.compressed ??= promisify(gzip)(this.bytes));
  }
}

export type PublishedFiles = ReadonlyMap<string, PublishedFile>;

/** Throws if no file has this path. */
export function fileAt(files: PublishedFiles, request: FastifyRequest): PublishedFile {
  const path = request.routeOptions.url ?? '';
  const file = files.get(path);
  if (file === undefined) throw new Error(`${path} is in the table of operations, and no file`);
  return file;
}

const A_YEAR = 'public, max-age=31536000, immutable';
const ASK_FIRST = 'no-cache';

/** `versioned`: an address with the right `?v=` may be cached for good. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PublishedFile,
  { policy, versioned }: { readonly policy: string; readonly versioned: boolean },
): Promise<void> {
  const isVersioned = versioned && (request.query as { v?: unknown }).v === file.version;
  void reply.headers({
    'request-id': request.id,
    'cache-control': isVersioned ? A_YEAR : ASK_FIRST,
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    etag: file.etag,
    vary: 'accept-encoding',
  });
  if (request.server.draining.now) void reply.header('connection', 'close');
  if (request.headers['if-none-match'] === file.etag) {
    void reply.code(304).send();
    return;
  }
  const zip = /\bgzip\b/i.test(String(request.headers['accept-encoding']));
  if (zip) void reply.header('content-encoding', 'gzip');
  void reply
    .code(200)
    .header('content-type', file.type)
    .send(zip ? await file.gzipped() : file.bytes);
}
