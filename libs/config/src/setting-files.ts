import { X509Certificate, createPrivateKey } from 'node:crypto';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';

import { refuseSetting } from './refuse-setting.js';

/** Larger than a full system CA bundle. */
const MAX_BYTES = 1_000_000;
/** The group may read: platforms mount secrets that way. */
const OPEN_TO_OTHERS = 0o027;

/** Throws SettingsError, with the path and never the content. */
async function readSettingFile(variable: string, path: string): Promise<string> {
  return (await readBounded(variable, resolve(path))).text;
}

async function readPrivateFile(variable: string, path: string): Promise<string> {
  const { text, mode } = await readBounded(variable, resolve(path));
  if (process.platform !== 'win32' && (mode & OPEN_TO_OTHERS) !== 0) {
    refuseSetting(
      variable,
      `a file that other users cannot read (chmod 600 or 640): ${resolve(path)} has mode ${(mode & 0o777).toString(8).padStart(3, '0')}`,
    );
  }
  return text;
}

/** undefined: no JSON. The parser's message may quote a secret, so we drop it. */
export async function readPrivateJson(variable: string, path: string): Promise<unknown> {
  return parsed(await readPrivateFile(variable, path));
}

/** Of a file that holds no secret. undefined: no JSON. */
export async function readSettingJson(variable: string, path: string): Promise<unknown> {
  return parsed(await readSettingFile(variable, path));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function readCertificates(variable: string, path: string): Promise<string> {
  const text = await readSettingFile(variable, path);
  if (!isReadable(() => new X509Certificate(text)))
    refuseSetting(variable, `a file of certificates in PEM: ${resolve(path)} is not PEM`);
  return text;
}

/** PEM without a passphrase, from a private file. `certificate`: PEM that it must belong to. */
export async function readPrivateKey(variable: string, path: string, certificate?: string): Promise<string> {
  const text = await readPrivateFile(variable, path);
  if (!isReadable(() => createPrivateKey(text)))
    refuseSetting(variable, `a file with a private key in PEM, without a passphrase: ${resolve(path)} has none`);
  if (certificate !== undefined && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(text)))
    refuseSetting(variable, `the key of the certificate: ${resolve(path)} has another one`);
  return text;
}

async function readBounded(variable: string, path: string): Promise<{ text: string; mode: number }> {
  try {
    const file = await open(path, 'r');
    try {
      const { mode } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
      if (bytesRead <= MAX_BYTES) return { text: buffer.toString('utf8', 0, bytesRead), mode };
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    refuseSetting(variable, `a readable file: ${path} cannot be read (${code ?? message})`);
  }
  return refuseSetting(variable, `a file of at most ${MAX_BYTES} bytes: ${path} is larger`);
}

function isReadable(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
