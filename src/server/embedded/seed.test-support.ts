import type { NewBuild } from '../store/build-writing.ts'

/** An event of a type, whose data holds an id beyond 2^53. */
export function event(type: string, data = '{"id":-7978837427190732235}'): string {
  return `{"timestamp":900,"type":{"majorVersion":1,"minorVersion":0,"eventType":"${type}"},"data":${data}}`
}

/** A build received at `timestamp`; of Gradle, with two events and no attributes unless said. */
export function build(
  buildId: string,
  timestamp: number,
  more: { toolType?: string; attributes?: NewBuild['attributes']; events?: string[] } = {},
): NewBuild {
  const { toolType = 'gradle', attributes = null } = more
  return {
    message: { buildId, timestamp, toolType, toolVersion: '9.1', agentVersion: '4.0' },
    attributes,
    events: more.events ?? [
      event('BuildStarted', '{}'),
      event('BuildFinished', '{"id":-7978837427190732235,"failure":null}'),
    ],
  }
}

/**
 * Four builds in order of receipt: ids that are not in order, two with the same time, two tools.
 * The clock of the tests stands at 1,000,000.
 */
export const seed: readonly NewBuild[] = [
  build('zzzzzzzzzzzzz', 1000, {
    attributes: {
      rootProjectName: 'shop',
      requestedTasks: ['build'],
      hasFailed: true,
      hasVerificationFailure: true,
      tags: ['CI'],
      values: [{ name: 'Git branch', value: 'main' }],
      buildStartTime: Date.UTC(2026, 0, 1, 8),
      buildDuration: 61_000,
      environment: { numberOfCpuCores: 8, jvmMaxMemoryHeapSize: 2 ** 30 },
    },
    events: [
      event('BuildStarted', '{}'),
      event('TaskStarted'),
      event('TaskStarted'),
      event('taskStarted'),
    ],
  }),
  build('mmmmmmmmmmmmm', 2000, {
    toolType: 'maven',
    attributes: { topLevelProjectName: 'bank', requestedGoals: ['verify'], hasFailed: false },
  }),
  build('aaaaaaaaaaaaa', 2000),
  build('ggggggggggggg', 3000, { attributes: { rootProjectName: 'shop', hasFailed: false } }),
]

/** Their ids, in the order of receipt. */
export const [z, m, a, g] = ['zzzzzzzzzzzzz', 'mmmmmmmmmmmmm', 'aaaaaaaaaaaaa', 'ggggggggggggg']
