import type { Context } from 'hono'
import type { Clock } from '../../../protocol/clock.ts'
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
   * that is away for a while. Credentials are masked and long texts are cut. A refusal that repeats
   * within a minute is counted on its first entry.
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
  return { actor: actorOf(c.get('session')), from: c.get('from') }
}

/** Whoever's session it is. */
export function actorOf({ id, kind, user }: VerifiedSession): AuditActor {
  return { kind, name: user.name, sessionId: id }
}

/** Refusals that are told apart in a minute; the others of an action are counted together. */
const mostRefusals = 30
const minuteMs = 60_000

/** Writes through the history's queue. `redact` masks the configured credentials. */
export function createAudit(options: {
  readonly database: Database
  readonly clock: Clock
  readonly writer: HistoryWriter
  readonly redact: (text: string) => string
}): Audit & { readonly close: () => void } {
  const { database, clock, writer, redact } = options
  /** Refusals of the present minute by what they have in common. */
  let refusals = new Map<string, Refusal>()
  let stop = (): void => undefined

  function write(action: NewAction): void {
    writer.add({ bytes: 4096, write: () => addAction(database.kysely, action) })
  }

  /** Writes how often each was repeated, and begins anew. */
  function flush(): void {
    stop()
    for (const refusal of refusals.values()) if (refusal.repeated !== undefined) write(refusal)
    refusals = new Map()
  }

  function refuse(refusal: Refusal): void {
    const isApart = refusals.has(keyOf(refusal)) || refusals.size < mostRefusals
    const action = isApart ? refusal : { ...refusal, ...together }
    const first = refusals.get(keyOf(action))
    if (first === undefined) {
      if (refusals.size === 0) stop = clock.after(minuteMs, flush)
      refusals.set(keyOf(action), action)
      write(action)
      return
    }
    const times = (first.repeated?.times ?? 1) + 1
    refusals.set(keyOf(first), { ...first, repeated: { times, lastAt: action.at } })
  }

  return {
    record: ({ at = clock.now(), ...entry }) => {
      const action = { ...masked(entry, redact), id: sortableId(at), at }
      if (action.outcome === 'refused') refuse(action)
      else write(action)
    },
    close: flush,
  }
}

/** An action whose row is known already. */
type Refusal = NewAction & { readonly id: string }

/** More refusals than are told apart. */
const together = {
  actor: { kind: 'person', name: 'several' },
  from: null,
  subject: '',
  detail: 'More refusals in this minute than are listed one by one.',
} as const satisfies Partial<NewAction>

function keyOf({ actor, from, action, subject }: NewAction): string {
  return JSON.stringify([actor.kind, actor.name, actor.sessionId, from, action, subject])
}

function masked<T extends Omit<NewAction, 'at'>>(entry: T, redact: (text: string) => string): T {
  const text = (value: string, longest: number): string => {
    const shown = withoutCredentials(redact(value))
    return shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown
  }
  return {
    ...entry,
    actor: { ...entry.actor, name: text(entry.actor.name, 200) },
    subject: text(entry.subject, 1000),
    detail: text(entry.detail, 4000),
  }
}

/** Masks what has the shape of a credential, whoever put it there. */
export function withoutCredentials(text: string): string {
  return shapes.reduce((rest, [shape, mask]) => rest.replace(shape, mask), text)
}

const shapes: readonly (readonly [RegExp, string])[] = [
  // Our access tokens and those of screens.
  [/\bslt_[\w-]{8,}/g, 'slt_…'],
  [/\bscreen_[0-9a-f]{16}_[\w-]+/g, 'screen_…'],
  // JSON Web Tokens, and what stands behind the name of an authentication scheme.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g, '[token]'],
  [/\b(bearer|basic)\s+[\w+/=.~-]{16,}/gi, '$1 [secret]'],
  // A user and a password in an address.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, '$1'],
]
