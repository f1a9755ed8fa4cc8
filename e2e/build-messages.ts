import { expect } from './sightline.ts'

/** An event as its type and data, a second after the one before it. */
export type ToldEvent = readonly [type: string, data: string]

/**
 * The Build message of a build and its events, as the messages of its own stream
 * (docs/services.md#export-events-of-a-build).
 */
export function buildMessages(
  buildId: string,
  events: readonly ToldEvent[],
  start = Date.parse('2026-11-20T09:00:00Z'),
): string[] {
  const build = {
    buildId,
    timestamp: start,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.2',
  }
  return [
    `id: ${buildId}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`,
    ...events.map(([type, data], index) => {
      const head = `{"timestamp":${start + index * 1000},"type":{"majorVersion":1,"minorVersion":0,"eventType":"${type}"}`
      return `id: ${index + 1}\nevent: BuildEvent\ndata: ${head},"data":${data}}\n\n`
    }),
  ]
}

/** Messages of a stream as a recording has them: lines of JSON. */
export function recordingOf(stream: readonly string[]): string {
  return stream.map((message) => /data: (.*)\n/.exec(message)?.[1] ?? '').join('\n')
}

/** Puts a recording into the embedded build server (README), and resolves with the id of its build. */
export async function sendRecording(
  server: string,
  key: string,
  recording: string,
): Promise<string> {
  const response = await fetch(`${server}/embedded/builds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: recording,
  })
  expect(response.status).toBe(201)
  return /"buildId":"(\w+)"/.exec(await response.text())?.[1] ?? ''
}

/**
 * A build that failed in one of two tests, with one that is flaky. The ids of its tasks and of its
 * tests are the same when they are read as JavaScript numbers.
 */
export const failedBuild: readonly ToldEvent[] = [
  ['BuildStarted', '{}'],
  ['BuildAgent', '{"username":"alice","publicHostname":"agent-12"}'],
  ['BuildRequestedTasks', '{"requested":["check"],"excluded":[]}'],
  [
    'ProjectStructure',
    '{"rootProjectName":"shop","projects":[{"projectPath":":","buildPath":":"}]}',
  ],
  [
    'TaskStarted',
    '{"id":-4605989310301599227,"buildPath":":","path":":compileJava","className":"a.JavaCompile"}',
  ],
  [
    'TaskFinished',
    '{"id":-4605989310301599227,"path":":compileJava","outcome":"from_cache","cacheable":true}',
  ],
  [
    'TaskStarted',
    '{"id":-4605989310301599225,"buildPath":":","path":":test","className":"a.Test"}',
  ],
  ...test(1, 'opens', true),
  ...test(2, 'opens', false),
  ...test(3, 'closes', true),
  [
    'TaskFinished',
    '{"id":-4605989310301599225,"path":":test","outcome":"failed","cacheable":true}',
  ],
  [
    'ExceptionData',
    `{"exceptions":{
      "3107853242888327571":{"className":"a.TaskExecutionException","message":"Execution failed for task ':test'.","causes":[3107853242888327573],"stackTrace":1,"metadata":{"taskPath":":test"}},
      "3107853242888327573":{"className":"a.GradleException","message":"There were failing tests.","causes":[3107853242888327571],"stackTrace":1},
      "5":{"className":"org.opentest4j.AssertionFailedError","message":"expected: <17> but was: <18>","causes":[],"stackTrace":1}
    },"stackTraces":{"1":{"stackFrames":[7]}},"stackFrames":{"7":{"declaringClass":"com.example.ShopTest","methodName":"closes","fileName":"ShopTest.java","lineNumber":17}}}`.replaceAll(
      '\n',
      '',
    ),
  ],
  ['BuildFinished', '{"failureId":3107853242888327571,"failure":null}'],
  ['Novelty', '{"about":9007199254740993}'],
]

function test(index: number, name: string, failed: boolean): ToldEvent[] {
  const id = `900719925474099${index}`
  const task = -4605989310301599225n
  return [
    [
      'TestStarted',
      `{"task":${task},"id":${id},"parent":null,"name":"${name}","className":"com.example.ShopTest","suite":false}`,
    ],
    [
      'TestFinished',
      `{"task":${task},"id":${id},"failed":${failed},"skipped":false,"failureId":${failed ? 5 : null}}`,
    ],
  ]
}
