/**
 * The digests of a file that can be made here, by their names in a statement (in-toto attestation
 * spec, "DigestSet"), those that prove most first. SM3 and GOST are not made, nor what is of more
 * than the bytes of one file.
 */
export const fileAlgorithms = [
  'sha256',
  'sha512',
  'sha384',
  'sha224',
  'sha512_256',
  'sha512_224',
  'sha3_256',
  'sha3_512',
  'sha3_384',
  'sha3_224',
  'blake2b',
  'blake2s',
  'shake256',
  'shake128',
  'ripemd160',
  'gitBlob',
  'sha1',
  'md5',
] as const

export type FileAlgorithm = (typeof fileAlgorithms)[number]
