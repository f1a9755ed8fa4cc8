import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z as schema } from 'zod'
import { findBuild } from '../store/build-listing.ts'
import { beginBuild, completeBuild } from '../store/build-writing.ts'
import { build, event, g, m, seed, z } from './seed.test-support.ts'
import { serve, type Serving } from './serving.test-support.ts'

let serving: Serving
beforeEach(async () => {
  serving = await serve()
  await serving.addAll(seed)
})
afterEach(() => serving.stop())

const Builds = schema.array(
  schema.looseObject({ id: schema.string(), models: schema.unknown().optional() }),
)

async function builds(path: string) {
  return Builds.parse(await (await serving.request(path)).json())
}

async function ids(path: string): Promise<string[]> {
  return (await builds(path)).map((one) => one.id)
}

/** Resolves when that many requests wait. */
function waiting(requests: number): Promise<void> {
  return expect.poll(() => serving.clock.pending(), { interval: 1 }).toBe(requests)
}

describe('GET /api/builds waits (docs/services.md#build-list-parameters, maxWaitSecs)', () => {
  test('it answers as soon as there are maxBuilds', async () => {
    const answer = ids(`/api/builds?fromBuild=${g}&maxBuilds=2&maxWaitSecs=20`)
    await waiting(1)
    await serving.add(build('newnewnewnew1', 5))
    await waiting(1)
    await serving.addAll([build('newnewnewnew2', 5), build('newnewnewnew3', 5)])
    expect(await answer).toEqual(['newnewnewnew1', 'newnewnewnew2'])
    expect(serving.clock.pending()).toBe(0)
  })

  test('it answers with what there is when the time is over', async () => {
    const answer = ids(`/api/builds?fromBuild=${g}&maxWaitSecs=5`)
    await waiting(1)
    serving.clock.advance(3000)
    await serving.add(build('newnewnewnew1', 5))
    await waiting(1)
    serving.clock.advance(1999)
    expect(serving.clock.pending()).toBe(1)
    serving.clock.advance(1)
    expect(await answer).toEqual(['newnewnewnew1'])
  })

  test('without a start only builds that come after the request are answered', async () => {
    const answer = ids('/api/builds?maxBuilds=1')
    await waiting(1)
    await serving.add(build('newnewnewnew1', 5))
    expect(await answer).toEqual(['newnewnewnew1'])
  })

  test('it waits 3 s by default, and not at all in reverse', async () => {
    const answer = ids(`/api/builds?fromBuild=${g}`)
    await waiting(1)
    serving.clock.advance(3000)
    expect(await answer).toEqual([])
    expect(await ids(`/api/builds?fromBuild=${z}&reverse=true`)).toEqual([])
  })

  test('a request that is given up leaves nothing behind', async () => {
    const gone = new AbortController()
    const path = '/api/builds?maxWaitSecs=20'
    const answer = serving.request(path, { signal: gone.signal }).catch(() => 'given up')
    await waiting(1)
    gone.abort()
    expect(await answer).toBe('given up')
    await waiting(0)
  })
})

describe('GET /api/builds with a query waits', () => {
  test('for builds of which the query is true, and lists each once', async () => {
    const answer = ids(
      `/api/builds?fromBuild=${g}&maxBuilds=2&maxWaitSecs=20&query=buildTool:maven`,
    )
    await waiting(1)
    await serving.add(build('newnewnewnew1', 5, { toolType: 'maven' }))
    await waiting(1)
    await serving.addAll([build('newnewnewnew2', 5), build('newnewnewnew3', 5)])
    await waiting(1)
    await serving.add(build('newnewnewnew4', 5, { toolType: 'maven' }))
    expect(await answer).toEqual(['newnewnewnew1', 'newnewnewnew4'])
    expect(serving.clock.pending()).toBe(0)
  })

  test('and answers what it has when the time is over', async () => {
    const answer = ids(`/api/builds?fromBuild=${g}&maxWaitSecs=5&query=project:none`)
    await waiting(1)
    serving.clock.advance(5000)
    expect(await answer).toEqual([])
  })

  test('and goes past no build that is still being stored', async () => {
    const lines = [JSON.stringify(build('slowslowslow1', 5).message), event('BuildStarted', '{}')]
    lines.push(...Array.from({ length: 600 }, () => event('TaskStarted')))
    const upload = new TransformStream<Uint8Array, Uint8Array>()
    const writer = upload.writable.getWriter()
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: upload.readable,
      duplex: 'half',
    }
    const sent = serving.request('/embedded/builds', init)
    await writer.write(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')))
    await expect.poll(() => findBuild(serving.database, 'slowslowslow1')).toBeDefined()
    await serving.add(build('afterafter123', 5))
    const answer = ids(`/api/builds?fromBuild=${g}&maxBuilds=2&query=buildStartTime>-1d`)
    await waiting(1)
    await writer.close()
    expect((await sent).status).toBe(201)
    expect(await answer).toEqual(['slowslowslow1', 'afterafter123'])
  })
})

