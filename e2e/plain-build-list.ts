import { createServer } from 'node:http'
import { onLoopback } from '../src/free-port.test-support.ts'

/**
 * A build as the list of a plain server has it: docs/services.md#build-summary, and where a story is
 * about what builds did, models by their keys.
 */
export interface ListedBuild {
  readonly id: string
  readonly availableAt: number
  readonly buildToolType: string
  readonly buildToolVersion: string
  readonly buildAgentVersion: string
  readonly models?: Readonly<Record<string, { readonly model: object }>>
}

/** A build server of the oldest kind: its list knows `since` and `maxBuilds`. */
export interface PlainBuildList {
  readonly url: string
  /** The queries of the list requests so far. */
  readonly asked: readonly string[]
  readonly close: () => Promise<void>
}

/**
 * Starts a plain `http` server on a free port of 127.0.0.1 that lists these builds, oldest first, and
 * takes no notice of any other parameter. It shares no code with the product and has no export stream.
 */
export async function startPlainBuildList(
  key: string,
  builds: readonly ListedBuild[],
): Promise<PlainBuildList> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://plain')
    if (request.headers.authorization !== `Bearer ${key}`) return void response.writeHead(401).end()
    if (url.pathname !== '/api/builds') return void response.writeHead(404).end()
    asked.push(url.search)
    const since = Number(url.searchParams.get('since') ?? 0)
    const max = Number(url.searchParams.get('maxBuilds') ?? 100)
    const page = builds.filter(({ availableAt }) => availableAt >= since).slice(0, max)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
  })
  return {
    ...(await onLoopback(server)),
    asked,
  }
}

/** So many builds of which no more than their announcement is known, from `since` (epoch ms) on, 10 ms apart. */
export function bareBuilds(count: number, since: number): readonly ListedBuild[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `bare${index.toString(36).padStart(9, '0')}`,
    availableAt: since + index * 10,
    buildToolType: 'gradle',
    buildToolVersion: '8.10',
    buildAgentVersion: '3.18',
  }))
}
