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
