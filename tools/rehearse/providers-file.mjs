// VUKA_PROVIDERS_FILE of the rehearsal: all that pawaPay pays.
const ROUTES = {
  KES: ['Safaricom'],
  UGX: ['MTN', 'Airtel'],
  GHS: ['MTN', 'AirtelTigo', 'Telecel'],
  MWK: ['Airtel Money', 'TNM Mpamba'],
  CDF: ['Airtel Money', 'Mpesa'],
  USD: ['Airtel Money', 'Mpesa'],
  ETB: ['MPESA'],
};

/** How long the value of a failed pay waits, should pawaPay have paid after all. */
const REFUND_SAFE_MS = 15_000;

export function providersFile({ baseUrl, callbackHost }) {
  return {
    providers: [
      {
        id: 'pawapay',
        base_url: baseUrl,
        secret: 'pawapay',
        countries: ['KE', 'UG', 'GH', 'MW', 'CD', 'ET'],
        accepts_stablecoin_funds: 'consent',
        callback_host: callbackHost,
        // By default a day.
        refund_safe_after_ms: REFUND_SAFE_MS,
      },
    ],
    routes: Object.entries(ROUTES).flatMap(([currency, networks]) =>
      networks.map((network) => ({ currency, kind: 'mobile', network, providers: ['pawapay'] })),
    ),
  };
}

export const providerSecrets = ({ token, callbackToken }) => ({
  pawapay: { credential: token, callback_token: callbackToken },
});
