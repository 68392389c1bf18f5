import { readFileSync } from 'node:fs';

import type { ProviderLog } from '../sandbox-provider.js';

/** JSON lines on stdout: a simulator stands for the outside world and does not share the services' logger. */
export const stdoutLog: ProviderLog = { info: writer('info'), warn: writer('warn'), error: writer('error') };

function writer(level: string): (fields: object, message: string) => void {
  return (fields, message) => {
    const plain = Object.entries(fields).map(([name, value]: [string, unknown]): [string, unknown] => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]);
    process.stdout.write(
      `${JSON.stringify({ level, time: new Date().toISOString(), ...Object.fromEntries(plain), message })}\n`,
    );
  };
}

/** Settings of the environment whose names begin so. Errors name the setting. */
export class ProcessSettings {
  constructor(private readonly prefix: string) {}

  text(name: string): string | undefined {
    return process.env[this.prefix + name] || undefined;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new Error(`${this.prefix}${name} is not set`);
    return value;
  }

  port(name: string, otherwise: string): number {
    const text = this.text(name) ?? otherwise;
    if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error(`${this.prefix}${name} is not a port number`);
    return Number(text);
  }

  /** Undefined where it is not set; throws where it has another form. */
  matching(name: string, isGood: (text: string) => boolean, what: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && !isGood(text)) throw new Error(`${this.prefix}${name} is no ${what}`);
    return text;
  }

  /** From `<name>` or the file that `<name>_FILE` names: a file keeps it out of what a container's description tells. */
  secret(name: string): string {
    const path = this.text(`${name}_FILE`);
    return path === undefined ? this.required(name) : readFileSync(path, 'utf8').trim();
  }

  /** Key and certificate of TLS_KEY_FILE and TLS_CERT_FILE; undefined: plain http. */
  tls(): { readonly key: string; readonly cert: string } | undefined {
    const keyFile = this.text('TLS_KEY_FILE');
    if (keyFile === undefined) return undefined;
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(this.required('TLS_CERT_FILE'), 'utf8') };
  }
}
