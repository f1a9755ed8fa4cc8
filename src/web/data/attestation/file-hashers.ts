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
import type { FileAlgorithm } from './file-algorithms.ts'

/** What takes a file piece by piece: WebCrypto wants it whole, in memory. */
export interface Hasher {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: () => Uint8Array
}

/**
 * What makes the digests that may go by the name of an algorithm, for a file of so many bytes: those
 * of another length are digests of their own and not parts of the first.
 */
export function hashersFor(algorithm: FileAlgorithm, length: number): readonly Hasher[] {
  return hashers[algorithm](length)
}

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
