import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import { createBuildListReader } from './build-list-reader.ts'
import { listedBuilds, startListServer } from './build-list-server.test-support.ts'
import { earlierBuilds } from '../../../facts/builds-around.ts'
import { buildCountQuery, buildsAroundQuery } from './build-queries.ts'

test('only so many builds are counted as are worth it, a thousand at a time', async () => {
  const server = await startListServer({ builds: listedBuilds(7000), tools: toolsWithAttributes })
  const reader = createBuildListReader(server.request, server.clock)
  const client = new QueryClient()
  expect(await client.query(buildCountQuery(reader, 'project:shop'))).toBe(2334)
  expect(await client.query(buildCountQuery(reader, 'buildTool:gradle'))).toBeNull()
  const counted = server.asked.filter((query) => query.get('query') === 'buildTool:gradle')
  expect(counted).toHaveLength(6)
  expect(server.asked.some((query) => query.has('models'))).toBe(false)
  server.close()
})

test('builds around one are read elsewhere after 12 seconds where the list is silent', async () => {
  const server = await startListServer({ builds: listedBuilds(3), isSilent: true })
  const build = {
    ...{ buildId: 'aaaaaaaaaaaaa', receivedAt: 1_790_000_000_000, project: 'shop' },
    ...{ buildTool: 'gradle', buildToolVersion: '9', agentVersion: '4' },
  }
  const around = new QueryClient().query(buildsAroundQuery(server, build, earlierBuilds))
  await expect.poll(() => server.asked.length).toBe(1)
  server.clock.advance(12_000)
  expect(await around).toHaveLength(3)
  server.close()
})

test('a name that does not fit into a URL is not sent', async () => {
  const builds = listedBuilds(3)
  const server = await startListServer({ builds, tools: toolsWithAttributes })
  const client = new QueryClient()
  const build = {
    buildId: 'aaaaaaaaaaaaa',
    receivedAt: 1,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'x'.repeat(10_000),
  }
  expect(await client.query(buildsAroundQuery(server, build, earlierBuilds))).toHaveLength(0)
  expect(server.asked.map((query) => query.get('query'))).toEqual(['buildTool:"gradle"'])

  const reader = createBuildListReader(server.request, server.clock)
  const wanted = { after: undefined, from: undefined, max: 1, withAttributes: false }
  const { signal } = new AbortController()
  const answer = await reader.page({ ...wanted, query: `project:"${build.project}"` }, signal)
  expect(answer).toMatchObject({ ok: false, refusal: { status: 400 } })
  expect(server.asked).toHaveLength(1)
  server.close()
})
