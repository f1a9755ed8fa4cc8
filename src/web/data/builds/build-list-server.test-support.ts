import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem } from '../../../protocol/problem.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createRequest, createStreamedRequest, type Request as Ask } from '../core/request.ts'
import { createSession } from '../core/session.ts'
import { createReadFacts, type ReadFacts } from '../insight/server-insight.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

/** A build of the small server: it is of a project, and failed or not. */
export interface ListedBuild {
  readonly id: string
  readonly availableAt: number
  readonly project: string
  /** Gradle's where it is left out. */
  readonly tool?: string
}

/** How a build server differs from one that knows all there is. */
export interface ListBehaviour {
  readonly builds: readonly ListedBuild[]
  /** What it does with `query`, of which it understands `project:<name>` and what matches none. */
  readonly search?: 'refuses' | 'ignores' | undefined
  /** The tools whose attributes it knows; others are refused. Undefined: it leaves models out. */
  readonly tools?: readonly string[] | undefined
  /** Knows `since` and `maxBuilds` alone, and lists the oldest first. */
  readonly isPlain?: boolean
  /** Lists builds of the time itself, too, that it knows as `since`. */
  readonly isInclusive?: boolean
  /** A page of it has no more builds, whatever is asked for. */
  readonly mostInPage?: number
  /** Lists nothing where no time is named. */
  readonly needsSince?: boolean
  /** Answers 504 to pages longer than this. */
  readonly mostAtOnce?: number
  /** Builds whose attributes may not be read. */
  readonly denied?: (build: ListedBuild) => boolean
  /** Begins each page with the last build of the one before. */
  readonly isOverlapping?: boolean
  /** Begins again with each page. */
  readonly isStuck?: boolean
  /** Gives shorter pages than were asked for. */
  readonly shortPages?: boolean
  /** What the proxy reads in a build's events. */
  readonly events?: (build: ListedBuild) => Partial<Facts> | undefined
  /** The proxy waits for the events of one more. */
  readonly isStoring?: boolean
  /** Sends nothing in place of a list, by the number of the list request from 1. */
  readonly isSilent?: boolean | ((count: number) => boolean)
  /** Answers of other kinds, by the number of the list request from 1. */
  readonly instead?: (count: number, query: URLSearchParams) => Instead | undefined
}

/** A refusal, or what stands in place of a list. */
export interface Instead {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly more?: Record<string, unknown>
}

/** The small server, and a way to it. */
export interface ListServer {
  readonly request: Ask
  readonly clock: ManualClock
  readonly readFacts: ReadFacts
  /** The queries of the list requests so far. */
  readonly asked: readonly URLSearchParams[]
  readonly close: () => void
}

const begin = 1_780_000_000_000

/** `count` builds, one a second, every third of `shop` and the others of `bank`. */
export function listedBuilds(count: number): readonly ListedBuild[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `b${String(index).padStart(12, '0')}`,
    availableAt: begin - (count - index) * 1000,
    project: index % 3 === 0 ? 'shop' : 'bank',
  }))
}

/** Starts a proxy whose build server behaves so, on a free port of 127.0.0.1. */
export async function startListServer(behaviour: ListBehaviour): Promise<ListServer> {
  const clock = createManualClock(begin)
  const asked: URLSearchParams[] = []
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://small')
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      const type = status >= 400 ? 'application/problem+json' : 'application/json'
      response.writeHead(status, { 'content-type': type, ...headers })
      response.end(JSON.stringify(body))
    }
    if (url.pathname === '/session') {
      const user = { name: 'ann', roles: ['viewer'] }
      send(200, { token: 't', expiresAt: begin + 9e6, user })
      return
    }
    if (url.pathname === '/insight/earlier-builds') {
      send(200, earlierBuilds(behaviour, url.searchParams))
      return
    }
    if (url.pathname === '/insight/facts') {
      void text(incoming).then((body) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write(`${factsLines(behaviour, body).join('\n')}\n`)
        if (behaviour.isStoring !== true) response.end()
      })
      return
    }
    asked.push(url.searchParams)
    const { isSilent = false } = behaviour
    if (isSilent === true || (isSilent !== false && isSilent(asked.length))) return
    const instead = behaviour.instead?.(asked.length, url.searchParams)
    if (instead !== undefined) {
      const { status, headers, more } = instead
      send(status, problem(status, 'small', 'Small', `The answer is ${status}.`, more), headers)
      return
    }
    const answer = listAnswer(behaviour, url.searchParams)
    if (typeof answer === 'number') send(answer, problem(answer, 'small', 'Small', 'Not so.'))
    else send(200, answer)
  })
  const { fetch: send, close } = await onLoopback(server)
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  const common = { fetch: send, session, clock, isOnline }
  return {
    request: createRequest(common),
    readFacts: createReadFacts({ send: createStreamedRequest(common), clock, random: () => 0 }),
    clock,
    asked,
    close: () => void close(),
  }
}

