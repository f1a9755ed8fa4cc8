import { createHash, generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import {
  paeOf,
  createSigner,
  inTotoType,
  type Signer,
} from '../src/attestation/signing.test-support.ts'
import { expectAccessible, expectAccessibleWideAndNarrow } from './accessibility.ts'
import {
  createTestSigstore,
  testIdentity,
  testIssuer,
} from '../src/web/data/attestation/keyless.test-support.ts'
import { complaintsOf, expect, test } from './sightline.ts'

const statementText = (file: string, tool = 'gradle'): string =>
  JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'app.jar', digest: { sha256: sha256(file) } }],
    predicateType: 'https://gradle.com/attestation/build-tool/v1',
    predicate: {
      buildId: 'k3j7x2m4q7a4c',
      buildScanUri: 'https://builds.acme.example/s/k3j7x2m4q7a4c',
      toolType: tool,
      toolVersion: '9.2.0',
    },
  })

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** An envelope as JSON, signed by each of the signers. */
async function signed(text: string, signers: readonly Signer[]): Promise<string> {
  const signatures = await Promise.all(
    signers.map(async ({ sign, key }) => ({
      keyid: key.name,
      sig: Buffer.from(await sign(paeOf(text))).toString('base64'),
    })),
  )
  const payload = Buffer.from(text).toString('base64')
  return JSON.stringify({ payloadType: inTotoType, payload, signatures })
}

const field = (page: Page): Locator => page.getByRole('textbox', { name: /^Paste an attestation/ })
const verdict = (page: Page, name: string): Locator =>
  page.locator(`[data-verdict="${name}"]`).getByRole('definition')
const tab = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('navigation', { name: 'Parts of the attestation' }).getByRole('link', { name })

