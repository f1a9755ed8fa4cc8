import type { Facts } from '../../../protocol/facts.ts'
import { factReader, type FactValue } from '../../../search/evaluate/fact-value.ts'
import type { Answer } from '../../../search/match.ts'
import type { NecessaryText } from './necessary-text.ts'
import type { WallQuestion } from './wall-question.ts'

/** Knows which tiles a build belongs to. */
export interface WallRouter {
  /** Tells `take` each tile that these facts match. */
  readonly route: (facts: Facts, take: (key: string) => void) => void
  /** Whether facts that a tile holds still match it: with the time some no longer do. */
  readonly stillMatches: (key: string, facts: Facts) => boolean
  /** Compiles anew what means something else at another time; says which tiles that are. */
  readonly moveTo: (now: number) => readonly string[]
  readonly add: (question: WallQuestion) => void
}

/** A query, compiled. */
interface Asked {
  readonly question: WallQuestion
  answer: (facts: Facts) => Answer
}

/** The queries that need a text of one field, by that text. */
interface Index {
  readonly read: (facts: Facts) => FactValue
  readonly byText: Map<string, Asked[]>
}

/**
 * Routes builds to the tiles of a wall: each query is compiled once, and asked only of builds that
 * have the text that it cannot do without; a tile of one project costs one look into a map. `now` is
 * epoch ms of the proxy's clock.
 */
export function createWallRouter(questions: readonly WallQuestion[], now: number): WallRouter {
  const byProject = new Map<string, string[]>()
  const queries = new Map<string, Asked>()
  const indexes = new Map<string, Index>()
  const ofAnyBuild: Asked[] = []
  let compiledAt = now

  function add(question: WallQuestion): void {
    const { key, match } = question
    if (match.by === 'project') {
      const name = match.project.toLowerCase()
      byProject.set(name, [...(byProject.get(name) ?? []), key])
    }
    if (match.by === 'query') {
      const asked = { question, answer: match.at(compiledAt) }
      queries.set(key, asked)
      if (match.needs === undefined) ofAnyBuild.push(asked)
      else putInto(indexes, match.needs, asked)
    }
  }

  for (const question of questions) add(question)
  return {
    add,
    route: (facts, take) => {
      if (typeof facts.project === 'string' && byProject.size > 0) {
        for (const key of byProject.get(facts.project.toLowerCase()) ?? []) take(key)
      }
      const ask = ({ question, answer }: Asked): void => {
        if (answer(facts) === 'yes') take(question.key)
      }
      for (const asked of ofAnyBuild) ask(asked)
      for (const { read, byText } of indexes.values()) {
        for (const asked of askedWith(byText, read(facts))) ask(asked)
      }
    },
    stillMatches: (key, facts) => queries.get(key)?.answer(facts) !== 'no',
    moveTo: (next) => {
      compiledAt = next
      return [...queries.values()].flatMap((asked) => {
        const { key, match } = asked.question
        if (match.by !== 'query' || !match.isRelative) return []
        asked.answer = match.at(next)
        return [key]
      })
    },
  }
}

function putInto(indexes: Map<string, Index>, { field, texts }: NecessaryText, asked: Asked): void {
  const index: Index = indexes.get(field.name) ?? { read: factReader(field), byText: new Map() }
  indexes.set(field.name, index)
  for (const text of texts) index.byText.set(text, [...(index.byText.get(text) ?? []), asked])
}

/** Each query once, though a build may have several texts that it names. */
function askedWith(byText: Index['byText'], value: FactValue): Iterable<Asked> {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return byText.get(String(value).toLowerCase()) ?? []
  const found = new Set<Asked>()
  for (const entry of value) {
    if (typeof entry !== 'string') continue
    for (const asked of byText.get(entry.toLowerCase()) ?? []) found.add(asked)
  }
  return found
}
