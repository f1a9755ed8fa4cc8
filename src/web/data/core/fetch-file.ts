import type { StreamedRequest } from './request.ts'

/** A file that the proxy made, under the name that it gave it. */
export interface FetchedFile {
  readonly content: Blob
  readonly name: string
  readonly header: (name: string) => string | null
}

/**
 * Fetches a file whole: posts `body`, or gets where it is undefined. Throws a ProblemError where the
 * server refuses, and what the connection throws where it breaks off: a part is never taken for all.
 */
export type FetchFile = (
  path: string,
  body: unknown,
  /** Called with each piece as it arrives, and the file's headers. */
  onPiece: (piece: Uint8Array, header: FetchedFile['header']) => void,
  signal: AbortSignal,
) => Promise<FetchedFile>

/** Fetches through the proxy, piece by piece. */
export function createFetchFile(request: StreamedRequest): FetchFile {
  return async (path, body, onPiece, signal) => {
    const response = await request(path, body, signal)
    const header = (name: string): string | null => response.headers.get(name)
    const pieces: Uint8Array<ArrayBuffer>[] = []
    const reader = response.body?.getReader()
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      const piece = new Uint8Array(next.value)
      pieces.push(piece)
      onPiece(piece, header)
    }
    const [, name = 'download'] =
      /filename="([^"]*)"/.exec(header('content-disposition') ?? '') ?? []
    return { content: new Blob(pieces, { type: header('content-type') ?? '' }), name, header }
  }
}
