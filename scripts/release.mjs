/**
 * Makes a release in the folder `release`: the package (`npm pack`), the pipeline gate as one file, the
 * SHA-256 digests of both, what CHANGELOG.md says of the version, and an SLSA provenance statement about
 * them, signed as a DSSE envelope:
 *
 *   SIGHTLINE_RELEASE_KEY_FILE=key.pem npm run release
 *
 * The key is an EC or Ed25519 private key as PEM; without one there is no statement, which is said.
 * SIGHTLINE_RELEASE_BUILDER is the URI of what builds, for the statement's `builder.id`.
 */
import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'release')
const { SIGHTLINE_RELEASE_KEY_FILE: keyFile, SIGHTLINE_RELEASE_BUILDER: builder } = process.env
const startedOn = new Date().toISOString()

const run = (command, ...words) =>
  execFileSync(command, words, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()
const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

const key = keyFile === undefined ? undefined : readKey(keyFile)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
if (!process.argv.includes('--no-build')) run('node', 'scripts/build.mjs')
const packed = run('npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)
const [{ filename, version }] = JSON.parse(packed)
const gate = join(folder, 'sightline.mjs')
writeFileSync(gate, `#!/usr/bin/env node\n${readFileSync(join(root, 'dist/cli/main.js'), 'utf8')}`)
chmodSync(gate, 0o755)

const subject = [filename, 'sightline.mjs'].map((name) => ({
  name,
  digest: { sha256: digestOf(readFileSync(join(folder, name))) },
}))
writeFileSync(
  join(folder, 'SHA256SUMS'),
  subject.map(({ name, digest }) => `${digest.sha256}  ${name}\n`).join(''),
)
writeFileSync(join(folder, 'NOTES.md'), notesOf(version))
if (key === undefined) {
  console.log('No SIGHTLINE_RELEASE_KEY_FILE is set: the release has no signed provenance.')
} else writeProvenance(key)
console.log(`Sightline ${version} is in ${folder}`)

/** What CHANGELOG.md says of a version. */
function notesOf(name) {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m)
  const own = sections.find((section) => section.startsWith(`## ${name} `))
  if (own !== undefined) return own
  console.error(`CHANGELOG.md has no version ${name}.`)
  process.exit(1)
}

/** Before anything is built: a release without its provenance looks complete. */
function readKey(path) {
  try {
    const read = createPrivateKey(readFileSync(path))
    if (['ec', 'ed25519'].includes(read.asymmetricKeyType)) return read
  } catch {
    // Said below.
  }
  console.error(
    `SIGHTLINE_RELEASE_KEY_FILE (${path}) must be the path of an EC or Ed25519 private key as PEM. Nothing was made.`,
  )
  process.exit(1)
}

/** https://slsa.dev/spec/v1.0/provenance in a DSSE envelope. */
function writeProvenance(privateKey) {
  const commit = run('git', 'rev-parse', 'HEAD')
  const changed = run('git', 'status', '--porcelain', '--untracked-files=no') !== ''
  const lock = digestOf(readFileSync(join(root, 'package-lock.json')))
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:sightline:npm-release:v1',
        externalParameters: { version, command: 'npm run release', uncommittedChanges: changed },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lock } },
        ],
      },
      runDetails: {
        builder: { id: builder ?? 'urn:sightline:builder:local' },
        metadata: { startedOn, finishedOn: new Date().toISOString() },
      },
    },
  }
  const publicKey = createPublicKey(privateKey)
  const payloadType = 'application/vnd.in-toto+json'
  const payload = Buffer.from(JSON.stringify(statement))
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ])
  const hash = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  const envelope = {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [
      {
        keyid: digestOf(publicKey.export({ type: 'spki', format: 'der' })),
        sig: sign(hash, signed, privateKey).toString('base64'),
      },
    ],
  }
  writeFileSync(
    join(folder, `${filename}.provenance.json`),
    `${JSON.stringify(envelope, null, 2)}\n`,
  )
  writeFileSync(join(folder, 'release-key.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
}