async function trust(page: Page, name: string, text: string): Promise<void> {
  const isOpen = await page.getByLabel('Key name').isVisible()
  if (!isOpen) await page.getByText('Trusted keys', { exact: true }).click()
  await page.getByLabel('Key name').fill(name)
  await page.getByLabel('Public key', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Trust this key' }).click()
}

for (const kind of [
  'P-256',
  'P-384',
  'P-521',
  'Ed25519',
  'RSA-PSS',
  'RSASSA-PKCS1-v1_5',
] as const) {
  test(`a ${kind} signature is verified in the browser with a key that was added there`, async ({
    page,
    url,
  }) => {
    const complaints = complaintsOf(page)
    const signer = await createSigner(kind, 'our-own')
    await page.goto(`${url}/decode`)
    await field(page).fill(await signed(statementText('the artifact'), [signer]))
    await expect(verdict(page, 'signature')).toContainText(
      'not verified: no trusted key verifies it',
    )
    await expect(verdict(page, 'signer')).toContainText('unknown key')
    await expect(verdict(page, 'subject')).toContainText('nothing to compare with')

    await trust(page, 'our-own', signer.pem)
    await expect(verdict(page, 'signature')).toContainText('valid')
    await expect(verdict(page, 'signer')).toContainText('trusted: “our-own” (device)')
    await expect(
      page.getByText('app.jar was built by Gradle 9.2.0 in build k3j7x2m4q7a4c.', { exact: true }),
    ).toBeVisible()

    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await field(page).fill(await signed(statementText('the artifact', 'maven'), [signer]))
    await expect(verdict(page, 'signer')).toContainText('our-own')
    expect(complaints).toEqual([])
  })
}

test('a payload that was changed after signing is a mismatch, and is shown beside that', async ({
  page,
  url,
}) => {
  const [first, second] = [
    await createSigner('P-256', 'first'),
    await createSigner('Ed25519', 'second'),
  ]
  const text = statementText('the artifact')
  const both = await signed(text, [first, second])
  const forged = both.replace(
    Buffer.from(text).toString('base64'),
    Buffer.from(text.replace('9.2.0', '9.2.1')).toString('base64'),
  )
  await page.goto(`${url}/decode`)
  await trust(page, 'first', first.pem)
  await trust(page, 'second', second.pem)
  await field(page).fill(both)
  await expect(verdict(page, 'signature')).toContainText('all 2 signatures')
  await expect(page.getByLabel('Trusted keys needed').getByRole('option')).toHaveText(['1', '2'])
  await page.goto(`${url}/decode?needed=3`)
  await field(page).fill(both)
  await expect(verdict(page, 'signer')).toContainText('2 of 3 needed')
  await page.getByLabel('Trusted keys needed').selectOption('2')
  await expect(verdict(page, 'signer')).toContainText('trusted: 2 trusted keys have signed')
  await expect(page).toHaveURL(/needed=2/)
  await field(page).fill(forged)
  await expect(verdict(page, 'signature')).toContainText('mismatch')
  await expect(verdict(page, 'signer')).toContainText('nobody')
  await tab(page, 'Signatures (2)').click()
  await expect(page).toHaveURL(/tab=signatures/)
  await expect(page.locator('[data-keyid="first"]')).toContainText('mismatch')
  await expect(page.locator('[data-keyid="second"]')).toContainText('mismatch')
})

test('a private key is refused, forgotten, and never stored', async ({ page, url }) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await page.goto(`${url}/decode`)
  await trust(page, 'mine', pem)
  await expect(page.getByText('This is a private key, so')).toBeVisible()
  await expect(page.getByLabel('Public key', { exact: true })).toHaveValue('')
  await trust(page, 'mine', JSON.stringify(privateKey.export({ format: 'jwk' })))
  await expect(page.getByLabel('Public key', { exact: true })).toHaveValue('')
  const stored = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))
  expect(stored).not.toContain('PRIVATE')
  expect(stored).not.toContain('mine')
  const bare = pem.replaceAll(/-----[^-]*-----|\n/g, '')
  await trust(page, 'mine', bare)
  await expect(page.getByLabel('Public key', { exact: true })).toHaveValue('')
  for (const secret of [pem, bare, JSON.stringify([privateKey.export({ format: 'jwk' })])]) {
    await field(page).fill(secret)
    await expect(page.getByRole('alert')).toContainText('private key')
    await expect(field(page)).toHaveValue('')
  }
  await page.goto(`${url}/decode#envelope=${Buffer.from(pem).toString('base64url')}`)
  await expect(page.getByRole('alert')).toContainText('private key')
  await expect(field(page)).toHaveValue('')
  await expect(page).toHaveURL(/\/decode$/)
})

