import { setImmediate } from 'node:timers/promises'
import { utcText } from '../../../policy/scan-report.ts'
import type { Context } from 'hono'
import { policyKey, policyName } from '../../../policy/policy-group.ts'
import { severityOf } from '../../../policy/severity.ts'
import { unmatchedWaivers } from '../../../policy/waiver-register.ts'
import { dayMs } from '../../../protocol/clock.ts'
import { countOf } from '../../../protocol/count.ts'
import { withoutCredentials } from '../../../protocol/credential-shapes.ts'
import { groupedBy } from '../../../protocol/keyed.ts'
import { packageNameOf } from '../../../protocol/package-address.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import { rangeText } from '../../../protocol/version-order.ts'
import {
  type ApprovalRule,
  type NewWaiver,
  type Waiver,
  waiverStanding,
} from '../../../protocol/waiver.ts'
import type { Database } from '../../store/database.ts'
import { findEvaluation, listEvaluations, runsSince } from '../../store/evaluations.ts'
import {
  addWaivers,
  approveWaivers,
  endWaivers,
  findWaivers,
  listWaivers,
  type WaiverChange,
  type WaiverReader,
} from '../../store/waivers.ts'
import { requireForPackage } from '../access.ts'
import { readJsonBody, readListQuery } from '../read-request.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import { originOf } from './audit.ts'
import { keptAsJson } from './evaluation-recorder.ts'
import type { HistoryOptions } from './history.ts'
import { badWaiver, readNewWaiver, readNewWaivers, readWaiverIds } from './waiver-request.ts'

/** `GET /history/waivers`. */
export function waiverList({ database, clock, settings }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { path } = readListQuery(c, ['path'])
    const now = clock.now()
    const waivers = await listWaivers(database, { path, now, reader: readerOf(c) })
    // A pipeline counts them by this clock, as its own may be wrong.
    c.header('date', new Date(now).toUTCString())
    return c.json({
      waivers,
      longestMs: settings.longestWaiverDays * dayMs,
      approval: settings.approval ?? 'none',
    })
  }
}

/** `GET /history/waivers/unmatched`: takes as long as the runs of all packages with waivers take to be read. */
export function unmatchedWaiverList({ database, clock }: HistoryOptions): RouteHandler {
  return async (c) => {
    const now = clock.now()
    const active = (await listWaivers(database, { now })).filter(
      (waiver) => waiverStanding(waiver, now) === 'in force',
    )
    const ids: string[] = []
    for (const [name, ofName] of groupedBy(active, (one) => packageNameOf(one.packagePath))) {
      for (const [scan, group] of groupedBy(ofName, (one) => one.scan)) {
        const since = Math.min(...group.map(({ createdAt }) => createdAt))
        const runs = await runsSince(database, name, scan, since)
        ids.push(...unmatchedWaivers(group, runs).map(({ id }) => id))
        // Others have their turn in between.
        await setImmediate()
      }
    }
    return c.json({ ids })
  }
}

/** `POST /history/waivers`: answers 201 with the waiver, given by the user of the session. */
export function giveWaiver(options: HistoryOptions): RouteHandler {
  return async (c) => {
    const body = await readJsonBody(c)
    const [waiver] = await give(c, options, [readNewWaiver(body, limitsOf(options))])
    return c.json(waiver, 201)
  }
}

/** `POST /history/waivers/bulk`: answers 201 with all of them, or gives none. */
export function giveWaivers(options: HistoryOptions): RouteHandler {
  return async (c) => {
    const asked = readNewWaivers(await readJsonBody(c), limitsOf(options))
    return c.json({ waivers: await give(c, options, asked) }, 201)
  }
}

function limitsOf({ clock, settings }: HistoryOptions) {
  return { now: clock.now(), longestDays: settings.longestWaiverDays }
}

async function give(
  c: Context<ProxyEnv>,
  { database, clock, settings, changes }: HistoryOptions,
  asked: readonly NewWaiver[],
): Promise<readonly Waiver[]> {
  for (const one of asked) requireForPackage(c.get('session').user, 'waive', one)
  await requireKnownOrigins(asked, (ids) => findWaivers(database, ids))
  const needs = await whichNeedApproval(database, settings.approval ?? 'none', asked)
  const given = await addWaivers(
    database,
    asked.map((waiver, index) => {
      const needsApproval = needs[index] === true
      return { waiver, needsApproval, detail: givenText(waiver, needsApproval, asked.length) }
    }),
    { ...originOf(c), person: c.get('session').person, at: clock.now() },
  )
  if (given !== undefined) return published(changes, given)
  throw conflict(
    'waiver-renewed',
    'Waiver renewed or ended',
    'Somebody else has renewed or ended it, or one of them, in the meantime. Close this dialog to see how it stands.',
  )
}

