import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { serviceTest } from './hostile-stream-server.ts'
import { evaluateAt, headline, policy } from './scan-page.ts'
import { expect } from './sightline.ts'

/** Who signed the evidence of a scan, shown beside it, of a plain policy service. */

const release = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Sightline trusts `acme-release`. */
const test = serviceTest.extend({
  settings: async ({}, use, info) => {
    const config = info.outputPath('config.yaml')
    const pem = release.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    await writeFile(config, JSON.stringify({ trustedKeys: { 'acme-release': { pem } } }))
    await use({ SIGHTLINE_CONFIG: config })
  },
})

const hex = 'ab'.repeat(32)
const anyScan = `/packages/oci/app/1.0.0/policy-scans/release?sha256=${hex}&repository=registry.acme.example/shop`

/** Results of one policy, each by another attestation. */
function results(ids: readonly string[]): string {
  return ids
    .map((id) => ({
      policyUri: '/policies/BuildTool/supported',
      status: 'unsatisfied',
      labels: {},
      policyDescription: 'Described.',
      policyRemediation: '',
      attestationUri: `/packages/oci/app/1.0.0/sha256:${hex}/attestations/s3:archive/${id}`,
      sourcedFromUri: null,
      details: { message: `found in ${id}` },
    }))
    .map((result) => `${JSON.stringify(result)}\n`)
    .join('')
}

const payloadType = 'application/vnd.in-toto+json'

/** A DSSE envelope; the message that is signed is DSSE's own unless `signed` says otherwise. */
function envelope(key: KeyObject, keyid: string, signed?: string): string {
  const statement = '{"_type":"https://in-toto.io/Statement/v1","subject":[],"predicateType":"a:b"}'
  const pae = `DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} ${statement}`
  const sig = sign('sha256', Buffer.from(signed ?? pae), key).toString('base64')
  const payload = Buffer.from(statement).toString('base64')
  return JSON.stringify({ payloadType, payload, signatures: [{ keyid, sig }] })
}

const ndjson = { 'content-type': 'application/x-ndjson' }
const json = { 'content-type': 'application/json' }

test('each piece of evidence says who signed it, and what could not be fetched says that', async ({
  page,
  service,
}) => {
  const attestations = new Map([
    ['good', envelope(release.privateKey, 'acme-release')],
    ['forged', envelope(release.privateKey, 'acme-release', 'something else')],
    ['foreign', envelope(stranger.privateKey, 'cd'.repeat(32))],
    ['empty', JSON.stringify({ payloadType, payload: '', signatures: [] })],
  ])
  const refusals: { readonly id: string; readonly accept: string | undefined }[] = []
  const { url } = await service((response, { url: path, headers }) => {
    const id = path.split('/').at(-1) ?? ''
    const found = attestations.get(id)
    if (path.endsWith('/policy-scans/release')) {
      response
        .writeHead(200, ndjson)
        .end(results([...attestations.keys(), 'gone', 'forbidden', 'unauthorized']))
    } else if (id === 'forbidden' || id === 'unauthorized') {
      refusals.push({ id, accept: headers.accept })
      const [status, detail] =
        id === 'forbidden'
          ? [403, 'Access to this resource is forbidden']
          : [401, 'Full authentication is required to access this resource']
      response
        .writeHead(status, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ type: 'about:blank', title: 'Refused', status, detail }))
    } else if (found === undefined) {
      response.writeHead(404, json).end(JSON.stringify({ title: 'Not Found', status: 404 }))
    } else {
      response.writeHead(200, json).end(found)
    }
  })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText('Not releasable: 1 of 1 policy unsatisfied.')
  const of = (id: string) =>
    policy(page, 'supported')
      .getByRole('listitem')
      .filter({ hasText: `found in ${id}` })
  await expect(of('good')).toContainText('signature valid, acme-release')
  await expect(of('forged')).toContainText('signature not valid')
  await expect(of('foreign')).toContainText('signature not verified: unknown signer')
  await expect(of('empty')).toContainText('not signed')
  // It stands below what is seen at first.
  await of('gone').scrollIntoViewIfNeeded()
  await expect(of('gone')).toContainText("Can't load the attestation")
  // What is refused is shown at once, not asked for again.
  await of('unauthorized').scrollIntoViewIfNeeded()
  await expect(of('forbidden')).toContainText("Can't load the attestation")
  await expect(of('unauthorized')).toContainText("Can't load the attestation")
  expect(refusals.map(({ id }) => id).sort()).toEqual(['forbidden', 'unauthorized'])
  expect(refusals.every(({ accept }) => accept?.includes('application/problem+json'))).toBe(true)
  // It was published meanwhile.
  attestations.set('gone', envelope(release.privateKey, 'acme-release'))
  await of('gone').getByRole('button', { name: 'Try again' }).click()
  await expect(of('gone')).toContainText('signature valid, acme-release')
  await expect(of('gone').getByRole('button', { name: 'Try again' })).toHaveCount(0)
})

