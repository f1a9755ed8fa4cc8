import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSigner, envelopeOf, paeOf } from '../../../attestation/signing.test-support.ts'
import { createAttestationRunner, type StartAttestationWorker } from './attestation-runner.ts'
import { createAttestationEngine } from './attestation-engine.ts'
import { type FromAttestationWorker, fileAlgorithms } from './attestation-jobs.ts'

/** The engine without a thread around it; an ended one is heard of no more. */
function startHere(): {
  readonly start: StartAttestationWorker
  readonly counts: { started: number; ended: number }
} {
  const counts = { started: 0, ended: 0 }
  return {
    counts,
    start: (onMessage) => {
      counts.started += 1
      let isEnded = false
      const take = createAttestationEngine((message: FromAttestationWorker) => {
        if (!isEnded) onMessage(message)
      })
      return {
        post: (message) => void take(message),
        end: () => {
          isEnded = true
          counts.ended += 1
        },
      }
    },
  }
}

const text = '{"_type":"https://in-toto.io/Statement/v1","subject":[],"predicateType":"a:b"}'

test('an envelope is inspected with its verdicts, fingerprints and what was signed', async () => {
  const { key, sign } = await createSigner('P-256', 'release')
  const envelope = envelopeOf(text, [{ sig: await sign(paeOf(text)) }])
  const runner = createAttestationRunner(startHere().start)
  const told: string[] = []
  const result = await runner.run<'inspect'>(
    { kind: 'inspect', envelope, keys: [key] },
    { onProgress: ({ what, done, of }) => told.push(`${what} ${done}/${of}`) },
  )
  expect(result.verdicts.map(({ verdict }) => verdict)).toEqual(['verified'])
  expect(result.fingerprints[0]?.map(({ form }) => form)).toContain('sha256-spki')
  expect(result.signed).toMatchObject({
    length: paeOf(text).length,
    typeLength: 28,
  })
  expect(told).toEqual(['verifying 0/1', 'verifying 1/1'])
})

test('a decoded envelope is complete', async () => {
  const payload = Buffer.from(text).toString('base64')
  const input = JSON.stringify({ payloadType: 'a/b', payload, signatures: [] })
  const result = await createAttestationRunner(startHere().start).run<'decode'>({
    kind: 'decode',
    input,
  })
  expect(result.ok && new TextDecoder().decode(result.envelope?.payload)).toBe(text)
  expect(result.ok && result.items[0]?.envelope).toEqual(result.ok && result.envelope)
})

test('a file is hashed in every way in which a statement may name it', async () => {
  const runner = createAttestationRunner(startHere().start)
  const file = new Blob(['abc'])
  const digests = await runner.run<'hash'>({ kind: 'hash', file, algorithms: fileAlgorithms })
  expect(digests).toHaveLength(fileAlgorithms.length + 3)
  for (const { algorithm, value } of digests) {
    expect(value, algorithm).toBe(opensslDigest(algorithm, value.length / 2))
  }
  expect(new Set(digests.map(({ algorithm }) => algorithm))).toEqual(new Set(fileAlgorithms))
})

/** openssl has the same algorithms, some of them under other names, and BLAKE2 in one length only. */
function opensslDigest(algorithm: string, length: number): string {
  if (algorithm === 'gitBlob') {
    const hash = createHash(length === 20 ? 'sha1' : 'sha256')
    return hash.update('blob 3\0abc').digest('hex')
  }
  // The vector of `b2sum -l 256`.
  if (algorithm === 'blake2b' && length === 32) return blake2b256
  const name = algorithm.replace('_', '-').replace('blake2b', 'blake2b512')
  const options = algorithm.startsWith('shake') ? { outputLength: length } : {}
  return createHash(name.replace('blake2s', 'blake2s256'), options).update('abc').digest('hex')
}

const blake2b256 = 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319'

test('what is cancelled ends the worker, and all else begins again in another', async () => {
  const { start, counts } = startHere()
  const runner = createAttestationRunner(start)
  const abort = new AbortController()
  const cancelled = runner.run<'hash'>(
    { kind: 'hash', file: new Blob(['a']), algorithms: ['sha256'] },
    { signal: abort.signal },
  )
  const other = runner.run<'hash'>({
    kind: 'hash',
    file: new Blob(['abc']),
    algorithms: ['sha256', 'sha384'],
  })
  abort.abort(new Error('enough'))
  await expect(cancelled).rejects.toThrow('enough')
  await expect(other).resolves.toHaveLength(2)
  expect(counts).toEqual({ started: 2, ended: 1 })
})

test('a worker that breaks down fails its jobs in words; the next job starts another', async () => {
  let isBroken = true
  const { start } = startHere()
  const runner = createAttestationRunner((onMessage, onBroken) => {
    if (!isBroken) return start(onMessage, onBroken)
    isBroken = false
    return { post: onBroken, end: () => undefined }
  })
  await expect(runner.run<'decode'>({ kind: 'decode', input: text })).rejects.toThrow(
    "ran out of memory, or couldn't load the code for it. Reload the page.",
  )
  expect((await runner.run<'decode'>({ kind: 'decode', input: text })).ok).toBe(true)
})
