import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import {
  attributesKey,
  toBuildSummary,
  type ToolWithAttributes,
} from '../../../protocol/build-data.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { LiveFacts } from '../../../protocol/live-feed.ts'
import { createBuildInsights } from '../insight/insight-routes.ts'
import {
  type BuildFacts,
  createBuildFacts,
  createKnownFacts,
  type KnownFacts,
} from './build-facts.ts'
import {
  type Answer,
  buildNumber,
  buildNumbers,
  type HostileUpstream,
  startHostileUpstream,
} from './hostile-upstream.test-support.ts'
import { clientOf, createSwiftClock } from './hub-on-socket.test-support.ts'

/** Facts that are learned from a hostile upstream. */
export interface Learning {
  readonly upstream: HostileUpstream
  readonly facts: BuildFacts
  readonly known: KnownFacts
  readonly learned: Facts[]
  /** What could not be read: operation, build, field and reason. */
  readonly losses: string[]
  readonly wantAll: (builds: readonly BuildMessage[]) => void
  readonly paths: () => string[]
}

/** Learns with the real client; each answer is asked in turn. */
export async function learn(...answers: Answer[]): Promise<Learning> {
  const upstream = await startHostileUpstream()
  upstream.answers.push(...answers)
  const clock = createSwiftClock(Date.now, 100)
  const client = clientOf(upstream.url, clock)
  const learned: Facts[] = []
  const losses: string[] = []
  const known = createKnownFacts(100)
  const logger = pino({ level: 'silent' })
  const common = { client, clock, random: () => 0, logger }
  const facts = createBuildFacts({
    ...common,
    failures: createBuildInsights({ ...common, database: undefined }).failures,
    onLoss: ({ endpoint, build, field, reason }) => {
      losses.push(`${endpoint} ${build ?? '?'} ${field ?? '-'} ${reason}`)
    },
    known,
    onFacts: (_, json) => learned.push(LiveFacts.parse(JSON.parse(json)).facts),
  })
  onTestFinished(async () => {
    await facts.close()
    await client.close()
    await upstream.stop()
  })
  return {
    upstream,
    facts,
    known,
    learned,
    losses,
    wantAll: (builds) => {
      let previous: string | undefined
      for (const build of builds) {
        facts.want(build, { previous, isOld: false })
        previous = build.buildId
      }
    },
    paths: () => upstream.requests.map(({ path }) => decodeURIComponent(path)),
  }
}

/** A counter of what was learned. */
export function counter({ facts }: Learning, name: string): number {
  return facts.counters()[name] ?? Number.NaN
}

/** Answers where `pattern` matches, as often as told, with what `body` makes of the match. */
export function where(
  pattern: RegExp,
  status: number,
  body: (match: RegExpExecArray, url: URL) => string = () => '',
  times = Infinity,
  headers: Record<string, string> = {},
): Answer {
  let left = times
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://upstream.invalid')
    const match = pattern.exec(url.pathname)
    if (match === null || left <= 0) return false
    left--
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body(match, url))
    return true
  }
}

/** The addresses that facts come from. */
export const one = /^\/api\/builds\/(\w{13})$/
export const list = /^\/api\/builds$/
export const events = /^\/build-export\/v2\/build\/(\w{13})\/events$/
/** All builds that the upstream knows. */
export const everything = buildNumbers(0, 300)

/** A build of the list with the attributes of its tool. */
export const withAttributes = (build: BuildMessage): object => ({
  ...toBuildSummary(build),
  models: {
    [attributesKey(toolOf(build))]: {
      model: { buildDuration: 1000, hasFailed: false, tags: [build.buildId] },
    },
  },
})
/** Which of the two tools of the series a build is of. */
export const toolOf = (build: BuildMessage): ToolWithAttributes =>
  build.toolType === 'maven' ? 'maven' : 'gradle'

/** The build that an address names. */
export const buildOf = (match: RegExpExecArray): BuildMessage =>
  everything.find(({ buildId }) => buildId === match[1]) ?? buildNumber(0)

/** A page of the build list. */
export const listBody = (_: RegExpExecArray, url: URL): string => {
  const from = url.searchParams.get('fromBuild')
  const first = everything.findIndex(({ buildId }) => buildId === from) + 1
  const most = Number(url.searchParams.get('maxBuilds'))
  return JSON.stringify(everything.slice(first, first + most).map(withAttributes))
}

/** The few events of a build that facts are made from. */
export const eventsBody = (match: RegExpExecArray): string => {
  const build = buildOf(match)
  const event = (id: number, eventType: string, data: unknown): string =>
    `id: ${id}\nevent: BuildEvent\ndata: ${JSON.stringify({
      timestamp: build.timestamp + id,
      type: { majorVersion: 1, minorVersion: 0, eventType },
      data,
    })}\n\n`
  return (
    `id: ${build.buildId}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n` +
    event(1, 'BuildStarted', {}) +
    event(2, 'UserTag', { tag: build.buildId }) +
    event(3, 'BuildFinished', { failureId: null, failure: null })
  )
}
/** The head of an event stream. */
export const sse = { 'content-type': 'text/event-stream' }
