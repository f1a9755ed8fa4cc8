import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from '@noble/hashes/sha2.js'
import { hexOf } from '../../attestation/hex.ts'
import type { FileDigest, JobProgress } from './attestation-jobs.ts'
import type { FileAlgorithm } from './file-algorithms.ts'

/** Of each algorithm what takes the file piece by piece: WebCrypto wants it whole, in memory. */
const hashes: Readonly<Record<FileAlgorithm, () => Hasher>> = {
  sha256: () => sha256.create(),
  sha512: () => sha512.create(),
  sha384: () => sha384.create(),
  sha224: () => sha224.create(),
  sha512_256: () => sha512_256.create(),
  sha512_224: () => sha512_224.create(),
}

interface Hasher {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

/**
 * The digests of a file of any size, in the order of `algorithms`; no more than a piece of it is in
 * memory at once. Tells about a hundred times how far it is, in bytes. Throws an Error with a sentence
 * for the reader where the file cannot be read to its end.
 */
export async function hashFile(
  file: Blob,
  algorithms: readonly FileAlgorithm[],
  onProgress: (progress: JobProgress) => void,
): Promise<readonly FileDigest[]> {
  const all = algorithms.map((algorithm) => ({ algorithm, hasher: hashes[algorithm]() }))
  const reader = file.stream().getReader()
  let done = 0
  let told = 0
  for (;;) {
    const piece = await readPiece(reader)
    if (piece === undefined) break
    for (const { hasher } of all) hasher.update(piece)
    done += piece.length
    if (done - told < file.size / 100 && done < file.size) continue
    told = done
    onProgress({ what: 'hashing', done, of: file.size })
  }
  return all.map(({ algorithm, hasher }) => ({ algorithm, value: hexOf(hasher.digest()) }))
}

async function readPiece(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value
  } catch (cause) {
    const message =
      'The file could not be read to its end: it was moved or changed. Choose it again.'
    throw new Error(message, { cause })
  }
}