test('trusted keys that are still to come move no form away', async ({ page, url }) => {
  let letThrough = (): void => undefined
  const held = new Promise<void>((resolve) => (letThrough = resolve))
  await page.route('**/config', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${url}/decode`)
  await page.getByText('Trusted keys', { exact: true }).click()
  await expect(page.getByText('loading…')).toBeVisible()
  const name = page.getByLabel('Key name')
  await expect(name).toBeHidden()
  letThrough()
  await expect(name).toBeVisible()
  const before = await name.boundingBox()
  await expect(page.getByRole('list', { name: 'Trusted keys' })).toContainText(/[1-9a-f]{4}/)
  expect(await name.boundingBox()).toEqual(before)
})

test('a link carries the envelope in its fragment, which no server sees', async ({ page, url }) => {
  const signer = await createSigner('P-256', 'acme')
  const envelope = await signed(statementText('the artifact'), [signer])
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.goto(`${url}/decode#envelope=${Buffer.from(envelope).toString('base64url')}`)
  await expect(verdict(page, 'signature')).toContainText('not verified')
  await tab(page, 'Payload').click()
  await expect(page).toHaveURL(/tab=payload#envelope=/)
  await expect(page.getByRole('tree', { name: 'Payload' })).toContainText('toolVersion')
  await page.getByRole('searchbox', { name: 'Search the payload' }).fill('9.2.0')
  await expect(page.getByText('1 found')).toBeVisible()
  await page.getByRole('button', { name: 'Next match' }).click()
  await expect(page.getByText('$.predicate.toolVersion')).toBeVisible()
  const tree = page.getByRole('tree', { name: 'Payload' })
  const selected = tree.getByRole('treeitem', { selected: true })
  await tree.press('Home')
  await tree.press('ArrowDown')
  await expect(selected).toContainText('_type')
  await tree.press('End')
  await expect(selected).toContainText('toolVersion')
  await tree.press('ArrowLeft')
  await tree.press('ArrowLeft')
  await expect(selected).toHaveAttribute('aria-expanded', 'false')
  await page.getByRole('link', { name: 'Hex' }).click()
  await expect(page.getByRole('region', { name: 'Payload as hexadecimal' })).toContainText(
    '00000010',
  )
  await page.getByRole('link', { name: 'Text', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Payload as text' })).toContainText('{"_type"')
  const payload = Buffer.from(statementText('the artifact')).toString('base64url').slice(0, 40)
  expect(asked.filter((line) => line.includes(payload) || line.includes('envelope='))).toEqual([])

  await page.goto(`${url}/decode#envelope=e30!`)
  await expect(page.getByRole('alert')).toContainText('It may be incomplete')
})

test('a valid signature over another type than a statement proves nothing but the signed bytes', async ({
  page,
  url,
}) => {
  const signer = await createSigner('P-256', 'acme')
  const text = statementText('the artifact')
  const sig = Buffer.from(await signer.sign(paeOf(text, 'text/plain'))).toString('base64')
  await page.goto(`${url}/decode`)
  await trust(page, 'acme', signer.pem)
  await field(page).fill(
    JSON.stringify({
      payloadType: 'text/plain',
      payload: Buffer.from(text).toString('base64'),
      signatures: [{ sig }],
    }),
  )
  await expect(verdict(page, 'signer')).toContainText('trusted: “acme”')
  const attestation = page.getByRole('article', { name: 'Attestation' })
  await expect(attestation).toContainText('A signature says only that these bytes were signed.')
  await expect(attestation).toContainText('What it proves if valid: nothing, as the payload type')
  await expect(attestation).not.toContainText('was built by')
})

test('a link that is opened after a paste is what is judged, and the paste is kept', async ({
  page,
  url,
}) => {
  const signer = await createSigner('P-256', 'acme')
  const pasted = await signed(statementText('the artifact'), [signer])
  const linked = JSON.stringify({
    ...(JSON.parse(pasted) as object),
    payload: Buffer.from(statementText('another', 'maven')).toString('base64'),
  })
  await page.goto(`${url}/decode`)
  await trust(page, 'acme', signer.pem)
  await field(page).fill(pasted)
  await expect(verdict(page, 'signer')).toContainText('trusted: “acme”')
  await page.goto(`${url}/decode#envelope=${Buffer.from(linked).toString('base64url')}`)
  await expect(verdict(page, 'signature')).toContainText('mismatch')
  await page.goBack()
  await expect(verdict(page, 'signer')).toContainText('trusted: “acme”')
  await expect(field(page)).toHaveValue(pasted)
  // The same once more, and over the link itself.
  const link = `${url}/decode#envelope=${Buffer.from(linked).toString('base64url')}`
  await page.goto(link)
  await expect(verdict(page, 'signature')).toContainText('mismatch')
  await field(page).fill(pasted)
  await expect(verdict(page, 'signer')).toContainText('trusted: “acme”')
  await page.goto(link)
  await expect(verdict(page, 'signature')).toContainText('mismatch')
  // The same link opened before the page has shown the address without it.
  await field(page).evaluate((input: HTMLTextAreaElement, text) => {
    const { hash } = location
    input.focus()
    input.select()
    document.execCommand('insertText', false, text)
    location.hash = hash
  }, pasted)
  await expect(page).toHaveURL(link)
  await expect(field(page)).toHaveValue(linked)
  await expect(verdict(page, 'signature')).toContainText('mismatch')
})

test('after a wrong paste the page says what it looks like', async ({ page, url }) => {
  await page.goto(`${url}/decode`)
  for (const [text, says] of [
    ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'This is a JWT'],
    ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', 'certificate'],
    ['pkg:npm/left-pad@1.3.0', 'package URL'],
    ['{"a":1}', ''],
  ] as const) {
    await field(page).fill(text)
    await expect(page.getByRole('alert')).toContainText(says)
  }
})

test("where the decoder itself can't be loaded that is said, and the next paste is decoded", async ({
  page,
  url,
}) => {
  let isAway = true
  await page.route('**/assets/attestation-worker*', (route) =>
    isAway ? route.abort() : route.continue(),
  )
  await page.goto(`${url}/decode`)
  await field(page).fill('{"a":1}')
  await expect(page.getByRole('alert')).toHaveText(
    "Can't decode it: A part of Sightline couldn't be loaded. Check your connection and try again, or reload the page.",
  )
  isAway = false
  await field(page).fill('pkg:npm/left-pad@1.3.0')
  await expect(page.getByRole('alert')).toContainText('package URL')
})

test('a file is hashed here and compared with the subject, and files are chosen among', async ({
  page,
  url,
}, info) => {
  const signer = await createSigner('P-256', 'acme')
  const lines = [
    await signed(statementText('first'), [signer]),
    await signed(statementText('second', 'maven'), [signer]),
  ].join('\n')
  await writeFile(info.outputPath('both.jsonl'), lines)
  await writeFile(info.outputPath('second.jar'), 'second')
  await page.goto(`${url}/decode`)
  await page.getByLabel('Files with attestations').setInputFiles(info.outputPath('both.jsonl'))
  const choice = page.getByRole('navigation', { name: 'Attestations' }).getByRole('link')
  await expect(choice).toHaveCount(2)
  await expect(choice.first()).toContainText('unknown key')

  const compare = page.getByLabel('File to compare the subject with')
  await compare.setInputFiles(info.outputPath('second.jar'))
  await expect(verdict(page, 'subject')).toContainText('mismatch: is not the file second.jar')
  await choice.nth(1).click()
  await expect(page).toHaveURL(/item=2/)
  await expect(verdict(page, 'subject')).toContainText('matches: is the file second.jar')

  await page.getByRole('button', { name: 'Compare with another…' }).click()
  await page.getByLabel('Another attestation in this input').selectOption({ index: 1 })
  await expect(page.getByText('2 differences')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Comparison' })).toContainText('toolType')
  await expect(page).toHaveURL(/item=2.*compare=1/)
})

test('a comparison is a link while it is with what a link can name', async ({
  page,
  sightline,
}) => {
  // Both attestations are of one build, as none arrives in between.
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '0' })
  const [first, second] = [await publish(page, url), await publish(page, url)]
  await page.goto(`${url}${first}`)
  await page.getByRole('button', { name: 'Compare with another…' }).click()
  const compared = page.getByRole('region', { name: 'Comparison' })
  const field = compared.getByRole('textbox')
  await field.fill(`${url}${second}`)
  await expect(compared).toContainText('No differences')
  await page.getByRole('link', { name: 'Payload' }).click()
  await expect(page).toHaveURL(/tab=payload/)
  await page.reload()
  await expect(compared).toContainText('No differences')
  await expect(field).toHaveValue(second)

  await page.goBack()
  await expect(page).not.toHaveURL(/tab=payload/)
  await expect(compared).toContainText('No differences')
  await field.fill('pasted')
  await expect(page).not.toHaveURL(/compare=/)
  await expect(field).toHaveValue('pasted')
  await field.fill(second)
  await expect(page).toHaveURL(/compare=/)
  await page.getByRole('button', { name: 'Compare with another…' }).click()
  await expect(compared).toHaveCount(0)
  await expect(page).not.toHaveURL(/compare=/)
})

test('a file that is dropped on a comparison is compared, its first attestation of several, and replaces nothing', async ({
  page,
  url,
}) => {
  const statement = (n: number): string =>
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'app.jar', digest: { sha256: 'a'.repeat(64) } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: { runDetails: { builder: { id: `https://ci.example/${n}` } } },
    })
  const signer = await createSigner('P-256', 'acme')
  const [own = '', ...others] = await Promise.all(
    [1, 2, 3].map((n) => signed(statement(n), [signer])),
  )
  await page.goto(`${url}/decode`)
  await field(page).fill(own)
  await page.getByRole('button', { name: 'Compare with another…' }).click()
  const compared = page.getByRole('region', { name: 'Comparison' })
  const files = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'two.jsonl'))
    return data
  }, others.join('\n'))
  await compared.getByRole('textbox').dispatchEvent('drop', { dataTransfer: files })
  await expect(compared).toContainText('The other input has 2 attestations. The first is compared')
  await expect(compared).toContainText('https://ci.example/2')
  await expect(field(page)).toHaveValue(own)
})

