import type { Kysely, Transaction } from 'kysely'
import type { Facts } from '../../protocol/facts.ts'
import { wholeNumber } from './build-rows.ts'
import { manyValues } from './many-values.ts'
import { changeRollups } from './build-rollups.ts'
import { type Dialect, longestIndexed, type Schema, storableText } from './schema.ts'

/** What a build is counted under: each of these has a text, or none. */
const pointTexts = ['project', 'branch', 'user', 'tool', 'requested'] as const
type PointText = (typeof pointTexts)[number]

/** What is known of a build beside its facts. */
export interface BuildCounts {
  /** Of the tasks or goals whose results the build cache could have, how many came from it. */
  readonly cacheHits: number | null
  readonly cacheable: number | null
  /** What each of its failures has in common with others, of a failed build. */
  readonly failures: readonly string[]
}

/** Nothing of that. */
export const noCounts: BuildCounts = { cacheHits: null, cacheable: null, failures: [] }

/** A build to be counted. */
export interface CountedBuild {
  readonly position: number
  readonly facts: Facts
  readonly counts: BuildCounts
}

/** How a build ended, as it stands in a row. */
export const outcomeNumbers = { unknown: 0, succeeded: 1, failed: 2 } as const

/**
 * Counts some builds that aren't counted yet: a narrow row for each, and what the rollups have of them.
 * Whoever writes holds the lock of `inOrder`.
 */
export async function insertPoints(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  builds: readonly CountedBuild[],
): Promise<void> {
  if (builds.length === 0) return
  const found = builds.map((build) => ({ build, texts: textsOf(build) }))
  const ids = await textIds(
    transaction,
    found.flatMap(({ texts, build }) => [
      ...pointTexts.flatMap((kind) => {
        const text = texts[kind]
        return text === null ? [] : [{ kind, text }]
      }),
      ...failureTexts(build),
      ...(hasManyBranches(build.facts) ? [manyBranches] : []),
      ...(typeof build.facts.startTime === 'number' ? [] : [withoutStart]),
    ]),
  )
  const failures = found.map(({ build }) =>
    failureTexts(build).flatMap((text) => ids.get(textKeyOf(text)) ?? []),
  )
  const sets = await textIds(transaction, failures.flatMap(failureSet))
  const rows = found.map(({ build: { position, facts, counts }, texts }, place) => {
    const own = failures[place] ?? []
    const [set] = failureSet(own)
    const idOf = (kind: PointText): number => {
      const text = texts[kind]
      return text === null ? 0 : (ids.get(textKeyOf({ kind, text })) ?? 0)
    }
    return {
      build_seq: position,
      start_time: wholeNumber(facts.startTime ?? facts.receivedAt),
      outcome: outcomeNumbers[facts.outcome ?? 'unknown'],
      duration_ms:
        typeof facts.durationMs === 'number' ? Math.max(0, wholeNumber(facts.durationMs)) : null,
      project: idOf('project'),
      branch: idOf('branch'),
      user_name: idOf('user'),
      tool: idOf('tool'),
      requested: idOf('requested'),
      failure: (set === undefined ? own[0] : sets.get(textKeyOf(set))) ?? 0,
      cache_hits: counts.cacheHits,
      cacheable: counts.cacheable,
    }
  })
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce)
    await transaction.insertInto('build_points').values(some).execute()
  }
  await changeRollups(transaction, dialect, rows, 1)
}

/** Builds that are gone are no longer counted. */
export async function removePoints(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  positions: readonly number[],
): Promise<void> {
  const isGone = manyValues(dialect).isNumberAmong('build_seq', positions)
  const rows = await transaction.selectFrom('build_points').selectAll().where(isGone).execute()
  if (rows.length === 0) return
  await changeRollups(transaction, dialect, rows, -1)
  await transaction.deleteFrom('build_points').where(isGone).execute()
}

const rowsAtOnce = 500

function textsOf({ facts }: CountedBuild): Record<PointText, string | null> {
  const known = (text: string | null | undefined): string | null =>
    text === null || text === undefined || text === ''
      ? null
      : storableText(text.slice(0, longestIndexed))
  return {
    project: known(facts.project),
    branch: known(branchValues(facts)[0]),
    user: known(facts.user),
    tool: known(facts.buildTool),
    requested: known(facts.requested?.join(' ')),
  }
}

