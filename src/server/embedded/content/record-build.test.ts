import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { factsFromEvents } from '../../../facts/facts-from-events.ts'
import { runs } from '../../../property-runs.test-support.ts'
import { Attributes, attributesKey } from '../../../protocol/build-data.ts'
import { type BuildEvent, decodeBuildEvent } from '../../../protocol/build-export.ts'
import { BuildMessage } from '../../../protocol/build-message.ts'
import { Facts } from '../../../protocol/facts.ts'
import { type BuildPlan, planBuild } from './build-plan.ts'
import { type EventLoad, recordBuild, type RecordedBuild } from './history.ts'
import { createSeededRandom } from './seeded-random.ts'

interface Case {
  readonly plan: BuildPlan
  readonly build: RecordedBuild
  readonly events: readonly BuildEvent[]
}

/** Builds of all projects, jobs, hours and days, full and light. */
const cases = fc
  .record({
    seed: fc.integer(),
    at: fc.integer({ min: Date.UTC(2024, 6, 1), max: Date.UTC(2028, 0, 1) }),
    load: fc.constantFrom<EventLoad>('full', 'light'),
    pace: fc.constantFrom(1, 60),
  })
  .map(({ seed, at, load, pace }): Case => {
    const random = createSeededRandom(seed)
    const plan = planBuild({ seed: 11, pace }, random, at)
    const build = recordBuild(plan, load, random)
    return { plan, build, events: build.events.map(decodeBuildEvent) }
  })

function check(law: (one: Case) => void): void {
  fc.assert(fc.property(cases, law), { numRuns: runs(250) })
}

function ofType(events: readonly BuildEvent[], type: string): BuildEvent[] {
  return events.filter((event) => event.type.eventType === type)
}

const prefixes = {
  gradle: '',
  maven: 'Mvn',
  bazel: 'Bazel',
  sbt: 'Sbt',
  npm: 'Npm',
  python: 'Python',
}

describe('a made-up build', () => {
  test('decodes with the schemas of the protocol', () => {
    check(({ build }) => {
      BuildMessage.parse(build.message)
      const attributes = Attributes.parse(JSON.parse(JSON.stringify(build.attributes)))
      expect(attributes).toEqual(build.attributes)
      expect(attributes.buildStartTime).toSatisfy(Number.isInteger)
      expect(attributes.buildDuration).toSatisfy(Number.isInteger)
    })
  })

  test('lists its events in order of time, between its start and its end', () => {
    check(({ build, events }) => {
      const times = events.map(({ timestamp }) => timestamp)
      expect(times).toEqual([...times].sort((one, other) => one - other))
      expect(times[0]).toBe(build.attributes?.buildStartTime)
      expect((times.at(-1) ?? NaN) - (times[0] ?? NaN)).toBe(build.attributes?.buildDuration)
      expect(times.at(-1)).toBeLessThan(build.message.timestamp)
    })
  })

  test('has the same tags, values and links in attributes and events', () => {
    check(({ plan, build, events }) => {
      const prefix = prefixes[plan.project.tool]
      const dataOf = (type: string): unknown[] =>
        ofType(events, `${prefix}${type}`).map((one) => one.data)
      expect(dataOf('UserTag')).toEqual(build.attributes?.tags?.map((tag) => ({ tag })))
      expect(dataOf('UserNamedValue')).toEqual(
        build.attributes?.values?.map(({ name, value }) => ({ key: name, value })),
      )
      expect(dataOf('UserLink')).toEqual(build.attributes?.links)
    })
  })

  test('yields the same facts from its attributes as from its events', () => {
    check(({ plan, build, events }) => {
      const { tool } = plan.project
      const models = { [attributesKey(tool)]: { model: build.attributes } }
      const known = Facts.parse(factsFromAttributes(build.message, models))
      expect(known.project).toBe(plan.failure?.early === true ? null : plan.project.name)
      expect(known.outcome).toBe(plan.failure === null ? 'succeeded' : 'failed')
      expect(known).toMatchObject({ user: plan.username, durationMs: plan.duration })
      expect(known.requested?.length).toBeGreaterThan(0)
      if (tool !== 'gradle' && tool !== 'maven') return
      const { fields, ...ofEvents } = factsFromEvents(build.message, events)
      expect(known).toMatchObject(ofEvents)
      expect(known.fields).toMatchObject(fields ?? {})
      expect(ofEvents).toMatchObject({ user: plan.username, outcome: known.outcome })
      expect(ofEvents.project).toBe(plan.failure?.early === true ? null : plan.project.name)
    })
  })

  test('classifies failures, and only failures', () => {
    check(({ plan, build: { attributes } }) => {
      const { hasVerificationFailure, hasNonVerificationFailure } = attributes ?? {}
      // The models of these tools have no such members.
      const isClassified = !['bazel', 'python'].includes(plan.project.tool)
      if (plan.failure === null || !isClassified) {
        expect([hasVerificationFailure, hasNonVerificationFailure]).toEqual([undefined, undefined])
      } else {
        expect(hasVerificationFailure).toBe(!hasNonVerificationFailure)
      }
    })
  })

  test('begins only jobs that exist, on a commit that existed', () => {
    check(({ plan }) => {
      expect(plan.commit.at).toBeLessThanOrEqual(plan.startTime)
      expect(plan.requested.join(' ')).not.toMatch(/[{}]/)
      if (plan.failure !== null) expect(plan.job.finds).toContain(plan.failure.cause)
    })
  })
})

describe('the events of a made-up Gradle build', () => {
  test('finish every task that they start, once, under the same path and with one failure', () => {
    check(({ plan, events }) => {
      const path = ({ data }: BuildEvent): unknown => [data.id, data.path]
      const started = ofType(events, 'TaskStarted').map(path).sort()
      const finished = ofType(events, 'TaskFinished')
      expect(finished.map(path).sort()).toEqual(started)
      const failures = finished.filter(({ data }) => data.outcome === 'failed')
      const inTask = plan.failure !== null && plan.failure.cause !== 'configuration'
      expect(failures.length).toBe(plan.project.tool === 'gradle' && inTask ? 1 : 0)
    })
  })

  test('name in the finish an exception that is there, and none where there is none', () => {
    check(({ plan, events }) => {
      if (plan.project.tool !== 'gradle') return
      const [finish] = ofType(events, 'BuildFinished')
      const thrown = ofType(events, 'ExceptionData').flatMap(({ data }) =>
        Object.keys(z.record(z.string(), z.unknown()).parse(data.exceptions)),
      )
      if (plan.failure === null) expect(finish?.data).toEqual({ failureId: null, failure: null })
      else expect(thrown).toContain(finish?.data.failureId)
      const ofTests = ofType(events, 'TestFinished').map(({ data }) => data.failureId ?? null)
      for (const id of ofTests) if (id !== null) expect(thrown).toContain(id)
    })
  })

  test('show a flaky test as one case that failed and passed in a build that passed', () => {
    check(({ plan, events }) => {
      const { flakyTest } = plan
      if (flakyTest === null || plan.project.tool !== 'gradle') return
      const results = new Map(
        ofType(events, 'TestFinished').map(({ data }) => [data.id, data.failed]),
      )
      const runs = ofType(events, 'TestStarted').filter(
        ({ data }) => data.name === flakyTest.name && data.className === flakyTest.className,
      )
      // Where all tests came from the cache, there was nothing to be flaky.
      if (runs.length === 0 || ofType(events, 'ExceptionData').length === 0) return
      expect(runs.slice(0, 2).map(({ data }) => results.get(data.id))).toEqual([true, false])
    })
  })
})
