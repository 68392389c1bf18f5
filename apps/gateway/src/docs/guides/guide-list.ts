/** One page for partners: where it is served, and the file under `docs` that it is made from. */
export interface Guide {
  readonly name: string;
  /** In the navigation; the page's own heading may be longer. */
  readonly title: string;
  readonly file: string;
}

const guide = (name: string, title: string, file = `partners/${name}.md`): Guide => ({ name, title, file });

/** In the order of the navigation. */
export const GUIDE_GROUPS: readonly { readonly title: string; readonly guides: readonly Guide[] }[] = [
  {
    title: 'Start',
    guides: [
      guide('first-payout', 'First payout'),
      guide('sandbox', 'Sandbox numbers'),
      guide('sandbox-chains', 'Sandbox chains'),
      guide('keys', 'Keys'),
      guide('going-live', 'Go live'),
    ],
  },
  {
    title: 'Pay and collect',
    guides: [
      guide('payouts', 'Payouts'),
      guide('pay', 'Pay with stablecoin'),
      guide('rates-and-quotes', 'Rates and quotes'),
      guide('checkout', 'Checkout'),
      guide('refunds', 'Refunds'),
      guide('lookups', 'Lookups'),
    ],
  },
  {
    title: 'Follow the money',
    guides: [
      guide('states', 'States'),
      guide('where-is-my-money', 'Where is my money?'),
      guide('webhooks', 'Webhooks'),
      guide('webhook-signatures', 'Verify a webhook'),
    ],
  },
  {
    title: 'Rules',
    guides: [
      guide('errors', 'Errors'),
      guide('error-codes', 'Error codes', 'generated/error-codes.md'),
      guide('limits', 'Limits and fees'),
      guide('currencies', 'Currencies', 'generated/currencies.md'),
      guide('coverage', 'Coverage in live', 'generated/providers.md'),
    ],
  },
];

/** The first page: it is not in the navigation, as the name of the site leads to it. */
export const HOME = { name: '', title: 'For partners', file: 'partners/README.md' } as const satisfies Guide;

export const GUIDES: readonly Guide[] = GUIDE_GROUPS.flatMap(({ guides }) => guides);

export const guidePath = ({ name }: Pick<Guide, 'name'>): string => (name === '' ? '/docs' : `/docs/guides/${name}`);