/** As docs/reference/proxy-api.md has it. */
function earlierBuilds({ builds, isSilent }: ListBehaviour, query: URLSearchParams): unknown {
  const before = Number(query.get('before') ?? Infinity)
  const earlier = builds.filter(({ availableAt }) => availableAt < before).toReversed()
  const last = earlier[Number(query.get('most')) - 1]?.availableAt ?? -Infinity
  return {
    builds: earlier
      .filter(({ availableAt }) => availableAt >= last)
      .map((build) => summary(build, undefined)),
    malformed: 0,
    source: isSilent === true ? 'export' : 'list',
  }
}

function factsLines({ builds, events }: ListBehaviour, body: string): string[] {
  const { buildIds } = z.object({ buildIds: z.array(z.string()) }).parse(JSON.parse(body))
  return buildIds.map((buildId) => {
    const build = builds.find(({ id }) => id === buildId)
    const facts = build && events?.(build)
    const about = {
      ...{ buildId, receivedAt: build?.availableAt, buildTool: 'gradle', buildToolVersion: '9.1' },
      agentVersion: '4',
    }
    return JSON.stringify(
      facts === undefined
        ? { buildId, problem: 'No events.' }
        : { buildId, facts: { ...about, ...facts } },
    )
  })
}

function listAnswer(behaviour: ListBehaviour, query: URLSearchParams): number | unknown[] {
  const { search, tools, isPlain = false, mostAtOnce = Infinity, shortPages } = behaviour
  const max = Math.min(Number(query.get('maxBuilds') ?? 100), behaviour.mostInPage ?? Infinity)
  const wanted = query.get('query')
  const models = query.getAll('models').map((name) => name.replace('-attributes', ''))
  if (max > mostAtOnce) return 504
  if (isPlain) {
    if (behaviour.needsSince === true && !query.has('since')) return []
    const since = Number(query.get('since') ?? 0) - (behaviour.isInclusive === true ? 1 : 0)
    const later = behaviour.builds.filter(({ availableAt }) => availableAt > since)
    return later.slice(0, max).map((build) => summary(build, undefined))
  }
  if (wanted !== null && search === 'refuses') return 400
  if (tools !== undefined && models.some((tool) => !tools.includes(tool))) return 400
  let builds = [...behaviour.builds].reverse()
  const cursor = query.get('fromBuild')
  if (cursor !== null && behaviour.isStuck !== true)
    builds = builds.slice(
      (behaviour.isOverlapping === true ? 0 : 1) + builds.findIndex(({ id }) => id === cursor),
    )
  if (wanted !== null && search !== 'ignores') {
    const project = /^project:(\w+)$/.exec(wanted)?.[1]
    if (wanted.includes('broken')) return 400
    if (wanted !== 'buildTool:gradle') builds = builds.filter((build) => build.project === project)
  }
  const given = shortPages === true ? Math.ceil(max / 3) : max
  return builds.slice(0, given).map((build) => {
    const isDenied = behaviour.denied?.(build) === true
    return summary(build, models.length > 0 ? tools : undefined, isDenied)
  })
}

function summary(
  { id, availableAt, project, tool = 'gradle' }: ListedBuild,
  tools: unknown,
  isDenied = false,
): unknown {
  const about = { buildToolType: tool, buildToolVersion: '9.1', buildAgentVersion: '4' }
  const model = { rootProjectName: project, hasFailed: false, buildStartTime: availableAt - 5000 }
  const problemOf = (status: number, name: string) => ({
    problem: { type: `urn:gradle:enterprise:api:problems:${name}`, title: 'No', status },
  })
  const isOfGradle = tool === 'gradle'
  const none = problemOf(400, 'build-model-not-applicable')
  const others = ['maven', ...(isOfGradle ? [] : ['gradle', 'bazel', 'npm', 'python', 'sbt'])]
  const given = {
    ...(isOfGradle && { gradleAttributes: isDenied ? problemOf(403, 'forbidden') : { model } }),
    ...Object.fromEntries(others.map((name) => [`${name}Attributes`, none])),
  }
  const models = tools === undefined ? {} : { models: given }
  return { id, availableAt, ...about, ...models }
}
