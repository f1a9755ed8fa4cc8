import { blake2b, blake2s } from '@noble/hashes/blake2.js'
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js'
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from '@noble/hashes/sha2.js'
import {
  sha3_224,
  sha3_256,
  sha3_384,
  sha3_512,
  shake128_32,
  shake256,
  shake256_64,
} from '@noble/hashes/sha3.js'
import { hexOf } from '../../../attestation/decode/bytes.ts'
import type { FileAlgorithm, FileDigest, JobProgress } from './attestation-jobs.ts'

/**
 * The digests of a file of any size, in the order of `algorithms`, and of each as many as go by its
 * name; no more than a piece of the file is in memory at once. Reports its progress about a hundred times as it
 * is, in bytes. Throws an Error with a sentence for the reader where the file cannot be read to its end.
 */
export async function hashFile(
  file: Blob,
  algorithms: readonly FileAlgorithm[],
  onProgress: (progress: JobProgress) => void,
): Promise<readonly FileDigest[]> {
  const all = algorithms.flatMap((algorithm) =>
    hashers[algorithm](file.size).map((hasher) => ({ algorithm, hasher })),
  )
  const reader = file.stream().getReader()
  let done = 0
  let reported = 0
  for (;;) {
    const piece = await readPiece(reader)
    if (piece === undefined) break
    for (const { hasher } of all) hasher.update(piece)
    done += piece.length
    if (done - reported < file.size / 100 && done < file.size) continue
    reported = done
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
    const message = "Can't read the file to its end: it was moved or changed. Select it again."
    throw new Error(message, { cause })
  }
}

/** What takes a file piece by piece: WebCrypto wants it whole, in memory. */
export interface Hasher {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

/**
 * What makes the digests that may go by the name of an algorithm, for a file of so many bytes: those
 * of another length are digests of their own and not parts of the first.
 */
const hashers: Readonly<Record<FileAlgorithm, (length: number) => readonly Hasher[]>> = {
  sha256: () => [sha256.create()],
  sha512: () => [sha512.create()],
  sha384: () => [sha384.create()],
  sha224: () => [sha224.create()],
  sha512_256: () => [sha512_256.create()],
  sha512_224: () => [sha512_224.create()],
  sha3_256: () => [sha3_256.create()],
  sha3_512: () => [sha3_512.create()],
  sha3_384: () => [sha3_384.create()],
  sha3_224: () => [sha3_224.create()],
  blake2b: () => [blake2b.create(), blake2b.create({ dkLen: 32 })],
  blake2s: () => [blake2s.create()],
  shake256: () => [shake256_64.create(), shake256.create()],
  shake128: () => [shake128_32.create()],
  ripemd160: () => [ripemd160.create()],
  // The name is of Git's objects of either kind (in-toto attestation spec, "gitBlob").
  gitBlob: (length) => [sha256.create(), sha1.create()].map((hash) => asBlob(hash, length)),
  sha1: () => [sha1.create()],
  md5: () => [md5.create()],
}

function asBlob<Hash extends Hasher>(hash: Hash, length: number): Hash {
  hash.update(new TextEncoder().encode(`blob ${length}\0`))
  return hash
}
