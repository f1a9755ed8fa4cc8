import { z } from 'zod'
import { createBuildCollector, headerEventTypes } from '../facts/build-collector.ts'
import { type BuildReport, buildReport } from '../facts/build-report.ts'
import {
  comparedBuilds,
  earlierBuilds,
  earlierSuccesses,
  failuresAround,
  failuresElsewhere,
  readAround,
} from '../facts/builds-around.ts'
import { allExecutions } from '../facts/execution-table.ts'
import { factsFromAttributes } from '../facts/facts-from-attributes.ts'
import { failureStreak } from '../facts/failure-streak.ts'
import { failureKey } from '../facts/insight/failure-key.ts'
import { failureOrigin } from '../facts/insight/failure-origin.ts'
import { mergedFacts } from '../facts/merged-facts.ts'
import { testCases, testEventTypes } from '../facts/test-cases.ts'
import { backOffMs } from '../protocol/back-off.ts'
import {
  attributesModel,
  buildListPath,
  type BuildListQuery,
  buildPath,
  readListedBuild,
  toBuildMessage,
  toolsWithAttributes,
} from '../protocol/build-data.ts'
import { buildEventsPath } from '../protocol/build-export.ts'
import { wait } from '../protocol/clock.ts'
import type { Facts } from '../protocol/facts.ts'
import { EarlierBuilds, earlierBuildsAt, FailuresLine, failuresPath } from '../protocol/insight.ts'
import { ProblemError, problemError } from '../protocol/problem.ts'
import { configPath, ProxyConfig, scanAddress } from '../protocol/proxy-config.ts'
import { createSseReader } from '../protocol/sse.ts'
import { durationWords } from './duration.ts'
import { connectionProblem, tooSlow } from './read-response.ts'
import type { Host } from './report-file.ts'
import type { BuildCommand } from './report-formats.ts'
import {
  addressBelow,
  createServerRequest,
  decoded,
  decodedLines,
  factsOfEvents,
  notSightline,
  type Question,
  questionAbout,
  type ServerRequest,
} from './server-request.ts'

const mostFailedTests = 5

/**
 * What a build did, whether its failure is new, and what lies between it and the last success, from a
 * Sightline server. What can't be had but the build itself is left out, with a line on standard error.
 * Throws a ProblemError where nothing of the build can be read.
 */
