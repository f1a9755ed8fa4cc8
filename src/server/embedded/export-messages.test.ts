import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { beginBuild, pruneBuilds } from '../store/build-writing.ts'
import { a, build, event, g, m, seed, z } from './seed.test-support.ts'
import { serve, type Serving } from './serving.test-support.ts'

const v1 = '/build-export/v1'
const v2 = '/build-export/v2'

let serving: Serving
beforeEach(async () => {
  serving = await serve()
  await serving.addAll(seed)
})
afterEach(() => serving.stop())

describe('messages', () => {
  test('Build message (version 2): the fields by their names', async () => {
    const { ended, data } = await serving.stream(`${v2}/builds/since/3000`)
    await ended
    const expected = { buildId: g, timestamp: 3000, toolType: 'gradle', toolVersion: '9.1' }
    expect(JSON.parse(data[0] ?? '')).toEqual({ ...expected, agentVersion: '4.0' })
  })

  test('Build message (version 1): gradleVersion and pluginVersion, and no tool', async () => {
    for (const path of [`${v1}/builds/since/3000`, `${v1}/build/${g}/events`]) {
      const { ended, data } = await serving.stream(path)
      await ended
      const expected = { buildId: g, timestamp: 3000, gradleVersion: '9.1', pluginVersion: '4.0' }
      expect(JSON.parse(data[0] ?? '')).toEqual(expected)
    }
  })

  test('BuildEvent message: the text as it was stored, 64-bit ids exact', async () => {
    const { ended, data } = await serving.stream(`${v2}/build/${g}/events`)
    await ended
    expect(data.slice(1)).toEqual(build(g, 0).events)
    expect(data[2]).toContain('-7978837427190732235')
  })

  test('each message is an id line, an event line and a data line', async () => {
    const text = await (await serving.request(`${v2}/build/${a}/events`)).text()
    const [first, second] = text.split('\n\n').map((message) => message.split('\n'))
    expect(first?.map((line) => line.split(': ')[0])).toEqual(['id', 'event', 'data'])
    expect(second).toEqual(['id: 1', 'event: BuildEvent', `data: ${event('BuildStarted', '{}')}`])
  })

  test('the headers keep proxies and browsers from holding the stream back', async () => {
    const { headers } = await serving.request(`${v2}/builds/since/0`)
    expect(headers.get('Cache-Control')).toContain('no-store')
    expect(headers.get('X-Accel-Buffering')).toBe('no')
  })
})

describe('Errors', () => {
  test('503 while the build is still being stored, with the time to wait; then its events', async () => {
    await beginBuild(serving.database, build('ppppppppppppp', 4000).message)
    const listed = await serving.stream(`${v2}/builds/since/4000`)
    await listed.ended
    expect(listed.seen).toEqual(['Build ppppppppppppp'])
    const answer = await serving.request(`${v2}/build/ppppppppppppp/events`)
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(await answer.json()).toMatchObject({ status: 503 })
  })

  test('a problem names what was wrong, and 401 challenges for a bearer token', async () => {
    const date = await serving.request(`${v2}/builds/since/soon`)
    expect(await date.json()).toMatchObject({
      type: 'urn:gradle:enterprise:api:problems:validation',
      status: 400,
      detail: 'The date "soon" must be "now" or a whole number of milliseconds since 1970.',
    })
    const nobody = await serving.request(`${v2}/builds/since/0`, {
      headers: { Authorization: '' },
    })
    expect(nobody.headers.get('WWW-Authenticate')).toContain('Bearer')
  })

  test('a deleted build still serves as a cursor (docs/services.md#build-list-parameters), but has no events', async () => {
    await pruneBuilds(serving.database, 1)
    const after = await serving.stream(`${v2}/builds/sinceBuild/${m}`)
    await after.ended
    expect(after.seen).toEqual([`Build ${g}`])
    expect((await serving.request(`${v2}/build/${m}/events`)).status).toBe(404)
  })
})

describe('Authentication 5, cross-origin', () => {
  const origin = { Origin: 'https://elsewhere.example' }

  test('a request with a bearer token gets the header, also when it fails', async () => {
    for (const path of ['builds/since/0', 'builds/since/x', `build/${z}/events`]) {
      const { headers } = await serving.request(`${v2}/${path}`, { headers: origin })
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    }
    const wrong = { ...origin, Authorization: 'Bearer wrong' }
    const refused = await serving.request(`${v2}/builds/since/0`, { headers: wrong })
    expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).toEqual([401, '*'])
  })

  test('a request with HTTP Basic does not', async () => {
    const headers = { ...origin, Authorization: `Basic ${btoa('ada:pass:word')}` }
    const answer = await serving.request(`${v2}/builds/since/0`, { headers })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test('the preflight is answered without a credential', async () => {
    const preflight = {
      ...origin,
      Authorization: '',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization,last-event-id',
    }
    const answer = await serving.request(`${v2}/builds/since/0`, {
      method: 'OPTIONS',
      headers: preflight,
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    const allowed = answer.headers.get('Access-Control-Allow-Headers')?.toLowerCase() ?? ''
    expect(allowed).toContain('authorization')
    expect(allowed).toContain('last-event-id')
  })
})