/** Throws a ProblemError 400 where one carries on or renews what is not there, or is another one's. */
async function requireKnownOrigins(
  asked: readonly NewWaiver[],
  find: (ids: readonly string[]) => Promise<readonly Waiver[]>,
): Promise<void> {
  const ids = asked.flatMap(({ carriedFrom, renews }) => [carriedFrom ?? [], renews ?? []].flat())
  const known = new Map((await find([...new Set(ids)])).map((waiver) => [waiver.id, waiver]))
  for (const { carriedFrom, renews, ...of } of asked) {
    if (typeof carriedFrom === 'string' && !known.has(carriedFrom)) {
      throw badWaiver([
        { field: 'carriedFrom', mistake: "carriedFrom isn't the id of a known waiver." },
      ])
    }
    if (typeof renews !== 'string') continue
    const old = known.get(renews)
    const keys = ['packagePath', 'sha256', 'scan', 'policyUri'] as const
    if (old === undefined || keys.some((key) => old[key] !== of[key])) {
      const mistake = "renews isn't the id of a waiver of this policy, scan and artifact."
      throw badWaiver([{ field: 'renews', mistake }])
    }
  }
}

/** What the audit log says of a waiver that was given, one of `count` by one request. */
export function givenText(waiver: NewWaiver, needsApproval: boolean, count: number): string {
  const { policyUri, scan, expiresAt, person, reason, versions, ticket } = waiver
  const range =
    versions === null || versions === undefined ? '' : ` for versions ${rangeText(versions)}`
  const more = [
    ...(typeof waiver.carriedFrom === 'string' ? ['carried over from another version'] : []),
    ...(count > 1 ? [`one of ${count} at once`] : []),
    ...(typeof ticket === 'string' ? [`ticket ${ticket}`] : []),
    ...(needsApproval ? ['waiting for approval'] : []),
  ]
  const verb = typeof waiver.renews === 'string' ? 'Renewed the waiver of' : 'Waived'
  const what = `${verb} ${nameOf(policyUri)} of ${scan}${range} until ${utcText(expiresAt)}`
  return `${[what, ...more].join(', ')}. Responsible: ${person}. Reason: ${reason}`
}

/** `POST /history/waivers/:id/end`: answers the waiver, ended by the user of the session. */
export function endGivenWaiver(options: HistoryOptions): RouteHandler {
  return async (c) => {
    const [waiver] = await end(c, options, [c.req.param('id') ?? ''])
    return c.json(waiver)
  }
}

/** `POST /history/waivers/end`: ends all of those that are named, or none. */
export function endGivenWaivers(options: HistoryOptions): RouteHandler {
  return async (c) =>
    c.json({ waivers: await end(c, options, readWaiverIds(await readJsonBody(c))) })
}

async function end(
  c: Context<ProxyEnv>,
  { database, clock, changes }: HistoryOptions,
  ids: readonly string[],
): Promise<readonly Waiver[]> {
  const at = clock.now()
  const wanted = (await knownWaivers(c, database, ids)).map(({ id, isOwn }): WaiverChange => ({
    id,
    // Somebody may have approved it since.
    detail: (before) => {
      const isWaiting = waiverStanding(before, at) === 'waiting for approval'
      const verb = isWaiting ? (isOwn === true ? 'Withdrew' : 'Declined') : 'Ended'
      return `${verb} the waiver of ${nameOf(before.policyUri)} of ${before.scan}.`
    },
  }))
  const ended = await endWaivers(database, wanted, { ...originOf(c), at })
  if (ended !== undefined) return published(changes, ended)
  const over = (await findWaivers(database, ids)).find(
    ({ endedAt, expiresAt }) => endedAt !== null || expiresAt <= at,
  )
  const which = ids.length > 1 && over !== undefined ? ` (${nameOf(over.policyUri)})` : ''
  throw conflict(
    'waiver-is-over',
    'Waiver already ended',
    typeof over?.endedBy === 'string'
      ? `${over.endedBy} has already ${pastOf(over, at)} it${which}.`
      : `It has already expired${which}.`,
  )
}

/** What somebody did who ended it: ended, renewed, declined or withdrawn. */
function pastOf(waiver: Waiver, at: number): string {
  return waiverStanding(waiver, at).replace(' early', '')
}

