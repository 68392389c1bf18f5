import type { Role } from './admin-methods.js';

export interface AdminRule {
  /** The least role that may ask. */
  readonly least: Role;
  /**
   * People who must agree, beside the one who asks. A proposal that a service keeps has none: its approval is an
   * operation of its own, and the service compares the two.
   */
  readonly approvals: 0 | 1;
  /** It is itself the word of the second person. */
  readonly agrees?: true;
}

const reads: AdminRule = { least: 'viewer', approvals: 0 };
const helps: AdminRule = { least: 'support', approvals: 0 };
const moves: AdminRule = { least: 'money', approvals: 0 };
const agrees: AdminRule = { least: 'money', approvals: 0, agrees: true };
const movesByTwo: AdminRule = { least: 'money', approvals: 1 };
const rulesByTwo: AdminRule = { least: 'admin', approvals: 1 };

const everywhere = {
  acts: reads,
  sealHeads: reads,
  sealedBlocks: reads,
  deadLetters: reads,
  groupsWithDeadLetter: reads,
  requestReplay: helps,
} as const;

/** Who may do what, and how many it takes. What has no row cannot be asked. */
export const ADMIN_RULES = {
  gateway: {
    ...everywhere,
    partners: reads,
    partner: reads,
    listKeys: reads,
    keyPeppers: reads,
    reseal: helps,
    terms: reads,
    createPartner: helps,
    suspendPartner: helps,
    resumePartner: helps,
    setWebhook: helps,
    // A key that leaked is shut by whoever sees it first.
    revokeKey: helps,
    issueKey: movesByTwo,
    rotateKey: movesByTwo,
    setTerms: movesByTwo,
  },
  payments: {
    ...everywhere,
    find: reads,
    codesOf: reads,
    report: reads,
    stuck: reads,
    ledger: reads,
    chainAccounts: reads,
    providerBalances: reads,
    depositsAfter: reads,
    depositsNamed: reads,
    unapplied: reads,
    openRefunds: reads,
    settlement: reads,
    incidents: reads,
    adjustments: reads,
    adjustment: reads,
    freezes: reads,
    wallets: reads,
    statement: reads,
    corridors: reads,
    callbacks: reads,
    floatMovements: reads,
    release: helps,
    resolveIncident: helps,
    freeze: helps,
    unfreeze: helps,
    corridorOff: helps,
    corridorOn: helps,
    resolveCallbacks: helps,
    reseal: helps,
    propose: moves,
    approve: agrees,
    withdraw: moves,
    proposeAdjustment: moves,
    approveAdjustment: agrees,
    withdrawAdjustment: moves,
    proposeFloatMovement: moves,
    approveFloatMovement: agrees,
    withdrawFloatMovement: moves,
    setReturnAddress: movesByTwo,
  },
  offramp: {
    ...everywhere,
    switches: reads,
    unclaimed: reads,
    depositsAfter: reads,
    depositsNamed: reads,
    chainHoldings: reads,
    openRefunds: reads,
    refundsToSign: moves,
    switchOff: helps,
    switchOn: helps,
    // Signed offline, by keys that Vuka does not have.
    takeSigned: moves,
    // Its value goes to the partner's wallet, and nowhere else.
    cancelRefund: moves,
    clearRefund: movesByTwo,
    settleRefund: movesByTwo,
  },
  checkout: { ...everywhere, openOrders: reads, order: reads, reseal: helps },
  notifier: {
    ...everywhere,
    webhooksOf: reads,
    givenUp: reads,
    deliveries: reads,
    resend: helps,
    resendFailed: helps,
    reseal: helps,
    rotateSecret: movesByTwo,
  },
  admin: {
    show: reads,
    stuck: reads,
    ledger: reads,
    partner: reads,
    refunds: reads,
    acts: reads,
    deadLetters: reads,
    groupsWithDeadLetter: reads,
    requestReplay: helps,
    sealHeads: reads,
    sealedBlocks: reads,
    operators: reads,
    approvals: reads,
    // The rule of what was asked judges who may approve it.
    approve: helps,
    decline: helps,
    removeOperator: { least: 'admin', approvals: 0 },
    makeOperator: rulesByTwo,
    changeRole: rulesByTwo,
    recoverOperator: rulesByTwo,
  },
} as const satisfies Record<string, Record<string, AdminRule>>;

/** undefined: no such operation. */
export function ruleOf(service: string, method: string): AdminRule | undefined {
  const rules = Object.hasOwn(ADMIN_RULES, service) ? ADMIN_RULES[service as keyof typeof ADMIN_RULES] : {};
  return Object.hasOwn(rules, method) ? (rules as Readonly<Record<string, AdminRule>>)[method] : undefined;
}
