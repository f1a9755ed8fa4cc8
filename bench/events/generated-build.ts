/** How large the generated build is: as many events as the largest one that is known of. */
export const buildSize = {
  events: 562_697,
  tasks: 50_000,
  tests: 60_000,
  buildId: 'benchevents00',
} as const

const workers = 16
const start = 1_780_000_000_000

/** An event of the stream: its type, and its text as a server sends it. */
export interface GeneratedEvent {
  readonly type: string
  readonly text: string
}

/** The Build message that the stream begins with. */
export function generatedBuild(): string {
  return JSON.stringify({
    buildId: buildSize.buildId,
    timestamp: start + 900_000,
    toolType: 'gradle',
    toolVersion: '9.2.0',
    agentVersion: '4.2',
  })
}

/**
 * The events of one build in the shapes of recorded streams, in order of time: 50,000 tasks on 16
 * workers, 60,000 tests, what the build cache did, plug-ins as what is left. Every id is a 64-bit
 * integer of its own.
 */
export function* generatedEvents(): Generator<GeneratedEvent> {
  let at = start
  let count = 0
  const event = (type: string, minor: number, data: string): GeneratedEvent => {
    count += 1
    return {
      type,
      text: `{"timestamp":${at},"type":{"majorVersion":1,"minorVersion":${minor},"eventType":"${type}"},"data":${data}}`,
    }
  }

  yield* header(event)
  for (let project = 0; project < 1000; project++) {
    const path = `"buildPath":":","projectPath":":area${project % 40}:module${project}"`
    yield event('ProjectEvaluationStarted', 1, `{${path}}`)
    yield event('ProjectEvaluationFinished', 2, `{${path},"failureId":null,"failure":null}`)
  }
  const plugins =
    buildSize.events - count - 2 * buildSize.tasks - 2 * buildSize.tests - cacheEvents - 3
  const running: number[] = []
  let pluginsSent = 0
  for (let task = 0; task < buildSize.tasks; task++) {
    at += 10 + (task % 7)
    while (pluginsSent < Math.floor((plugins * (task + 1)) / buildSize.tasks)) {
      yield event('PluginApplicationStarted', 0, plugin(pluginsSent))
      pluginsSent += 1
    }
    yield event('TaskStarted', 5, taskStarted(task))
    running.push(task)
    if (running.length < workers) continue
    yield* end(running.shift() ?? 0)
  }
  for (const task of running) yield* end(task)
  yield event(
    'BuildAgent',
    0,
    '{"username":"ci","localHostname":"agent-07","publicHostname":null,"ipAddresses":["192.0.2.7"]}',
  )
  yield event('BuildFinished', 1, '{"failureId":null,"failure":null}')
  yield event(
    'BasicMemoryStats',
    1,
    '{"free":172931056,"total":691011584,"max":2621440000,"peakSnapshots":[],"gcTime":912}',
  )

  function* end(task: number): Generator<GeneratedEvent> {
    at += 3
    if (task % 5 < 2) {
      for (let test = 0; test < testsPerTestTask; test++) {
        const id = idOf(4, task * testsPerTestTask + test)
        yield event('TestStarted', 0, testStarted(task, test, id))
        at += test % 3 === 0 ? 1 : 0
        yield event(
          'TestFinished',
          1,
          `{"task":${idOf(1, task)},"id":${id},"failed":false,"skipped":${test === 2 && task % 50 === 0},"failureId":null,"failure":null}`,
        )
      }
    }
    if (task % 5 === 4) {
      const id = idOf(2, task)
      const key = `"cacheKey":"c18bc161633782332b215b3d${String(task).padStart(8, '0')}"`
      yield event(
        'BuildCacheUnpackStarted',
        0,
        `{"task":${idOf(1, task)},"id":${id},${key},"archiveSize":${1000 + task}}`,
      )
      yield event(
        'BuildCacheUnpackFinished',
        1,
        `{"id":${id},"archiveEntryCount":${2 + (task % 90)},"failureId":null,"failure":null}`,
      )
    }
    yield event('TaskFinished', 6, taskFinished(task))
  }
}

const testsPerTestTask = buildSize.tests / ((buildSize.tasks * 2) / 5)
const cacheEvents = (2 * buildSize.tasks) / 5

function* header(
  event: (type: string, minor: number, data: string) => GeneratedEvent,
): Generator<GeneratedEvent> {
  yield event('BuildStarted', 0, '{}')
  yield event('BuildRequestedTasks', 0, '{"requested":["check"],"excluded":[]}')
  yield event('Hardware', 0, `{"numProcessors":${workers}}`)
  yield event('Os', 0, '{"family":"linux","name":"Linux","version":"6.8.0","arch":"amd64"}')
  yield event(
    'ProjectStructure',
    2,
    '{"rootProjectName":"warehouse","projects":[{"projectPath":":","children":[],"buildPath":":"}]}',
  )
  yield event('UserTag', 0, '{"tag":"CI"}')
}

/** Ids as servers give them: spread over 64 bits, and far from what a number can tell apart. */
function idOf(kind: number, index: number): string {
  const spread = BigInt(kind) * 1_000_003n + BigInt(index) * 9_176_543_219_841n
  return String(BigInt.asIntN(64, spread * 6_364_136_223_846_793_005n))
}

function pathOf(task: number): string {
  const names = ['compileJava', 'processResources', 'test', 'jar', 'integrationTest']
  return `:area${task % 40}:module${Math.floor(task / 50)}:${names[task % 5] ?? ''}${Math.floor(task / 5) % 10}`
}

function taskStarted(task: number): string {
  return `{"id":${idOf(1, task)},"buildPath":":","path":"${pathOf(task)}","className":"org.gradle.api.tasks.compile.JavaCompile","thread":null,"noActions":false}`
}

function taskFinished(task: number): string {
  const outcomes = ['success', 'success', 'up_to_date', 'no_source', 'from_cache']
  const cached = task % 5 === 4
  return `{"id":${idOf(1, task)},"path":"${pathOf(task)}","outcome":"${outcomes[task % 5] ?? ''}","skipMessage":null,"cacheable":${cached},"cachingDisabledReasonCategory":${cached ? 'null' : '"NOT_ENABLED_FOR_TASK"'},"cachingDisabledExplanation":${cached ? 'null' : '"Caching has not been enabled for the task"'},"originBuildInvocationId":${cached ? '"vkbjkht4czd3tcugujgy7v3cr4"' : 'null'},"originExecutionTime":${cached ? 900 : 'null'},"actionable":true,"upToDateMessages":["Output property 'destinationDirectory' has been removed."],"cachingDisabledReason":null}`
}

function testStarted(task: number, test: number, id: string): string {
  const className = `com.example.warehouse.module${Math.floor(task / 50)}.Case${test % 2}Test`
  return `{"task":${idOf(1, task)},"id":${id},"parent":${idOf(5, task)},"name":"handlesOrder${test}WhenStockIsLow","className":"${className}","suite":false}`
}

function plugin(index: number): string {
  return `{"id":${idOf(3, index)},"targetType":"project","targetPath":":area${index % 40}:module${index % 1000}","buildPath":":","pluginClassName":"org.gradle.api.plugins.JavaLibraryPlugin","inferredVersion":"9.2.0-20260821000038+0000","inferredId":"org.gradle.java-library","codeSourceType":"gradle_distribution"}`
}
