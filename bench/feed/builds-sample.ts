import type { BuildMessage } from '../../src/protocol/build-message.ts'
import { liveEvents } from '../../src/protocol/live-feed.ts'
import { encodeSse } from '../../src/protocol/sse.ts'

const tools = ['gradle', 'maven', 'bazel', 'npm', 'sbt', 'python'] as const
const versions = ['9.2.0', '3.9.11', '8.1.1', '11.4.2', '1.11.5', '3.13.1'] as const

/** The nth build of the sample: 13-character id, ascending time, six tools. */
export function sampleBuild(index: number): BuildMessage {
  return {
    buildId: index.toString(36).padStart(13, '0'),
    timestamp: 1_780_000_000_000 + index * 37,
    toolType: tools[index % tools.length] ?? 'gradle',
    toolVersion: versions[index % versions.length] ?? '1',
    agentVersion: '4.2',
  }
}

/** `count` builds as the hub sends a backlog: `Builds` messages of `atOnce` each. */
export function* batchedStream(count: number, atOnce: number): Generator<string> {
  for (let first = 0; first < count; first += atOnce) {
    const length = Math.min(atOnce, count - first)
    const builds = Array.from({ length }, (_, offset) => sampleBuild(first + offset))
    yield encodeSse({
      id: builds.at(-1)?.buildId,
      event: liveEvents.builds,
      data: JSON.stringify(builds),
    })
  }
}
