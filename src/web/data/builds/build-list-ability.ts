import { toolsWithAttributes, type ToolWithAttributes } from '../../../protocol/attributes.ts'

/** What a build server was found to be able to do with its list; learned by asking. */
export interface ListAbility {
  /**
   * Whether it answers `query` (docs/services.md#build-list-parameters). Older ones refuse it
   * (`refused`), and ones that know only since and maxBuilds may answer as if nothing had been
   * asked (`ignored`).
   */
  readonly search: 'untried' | 'yes' | 'refused' | 'ignored'
  /** The tools whose attributes it gives with the list; empty where it gives none. */
  readonly tools: readonly ToolWithAttributes[]
  /** Whether some answer has confirmed `tools`. */
  readonly areToolsKnown: boolean
  /** The order in which it can be walked: ones that do not know `reverse` begin with the oldest. */
  readonly order: 'newest-first' | 'oldest-first'
}

/** What is hoped for before a server has answered anything. */
export const untriedAbility: ListAbility = {
  search: 'untried',
  tools: toolsWithAttributes,
  areToolsKnown: false,
  order: 'newest-first',
}

/**
 * What servers were able to give with the list over time, the newest first
 * (docs/services.md#server-releases); a server refuses a request that names a model which it does
 * not have.
 */
export const toolsOverTime: readonly (readonly ToolWithAttributes[])[] = [
  toolsWithAttributes,
  ['gradle', 'maven', 'bazel', 'npm', 'python'],
  ['gradle', 'maven', 'bazel'],
  [],
]

/** A query that every server which searches understands. */
export const plainestQuery = 'buildTool:gradle'

/** And one that no build matches: whoever answers it with builds does not search. */
export const impossibleQuery = 'buildStartTime:[1969-01-01T00:00:00Z to 1969-01-02T00:00:00Z]'