export async function readBuildReport(
  { buildId, connection, timeoutMs }: BuildCommand,
  host: Host,
): Promise<BuildReport> {
  const { clock, log, signal } = host
  const own = new AbortController()
  const end = (): void => {
    own.abort()
  }
  signal.addEventListener('abort', end)
  const cancel = clock.after(timeoutMs, () => {
    own.abort(tooSlow(server.who, timeoutMs))
  })
  const server = createServerRequest(connection, host)
  try {
    const patient = withPatience(server, host, own.signal)
    const [summary, events] = await Promise.all([
      orProblem(
        patient(`${buildData}${buildPath(buildId, toolsWithAttributes.map(attributesModel))}`).then(
          async (response) =>
            readListedBuild(await decoded(response, z.unknown()), () => undefined),
        ),
      ),
      orProblem(readEvents(buildId, patient, server.who)),
    ])
    const facts = mergedFacts(
      events.value?.header.facts,
      summary.value &&
        factsFromAttributes(toBuildMessage(summary.value), summary.value.models ?? {}),
    )
    if (facts === undefined) {
      throw withPlace(events.problem ?? summary.problem, server.who) ?? notSightline(502)
    }
    if (events.problem !== undefined) log(`Events can't be read: ${events.problem.message}`)
    const config = await orProblem(
      server.ask(configPath, {}, own.signal).then((response) => decoded(response, ProxyConfig)),
    )
    const around = await orProblem(compareAround(facts, patient))
    if (around.problem !== undefined) {
      log(`Can't compare with other builds: ${around.problem.message}`)
    }
    const buildServer = config.value?.upstreams.buildData
    return buildReport({
      facts,
      failures: events.value?.header.failures,
      failedTests: events.value?.failedTests,
      streak: around.value?.streak,
      lastSuccess: around.value?.lastSuccess,
      origin: around.value?.origin,
      address: addressBelow(connection.url, `/builds/${buildId}`),
      serverAddress: scanAddress(buildServer, buildId),
    })
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

type Ask = (path: string, init?: Question) => Promise<Response>

const buildData = '/upstream/build-data'

/** Asks again while the server is busy or still stores the build, until `signal` aborts. */
function withPatience(
  { ask, who }: ServerRequest,
  { clock, random, log }: Pick<Host, 'clock' | 'random' | 'log'>,
  signal: AbortSignal,
): Ask {
  return async (path, init = {}) => {
    for (let failures = 1; ; failures += 1) {
      try {
        return await ask(path, init, signal)
      } catch (error) {
        const fault = connectionProblem(signal.aborted ? signal.reason : error, who)
        const { status, problem, retryAfterMs } = fault
        const isBusy = status === 429 || (status === 503 && !problem.type.endsWith(':unreachable'))
        if (!isBusy || signal.aborted) throw fault
        const ms = backOffMs({ failures, retryMs: undefined, retryAfterMs, random })
        log(`${fault.sentence} Retrying in ${durationWords(ms)}.`)
        await wait(clock, ms, signal)
      }
    }
  }
}

/** A build that isn't there may be one of another build server. */
function withPlace(problem: ProblemError | undefined, who: string): ProblemError | undefined {
  if (problem?.status !== 404 || problem.problem.type.endsWith(':not-sightline')) return problem
  const sentence = `${problem.sentence} Check its id, and that ${who} reads the build server that it is on.`
  return problemError(404, 'no-build', 'Build not found', sentence)
}

/** A value, or why there is none. */
async function orProblem<T>(
  promised: Promise<T>,
): Promise<{ readonly value?: T; readonly problem?: ProblemError }> {
  try {
    return { value: await promised }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error }
    throw error
  }
}

/** Exceptions of a whole build stand in one message. */
const mostMessageCharacters = 64 * 1024 * 1024

/** Why the build and its tests failed; throws a ProblemError where there are no events. */
async function readEvents(buildId: string, ask: Ask, who: string) {
  const types = [...new Set([...headerEventTypes, ...testEventTypes])]
  const headers = { accept: 'text/event-stream' }
  const response = await ask(`${buildData}${buildEventsPath('v2', buildId, types)}`, { headers })
  const collector = createBuildCollector({ header: true, executions: true, logBytes: 0 })
  const reader = createSseReader(
    {
      onMessage: ({ event, data, id = '' }) => {
        if (event === 'Build') collector.build(data)
        else if (event === 'BuildEvent') collector.event(data, id)
      },
    },
    mostMessageCharacters,
  )
  try {
    for await (const chunk of response.body ?? []) reader.feed(chunk)
  } catch (error) {
    throw connectionProblem(error, who)
  }
  const message = collector.message()
  if (message === undefined) return undefined
  const header = collector.header()
  const failed = testCases(allExecutions(collector.executions())).filter(
    ({ outcome }) => outcome === 'failed',
  )
  const rows = failed.slice(0, mostFailedTests).map((test) => {
    const id = test.runs.find(({ failureId }) => failureId !== null)?.failureId
    const failure = typeof id === 'string' ? header.failure(id) : undefined
    return { test, failure: failure ?? null }
  })
  return { header: header.read(message), failedTests: { total: failed.length, rows } }
}

/** The builds around it, and whether its failure is among theirs. */
async function compareAround(facts: Facts, ask: Ask) {
  if (!facts.project || !facts.outcome) return undefined
  const list = (wanted: BuildListQuery) =>
    readAround(facts, wanted, {
      list: async (query) =>
        decoded(await ask(`${buildData}${buildListPath(query)}`), z.array(z.unknown())),
      earlier: async (before, most) =>
        (await decoded(await ask(earlierBuildsAt(before, most)), EarlierBuilds)).builds,
      readFacts: (buildIds) => factsOfEvents(ask, buildIds),
    })
  const streak = failureStreak(facts, await list(earlierBuilds(facts)))
  const lastSuccess =
    streak.lastSuccess ??
    failureStreak(facts, await list(earlierSuccesses(facts, true))).lastSuccess
  if (facts.outcome !== 'failed') return { streak, lastSuccess, origin: undefined }
  const elsewhere = failuresElsewhere(facts, await list(failuresAround(facts)))
  const keys = await failureKeys(comparedBuilds(facts, streak, elsewhere.others), ask)
  const origin = failureOrigin({ build: facts, streak, ...elsewhere, keys })
  return { streak, lastSuccess, origin }
}

async function failureKeys(
  buildIds: readonly string[],
  ask: Ask,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const response = await ask(failuresPath, questionAbout(buildIds))
  const lines = await decodedLines(response, FailuresLine)
  return new Map(
    lines.flatMap(({ buildId, failures }) =>
      failures === undefined ? [] : [[buildId, failures.map(failureKey)]],
    ),
  )
}
