import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

export const actionsPath = '/history/actions'

export const actionsExportPath = `${actionsPath}/export`

/** Who acts: someone signed in, a script with an access token, a wall's screen, or Sightline itself. */
export const actorKinds = ['person', 'token', 'screen', 'system'] as const
export type ActorKind = (typeof actorKinds)[number]

/** How it came out: done, refused by Sightline, or failed (an upstream or the network). */
export const auditOutcomes = ['done', 'refused', 'failed'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/** Everything that is audited, each with the words that people read. */
export const auditActions = {
  'signed-in': 'Signed in',
  'sign-in-refused': 'Sign-in refused',
  'signed-out': 'Signed out',
  'session-ended': 'Session ended',
  'access-refused': 'Access refused',
  evaluated: 'Evaluated',
  'attestations-published': 'Published',
  'waiver-given': 'Waived',
  'waiver-renewed': 'Waiver renewed',
  'waiver-approved': 'Waiver approved',
  'waiver-ended': 'Waiver ended',
  released: 'Released',
  'release-revoked': 'Release revoked',
  assigned: 'Assigned',
  'test-quarantined': 'Test quarantined',
  'quarantine-ended': 'Quarantine ended',
  'tile-claimed': 'Tile claimed',
  'claim-released': 'Claim released',
  'tile-sleeps': 'Tile asleep',
  'tile-woken': 'Tile woken',
  'query-saved': 'Query saved',
  'query-changed': 'Query changed',
  'query-deleted': 'Query deleted',
  'query-restored': 'Query restored',
  'wall-saved': 'Wall saved',
  'wall-deleted': 'Wall deleted',
  'wall-restored': 'Wall restored',
  'access-token-created': 'Access token created',
  'screen-confirmed': 'Screen confirmed',
  'screen-revoked': 'Screen revoked',
  'alert-sent': 'Alert sent',
  'alert-retried': 'Alert sent again',
  'settings-loaded': 'Settings loaded',
  'audit-log-exported': 'Audit log exported',
  'evidence-exported': 'Evidence exported',
} as const
export type AuditAction = keyof typeof auditActions

/** The keys of `auditActions`. */
export const auditActionNames = Object.keys(auditActions).filter(
  (name): name is AuditAction => name in auditActions,
)

/**
 * The actions that everyone who may read sees, without address and session: what was decided of
 * packages and screens. All others take the permission `read-audit-log` (permission.ts).
 */
export const sharedActions = [
  'attestations-published',
  'waiver-given',
  'waiver-renewed',
  'waiver-approved',
  'waiver-ended',
  'released',
  'release-revoked',
  'assigned',
  'test-quarantined',
  'quarantine-ended',
  'tile-claimed',
  'claim-released',
  'tile-sleeps',
  'tile-woken',
  'wall-saved',
  'wall-deleted',
  'wall-restored',
  'screen-confirmed',
  'screen-revoked',
] as const satisfies readonly AuditAction[]

export const AuditedAction = z.looseObject({
  id: z.string().check(z.minLength(1)),
  at: EpochMs,
  /** The name of whoever did it. */
  by: z.string(),
  /** `actorKinds`; more may come. */
  kind: z._default(z.string(), 'person'),
  /** A key of `auditActions`; more may come. */
  action: z.string(),
  /** What it was done to: the path of a package, the name of a screen, a method and a path. */
  subject: z.string(),
  /** A plain sentence. */
  detail: z.string(),
  /** `auditOutcomes`; more may come. */
  outcome: z._default(z.string(), 'done'),
  /** The network address that it came from, and the session; null where unknown or not shown. */
  from: z.nullish(z.string()),
  session: z.nullish(z.string()),
  /** How often: refusals that repeat within a minute are one action. */
  times: z._default(z.int().check(z.positive()), 1),
  /** When it happened for the last time, where it did more than once. */
  lastAt: z.nullish(EpochMs),
})
export type AuditedAction = z.infer<typeof AuditedAction>

/**
 * The answer of `GET /history/actions`, the newest first. All of its parameters are optional: `scope`
 * (`shared`, or `all` for the whole audit log), `subject`, `kind`, `by`, `action`, `outcome`, `from`
 * and `until` (epoch ms, `until` excluded), `before` (the `next` of the page before) and `limit` (100;
 * at most 500).
 */
export const ActionList = z.looseObject({
  actions: z.array(AuditedAction),
  /** Null after the last. */
  next: z.nullable(z.string()),
  /** Whether the whole audit log was read, or only what everyone sees (`sharedActions`). */
  scope: z._default(z.enum(['all', 'shared']), 'shared'),
})
export type ActionList = z.infer<typeof ActionList>
