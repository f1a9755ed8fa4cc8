import { branchOf, type BuildFailure, type Facts } from '../../protocol/facts.ts'
import type { CacheCounts } from '../../protocol/insight.ts'
import { foldCase } from '../../protocol/parsed-text.ts'
import { type Column, createColumn } from '../column.ts'

/** What builds are grouped by and has a text for each build. */
export const textFacets = ['project', 'branch', 'user', 'tool', 'requested'] as const
export type TextFacet = (typeof textFacets)[number]

export const outcomeCodes = { unknown: 0, succeeded: 1, failed: 2 } as const

/**
 * Builds as numbers, so that many of them go from one thread to another for next to nothing: for
 * each build its time, duration (NaN where not known), outcome, and the code of each text facet.
 */
export interface RowBatch {
  readonly ids: readonly string[]
  readonly numbers: Float64Array<ArrayBuffer>
  /** Texts that no batch before had; their codes go on from there. Code 0 is no text. */
  readonly texts: readonly string[]
  /** Texts of codes from before that more builds spell in another way by now. */
  readonly respelled: readonly (readonly [code: number, text: string])[]
}

const numbersPerBuild = 3 + textFacets.length
/** Of whose builds it can be read what came from it (docs/services.md#build-cache-performance). */
const withBuildCache: ReadonlySet<string> = new Set(['gradle', 'maven'])
const toolAt = 3 + textFacets.indexOf('tool')

/** Makes batches of builds; texts have one code in any case of letters, as for queries, and the commonest spelling. */
export function createRowWriter(): (builds: readonly Facts[]) => RowBatch {
  const codes = new Map<string, number>()
  /** The builds of each spelling, and the one that counts by code. */
  const spelled = new Map<string, number>()
  const shown: string[] = ['']

  return (builds) => {
    const ids: string[] = []
    const texts: string[] = []
    const numbers = new Float64Array(builds.length * numbersPerBuild)
    const respelled = new Map<number, string>()
    const codeOf = (facet: TextFacet, text: string | null | undefined): number => {
      if (text === undefined || text === null || text === '') return 0
      const folded = `${facet} ${foldCase(text)}`
      const spelling = `${facet} ${text}`
      const count = (spelled.get(spelling) ?? 0) + 1
      spelled.set(spelling, count)
      const known = codes.get(folded)
      if (known === undefined) {
        codes.set(folded, codes.size + 1)
        texts.push(text)
        shown.push(text)
        return codes.size
      }
      const usual = shown[known] ?? ''
      if (text !== usual && count > (spelled.get(`${facet} ${usual}`) ?? 0)) {
        shown[known] = text
        respelled.set(known, text)
      }
      return known
    }
    let place = 0
    for (const build of builds) {
      ids.push(build.buildId)
      numbers[place++] = startOf(build)
      numbers[place++] = build.durationMs ?? NaN
      numbers[place++] = outcomeCodes[build.outcome ?? 'unknown']
      for (const facet of textFacets) numbers[place++] = codeOf(facet, textOf(build, facet))
    }
    return { ids, numbers, texts, respelled: [...respelled] }
  }
}

/** When a build started, or where that is not known, when it was received; epoch ms. */
export function startOf({ startTime, receivedAt }: Facts): number {
  return startTime ?? receivedAt
}

/** What a build is grouped under; absent or empty where it isn't known. */
export function textOf(build: Facts, facet: TextFacet): string | null | undefined {
  switch (facet) {
    case 'project':
      return build.project
    case 'branch':
      return branchOf(build)
    case 'user':
      return build.user
    case 'tool':
      return build.buildTool
    case 'requested':
      return build.requested?.join(' ')
  }
}

/** A failure, and what it has in common with those that are the same failure. */
export interface KeyedFailure {
  readonly failure: BuildFailure
  readonly key: string
}

/** Builds in columns, to be folded. Rows have the order in which they came. */
export interface BuildRows {
  readonly count: () => number
  readonly idAt: (row: number) => string
  /** When each started, epoch ms. */
  readonly start: Column
  /** Milliseconds; NaN where not known. */
  readonly duration: Column
  /** See `outcomeCodes`. */
  readonly outcome: Column
  readonly codes: Readonly<Record<TextFacet, Column>>
  /** Null for code 0. */
  readonly textOf: (code: number) => string | null
  /** One more than the highest code. */
  readonly codesEnd: () => number
  /** Those that a build failed of, each key once; undefined where they weren't looked up. */
  readonly failuresAt: (row: number) => readonly KeyedFailure[] | undefined
  readonly append: (batch: RowBatch) => void
  /** Notes what a build failed of; nothing where its events name none. */
  readonly setFailures: (buildId: string, failures: readonly KeyedFailure[]) => void
  /** The newest failed builds whose failure isn't known, at most so many. */
  readonly withoutFailure: (most: number) => readonly string[]
  /** How many builds failed, and of how many the failure was looked up. */
  readonly failures: () => { readonly all: number; readonly known: number }
  /** What came from the build cache; null where that isn't known. */
  readonly cacheAt: (row: number) => CacheCounts | null
  /** Notes it, null where nobody knows. */
  readonly setCache: (buildId: string, cache: CacheCounts | null) => void
  /** Builds whose tool has a build cache, and of which that isn't known, spread over their time; at most so many. */
  readonly withoutCache: (most: number) => readonly string[]
  /** How many builds have such a tool, and of how many it was looked up. */
  readonly caches: () => { readonly all: number; readonly known: number }
}

