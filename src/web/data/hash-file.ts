import { hexOf } from '../../attestation/hex.ts'
import { noCrypto, subtleOf } from '../../attestation/web-crypto.ts'
import type { FileDigest, JobProgress } from './attestation-jobs.ts'

/** Browsers hash only what is whole in memory: files up to this size, bytes. */
const largestFile = 512 * 1024 * 1024

const algorithms = [
  { algorithm: 'sha256', name: 'SHA-256' },
  { algorithm: 'sha512', name: 'SHA-512' },
  { algorithm: 'sha384', name: 'SHA-384' },
] as const

/**
 * The digests of a file by which a statement may name it. Throws an Error with a sentence for the
 * reader where the file is too large or the page has no cryptography.
 */
export async function hashFile(
  file: Blob,
  onProgress: (progress: JobProgress) => void,
): Promise<readonly FileDigest[]> {
  const subtle = subtleOf()
  if (subtle === undefined) throw new Error(noCrypto)
  if (file.size > largestFile) {
    throw new Error(
      'The file is larger than 512 MB, which a browser cannot hash. Hash it with "sha256sum" and type its digest instead.',
    )
  }
  const bytes = await readWhole(file, onProgress)
  const digests: FileDigest[] = []
  for (const { algorithm, name } of algorithms) {
    const digest = await subtle.digest(name, bytes)
    digests.push({ algorithm, value: hexOf(new Uint8Array(digest)) })
  }
  return digests
}

async function readWhole(
  file: Blob,
  onProgress: (progress: JobProgress) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(file.size)
  const reader = file.stream().getReader()
  let done = 0
  let told = 0
  for (;;) {
    const chunk = await reader.read()
    if (chunk.done) return bytes
    bytes.set(chunk.value, done)
    done += chunk.value.length
    if (done - told < file.size / 100 && done < file.size) continue
    told = done
    onProgress({ what: 'hashing', done, of: file.size })
  }
}