test('evidence is fetched a few at a time, and only what is looked at', async ({
  page,
  service,
}) => {
  const held: (() => void)[] = []
  let isHeld = true
  const ids = Array.from({ length: 60 }, (_, index) => `id-${index}`)
  const { url, asked, requests, peak } = await service((response, { url: path }) => {
    if (path.endsWith('/policy-scans/release')) {
      response.writeHead(200, ndjson).end(results(ids))
      return
    }
    const answer = (): unknown =>
      response.writeHead(200, json).end(envelope(release.privateKey, 'acme-release'))
    if (isHeld) held.push(answer)
    else answer()
  })
  await page.setViewportSize({ width: 1440, height: 1200 })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText(/^Not releasable/)
  await expect(page.getByText('checking signature').first()).toBeVisible()
  // The page is whole while all three are held back: nothing waits for them.
  await asked(4)
  await expect(page.getByText('found in id-0')).toBeVisible()
  expect([requests.length, peak()]).toEqual([4, 3])
  isHeld = false
  for (const answer of held) answer()
  await expect(page.getByText('signature valid, acme-release')).toHaveCount(10)
  expect(peak()).toBe(3)

  await page.getByRole('button', { name: /^Show more/ }).click()
  await page.getByText('found in id-59').scrollIntoViewIfNeeded()
  const last = policy(page, 'supported').getByRole('listitem').filter({ hasText: 'found in id-59' })
  await expect(last).toContainText('signature valid, acme-release')
  expect(peak()).toBe(3)

  // Paper is made when all that stands on it is checked.
  await page.reload()
  await expect(headline(page)).toHaveText(/^Not releasable/)
  const printed = page.evaluate(() => new Promise<void>((resolve) => (window.print = resolve)))
  await page.getByRole('button', { name: 'Print' }).click()
  await printed
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText('signature valid, acme-release')).toHaveCount(60)
  await expect(page.getByText('signature not checked yet')).toHaveCount(0)
  expect(peak()).toBe(3)
})

test('paper has the signatures of evidence below the screen, and what could not be loaded', async ({
  page,
  service,
}) => {
  const ids = [...Array.from({ length: 8 }, (_, index) => `unsigned-${index}`), 'gone']
  const { url } = await service((response, { url: path }) => {
    if (path.endsWith('/policy-scans/release')) {
      response.writeHead(200, ndjson).end(results(ids))
    } else if (!path.endsWith('/gone')) {
      response
        .writeHead(200, json)
        .end(JSON.stringify({ payloadType, payload: '', signatures: [] }))
    } else {
      response.writeHead(404, json).end(JSON.stringify({ title: 'Not Found', status: 404 }))
    }
  })
  await page.setViewportSize({ width: 1440, height: 400 })
  await evaluateAt(page, `${url}${anyScan}`)
  await expect(headline(page)).toHaveText(/^Not releasable/)
  // A browser lays paper out at once: nothing comes near the screen meanwhile.
  const paper = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        window.print = () => {
          window.dispatchEvent(new Event('beforeprint'))
          resolve([...document.querySelectorAll('small')].map((line) => line.textContent))
        }
      }),
  )
  await page.getByRole('button', { name: 'Print' }).click()
  const lines = (await paper).join('\n')
  expect(lines.match(/not signed/g)).toHaveLength(8)
  expect(lines.match(/Can't load the attestation/g)).toHaveLength(1)
  expect(lines).not.toContain('signature not checked yet')
})

test('a stored response that is no attestation can be downloaded, and requested again', async ({
  page,
  service,
}) => {
  let stored = ''
  const { url } = await service((response) => {
    response.writeHead(200, json).end(stored)
  })
  const open = (id: string) =>
    page.goto(`${url}/packages/oci/app/1.0.0/sha256:${hex}/attestations/s3:archive/${id}`)
  await open('nothing')
  const problem = page.getByRole('alert')
  await expect(problem).toContainText('It is empty.')

  stored = 'store offline'
  await open('text')
  await expect(problem).toContainText("The policy service's response isn't an attestation.")
  await expect(problem).not.toContainText('Paste')
  const loading = page.waitForEvent('download')
  await problem.getByRole('button', { name: 'Download response' }).click()
  expect(await readFile(await (await loading).path(), 'utf8')).toBe(stored)

  stored = envelope(release.privateKey, 'acme-release')
  await problem.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('article', { name: 'Attestation' })).toContainText(
    'trusted: “acme-release”',
  )
  await expect(problem).toHaveCount(0)
})

test('an attestation of many files is called by the one of this package', async ({
  page,
  service,
}) => {
  const subject = [
    { name: 'sources.jar', digest: { sha256: 'cd'.repeat(32) } },
    { name: 'app.jar', digest: { sha256: hex } },
  ]
  const predicateType = 'https://slsa.dev/provenance/v1'
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType }
  const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
  const { url } = await service((response) => {
    response.writeHead(200, json).end(JSON.stringify({ payloadType, payload, signatures: [] }))
  })
  await page.goto(`${url}/packages/oci/app/1.0.0/sha256:${hex}/attestations/s3:archive/id`)
  await expect(page.getByRole('article', { name: 'Attestation' })).toContainText(
    'It claims that app.jar (and 1 more subject) was built.',
  )
})
