/** The little of RFC 8941 that signature headers are made of. null: not as it is written there. */

export interface SignatureInput {
  readonly components: readonly string[];
  readonly params: ReadonlyMap<string, string | number>;
  /** As sent: the last line of the signature base. */
  readonly raw: string;
}

/** Longest header that is read. */
const LONGEST = 4_096;

const MEMBER = /^([a-z*][a-z0-9_.*-]*)=(.+)$/s;
const INNER_LIST =
  /^\(((?: *"[\x20-\x21\x23-\x5b\x5d-\x7e]+")* *)\)((?:; *[a-z*][a-z0-9_.*-]*=(?:"[\x20-\x21\x23-\x5b\x5d-\x7e]*"|-?\d{1,15}))*)$/;
const PARAM = /; *([a-z*][a-z0-9_.*-]*)=(?:"([^"]*)"|(-?\d+))/g;
const BYTES = /^:([A-Za-z0-9+/]*={0,2}):$/;

/** Members by name; one that comes twice spoils the whole, since readers disagree about which counts. */
export function readDictionary(header: string): ReadonlyMap<string, string> | null {
  if (header.length > LONGEST) return null;
  const members = new Map<string, string>();
  for (const text of splitMembers(header)) {
    const [, name, value] = MEMBER.exec(text) ?? [];
    if (name === undefined || value === undefined || members.has(name)) return null;
    members.set(name, value);
  }
  return members;
}

/** Components with parameters of their own (`;req`, `;sf`) are not read: nobody signs callbacks so. */
export function readSignatureInput(raw: string): SignatureInput | null {
  const [, list, tail] = INNER_LIST.exec(raw) ?? [];
  if (list === undefined || tail === undefined) return null;
  const components = [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  if (new Set(components).size !== components.length) return null;
  const params = new Map<string, string | number>();
  for (const [, name = '', text, whole] of tail.matchAll(PARAM)) {
    if (params.has(name)) return null;
    params.set(name, text ?? Number(whole));
  }
  return { components, params, raw };
}

export function readBytes(text: string | undefined): Buffer | null {
  const [, base64] = BYTES.exec(text ?? '') ?? [];
  if (base64 === undefined) return null;
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips what it cannot read.
  return bytes.length > 0 && bytes.toString('base64') === base64 ? bytes : null;
}

function splitMembers(header: string): string[] {
  const members: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < header.length; at++) {
    if (header[at] === '"') isQuoted = !isQuoted;
    if (header[at] !== ',' || isQuoted) continue;
    members.push(header.slice(from, at));
    from = at + 1;
  }
  return [...members, header.slice(from)].map((text) => text.trim());
}
