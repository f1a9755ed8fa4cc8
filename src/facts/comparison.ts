import type { Facts } from '../protocol/facts.ts'
import type { Execution } from './execution.ts'

/** What became of an execution from one build to another. */
export const changes = ['outcome', 'slower', 'faster', 'added', 'removed', 'same'] as const
export type Change = (typeof changes)[number]

/** An execution in two builds. */
export interface ComparedExecution {
  readonly kind: Execution['kind']
  readonly path: string
  readonly change: Change
  readonly left: Execution | null
  readonly right: Execution | null
  /** How much longer it took on the right, ms; negative where it was faster. */
  readonly differenceMs: number
}

/** A fact of two builds, as text; null where it is not known. */
export interface ComparedFact {
  readonly name: string
  readonly left: string | null
  readonly right: string | null
  readonly isSame: boolean
}

/** Smaller differences than both of these are the noise of machines. */
const leastMs = 100
const leastShare = 0.2

/**
 * Matches the executions of two builds by kind, path and, where a path repeats, its turn. What
 * matters most comes first: changed outcomes, what is only in one of them, then the largest
 * differences in time.
 */
export function compareExecutions(
  left: readonly Execution[],
  right: readonly Execution[],
): readonly ComparedExecution[] {
  const onRight = byTurn(right)
  const compared: ComparedExecution[] = []
  for (const [key, execution] of byTurn(left)) {
    const other = onRight.get(key)
    onRight.delete(key)
    compared.push(other === undefined ? only(execution, 'removed') : both(execution, other))
  }
  for (const execution of onRight.values()) compared.push(only(execution, 'added'))
  return compared.sort(
    (a, b) =>
      rank[a.change] - rank[b.change] || Math.abs(b.differenceMs) - Math.abs(a.differenceMs),
  )
}

/** The generic facts of two builds side by side. `duration` puts milliseconds into words. */
export function compareFacts(
  left: Facts,
  right: Facts,
  duration: (ms: number) => string,
): readonly ComparedFact[] {
  const names = [
    'outcome',
    'durationMs',
    'project',
    'requested',
    'user',
    'hostname',
    'buildTool',
  ] as const
  const more = ['buildToolVersion', 'agentVersion', 'tags'] as const
  const facts = [...names, ...more].map((name) => {
    const text = (facts: Facts): string | null => {
      const value = facts[name]
      if (value === undefined || value === null) return null
      if (typeof value === 'number') return duration(value)
      return typeof value === 'string' ? value : [...value].sort().join(' ')
    }
    return compared(factNames[name] ?? name, text(left), text(right))
  })
  return [
    ...facts,
    ...compareEntries(valuesOf(left), valuesOf(right)),
    ...compareEntries(Object.entries(left.fields ?? {}), Object.entries(right.fields ?? {})),
  ]
}

const rank: Readonly<Record<Change, number>> = {
  outcome: 0,
  added: 1,
  removed: 1,
  slower: 2,
  faster: 2,
  same: 3,
}

const factNames: Readonly<Record<string, string>> = {
  durationMs: 'duration',
  hostname: 'host',
  buildTool: 'tool',
  buildToolVersion: 'tool version',
  agentVersion: 'agent version',
}

function byTurn(executions: readonly Execution[]): Map<string, Execution> {
  const turns = new Map<string, number>()
  const found = new Map<string, Execution>()
  for (const execution of executions) {
    const name = `${execution.kind}\n${execution.parent ?? ''}\n${execution.path}`
    const turn = turns.get(name) ?? 0
    turns.set(name, turn + 1)
    found.set(`${name}\n${turn}`, execution)
  }
  return found
}

function only(execution: Execution, change: 'added' | 'removed'): ComparedExecution {
  const { kind, path, durationMs } = execution
  const isLeft = change === 'removed'
  return {
    kind,
    path,
    change,
    left: isLeft ? execution : null,
    right: isLeft ? null : execution,
    differenceMs: (durationMs ?? 0) * (isLeft ? -1 : 1),
  }
}

function both(left: Execution, right: Execution): ComparedExecution {
  const [before, after] = [left.durationMs ?? 0, right.durationMs ?? 0]
  const differenceMs = after - before
  return {
    kind: left.kind,
    path: left.path,
    change: left.outcome === right.outcome ? pace(before, after) : 'outcome',
    left,
    right,
    differenceMs,
  }
}

function pace(before: number, after: number): Change {
  const difference = Math.abs(after - before)
  if (difference < leastMs || difference < leastShare * Math.max(before, after)) return 'same'
  return after > before ? 'slower' : 'faster'
}

function valuesOf({ values = [] }: Facts): (readonly [string, string])[] {
  return values.map(({ name, value }) => [name, value])
}

function compareEntries(
  left: readonly (readonly [string, Entry])[],
  right: readonly (readonly [string, Entry])[],
): ComparedFact[] {
  const names = new Set([...left, ...right].map(([name]) => name))
  return Array.from(names, (name) => {
    const text = (entries: readonly (readonly [string, Entry])[]): string | null => {
      const values = entries.filter(([key]) => key === name).map(([, value]) => String(value))
      return values.length === 0 ? null : values.join(', ')
    }
    return compared(name, text(left), text(right))
  })
}

type Entry = string | number | boolean | null

function compared(name: string, left: string | null, right: string | null): ComparedFact {
  return { name, left, right, isSame: left === right }
}
