import { setTimeout as pause } from 'node:timers/promises';

import { say } from '../command/progress.mjs';

const INDENT = '   ';
const READ_MS = 1_300;
const WIDTH = 100;
const UNBROKEN = '\u00a0';
const EVENT_WIDTH = 'transaction.processing'.length;
const STATUS_PAINT = { COMPLETE: 'green', FAILED: 'red', REVERSED: 'red', PROCESSING: 'yellow', PENDING: 'yellow' };

export class Screen {
  broken = [];
  #acts = 0;

  constructor(paint, isFast) {
    this.paint = paint;
    this.isFast = isFast;
  }

  async act(title, ...words) {
    const { paint } = this;
    this.#acts += 1;
    say(`\n${paint.bold(`${String(this.#acts).padStart(2)} ${title}`)}`);
    for (const line of words.flatMap(wrapped)) say(INDENT + paint.dim(line));
    await this.breathe();
  }

  async breathe() {
    if (!this.isFast) await pause(READ_MS);
  }

  line(text) {
    say(INDENT + text);
  }

  call(path, body, answer) {
    const { paint } = this;
    const fields = Object.entries(body)
      .filter(([name, value]) => name !== 'callback_url' && value !== '')
      .map(([name, value]) => `${name}:${UNBROKEN}${shortened(value)}`);
    const [first, ...rest] = wrapped(`POST ${path}${fields.length === 0 ? '' : ` {${fields.join(', ')}}`}`).map(
      (line) => line.replaceAll(UNBROKEN, ' '),
    );
    const at = first.indexOf('{');
    say(`${INDENT}${paint.cyan('→')} ${at === -1 ? first : first.slice(0, at) + paint.dim(first.slice(at))}`);
    for (const line of rest) say(`${INDENT}  ${paint.dim(line)}`);
    say(`${INDENT}${paint.cyan('←')} ${answer.status} ${this.#gist(answer.body)}`);
  }

  #gist({ message, data = {} }) {
    const {
      status,
      done,
      buying_rate: buying,
      quoted_rate: middle,
      quote_id: quote,
      asset_amount: due,
      settlement_wallet_address: address,
      payment_url: page,
    } = data;
    if (buying !== undefined) return `${buying} for a dollar of stablecoin; the middle of the market is ${middle}`;
    if (quote !== undefined && status === undefined)
      return `send ${due} to ${address}, at ${data.rate}, held for ${data.expires_in} s`;
    if (page !== undefined)
      return `${this.status(status)}, send ${due} to ${data.address}, at ${data.rate}, within ${data.expires_in} s`;
    return status === undefined ? message : `${done === undefined ? '' : `${message}, `}${this.status(status)}`;
  }

  webhook({
    event,
    order_id: order,
    transaction_code: code = order,
    receipt_number: receipt,
    public_name: name,
    status,
    isGenuine,
  }) {
    const { paint } = this;
    const signature = isGenuine ? paint.green('signature ✓') : paint.red('signature ✗');
    const facts = [code, receipt && `receipt ${receipt}`, name].filter(Boolean).join(', ');
    say(
      `${INDENT}${paint.yellow('⚡')} ${this.status(status, event.padEnd(EVENT_WIDTH))}  ${signature}  ${paint.dim(facts)}`,
    );
    if (!isGenuine) this.broken.push(`the signature of a webhook of ${code} verifies`);
  }

  promise(isKept, text) {
    const { paint } = this;
    say(`${INDENT}${isKept ? paint.green('✓') : paint.red('✗')} ${isKept ? text : paint.bold(text)}`);
    if (!isKept) this.broken.push(text);
    return isKept;
  }

  quote(command, text) {
    this.typed(`npm run vuka -- ${command}`, text);
  }

  typed(line, text) {
    say(`${INDENT}${this.paint.cyan('$')} ${line}`);
    for (const printed of text.split('\n')) say(`${INDENT}${this.paint.dim('│')} ${printed}`);
  }

  status(status, text = status) {
    return this.paint[STATUS_PAINT[status] ?? 'bold'](text);
  }
}

function shortened(value) {
  const text = String(value);
  return /^(0x)?[0-9a-f-]{36,}$/i.test(text) ? `${text.slice(0, 10)}…${text.slice(-4)}` : text;
}

function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