/** `POST /history/waivers/approve`: approves all of those that are named, or none. */
export function approveGivenWaivers({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const ids = readWaiverIds(await readJsonBody(c))
    const { kind, person, user } = c.get('session')
    if (kind !== 'person') {
      const why = 'A waiver is approved by a person who is signed in, not with an access token.'
      throw problemError(403, 'approval-by-token', 'Not allowed', why, { requires: 'waive' })
    }
    const at = clock.now()
    const waivers = await knownWaivers(c, database, ids)
    const own = waivers.filter(({ isOwn }) => isOwn === true)
    if (own.length > 0) {
      const which =
        ids.length === 1
          ? 'this waiver'
          : countOf(own.length, 'of these waivers', 'of these waivers')
      throw problemError(
        403,
        'own-waiver',
        'Not allowed',
        `You granted ${which}. Another releaser must approve.`,
        { requires: 'waive' },
      )
    }
    if (!user.roles.includes('admin') && waivers.some(({ needsAdmin }) => needsAdmin === true)) {
      const why = `${ids.length === 1 ? 'This waiver was' : 'One of these waivers was'} granted with an access token, which doesn't say who has it. An admin must approve it.`
      throw problemError(403, 'given-by-token', 'Not allowed', why)
    }
    const wanted = waivers.map(({ id }): WaiverChange => ({
      id,
      detail: ({ policyUri, scan, expiresAt, by }) =>
        `Approved the waiver of ${nameOf(policyUri)} of ${scan} until ${utcText(expiresAt)}, granted by ${by}.`,
    }))
    const approved = await approveWaivers(database, wanted, { ...originOf(c), person, at })
    if (approved !== undefined) return c.json({ waivers: published(changes, approved) })
    const other = (await findWaivers(database, ids)).find(
      (waiver) => waiverStanding(waiver, at) !== 'waiting for approval',
    )
    throw conflict(
      'waiver-not-waiting',
      "Waiver isn't waiting",
      typeof other?.endedBy === 'string'
        ? `${other.endedBy} has already ${pastOf(other, at)} it.`
        : typeof other?.approvedBy === 'string'
          ? `${other.approvedBy} has already approved it.`
          : "It has expired, or doesn't need approval.",
    )
  }
}

/** Lets every browser know of them. */
function published(
  changes: HistoryOptions['changes'],
  waivers: readonly Waiver[],
): readonly Waiver[] {
  for (const { packagePath } of waivers) changes.publish('waivers', packagePath)
  return waivers
}

/** Throws a ProblemError: 404 where one is not there, 403 where one is beyond somebody's limits. */
function readerOf(c: Context<ProxyEnv>): WaiverReader {
  const { user, person } = c.get('session')
  return { name: user.name, person }
}

async function knownWaivers(
  c: Context<ProxyEnv>,
  database: HistoryOptions['database'],
  ids: readonly string[],
): Promise<readonly Waiver[]> {
  const waivers = await findWaivers(database, ids, readerOf(c))
  if (waivers.length < ids.length) {
    throw problemError(404, 'no-waiver', 'Waiver not found', 'No waiver has this id.')
  }
  for (const waiver of waivers) requireForPackage(c.get('session').user, 'waive', waiver)
  return waivers
}

function conflict(code: string, title: string, detail: string): ProblemError {
  return problemError(409, code, title, detail)
}

/** The name is a part of the address: what a credential in it looks like is seen before. */
function nameOf(policyUri: string): string {
  return policyName(withoutCredentials(policyUri)).name
}

/**
 * Which of the waivers wait for somebody else's approval by the configured rule. How severe a policy is,
 * its newest recorded run says, of several results the most severe one; of one that says nothing of it, as if it were severe.
 */
async function whichNeedApproval(
  database: Database,
  rule: ApprovalRule,
  asked: readonly NewWaiver[],
): Promise<readonly boolean[]> {
  if (typeof rule === 'string') return asked.map(() => rule === 'required')
  const known = new Map<string, Awaited<ReturnType<typeof recordedSeverities>>>()
  const needs: boolean[] = []
  for (const { packagePath, sha256, scan, policyUri } of asked) {
    if (rule.scans.includes(scan)) {
      needs.push(true)
      continue
    }
    const key = [packagePath, sha256, scan].join(' ')
    const severities =
      known.get(key) ?? (await recordedSeverities(database, { path: packagePath, sha256, scan }))
    known.set(key, severities)
    const named = severities.get(policyKey(policyUri))
    needs.push(
      rule.severities.length > 0 &&
        (named === undefined || rule.severities.some((severity) => named.has(severity))),
    )
  }
  return needs
}

/** All that the results of each policy name, by policy key, in lower case; nothing where some of them weren't kept. */
async function recordedSeverities(
  database: Database,
  of: { readonly path: string; readonly sha256: string; readonly scan: string },
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const severities = new Map<string, Set<string>>()
  const [newest] = await listEvaluations(database, of, 1)
  const found = newest && (await findEvaluation(database, newest.id))
  if (found === undefined || found.leftOut > 0) return severities
  for (const { policyUri, labels } of readPolicyAnswer(JSON.parse(await keptAsJson(found.body)))
    .results) {
    const severity = severityOf(labels).trim().toLowerCase()
    const key = policyKey(policyUri)
    if (severity !== '') severities.set(key, (severities.get(key) ?? new Set()).add(severity))
  }
  return severities
}
