import type { OrderPageView, Phase } from './order-page-view.js';

/** Each has a sign, because colour alone is not enough. */
export type Tone = 'waiting' | 'moving' | 'good' | 'bad';

export interface PhaseText {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
  /** Steps once nothing may be paid; else []. */
  readonly next: readonly string[];
}

type View = Pick<OrderPageView, 'asset' | 'network' | 'due' | 'received' | 'missing' | 'surplus' | 'orderId'>;

const NOT_AGAIN = 'Do not send anything to the address of this order any more.';
const transactionToo = (view: View): string =>
  `Ask the seller, and give them the order ${view.orderId} and the ID of your transaction.`;

/** Unescaped. */
const TEXTS: Readonly<Record<Phase, (view: View) => PhaseText>> = {
  waiting: () => ({
    tone: 'waiting',
    title: 'Waiting for your payment',
    text: 'This page notices by itself when it arrives. Nothing needs to be clicked here.',
    next: [],
  }),
  short: ({ asset, received, due, missing }) => ({
    tone: 'bad',
    title: `${missing} ${asset} is missing`,
    text: `${received} of ${due} ${asset} has arrived. Send the rest to the same address before the time is up.`,
    next: [],
  }),
  lost: ({ network }) => ({
    tone: 'bad',
    title: 'Your payment has not gone through',
    text: `A transfer was seen on ${network} and is gone again. Look into your wallet: send once more only if it failed there.`,
    next: [],
  }),
  seen: ({ asset, received, network }) => ({
    tone: 'moving',
    title: 'Payment seen, being confirmed',
    text: `${received} ${asset} is on its way. ${network} has yet to make it final.`,
    next: [
      'Do not send it again.',
      'It takes seconds on most networks, and up to half an hour on some. You may close this page: your payment goes on without it.',
    ],
  }),
  checking: () => ({
    tone: 'moving',
    title: 'Time is up, we are looking',
    text: 'We look through the last blocks for your payment. The outcome is here in a moment.',
    next: [NOT_AGAIN, 'Did you send it in time? Then it counts, also where the network takes a little longer.'],
  }),
  paid: ({ asset, received }) => ({
    tone: 'good',
    title: 'Paid',
    text: `${received} ${asset} has arrived. Thank you.`,
    next: ['The seller has been told. You may close this page.'],
  }),
  overpaid: ({ asset, received, surplus, orderId }) => ({
    tone: 'good',
    title: 'Paid, and more than that',
    text: `${received} ${asset} has arrived, ${surplus} ${asset} more than was due.`,
    next: [
      'The seller has been told of your payment.',
      `For what is too much, ask the seller and give them the order ${orderId}.`,
    ],
  }),
  expired: (view) => ({
    tone: 'bad',
    title: 'This order has expired',
    text: 'No payment arrived in time.',
    next: [
      NOT_AGAIN,
      'To pay, ask the seller for a new order.',
      `Did you send it already? What comes late is recorded, it does not pay this order by itself. ${transactionToo(view)}`,
    ],
  }),
  underpaid: (view) => ({
    tone: 'bad',
    title: 'Not enough arrived in time',
    text: `${view.received} of ${view.due} ${view.asset} has arrived, and the time is up. The order is not paid.`,
    next: [NOT_AGAIN, `What you sent is recorded, and can be sent back or credited. ${transactionToo(view)}`],
  }),
  late: (view) => ({
    tone: 'bad',
    title: 'Your payment came too late',
    text: 'It arrived after the time was up. The order is not paid.',
    next: [NOT_AGAIN, `What you sent is recorded, and can be sent back or credited. ${transactionToo(view)}`],
  }),
  wrong_asset: (view) => ({
    tone: 'bad',
    title: 'Another token arrived',
    text: `The order was for ${view.asset} on ${view.network}. The order is not paid.`,
    next: [NOT_AGAIN, `What you sent is recorded. ${transactionToo(view)}`],
  }),
  wrong_network: (view) => ({
    tone: 'bad',
    title: 'It came on another network',
    text: `The order was for ${view.asset} on ${view.network}. The order is not paid.`,
    next: [NOT_AGAIN, `What you sent is recorded. ${transactionToo(view)}`],
  }),
};

export function phaseText(view: View & Pick<OrderPageView, 'phase'>): PhaseText {
  return TEXTS[view.phase](view);
}
