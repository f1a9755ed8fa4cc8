import type { Facts } from '../../protocol/facts.ts'
import { compile } from '../../search/match.ts'
import type { Expression, Query } from '../../search/tree.ts'
import { momentTime } from '../../search/values/moment-time.ts'
import { conditionOf } from '../../search/values/read-condition.ts'
import type { CountFilter } from '../store/build-counts.ts'
import {
  manyBranches,
  outcomeNumbers,
  type StoredText,
  withoutStart,
} from '../store/build-points.ts'

/** What a query asks of builds, as far as they are counted by it. */
export interface CountedQuery {
  readonly filter: CountFilter
  /** When the builds started, epoch ms; the end is exclusive. */
  readonly from: number
  readonly to: number
}

type Dimension = keyof CountFilter

/**
 * A query in terms of what builds are counted by: conditions on project, branch, user, tool, outcome
 * and start time, each side by side with the others. Undefined where it asks anything else, or mixes
 * these in one alternative. `texts` are all that builds are counted under.
 */
export function countedQuery(
  query: Query,
  now: number,
  texts: readonly StoredText[],
): CountedQuery | undefined {
  const filter: Record<Dimension, ReadonlySet<number> | undefined> = {
    project: undefined,
    branch: undefined,
    user: undefined,
    tool: undefined,
    outcome: undefined,
  }
  let [from, to] = [-Infinity, Infinity]
  if (query.faults.length > 0) return undefined
  for (const part of query.root === undefined ? [] : conjuncts(query.root)) {
    const time = startRangeOf(part, now)
    if (time !== undefined) {
      if (texts.some(({ kind }) => kind === withoutStart.kind)) return undefined
      from = Math.max(from, time.from)
      to = Math.min(to, time.to)
      continue
    }
    const dimension = dimensionOf(part)
    if (dimension === undefined) return undefined
    if (dimension === 'branch' && texts.some(({ kind }) => kind === manyBranches.kind)) {
      return undefined
    }
    const matches = compile({ ...query, root: part }, { now, timeZone: 'UTC', absent: 'none' })
    const ids = candidates(dimension, texts).flatMap(({ id, facts }) =>
      matches({ ...nothingKnown, ...facts }) === 'yes' ? [id] : [],
    )
    const known = filter[dimension]
    filter[dimension] = new Set(ids.filter((id) => known?.has(id) ?? true))
  }
  const listed = (dimension: Dimension): readonly number[] | undefined => {
    const ids = filter[dimension]
    return ids && [...ids]
  }
  return {
    from,
    to,
    filter: {
      project: listed('project'),
      branch: listed('branch'),
      user: listed('user'),
      tool: listed('tool'),
      outcome: listed('outcome'),
    },
  }
}

const nothingKnown: Facts = {
  buildId: 'nobuildatall-',
  receivedAt: 0,
  buildTool: '',
  buildToolVersion: '',
  agentVersion: '',
}

function conjuncts(part: Expression): readonly Expression[] {
  if (part.type === 'and') return part.operands.flatMap(conjuncts)
  return part.type === 'group' && part.inner !== undefined ? conjuncts(part.inner) : [part]
}

/** The range of a start time that a part alone demands. */
function startRangeOf(
  part: Expression,
  now: number,
): { readonly from: number; readonly to: number } | undefined {
  if (part.type !== 'term') return undefined
  const read = conditionOf(part)
  if (read?.field.name !== 'buildStartTime' || read.condition.type !== 'instant') return undefined
  const { low, high } = read.condition
  const timeOf = (edge: NonNullable<typeof low>): number =>
    momentTime(edge.moment, { now, timeZone: 'UTC' })
  return {
    from: low === undefined ? -Infinity : timeOf(low) + (low.inclusive ? 0 : 1),
    to: high === undefined ? Infinity : timeOf(high) + (high.inclusive ? 1 : 0),
  }
}

/** What a part asks of a build, if that is one thing. */
function dimensionOf(part: Expression): Dimension | undefined {
  switch (part.type) {
    case 'and':
    case 'or': {
      const [first, ...others] = part.operands.map(dimensionOf)
      return others.every((other) => other === first) ? first : undefined
    }
    case 'not':
      return dimensionOf(part.operand)
    case 'group':
      return part.inner && dimensionOf(part.inner)
    case 'flag':
    case 'free-text':
      return undefined
    case 'term': {
      const read = conditionOf(part)
      if (read === undefined) return undefined
      if (read.condition.type === 'pair') {
        const [name, ...rest] = read.condition.name
        return rest.length === 0 && name.toLowerCase() === 'git branch' ? 'branch' : undefined
      }
      return dimensions.get(read.field.name)
    }
  }
}

const dimensions: ReadonlyMap<string, Dimension> = new Map([
  ['project', 'project'],
  ['user', 'user'],
  ['buildTool', 'tool'],
  ['buildOutcome', 'outcome'],
])

/** What a build can have of a dimension, as facts that have nothing else. */
function candidates(
  dimension: Dimension,
  texts: readonly StoredText[],
): readonly { readonly id: number; readonly facts: Partial<Facts> }[] {
  if (dimension === 'outcome') {
    return [
      { id: outcomeNumbers.unknown, facts: { outcome: null } },
      { id: outcomeNumbers.succeeded, facts: { outcome: 'succeeded' } },
      { id: outcomeNumbers.failed, facts: { outcome: 'failed' } },
    ]
  }
  const factsOf = (text: string | null): Partial<Facts> => {
    switch (dimension) {
      case 'project':
        return { project: text }
      case 'user':
        return { user: text }
      case 'tool':
        return { buildTool: text ?? '' }
      case 'branch':
        return { values: text === null ? [] : [{ name: 'Git branch', value: text }] }
    }
  }
  return [
    { id: 0, facts: factsOf(null) },
    ...texts.flatMap(({ id, kind, text }) =>
      kind === dimension ? [{ id, facts: factsOf(text) }] : [],
    ),
  ]
}
