import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.ts'
import { createAttestationEngine } from '../attestation/attestation-engine.ts'
import { createAttestationRunner } from '../attestation/attestation-runner.ts'
import { createRequest } from '../core/request.ts'
import { createSession } from '../core/session.ts'
import { attestationDifferences } from './attestation-differences.ts'
import { createEvidenceChecks } from './evidence-checks.ts'
import { type AnsweringServer, answeringServer } from './policy-scan.test-support.ts'

/** Attestations fetched from a server over a socket. */

let server: AnsweringServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const buildTool = 'https://gradle.com/attestation/build-tool/v1'
const dependencies = 'https://gradle.com/attestation/resolved-dependencies/v1'

const stored: Readonly<Record<string, readonly [type: string, predicate: unknown]>> = {
  tool1: [buildTool, { toolType: 'gradle', toolVersion: '9.1.0' }],
  tool2: [buildTool, { toolType: 'gradle', toolVersion: '9.2.0' }],
  deps1: [dependencies, { purls: ['pkg:maven/a/log4j@2.14.1', 'pkg:maven/a/old@1'] }],
  deps2: [dependencies, { purls: ['pkg:maven/a/log4j@2.17.0', 'pkg:maven/a/new@1'] }],
}

function uri(id: string): string {
  return `/packages/oci/a/1/sha256:ab/attestations/af:e/${id}`
}

async function compare(before: readonly string[], after: readonly string[]) {
  const started = await answeringServer((request, response) => {
    const id = request.url?.split('/').at(-1) ?? ''
    const [predicateType, predicate] = stored[id] ?? []
    if (predicateType === undefined) {
      const problem = { title: 'Forbidden', status: 403, detail: 'Not for you.' }
      response
        .writeHead(403, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify(problem))
      return
    }
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: id, digest: { sha256: 'ab' } }],
      predicateType,
      predicate,
    }
    const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ payloadType: 'application/vnd.in-toto+json', payload, signatures: [] }))
  })
  server = started
  const clock = createManualClock(1_000_000)
  const isOnline = (): boolean => true
  const send: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString()
    return path === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: 9e9, user: { name: 'a', roles: [] } }),
        )
      : fetch(`${started.origin}${path}`, init)
  }
  const session = createSession({ fetch: send, clock, isOnline })
  const request = createRequest({ fetch: send, session, clock, isOnline })
  const runner = createAttestationRunner((onMessage) => {
    const take = createAttestationEngine(onMessage)
    return { post: (message) => void take(message), end: () => undefined }
  })
  const checks = createEvidenceChecks(request, runner, { keys: [] })
  const progress: string[] = []
  const differences = await attestationDifferences(
    { checks, runner },
    { before: before.map(uri), after: after.map(uri) },
    {
      signal: new AbortController().signal,
      onProgress: (done, of) => {
        progress.push(`${done}/${of}`)
      },
    },
  )
  return { ...differences, progress }
}

test('two versions differ by kind: what was upgraded, added and removed, and the build tool', async () => {
  const { types, faults, progress } = await compare(['tool1', 'deps1'], ['deps2', 'tool2'])
  expect(
    types.map(({ predicateType, changes }) => [
      predicateType,
      ...changes.map(({ kind, what, before, after }) => `${kind} ${what} ${before} ${after}`),
    ]),
  ).toEqual([
    [
      dependencies,
      'upgraded pkg:maven/a/log4j 2.14.1 2.17.0',
      'removed pkg:maven/a/old 1 ',
      'added pkg:maven/a/new  1',
    ],
    [buildTool, 'changed tool version 9.1.0 9.2.0'],
  ])
  expect(faults).toEqual([])
  expect([progress[0], progress.at(-1)]).toEqual(['0/4', '4/4'])
})

test('what one side may not read is its fault, and the rest is compared', async () => {
  const { types, faults } = await compare(['tool1', 'secret'], ['tool1'])
  expect(faults.map(({ side }) => side)).toEqual(['before'])
  expect(faults[0]?.reason).toContain('Not for you')
  expect(types).toMatchObject([{ predicateType: buildTool, changes: [] }])
})

test('a kind that only one side has is counted', async () => {
  const { types } = await compare(['tool1'], ['tool1', 'deps1'])
  expect(types.map(({ predicateType, counts }) => [predicateType, counts])).toEqual([
    [dependencies, { before: 0, after: 1 }],
    [buildTool, { before: 1, after: 1 }],
  ])
})
