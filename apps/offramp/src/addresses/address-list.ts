import { readFile } from 'node:fs/promises';

import { BootError } from '@vuka/runtime';

const MOST_BYTES = 5_000_000;

/** Throws BootError, which never shows the content. */
export async function readAddressList(variable: string, path: string): Promise<unknown> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length > MOST_BYTES) throw new Error(`it is longer than ${MOST_BYTES} characters`);
    return parsed(text);
  } catch (error) {
    throw new BootError(`${variable} ${path} cannot be read as JSON`, 'Correct the path or the file.', {
      cause: error,
    });
  }
}

/** The parser's message would repeat the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('it is not JSON');
  }
}