test('a file that only has the SHA-1 of a subject is a weak match, and no tick', async ({
  page,
  url,
}, info) => {
  const sha1 = createHash('sha1').update('app').digest('hex')
  const statement = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'app.jar', digest: { sha1 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {},
  })
  await writeFile(info.outputPath('app.jar'), 'app')
  await page.goto(`${url}/decode`)
  await field(page).fill(await signed(statement, [await createSigner('P-256', 'acme')]))
  const compare = page.getByLabel('File to compare the subject with')
  await compare.setInputFiles(info.outputPath('app.jar'))
  await expect(verdict(page, 'subject')).toContainText('weak match: has the sha1 of the file')
  await expect(page.getByText('(weak match)')).toBeVisible()
})

test('the stored attestation of a package is fetched, checked and compared with the package', async ({
  page,
  sightline,
}) => {
  const complaints = complaintsOf(page)
  const { url } = await sightline()
  const stored = await publish(page, url)
  await page.goto(`${url}${stored}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Attestation of pkg:oci/checkout@2.4.0',
  )
  await expect(verdict(page, 'subject')).toContainText('matches: is this package: sha256 equals')
  await expect(verdict(page, 'signature')).toContainText('valid')
  await expect(verdict(page, 'signer')).toContainText(/^trusted: “.*” \(configuration\)/)
  await expect(page.getByText(/^checkout 2.4.0 was built by /)).toBeVisible()
  await page
    .getByRole('link', { name: /^Build [a-z0-9]{13}$/ })
    .first()
    .click()
  await expect(page).toHaveURL(/\/builds\/[a-z0-9]{13}$/)
  expect(complaints).toEqual([])

  await page.goto(`${url}/decode`)
  await field(page).fill(`${url}${stored}`)
  await page.getByRole('link', { name: 'open it here' }).click()
  await expect(verdict(page, 'subject')).toContainText('matches')

  await page.goto(`${url}${stored.slice(0, -3)}xyz`)
  await expect(page.getByRole('alert')).toContainText('Attestation not found.')
})

test('an attestation that fails to load for a comparison is tried again where that is said', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  const repository = 'registry.acme.example/shop'
  const scanOf = (version: string, more: Record<string, string> = {}): string => {
    const artifact = { sha256: sha256(`oci checkout ${version}`), repository, ...more }
    const search = new URLSearchParams(artifact).toString()
    return `${url}/packages/oci/checkout/${version}/policy-scans/production?${search}`
  }
  for (const version of ['2.3.0', '2.4.0']) {
    await page.goto(scanOf(version))
    await page
      .getByRole('button', { name: /^Evaluate/ })
      .first()
      .click()
    await expect(page.getByRole('button', { name: 'Evaluate again' })).toBeVisible()
  }
  let isFailing = true
  await page.route('**/upstream/governor/**/attestations/**', async (route) => {
    if (isFailing) await route.fulfill({ status: 503, body: '' })
    else await route.fallback()
  })
  const other = { with: '2.3.0', 'with-sha256': sha256('oci checkout 2.3.0') }
  await page.goto(scanOf('2.4.0', { ...other, 'with-repository': repository }))
  await page.getByRole('button', { name: 'Compare attestations' }).click()
  const differences = page.getByRole('region', { name: 'What the attestations say differently' })
  await expect(differences.getByRole('alert')).toContainText(
    /Can't load 1 attestation of version 2\.3\.0: .* It isn't compared\./,
  )
  isFailing = false
  await differences.getByRole('button', { name: 'Try again' }).click()
  await expect(differences.getByRole('alert')).toHaveCount(0)
  await expect(differences).toContainText(/No differences in|Version 2\.3\.0 has/)

  const stored = await publish(page, url)
  await page.goto(`${url}${stored}`)
  await page.getByRole('button', { name: 'Compare with another…' }).click()
  isFailing = true
  const compared = page.getByRole('region', { name: 'Comparison' })
  const unread = `${stored.slice(0, -3)}xyz`
  await compared.getByRole('textbox').fill(unread)
  await expect(compared.getByRole('alert')).toContainText("Can't show the attestation right now.")
  isFailing = false
  await compared.getByRole('button', { name: 'Try again' }).click()
  await expect(compared.getByRole('alert')).toContainText('Attestation not found.')
})

test('attestations are read no further once their comparison is canceled', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  const repository = 'registry.acme.example/shop'
  const artifactOf = (version: string) => ({
    sha256: sha256(`oci checkout ${version}`),
    repository,
  })
  const before = artifactOf('2.3.0')
  const other = { with: '2.3.0', 'with-sha256': before.sha256, 'with-repository': repository }
  for (const [version, more] of [
    ['2.3.0', {}],
    ['2.4.0', other],
  ] as const) {
    const search = new URLSearchParams({ ...artifactOf(version), ...more }).toString()
    await page.goto(`${url}/packages/oci/checkout/${version}/policy-scans/production?${search}`)
    await page
      .getByRole('button', { name: /^Evaluate/ })
      .first()
      .click()
    await expect(page.getByRole('button', { name: 'Evaluate again' })).toBeVisible()
  }
  let answer: (() => void) | undefined
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/upstream/governor/**/attestations/**', async (route) => {
    await isAnswered
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Compare attestations' }).click()
  const differences = page.getByRole('region', { name: 'What the attestations say differently' })
  await expect(differences.getByRole('status')).toContainText(/^Reading attestations: \d+ of \d+$/)
  // What counts up is seen, and not read out.
  await expect(differences.getByRole('status')).toMatchAriaSnapshot(
    '- status: Reading attestations',
  )
  const isLetGo = page.waitForEvent('requestfailed', (request) =>
    request.url().includes('/attestations/'),
  )
  await differences.getByRole('button', { name: 'Cancel' }).click()
  // What is still wanted would be answered.
  answer?.()
  await isLetGo
  await expect(differences.getByRole('status')).toHaveText('Canceled.')
  await differences.getByRole('button', { name: 'Try again' }).click()
  await expect(differences).toContainText(/No differences in|Version 2\.3\.0 has/)
})

test('an address that leaves the package has its namespace form, and one that is cut says so', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/packages/maven/com.acme/app/1.0/sha256:00/attestations/nowhere/1`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Attestation of pkg:maven/com.acme/app@1.0',
  )
  await expect(page.getByRole('alert')).toContainText("doesn't understand this URL")
})

