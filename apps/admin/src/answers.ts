/** For views that import no service. */
export type { OpenOrderView, OrderPage } from '@vuka/checkout';
export type { KeyView, MadeKey, PartnerView, PepperView, TermsView } from '@vuka/gateway';
export type { DeliveryLogView, GivenUpWebhook, WebhookView } from '@vuka/notifier';
export type { ResealView } from '@vuka/persistence';
export type { HoldingsView, HoldingView, SwitchView, UnclaimedView } from '@vuka/offramp';
export type {
  AdjustmentView,
  AttemptView,
  CallbacksView,
  ChainAccountsView,
  CorridorSwitchView,
  CorridorsView,
  CorridorView,
  DestinationView,
  FloatMovementView,
  FreezeView,
  FrozenView,
  StalledOutbox,
  IncidentView,
  LedgerView,
  MoneyView,
  OpenRefundView,
  PostingView,
  ProviderBalancesView,
  ProviderBalanceView,
  SettlementProposal,
  SettlementView,
  StatementView,
  StuckReport,
  TransactionReport,
  TransactionSummary,
  TransitionView,
  UnappliedView,
  WaitingView,
  WalletView,
} from '@vuka/payments';
