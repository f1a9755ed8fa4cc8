import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readPublishAnswer } from '../../../protocol/publish-answer.ts'
import { json, repositoryUrl, serveGovernor, sha256 } from './governor-serving.test-support.ts'

test('a database that fails half way lists what it stored before', async () => {
  const { serving, database, builds } = await serveGovernor()
  await sql`create trigger full before insert on attestations
    when (select count(*) from attestations) >= 2
    begin select raise(abort, 'disk full'); end`.execute(database.kysely)
  const url = '/packages/oci/a/1/attestations'
  const body = {
    sha256,
    repositoryUrl,
    buildScan: { ids: builds.get('checkout')?.slice(0, 1) ?? [] },
  }
  const answer = await serving.request(url, json(body))
  expect(answer.status).toBe(500)
  const text = await answer.text()
  expect(text).not.toContain('disk full')
  const problem: unknown = JSON.parse(text)
  expect(problem).toMatchObject({
    type: 'about:blank',
    detail: expect.stringMatching(
      /^An error occurred while trying to communicate with an external service: /,
    ) as unknown,
  })
  const { outcomes } = readPublishAnswer(problem)
  expect(outcomes.map(({ stored }) => stored)).toEqual([true, true])
  for (const { storeUri } of outcomes) expect((await serving.request(storeUri)).status).toBe(200)
  await serving.stop()
})