test('a keyless bundle is trusted by its identity, every check is listed, and a foreign one is not', async ({
  page,
  sightline,
}, info) => {
  const complaints = complaintsOf(page)
  const sigstore = createTestSigstore()
  await writeFile(info.outputPath('trusted_root.json'), JSON.stringify(sigstore.trustedRoot))
  const identities = [{ name: 'release workflow', issuer: testIssuer, identity: testIdentity }]
  const config = info.outputPath('sightline.json')
  const trust = { trustedRoot: 'trusted_root.json', identities }
  await writeFile(config, JSON.stringify({ sigstore: trust }))
  const { url } = await sightline({ SIGHTLINE_CONFIG: config })
  await page.goto(`${url}/decode`)
  await field(page).fill(JSON.stringify(sigstore.bundle(statementText('the artifact'))))
  await expect(verdict(page, 'signature')).toContainText('valid')
  await expect(verdict(page, 'signer')).toContainText(
    `trusted: “release workflow”: ${testIdentity}, signed in at ${testIssuer}`,
  )
  await expect(page.getByText(/^app\.jar was built by Gradle/)).toBeVisible()
  await tab(page, 'Certificate').click()
  const checks = page.getByRole('region', { name: 'Checks of the certificate' })
  await expect(checks.getByRole('term')).toHaveText([
    'Signature',
    'Certificate',
    'Certificate purpose',
    'Certificate log',
    'Log entry',
    'Signed entry timestamp',
    'Inclusion proof',
    'Signing time',
    'Identity',
    'Trusted root',
    'Log consistency',
  ])
  const idle = page.getByText('its key verifies no signature here')
  await expect(idle).toBeHidden()
  await expectAccessible(page)

  const foreign = createTestSigstore().bundle(statementText('the artifact'))
  const { verificationMaterial } = sigstore.bundle(statementText('the artifact'))
  await field(page).fill(JSON.stringify({ ...foreign, verificationMaterial }))
  await tab(page, 'Certificate').click()
  await expect(idle).toBeVisible()
  await field(page).fill(JSON.stringify(foreign))
  await expect(verdict(page, 'signer')).toContainText('not trusted: its certificate names')
  await expect(verdict(page, 'signer')).toContainText("doesn't lead to the trusted root")
  await expect(page.getByText(/^It claims that app\.jar was built by Gradle/)).toBeVisible()
  expect(complaints).toEqual([])
})

