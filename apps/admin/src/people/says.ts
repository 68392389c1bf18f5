import { untagged } from '@vuka/http';

type Args = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '–');
const list = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : 'all of its kind');

/** Of a key, from where and until when. An absent member changes nothing. */
const bounds = (args: Args): string =>
  [
    'scopes' in args ? `; may do: ${list(args['scopes'])}` : '',
    'addresses' in args ? `; from: ${Array.isArray(args['addresses']) ? list(args['addresses']) : 'anywhere'}` : '',
    'expiresAt' in args
      ? `; until: ${args['expiresAt'] instanceof Date ? args['expiresAt'].toISOString() : 'it is revoked'}`
      : '',
  ].join('');

/** What an operation does and what it posts, for whoever must agree to it. */
const SAYS: Readonly<Record<string, (args: Args) => string>> = {
  'gateway.issueKey': ({ partnerId, kind, scopes = null, addresses = null, expiresAt = null }) =>
    `a new ${text(kind)} key of partner ${text(partnerId)}${bounds({ scopes, addresses, expiresAt })}. Posts nothing`,
  'gateway.rotateKey': ({ key, overlapHours, ...changed }) =>
    `a new key in the place of ${text(key)}, which goes on for ${text(overlapHours ?? 24)} h${bounds(changed)}. Posts nothing`,
  'gateway.setTerms': ({ partnerId, terms }) =>
    `terms of partner ${text(partnerId)}: ${terms === null ? 'the usual ones' : JSON.stringify(terms)}. Posts nothing`,
  'notifier.rotateSecret': ({ partnerId, overlapHours }) =>
    `a new webhook secret of partner ${text(partnerId)}; the old one goes on for ${text(overlapHours ?? 24)} h. Posts nothing`,
  'payments.setReturnAddress': ({ partnerId, chain, address }) =>
    `deposits of partner ${text(partnerId)} on ${text(chain)} go back to ${address === null ? 'nobody' : text(address)}. Posts nothing now: later refunds go there`,
  'offramp.clearRefund': ({ refundId }) =>
    `refund ${text(refundId)}, which was stopped, is sent. Posts the refund when it is final`,
  'offramp.settleRefund': ({ refundId, sent }) =>
    sent === null
      ? `refund ${text(refundId)} was not sent, and is prepared again. Posts nothing now`
      : `refund ${text(refundId)} was sent as ${text(sent)}. Posts the refund`,
  'admin.makeOperator': ({ name, role }) => `an operator ${text(name)} of the role ${text(role)}. Posts nothing`,
  'admin.changeRole': ({ name, role }) => `${text(name)} gets the role ${text(role)}. Posts nothing`,
  'admin.recoverOperator': ({ name }) => `${text(name)} gets another credential. Posts nothing`,
};

const LONGEST = 2_000;

/** `args`: tagged JSON, one object. */
export function says(operation: string, args: readonly unknown[]): string {
  const act = untagged(args[0] ?? {}) as Args;
  const reason = typeof act['reason'] === 'string' ? ` (${act['reason']})` : '';
  const said = `${SAYS[operation]?.(act) ?? operation}${reason}`;
  return said.length > LONGEST ? `NOT ALL OF IT IS SHOWN: ${said.slice(0, LONGEST)}…` : said;
}
