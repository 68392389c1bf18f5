import type { Logger } from '@vuka/runtime';

/** Native process on loopback, with its own port and folder. */
export interface LocalServer {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** Exit code or signal. It is not restarted. */
  readonly ended: Promise<string>;
  /** By force if it takes too long. May be called twice. */
  stop(): Promise<void>;
}

export interface LocalServerOptions {
  /** Made if missing and kept for the next start. */
  readonly folder: string;
  readonly log: Logger;
  /** Default: the last one if free. */
  readonly port?: number;
}
