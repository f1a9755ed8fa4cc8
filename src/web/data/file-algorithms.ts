/** The digests of a file that can be made here, by their names in a statement. */
export const fileAlgorithms = [
  'sha256',
  'sha512',
  'sha384',
  'sha224',
  'sha512_256',
  'sha512_224',
] as const

export type FileAlgorithm = (typeof fileAlgorithms)[number]
