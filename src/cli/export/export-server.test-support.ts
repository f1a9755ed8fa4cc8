import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onLoopback } from '../../free-port.test-support.ts'

/** A build as the raw server has it. */
export interface RawBuild {
  readonly id: string
  /** When it was received, epoch ms. */
  readonly at: number
  readonly project: string
  /** When the live feed says its facts: with the build, after the next ones, or not at all; `bare` ones say no more than the build. */
  readonly facts: 'with it' | 'late' | 'never' | 'bare'
}

/** What goes wrong with one response. */
export interface RawFault {
  /** It is cut after so many bytes, or refused where that is 0. */
  readonly after: number
}

/** A server that speaks the live feed and the build list as they are documented, and nothing else. */
export interface RawServer {
  readonly url: string
  /** Adds builds to what is known, and tells them to whoever reads. */
  readonly publish: (builds: readonly RawBuild[]) => void
  /** The next responses go wrong so. */
  readonly break: (faults: readonly RawFault[]) => void
  /** What is no longer known as a resume point, though the build is still listed. */
  readonly forget: (ids: readonly string[]) => void
  /** Ends every connection. */
  readonly dropAll: () => void
  readonly requests: () => readonly string[]
  readonly stop: () => Promise<void>
}

/** See docs/design.md#live-messages and docs/services.md#build-list. Written from these alone. */
export async function startRawServer({
  token = '',
  accepted = Infinity,
  pageSize = 1000,
  isBare = false,
  aheadMs = 0,
  deniedBy,
  onReader = () => undefined,
  onRequest = () => undefined,
}: {
  token?: string
  /** From the request after so many on, nobody is signed in any more. */
  accepted?: number
  pageSize?: number
  /** Its list has no attributes: facts stand in events, which Sightline reads. */
  isBare?: boolean
  /** How far its clock is ahead. */
  aheadMs?: number
  /** With which status the build server denies its list to Sightline's user. */
  deniedBy?: 401 | 403
  /** Called when somebody reads the live feed, or asks for anything. */
  onReader?: () => void
  onRequest?: () => void
} = {}): Promise<RawServer> {
  const builds: RawBuild[] = []
  const forgotten = new Set<string>()
  const requests: string[] = []
  const readers = new Set<(from: number) => void>()
  const open = new Set<ServerResponse>()
  let faults: RawFault[] = []

  const server = createServer((request, response) => {
    const { url: address = '', headers } = request
    requests.push(address)
    onRequest()
    open.add(response)
    response.once('close', () => open.delete(response))
    const [fault, ...others] = faults
    faults = others
    const isSignedIn = token === '' || headers.authorization === `Bearer ${token}`
    if (!isSignedIn || requests.length > accepted) {
      refuse(response, 401, 'Sign in.')
      return
    }
    if (fault?.after === 0) {
      refuse(response, 503, 'The build server is away')
      return
    }
    const { pathname, searchParams } = new URL(address, 'http://raw')
    const write = cutAfter(response, fault?.after)
    if (pathname === '/live/builds') live(response, searchParams, headers['last-event-id'], write)
    else if (pathname === '/upstream/build-data/api/builds' && deniedBy !== undefined)
      refuse(response, 502, 'Renew the credentials.', { upstreamStatus: deniedBy })
    else if (pathname === '/upstream/build-data/api/builds') list(response, searchParams, write)
    else if (pathname === '/insight/facts' && request.method === 'POST') {
      void text(request).then((body) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        write(
          `\n${builds
            .filter(({ id }) => body.includes(id))
            .map(factsLine)
            .join('')}`,
        )
        // What was cut is over by then.
        setImmediate(() => response.end())
      })
    } else refuse(response, 404, 'No such page.')
  })

  function live(
    response: ServerResponse,
    asked: URLSearchParams,
    lastId: string | string[] | undefined,
    write: (text: string) => void,
  ): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const since = asked.get('since') ?? 'now'
    const status = JSON.stringify({
      upstream: 'live',
      since: 0,
      now: Date.now(),
      lastHeardAt: null,
      nextAttemptAt: null,
      message: 'Live.',
      malformed: 0,
    })
    const newest = builds.at(-1)
    const isNew = since === 'now' && lastId === undefined
    write(
      `: ok\n\nretry: 1000\n\n${isNew && newest ? `id: ${newest.id}\n` : ''}event: Status\ndata: ${status}\n\n`,
    )
    let at = isNew ? builds.length : builds.findIndex((build) => build.at >= Number(since))
    if (at === -1) at = builds.length
    if (typeof lastId === 'string') {
      const after = forgotten.has(lastId) ? -1 : builds.findIndex(({ id }) => id === lastId)
      at = after + 1
      if (after === -1)
        write(
          `event: Gap\ndata: ${JSON.stringify({ from: lastId, oldest: builds[0]?.id ?? null })}\n\n`,
        )
    }
    const late: RawBuild[] = []
    const send = (from: number): void => {
      if (from < at) return
      const news = builds.slice(at)
      at = builds.length
      for (const build of late.splice(0)) write(factsEvent(build))
      const [first, ...rest] = news
      if (first === undefined) return
      if (rest.length > 2 && asked.has('batch')) {
        const all = JSON.stringify(news.map(message))
        write(`id: ${news.at(-1)?.id ?? ''}\nevent: Builds\ndata: ${all}\n\n`)
      } else {
        for (const build of news)
          write(`id: ${build.id}\nevent: Build\ndata: ${JSON.stringify(message(build))}\n\n`)
      }
      for (const build of news) {
        if (build.facts === 'with it') write(factsEvent(build))
        if (build.facts === 'late') late.push(build)
      }
      if (late.length > 0)
        setImmediate(() => {
          for (const build of late.splice(0)) write(factsEvent(build))
        })
    }
    readers.add(send)
    response.once('close', () => readers.delete(send))
    send(at)
    onReader()
  }

  function list(
    response: ServerResponse,
    asked: URLSearchParams,
    write: (text: string) => void,
  ): void {
    const from = asked.get('fromBuild')
    const known =
      from === null || !forgotten.has(from) ? builds.findIndex(({ id }) => id === from) : -1
    if (from !== null && known === -1) {
      refuse(response, 400, 'fromBuild is unknown')
      return
    }
    const instant = Number(asked.get('fromInstant') ?? Infinity)
    const most = Math.min(pageSize, Number(asked.get('maxBuilds') ?? 100))
    const rest = from === null ? builds.filter(({ at }) => at > instant) : builds.slice(known + 1)
    const models = isBare ? [] : asked.getAll('models')
    const date = new Date(Date.now() + aheadMs).toUTCString()
    response.writeHead(200, { 'content-type': 'application/json', date })
    write(JSON.stringify(rest.slice(0, most).map((build) => summary(build, models))))
    response.end()
  }

  const { url, close } = await onLoopback(server)
  return {
    url,
    publish: (more) => {
      const from = builds.length
      builds.push(...more)
      for (const send of readers) send(from)
    },
    break: (next) => {
      faults = [...next]
    },
    forget: (ids) => {
      for (const id of ids) forgotten.add(id)
    },
    dropAll: () => {
      for (const response of open) response.destroy()
    },
    requests: () => requests,
    stop: close,
  }
}

