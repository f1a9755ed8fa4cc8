import { preferredWait } from '../protocol/back-off.ts'
import { type Clock, wait } from '../protocol/clock.ts'
import { evaluationHeader, evaluationsPath } from '../protocol/evaluation.ts'
import { bundlePath } from '../protocol/evidence-bundle.ts'
import { packagePath, policyScanPath } from '../protocol/package-address.ts'
import { ProblemError, problemError } from '../protocol/problem.ts'
import { configPath, type ReleaseBoard, SharedConfig } from '../protocol/proxy-config.ts'
import { sessionPath } from '../protocol/session.ts'
import { SessionReport } from '../protocol/sign-in.ts'
import { type Waiver, WaiverList, waiversPath } from '../protocol/waiver.ts'
import type { ScanCommand } from './command.ts'
import type { Connection, ServerConnection } from './connection.ts'
import { connectionProblem, responseProblem } from './read-response.ts'
import { addressBelow, createServerRequest, decoded } from './server-request.ts'
import type { Subject } from './subject.ts'

/** Waivers, and when they were (epoch ms) by the clock of who keeps them; undefined where it didn't say. */
export interface KnownWaivers {
  readonly waivers: readonly Waiver[]
  readonly at: number | undefined
}

/** Who evaluates, and what else is known there. All of it throws a ProblemError where it fails. */
export interface ScanSource {
  /** In plain words, for sentences: "the policy scan service". */
  readonly who: string
  /** Asks for an evaluation, which is waited for `waitMs` long; resolves when the answer begins. */
  readonly evaluate: (subject: Subject, waitMs: number, signal: AbortSignal) => Promise<Response>
  /** The waivers of a package, in force or not; none where nobody keeps any. */
  readonly waivers: (subject: Subject, signal: AbortSignal) => Promise<KnownWaivers>
  /** The release boards that are offered; none where nobody keeps any. */
  readonly boards: (signal: AbortSignal) => Promise<readonly ReleaseBoard[]>
  /** The name of whoever's credential it is; undefined where nobody has one, or where it is not known. */
  readonly whoAmI: (signal: AbortSignal) => Promise<string | undefined>
  /** The evidence bundle of a board or of the run that was just recorded. */
  readonly bundle: (
    what: ScanCommand['what'],
    recorded: readonly string[],
    signal: AbortSignal,
  ) => Promise<Uint8Array>
  /** Where people see the record of an evaluation, if one is made. */
  readonly recordOf: (subject: Subject, response: Response) => string | undefined
}

/**
 * An array rather than lines, and no compression: whatever is on the way, an array that was cut can't be read. Lines
 * for a service that has nothing else.
 */
const acceptedResults = {
  accept: 'application/json, application/x-ndjson;q=0.9, application/problem+json;q=0.8',
  'accept-encoding': 'identity',
}

/** So often it is looked whether a run is recorded, over ten seconds. */
const mostLooks = 40

/**
 * A Sightline server: it evaluates with a credential of its own, records each evaluation, and keeps
 * waivers and release boards.
 */
export function createServerSource(
  { url: server, credential }: ServerConnection,
  { fetch, clock, version }: { fetch: typeof globalThis.fetch; clock: Clock; version: string },
): ScanSource {
  const { who, ask } = createServerRequest({ url: server, credential }, { fetch, clock, version })

  /** A run is recorded behind its response's back, in the order of the runs. */
  async function whenRecorded(id: string, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await ask(`${evaluationsPath}/${encodeURIComponent(id)}`, {}, signal)
        await response.body?.cancel()
        return
      } catch (error) {
        const isEarly = error instanceof ProblemError && error.status === 404
        if (!isEarly || attempt === mostLooks) throw error
        await wait(clock, 250, signal)
      }
    }
  }

  return {
    who,
    evaluate: ({ address, scan, sha256, repositoryUrl }, waitMs, signal) =>
      ask(
        `/upstream/governor${policyScanPath(address, scan)}`,
        {
          method: 'POST',
          headers: {
            ...acceptedResults,
            'content-type': 'application/json',
            prefer: preferredWait(waitMs),
          },
          body: JSON.stringify({ sha256, repositoryUrl }),
        },
        signal,
      ),
    waivers: async ({ address }, signal) => {
      const search = new URLSearchParams({ path: packagePath(address) })
      const response = await ask(`${waiversPath}?${search.toString()}`, {}, signal)
      const at = Date.parse(response.headers.get('date') ?? '')
      const { waivers } = await decoded(response, WaiverList)
      return { waivers, at: Number.isNaN(at) ? undefined : at }
    },
    boards: async (signal) => {
      const response = await ask(configPath, {}, signal)
      return (await decoded(response, SharedConfig)).boards
    },
    whoAmI: async (signal) => {
      try {
        const response = await ask(sessionPath, {}, signal)
        return (await decoded(response, SessionReport)).user.name
      } catch {
        // Only a name in the reports: what is wrong is said by the evaluation itself.
        return undefined
      }
    },
    bundle: async (what, recorded, signal) => {
      const last = recorded.toSorted().at(-1)
      if (last !== undefined) await whenRecorded(last, signal)
      const query = what.is === 'board' ? { board: what.name } : { run: last ?? '' }
      const response = await ask(
        `${bundlePath}?${new URLSearchParams(query).toString()}`,
        {},
        signal,
      )
      const bytes = await response.arrayBuffer().catch((error: unknown) => {
        throw connectionProblem(error, who)
      })
      return new Uint8Array(bytes)
    },
    recordOf: ({ address, scan }, response) => {
      const id = response.headers.get(evaluationHeader)
      if (id === null) return undefined
      return addressBelow(server, `${policyScanPath(address, scan)}/runs/${encodeURIComponent(id)}`)
    },
  }
}

type Service = Extract<Connection, { to: 'service' }>

/** The policy service itself: it keeps no waivers and no boards. */
export function createServiceSource(
  { url, credential }: Service,
  { fetch, clock, version }: { fetch: typeof globalThis.fetch; clock: Clock; version: string },
): ScanSource {
  const who = `the policy service at ${url.origin}`
  return {
    who,
    evaluate: async ({ address, scan, sha256, repositoryUrl }, waitMs, signal) => {
      const response = await fetch(addressBelow(url, policyScanPath(address, scan)), {
        method: 'POST',
        headers: {
          ...acceptedResults,
          'content-type': 'application/json',
          prefer: preferredWait(waitMs),
          'user-agent': `sightline-cli/${version}`,
          ...(credential === undefined ? {} : { authorization: credential.authorization }),
        },
        body: JSON.stringify({ sha256, repositoryUrl }),
        // The credential is for this server alone.
        redirect: 'manual',
        signal,
      }).catch((error: unknown) => {
        throw connectionProblem(error, who)
      })
      if (response.ok) return response
      throw await responseProblem(response, 'The policy service', clock.now())
    },
    waivers: () => Promise.resolve({ waivers: [], at: undefined }),
    boards: () => Promise.resolve([]),
    whoAmI: () => Promise.resolve(undefined),
    bundle: () => Promise.reject(noBundle()),
    recordOf: () => undefined,
  }
}

function noBundle(): ProblemError {
  const sentence = 'Only a Sightline server makes evidence bundles. Use --server.'
  return problemError(404, 'no-bundle', 'No evidence bundles', sentence)
}
