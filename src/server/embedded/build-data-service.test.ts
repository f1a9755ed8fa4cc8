import { expect, test } from 'vitest'
import { generateHistory } from './content/history.ts'
import { serve } from './serving.test-support.ts'

const nobody = { headers: { Authorization: '' }, redirect: 'manual' } as const

test('a reader of an attestation is sent from the address of a build to its page', async () => {
  const dashboard: { url?: string } = {}
  const serving = await serve({ dashboard: () => dashboard.url })
  const [build] = generateHistory({ seed: 1, count: 1, until: 1_000_000_000_000 })
  if (build === undefined) throw new Error('there is no build')
  await serving.add(build)
  const { buildId } = build.message

  const alone = await serving.request(`/s/${buildId}`, nobody)
  expect(alone.status).toBe(200)
  expect(await alone.text()).toContain(`This is build ${buildId}.`)

  dashboard.url = 'http://127.0.0.1:8080'
  const sent = await serving.request(`/s/${buildId}`, nobody)
  expect(sent.status).toBe(302)
  expect(sent.headers.get('location')).toBe(`http://127.0.0.1:8080/builds/${buildId}`)

  for (const id of ['aaaaaaaaaaaaa', '%3Cscript%3E', '..%2F..']) {
    const missing = await serving.request(`/s/${id}`, nobody)
    expect(missing.status).toBe(404)
    expect(await missing.text()).not.toContain('<script>')
  }
  await serving.stop()
})
