export { admin } from './admin.js';
export type * from './answers.js';
export { LocalAdmin } from './local/local-admin.js';
export { adminDatabase } from './local/local-operations.js';
export type { ServiceCalls } from './service-calls.js';
export type { AuditPage, AuditEntriesWanted, ActView } from './views/audit-entries.js';
export {
  AdminViews,
  type LedgerPage,
  type PartnerPage,
  type RefundPage,
  type ShowView,
  type StuckView,
  type TransactionPage,
} from './views/admin-views.js';
export type { DeadLetterView, GivenUpView } from './views/message-views.js';
export type { ViewMethods } from './views/view-methods.js';
export type { OperatorView } from './people/operators.js';
export type { PeopleMethods } from './people/people-methods.js';