test('ten megabytes and a hundred thousand nodes leave the page able to answer', async ({
  page,
  url,
}, info) => {
  const signer = await createSigner('P-256', 'acme')
  const purls = Array.from(
    { length: 120_000 },
    (_, at) => `pkg:maven/com.acme.group${at}/artifact-with-a-long-name-${at}@1.0.${at}`,
  )
  const text = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'a', digest: { sha256: sha256('a') } }],
    predicateType: 'https://gradle.com/attestation/resolved-dependencies/v1',
    predicate: { buildScanUri: 'https://builds.acme.example/s/k3j7x2m4q7a4c', purls },
  })
  await writeFile(info.outputPath('large.json'), await signed(text, [signer]))
  await page.goto(`${url}/decode`)
  await trust(page, 'acme', signer.pem)
  await page.getByLabel('Files with attestations').setInputFiles(info.outputPath('large.json'))
  await expect(verdict(page, 'signature')).toContainText('valid')
  await expect(page.getByText(/build of a resolved 120,000 dependencies/)).toBeVisible()
  await tab(page, 'Payload').click()
  const tree = page.getByRole('tree', { name: 'Payload' })
  await page.getByRole('searchbox', { name: 'Search the payload' }).fill('name-119999@')
  await expect(page.getByText('1 found')).toBeVisible()
  await page.getByRole('button', { name: 'Next match' }).click()
  await expect(page.getByText('$.predicate.purls[119999]')).toBeVisible()
  await expect(tree.getByRole('treeitem', { selected: true })).toContainText('name-119999@')
  await expect.poll(() => tree.getByRole('treeitem').count()).toBeLessThan(100)
})

