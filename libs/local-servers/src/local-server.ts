/** A server that runs natively on this machine, on a free port, in a folder of its own. */
export interface LocalServer {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** Asks it to end and waits; bounded. */
  stop(): Promise<void>;
}
