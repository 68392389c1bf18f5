import { isLoopback, readCertificates, readPrivateKey, refuseSetting, type Settings } from '@vuka/config';
import type { ServerCertificate } from '@vuka/http';

/** Where this service answers the others, and how it speaks with them. */
export interface InternalSettings {
  readonly host: string;
  readonly port: number;
  /** null: without TLS. */
  readonly tls: ServerCertificate | null;
  /** PEM: whose certificates it believes when it calls. Absent: Node's own list. */
  readonly ca?: string;
}

/** As read, each by its own rule. */
export interface InternalVariables {
  readonly VUKA_INTERNAL_HOST: string;
  readonly VUKA_INTERNAL_PORT: number;
  readonly VUKA_INTERNAL_TLS: 'true' | 'false' | 'mesh';
  readonly VUKA_INTERNAL_CERT_FILE?: string | undefined;
  readonly VUKA_INTERNAL_KEY_FILE?: string | undefined;
  readonly VUKA_INTERNAL_CA_FILE?: string | undefined;
}

const FILES = ['VUKA_INTERNAL_CERT_FILE', 'VUKA_INTERNAL_KEY_FILE', 'VUKA_INTERNAL_CA_FILE'] as const;

/** Throws SettingsError: also in live where others would be answered in the clear. */
export async function internalOf(given: InternalVariables, env: Settings['env']): Promise<InternalSettings> {
  const { VUKA_INTERNAL_HOST: host, VUKA_INTERNAL_PORT: port, VUKA_INTERNAL_TLS: mode } = given;
  if (mode === 'true') return { host, port, ...(await filesOf(given)) };
  const idle = FILES.find((name) => given[name] !== undefined);
  if (idle !== undefined) refuseSetting(idle, 'left out unless VUKA_INTERNAL_TLS is true');
  if (env === 'live' && mode === 'false' && !isLoopback(host))
    refuseSetting(
      'VUKA_INTERNAL_TLS',
      'true, or mesh where a service mesh encrypts, when VUKA_ENV is live and VUKA_INTERNAL_HOST is reached from other machines',
    );
  return { host, port, tls: null };
}

async function filesOf(given: InternalVariables): Promise<Pick<InternalSettings, 'tls' | 'ca'>> {
  const { VUKA_INTERNAL_CERT_FILE: certFile, VUKA_INTERNAL_KEY_FILE: keyFile, VUKA_INTERNAL_CA_FILE: caFile } = given;
  if (certFile === undefined) return refuseSetting('VUKA_INTERNAL_CERT_FILE', 'set when VUKA_INTERNAL_TLS is true');
  if (keyFile === undefined) return refuseSetting('VUKA_INTERNAL_KEY_FILE', 'set when VUKA_INTERNAL_TLS is true');
  const cert = await readCertificates('VUKA_INTERNAL_CERT_FILE', certFile);
  const key = await readPrivateKey('VUKA_INTERNAL_KEY_FILE', keyFile, cert);
  return {
    tls: { cert, key },
    ...(caFile !== undefined && { ca: await readCertificates('VUKA_INTERNAL_CA_FILE', caFile) }),
  };
}