test('a huge paste is decoded without being put into the field', async ({ page, url }) => {
  const signer = await createSigner('Ed25519', 'ours')
  const text = statementText('a').replace('"gradle"', JSON.stringify('g'.repeat(2_000_000)))
  const envelope = await signed(text, [signer])
  await page.goto(`${url}/decode`)
  await field(page).evaluate((element, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
  }, envelope)
  await expect(verdict(page, 'signature')).toContainText('not verified')
  await expect(field(page)).toHaveValue('')
  await expect(page.getByText('Pasted text, 2.7 MB')).toBeVisible()
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('too large for a link')).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(verdict(page, 'signature')).toHaveCount(0)
})

test('where the browser offers no cryptography the page says so and calls nothing valid', async ({
  browser,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_ALLOWED_HOSTS: 'plain.example' })
  const insecure = await browser.browserType().launch({
    ...(process.env.CHROMIUM_PATH === undefined
      ? {}
      : { executablePath: process.env.CHROMIUM_PATH }),
    args: ['--no-sandbox', '--host-resolver-rules=MAP plain.example 127.0.0.1'],
  })
  const page = await insecure.newPage()
  await page.goto(`${url.replace('127.0.0.1', 'plain.example')}/decode`)
  await expect(
    page.getByText("Signatures can't be verified on this page because").first(),
  ).toBeVisible()
  const signer = await createSigner('P-256', 'ours')
  await field(page).fill(await signed(statementText('a'), [signer]))
  await expect(verdict(page, 'signature')).toContainText('not checked')
  await expect(verdict(page, 'signature')).toContainText('plain HTTP,')
  await insecure.close()
})