describe('models (docs/services.md#build-models)', () => {
  const models = (...tools: string[]) => tools.map((tool) => `models=${tool}-attributes`).join('&')

  test('each requested model is there, or the problem of having none', async () => {
    const path = `/api/builds?fromInstant=0&maxBuilds=3&${models('gradle', 'maven')}`
    const [first, second, third] = await builds(path)
    const notApplicable = {
      problem: {
        type: 'urn:gradle:enterprise:api:problems:build-model-not-applicable',
        status: 400,
      },
    }
    const shop = { rootProjectName: 'shop', requestedTasks: ['build'], hasFailed: true }
    expect(first?.models).toMatchObject({
      gradleAttributes: { model: { id: z, ...shop, tags: ['CI'] } },
      mavenAttributes: notApplicable,
    })
    expect(second?.models).toMatchObject({
      gradleAttributes: notApplicable,
      mavenAttributes: { model: { id: m, topLevelProjectName: 'bank' } },
    })
    expect(third?.models).toMatchObject({
      gradleAttributes: { problem: { status: 404 } },
    })
    expect(JSON.stringify(third?.models)).toContain('only its events were recorded')
    expect(JSON.stringify(first?.models)).toContain("is 'gradle' (allowed list is '[maven]')")
  })

  test('no models are answered where none are requested, and all with allModels', async () => {
    const path = '/api/builds?fromInstant=0&maxBuilds=1'
    expect((await builds(path))[0]).not.toHaveProperty('models')
    const all = (await builds(`${path}&allModels=true&${models('maven')}`))[0]?.models
    expect(Object.keys(all ?? {})).toEqual([
      ...['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python'].map((tool) => `${tool}Attributes`),
      'gradleBuildCachePerformance',
      'mavenBuildCachePerformance',
    ])
  })

  test('skipUnavailableModels leaves out what is not there yet', async () => {
    await beginBuild(serving.database, build('ppppppppppppp', 4000).message)
    const path = `/api/builds?fromBuild=${g}&maxBuilds=1&${models('gradle')}`
    expect((await builds(path))[0]?.models).toMatchObject({
      gradleAttributes: { problem: { status: 503 } },
    })
    expect((await builds(`${path}&skipUnavailableModels=true`))[0]?.models).toEqual({})
  })

  test('one build has models as well', async () => {
    const answer = await serving.request(`/api/builds/${z}?${models('gradle')}`)
    expect(await answer.json()).toMatchObject({
      id: z,
      models: { gradleAttributes: { model: { id: z, rootProjectName: 'shop' } } },
    })
  })
})

describe('GET /api/builds/{id} of a build that is still being stored', () => {
  let position = 0
  beforeEach(async () => {
    position = await beginBuild(serving.database, build('ppppppppppppp', 4000).message)
  })

  test('503 with the time to wait', async () => {
    const answer = await serving.request('/api/builds/ppppppppppppp')
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(await answer.json()).toMatchObject({
      type: 'urn:gradle:enterprise:api:problems:build-processing-incomplete',
    })
  })

  test('availabilityWaitTimeoutSecs waits until it is stored', async () => {
    const answer = serving.request('/api/builds/ppppppppppppp?availabilityWaitTimeoutSecs=10')
    await waiting(1)
    await completeBuild(serving.database, position, { attributes: null })
    await serving.add(build('newnewnewnew1', 5))
    expect((await answer).status).toBe(200)
  })

  test('availabilityWaitTimeoutSecs waits no longer than that', async () => {
    const answer = serving.request('/api/builds/ppppppppppppp?availabilityWaitTimeoutSecs=10')
    await waiting(1)
    serving.clock.advance(10_000)
    expect((await answer).status).toBe(503)
  })
})
