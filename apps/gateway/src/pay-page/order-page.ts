import { html, NOTHING, type Html } from '../markup/index.js';
import type { OrderPageView, Payable } from './order-page-view.js';
import { phaseText, type PhaseText, type Tone } from './phase-texts.js';
import { qrCode } from './qr-code.js';

export interface PageSurroundings {
  readonly fileAt: (name: string) => string;
  readonly sandbox: boolean;
}

/** Seconds, without JavaScript. */
const RELOAD_S = 15;

/**
 * Elements with `data-part` change: on a new state the script fetches the page and replaces them. So only the server
 * defines each phase.
 */
export function orderPage(view: OrderPageView, surroundings: PageSurroundings): string {
  const text = phaseText(view);
  return pageFrame(surroundings, {
    title: `${text.title} · ${view.due} ${view.asset}`,
    head: reloading(view),
    body: html`
<main id="order" data-state="/pay/${view.token}/state" data-phase="${view.phase}" data-received="${view.received}" data-left="${String(view.secondsLeft)}" data-poll="${String(view.pollAfterS)}" data-open="${String(view.payable !== null)}">
<section class="summary" aria-labelledby="due" data-part="summary">${summary(view)}</section>
<section class="standing" aria-label="State of the payment">
<div class="state" role="status" aria-live="polite" aria-atomic="true" data-part="state">${state(text)}</div>
<div class="clock" data-part="clock">${clock(view)}</div>
</section>
<section class="pay" aria-label="${view.payable === null ? 'What to do now' : 'How to pay'}" data-part="pay">${view.payable === null ? after(text) : howToPay(view, view.payable)}</section>
<section class="facts" aria-label="Details of the order" data-part="facts">${facts(view)}</section>
</main>
<p class="offline" role="alert" id="offline"></p>
<p class="unseen" role="status" aria-live="polite" id="said"></p>
<script src="${surroundings.fileAt('pay.js')}" defer></script>`,
  }).text;
}

interface Framed {
  readonly title: string;
  readonly head: Html;
  readonly body: Html;
}

export function pageFrame({ fileAt, sandbox }: PageSurroundings, { title, head, body }: Framed): Html {
  const badge = sandbox ? html`<span class="badge">Test: no real money</span>` : NOTHING;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<link rel="icon" type="image/svg+xml" href="${fileAt('icon.svg')}">
<link rel="stylesheet" href="${fileAt('pay.css')}">
${head}
</head>
<body>
<header class="bar"><img src="${fileAt('icon.svg')}" alt="" width="28" height="28"><span class="name">Vuka</span>${badge}</header>
${body}
<footer class="foot">Nobody who has to do with this payment ever asks for your recovery phrase, your PIN or your private key.</footer>
</body>
</html>
`;
}

function reloading({ pollAfterS }: OrderPageView): Html {
  return pollAfterS === 0
    ? NOTHING
    : html`<noscript><meta http-equiv="refresh" content="${String(RELOAD_S)}"></noscript>`;
}

function summary(view: OrderPageView): Html {
  const { payable, asset, network, currency, fiat, orderId } = view;
  const isRest = payable !== null && view.phase === 'short';
  return html`<h1 id="due"><span class="label">${isRest ? 'Still to pay' : payable === null ? 'Amount of the order' : 'Pay'}</span> <span class="amount">${payable?.amount ?? view.due} <span class="asset">${asset}</span></span></h1>
<p class="network">on <strong>${network}</strong></p>
<p class="worth">${currency} ${fiat} · order ${orderId}</p>`;
}

const SIGNS: Readonly<Record<Tone, Html>> = {
  waiting: html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>`,
  moving: html`<path d="M21 12a9 9 0 1 1-6-8.5"/>`,
  good: html`<circle cx="12" cy="12" r="9"/><path d="M8 12.5l3 3 5.5-6.5"/>`,
  bad: html`<path d="M12 3.5L2.5 20h19z"/><path d="M12 10v4.5M12 17.2v.1"/>`,
};

function sign(tone: Tone): Html {
  return html`<svg class="sign" aria-hidden="true" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${SIGNS[tone]}</svg>`;
}

function state({ tone, title, text }: PhaseText): Html {
  return html`<div class="told ${tone}">${sign(tone)}<div><h2 id="state-title" tabindex="-1">${title}</h2><p>${text}</p></div></div>`;
}