function refuse(response: ServerResponse, status: number, detail: string, more = {}): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' })
  response.end(JSON.stringify({ type: 'about:blank', title: 'No', status, detail, ...more }))
}

function cutAfter(response: ServerResponse, most = Infinity): (text: string) => void {
  let left = most
  return (text) => {
    if (response.destroyed) return
    const piece = text.slice(0, left)
    left -= piece.length
    response.write(piece)
    if (left <= 0) setImmediate(() => response.destroy())
  }
}

function message({ id, at }: RawBuild): object {
  return { buildId: id, timestamp: at, toolType: 'gradle', toolVersion: '9.0', agentVersion: '4.0' }
}

function factsLine(build: RawBuild): string {
  const { id } = build
  const line =
    build.facts === 'never'
      ? { buildId: id, problem: 'Gone.' }
      : { buildId: id, facts: factsOf(build) }
  return `${JSON.stringify(line)}\n`
}

function factsEvent(build: RawBuild): string {
  return `event: Facts\ndata: ${JSON.stringify({ buildId: build.id, facts: factsOf(build) })}\n\n`
}

function factsOf({ id, at, project, facts }: RawBuild): object {
  const announced = {
    ...{ buildId: id, receivedAt: at, buildTool: 'gradle' },
    ...{ buildToolVersion: '9.0', agentVersion: '4.0' },
  }
  if (facts === 'bare') return announced
  return {
    ...announced,
    project,
    outcome: 'succeeded',
    startTime: at - 61_000,
    durationMs: 60_000,
  }
}

function summary({ id, at, project }: RawBuild, models: readonly string[]): object {
  const attributes = {
    id,
    buildStartTime: at - 61_000,
    buildDuration: 60_000,
    hasFailed: false,
    rootProjectName: project,
    requestedTasks: ['build'],
    tags: [],
    values: [],
    links: [],
  }
  return {
    id,
    availableAt: at,
    buildToolType: 'gradle',
    buildToolVersion: '9.0',
    buildAgentVersion: '4.0',
    ...(models.includes('gradle-attributes')
      ? { models: { gradleAttributes: { model: attributes } } }
      : {}),
  }
}