function failureTexts({ counts }: CountedBuild): readonly KindText[] {
  const keys = new Set(counts.failures.map((key) => storableText(key.slice(0, longestIndexed))))
  return [...keys].flatMap((text) => (text === '' ? [] : [{ kind: 'failure', text }]))
}

/** A build that failed of several is counted under their ids, as one text. */
function failureSet(ids: readonly number[]): readonly KindText[] {
  return ids.length < 2 ? [] : [{ kind: 'failures', text: ids.join(' ') }]
}

/** The failures that a build is counted under, by the text of its key; undefined for a single one. */
export function failuresOf({
  kind,
  text,
}: Pick<StoredText, 'kind' | 'text'>): readonly number[] | undefined {
  return kind === 'failures' ? text.split(' ').map(Number) : undefined
}

/** The custom value that says which branch was built, as the common plug-ins name it. */
function branchValues({ values }: Facts): readonly string[] {
  return (values ?? []).flatMap(({ name, value }) =>
    name.toLowerCase() === 'git branch' ? [value] : [],
  )
}

/**
 * A build counts under its first branch, but is found by each: while there is one with several, what
 * is asked of a branch isn't answered from what is counted.
 */
function hasManyBranches(facts: Facts): boolean {
  return new Set(branchValues(facts)).size > 1
}

export const manyBranches = { kind: 'many-branches', text: 'branch' } as const

/**
 * A build without a start counts by when it was received, but no range of starts finds it: while there
 * is one, what is asked of starts isn't answered from what is counted.
 */
export const withoutStart = { kind: 'without-start', text: 'start' } as const

interface KindText {
  readonly kind: string
  readonly text: string
}

function textKeyOf({ kind, text }: KindText): string {
  return `${kind} ${text}`
}

async function textIds(
  transaction: Transaction<Schema>,
  texts: readonly KindText[],
): Promise<Map<string, number>> {
  const wanted = new Map(texts.map((one) => [textKeyOf(one), one]))
  const ids = await knownIds(transaction, [...wanted.values()])
  const added = [...wanted].flatMap(([key, one]) => (ids.has(key) ? [] : [one]))
  if (added.length === 0) return ids
  await transaction
    .insertInto('point_texts')
    .values(added.map(({ kind, text }) => ({ kind, text })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return new Map([...ids, ...(await knownIds(transaction, added))])
}

async function knownIds(
  kysely: Kysely<Schema>,
  texts: readonly KindText[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  const all = new Map<string, string[]>()
  for (const { kind, text } of texts) all.set(kind, [...(all.get(kind) ?? []), text])
  for (const [kind, some] of all) {
    for (let start = 0; start < some.length; start += rowsAtOnce) {
      const rows = await kysely
        .selectFrom('point_texts')
        .select(['id', 'text'])
        .where('kind', '=', kind)
        .where('text', 'in', some.slice(start, start + rowsAtOnce))
        .execute()
      for (const { id, text } of rows) ids.set(textKeyOf({ kind, text }), id)
    }
  }
  return ids
}

/** A text of a build that is counted under it. */
export interface StoredText {
  readonly id: number
  readonly kind: string
  readonly text: string
}

/** The texts that were added after one, by their ids; none is ever changed. */
export async function textsAfter(
  { kysely }: { readonly kysely: Kysely<Schema> },
  id: number,
): Promise<StoredText[]> {
  return kysely.selectFrom('point_texts').selectAll().where('id', '>', id).orderBy('id').execute()
}

/** When the first and the last of the counted builds started, epoch ms; null where there is none. */
export async function pointsExtent({ kysely }: { readonly kysely: Kysely<Schema> }): Promise<{
  readonly first: number | null
  readonly last: number | null
}> {
  const first = await kysely
    .selectFrom('build_points')
    .select('start_time')
    .orderBy('start_time')
    .limit(1)
    .executeTakeFirst()
  const last = await kysely
    .selectFrom('build_points')
    .select('start_time')
    .orderBy('start_time', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { first: first?.start_time ?? null, last: last?.start_time ?? null }
}
