import type { Logger } from '@vuka/platform';

export interface EmbeddedPostgresOptions {
  readonly folder: string;
  readonly port?: number;
  readonly durable: boolean;
  readonly log: Logger;
}

export interface EmbeddedPostgres {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return Promise.reject(new Error(`not there yet: ${options.folder}`));
}
