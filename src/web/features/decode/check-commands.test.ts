import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ecdsaDer } from '../../../attestation/ecdsa-der.test-support.ts'
import { createSigner, envelopeOf, paeOf } from '../../../attestation/signing.test-support.ts'
import { pemOf } from '../../../attestation/keys/trusted-key.ts'
import { verify } from '../../../attestation/verify.ts'
import { cosignCommand, opensslCommand, opensslSignature } from './check-commands.ts'

const run = promisify(execFile)

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
if (!hasOpenssl) process.stderr.write('No openssl here: the commands for it are NOT tried.\n')

describe.skipIf(!hasOpenssl)('the openssl command says what this page says', () => {
  const kinds = ['P-256', 'P-384', 'P-521', 'Ed25519', 'RSA-PSS', 'RSASSA-PKCS1-v1_5'] as const
  const rows = kinds.flatMap((kind) => [
    { kind, form: 'as it was signed', write: (sig: Uint8Array) => sig },
    ...(kind.startsWith('P-') ? [{ kind, form: 'in DER', write: ecdsaDer }] : []),
  ])

  test.each(rows)('for $kind, $form', async ({ kind, write }) => {
    const signer = await createSigner(kind, 'release')
    const sig = write(await signer.sign(paeOf('{}')))
    const [verdict] = await verify(envelopeOf('{}', [{ sig }]), [signer.key])
    const command = verdict && opensslCommand(verdict)?.command
    const folder = await mkdtemp(join(tmpdir(), 'check-'))
    await writeFile(join(folder, 'key-1.pem'), pemOf(signer.key))
    await writeFile(join(folder, 'signature-1.bin'), opensslSignature(sig, verdict?.proof))
    await writeFile(join(folder, 'message.pae'), paeOf('{}'))
    const { stdout } = await inShell(command ?? 'false', folder)
    expect(stdout).toMatch(/verified/i)
    await writeFile(join(folder, 'message.pae'), paeOf('{ }'))
    await expect(inShell(command ?? 'true', folder)).rejects.toThrow()
    await rm(folder, { recursive: true })
  })
})

/** As somebody would who has copied the command. */
function inShell(command: string, folder: string) {
  return run('sh', ['-c', command], { cwd: folder })
}

test('the cosign command has only flags that cosign documents for what there is', () => {
  const bare = envelopeOf('{}')
  expect(cosignCommand(bare, 'https://spdx.dev/Document', undefined, undefined)?.command).toBe(
    "cosign verify-blob-attestation --signature attestation.json --new-bundle-format=false --key KEY.pem --insecure-ignore-tlog --type 'https://spdx.dev/Document' ARTIFACT",
  )
  const bundle = { ...bare, source: 'bundle' } as const
  expect(cosignCommand(bundle, undefined, undefined, undefined)?.command).toBe(
    "cosign verify-blob-attestation --bundle attestation.json --new-bundle-format --key KEY.pem --insecure-ignore-tlog --type 'custom' ARTIFACT",
  )
  expect(cosignCommand({ ...bare, source: 'pep740' }, 'a:b', undefined, undefined)).toBeUndefined()
})

test('what an envelope says cannot leave its quotes in a command', () => {
  const envelope = envelopeOf('{}')
  const command = cosignCommand(envelope, `x'; rm -rf ~; '`, undefined, undefined)?.command
  expect(command).toContain(String.raw`--type 'x'\''; rm -rf ~; '\''' ARTIFACT`)
  expect(cosignCommand(envelope, 'x\ny', undefined, undefined)).toBeUndefined()
  expect(cosignCommand(envelope, 'x\u202Ey', undefined, undefined)).toBeUndefined()
})
