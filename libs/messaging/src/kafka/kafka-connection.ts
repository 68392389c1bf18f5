export interface KafkaConnection {
  /** `host:port` */
  readonly brokers: readonly string[];
  /** For topics and groups, so that deployments can share a cluster; '' for none. */
  readonly prefix: string;
  /** PEM texts. null: plain TCP. Without `ca`: the system's. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | null;
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
}

export function brokerName({ prefix }: Pick<KafkaConnection, 'prefix'>, name: string): string {
  return `${prefix}${name}`;
}
