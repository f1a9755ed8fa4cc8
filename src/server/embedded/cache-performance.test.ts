import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { generateHistory } from './content/history.ts'
import { serve, type Serving } from './serving.test-support.ts'

// The shape that generated clients of the build data API rely on (docs/services.md#build-cache-performance).

const ms = z.int().nonnegative()
const Entry = {
  avoidanceOutcome: z.enum([
    ...(['avoided_up_to_date', 'avoided_from_local_cache', 'avoided_from_remote_cache'] as const),
    ...(['executed_cacheable', 'executed_not_cacheable'] as const),
    ...(['executed_unknown_cacheability', 'no-source', 'skipped'] as const),
  ]),
  duration: ms,
  hasFailed: z.boolean(),
}
const Savings = z.looseObject({
  total: z.int(),
  ratio: z.number().min(0).max(1),
  localBuildCache: z.int(),
  remoteBuildCache: z.int(),
})
const shapes = {
  gradle: z
    .looseObject({
      id: z.string(),
      buildTime: ms,
      effectiveTaskExecutionTime: ms,
      serialTaskExecutionTime: ms,
      serialWorkUnitExecutionTime: ms,
      effectiveWorkUnitExecutionTime: ms,
      serializationFactor: z.number(),
      taskExecution: z.array(
        z.looseObject({ taskPath: z.string(), taskType: z.string(), ...Entry }),
      ),
      avoidanceSavingsSummary: Savings,
      taskAvoidanceSavingsSummary: Savings,
      workUnitAvoidanceSavingsSummary: Savings,
    })
    .transform((one) => ({
      ...one,
      entries: one.taskExecution,
      serial: one.serialTaskExecutionTime,
      effective: one.effectiveTaskExecutionTime,
    })),
  maven: z
    .looseObject({
      id: z.string(),
      buildTime: ms,
      effectiveProjectExecutionTime: ms,
      serialProjectExecutionTime: ms,
      serializationFactor: z.number(),
      goalExecution: z.array(
        z.looseObject({
          goalName: z.string().min(1),
          mojoType: z.string().min(1),
          goalExecutionId: z.string().min(1),
          goalProjectName: z.string().min(1),
          ...Entry,
        }),
      ),
      goalFingerprintingSummary: z.object({ count: z.int(), serialDuration: z.int() }),
      avoidanceSavingsSummary: Savings,
    })
    .transform((one) => ({
      ...one,
      entries: one.goalExecution,
      serial: one.serialProjectExecutionTime,
      effective: one.effectiveProjectExecutionTime,
    })),
}

let serving: Serving
const builds = [...generateHistory({ seed: 5, count: 400, until: Date.UTC(2026, 10, 19, 16) })]
beforeAll(async () => {
  serving = await serve()
  await serving.addAll(builds)
})
afterAll(() => serving.stop())

test.each(['gradle', 'maven'] as const)(
  'the build cache performance of %s builds adds up',
  async (tool) => {
    const ofTool = builds.filter(({ message }) => message.toolType === tool).slice(0, 25)
    let avoided = 0
    for (const { message, attributes } of ofTool) {
      const path = `/api/builds/${message.buildId}/${tool}-build-cache-performance`
      const performance = shapes[tool].parse(await (await serving.request(path)).json())
      const { entries, serial, effective } = performance
      expect(performance.buildTime).toBe(attributes?.buildDuration)
      expect(serial).toBe(entries.reduce((sum, { duration }) => sum + duration, 0))
      expect(effective).toBeLessThanOrEqual(Math.min(serial, performance.buildTime))
      const failed = entries.some(({ hasFailed }) => hasFailed)
      if (failed) expect(attributes?.hasFailed).toBe(true)
      avoided += entries.filter((one) => one.avoidanceOutcome.startsWith('avoided')).length
    }
    expect(avoided).toBeGreaterThan(10)
    const other = tool === 'gradle' ? 'maven' : 'gradle'
    const [first] = ofTool
    const path = `/api/builds/${first?.message.buildId ?? ''}/${other}-build-cache-performance`
    expect((await serving.request(path)).status).toBe(400)
  },
)

test('the build list has the same models', async () => {
  const models = 'models=gradle-build-cache-performance&models=maven-build-cache-performance'
  const path = `/api/builds?fromInstant=0&maxBuilds=60&${models}`
  const list = z
    .array(
      z.looseObject({
        id: z.string(),
        buildToolType: z.string(),
        models: z.record(z.string(), z.looseObject({ model: z.optional(z.unknown()) })),
      }),
    )
    .parse(await (await serving.request(path)).json())
  let compared = 0
  for (const { id, buildToolType, models } of list) {
    const known = Object.entries(models).filter(([, { model }]) => model !== undefined)
    const isKnown = ['gradle', 'maven'].includes(buildToolType)
    expect(known.map(([key]) => key)).toEqual(
      isKnown ? [`${buildToolType}BuildCachePerformance`] : [],
    )
    if (!isKnown || (compared += 1) > 3) continue
    const one = `/api/builds/${id}/${buildToolType}-build-cache-performance`
    expect(known[0]?.[1].model).toEqual(await (await serving.request(one)).json())
  }
  expect(compared).toBeGreaterThan(3)
})