/** By the server's clock; empty once it does not matter. */
function clock({ payable, secondsLeft, lifetimeS, expiresAt }: OrderPageView): Html {
  if (payable === null) return NOTHING;
  const left = `${String(Math.floor(secondsLeft / 60))}:${String(secondsLeft % 60).padStart(2, '0')}`;
  return html`<p><span role="timer" aria-live="off" aria-label="Time left to pay"><span class="left" id="left">${left}</span></span> left to pay, until <time id="until" datetime="${expiresAt}">${timeOfDay(expiresAt)} UTC</time></p>
<progress aria-hidden="true" id="bar" max="${String(lifetimeS)}" value="${String(secondsLeft)}"></progress>`;
}

const timeOfDay = (iso: string): string => iso.slice(11, 16);

function howToPay(view: OrderPageView, payable: Payable): Html {
  const { asset, network, feeCoin } = view;
  const warning = html`<p class="warning"><strong>Send only ${asset}, and only on ${network}.</strong> Money that comes as another token or on another network does not pay this order. It takes days to get it back, or it is lost.</p>`;
  const code = qrCode(payable.uri, `QR code for your wallet: ${payable.amount} ${asset} on ${network}`);
  return html`${warning}
<div class="scan">${code}<p>Scan with your wallet, or <a href="${payable.uri}">open it on this device</a>. Check the amount there: not every wallet takes it over.</p></div>
<div class="rows">${copyRow('amount', 'Amount', payable.amount, 'number')}${addressRows(payable)}</div>
<h2 class="small">Good to know</h2>
<ul class="hints">
<li>The network’s own fee comes on top${feeCoin === '' ? '' : `, in ${feeCoin}`}. An exchange may take its fee off the amount: send so much that ${payable.amount} ${asset} arrives.</li>
<li>Too little sent? Send the rest to the same address while there is time. The parts add up.</li>
<li>What counts is when the network records your transfer. Not sure to make it? Do not send, and ask the seller for a new order. What comes late is recorded, but does not pay this order by itself.</li>
</ul>`;
}

function addressRows({ address, memoAddress, memo }: Payable): Html {
  if (memo === '') return copyRow('address', 'Address', address, 'code');
  if (memoAddress === '') return html`${copyRow('address', 'Address', address, 'code')}${memoRow(memo)}`;
  return html`${copyRow('address', 'Address', address, 'code')}
<div class="either" role="group" aria-labelledby="either"><p id="either">Your wallet does not take an address that begins with M? Use <strong>both</strong> of these instead:</p>
${copyRow('account', 'Account', memoAddress, 'code')}${memoRow(memo)}</div>`;
}

function memoRow(memo: string): Html {
  return html`${copyRow('memo', 'Memo (ID)', memo, 'code')}<p class="warning">Without this memo your payment cannot be told from others’.</p>`;
}

/** The button needs JavaScript, and is hidden without. */
function copyRow(id: string, label: string, value: string, kind: 'code' | 'number'): Html {
  return html`<div class="row"><div class="value"><span class="label" id="${id}-label">${label}</span><code class="${kind}" id="${id}" aria-labelledby="${id}-label">${value}</code></div><button type="button" class="copy" data-copy="${id}" data-what="${label}" hidden><span class="verb">Copy</span><span class="unseen"> ${label}</span></button></div>`;
}

function after({ tone, next }: PhaseText): Html {
  const isGood = tone === 'good';
  const lines =
    next.length > 1 ? html`<ul>${next.map((line) => html`<li>${line}</li>`)}</ul>` : html`<p>${next[0] ?? ''}</p>`;
  return html`<div class="after ${tone}">${isGood ? sign(tone) : NOTHING}<h2>${isGood ? 'Done' : 'What to do now'}</h2>${lines}</div>`;
}

function facts(view: OrderPageView): Html {
  const rows: readonly (readonly [string, string])[] = [
    ['Order', view.orderId],
    ['Amount', `${view.due} ${view.asset} for ${view.currency} ${view.fiat}`],
    ['Rate', `${view.rate} ${view.currency} for 1 USD`],
    ['Received', `${view.received} ${view.asset}`],
    [`${view.asset} on ${view.network}`, view.contract],
    ['Transaction', view.transactionHash === '' ? 'none yet' : view.transactionHash],
  ];
  return html`<h2 class="small">Details</h2><dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
