// Two people with a credential each: what they do, they do by `npm run vuka`.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CREDENTIAL_BYTES = 33;

export function hirePeople() {
  return ['Ann Otieno', 'Ben Mwangi'].map((name) => ({
    name,
    credential: randomBytes(CREDENTIAL_BYTES).toString('base64'),
    signing_seed: randomBytes(32).toString('base64url'),
  }));
}

/** `tell` gives the JSON of a command, and throws where it is refused; `ask` gives both. */
export async function operatorOf({ name, credential, signing_seed }, { folder, adminUrl }) {
  const [{ runCommand }, { plainPaint }] = await Promise.all([
    import('../../apps/cli/dist/run-command.js'),
    import('../../libs/terminal/dist/paint.js'),
  ]);
  const file = join(folder, `admin-of-${name.split(' ')[0].toLowerCase()}.json`);
  writeFileSync(file, JSON.stringify({ version: 1, operator: name, credential, signing_seed, url: adminUrl }), {
    mode: 0o600,
  });
  const env = { VUKA_ENV: 'live', VUKA_ADMIN_FILE: file };
  const ask = async (...words) => {
    const lines = [];
    const note = (text) => lines.push(text);
    const code = await runCommand([...words, '--json'], { env, say: note, complain: note, paint: plainPaint });
    return { code, answer: JSON.parse(lines.join('\n')) };
  };
  const tell = async (...words) => {
    const { code, answer } = await ask(...words);
    if (code !== 0)
      throw new Error(`npm run vuka -- ${words.join(' ')}: ${answer.error?.message ?? `ended with ${code}`}`);
    return answer;
  };
  return { name, ask, tell };
}

/** What one proposes the other approves; nobody approves alone. Throws where it is otherwise. */
export async function byTwo([one, other], { propose, approve, of }) {
  const { id } = of(await one.tell(...propose));
  const why = ['--reason', 'rehearsal, seen on the statement'];
  const alone = await one.ask(approve, String(id), ...why);
  if (alone.answer.error?.code !== 'forbidden') throw new Error(`${one.name} alone could do "${propose.join(' ')}"`);
  return of(await other.tell(approve, String(id), ...why));
}

/** What one asks for waits until the other approves it; the one who asked cannot. */
export async function askedByTwo([one, other], ...words) {
  const { approval } = await one.tell(...words);
  const alone = await one.ask('approve', approval.id);
  if (alone.answer.error?.code !== 'forbidden') throw new Error(`${one.name} alone could do "${words.join(' ')}"`);
  return other.tell('approve', approval.id);
}
