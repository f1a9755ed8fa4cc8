import type { z } from 'zod'
import type { Clock } from '../protocol/clock.ts'
import { evaluationHeader } from '../protocol/evaluation.ts'
import { packagePath, policyScanPath } from '../protocol/package-address.ts'
import { problem, ProblemError } from '../protocol/problem.ts'
import { configPath, SharedConfig } from '../protocol/proxy-config.ts'
import { Session, sessionPath } from '../protocol/session.ts'
import { WaiverList, waiversPath } from '../protocol/waiver.ts'
import { addressBelow } from './address-below.ts'
import { answerProblem } from './answer-problem.ts'
import { noAnswer } from './no-answer.ts'
import { acceptedResults, type ScanSource } from './scan-source.ts'

const who = 'the Sightline server'

interface Question {
  readonly method?: 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * A Sightline server: it evaluates with a credential of its own, records each evaluation, and keeps
 * waivers and release boards. The session is asked for once, and again when it is refused.
 */
export function createServerSource(
  server: URL,
  { fetch, clock, version }: { fetch: typeof globalThis.fetch; clock: Clock; version: string },
): ScanSource {
  let session: Promise<Session> | undefined

  function send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('user-agent', `sightline-cli/${version}`)
    return fetch(addressBelow(server, path), { ...init, headers, redirect: 'manual' }).catch(
      (error: unknown) => {
        throw noAnswer(error, who)
      },
    )
  }

  async function signIn(signal: AbortSignal): Promise<Session> {
    const response = await send(sessionPath, { method: 'POST', signal })
    if (!response.ok) throw await answerProblem(response, 'The Sightline server', clock.now())
    return decoded(response, Session)
  }

  async function ask(path: string, init: Question, signal: AbortSignal): Promise<Response> {
    for (let renewed = false; ; renewed = true) {
      session ??= signIn(signal).catch((error: unknown) => {
        session = undefined
        throw error
      })
      const used = session
      const { token } = await used
      const headers = { ...init.headers, authorization: `Bearer ${token}` }
      const response = await send(path, { ...init, headers, signal })
      if (response.ok) return response
      const fault = await answerProblem(response, 'The Sightline server', clock.now())
      if (response.status !== 401 || renewed) throw fault
      if (session === used) session = undefined
    }
  }

  return {
    who,
    evaluate: ({ address, scan, sha256, repositoryUrl }, signal) =>
      ask(
        `/upstream/governor${policyScanPath(address, scan)}`,
        {
          method: 'POST',
          headers: { accept: acceptedResults, 'content-type': 'application/json' },
          body: JSON.stringify({ sha256, repositoryUrl }),
        },
        signal,
      ),
    waivers: async ({ address }, signal) => {
      const search = new URLSearchParams({ path: packagePath(address) })
      const response = await ask(`${waiversPath}?${search.toString()}`, {}, signal)
      return (await decoded(response, WaiverList)).waivers
    },
    boards: async (signal) => {
      const response = await ask(configPath, {}, signal)
      return (await decoded(response, SharedConfig)).boards
    },
    recordOf: ({ address, scan }, response) => {
      const id = response.headers.get(evaluationHeader)
      if (id === null) return undefined
      return addressBelow(server, `${policyScanPath(address, scan)}/runs/${encodeURIComponent(id)}`)
    },
  }
}

async function decoded<S extends z.ZodType>(response: Response, schema: S): Promise<z.output<S>> {
  const value: unknown = await response.json().catch(() => undefined)
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const sentence =
    'What answers is no Sightline server, or one of another release: check its address.'
  throw new ProblemError(problem(502, 'not-sightline', 'Not a Sightline server', sentence))
}
