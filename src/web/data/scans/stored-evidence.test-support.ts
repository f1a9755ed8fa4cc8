import { onTestFinished } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createAttestationEngine } from '../attestation/attestation-engine.ts'
import {
  type AttestationWorker,
  createAttestationRunner,
} from '../attestation/attestation-runner.ts'
import { createRequest } from '../core/request.ts'
import { createSession } from '../core/session.ts'
import { createEvidenceChecks, type Trust } from './evidence-checks.ts'
import { answeringServer } from './policy-scan.test-support.ts'

/** What a service answers under an id, as JSON; it forbids every other one. */
export type StoredAnswers = Readonly<Record<string, unknown>>

/** The URI of the attestation with this id. */
export function evidenceUri(id: string): string {
  return `/packages/oci/a/1/sha256:${'ab'.repeat(32)}/attestations/af:e/${id}`
}

/** Checks of evidence that a server over a socket has, decoded and verified as in a worker. */
export async function evidenceWorld(stored: StoredAnswers, trust: Trust = { keys: [] }) {
  const server = await answeringServer((request, response) => {
    const answer = stored[request.url?.split('/').at(-1) ?? '']
    const isThere = answer !== undefined
    response
      .writeHead(isThere ? 200 : 403, {
        'content-type': isThere ? 'application/json' : 'application/problem+json',
      })
      .end(JSON.stringify(answer ?? { title: 'Forbidden', status: 403, detail: 'Not for you.' }))
  })
  onTestFinished(server.stop)
  const clock = createManualClock(1_000_000)
  const isOnline = (): boolean => true
  const send: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString()
    return path === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: 9e9, user: { name: 'a', roles: [] } }),
        )
      : fetch(`${server.origin}${path}`, init)
  }
  const session = createSession({ fetch: send, clock, isOnline })
  const request = createRequest({ fetch: send, session, clock, isOnline })
  const runner = createAttestationRunner(startEngineHere)
  return { checks: createEvidenceChecks(request, runner, trust), runner, clock }
}

/** The engine without a thread around it. */
export function startEngineHere(): AttestationWorker {
  let hear: Parameters<AttestationWorker['listen']>[0] = () => undefined
  const take = createAttestationEngine((message) => {
    hear(message)
  })
  return {
    post: (message) => void take(message),
    listen: (onMessage) => {
      hear = onMessage
    },
    end: () => undefined,
  }
}

/** A DSSE envelope around a statement, as services write it; unsigned where no signature is given. */
export function storedEnvelope(
  predicateType: string,
  predicate: unknown,
  signatures: readonly { readonly sig: string; readonly keyid?: string }[] = [],
) {
  return {
    payloadType: 'application/vnd.in-toto+json',
    payload: Buffer.from(statementText(predicateType, predicate)).toString('base64'),
    signatures,
  }
}

/** What such an envelope has as its payload. */
export function statementText(predicateType: string, predicate: unknown): string {
  return JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'a', digest: { sha256: 'ab'.repeat(32) } }],
    predicateType,
    predicate,
  })
}
