import type { Facts } from '../../protocol/facts.ts'
import type { Answer } from '../../search/match.ts'
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

/**
 * Routes builds to the tiles of a wall: each query is compiled once, and a tile of one project costs
 * one look into a map. `now` is epoch ms of the proxy's clock.
 */
export function createWallRouter(questions: readonly WallQuestion[], now: number): WallRouter {
  const byProject = new Map<string, string[]>()
  const queries = new Map<string, { question: WallQuestion; answer: (facts: Facts) => Answer }>()
  let compiledAt = now

  function add(question: WallQuestion): void {
    const { key, match } = question
    if (match.by === 'project') {
      const name = match.project.toLowerCase()
      byProject.set(name, [...(byProject.get(name) ?? []), key])
    }
    if (match.by === 'query') queries.set(key, { question, answer: match.at(compiledAt) })
  }

  for (const question of questions) add(question)
  return {
    add,
    route: (facts, take) => {
      if (typeof facts.project === 'string' && byProject.size > 0) {
        for (const key of byProject.get(facts.project.toLowerCase()) ?? []) take(key)
      }
      for (const [key, { answer }] of queries) {
        if (answer(facts) === 'yes') take(key)
      }
    },
    stillMatches: (key, facts) => queries.get(key)?.answer(facts) !== 'no',
    moveTo: (next) => {
      compiledAt = next
      return [...queries.values()].flatMap((entry) => {
        const { key, match } = entry.question
        if (match.by !== 'query' || !match.isRelative) return []
        entry.answer = match.at(next)
        return [key]
      })
    },
  }
}
