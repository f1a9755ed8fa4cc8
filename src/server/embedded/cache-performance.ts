import type { Execution } from '../../facts/execution.ts'
import { allExecutions } from '../../facts/execution-table.ts'
import { createExecutions, executionEventTypes } from '../../facts/executions.ts'
import { decodeBuildEvent } from '../../protocol/build-export.ts'
import { readEvents } from '../store/build-events.ts'
import type { StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'

const types: ReadonlySet<string> = new Set(
  executionEventTypes.filter((type) => !type.startsWith('Test')),
)

/**
 * What the build cache saved a Gradle or Maven build, from its events, in the shape of the build data
 * API (docs/services.md#build-cache-performance). Times are ms. `buildTime` is the build's duration.
 */
export async function cachePerformance(
  database: Database,
  { buildId, position, toolType }: StoredBuild,
  buildTime: number,
): Promise<object> {
  const executions = createExecutions()
  for await (const page of readEvents(database, position, { types })) {
    for (const { text } of page) {
      const { type, timestamp } = decodeBuildEvent(text)
      executions.take(type.eventType, timestamp, text, -1)
    }
  }
  const ran = [...allExecutions(executions)].filter(({ kind }) => kind !== 'test')
  const serial = ran.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  const effective = busyMs(ran)
  const serializationFactor = effective === 0 ? 1 : serial / effective
  const savings = savingsOf(ran, serial)
  if (toolType === 'maven') {
    const { upToDate: _, ...avoidanceSavingsSummary } = savings
    return {
      id: buildId,
      buildTime,
      effectiveProjectExecutionTime: effective,
      serialProjectExecutionTime: serial,
      serializationFactor,
      goalExecution: ran.map(goalEntry),
      goalFingerprintingSummary: { count: 0, serialDuration: 0 },
      avoidanceSavingsSummary,
    }
  }
  return {
    id: buildId,
    buildTime,
    effectiveTaskExecutionTime: effective,
    effectiveWorkUnitExecutionTime: effective,
    serialTaskExecutionTime: serial,
    serialWorkUnitExecutionTime: serial,
    serializationFactor,
    taskExecution: ran.map((task) => ({
      taskPath: task.path,
      taskType: task.className ?? '',
      ...entryOf(task),
    })),
    avoidanceSavingsSummary: savings,
    taskAvoidanceSavingsSummary: savings,
    workUnitAvoidanceSavingsSummary: savings,
  }
}

function goalEntry(goal: Execution): object {
  const [, project = '', name = '', execution = ''] = /^(\S+) (\S+) \((.*)\)$/.exec(goal.path) ?? []
  return {
    goalName: name,
    mojoType: goal.className ?? '',
    goalExecutionId: execution,
    goalProjectName: project,
    ...entryOf(goal),
  }
}

function entryOf(execution: Execution): object {
  const { durationMs, outcome, originMs, cache } = execution
  const isAvoided = avoidance(execution).startsWith('avoided')
  return {
    avoidanceOutcome: avoidance(execution),
    duration: durationMs ?? 0,
    avoidanceSavings: isAvoided && originMs !== null ? originMs - (durationMs ?? 0) : null,
    nonCacheabilityReason: cache.kind === 'not-cacheable' ? cache.reason : null,
    hasFailed: outcome === 'failed',
  }
}

/** What became of a task or goal, in the words of the build data API. */
export function avoidance({ outcome, cache }: Execution): string {
  switch (outcome) {
    case 'up-to-date':
      return 'avoided_up_to_date'
    case 'from-cache':
      return cache.kind === 'loaded' && cache.from === 'remote'
        ? 'avoided_from_remote_cache'
        : 'avoided_from_local_cache'
    case 'no-source':
    case 'skipped':
      return outcome
    case 'succeeded':
    case 'failed':
    case 'unfinished':
    case 'other':
      if (cache.kind === 'unknown') return 'executed_unknown_cacheability'
      return cache.kind === 'not-cacheable' ? 'executed_not_cacheable' : 'executed_cacheable'
  }
}

function savingsOf(ran: readonly Execution[], serial: number) {
  const saved = (outcome: string): number =>
    ran
      .filter((one) => avoidance(one) === outcome && one.originMs !== null)
      .reduce((sum, { originMs, durationMs }) => sum + (originMs ?? 0) - (durationMs ?? 0), 0)
  const upToDate = saved('avoided_up_to_date')
  const localBuildCache = saved('avoided_from_local_cache')
  const remoteBuildCache = saved('avoided_from_remote_cache')
  const total = upToDate + localBuildCache + remoteBuildCache
  const ratio = serial + total === 0 ? 0 : total / (serial + total)
  return { total, ratio, upToDate, localBuildCache, remoteBuildCache }
}

/** How long at least one was at work. */
function busyMs(ran: readonly Execution[]): number {
  let busy = 0
  let until = -Infinity
  for (const { startedAt, durationMs } of ran.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const end = startedAt + (durationMs ?? 0)
    busy += Math.max(0, end - Math.max(startedAt, until))
    until = Math.max(until, end)
  }
  return busy
}
