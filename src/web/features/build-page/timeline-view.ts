import type { ExecutionKind, ExecutionOutcome } from '../../../facts/execution.ts'
import type { ExecutionCounts } from '../../../facts/execution-table.ts'
import type { TimelineView, TimeSpan } from '../../../facts/timeline.ts'
import type { BuildAddress, Scope } from './build-address.ts'

/** The kinds of executions of a scope. */
function kindsOf(scope: Scope): readonly ExecutionKind[] {
  if (scope === 'work') return ['task', 'goal']
  return scope === 'tests' ? ['test'] : ['task', 'goal', 'test']
}

/** Which executions are listed for what the address says; `whole` is when the build did anything. */
export function listView(address: BuildAddress, whole: TimeSpan): TimelineView {
  const { order, zoom } = address
  return {
    ...narrowed(address),
    order,
    kinds: kindsOf(address.scope),
    from: zoom && whole.from + zoom.from,
    to: zoom && whole.from + zoom.to,
  }
}

/** Which executions are drawn on lanes: tests have lanes of their own, and are drawn alone. */
export function lanesView(address: BuildAddress): TimelineView {
  const kinds = kindsOf(address.scope === 'tests' ? 'tests' : 'work')
  return { ...narrowed(address), order: 'start', kinds }
}

/** How many executions of a scope ended how. */
export function scopeCounts(
  counts: ExecutionCounts,
  scope: Scope,
): Readonly<Partial<Record<ExecutionOutcome, number>>> {
  const sums: Partial<Record<ExecutionOutcome, number>> = {}
  for (const kind of kindsOf(scope)) {
    for (const [outcome, count] of entriesOf(counts[kind])) {
      sums[outcome] = (sums[outcome] ?? 0) + count
    }
  }
  return sums
}

function narrowed({ outcomes, cache, search }: BuildAddress) {
  return {
    outcomes: outcomes.length === 0 ? undefined : outcomes,
    cache: cache.length === 0 ? undefined : cache,
    search: search === '' ? undefined : search,
  }
}

function entriesOf<K extends string>(counts: Readonly<Partial<Record<K, number>>>): [K, number][] {
  const found: [K, number][] = []
  for (const key in counts) {
    const count = counts[key]
    if (count !== undefined) found.push([key, count])
  }
  return found
}
