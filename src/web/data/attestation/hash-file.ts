import { hexOf } from '../../../attestation/decode/bytes.ts'
import type { FileDigest, JobProgress } from './attestation-jobs.ts'
import type { FileAlgorithm } from './file-algorithms.ts'
import { hashersFor } from './file-hashers.ts'

/**
 * The digests of a file of any size, in the order of `algorithms`, and of each as many as go by its
 * name; no more than a piece of the file is in memory at once. Tells about a hundred times how far it
 * is, in bytes. Throws an Error with a sentence for the reader where the file cannot be read to its end.
 */
export async function hashFile(
  file: Blob,
  algorithms: readonly FileAlgorithm[],
  onProgress: (progress: JobProgress) => void,
): Promise<readonly FileDigest[]> {
  const all = algorithms.flatMap((algorithm) =>
    hashersFor(algorithm, file.size).map((hasher) => ({ algorithm, hasher })),
  )
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