test('nothing from an envelope becomes a link or hides', async ({ page, url }) => {
  const text = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'good\u202Egpj.exe', digest: { sha256: sha256('a') } }],
    predicateType: 'javascript:alert(1)',
    predicate: {
      page: 'https://user:secret@evil.example/',
      other: 'https://fine.example/x',
      html: '<img src=x onerror=alert(1)>',
      // A second that no clock of a browser has.
      at: '2016-12-31T23:59:60Z',
    },
  })
  await page.goto(`${url}/decode`)
  await field(page).fill(
    JSON.stringify({
      payloadType: inTotoType,
      payload: Buffer.from(text).toString('base64'),
      signatures: [],
    }),
  )
  await expect(verdict(page, 'signature')).toContainText('unsigned')
  const attestation = page.getByRole('article', { name: 'Attestation' })
  await expect(attestation.getByText('‹U+202E›').first()).toBeVisible()
  await expect(attestation.getByText('2016-12-31T23:59:60Z').first()).toBeVisible()
  await expect(attestation.locator('a[href^="http"]')).toHaveCount(1)
  await expect(attestation.locator('a[href^="http"]')).toContainText('↗ fine.example')
  await expect(attestation.locator('a[href^="javascript"], img')).toHaveCount(0)
})

test('axe finds nothing on any part of an attestation, wide and narrow', async ({ page, url }) => {
  const signer = await createSigner('P-256', 'acme')
  await page.goto(`${url}/decode`)
  await expect(field(page)).toBeVisible()
  await expectAccessibleWideAndNarrow(page)
  await trust(page, 'acme', signer.pem)
  await field(page).fill(await signed(statementText('a'), [signer]))
  await expect(verdict(page, 'signature')).toContainText('valid')
  for (const name of ['What it says', /^Signatures/, 'What was signed', 'Payload', 'Certificate']) {
    await tab(page, name).click()
    await expect(tab(page, name)).toHaveAttribute('aria-current', 'page')
    await expectAccessibleWideAndNarrow(page)
  }
})

/** Publishes attestations of a package and gives the address of the one about its build tool. */
async function publish(page: Page, url: string): Promise<string> {
  const session: unknown = await (
    await page.request.post(`${url}/session`, { headers: { origin: url } })
  ).json()
  const token = textAt(session, 'token')
  const answer = await page.request.post(
    `${url}/upstream/governor/packages/oci/checkout/2.4.0/attestations`,
    {
      headers: { origin: url, authorization: `Bearer ${token}`, accept: 'application/json' },
      data: {
        sha256: sha256('oci checkout 2.4.0'),
        repositoryUrl: 'registry.acme.example/shop',
        buildScan: { queries: ['project:checkout buildOutcome:succeeded'] },
      },
    },
  )
  const results: unknown = await answer.json()
  expect(Array.isArray(results), JSON.stringify(results).slice(0, 500)).toBe(true)
  const all: readonly unknown[] = Array.isArray(results) ? results : []
  const [first] = all
  return textAt(first, 'attestationUri')
}

function textAt(value: unknown, name: string): string {
  const member: unknown =
    typeof value === 'object' && value !== null
      ? new Map<string, unknown>(Object.entries(value)).get(name)
      : undefined
  if (typeof member !== 'string') throw new Error(`no ${name} in ${JSON.stringify(value)}`)
  return member
}