/** No rows yet. */
export function createBuildRows(): BuildRows {
  const ids: string[] = []
  const texts: (string | null)[] = [null]
  const start = createColumn()
  const duration = createColumn()
  const outcome = createColumn()
  const codes = {
    project: createColumn(),
    branch: createColumn(),
    user: createColumn(),
    tool: createColumn(),
    requested: createColumn(),
  }
  /** By id, the rows of failed builds. */
  const failed = new Map<string, number>()
  const failures = new Map<number, readonly KeyedFailure[]>()
  /** Their rows in the order of time, made when they are wanted. */
  let newestFailed: readonly number[] = []
  /** The codes of tools that have a build cache, and the rows of their builds. */
  const cacheTools = new Set<number>()
  const withCache: number[] = []
  const caches = new Map<number, CacheCounts | null>()
  /** By id, the rows of those that were to be looked up. */
  const lookedUp = new Map<string, number>()
  let spread: readonly number[] = []

  return {
    count: start.length,
    idAt: (row) => ids[row] ?? '',
    start,
    duration,
    outcome,
    codes,
    textOf: (code) => texts[code] ?? null,
    codesEnd: () => texts.length,
    failuresAt: (row) => failures.get(row),
    append: (batch) => {
      for (const text of batch.texts) {
        if (withBuildCache.has(text)) cacheTools.add(texts.length)
        texts.push(text)
      }
      for (const [code, text] of batch.respelled) texts[code] = text
      let place = 0
      for (const id of batch.ids) {
        const next = (): number => batch.numbers[place++] ?? 0
        if (batch.numbers[place + 2] === outcomeCodes.failed) failed.set(id, ids.length)
        if (cacheTools.has(batch.numbers[place + toolAt] ?? 0)) withCache.push(ids.length)
        ids.push(id)
        start.push(next())
        duration.push(next())
        outcome.push(next())
        for (const facet of textFacets) codes[facet].push(next())
      }
    },
    setFailures: (buildId, found) => {
      const row = failed.get(buildId)
      if (row === undefined) return
      const keys = new Set<string>()
      failures.set(
        row,
        found.filter(({ key }) => keys.size < keys.add(key).size),
      )
    },
    withoutFailure: (most) => {
      if (newestFailed.length !== failed.size) {
        newestFailed = [...failed.values()].sort((a, b) => start.at(b) - start.at(a))
      }
      const found: string[] = []
      for (const row of newestFailed) {
        if (found.length === most) break
        if (!failures.has(row)) found.push(ids[row] ?? '')
      }
      return found
    },
    failures: () => ({ all: failed.size, known: failures.size }),
    cacheAt: (row) => caches.get(row) ?? null,
    setCache: (buildId, cache) => {
      const row = lookedUp.get(buildId)
      if (row !== undefined) caches.set(row, cache)
    },
    withoutCache: (most) => {
      if (spread.length !== withCache.length) {
        spread = spreadOut(withCache.toSorted((a, b) => start.at(b) - start.at(a)))
      }
      const found: string[] = []
      for (const row of spread) {
        if (found.length === most) break
        if (caches.has(row)) continue
        const id = ids[row] ?? ''
        lookedUp.set(id, row)
        found.push(id)
      }
      return found
    },
    caches: () => ({ all: withCache.length, known: caches.size }),
  }
}

/** The same, every beginning spread over the whole by halving what lies between (van der Corput, 1935). */
function spreadOut(rows: readonly number[]): readonly number[] {
  const bits = Math.max(0, Math.ceil(Math.log2(rows.length)))
  const ordered: number[] = []
  for (let place = 0; place < 2 ** bits; place++) {
    let reversed = 0
    for (let bit = 0; bit < bits; bit++) reversed = reversed * 2 + ((place >> bit) & 1)
    const row = rows[reversed]
    if (row !== undefined) ordered.push(row)
  }
  return ordered
}
