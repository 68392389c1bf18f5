import type { Logger } from '@vuka/runtime';

/** A server that runs natively on this machine, on loopback only, on a free port, in a folder of its own. */
export interface LocalServer {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** Settles when the process has ended, whoever ended it: how (exit code or signal). A server that dies is not started again. */
  readonly ended: Promise<string>;
  /** Asks it to end and waits; by force when it takes too long. May be called twice. */
  stop(): Promise<void>;
}

export interface LocalServerOptions {
  /** The server's own folder; made when missing, kept at the end: a second start goes on with what is in it. */
  readonly folder: string;
  readonly log: Logger;
  /** A free one (the one of last time where it is still free) when absent. */
  readonly port?: number;
}
