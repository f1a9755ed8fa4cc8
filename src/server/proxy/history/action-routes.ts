import {
  actorKinds,
  type AuditAction,
  auditActionNames,
  type AuditedAction,
  auditOutcomes,
  sharedActions,
} from '../../../protocol/audit-log.ts'
import { csvLine } from '../../../protocol/untrusted-text.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import { type ActionFilter, countActions, listActions } from '../../store/actions.ts'
import { requirePermission } from '../access.ts'
import { badQuery, pageOf, readChoice, readLimit, readListQuery } from '../read-request.ts'
import type { RouteHandler } from '../sessions.ts'
import { originOf } from './audit.ts'
import type { History } from './history.ts'

/**
 * `GET /history/actions`. Everyone who may read gets the actions that are shared, without address and
 * session; `scope=all` is the whole audit log, and takes the permission `read-audit-log`.
 */
export function actionList({ options: { database } }: History): RouteHandler {
  return async (c) => {
    const asked = readListQuery(c, ['scope', 'limit', 'before', ...filterKeys])
    const scope = readChoice('scope', asked.scope, ['shared', 'all']) ?? 'shared'
    if (scope === 'all') requirePermission(c.get('session').user, 'read-audit-log')
    const limit = readLimit(asked.limit)
    const filter = readFilter(asked, scope === 'all' ? undefined : sharedActions)
    const found = await listActions(database, { ...filter, before: asked.before }, limit + 1)
    const { rows, next } = pageOf(found, limit)
    return c.json({ actions: scope === 'all' ? rows : rows.map(asShared), next, scope })
  }
}

/** How a row of the audit log is exported; times as ISO 8601. */
const formats = {
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    // Spreadsheets take CSV for the encoding of their region, unless it begins with this mark.
    head: `\uFEFF${csvLine([
      'Time (UTC)',
      'Last time (UTC)',
      'Times',
      'Actor kind',
      'Actor',
      'Action',
      'Outcome',
      'Subject',
      'Detail',
      'Address',
      'Session',
      'Id',
    ])}`,
    line: (row: AuditedAction) =>
      csvLine([
        iso(row.at),
        isoOrNull(row.lastAt),
        row.times,
        row.kind,
        row.by,
        row.action,
        row.outcome,
        row.subject,
        row.detail,
        row.from ?? null,
        row.session ?? null,
        row.id,
      ]),
  },
  jsonl: {
    mediaType: 'application/x-ndjson',
    head: '',
    line: ({ at, lastAt, ...row }: AuditedAction) =>
      ndjsonLine({ at: iso(at), lastAt: isoOrNull(lastAt), ...row }),
  },
} as const

/** As many actions are exported at once; more are narrowed by time first. */
const mostExported = 250_000
const exportPage = 500

/**
 * `GET /history/actions/export?format=csv|jsonl` with the filters of the list: every action of the
 * audit log up to now, the newest first, as a stream; the header `sightline-rows` says how many come.
 * An export that cannot be finished breaks off. Throws a ProblemError 413 where there are more than
 * 250,000.
 */
export function actionExport({
  options: { database, clock, logger },
  audit,
}: History): RouteHandler {
  return async (c) => {
    const asked = readListQuery(c, ['format', ...filterKeys])
    const name = readChoice('format', asked.format, ['csv', 'jsonl']) ?? 'csv'
    const format = formats[name]
    const filter = { until: clock.now(), ...readFilter(asked) }
    const rows = await countActions(database, filter, mostExported + 1)
    if (rows > mostExported) throw tooMany()
    const detail = `Exported ${rows} ${rows === 1 ? 'action' : 'actions'} as ${name}.`
    audit.record({ ...originOf(c), action: 'audit-log-exported', subject: 'audit log', detail })
    const { ended } = c.get('session')
    const encoder = new TextEncoder()
    let before: string | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(encoder.encode(format.head))
      },
      pull: async (controller) => {
        try {
          ended.throwIfAborted()
          const page = await listActions(database, { ...filter, before }, exportPage)
          if (page.length > 0) controller.enqueue(encoder.encode(page.map(format.line).join('')))
          before = page.at(-1)?.id
          if (page.length < exportPage) controller.close()
        } catch (error) {
          logger.warn({ reason: reasonOf(error) }, 'an export of the audit log broke off')
          // The status is long sent: only a connection that breaks tells that something is missing.
          if (c.env.outgoing?.destroy() === undefined) controller.error(error)
          else controller.close()
        }
      },
    })
    return new Response(body, {
      headers: {
        'content-type': format.mediaType,
        'content-disposition': `attachment; filename="audit-log.${name}"`,
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'sightline-rows': String(rows),
      },
    })
  }
}

const filterKeys = ['subject', 'kind', 'by', 'action', 'outcome', 'from', 'until'] as const

type AskedFilter = Partial<Record<(typeof filterKeys)[number], string>>

function readFilter(asked: AskedFilter, within?: readonly AuditAction[]): ActionFilter {
  const known = within ?? auditActionNames
  const action = readChoice('action', asked.action, known)
  return {
    subject: asked.subject,
    kind: readChoice('kind', asked.kind, actorKinds),
    by: asked.by,
    actions: action === undefined ? within : [action],
    outcome: readChoice('outcome', asked.outcome, auditOutcomes),
    ...(asked.from === undefined ? {} : { from: readTime('from', asked.from) }),
    ...(asked.until === undefined ? {} : { until: readTime('until', asked.until) }),
  }
}

function readTime(key: string, text: string): number {
  const time = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  if (time < 2 ** 50) return time
  throw badQuery(`"${key}" must be a time in milliseconds since 1970.`)
}

function tooMany(): ProblemError {
  return problemError(
    413,
    'export-too-large',
    'Too many actions',
    `More than ${mostExported.toLocaleString('en')} actions match. Choose a shorter time range and export again.`,
  )
}

/** What everyone sees of a shared action. */
function asShared(row: AuditedAction): AuditedAction {
  return { ...row, from: null, session: null }
}

function isoOrNull(ms: number | null | undefined): string | null {
  return typeof ms === 'number' ? iso(ms) : null
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
