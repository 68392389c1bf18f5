import type { BankData } from '../bank-data.js';

// One bank a line, for checks against the source.
// prettier-ignore
export const MWK_BANKS: readonly BankData[] = [
  { code: '82310dd1-ec9b-4fe7-a32c-2f262ef08681', name: 'National Bank of Malawi', swift: 'NBMAMWMW', swift_verified: true, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql' },
  { code: '5b9f76b1-620a-4eb9-8848-43d1e3e372dd', name: 'NBS Bank Limited', swift: 'NBSTMWMW', swift_verified: false, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql (other public lists disagree or are silent: unverified)' },
  { code: '87e62436-0553-4fb5-a76d-f27d28420c5b', name: 'Ecobank Malawi Limited', swift: 'ECOCMWMW', swift_verified: true, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql' },
  { code: 'b064172a-8a1b-4f7f-aad7-81b036c46c57', name: 'FDH Bank Limited', swift: 'FDHFMWMW', swift_verified: false, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql (other public lists disagree or are silent: unverified)' },
  { code: 'e7447c2c-c147-4907-b194-e087fe8d8585', name: 'Standard Bank Limited', swift: 'SBICMWMX', swift_verified: true, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql' },
  { code: '236760c9-3045-4a01-990e-497b28d115bb', name: 'Centenary Bank', swift: 'MBBCMWMW', swift_verified: false, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql (other public lists disagree or are silent: unverified)' },
  { code: '968ac588-3b1f-4d89-81ff-a3d43a599003', name: 'First Capital Limited', swift: 'FRCGMWMW', swift_verified: false, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql (other public lists disagree or are silent: unverified)' },
  { code: 'c759d7b6-ae5c-4a95-814a-79171271897a', name: 'CDH Investment Bank', swift: 'CDHIMWMW', swift_verified: false, source: 'PayChangu GET /direct-charge/payouts/supported-banks?currency=MWK (docs sample and public copies); swift from paycrest/aggregator 476372c mwk_institutions.sql (other public lists disagree or are silent: unverified)' },
];
