import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Settings } from '@vuka/config';
import { SETTINGS } from '@vuka/service-host';

import { Draining } from '../http/index.js';

/** Requests have 2 s, plus the database's time. */
const DRAIN_MS = 8_000;

@Injectable()
export class HttpApi implements BeforeApplicationShutdown {
  private closed: Promise<void> | undefined;

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost<FastifyAdapter>,
    readonly draining: Draining,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'host' | 'port'>,
  ) {}

  /** Set once it listens: `http://127.0.0.1:3000`. */
  get baseUrl(): string {
    const { family, address, port } = this.host.httpAdapter.getHttpServer().address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
  }

  async listen(): Promise<void> {
    const { port, host } = this.settings;
    await this.host.httpAdapter.getInstance().listen({ port, host });
  }

  /** Waits for requests in flight. May be called twice. */
  close(): Promise<void> {
    this.closed ??= this.drain();
    return this.closed;
  }

  /** Requests end first: events and last writes still serve them. */
  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private async drain(): Promise<void> {
    this.draining.now = true;
    const { httpAdapter } = this.host;
    const closed = httpAdapter.close();
    const late = await Promise.race([closed.then(() => false), sleep(DRAIN_MS, true, { ref: false })]);
    if (late) httpAdapter.getHttpServer().closeAllConnections();
    await closed;
  }
}
