import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readPublishAnswer } from './publish-answer.ts'
import { realData } from '../real-data.test-support.ts'

const folder = realData('policy/')

const stored = {
  storeType: 'artifactory',
  storeUri: 'https://store.example.com',
  storeRequest: { uri: 'https://store.example.com/e/1.json', body: { payload: 'e30=' } },
  storeResponse: { name: 'build-tool-1.json', predicate_type: 'https://gradle.com/a/b/v1' },
}
const refused = {
  storeType: 's3',
  storeUri: 'https://s3.example.com',
  storeResponse: { status: 403, message: 'Forbidden', body: { errors: [{ message: 'no' }] } },
}

test('what was stored and what was refused are distinguished', () => {
  expect(readPublishAnswer({ successes: [stored], errors: [refused] })).toEqual({
    status: null,
    unreadable: 0,
    outcomes: [
      {
        stored: true,
        storeType: 'artifactory',
        storeUri: 'https://store.example.com/e/1.json',
        predicateType: 'https://gradle.com/a/b/v1',
        name: 'build-tool-1.json',
        message: null,
        sourcedFromUri: null,
        envelope: { payload: 'e30=' },
      },
      {
        stored: false,
        storeType: 's3',
        storeUri: 'https://s3.example.com',
        predicateType: null,
        name: null,
        message: 'Forbidden: no',
        sourcedFromUri: null,
        envelope: undefined,
      },
    ],
  })
})

test('an array, and a line of NDJSON, hold the same', () => {
  expect(readPublishAnswer([stored]).outcomes).toHaveLength(1)
  expect(readPublishAnswer(stored)).toEqual(readPublishAnswer([stored]))
  expect(
    readPublishAnswer([{ successes: [stored] }, { errors: [refused] }]).outcomes,
  ).toMatchObject([{ stored: true }, { stored: false }])
})

test('a bare status is kept in lower case, with the store it names', () => {
  expect(
    readPublishAnswer({ status: 'SUCCESS', details: { storeName: 'evidence' } }),
  ).toMatchObject({ status: 'success', outcomes: [{ stored: true, storeUri: 'evidence' }] })
  expect(readPublishAnswer({ status: 'FAILED' })).toEqual({
    status: 'failed',
    outcomes: [],
    unreadable: 0,
  })
})

test('a status may be about one attestation, and link to it', () => {
  const details = { storeName: 'evidence', storeType: 's3', predicateType: 'https://t' }
  const attestationUri = '/packages/oci/a/1/sha256:1/attestations/s3:evidence/1'
  const sourcedFromUri = 'https://builds.example.com/s/k3j7q2m5x7a4c'
  const told = { status: 'SUCCESS', attestationUri, sourcedFromUri, details }
  expect(readPublishAnswer(told).outcomes).toEqual([
    {
      stored: true,
      storeType: 's3',
      storeUri: attestationUri,
      predicateType: 'https://t',
      name: 'evidence',
      message: null,
      sourcedFromUri,
      envelope: undefined,
    },
  ])
})

test('a failure beside a success stays one, in whatever order, and one that says why is listed', () => {
  const stored = { status: 'SUCCESS', details: { storeName: 'evidence' } }
  for (const answer of [
    [stored, { status: 'ERROR' }],
    [{ status: 'ERROR' }, stored],
  ]) {
    expect(readPublishAnswer(answer)).toMatchObject({ status: 'error', outcomes: [{}] })
  }
  const { outcomes } = readPublishAnswer({
    status: 'FAILED',
    details: { message: 'The store is full.' },
  })
  expect(outcomes).toMatchObject([{ stored: false, storeUri: '', message: 'The store is full.' }])
})

test('a status that is not a success stores nothing', () => {
  expect(
    readPublishAnswer({ status: 'PENDING', details: { storeName: 'e' } }).outcomes,
  ).toMatchObject([{ stored: false }])
})

test.each([null, 1, 'text', {}, { successes: [{}] }, [[1]]])('%j says nothing', (value) => {
  expect(readPublishAnswer(value)).toEqual({ outcomes: [], status: null, unreadable: 1 })
})

test('lists in lists are read, and nested without end they cost nobody the page', () => {
  expect(readPublishAnswer([[[{ successes: [stored] }]]]).outcomes).toHaveLength(1)
  const nested: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
  expect(readPublishAnswer(nested)).toEqual({ outcomes: [], status: null, unreadable: 1 })
})

test('nothing published is nothing, and not an error', () => {
  expect(readPublishAnswer({ successes: [] })).toEqual({
    outcomes: [],
    status: null,
    unreadable: 0,
  })
})

describe.skipIf(!existsSync(folder))('the recorded answers', () => {
  test.each([
    ['publish-success.json', [true]],
    ['publish-partial.json', [true, false]],
    ['publish-status.json', [true]],
  ])('%s', (file, expected) => {
    const answer = readPublishAnswer(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
    expect(answer.unreadable).toBe(0)
    expect(answer.outcomes.map((outcome) => outcome.stored)).toEqual(expected)
    expect(answer.outcomes[0]?.storeUri).not.toBe('')
  })
})

test('a success that names its attestation and nothing else is one', () => {
  const uri = `/packages/oci/app/1/sha256:${'ab'.repeat(32)}/attestations/af:main/x`
  const { outcomes, unreadable } = readPublishAnswer({
    request: {},
    successes: [{ predicateType: 'https://t.example/x', attestationUri: uri }],
  })
  expect(unreadable).toBe(0)
  expect(outcomes).toMatchObject([{ stored: true, storeUri: uri }])
})
