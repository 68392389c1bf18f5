/** Where the brokers are and how they are spoken to. */
export interface KafkaConnection {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** Before the names of topics and groups, so that several deployments share a cluster; '' for none. */
  readonly prefix: string;
  /** null: plain TCP. PEM texts; without `ca` the system's. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | null;
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
}

/** What a topic or a group of ours is called on the broker. */
export function brokerName({ prefix }: Pick<KafkaConnection, 'prefix'>, name: string): string {
  return `${prefix}${name}`;
}
