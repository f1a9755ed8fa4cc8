import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { decode } from '../src/attestation/decode.ts'
import { readKeys } from '../src/attestation/keys/read-keys.ts'
import { verify } from '../src/attestation/verify.ts'
import { expect, test } from './sightline.ts'

const Statement = z.object({
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256: z.string() }) })),
})

// One test, as all of it needs a release, and there is one folder for it.
test('a release runs where nothing else is, and its provenance verifies', async ({ request }) => {
  const folder = test.info().outputPath('installed')
  const key = test.info().outputPath('release-key.pem')
  mkdirSync(folder, { recursive: true })
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME }
  const publicKey = test.info().outputPath('not-private.pem')
  writeFileSync(publicKey, pair.publicKey.export({ type: 'spki', format: 'pem' }))
  for (const path of [publicKey, `${publicKey}.missing`]) {
    const env = { ...environment, SIGHTLINE_RELEASE_KEY_FILE: path }
    const { status, stderr } = spawnSync(process.execPath, ['scripts/release.mjs'], { env })
    expect([status, stderr.toString()]).toEqual([
      1,
      `SIGHTLINE_RELEASE_KEY_FILE (${path}) must be the path of an EC or Ed25519 private key as PEM. Nothing was made.\n`,
    ])
  }
  execFileSync(process.execPath, ['scripts/release.mjs', '--no-build'], {
    env: { ...environment, SIGHTLINE_RELEASE_KEY_FILE: key },
  })

  // What `sha256sum -c` says of the files is what a user would check.
  const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], {
    cwd: 'release',
    encoding: 'utf8',
  })
  const archive = /^(sightline-[\d.]+\.tgz): OK\nsightline\.mjs: OK\n$/.exec(checked)?.[1] ?? ''
  expect(archive).not.toBe('')

  const envelope = readFileSync(join('release', `${archive}.provenance.json`), 'utf8')
  const decoded = decode(envelope)
  if (!decoded.ok || decoded.envelope === undefined)
    throw new Error('the provenance is no envelope')
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const { keys } = readKeys({ release: { pem } })
  const verdicts = await verify(decoded.envelope, keys)
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['verified'])
  const { subject } = Statement.parse(JSON.parse(Buffer.from(decoded.envelope.payload).toString()))
  const digests = subject.map(({ name, digest }) => `${digest.sha256}  ${name}\n`)
  expect(readFileSync('release/SHA256SUMS', 'utf8')).toBe(digests.join(''))

  // The gate alone: one file.
  cpSync('release/sightline.mjs', join(folder, 'sightline.mjs'))
  const version = execFileSync(process.execPath, [join(folder, 'sightline.mjs'), '--version'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(archive).toBe(`${version.trim().replace(' ', '-')}.tgz`)

  // The package, with the packages that it declares and no others.
  execFileSync('tar', ['-xzf', join(process.cwd(), 'release', archive), '-C', folder])
  for (const path of productionPackages()) {
    const target = join(folder, 'package', path)
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(join(process.cwd(), path), target)
  }
  const started = spawn(
    process.execPath,
    ['--preserve-symlinks', 'package/scripts/sightline.mjs', '--port', '0'],
    {
      cwd: folder,
      env: {
        ...environment,
        SIGHTLINE_DATABASE_URL: 'memory:',
        SIGHTLINE_EMBEDDED_BUILDS: '20',
      },
    },
  )
  const lines = createInterface({ input: started.stdout })
  const line = String(await once(lines, 'line'))
  const url = /http:\/\/[^\s,]+/.exec(line)?.[0] ?? ''
  expect((await request.get(url)).status()).toBe(200)
  started.kill('SIGTERM')
  await once(started, 'exit')
  expect(started.exitCode).toBe(0)
})

/** The folders of all packages that come with an installation without development packages. */
function productionPackages(): string[] {
  const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return (
    listed
      .trim()
      .split('\n')
      .map((path) => relative(process.cwd(), path))
      // Packages within packages come along with these.
      .filter((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
  )
}
