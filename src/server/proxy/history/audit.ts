import type { Context } from 'hono'
import { type Clock, minuteMs } from '../../../protocol/clock.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import {
  type ActionOrigin,
  addAction,
  type AuditActor,
  type NewAction,
  sortableId,
} from '../../store/actions.ts'
import type { Database } from '../../store/database.ts'
import type { ProxyEnv, VerifiedSession } from '../sessions.ts'
import type { HistoryWriter } from './history-writer.ts'

/** What is written to the audit log, now unless it says when. */
export interface AuditEntry extends Omit<NewAction, 'id' | 'at' | 'repeated' | 'waiverId'> {
  /** Epoch ms. */
  readonly at?: number
}

/** The audit log as those see it who do something that belongs in it. */
export interface Audit {
  /**
   * Writes an entry behind the caller's back: never throws, never waits, and outlasts a database
   * that is away for a while. Credentials are masked and long texts are cut. A refusal or a failure
   * that repeats within a minute is counted on its first entry.
   */
  readonly record: (entry: AuditEntry) => void
}

/** Nothing is recorded: for where there is no database. */
export const noAudit: Audit = { record: () => undefined }

/** Sightline itself, which no request made do something. */
export const systemOrigin: ActionOrigin = {
  actor: { kind: 'system', name: 'Sightline' },
  from: null,
}

/** Whoever's request it is, and where it comes from: for routes behind the session. */
export function originOf(c: Context<ProxyEnv>): ActionOrigin {
  return { actor: actorOf(c.get('session')), from: c.get('from'), redact: c.get('redact') }
}

/** Whoever's session it is. */
function actorOf({ id, kind, user }: VerifiedSession): AuditActor {
  return { kind, name: user.name, sessionId: id }
}

/** Records that somebody was refused what they have no permission for: a ProblemError 403. */
export function recordRefusal(audit: Audit, c: Context<ProxyEnv>, error: unknown): void {
  if (!(error instanceof ProblemError) || error.status !== 403) return
  audit.record({
    ...originOf(c),
    action: 'access-refused',
    subject: addressOf(c),
    detail: error.message,
    outcome: 'refused',
  })
}

/**
 * Records that a credential was not accepted. Nobody who only has none yet is refused: that is how
 * each first visit begins.
 */
export function recordSignInRefusal(audit: Audit, c: Context<ProxyEnv>, error: unknown): void {
  if (!(error instanceof ProblemError) || /:(?:signed-out|no-session)$/.test(error.problem.type)) {
    return
  }
  if (error.status !== 401 && error.status !== 403) return
  // People send none before they are signed in.
  const kind = c.req.header('authorization') === undefined ? 'person' : 'token'
  audit.record({
    actor: { kind, name: 'unknown' },
    from: c.get('from'),
    action: 'sign-in-refused',
    subject: addressOf(c),
    detail: error.message,
    outcome: 'refused',
  })
}

/** Method and path, decoded where that is possible, so that a credential in it is recognized. */
function addressOf({ req: { method, path } }: Context<ProxyEnv>): string {
  try {
    return `${method} ${decodeURIComponent(path)}`
  } catch {
    return `${method} ${path}`
  }
}

/** Refusals that are told apart in a minute, of one address and of all; others are counted together. */
const mostOfAddress = 30
const mostRefusals = 300

/** Writes through the history's queue. `redact` masks the configured credentials. */
export function createAudit(options: {
  readonly database: Database
  readonly clock: Clock
  readonly writer: HistoryWriter
  readonly redact: (text: string) => string
}): Audit & { readonly close: () => void } {
  const { database, clock, writer, redact } = options
  /** Refusals and failures of the present minute by what they have in common. */
  let counted = new Map<string, WrittenAction>()
  let stop = (): void => undefined

  function write(action: NewAction): void {
    writer.add({ bytes: 4096, write: () => addAction(database.kysely, action) })
  }

  /** Writes how often each was repeated, and begins anew. */
  function flush(): void {
    stop()
    for (const action of counted.values()) if (action.repeated !== undefined) write(action)
    counted = new Map()
  }

  function count(one: WrittenAction): void {
    const action = counted.has(keyOf(one)) || isApart(one) ? one : { ...one, ...together }
    const first = counted.get(keyOf(action))
    if (first === undefined) {
      if (counted.size === 0) stop = clock.after(minuteMs, flush)
      counted.set(keyOf(action), action)
      write(action)
      return
    }
    const times = (first.repeated?.times ?? 1) + 1
    counted.set(keyOf(first), { ...first, repeated: { times, lastAt: action.at } })
  }

  /** What fails was allowed, and is told apart; of refusals only so many are. */
  function isApart({ outcome, from }: NewAction): boolean {
    if (outcome !== 'refused') return true
    const others = [...counted.values()].filter((other) => other.outcome === 'refused')
    const ofAddress = others.filter((other) => other.from === from)
    return others.length < mostRefusals && ofAddress.length < mostOfAddress
  }

  return {
    record: ({ at = clock.now(), ...entry }) => {
      const action = { ...entry, redact, id: sortableId(at), at }
      if (action.outcome !== 'done' && action.outcome !== undefined) count(action)
      else write(action)
    },
    close: flush,
  }
}

/** An action whose row is known already. */
type WrittenAction = NewAction & { readonly id: string }

/** More refusals than are told apart. */
const together = {
  actor: { kind: 'person', name: 'several' },
  from: null,
  subject: '',
  detail: 'More refusals in this minute than are listed one by one.',
} as const satisfies Partial<NewAction>

/** What is counted together: only what ended alike. Of refusals `isApart` bounds how many are told apart. */
function keyOf({ actor, from, action, subject, outcome, detail }: NewAction): string {
  return JSON.stringify([
    actor.kind,
    actor.name,
    actor.sessionId,
    from,
    action,
    subject,
    outcome,
    detail,
  ])
}
