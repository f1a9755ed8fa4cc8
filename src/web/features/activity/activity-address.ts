import {
  type ActorKind,
  actorKinds,
  type AuditAction,
  auditActionNames,
  type AuditOutcome,
  auditOutcomes,
} from '../../../protocol/audit-log.ts'
import { dayMs } from '../../../protocol/clock.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { AuditFilter } from '../../data/audit/audit-log.ts'
import {
  choiceParam,
  flagParam,
  type SearchParam,
  searchState,
  textParam,
} from '../../data/core/search-state.ts'

/** What is looked at of all that happened, as the address of the page says it; empty narrows nothing. */
export interface ActivityAddress extends AuditAddress {
  readonly show: 'evaluations' | 'actions' | 'alerts' | 'audit'
  /** As it was typed. */
  readonly package: string
  readonly scan: string
  readonly verdict: EvaluationSummary['verdict'] | ''
  /** Of alerts, only those that weren't delivered. */
  readonly isUndelivered: boolean
}

/** What of the audit log is looked at. */
export interface AuditAddress {
  readonly by: string
  readonly kind: ActorKind | ''
  readonly action: AuditAction | ''
  readonly outcome: AuditOutcome | ''
  /** As it was typed. */
  readonly subject: string
  /** Days in UTC, such as `2026-03-01`, both included. */
  readonly from: string
  readonly until: string
}

export const verdicts = [
  'releasable',
  'not-releasable',
  'undecided',
  'nothing-applied',
] as const satisfies readonly EvaluationSummary['verdict'][]

/** The address of the page; what cannot be read there narrows nothing. */
export const activityAddress = searchState<ActivityAddress>({
  show: choiceParam('show', ['evaluations', 'actions', 'alerts', 'audit']),
  package: trimmedParam('package'),
  scan: trimmedParam('scan'),
  by: trimmedParam('by'),
  verdict: choiceParam('verdict', ['', ...verdicts]),
  isUndelivered: flagParam('undelivered'),
  kind: choiceParam('kind', ['', ...actorKinds]),
  action: choiceParam('action', ['', ...auditActionNames]),
  outcome: choiceParam('outcome', ['', ...auditOutcomes]),
  subject: trimmedParam('subject'),
  from: dayParam('from'),
  until: dayParam('until'),
})

function dayParam(name: string): SearchParam<string> {
  const { names, read, write } = textParam(name)
  return {
    names,
    read: (search) => (Number.isNaN(dayStart(read(search))) ? '' : read(search)),
    write,
  }
}

/** Epoch ms; NaN for what is no day, such as February 31, which browsers read as March 3. */
function dayStart(day: string): number {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN
  return new Date(start).getUTCDate() === Number(day.slice(-2)) ? start : NaN
}

/** What the proxy is asked for. A package may be typed as people name it. */
export function auditFilter(address: AuditAddress): AuditFilter {
  const { kind, action, outcome, by, subject, from, until } = address
  const read = readPackageFilter(subject)
  return {
    kind,
    by,
    action,
    outcome,
    subject: read.ok && !read.path.endsWith('/*') ? read.path : subject,
    from: from === '' ? undefined : dayStart(from),
    until: until === '' ? undefined : dayStart(until) + dayMs,
  }
}

function trimmedParam(name: string): SearchParam<string> {
  return { ...textParam(name), write: (text) => [[name, text.trim()]] }
}

/** Which packages somebody narrows a list to: a path for the proxy, or what is wrong with the text. */
export type PackageFilter =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly mistake: string }

/**
 * Reads a package as people name it; without a version all of its versions are meant. An empty text
 * narrows nothing.
 */
export function readPackageFilter(text: string): PackageFilter {
  const named = text.trim()
  if (named === '') return { ok: true, path: '' }
  const read = readPackageReference(named)
  if (read.ok) return { ok: true, path: packagePath(read.reference.address) }
  const all = readPackageReference(/^pkg:/i.test(named) ? `${named}@*` : `${named}:*`)
  return all.ok
    ? { ok: true, path: packagePath(all.reference.address) }
    : { ok: false, mistake: read.mistake }
}
