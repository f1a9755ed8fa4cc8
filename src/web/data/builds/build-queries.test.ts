import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import { createBuildListReader } from './build-list-reader.ts'
import { listedBuilds, startListServer } from './build-list-server.test-support.ts'
import { buildCountQuery } from './build-queries.ts'

test('only so many builds are counted as are worth it, a thousand at a time', async () => {
  const server = await startListServer({ builds: listedBuilds(7000), tools: toolsWithAttributes })
  const reader = createBuildListReader(server.request)
  const client = new QueryClient()
  expect(await client.query(buildCountQuery(reader, 'project:shop'))).toBe(2334)
  expect(await client.query(buildCountQuery(reader, 'buildTool:gradle'))).toBeNull()
  const counted = server.asked.filter((query) => query.get('query') === 'buildTool:gradle')
  expect(counted).toHaveLength(6)
  expect(server.asked.some((query) => query.has('models'))).toBe(false)
  server.close()
})
